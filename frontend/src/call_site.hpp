// SPDX-License-Identifier: BSD-3-Clause
// The user's line where C++ offers no way to pass it: found on the stack, for messages about the call that is being
// made.
#pragma once

#include "queue.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace xlazy::rt {

/// Is it a header of xtensor's, of ours or of the standard library's?
bool is_library_file(std::string_view file) noexcept;

/// The line says nothing about the user's own source.
bool is_unclear(bc::OriginId line) noexcept;

/// The innermost function on this thread's stack that is the user's own, from the debug information of the program
/// (g++ -g1 is enough); without that, the function's name with line 0. Takes milliseconds the first time for a call.
/// `otherwise` if nothing is found.
bc::OriginId call_site(bc::OriginId otherwise);

/// The calls that led to the one being made, as a number; equal chains have equal numbers. Microseconds.
std::uint32_t call_chain() noexcept;

/// The user's functions in a chain, the innermost first; at most 16.
std::vector<origin_info> callers_of(std::uint32_t chain);

/// Held while a place is looked up; a child of fork() must not find it taken.
std::mutex& call_site_mutex() noexcept;

}  // namespace xlazy::rt
