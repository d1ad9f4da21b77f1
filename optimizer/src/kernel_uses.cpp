// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_uses.hpp"

#include "draft.hpp"
#include "passes/fuse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace xlazy::opt {

using bc::MicroOp;
using bc::Relation;

namespace {

/// Kernels between two that are looked at for one that keeps them apart.
constexpr std::uint32_t kMostBetween = 64;

const MicroOp* find_scratch(const std::vector<const MicroOp*>& ops, std::uint32_t index) {
    const auto found = std::ranges::find_if(ops, [&](const MicroOp* op) { return op->index == index; });
    return found == ops.end() ? nullptr : *found;
}

}  // namespace

KernelUses::KernelUses(const bc::Kernel& kernel) {
    for (const MicroOp& op : kernel.ops) {
        switch (op.kind) {
            case MicroOp::Kind::LoadView:
            case MicroOp::Kind::GatherView: loads.push_back(&op); break;
            case MicroOp::Kind::StoreView:
            case MicroOp::Kind::ScatterView: stores.push_back(&op); break;
            case MicroOp::Kind::ReduceView: reductions.push_back(&op); break;
            case MicroOp::Kind::LoadScratch: scratch_loads.push_back(&op); break;
            case MicroOp::Kind::StoreScratch: scratch_stores.push_back(&op); break;
            case MicroOp::Kind::ReduceScratch: scratch_reductions.push_back(&op); break;
            case MicroOp::Kind::Compute:
                if (is_scan(op)) scans.push_back(&op);
                break;
            case MicroOp::Kind::LoadScalar: break;
        }
    }
}

WhyNotFused::WhyNotFused(const bc::Program& program, const bc::Plan& plan, bool fusion_is_on)
    : program_(program), plan_(plan), fusion_is_on_(fusion_is_on) {
    for (const bc::Kernel& kernel : plan.kernels) uses_.emplace_back(kernel);
}

std::string WhyNotFused::operator()(std::uint32_t first, std::uint32_t second) const {
    if (!fusion_is_on_) return "fusion is switched off (XLAZY_PASSES)";
    const KernelUses& a = uses_[first];
    const KernelUses& b = uses_[second];
    std::string reason = reduction(a, b);
    if (reason.empty()) reason = other_indices(first, second);
    if (reason.empty()) reason = shapes(first, second);
    if (reason.empty()) reason = between(first, second);
    if (reason.empty()) reason = axes(a, b);
    if (reason.empty()) reason = limits(first, second);
    if (reason.empty())
        reason = fmt::format(
            "nothing forbids it, but a statement joins one of the latest kernels of its "
            "shape only, and {} kernels are between them",
            second - first - 1);
    return reason;
}

std::string WhyNotFused::line_of(const MicroOp& op) const { return bc::to_string(program_.origins[op.instruction]); }

std::string WhyNotFused::line_of_kernel(std::uint32_t kernel) const {
    const std::vector<MicroOp>& ops = plan_.kernels[kernel].ops;
    return ops.empty() ? "an empty kernel" : line_of(ops.back());
}

std::string WhyNotFused::place_of(const MicroOp& op, const MicroOp& other) const {
    if (program_.origins[op.instruction] != program_.origins[other.instruction]) return line_of(op);
    return fmt::format("the {} of {}", bc::name_of(program_.instructions[op.instruction].op), line_of(op));
}

std::string WhyNotFused::reduction(const KernelUses& a, const KernelUses& b) const {
    const auto text = [&](const MicroOp& result, const MicroOp& user) {
        return fmt::format("the {} of {} must be complete before {} can use it", bc::name_of(result.op),
                           line_of(result), place_of(user, result));
    };
    for (const MicroOp* load : b.scratch_loads) {
        if (const MicroOp* result = find_scratch(a.scratch_reductions, load->index)) return text(*result, *load);
    }
    for (const MicroOp* load : b.loads) {
        for (const MicroOp* result : a.reductions) {
            if (bc::relation(program_, result->index, load->index) != Relation::Disjoint) return text(*result, *load);
        }
    }
    return {};
}

std::string_view WhyNotFused::how_they_lie(const MicroOp& one, const MicroOp& other, std::uint32_t domain_of_one,
                                           std::uint32_t domain_of_other) const {
    const auto steps = [&](const MicroOp& op, std::uint32_t domain) {
        std::vector<std::int64_t> strides;
        std::int64_t elements = 1;
        for (const bc::Dim& dim : program_.dims_of(program_.views[op.index])) {
            if (dim.extent > 1) strides.push_back(dim.stride);
            elements *= dim.extent;
        }
        const bool repeats =
            op.kind == MicroOp::Kind::LoadView && elements < bc::element_count(program_.domain_extents(domain));
        return std::pair(strides, repeats);
    };
    auto [x, x_repeats] = steps(one, domain_of_one);
    auto [y, y_repeats] = steps(other, domain_of_other);
    if (x_repeats || y_repeats) return "repeated along an axis";
    if (x == y) return "neighbours";
    for (auto* strides : {&x, &y}) {
        for (std::int64_t& stride : *strides) stride = std::abs(stride);
    }
    if (x == y) return "in reverse order";
    std::ranges::sort(x);
    std::ranges::sort(y);
    return x == y ? "with axes exchanged" : "in another shape";
}

std::string WhyNotFused::other_indices(std::uint32_t first, std::uint32_t second) const {
    const auto find = [&](const std::vector<const MicroOp*>& earlier, const std::vector<const MicroOp*>& later,
                          const char* sentence) -> std::string {
        for (const MicroOp* x : earlier) {
            for (const MicroOp* y : later) {
                if (bc::relation(program_, x->index, y->index) != Relation::Overlap) continue;
                return fmt::format(fmt::runtime(sentence), place_of(*x, *y), place_of(*y, *x),
                                   how_they_lie(*x, *y, plan_.kernels[first].domain, plan_.kernels[second].domain));
            }
        }
        return {};
    };
    const KernelUses &a = uses_[first], &b = uses_[second];
    std::string reason = find(a.stores, b.loads, "{1} reads what {0} writes, at other indices ({2})");
    const char* const kOverwrites = "{1} overwrites what {0} reads, at other indices ({2})";
    if (reason.empty()) reason = find(a.loads, b.stores, kOverwrites);
    if (reason.empty()) reason = find(a.loads, b.reductions, kOverwrites);
    if (reason.empty()) reason = find(a.stores, b.stores, "{1} overwrites a part of what {0} writes");
    return reason;
}

std::string WhyNotFused::shapes(std::uint32_t first, std::uint32_t second) const {
    const std::uint32_t a = plan_.kernels[first].domain, b = plan_.kernels[second].domain;
    if (a == b) return {};
    return fmt::format("different shapes: {} runs over ({}), {} over ({})", line_of_kernel(first),
                       fmt::join(program_.domain_extents(a), ","), line_of_kernel(second),
                       fmt::join(program_.domain_extents(b), ","));
}

std::string WhyNotFused::axes(const KernelUses& a, const KernelUses& b) const {
    const auto first_of = [](const KernelUses& uses) -> const MicroOp* {
        if (!uses.reductions.empty()) return uses.reductions.front();
        return uses.scratch_reductions.empty() ? nullptr : uses.scratch_reductions.front();
    };
    const auto with_a_scan = [&](const MicroOp& scan, const MicroOp& other) {
        return fmt::format(
            "a kernel holds one scan and no reduction beside it, and there is the {} of {} and the {} of {}",
            bc::name_of(scan.op), line_of(scan), bc::name_of(other.op), line_of(other));
    };
    const MicroOp *x = first_of(a), *y = first_of(b);
    if (!a.scans.empty() && !b.scans.empty()) return with_a_scan(*a.scans.front(), *b.scans.front());
    if (!a.scans.empty() && y != nullptr) return with_a_scan(*a.scans.front(), *y);
    if (!b.scans.empty() && x != nullptr) return with_a_scan(*b.scans.front(), *x);
    if (x == nullptr || y == nullptr || x->axis == y->axis) return {};
    return fmt::format("{} reduces along axis {}, {} along axis {}", line_of(*x), x->axis, line_of(*y), y->axis);
}

std::string WhyNotFused::limits(std::uint32_t first, std::uint32_t second) const {
    std::set<std::uint32_t> loaded, stored, scratch;
    std::size_t operations = 0;
    for (const std::uint32_t kernel : {first, second}) {
        const KernelUses& uses = uses_[kernel];
        operations += plan_.kernels[kernel].ops.size();
        for (const auto* list : {&uses.loads}) {
            for (const MicroOp* op : *list) loaded.insert(op->index);
        }
        for (const auto* list : {&uses.stores, &uses.reductions}) {
            for (const MicroOp* op : *list) stored.insert(op->index);
        }
        for (const auto* list : {&uses.scratch_loads, &uses.scratch_stores, &uses.scratch_reductions}) {
            for (const MicroOp* op : *list) scratch.insert(op->index);
        }
    }
    const std::size_t arrays = loaded.size() + stored.size() + scratch.size();
    if (arrays > kMaxStreams) {
        return fmt::format("the kernel would have {} arrays; {} is the most", arrays, kMaxStreams);
    }
    if (operations > kMaxMicroOps) {
        return fmt::format("the kernel would have {} operations; {} is the most", operations, kMaxMicroOps);
    }
    return {};
}

bool WhyNotFused::depends(const KernelUses& later, const KernelUses& earlier) const {
    const auto meets = [&](const std::vector<const MicroOp*>& x, const std::vector<const MicroOp*>& y) {
        return std::ranges::any_of(x, [&](const MicroOp* a) {
            return std::ranges::any_of(y, [&](const MicroOp* b) {
                return program_.views[a->index].base == program_.views[b->index].base &&
                       bc::relation(program_, a->index, b->index) != Relation::Disjoint;
            });
        });
    };
    const auto common = [](const std::vector<const MicroOp*>& x, const std::vector<const MicroOp*>& y) {
        return std::ranges::any_of(x, [&](const MicroOp* a) { return find_scratch(y, a->index) != nullptr; });
    };
    return common(later.scratch_loads, earlier.scratch_stores) ||
           common(later.scratch_loads, earlier.scratch_reductions) || meets(later.loads, earlier.stores) ||
           meets(later.loads, earlier.reductions) || meets(later.stores, earlier.loads) ||
           meets(later.stores, earlier.stores) || meets(later.reductions, earlier.loads);
}

std::string WhyNotFused::between(std::uint32_t first, std::uint32_t second) const {
    const std::uint32_t begin = second - first > kMostBetween ? second - kMostBetween : first + 1;
    for (std::uint32_t k = begin; k < second; ++k) {
        if (!depends(uses_[k], uses_[first]) || !depends(uses_[second], uses_[k])) continue;
        const std::string line = line_of_kernel(k);
        return fmt::format("{} needs {} to be done, and {} needs {}", line, line_of_kernel(first),
                           line_of_kernel(second), line);
    }
    return {};
}

}  // namespace xlazy::opt
