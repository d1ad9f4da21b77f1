// SPDX-License-Identifier: BSD-3-Clause
#include "executor.hpp"

#include "base_access.hpp"
#include "live_arrays.hpp"
#include "new_versions.hpp"
#include "planner.hpp"
#include "statistics.hpp"
#include "xlazy/backends/memory_pool.hpp"

#include <algorithm>

namespace xlazy::rt {
namespace {

using bc::MicroOp;
using bc::Step;

std::size_t scratch_bytes(const bc::Program& program, const bc::Scratch& scratch) {
    const auto elements = bc::element_count(bc::shape_of(program, scratch).span());
    return static_cast<std::size_t>(elements) * bc::size_of(scratch.type);
}

class Execution {
public:
    Execution(Queue& queue, const bc::Plan& plan, std::uint64_t geometry)
        : queue_(queue), program_(queue.program), plan_(plan), geometry_(geometry), backend_(backend_of(queue)) {
        queue_.base_memory.clear();
        for (const BaseUse& use : queue_.uses) {
            queue_.base_memory.push_back(BaseAccess::memory(*use.base));
            lacking_ = lacking_ || (queue_.base_memory.back() == nullptr && BaseAccess::poison(*use.base) != nullptr);
        }
        queue_.scratch_memory.assign(plan.scratch.size(), nullptr);
    }

    Outcome run() {
        bool in_group = false;  // of allocations and the kernel behind them
        for (std::size_t at = 0; at < plan_.steps.size();) {
            const Step& step = plan_.steps[at];
            const std::size_t next = in_group || is_free(step) ? at : run_chain(at);
            if (next != at) {
                at = next;
                continue;
            }
            run_step(step);
            in_group = is_allocation(step);
            ++at;
        }
        return std::move(outcome_);
    }

    ~Execution() {
        for (std::uint32_t i = 0; i < plan_.scratch.size(); ++i) release(queue_.scratch_memory[i], scratch_bytes(i));
    }
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

private:
    static bool is_allocation(const Step& step) noexcept {
        return step.kind == Step::Kind::AllocBase || step.kind == Step::Kind::AllocScratch;
    }
    static bool is_free(const Step& step) noexcept {
        return step.kind == Step::Kind::FreeBase || step.kind == Step::Kind::FreeScratch;
    }

    void run_step(const Step& step) {
        switch (step.kind) {
            case Step::Kind::Run: run_kernel(step.index); break;
            case Step::Kind::AllocBase: allocate_base(step.index); break;
            case Step::Kind::FreeBase: free_base(step.index); break;
            case Step::Kind::AllocScratch:
                allocate(queue_.scratch_memory[step.index], scratch_bytes(step.index), Missing::What::Scratch,
                         step.index);
                break;
            case Step::Kind::FreeScratch: release(queue_.scratch_memory[step.index], scratch_bytes(step.index)); break;
        }
    }

    /// The kernels from step `at` on that the back end runs as a chain, with their allocations. What comes and goes in
    /// the chain gets no memory of its own. @return the step behind it; `at` if there is none
    std::size_t run_chain(std::size_t at) {
        std::vector<std::size_t> ends;  // steps behind the kernels
        std::vector<const bc::Kernel*> kernels;
        for (std::size_t i = at; i < plan_.steps.size() && kernels.size() < kMostChained; ++i) {
            if (plan_.steps[i].kind != Step::Kind::Run) continue;
            const bc::Kernel& kernel = plan_.kernels[plan_.steps[i].index];
            if (kernels.empty() && bc::element_count(program_.domain_extents(kernel.domain)) < kLeastChained) return at;
            kernels.push_back(&kernel);
            ends.push_back(i + 1);
        }
        if (kernels.size() < 2 || !outcome_.missing.empty() || lacking_) return at;
        const be::Bindings bindings{&program_, &plan_, queue_.base_memory, queue_.scratch_memory, 0};
        kernels.resize(backend_.chain_length(kernels, bindings));
        if (kernels.empty()) return at;
        std::size_t end = ends[kernels.size() - 1];
        while (end < plan_.steps.size() && is_free(plan_.steps[end])) ++end;

        const std::span<const Step> steps(plan_.steps.data() + at, end - at);
        std::uint64_t bytes = 0;
        for (const Step& step : steps) {
            if (is_allocation(step) && !freed_in(steps, step)) bytes += bytes_of(step);
        }
        if (bytes > be::pool_room()) return at;
        for (const Step& step : steps) {
            if (is_allocation(step) && !freed_in(steps, step)) run_step(step);
        }
        if (outcome_.missing.empty()) {
            try {
                backend_.run_chain(kernels, bindings, outcome_.traps);
                kernels_ += kernels.size();
            } catch (const std::bad_alloc&) {
                for (const bc::Kernel* kernel : kernels) outcome_.broken.push_back({number_of(*kernel), {}});
            }
        } else {
            for (const Step& step : steps) {
                if (step.kind == Step::Kind::Run || (is_allocation(step) && freed_in(steps, step))) run_step(step);
            }
        }
        for (const Step& step : steps) {
            if (is_free(step)) run_step(step);
        }
        return end;
    }

    static bool freed_in(std::span<const Step> steps, const Step& allocation) noexcept {
        const auto kind = allocation.kind == Step::Kind::AllocBase ? Step::Kind::FreeBase : Step::Kind::FreeScratch;
        return std::ranges::any_of(
            steps, [&](const Step& step) { return step.kind == kind && step.index == allocation.index; });
    }
    std::uint64_t bytes_of(const Step& allocation) const noexcept {
        return allocation.kind == Step::Kind::AllocScratch ? scratch_bytes(allocation.index)
                                                           : byte_size(*queue_.uses[allocation.index].base);
    }
    std::uint32_t number_of(const bc::Kernel& kernel) const noexcept {
        return static_cast<std::uint32_t>(&kernel - plan_.kernels.data());
    }

    static constexpr std::size_t kMostChained = 16;
    /// Elements of a chain's first kernel: below, everything is in the caches anyway.
    static constexpr std::int64_t kLeastChained = 1 << 18;

    std::size_t scratch_bytes(std::uint32_t index) const { return rt::scratch_bytes(program_, plan_.scratch[index]); }

    void allocate(void*& memory, std::size_t bytes, Missing::What what, std::uint32_t index) {
        try {
            memory = be::pool_allocate(bytes);
        } catch (const std::bad_alloc&) {
            outcome_.missing.push_back({what, index, bytes});
        }
    }

    static void release(void*& memory, std::size_t bytes) noexcept {
        if (memory != nullptr) be::pool_free(std::exchange(memory, nullptr), bytes);
    }

    void allocate_base(std::uint32_t index) {
        Base& base = *queue_.uses[index].base;
        if (queue_.base_memory[index] != nullptr) return;
        allocate(queue_.base_memory[index], byte_size(base), Missing::What::Base, index);
        BaseAccess::memory(base) = queue_.base_memory[index];
        if (queue_.base_memory[index] != nullptr) note_memory(base, queue_.uses[index].written_at);
    }

    void free_base(std::uint32_t index) noexcept {
        Base& base = *queue_.uses[index].base;
        if (BaseAccess::memory(base) != nullptr) note_no_memory(base);
        BaseAccess::memory(base) = nullptr;
        BaseAccess::readable(base).store(nullptr, std::memory_order_relaxed);
        release(queue_.base_memory[index], byte_size(base));
    }

    bool lacks_memory(const bc::Kernel& kernel, const MicroOp& op, const be::Bindings& bindings) const noexcept {
        switch (op.kind) {
            case MicroOp::Kind::LoadView:
            case MicroOp::Kind::StoreView:
            case MicroOp::Kind::ReduceView: return bindings.memory_of(kernel, op) == nullptr;
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
        const bc::Kernel& kernel = plan_.kernels[index];
        NewVersions versions(queue_, plan_, index, outcome_);
        const bool complete = outcome_.missing.empty() && !lacking_;
        const be::Bindings bindings{
            &program_, &plan_, queue_.base_memory, queue_.scratch_memory, complete ? geometry_ : 0, versions.memory()};
        try {
            if (complete) {
                backend_.run(kernel, bindings, outcome_.traps);
            } else {
                const bc::Kernel rest = without_missing(kernel, bindings);
                if (std::ranges::any_of(rest.ops, writes)) backend_.run(rest, bindings, outcome_.traps);
            }
            ++kernels_;
            versions.take();
        } catch (const std::bad_alloc&) {
            outcome_.broken.push_back({index, {}});
        } catch (const std::exception& error) {
            outcome_.broken.push_back({index, error.what()});
        }
    }

    static bool writes(const MicroOp& op) noexcept {
        switch (op.kind) {
            case MicroOp::Kind::StoreView:
            case MicroOp::Kind::StoreScratch:
            case MicroOp::Kind::ReduceView:
            case MicroOp::Kind::ReduceScratch: return true;
            default: return false;
        }
    }

    Queue& queue_;
    const bc::Program& program_;
    const bc::Plan& plan_;
    const std::uint64_t geometry_;
    be::Backend& backend_;
    Outcome outcome_;
    bool lacking_ = false;  ///< a base got no memory in an earlier piece of the batch
    std::uint64_t kernels_ = 0;

public:
    std::uint64_t kernels() const noexcept { return kernels_; }
};

}  // namespace

std::uint64_t bytes_needed(const Queue& queue, const bc::Plan& plan) {
    std::int64_t now = 0, most = 0;
    const auto base_bytes = [&](std::uint32_t index) {
        return static_cast<std::int64_t>(byte_size(*queue.uses[index].base));
    };
    for (const Step& step : plan.steps) {
        switch (step.kind) {
            case Step::Kind::Run:
                most = std::max(
                    most, now + static_cast<std::int64_t>(NewVersions::bytes_of(queue, plan.kernels[step.index])));
                break;
            case Step::Kind::AllocBase:
                if (BaseAccess::memory(*queue.uses[step.index].base) == nullptr) now += base_bytes(step.index);
                break;
            case Step::Kind::FreeBase: now -= base_bytes(step.index); break;
            case Step::Kind::AllocScratch:
                now += static_cast<std::int64_t>(scratch_bytes(queue.program, plan.scratch[step.index]));
                break;
            case Step::Kind::FreeScratch:
                now -= static_cast<std::int64_t>(scratch_bytes(queue.program, plan.scratch[step.index]));
                break;
        }
        most = std::max(most, now);
    }
    return static_cast<std::uint64_t>(most);
}

Outcome execute(Queue& queue, const bc::Plan& plan, std::uint64_t geometry) {
    Execution execution(queue, plan, geometry);
    Outcome outcome = execution.run();
    count(counters().kernels_run, execution.kernels());
    return outcome;
}

}  // namespace xlazy::rt
