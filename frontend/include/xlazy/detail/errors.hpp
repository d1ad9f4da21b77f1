// SPDX-License-Identifier: BSD-3-Clause
// Errors that are thrown at the statement: xtensor's types, with the user's line in front of the text.
#pragma once

#include "xlazy/detail/recorder.hpp"

#include <string>

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xexception.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// "file:line: text"; the text alone if the line is not known, or if it has one already.
std::string with_place(here line, const std::string& text);

/// @throws xt::broadcast_error
[[noreturn]] inline void throw_broadcast(const std::string& text) {
    throw xt::broadcast_error(with_place(rt::LineScope::current(), text).c_str());
}

/// @throws std::runtime_error with the user's line
[[noreturn]] void throw_statement_error(const std::string& text);

/// While an exception that xtensor threw for the statement is handled: throws one of the same type with the user's line
/// in front of its text. Types that no function of xtensor's throws go on as they are.
[[noreturn]] void rethrow_with_place(here line);

/// Runs `f`; errors of shapes, axes and indices get the user's line.
template <class F>
decltype(auto) located(F&& f) {
    try {
        return f();
    } catch (...) {
        rethrow_with_place(rt::LineScope::current());
    }
}
template <class F>
decltype(auto) located(F&& f, here line) {
    rt::LineScope scope(line);
    return located(std::forward<F>(f));
}

/// @throws std::runtime_error for more than bc::kMaxRank axes
inline void check_rank(std::size_t rank) {
    if (rank > bc::kMaxRank) throw_statement_error("arrays of more than 16 dimensions are not supported");
}

}  // namespace xlazy::detail
