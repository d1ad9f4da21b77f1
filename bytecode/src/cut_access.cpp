// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/bytecode/cut_access.hpp"

#include <algorithm>

namespace xlazy::bc {

using Kind = MicroOp::Kind;

namespace {

std::vector<Dim> dims_of(const Program& program, const Scratch& scratch) {
    const ScratchShape shape = shape_of(program, scratch);
    std::vector<Dim> dims(shape.rank);
    std::int64_t stride = 1;
    for (unsigned axis = shape.rank; axis-- > 0; stride *= shape.extents[axis]) {
        dims[axis] = {shape.extents[axis], stride};
    }
    return dims;
}

}  // namespace

std::pair<std::int64_t, std::int64_t> CutAccess::row_span() const noexcept {
    std::int64_t low = 0, high = 0;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (static_cast<int>(i) == place || dims[i].extent <= 1) continue;
        (dims[i].stride < 0 ? low : high) += (dims[i].extent - 1) * dims[i].stride;
    }
    return {low, high};
}

bool CutAccess::outermost() const noexcept {
    const auto forwards = [](const Dim& dim) { return dim.extent <= 1 || dim.stride > 0; };
    return steps() && std::ranges::all_of(dims, forwards) && row_span().second < stride();
}

bool CutAccess::same_elements(const CutAccess& other) const noexcept {
    const auto from_the_end = [](const CutAccess& each) { return static_cast<int>(each.dims.size()) - each.place; };
    return offset == other.offset && same_window(dims, other.dims) && from_the_end(*this) == from_the_end(other);
}

bool touches_memory(const MicroOp& op) noexcept { return op.kind != Kind::LoadScalar && op.kind != Kind::Compute; }

CutAccess cut_access_of(const Program& program, const Plan& plan, const Kernel& kernel, const MicroOp& op,
                        unsigned axis) {
    CutAccess access;
    access.reduces = op.kind == Kind::ReduceView || op.kind == Kind::ReduceScratch;
    access.writes =
        access.reduces || op.kind == Kind::StoreView || op.kind == Kind::StoreScratch || op.kind == Kind::ScatterView;
    if (op.kind == Kind::LoadScratch || op.kind == Kind::StoreScratch || op.kind == Kind::ReduceScratch) {
        access.storage = {Storage::Kind::Scratch, op.index};
        access.dims = dims_of(program, plan.scratch[op.index]);
    } else {
        const View& view = program.views[op.index];
        const std::span<const Dim> dims = program.dims_of(view);
        access.storage = {Storage::Kind::Base, view.base};
        access.offset = view.offset;
        access.dims.assign(dims.begin(), dims.end());
        access.view = op.index;
    }
    const DType type = access.view == ~0u ? plan.scratch[op.index].type : program.bases[access.storage.index].type;
    access.element_size = static_cast<std::int64_t>(size_of(type));
    if (op.kind == Kind::GatherView || op.kind == Kind::ScatterView) return access;  // any element at any index
    // Windows are aligned at the domain's last axis; a reduction's result may lack one.
    auto behind = static_cast<int>(program.domain_extents(kernel.domain).size() - axis);
    const bool lacks = access.reduces && (op.flags & Instruction::kKeepAxis) == 0;
    if (lacks && op.axis > axis) --behind;
    const int place = static_cast<int>(access.dims.size()) - behind;
    access.place = place < 0 || (lacks && op.axis == axis) ? CutAccess::kNone : place;
    return access;
}

}  // namespace xlazy::bc
