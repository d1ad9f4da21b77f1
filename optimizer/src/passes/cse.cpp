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
    // By instruction: computations in the kernel. One of several is not what the instruction asks for.
    std::vector<std::uint32_t> parts(draft.program.instructions.size(), 0);
    for (bc::Kernel& kernel : draft.plan.kernels) {
        known.clear();
        const auto computes = [](const MicroOp& op) { return op.kind == MicroOp::Kind::Compute; };
        for (const MicroOp& op : kernel.ops) parts[op.instruction] = 0;
        for (const MicroOp& op : kernel.ops) parts[op.instruction] += computes(op) ? 1 : 0;
        KernelEdit edit(kernel);
        for (std::size_t i = 0; i < edit.size(); ++i) {
            const MicroOp op = edit.renumbered(i);
            if (!computes(op)) {
                edit.keep(i);
                continue;
            }
            const auto [place, is_new] = known.try_emplace(formula_of(op), bc::kNoValue);
            if (is_new) {
                place->second = edit.keep(i);
                continue;
            }
            const std::uint32_t first = kernel.ops[place->second].instruction;
            const bool whole = parts[op.instruction] == 1 && parts[first] == 1;
            if (whole) draft.merge(op.instruction, first);
            if (whole || !bc::can_fail(op.op, op.type))
                edit.replace(i, place->second);
            else
                edit.keep(i);
        }
    }
}

}  // namespace xlazy::opt
