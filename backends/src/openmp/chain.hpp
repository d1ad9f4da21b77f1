// SPDX-License-Identifier: BSD-3-Clause
// Kernels that run piece by piece, all of them on one piece before the next: what one hands to the next stays in the
// caches, and what nobody else reads has no memory of its own but a piece's worth a thread.
//
// A chain is cut along one axis of every kernel's domain. Memory that a kernel of the chain writes is seen by all of
// them through the same window, cut along the window's outermost axis; so no piece needs what another one writes. The
// reductions of the chain run along other axes, whole in every piece, in the order that the whole domain has. Only the
// last kernel may reduce the cut axis itself: a piece is then some leaves, which are combined at the end.
#pragma once

#include "openmp/reduction_run.hpp"

#include <span>

namespace xlazy::be {

struct Chain {
    using Kernels = std::span<const bc::Kernel* const>;

    std::size_t length = 0;       ///< kernels, from the first on; 0 if it does not pay
    std::vector<unsigned> axes;   ///< of each kernel's domain: the one that is cut
    std::int64_t extent = 0;      ///< of the cut axis
    std::int64_t piece = 0;       ///< indices at a time
    bool closes = false;          ///< the last kernel reduces the cut axis
    std::size_t local_bytes = 0;  ///< most memory that an object of the chain has in a piece
};

/// @param handed_bytes what the kernels must hand on for a chain to pay
Chain find_chain(Chain::Kernels kernels, const Bindings& bindings, std::int64_t handed_bytes);

/// One thread's part of a chain.
class ChainWorker {
public:
    /// Objects without memory in `bindings` get some for a piece. @throws std::bad_alloc
    void prepare(const Chain& chain, Chain::Kernels kernels, const Bindings& bindings, const OpenMpOptions& options);
    /// The last kernel, not cut, on this worker's memory.
    void bind_closing(TileProgram& program, const bc::Kernel& kernel, const TileProgram::Choices& choices) const {
        program.bind(kernel, bindings_, choices);
    }
    /// The pieces [begin, end). `closing`: the last kernel's reduction, if it reduces the cut axis, else null.
    /// @throws std::bad_alloc
    void run(std::int64_t begin, std::int64_t end, const ReductionRun* closing);

private:
    struct Bound {
        TileProgram program;
        TileWorker worker;
        const jit::Code* code = nullptr;
    };
    void bind(std::vector<Bound>& bound, Chain::Kernels kernels, std::int64_t count, const OpenMpOptions& options);
    static void run_piece(std::vector<Bound>& bound, std::int64_t first, const ReductionRun* closing);

    const Chain* chain_ = nullptr;
    std::vector<void*> bases_, scratch_;
    std::vector<PoolMemory> memory_;
    Bindings bindings_{};
    std::vector<Bound> whole_, last_;
};

}  // namespace xlazy::be
