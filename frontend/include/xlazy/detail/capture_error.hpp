// SPDX-License-Identifier: BSD-3-Clause
// What a function did that cannot be captured. No xtensor here.
#pragma once

#include "xlazy/deferred_error.hpp"
#include "xlazy/detail/here.hpp"

#include <stdexcept>

namespace xlazy {

/// The function cannot be captured as it is. what() begins with the line that is in the way.
class capture_error : public std::logic_error {
public:
    capture_error(here line, const std::string& what);
    const origin_info& origin() const noexcept { return origin_; }

private:
    origin_info origin_;
};

}  // namespace xlazy
