// SPDX-License-Identifier: BSD-3-Clause
// What runs kernels. A back end sees the batch's tables and memory, nothing of the optimizer or the arrays.
#pragma once

#include "xlazy/bytecode/plan.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace xlazy::be {

/// The memory a batch runs on. Pointers of bases and scratch that have no memory at the moment are null.
struct Bindings {
    const bc::Program* program;
    const bc::Plan* plan;
    std::span<void* const> bases;
    std::span<void* const> scratch;
    /// Runs of one plan with equal numbers differ in nothing but memory, offsets and scalars; 0: nothing is known.
    std::uint64_t geometry = 0;
    /// Of the kernel that is run: where its new versions of bases go, in the order of bc::Kernel::versions.
    std::span<void* const> versions{};

    /// Memory that a load or store of a base has, before the view's offset.
    std::byte* memory_of(const bc::Kernel& kernel, const bc::MicroOp& op) const noexcept {
        const std::uint32_t base = program->views[op.index].base;
        if (op.kind != bc::MicroOp::Kind::LoadView && !kernel.versions.empty()) {
            const std::size_t version = kernel.version_of(base);
            if (version != bc::Kernel::kNoVersion) return static_cast<std::byte*>(versions[version]);
        }
        return static_cast<std::byte*>(bases[base]);
    }
};

/// An element that failed: the first one in row-major order of the failing instruction's domain.
struct Trap {
    std::uint32_t instruction;  ///< of the batch
    std::int64_t index;         ///< row-major position in the domain
    bc::Scalar operands[2];     ///< the operands' values
};

/// The smallest trap of every instruction that failed, ascending by instruction.
using Traps = std::vector<Trap>;

class Backend {
public:
    virtual ~Backend() = default;
    virtual std::string_view name() const noexcept = 0;
    /// Runs one kernel of the plan to its end. A failing element gets 0 and an entry in `traps`.
    /// @throws std::bad_alloc
    virtual void run(const bc::Kernel& kernel, const Bindings& bindings, Traps& traps) = 0;
    /// How many of these kernels, which the plan runs one after the other, run_chain would run at once: 0, or 2 and
    /// more. Their memory may not be there yet.
    virtual std::size_t chain_length(std::span<const bc::Kernel* const> kernels, const Bindings& bindings) {
        static_cast<void>(kernels), static_cast<void>(bindings);
        return 0;
    }
    /// Runs kernels that chain_length allowed, piece by piece, so that what one writes is in the caches when the next
    /// one reads it. The result is that of one after the other.
    /// @throws std::bad_alloc
    virtual void run_chain(std::span<const bc::Kernel* const> kernels, const Bindings& bindings, Traps& traps) {
        for (const bc::Kernel* kernel : kernels) run(*kernel, bindings, traps);
    }
};

/// One op at a time over whole views, written for clarity: the oracle of every test.
std::unique_ptr<Backend> make_interpreter();

/// Kernels whose estimated work on one thread is less than this run on the calling thread. Measured with two threads
/// and libgomp's own way of waiting: where the team is still awake from the last kernel, it wins from 7 us of work on;
/// where it sleeps, from 60 to 120 us. So a loop of kernels just below the limit loses 17 us a kernel, and a lone
/// kernel just above it 40 us.
inline constexpr std::int64_t kSerialNanoseconds = 40'000;

/// Results that are as large as this are written past the caches, which they would leave again before somebody reads
/// them. Measured where the third cache is large: with results of 80 MB that gains a quarter, up to 40 MB nothing, and
/// below the next kernel, which finds them in the cache otherwise, takes a third longer.
inline constexpr std::int64_t kStreamedBytes = std::int64_t{32} << 20;

/// Kernels that hand more than this from one to the next run piece by piece, see Backend::run_chain.
inline constexpr std::int64_t kChainedBytes = std::int64_t{4} << 20;

struct OpenMpOptions {
    int threads = 0;  ///< 0: OMP_NUM_THREADS or all cores
    std::int64_t serial_nanoseconds = kSerialNanoseconds;
    std::int64_t streamed_bytes = kStreamedBytes;
    std::int64_t chained_bytes = kChainedBytes;
    bool superinstructions = true;  ///< several ops in one loop; the results are the same
    bool compiled = true;           ///< as set_jit says; false: never
};

/// Threaded tile interpreter over fused kernels.
std::unique_ptr<Backend> make_openmp(const OpenMpOptions& options);
/// `threads` <= 0: OMP_NUM_THREADS or all cores.
std::unique_ptr<Backend> make_openmp(int threads, std::int64_t serial_nanoseconds = kSerialNanoseconds);

/// Instruction sets that the kernels exist for; the best one of the machine is the default.
enum class Isa : std::uint8_t { baseline, avx2, avx512 };
std::string_view name_of(Isa isa) noexcept;
Isa best_isa() noexcept;
Isa current_isa() noexcept;
/// Chooses the kernels of both back ends, transcendental functions included. Not while a kernel runs.
/// An instruction set that the machine lacks is refused. @return whether it was taken
bool set_isa(Isa isa) noexcept;

}  // namespace xlazy::be
