// SPDX-License-Identifier: BSD-3-Clause
// Makes a failing batch small, and writes it down so that it can be replayed.
#pragma once

#include "fuzz/generator.hpp"

#include <functional>
#include <string>

namespace xlazy::fuzz {

/// A level's check: the empty string, or what went wrong.
using Check = std::function<std::string(const Case&)>;

/// A smaller batch for which `fails` still finds something; it tries for about so many seconds.
Case shrink(const Case& c, const Check& fails, double seconds);

/// A batch in text form with what a replay needs.
struct Saved {
    Case c;
    std::string level;
    std::uint64_t choice = 0;
};
/// `verdict` goes along as a comment.
std::string print(const Saved& saved, const std::string& verdict);
/// @throws bc::ParseError
Saved read(const std::string& text);

}  // namespace xlazy::fuzz
