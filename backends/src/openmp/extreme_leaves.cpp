// SPDX-License-Identifier: BSD-3-Clause
#include "openmp/extreme_leaves.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

namespace xlazy::be {
namespace {

using bc::MicroOp;
using bc::Op;
using Kind = bc::MicroOp::Kind;

const MicroOp* computed_by(const bc::Kernel& kernel, bc::ValueId value, Op op) noexcept {
    const MicroOp& made = kernel.ops[value];
    return made.kind == Kind::Compute && made.op == op ? &made : nullptr;
}

/// Do the kernels, of one domain, make the same value here? Gives up where that takes more than `most` comparisons.
bool same_value(const bc::Kernel& a, bc::ValueId x, const bc::Kernel& b, bc::ValueId y, int& most) noexcept {
    const MicroOp &p = a.ops[x], &q = b.ops[y];
    if (most-- == 0) return false;
    const bool makes =
        p.kind == Kind::LoadView || p.kind == Kind::LoadScratch || p.kind == Kind::LoadScalar ||
        (p.kind == Kind::Compute && !bc::can_fail(p.op, p.type) && bc::info(p.op).kind != bc::OpKind::Scan);
    if (!makes || p.kind != q.kind || p.form != q.form || p.op != q.op || p.type != q.type || p.result != q.result ||
        p.flags != q.flags || p.axis != q.axis || (p.kind != Kind::Compute && p.index != q.index))
        return false;
    for (unsigned k = 0; k < 3; ++k) {
        if ((p.in[k] == bc::kNoValue) != (q.in[k] == bc::kNoValue)) return false;
        if (p.in[k] != bc::kNoValue && !same_value(a, p.in[k], b, q.in[k], most)) return false;
    }
    return true;
}

bool writes_nothing_but_reductions(const bc::Kernel& kernel) noexcept {
    return kernel.versions.empty() && std::ranges::none_of(kernel.ops, [](const MicroOp& op) {
               return op.kind == Kind::StoreView || op.kind == Kind::StoreScratch || op.kind == Kind::ScatterView;
           });
}

/// The kernel's only reduction.
const MicroOp* only_reduction(const bc::Kernel& kernel) noexcept {
    const MicroOp* found = nullptr;
    for (const MicroOp& op : kernel.ops) {
        if (op.kind != Kind::ReduceView && op.kind != Kind::ReduceScratch) continue;
        if (found != nullptr) return nullptr;
        found = &op;
    }
    return found;
}

/// What a kernel looks for: elements that equal a number, and perhaps NaNs.
struct Search {
    bc::ValueId element;
    bool or_nan = false;
};

/// Is the kernel amin(select(element == extreme, index, none)) along the axis, where none is no less than any index?
std::optional<Search> search_of(const bc::Kernel& kernel, const bc::Program& program, const MicroOp& extreme) {
    const MicroOp* const place = only_reduction(kernel);
    if (place == nullptr || place->op != Op::amin || place->type != bc::DType::i64 || place->axis != extreme.axis ||
        !writes_nothing_but_reductions(kernel))
        return {};
    const MicroOp* const choice = computed_by(kernel, place->in[0], Op::select);
    if (choice == nullptr) return {};
    const MicroOp* const index = computed_by(kernel, choice->in[1], Op::index);
    const MicroOp& none = kernel.ops[choice->in[2]];
    if (index == nullptr || index->axis != extreme.axis || none.kind != Kind::LoadScalar ||
        none.form != bc::ScalarForm::Value)
        return {};
    std::int64_t number;
    std::memcpy(&number, program.scalars[none.index].bits, sizeof number);
    if (number < program.domain_extents(kernel.domain)[extreme.axis]) return {};
    const auto equal = [&](bc::ValueId value) -> std::optional<Search> {
        const MicroOp* const test = computed_by(kernel, value, Op::eq);
        if (test == nullptr) return {};
        for (const unsigned k : {0u, 1u}) {
            const MicroOp& other = kernel.ops[test->in[k]];
            if (other.kind == Kind::LoadScratch && other.index == extreme.index) return Search{test->in[1 - k]};
        }
        return {};
    };
    if (std::optional<Search> plain = equal(choice->in[0])) return plain;
    const MicroOp* const either = computed_by(kernel, choice->in[0], Op::logical_or);
    if (either == nullptr) return {};
    for (const unsigned k : {0u, 1u}) {
        std::optional<Search> search = equal(either->in[k]);
        const MicroOp* const test = computed_by(kernel, either->in[1 - k], Op::isnan);
        if (!search || test == nullptr || test->in[0] != search->element) continue;
        search->or_nan = true;
        return search;
    }
    return {};
}

/// Has it indices along one axis only?
bool is_line(const bc::Program& program, const bc::Kernel& kernel, unsigned axis) noexcept {
    const std::span<const std::int64_t> extents = program.domain_extents(kernel.domain);
    for (unsigned i = 0; i < extents.size(); ++i) {
        if (i != axis && extents[i] != 1) return false;
    }
    return true;
}

template <class T>
std::optional<std::int64_t> find_leaf(const std::vector<std::byte>& leaves, const void* extreme, bool or_nan) noexcept {
    T wanted;
    std::memcpy(&wanted, extreme, sizeof wanted);
    for (std::size_t at = 0; at < leaves.size(); at += sizeof(T)) {
        T leaf;
        std::memcpy(&leaf, leaves.data() + at, sizeof leaf);
        if (leaf == wanted || (or_nan && !(leaf == leaf))) return static_cast<std::int64_t>(at / sizeof(T));
    }
    return {};
}

}  // namespace

std::optional<ExtremeLeaves> ExtremeLeaves::wanted(const bc::Kernel& kernel, const Bindings& bindings) {
    if (bindings.check_finite || bindings.not_finite != nullptr || kernel.ops.empty()) return {};
    const std::vector<bc::Kernel>& kernels = bindings.plan->kernels;
    const bc::Kernel* const begin = kernels.data();
    if (std::less()(&kernel, begin) || !std::less()(&kernel, begin + kernels.size())) return {};
    const auto next = static_cast<std::size_t>(&kernel - begin) + 1;
    const MicroOp& extreme = kernel.ops.back();
    if (next == kernels.size() || extreme.kind != Kind::ReduceScratch || bc::is_complex(extreme.type) ||
        (extreme.op != Op::amin && extreme.op != Op::amax) || kernels[next].domain != kernel.domain)
        return {};
    if (only_reduction(kernel) == nullptr || !writes_nothing_but_reductions(kernel) ||
        !is_line(*bindings.program, kernel, extreme.axis))
        return {};
    const std::optional<Search> search = search_of(kernels[next], *bindings.program, extreme);
    int most = 100;
    if (!search || !same_value(kernel, extreme.in[0], kernels[next], search->element, most)) return {};
    ExtremeLeaves leaves;
    leaves.plan_ = bindings.plan;
    leaves.program_ = bindings.program;
    leaves.next_ = next;
    leaves.extreme_ = bindings.scratch[extreme.index];
    leaves.type_ = extreme.type;
    leaves.or_nan_ = search->or_nan;
    return leaves;
}

std::byte* ExtremeLeaves::reserve(std::int64_t leaves) {
    leaves_.resize(static_cast<std::size_t>(leaves) * element_size());
    return leaves_.data();
}

std::optional<std::int64_t> ExtremeLeaves::first_leaf(const bc::Kernel& kernel,
                                                      const Bindings& bindings) const noexcept {
    if (plan_ != bindings.plan || program_ != bindings.program || &kernel != &bindings.plan->kernels[next_] ||
        bindings.check_finite || bindings.not_finite != nullptr)
        return {};
    switch (type_) {
        case bc::DType::f64: return find_leaf<double>(leaves_, extreme_, or_nan_);
        case bc::DType::f32: return find_leaf<float>(leaves_, extreme_, or_nan_);
        default: break;
    }
    switch (bc::size_of(type_)) {
        case 1: return find_leaf<std::uint8_t>(leaves_, extreme_, false);
        case 2: return find_leaf<std::uint16_t>(leaves_, extreme_, false);
        case 4: return find_leaf<std::uint32_t>(leaves_, extreme_, false);
        default: return find_leaf<std::uint64_t>(leaves_, extreme_, false);
    }
}

}  // namespace xlazy::be
