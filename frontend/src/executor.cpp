// SPDX-License-Identifier: BSD-3-Clause
#include "executor.hpp"

#include "base_access.hpp"
#include "env.hpp"
#include "finite_results.hpp"
#include "live_arrays.hpp"
#include "new_versions.hpp"
#include "planner.hpp"
#include "statistics.hpp"
#include "timeline.hpp"
#include "xlazy/backends/cuda.hpp"
#include "xlazy/backends/memory_pool.hpp"
#include "xlazy/backends/traps.hpp"
#include "xlazy/bytecode/cut_access.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace xlazy::rt {
namespace {

using bc::MicroOp;
using bc::Step;

class Execution {
public:
    Execution(Queue& queue, const bc::Plan& plan, std::uint64_t geometry, std::span<const opt::ChunkedStretch> chunked)
        : queue_(queue),
          chunked_(chunked),
          program_(queue.program),
          plan_(plan),
          geometry_(geometry),
          backend_(backend_of(queue)),
          asynchronous_(dynamic_cast<be::AsynchronousBackend*>(&backend_)) {
        queue_.base_memory.clear();
        for (const BaseUse& use : queue_.uses) {
            if (asynchronous_ != nullptr && base_pinned(use.base)) take_from_host(*use.base);
            queue_.base_memory.push_back(BaseAccess::memory(*use.base));
            lacking_ = lacking_ || (queue_.base_memory.back() == nullptr && BaseAccess::poison(*use.base) != nullptr);
        }
        queue_.scratch_memory.assign(plan.scratch.size(), nullptr);
        if (lacking_)
            chunked_ = {};  // what does not need the memory that is missing has its value only kernel by kernel
    }

    Outcome run() {
        // Chunks were found for memory that comes and goes step by step.
        if (chunked_.empty() && !lacking_) {
            for (const bc::Region& region : plan_.regions) regions_.push_back({&region, bc::steps_of(region, plan_)});
        }
        const bool whole = chunked_.empty() && !lacking_ && !check_finite_;
        for (std::size_t at = 0; at < plan_.steps.size();) {
            if (!chunked_.empty() && at == chunked_.front().stretch.begin) {
                run_chunks(chunked_.front());
                at = chunked_.front().stretch.end;
                chunked_ = chunked_.subspan(1);
                continue;
            }
            if (const std::size_t next = run_region(at); next != at) {
                at = next;
                continue;
            }
            const Step& step = plan_.steps[at];
            const bc::Dispatch* const dispatch =
                whole && step.kind == Step::Kind::Run ? bc::dispatch_at(plan_, step.index) : nullptr;
            if (dispatch != nullptr && outcome_.missing.empty()) {
                run_together(*dispatch);
                at += dispatch->count;
                continue;
            }
            run_step(plan_.steps[at++]);
        }
        finish();
        return std::move(outcome_);
    }

    ~Execution() {
        for (std::uint32_t i = 0; i < plan_.scratch.size(); ++i) free_scratch(i);
    }
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

private:
    /// Whoever holds a pointer may have written to the memory.
    static void take_from_host(Base& base) noexcept {
        try {
            be::host_writes(BaseAccess::memory(base));
        } catch (const be::DeviceError&) {
            // The value is lost; the kernels that read it say so.
        }
    }

    /// What the back end has begun comes to its end. If it fails, nobody knows which kernel did.
    void finish() {
        if (asynchronous_ == nullptr) return;
        const std::uint64_t begin = be::timeline_now();
        try {
            asynchronous_->finish(outcome_.traps);
            if (const be::TimelineSink sink = be::timeline())
                sink({"kernel", "wait for the device", begin, be::timeline_now()});
        } catch (const std::exception& error) {
            for (std::uint32_t k = 0; k < plan_.kernels.size(); ++k) outcome_.broken.push_back({k, error.what()});
        }
    }

    void run_step(const Step& step) {
        switch (step.kind) {
            case Step::Kind::Run: run_kernel(step.index); break;
            case Step::Kind::AllocBase: allocate_base(step); break;
            case Step::Kind::FreeBase: free_base(step.index); break;
            case Step::Kind::AllocScratch: allocate(queue_.scratch_memory[step.index], step); break;
            case Step::Kind::FreeScratch: free_scratch(step.index); break;
        }
    }

    /// The region that begins at step `at`, if there is one, the back end takes it, and there is memory for what stays.
    /// What comes and goes in it gets no memory of its own. @return the step behind it; `at` if it does not run
    std::size_t run_region(std::size_t at) {
        while (next_region_ < regions_.size() && regions_[next_region_].steps.begin < at) ++next_region_;
        if (next_region_ == regions_.size() || regions_[next_region_].steps.begin != at) return at;
        const bc::Region& region = *regions_[next_region_].region;
        const std::size_t end = regions_[next_region_].steps.end;
        if (!outcome_.missing.empty() || check_finite_) return at;
        const be::Bindings bindings{&program_, &plan_, queue_.base_memory, queue_.scratch_memory, 0};
        const std::span<const Step> steps(plan_.steps.data() + at, end - at);
        if (!backend_.takes_region(region, bindings) || bytes_of_rest(region, steps) > be::pool_room()) return at;
        for (const Step& step : steps) {
            if (step.allocates() && !region.is_local(step.storage())) run_step(step);
        }
        std::vector<std::unique_ptr<NewVersions>> versions;
        std::vector<std::span<void* const>> version_memory;
        for (std::uint32_t k = region.first; k < region.end(); ++k) {
            versions.push_back(std::make_unique<NewVersions>(queue_, plan_, k, outcome_));
            version_memory.push_back(versions.back()->memory());
        }
        const bool complete = outcome_.missing.empty();
        if (complete) {
            const Run how = run_whole(region, bindings, version_memory);
            if (how == Run::NotBegun) return at;  // kernel by kernel; what has memory keeps it
            if (how == Run::Done)
                for (const auto& each : versions) each->take();
        }
        versions.clear();
        for (const Step& step : steps) {
            const bool local = step.kind != Step::Kind::Run && region.is_local(step.storage());
            const bool rest =
                complete ? !step.allocates() && step.kind != Step::Kind::Run && !local : !step.allocates() || local;
            if (rest) run_step(step);
        }
        return end;
    }

    enum class Run { NotBegun, Done, Failed };
    Run run_whole(const bc::Region& region, const be::Bindings& bindings,
                  std::span<const std::span<void* const>> versions) {
        bool begun = true;
        const bool done = attempt(region.first, region.end(),
                                  [&] { begun = backend_.run_region(region, bindings, versions, outcome_.traps); });
        if (!begun) kernels_ -= region.kernels.size();
        return !begun ? Run::NotBegun : done ? Run::Done : Run::Failed;
    }

    /// Runs some kernels at once. @return false: all of them are broken
    template <class F>
    bool attempt(std::uint32_t first, std::uint32_t end, F&& run) {
        const auto fail = [&](const std::string& message) {
            for (std::uint32_t k = first; k < end; ++k) outcome_.broken.push_back({k, message});
        };
        const KernelSpan span(program_, plan_, first, end);
        try {
            run();
            kernels_ += end - first;
            return true;
        } catch (const std::bad_alloc&) {
            fail({});
        } catch (const std::exception& error) {
            fail(error.what());
        }
        return false;
    }

    /// Memory of what a region makes and leaves behind.
    std::uint64_t bytes_of_rest(const bc::Region& region, std::span<const Step> steps) noexcept {
        std::uint64_t bytes = 0;
        for (const Step& step : steps) {
            if (step.allocates() && !region.is_local(step.storage()) && !is_gift(step))
                bytes += bytes_of(step.storage());
        }
        for (std::uint32_t k = region.first; k < region.end(); ++k) {
            for (const bc::Version& version : plan_.kernels[k].versions)
                bytes += bytes_of({bc::Storage::Kind::Base, version.base});
        }
        return bytes;
    }

    bool is_gift(const Step& step) noexcept {
        return bc::takes_over(plan_, program_, step) && memory_of(step.donor) != nullptr;
    }

    std::uint64_t bytes_of(bc::Storage storage) const noexcept { return bc::bytes_of(plan_, program_, storage); }

    void*& memory_of(bc::Storage storage) noexcept {
        return (storage.kind == bc::Storage::Kind::Base ? queue_.base_memory : queue_.scratch_memory)[storage.index];
    }

    /// Fresh memory, or that of the step's donor.
    void allocate(void*& memory, const Step& step) {
        if (memory != nullptr) return;
        const std::size_t bytes = bytes_of(step.storage());
        try {
            if (is_gift(step)) {
                given_.push_back(step.donor);
                memory = memory_of(step.donor);
            } else {
                memory = be::pool_allocate(bytes);
            }
        } catch (const std::bad_alloc&) {
            const bool scratch = step.kind == Step::Kind::AllocScratch;
            outcome_.missing.push_back({scratch ? Missing::What::Scratch : Missing::What::Base, step.index, bytes});
        }
    }

    /// Gives memory back to the pool, or does nothing where it was given away.
    void release(bc::Storage storage) noexcept {
        void* const memory = std::exchange(memory_of(storage), nullptr);
        if (memory != nullptr && std::erase(given_, storage) == 0) be::pool_free(memory, bytes_of(storage));
    }

    void free_scratch(std::uint32_t index) noexcept { release({bc::Storage::Kind::Scratch, index}); }

    void allocate_base(const Step& step) {
        Base& base = *queue_.uses[step.index].base;
        void*& memory = queue_.base_memory[step.index];
        if (memory != nullptr) return;
        allocate(memory, step);
        BaseAccess::memory(base) = memory;
        if (memory != nullptr) note_memory(base, queue_.uses[step.index].written_at);
    }

    void free_base(std::uint32_t index) noexcept {
        Base& base = *queue_.uses[index].base;
        if (BaseAccess::memory(base) != nullptr) note_no_memory(base);
        BaseAccess::memory(base) = nullptr;
        BaseAccess::readable(base).store(nullptr, std::memory_order_relaxed);
        release({bc::Storage::Kind::Base, index});
    }

    bool lacks_memory(const bc::Kernel& kernel, const MicroOp& op, const be::Bindings& bindings) const noexcept {
        switch (op.kind) {
            case MicroOp::Kind::LoadView:
            case MicroOp::Kind::StoreView:
            case MicroOp::Kind::ReduceView:
            case MicroOp::Kind::GatherView:
            case MicroOp::Kind::ScatterView: return bindings.memory_of(kernel, op) == nullptr;
            case MicroOp::Kind::LoadScratch:
            case MicroOp::Kind::StoreScratch:
            case MicroOp::Kind::ReduceScratch: return queue_.scratch_memory[op.index] == nullptr;
            case MicroOp::Kind::LoadScalar:
            case MicroOp::Kind::Compute: return false;
        }
        return false;
    }

    /// The kernel without what needs missing memory, and without what depends on that.
    bc::Kernel without_missing(const bc::Kernel& kernel, const be::Bindings& bindings) const {
        bc::Kernel rest{kernel.domain, {}, kernel.versions};
        std::vector<bc::ValueId> renumbered(kernel.ops.size(), bc::kNoValue);
        for (std::size_t i = 0; i < kernel.ops.size(); ++i) {
            MicroOp op = kernel.ops[i];
            bool keep = !lacks_memory(kernel, op, bindings);
            for (bc::ValueId& in : op.in) {
                if (in == bc::kNoValue) continue;
                in = renumbered[in];
                keep = keep && in != bc::kNoValue;
            }
            if (!keep) continue;
            renumbered[i] = static_cast<bc::ValueId>(rest.ops.size());
            rest.ops.push_back(op);
        }
        return rest;
    }

    void run_kernel(std::uint32_t index) {
        const KernelSpan span(program_, plan_, index, index + 1);
        try {
            run_kernel(index, plan_.kernels[index]);
        } catch (const std::bad_alloc&) {
            outcome_.broken.push_back({index, {}});
        } catch (const std::exception& error) {
            outcome_.broken.push_back({index, error.what()});
        }
    }

    void run_kernel(std::uint32_t index, const bc::Kernel& kernel) {
        NewVersions versions(queue_, plan_, index, outcome_);
        const bool complete = outcome_.missing.empty() && !lacking_;
        const be::Bindings bindings{.program = &program_,
                                    .plan = &plan_,
                                    .bases = queue_.base_memory,
                                    .scratch = queue_.scratch_memory,
                                    .geometry = complete ? geometry_ : 0,
                                    .versions = versions.memory(),
                                    .check_finite = check_finite_ && !complete};
        if (complete && check_finite_) {
            run_looking(kernel, bindings);
        } else if (complete) {
            backend_.run(kernel, bindings, outcome_.traps);
        } else {
            const bc::Kernel rest = without_missing(kernel, bindings);
            if (std::ranges::any_of(rest.ops, writes)) backend_.run(rest, bindings, outcome_.traps);
        }
        ++kernels_;
        if (bindings.check_finite) check_reductions(kernel, bindings, outcome_.traps);
        versions.take();
    }

    void run_together(const bc::Dispatch& dispatch) {
        const be::Bindings bindings{&program_, &plan_, queue_.base_memory, queue_.scratch_memory, geometry_};
        attempt(dispatch.first, dispatch.end(), [&] { backend_.run_together(dispatch, bindings, outcome_.traps); });
    }

    /// XLAZY_CHECK=nan: the kernel runs as ever, and only looks whether something may be wrong; if so, once more, from
    /// what it changes as it was, now with a check of every operation.
    void run_looking(const bc::Kernel& kernel, const be::Bindings& bindings) {
        if (backend_.name() != "cuda") {  // whose arrays may be elsewhere
            std::atomic<bool> not_finite{false};
            be::Bindings looking = bindings;
            looking.not_finite = &not_finite;
            const std::vector<Kept> kept = keep_what_changes(kernel, bindings);
            backend_.run(kernel, looking, outcome_.traps);
            if (!not_finite && reductions_are_finite(kernel, bindings)) return;
            for (const Kept& each : kept) std::memcpy(each.memory, each.copy.data(), each.bytes);
        }
        be::Bindings checking = bindings;
        checking.geometry = 0;
        checking.check_finite = true;
        if (has_scan(kernel))
            be::make_interpreter()->run(kernel, checking, outcome_.traps);
        else
            backend_.run(kernel, checking, outcome_.traps);
        check_reductions(kernel, checking, outcome_.traps);
    }

    /// Memory that a kernel both reads and writes.
    struct Kept {
        void* memory;
        std::size_t bytes;
        be::PoolMemory copy;
    };

    void* memory_of(const bc::Kernel& kernel, const MicroOp& op, const be::Bindings& bindings) const noexcept {
        if (!bc::touches_memory(op)) return nullptr;
        return is_of_scratch(op) ? queue_.scratch_memory[op.index] : static_cast<void*>(bindings.memory_of(kernel, op));
    }

    std::vector<Kept> keep_what_changes(const bc::Kernel& kernel, const be::Bindings& bindings) {
        std::vector<Kept> kept;
        for (const MicroOp& store : kernel.ops) {
            void* const memory = writes(store) ? memory_of(kernel, store, bindings) : nullptr;
            if (memory == nullptr || std::ranges::count(kept, memory, &Kept::memory) != 0) continue;
            const bool read =
                store.kind == MicroOp::Kind::ScatterView || std::ranges::any_of(kernel.ops, [&](const MicroOp& op) {
                    return !writes(op) && memory_of(kernel, op, bindings) == memory;
                });
            if (!read) continue;
            const bc::Storage storage = is_of_scratch(store)
                                            ? bc::Storage{bc::Storage::Kind::Scratch, store.index}
                                            : bc::Storage{bc::Storage::Kind::Base, program_.views[store.index].base};
            Kept& copy = kept.emplace_back(memory, bytes_of(storage), be::PoolMemory(bytes_of(storage)));
            std::memcpy(copy.copy.data(), memory, copy.bytes);
        }
        return kept;
    }

    static bool is_of_scratch(const MicroOp& op) noexcept {
        return op.kind == MicroOp::Kind::LoadScratch || op.kind == MicroOp::Kind::StoreScratch ||
               op.kind == MicroOp::Kind::ReduceScratch;
    }
    static bool has_scan(const bc::Kernel& kernel) noexcept {
        return std::ranges::any_of(kernel.ops, [](const MicroOp& op) {
            return op.kind == MicroOp::Kind::Compute && bc::info(op.op).kind == bc::OpKind::Scan;
        });
    }

    /// The kernels of a stretch on one part of their axis after the other.
    void run_chunks(const opt::ChunkedStretch& cut) {
        const opt::Stretch& stretch = cut.stretch;
        const std::span<const Step> steps(plan_.steps.data() + stretch.begin, stretch.end - stretch.begin);
        for (const Step& step : steps) {
            if (step.allocates() && !stretch.is_local(step.storage())) run_step(step);
        }
        try {
            if (!outcome_.missing.empty()) throw std::bad_alloc();
            for (std::int64_t number = 0; number < cut.chunks; ++number) run_chunk(cut, number);
        } catch (const std::bad_alloc&) {
            for (const opt::ChunkedKernel& kernel : stretch.kernels) outcome_.broken.push_back({kernel.kernel, {}});
        } catch (const std::exception& error) {
            for (const opt::ChunkedKernel& kernel : stretch.kernels)
                outcome_.broken.push_back({kernel.kernel, error.what()});
        }
        for (const Step& step : steps) {
            if (step.frees() && !stretch.is_local(step.storage())) run_step(step);
        }
    }

    void run_chunk(const opt::ChunkedStretch& cut, std::int64_t number) {
        const opt::Chunk chunk = opt::chunk_of(program_, plan_, cut, number);
        std::vector<be::PoolMemory> locals;
        std::vector<void*> memory(queue_.base_memory);
        memory.insert(memory.end(), queue_.scratch_memory.begin(), queue_.scratch_memory.end());
        for (std::size_t i = 0; i < chunk.local_bytes.size(); ++i) {
            const bc::Storage storage = cut.stretch.locals[i].storage;
            memory[opt::base_in_chunk(program_, storage)] = locals.emplace_back(chunk.local_bytes[i]).data();
        }
        const be::Bindings bindings{.program = &chunk.program,
                                    .plan = &chunk.plan,
                                    .bases = memory,
                                    .scratch = {},
                                    .check_finite = check_finite_};
        for (std::size_t k = 0; k < chunk.plan.kernels.size(); ++k) {
            be::Traps traps;
            backend_.run(chunk.plan.kernels[k], bindings, traps);
            if (asynchronous_ != nullptr) asynchronous_->finish(traps);
            ++kernels_;
            for (be::Trap& trap : traps) {
                if (trap.kind == be::Trap::Kind::SawNotFinite) continue;  // of a part of a reduction's operand
                trap.index = opt::position_in_whole(program_, plan_, cut.stretch, chunk, k, trap.index);
                be::add_trap(outcome_.traps, trap);
            }
        }
    }

    static bool writes(const MicroOp& op) noexcept {
        switch (op.kind) {
            case MicroOp::Kind::StoreView:
            case MicroOp::Kind::StoreScratch:
            case MicroOp::Kind::ReduceView:
            case MicroOp::Kind::ReduceScratch:
            case MicroOp::Kind::ScatterView: return true;
            default: return false;
        }
    }

    Queue& queue_;
    std::span<const opt::ChunkedStretch> chunked_;  ///< that are still to come
    const bc::Program& program_;
    const bc::Plan& plan_;
    const std::uint64_t geometry_;
    be::Backend& backend_;
    be::AsynchronousBackend* const asynchronous_;  ///< the same, or null
    Outcome outcome_;
    struct Placed {
        const bc::Region* region;
        bc::StepRange steps;
    };
    std::vector<Placed> regions_;  ///< that may run piece by piece
    std::size_t next_region_ = 0;
    std::vector<bc::Storage> given_;  ///< whose memory another one has
    bool lacking_ = false;            ///< a base got no memory in an earlier piece of the batch
    const bool check_finite_ = settings().check_nan;
    std::uint64_t kernels_ = 0;

public:
    std::uint64_t kernels() const noexcept { return kernels_; }
};

}  // namespace

Outcome execute(Queue& queue, const bc::Plan& plan, std::uint64_t geometry,
                std::span<const opt::ChunkedStretch> chunked) {
    Execution execution(queue, plan, geometry, chunked);
    Outcome outcome = execution.run();
    count(counters().kernels_run, execution.kernels());
    return outcome;
}

}  // namespace xlazy::rt
