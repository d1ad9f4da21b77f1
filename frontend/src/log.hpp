// SPDX-License-Identifier: BSD-3-Clause
// The one way in which the library prints.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <string_view>

namespace xlazy::rt {

/// Writes one message, "xlazy: " before it and a line end after it. Never throws: a message that cannot be written is
/// lost.
void log(std::string_view message) noexcept;

/// Logs an error that nobody else will report; in colours where the log is a terminal that has some.
void log_error(const std::exception& error) noexcept;

/// Messages go to the file from now on; "stderr": to stderr. A file that cannot be opened gets one warning there.
void open_log(const std::string& name) noexcept;

/// Messages go to the function instead (without prefix and line end); an empty function ends that. For tests.
void set_log_sink(std::function<void(std::string_view)> sink);

}  // namespace xlazy::rt
