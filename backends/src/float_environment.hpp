// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <immintrin.h>

namespace xlazy::be {

/// The default floating-point environment (round to nearest, no flushing of subnormals, no traps) for as long as it lives, on
/// the thread that makes it: results must not depend on what the user's program has set. Sticky flags are the user's again
/// afterwards.
class FloatEnvironment {
public:
    FloatEnvironment() noexcept : outer_(_mm_getcsr()) {
        if (outer_ != kDefault) _mm_setcsr(kDefault);
    }
    ~FloatEnvironment() { _mm_setcsr(outer_); }
    FloatEnvironment(const FloatEnvironment&) = delete;
    FloatEnvironment& operator=(const FloatEnvironment&) = delete;

private:
    static constexpr unsigned kDefault = 0x1f80;  ///< all exceptions masked
    unsigned outer_;
};

}  // namespace xlazy::be
