// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <immintrin.h>

namespace xlazy::be {

/// The default floating-point environment (round to nearest, no flushing of subnormals, no traps) for as long as it
/// lives, on the thread that makes it: results must not depend on what the user's program has set. Exception flags that
/// the arithmetic raises stay raised, as they do in a program that computes by itself.
class FloatEnvironment {
public:
    FloatEnvironment() noexcept : outer_(_mm_getcsr()), changed_((outer_ & ~kFlags) != kDefault) {
        if (changed_) _mm_setcsr(kDefault);
    }
    ~FloatEnvironment() {
        if (changed_) _mm_setcsr(outer_);
    }
    FloatEnvironment(const FloatEnvironment&) = delete;
    FloatEnvironment& operator=(const FloatEnvironment&) = delete;

private:
    static constexpr unsigned kFlags = 0x003f;
    static constexpr unsigned kDefault = 0x1f80;  ///< all exceptions masked
    unsigned outer_;
    bool changed_;
};

}  // namespace xlazy::be
