// SPDX-License-Identifier: BSD-3-Clause
// Kernels of a plan that run chunk by chunk, all of them on one part of an axis before the next part: what one hands to
// the next and nobody else needs is there a chunk at a time. This is how a batch runs that would need more memory than
// there may be; the bits are the same.
//
// A stretch of kernels can be cut along one axis of each of their domains if
//     what it writes and leaves behind is written and read at the same indices of that axis by all of them;
//     what it makes and uses up is read at indices that are a fixed distance away, such as by stencils: then each chunk
//     makes a few indices more, which the next one makes again;
//     what elements are gathered from is as it was before; what they are scattered to nobody else of the stretch
//     uses, and no axis of the domain comes before the one that is cut, so of several with one number the last one
//     wins in chunks as well;
//     no reduction runs along the axis. A sum's order goes by the extents after its axis (docs/semantics.md), but not
//     from kSteadyInner elements on, so such an extent may be cut as well.
#pragma once

#include "xlazy/bytecode/plan.hpp"

#include <optional>

namespace xlazy::opt {

/// The order of a reduction is the same for every number of elements after its axis that is not below this.
inline constexpr std::int64_t kSteadyInner = 65;
/// Kernels of a stretch, so that the search for one is short.
inline constexpr std::size_t kMaxChunkedKernels = 16;

/// More chunks than these do too little each: planning and starting them would cost more than running them.
inline constexpr std::int64_t kMaxChunks = 1024;

/// A kernel of a stretch. Where a chunk is the indices [f, f + n) of the stretch's axis, the kernel goes through
/// [f + low, f + n + high) of its own, as far as it has them.
struct ChunkedKernel {
    std::uint32_t kernel = 0;
    unsigned axis = 0;  ///< of its domain
    std::int64_t extent = 0;
    std::int64_t low = 0, high = 0;
};

/// What a stretch makes and uses up.
struct ChunkedStorage {
    bc::Storage storage;
    std::size_t maker = 0;   ///< position of the kernel that writes it
    std::int64_t row = 0;    ///< elements an index of the axis
    std::int64_t begin = 0;  ///< its first element that is written
    bool outermost = false;  ///< its strides are kept; else it is laid out densely
    std::uint64_t index_bytes = 0;
};

/// Kernels, one after the other, that can run in chunks along one axis of each of their domains.
struct Stretch {
    std::size_t begin = 0, end = 0;  ///< steps of the plan
    std::vector<ChunkedKernel> kernels;
    std::vector<ChunkedStorage> locals;
    std::int64_t extent = 0;       ///< of the axis
    std::int64_t least_count = 1;  ///< indices of a chunk

    /// Does it come and go inside the stretch?
    bool is_local(bc::Storage storage) const noexcept;
    /// Memory of the locals for chunks of at most `count` indices.
    std::uint64_t local_bytes(std::int64_t count) const noexcept;
};

/// The stretch that begins at a step, of at most so many kernels. Nothing is known of memory yet.
std::optional<Stretch> find_stretch(const bc::Program& program, const bc::Plan& plan, std::size_t begin,
                                    std::size_t most_kernels = kMaxChunkedKernels);

/// A stretch and the number of chunks that it is cut into.
struct ChunkedStretch {
    Stretch stretch;
    std::int64_t chunks = 1;
};
/// Stretches that make the plan run within `room` bytes beyond what is held before it; nothing if there are none.
std::optional<std::vector<ChunkedStretch>> fit_in_chunks(const bc::Program& program, const bc::Plan& plan,
                                                         std::uint64_t room);

/// One chunk, as a batch whose kernels any back end runs. Its bases are those of the batch, then the plan's scratch;
/// those that are local have other sizes. It has no instructions; those of its micro-ops are the batch's.
struct Chunk {
    bc::Program program;
    bc::Plan plan;
    std::int64_t first = 0, count = 0;
    std::vector<std::uint64_t> local_bytes;  ///< of the stretch's locals
};
/// Chunk `number`, counted from 0, of a stretch.
Chunk chunk_of(const bc::Program& program, const bc::Plan& plan, const ChunkedStretch& stretch, std::int64_t number);
/// Base of a chunk's program that stands for this base or scratch of the batch.
std::uint32_t base_in_chunk(const bc::Program& program, bc::Storage storage) noexcept;
/// Position in the whole domain of a kernel of what has this position in its chunk. @param number of the kernel
std::int64_t position_in_whole(const bc::Program& program, const bc::Plan& plan, const Stretch& stretch,
                               const Chunk& chunk, std::size_t number, std::int64_t position) noexcept;

}  // namespace xlazy::opt
