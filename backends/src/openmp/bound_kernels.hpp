// SPDX-License-Identifier: BSD-3-Clause
// Kernels as they were bound lately. A loop over small arrays runs the same kernels on the same lengths time and again:
// then only the addresses are new, and to work out the tiles once more would cost more than the arithmetic.
#pragma once

#include "openmp/tile_program.hpp"

#include <memory>

namespace xlazy::be {

/// Not thread-safe.
class BoundKernels {
public:
    /// The kernel, bound; valid until the next call. `choices` are the same in all calls.
    /// @throws std::logic_error; std::bad_alloc
    TileProgram& bind(const bc::Kernel& kernel, const Bindings& bindings, const TileProgram::Choices& choices);

private:
    /// Kernels are kept if they are small, so that all of them take a few MiB at most.
    static constexpr std::size_t kKept = 256, kMaxMicroOps = 1024;
    struct Kept {
        std::uint64_t geometry = 0;
        std::size_t kernel = 0;  ///< its number in the plan
        Isa isa{};               ///< whose loops it calls
        TileProgram program;
    };

    std::vector<std::unique_ptr<Kept>> kept_;
    TileProgram other_;
};

}  // namespace xlazy::be
