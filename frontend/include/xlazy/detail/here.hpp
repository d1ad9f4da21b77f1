// SPDX-License-Identifier: BSD-3-Clause
// The user's line as a default argument. std::source_location is missing with clang and libstdc++ 12; the builtins work
// nested in default arguments on both compilers.
#pragma once

namespace xlazy {

/// A place in the user's source. Write it as the last parameter: `f(..., here line = here::current())`.
struct here {
    const char* file = nullptr;  ///< static storage duration
    unsigned line = 0;           ///< counted from 1; 0: unknown

    static constexpr here current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) noexcept {
        return {file, line};
    }
};

/// A place, in parameters of constructors: nothing in braces is taken for one.
struct written_here {
    explicit constexpr written_here(here place) noexcept : line(place) {}
    here line;
};

}  // namespace xlazy
