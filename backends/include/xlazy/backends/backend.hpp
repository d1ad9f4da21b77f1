// SPDX-License-Identifier: BSD-3-Clause
// What runs kernels. A back end sees the batch's tables and memory, nothing of the optimizer or the arrays.
#pragma once

#include "xlazy/backends/isa.hpp"
#include "xlazy/bytecode/plan.hpp"

#include <atomic>
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
    /// XLAZY_CHECK=nan: operations that make a NaN or an infinity of finite numbers are reported. Traps of the kind
    /// SawNotFinite say of a reduction that not all of its operands are finite.
    bool check_finite = false;
    /// Cheaper: becomes true if an operation may have made a NaN or an infinity. Reductions are not looked at: their
    /// results show it. A back end that cannot tell makes it true.
    std::atomic<bool>* not_finite = nullptr;

    /// Memory that a load, gather, store or scatter of a base has, before the view's offset.
    std::byte* memory_of(const bc::Kernel& kernel, const bc::MicroOp& op) const noexcept {
        const std::uint32_t base = program->views[op.index].base;
        const bool reads = op.kind == bc::MicroOp::Kind::LoadView || op.kind == bc::MicroOp::Kind::GatherView;
        if (!reads && !kernel.versions.empty()) {
            const std::size_t version = kernel.version_of(base);
            if (version != bc::Kernel::kNoVersion) return static_cast<std::byte*>(versions[version]);
        }
        return static_cast<std::byte*>(bases[base]);
    }
};

/// An element that failed: the first one in row-major order of the failing instruction's domain.
struct Trap {
    /// What was found; see `kind`.
    enum class Kind : std::uint8_t { Fault, NotFinite, SawNotFinite };
    std::uint32_t instruction;  ///< of the batch
    std::int64_t index;         ///< row-major position in the domain
    bc::Scalar operands[2];     ///< the operands' values; type none where there is no such operand
    Kind kind = Kind::Fault;    ///< Fault: the condition of the op's row in the op table
    bc::Op op = bc::Op::copy;   ///< NotFinite: what was computed, which passes may have chosen
    bc::Scalar value{};         ///< NotFinite: the value that it gave
};

/// The smallest trap of every instruction that failed, ascending by instruction.
using Traps = std::vector<Trap>;

/// Runs kernels on the memory of a batch. Calls come from one thread at a time; the object is kept for the process.
class Backend {
public:
    virtual ~Backend() = default;
    /// As XLAZY_BACKEND spells it.
    virtual std::string_view name() const noexcept = 0;
    /// Runs one kernel of the plan to its end. A failing element gets 0 and an entry in `traps`.
    /// @throws std::bad_alloc
    virtual void run(const bc::Kernel& kernel, const Bindings& bindings, Traps& traps) = 0;
    /// Runs the kernels of a dispatch, none of which makes a new version, in any order or at once.
    /// @throws std::bad_alloc
    virtual void run_together(const bc::Dispatch& dispatch, const Bindings& bindings, Traps& traps) {
        for (std::uint32_t k = dispatch.first; k < dispatch.end(); ++k) run(bindings.plan->kernels[k], bindings, traps);
    }
    /// Would run_region be better than one kernel after the other? Memory may not be there yet.
    virtual bool takes_region(const bc::Region& region, const Bindings& bindings) {
        static_cast<void>(region), static_cast<void>(bindings);
        return false;
    }
    /// Runs a region that takes_region takes, piece by piece, so that what one kernel writes is in the caches when the
    /// next one reads it. What is local needs no memory. The result is that of one kernel after the other.
    /// @param versions of each kernel, as Bindings::versions
    /// @return false: there is no memory for the rows that it keeps, and nothing was done
    /// @throws std::bad_alloc
    [[nodiscard]] virtual bool run_region(const bc::Region& region, const Bindings& bindings,
                                          std::span<const std::span<void* const>> versions, Traps& traps) {
        Bindings mine = bindings;
        for (std::size_t i = 0; i < region.kernels.size(); ++i) {
            mine.versions = versions[i];
            run(bindings.plan->kernels[region.first + i], mine, traps);
        }
        return true;
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

/// What the kernels of a region touch in a piece should stay in the second cache.
inline constexpr std::int64_t kPieceBytes = std::int64_t{512} << 10;

/// How the threaded back end works; the defaults are those of programs.
struct OpenMpOptions {
    int threads = 0;  ///< 0: OMP_NUM_THREADS or all cores
    std::int64_t serial_nanoseconds = kSerialNanoseconds;
    std::int64_t streamed_bytes = kStreamedBytes;
    std::int64_t piece_bytes = kPieceBytes;  ///< of a region
    bool superinstructions = true;           ///< several ops in one loop; the results are the same
    bool compiled = true;                    ///< as set_jit says; false: never
};

/// Threaded tile interpreter over fused kernels.
std::unique_ptr<Backend> make_openmp(const OpenMpOptions& options);
/// `threads` <= 0: OMP_NUM_THREADS or all cores.
std::unique_ptr<Backend> make_openmp(int threads, std::int64_t serial_nanoseconds = kSerialNanoseconds);

}  // namespace xlazy::be
