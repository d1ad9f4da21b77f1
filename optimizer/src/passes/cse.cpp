// SPDX-License-Identifier: BSD-3-Clause
#include "passes/cse.hpp"

#include "passes/kernel_edit.hpp"

#include <unordered_map>

namespace xlazy::opt {

using bc::MicroOp;
using bc::ValueId;

namespace {

/// All that a computed value depends on.
struct Formula {
    std::uint64_t operation;
    std::uint64_t operands;
    friend bool operator==(const Formula&, const Formula&) noexcept = default;
};

struct FormulaHash {
    std::size_t operator()(const Formula& formula) const noexcept {
        std::uint64_t hash = (formula.operation ^ (formula.operands * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
        return hash ^ (hash >> 29);
    }
};

Formula formula_of(const MicroOp& op) noexcept {
    return {std::uint64_t{static_cast<std::uint16_t>(op.op)} << 32 |
                std::uint64_t{static_cast<std::uint8_t>(op.type)} << 24 |
                std::uint64_t{static_cast<std::uint8_t>(op.result)} << 16 | std::uint64_t{op.flags} << 8 | op.axis,
            std::uint64_t{op.in[0]} << 32 | std::uint64_t{op.in[1]} << 16 | op.in[2]};
}

}  // namespace

void eliminate_common_values(Draft& draft) {
    std::unordered_map<Formula, ValueId, FormulaHash> known;
    for (bc::Kernel& kernel : draft.plan.kernels) {
        known.clear();
        KernelEdit edit(kernel);
        for (std::size_t i = 0; i < edit.size(); ++i) {
            const MicroOp op = edit.renumbered(i);
            if (op.kind != MicroOp::Kind::Compute || bc::can_fail(op.op, op.type)) {
                edit.keep(i);
                continue;
            }
            const auto [place, is_new] = known.try_emplace(formula_of(op), bc::kNoValue);
            if (is_new)
                place->second = edit.keep(i);
            else
                edit.replace(i, place->second);
        }
    }
}

}  // namespace xlazy::opt
