// SPDX-License-Identifier: BSD-3-Clause
// Batch in, plan out. Pure: what it decides depends on its arguments alone.
#pragma once

#include "xlazy/bytecode/plan.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xlazy::opt {

/// Which passes run; bit i is row i of the pass table.
struct PassSet {
    std::uint32_t bits = ~0u;
    /// Does row `pass` of the table run?
    bool has(unsigned pass) const noexcept { return ((bits >> pass) & 1u) != 0; }
    friend bool operator==(PassSet, PassSet) noexcept = default;
};

/// A row of the pass table, in the order in which they run.
struct PassInfo {
    std::string_view name;
    std::string_view doc;
    bool mandatory;  ///< needed for right results; PassSet does not switch it off
};
/// All passes, in the order in which they run.
std::vector<PassInfo> pass_table();

/// "all", "none", or a list of names: "all,-dce", "none,fuse", "dce,fuse" (a list that begins with a name means only
/// what it names), "-dce" (one that begins with a sign changes the default).
/// @param unknown receives the words that are no pass, or one that cannot be switched; they are ignored
PassSet parse_passes(std::string_view text, std::vector<std::string>& unknown);

/// How a plan is made.
struct PlanOptions {
    PassSet passes;
    bool verify = false;  ///< check the batch and the plan after every pass
    /// Called after every pass with its name and the batch or plan in text form, if set.
    std::function<void(std::string_view pass, const std::string& text)> dump{};
    /// Choose as for batches of this size, not as for the batch's own: for tests.
    std::optional<bc::SizeClass> size_class{};
    /// Every region and dispatch that can run, not only those that pay: for tests.
    bool anyhow = false;
};

/// @throws std::logic_error if the verifier rejects what a pass made (an internal error)
bc::Plan make_plan(const bc::Program& program, const PlanOptions& options);

}  // namespace xlazy::opt
