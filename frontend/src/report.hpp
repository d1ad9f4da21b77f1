// SPDX-License-Identifier: BSD-3-Clause
// Error reports as text.
#pragma once

#include "xlazy/deferred_error.hpp"

#include <string>

namespace xlazy::rt {

/// Most places of one kind that a text lists.
inline constexpr std::size_t kMaxPlaces = 8;

/// "file:line", or the function, or "unknown place".
std::string place(const origin_info& origin);

/// "i32(4,5)", or "i32 scalar".
std::string text_of(const operand_info& operand);

/// The report in several lines, the first one "FILE:LINE: CAUSE". An empty report is an empty text.
std::string text_of(const error_report& report, bool colour);

/// The line of a source file without the white space around it; empty if it cannot be read, or may have changed since
/// the program was built.
std::string source_line(const origin_info& origin);

}  // namespace xlazy::rt
