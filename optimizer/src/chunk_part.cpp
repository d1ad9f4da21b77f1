// SPDX-License-Identifier: BSD-3-Clause
// Builds the batch that one chunk is: the kernels of a stretch over shorter domains, on windows that begin later.
#include "xlazy/bytecode/cut_access.hpp"
#include "xlazy/optimizer/chunks.hpp"

#include <algorithm>

namespace xlazy::opt {

using bc::MicroOp;
using bc::Storage;
using Kind = bc::MicroOp::Kind;

namespace {

/// Indices of a kernel's axis.
struct Range {
    std::int64_t first, count;
};

Range range_of(const ChunkedKernel& kernel, const Chunk& chunk) noexcept {
    const std::int64_t first = std::clamp<std::int64_t>(chunk.first + kernel.low, 0, kernel.extent);
    const std::int64_t end = std::clamp<std::int64_t>(chunk.first + chunk.count + kernel.high, first, kernel.extent);
    return {first, end - first};
}

class Builder {
public:
    Builder(const bc::Program& program, const bc::Plan& plan, const Stretch& stretch, Chunk& chunk)
        : program_(program), plan_(plan), stretch_(stretch), chunk_(chunk) {}

    void run() {
        add_bases();
        chunk_.program.scalars = program_.scalars;
        for (const ChunkedKernel& kernel : stretch_.kernels) add_kernel(kernel);
    }

private:
    void add_bases() {
        chunk_.program.bases = program_.bases;
        for (const bc::Scratch& scratch : plan_.scratch) {
            const std::int64_t size = bc::element_count(bc::shape_of(program_, scratch).span());
            chunk_.program.bases.push_back({scratch.type, false, false, size});
        }
        for (const ChunkedStorage& local : stretch_.locals) {
            const Range range = range_of(stretch_.kernels[local.maker], chunk_);
            chunk_.local_bytes.push_back(static_cast<std::uint64_t>(range.count) * local.index_bytes);
            bc::BaseInfo& base = chunk_.program.bases[base_in_chunk(program_, local.storage)];
            base.size = static_cast<std::int64_t>(chunk_.local_bytes.back() / bc::size_of(base.type));
        }
    }

    void add_kernel(const ChunkedKernel& cut) {
        const bc::Kernel& whole = plan_.kernels[cut.kernel];
        const Range range = range_of(cut, chunk_);
        const std::span<const std::int64_t> extents = program_.domain_extents(whole.domain);
        std::vector<std::int64_t> shorter(extents.begin(), extents.end());
        shorter[cut.axis] = range.count;
        bc::Kernel kernel;
        kernel.domain = chunk_.program.intern_domain(shorter);
        std::vector<bc::ValueId> renumbered(whole.ops.size(), bc::kNoValue);
        for (std::size_t i = 0; i < whole.ops.size(); ++i) {
            MicroOp op = whole.ops[i];
            for (bc::ValueId& in : op.in) in = in == bc::kNoValue ? in : renumbered[in];
            if (bc::touches_memory(op)) {
                op.index = add_window(bc::cut_access_of(program_, plan_, whole, whole.ops[i], cut.axis), range);
                op.kind = op.kind == Kind::LoadScratch     ? Kind::LoadView
                          : op.kind == Kind::StoreScratch  ? Kind::StoreView
                          : op.kind == Kind::ReduceScratch ? Kind::ReduceView
                                                           : op.kind;
            }
            kernel.ops.push_back(op);
            if (op.kind == Kind::Compute && op.op == bc::Op::index && op.axis == cut.axis && range.first != 0) {
                add_to_index(kernel, range.first);
            }
            renumbered[i] = static_cast<bc::ValueId>(kernel.ops.size() - 1);
        }
        chunk_.plan.kernels.push_back(std::move(kernel));
    }

    /// The last micro-op counts from the chunk's first index.
    void add_to_index(bc::Kernel& kernel, std::int64_t first) {
        const MicroOp index = kernel.ops.back();
        MicroOp scalar;
        scalar.kind = Kind::LoadScalar;
        scalar.type = scalar.result = index.result;
        scalar.instruction = index.instruction;
        scalar.index = static_cast<std::uint32_t>(chunk_.program.scalars.size());
        chunk_.program.scalars.push_back(bc::make_scalar(first));
        MicroOp sum = scalar;
        sum.kind = Kind::Compute;
        sum.op = bc::Op::add;
        sum.index = 0;
        sum.in[0] = static_cast<bc::ValueId>(kernel.ops.size() - 1);
        sum.in[1] = static_cast<bc::ValueId>(kernel.ops.size());
        kernel.ops.push_back(scalar);
        kernel.ops.push_back(sum);
    }

    std::uint32_t add_window(bc::CutAccess access, Range range) {
        const auto local = std::ranges::find(stretch_.locals, access.storage, &ChunkedStorage::storage);
        const bool steps = access.steps();
        if (access.place != bc::CutAccess::kNone && access.dims[static_cast<std::size_t>(access.place)].extent > 1) {
            if (steps) access.offset += range.first * access.stride();
            access.dims[static_cast<std::size_t>(access.place)].extent = range.count;
        }
        if (local != stretch_.locals.end()) {
            const Range made = range_of(stretch_.kernels[local->maker], chunk_);
            if (local->outermost)
                access.offset -= local->begin + made.first * local->row;
            else
                lay_out_densely(access, range.first - made.first, made.count);
        }
        return chunk_.program.add_view(base_in_chunk(program_, access.storage), access.offset, access.dims);
    }

    /// As the maker wrote it, `count` indices of the axis, seen from index `first` on.
    static void lay_out_densely(bc::CutAccess& access, std::int64_t first, std::int64_t count) {
        std::int64_t stride = 1;
        access.offset = 0;
        for (std::size_t i = access.dims.size(); i-- > 0;) {
            const bool cut = static_cast<int>(i) == access.place;
            access.dims[i].stride = stride;
            if (cut) access.offset = first * stride;
            stride *= cut ? count : access.dims[i].extent;
        }
    }

    const bc::Program& program_;
    const bc::Plan& plan_;
    const Stretch& stretch_;
    Chunk& chunk_;
};

}  // namespace

std::uint32_t base_in_chunk(const bc::Program& program, Storage storage) noexcept {
    return storage.kind == Storage::Kind::Base ? storage.index
                                               : static_cast<std::uint32_t>(program.bases.size()) + storage.index;
}

Chunk chunk_of(const bc::Program& program, const bc::Plan& plan, const ChunkedStretch& cut, std::int64_t number) {
    Chunk chunk;
    const std::int64_t extent = cut.stretch.extent;
    chunk.first = extent * number / cut.chunks;
    chunk.count = extent * (number + 1) / cut.chunks - chunk.first;
    Builder(program, plan, cut.stretch, chunk).run();
    return chunk;
}

std::int64_t position_in_whole(const bc::Program& program, const bc::Plan& plan, const Stretch& stretch,
                               const Chunk& chunk, std::size_t number, std::int64_t position) noexcept {
    const ChunkedKernel& cut = stretch.kernels[number];
    const Range range = range_of(cut, chunk);
    std::int64_t inner = 1;
    const std::span<const std::int64_t> extents = program.domain_extents(plan.kernels[cut.kernel].domain);
    for (std::size_t axis = cut.axis + 1; axis < extents.size(); ++axis) inner *= extents[axis];
    const std::int64_t before = position / (inner * range.count), at = position / inner % range.count;
    return (before * cut.extent + range.first + at) * inner + position % inner;
}

}  // namespace xlazy::opt
