// SPDX-License-Identifier: BSD-3-Clause
// One name for all views of a batch that show the same elements in the same order.
#pragma once

#include "hash_index.hpp"
#include "xlazy/bytecode/plan.hpp"

namespace xlazy::opt {

class ViewNames {
public:
    explicit ViewNames(const bc::Program& program)
        : program_(program), names_(program.views.size(), kUnknown), index_(program.views.size()) {}

    /// The first view asked for that shows the same. Who relies on two views having one name says so to Facts
    /// (same_read). Views that repeat elements have a name of their own.
    std::uint32_t name(std::uint32_t view);

private:
    static constexpr std::uint32_t kUnknown = ~0u;

    const bc::Program& program_;
    std::vector<std::uint32_t> names_;
    HashIndex index_;
};

}  // namespace xlazy::opt
