// SPDX-License-Identifier: BSD-3-Clause
#include "float_environment.hpp"
#include "library/library.hpp"
#include "openmp/bound_kernels.hpp"
#include "openmp/region_run.hpp"
#include "openmp/scan_run.hpp"
#include "xlazy/backends/timeline.hpp"
#include "xlazy/backends/traps.hpp"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>

namespace xlazy::be {
namespace {

/// In a child after fork() the team of the parent is gone, and waiting for it would never end.
std::atomic<bool> forked{false};

void watch_forks() {
    static std::once_flag once;
    std::call_once(once,
                   [] { pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); }); });
}

/// Everything that one run needs besides its kernel, kept for the next one.
struct Workspace {
    BoundKernels kernels;
    TileProgram* program = nullptr;  ///< that runs
    std::vector<TileWorker> workers;
    std::optional<ExtremeLeaves> kept;      ///< gets what the leaves come to
    std::optional<std::int64_t> only_leaf;  ///< no other one decides the result
};

class OpenMp final : public Backend {
public:
    explicit OpenMp(const OpenMpOptions& options)
        : options_(options),
          threads_(options.threads > 0 ? options.threads : omp_get_max_threads()),
          serial_work_(options.serial_nanoseconds * 100) {
        watch_forks();
    }

    std::string_view name() const noexcept override { return "openmp"; }

    void run(const bc::Kernel& kernel, const Bindings& bindings, Traps& traps) override {
        const FloatEnvironment environment;
        std::optional<ExtremeLeaves> before = std::exchange(latest_, std::nullopt);
        if (kernel.library_call() != nullptr) return run_library_call(kernel, bindings, threads_now(), traps);
        std::unique_ptr<Workspace> workspace = take();
        try {
            workspace->kept = ExtremeLeaves::wanted(kernel, bindings);
            workspace->only_leaf = before ? before->first_leaf(kernel, bindings) : std::nullopt;
            run(*workspace, kernel, bindings, traps);
            latest_ = std::exchange(workspace->kept, std::nullopt);
        } catch (...) {
            give(std::move(workspace));
            throw;
        }
        give(std::move(workspace));
    }

    /// Each kernel on one thread, threads taking one after the other; first those that keep all threads busy.
    void run_together(const bc::Dispatch& dispatch, const Bindings& bindings, Traps& traps) override {
        const FloatEnvironment environment;
        latest_.reset();
        std::vector<std::unique_ptr<Workspace>> workspaces;
        for (std::uint32_t i = 0; i < dispatch.count; ++i) workspaces.push_back(take());
        try {
            run_together(workspaces, dispatch, bindings, traps);
        } catch (...) {
            give(workspaces);
            throw;
        }
        give(workspaces);
    }

    bool takes_region(const bc::Region& region, const Bindings& bindings) override {
        const int threads = threads_of_region(region, bindings, threads_now());
        return threads > 0 && rows_fit(region, bindings, threads);
    }

    bool run_region(const bc::Region& region, const Bindings& bindings,
                    std::span<const std::span<void* const>> versions, Traps& traps) override {
        const FloatEnvironment environment;
        latest_.reset();
        const std::optional<bc::RegionMap> map = bc::map_of(region, *bindings.plan, *bindings.program);
        if (!map) throw std::logic_error("these kernels are no region");
        std::vector<Bindings> of_kernels(map->size(), bindings);
        for (std::size_t k = 0; k < of_kernels.size(); ++k) {
            of_kernels[k].geometry = 0;
            of_kernels[k].versions = versions[k];
        }
        const int most = std::max(1, threads_of_region(region, bindings, threads_now()));
        const RegionCut cut = cut_region(*map, bindings, most, options_.piece_bytes);
        std::vector<RegionWorker> workers;
        workers.reserve(static_cast<std::size_t>(cut.threads));
        for (int i = 0; i < cut.threads; ++i) workers.emplace_back(*map, cut, of_kernels, options_);
        if (!take_memory(workers)) return false;
        std::optional<ReductionRun> closing;  // of the axis that is cut
        TileProgram last;
        if (map->closes(map->size() - 1)) {
            workers[0].bind_closing(last, choices());
            closing.emplace(last, cut.threads, true);
        }
        run_pieces(workers, cut, closing ? &*closing : nullptr);
        for (const RegionWorker& worker : workers) {
            for (const Trap& trap : worker.traps()) add_trap(traps, trap);
        }
        return true;
    }

private:
    void run(Workspace& workspace, const bc::Kernel& kernel, const Bindings& bindings, Traps& traps) const {
        TileProgram& program = workspace.kernels.bind(kernel, bindings, choices());
        if (program.nest().count() == 0) return write_empty(program);
        const std::span<const TileWorker> workers = run_bound(workspace, program, traps);
        if (bindings.not_finite != nullptr && std::ranges::any_of(workers, &TileWorker::saw_not_finite))
            bindings.not_finite->store(true, std::memory_order_relaxed);
    }

    /// @return those who worked
    std::span<const TileWorker> run_bound(Workspace& workspace, TileProgram& program, Traps& traps) const {
        workspace.program = &program;
        const int threads = program.in_order() || workspace.only_leaf ? 1 : threads_for(program);
        if (workspace.workers.size() < static_cast<std::size_t>(threads))
            workspace.workers.resize(static_cast<std::size_t>(threads));
        const jit::Code* const code = program.code();
        for (int i = 0; i < threads; ++i) workspace.workers[static_cast<std::size_t>(i)].prepare(program, code);
        if (!program.scans().empty())
            run_scans(workspace, threads);
        else if (program.reductions().empty())
            run_map(workspace, threads);
        else
            run_reductions(workspace, threads);
        const std::span<const TileWorker> workers(workspace.workers.data(), static_cast<std::size_t>(threads));
        add_failures(program, workers, traps);
        return workers;
    }

    static void add_failures(const TileProgram& program, std::span<const TileWorker> workers, Traps& traps) {
        for (std::size_t i = 0; i < program.faults().size(); ++i) {
            for (const TileWorker& worker : workers) {
                const TileWorker::Failure& failure = worker.failures()[i];
                if (failure.index == TileWorker::kNoFailure) continue;
                add_trap(traps,
                         {program.faults()[i].instruction, failure.index, {failure.operands[0], failure.operands[1]}});
            }
        }
        add_not_finite(program, workers, traps);
    }

    /// From this work on a kernel of a dispatch has all threads for itself.
    static constexpr std::int64_t kBusyWork = kSerialNanoseconds * 100;

    /// A kernel of a dispatch.
    struct Job {
        TileProgram* program;
        const jit::Code* code;
        std::int64_t work;
    };

    void run_together(std::vector<std::unique_ptr<Workspace>>& workspaces, const bc::Dispatch& dispatch,
                      const Bindings& bindings, Traps& traps) const {
        std::vector<Job> jobs;
        std::int64_t work = 0;
        for (std::uint32_t i = 0; i < dispatch.count; ++i) {
            const bc::Kernel& kernel = bindings.plan->kernels[dispatch.first + i];
            TileProgram& program = workspaces[i]->kernels.bind(kernel, bindings, choices());
            const std::int64_t mine = program.nest().count() * program.cost();
            if (mine == 0) {
                write_empty(program);
            } else if (mine >= kBusyWork) {
                run_bound(*workspaces[i], program, traps);
            } else {
                jobs.push_back({&program, program.code(), mine});
                work += mine;
            }
        }
        std::ranges::stable_sort(jobs, std::ranges::greater(), &Job::work);
        const int most = work < serial_work_ ? 1 : std::min(threads_now(), static_cast<int>(jobs.size()));
        share_jobs(workspaces, jobs, std::max(most, 1), traps);
    }

    /// Threads take the next job when they are done with one.
    static void share_jobs(std::vector<std::unique_ptr<Workspace>>& workspaces, std::span<const Job> jobs, int threads,
                           Traps& traps) {
        for (int i = 0; i < threads; ++i) {
            std::vector<TileWorker>& workers = workspaces[static_cast<std::size_t>(i)]->workers;
            if (workers.empty()) workers.resize(1);
        }
        std::atomic<std::size_t> next{0};
        std::atomic<bool> no_memory{false};
        std::mutex traps_mutex;
        const auto work = [&](int thread) {
            TileWorker& worker = workspaces[static_cast<std::size_t>(thread)]->workers[0];
            try {
                for (std::size_t i = next++; i < jobs.size(); i = next++) {
                    run_alone(worker, jobs[i]);
                    const std::lock_guard guard(traps_mutex);
                    add_failures(*jobs[i].program, std::span(&worker, 1), traps);
                }
            } catch (const std::bad_alloc&) {
                no_memory.store(true, std::memory_order_relaxed);
            }
        };
        if (threads == 1) {
            work(0);
        } else {
            const SharedWork shared;
#pragma omp parallel num_threads(threads)
            {
                const FloatEnvironment thread_environment;
                const SharedWork::Part timed(shared);
                work(omp_get_thread_num());
            }
        }
        if (no_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
    }

    /// On the calling thread. @throws std::bad_alloc
    static void run_alone(TileWorker& worker, const Job& job) {
        const TileProgram& program = *job.program;
        worker.prepare(program, job.code);
        if (!program.scans().empty()) {
            const ScanRun scan(program, 1);
            worker.reserve_lanes(scan.memory_bytes());
            scan.run(worker, 0);
        } else if (program.reductions().empty()) {
            worker.run(0, program.nest().count());
        } else {
            const ReductionRun reduction(program, 1);
            worker.reserve_lanes(reduction.lane_bytes());
            reduction.fold(worker, 0, 1);
            if (reduction.needs_combining()) reduction.combine(0, 1);
        }
    }

    /// The operations that made something infinite or undefined of finite numbers.
    static void add_not_finite(const TileProgram& program, std::span<const TileWorker> workers, Traps& traps) {
        for (std::size_t i = 0; i < program.checks().size(); ++i) {
            const CheckSite& site = program.checks()[i];
            for (const TileWorker& worker : workers) {
                const TileWorker::NotFinite& found = worker.not_finite()[i];
                if (found.index == TileWorker::kNoFailure) continue;
                add_trap(traps, {site.op->instruction,
                                 found.index,
                                 {found.operands[0], found.operands[1]},
                                 site.reduction ? Trap::Kind::SawNotFinite : Trap::Kind::NotFinite,
                                 site.op->op,
                                 found.value});
            }
        }
    }

    /// Where memory is short, the caller must know before it plans with it.
    bool rows_fit(const bc::Region& region, const Bindings& bindings, int threads) const {
        constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;
        const std::uint64_t room = pool_room();
        if (room >= kPlenty) return true;
        const std::optional<bc::RegionMap> map = bc::map_of(region, *bindings.plan, *bindings.program);
        if (!map) return false;
        const RegionCut cut = cut_region(*map, bindings, threads, options_.piece_bytes);
        return RegionWorker(*map, cut, {}, options_).bytes_of_rows() * static_cast<std::uint64_t>(cut.threads) <= room;
    }

    static bool take_memory(std::vector<RegionWorker>& workers) {
        try {
            for (RegionWorker& worker : workers) worker.take_memory();
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }

    static void run_pieces(std::vector<RegionWorker>& workers, const RegionCut& cut, const ReductionRun* closing) {
        std::atomic<bool> no_memory{false};
        const auto part = [&](int thread, int team) {
            try {
                workers[static_cast<std::size_t>(thread)].run(cut.pieces() * thread / team,
                                                              cut.pieces() * (thread + 1) / team, closing);
            } catch (const std::bad_alloc&) {
                no_memory.store(true, std::memory_order_relaxed);
            }
        };
        if (cut.threads == 1) {
            part(0, 1);
            if (closing != nullptr) closing->combine(0, 1);
        } else {
            const SharedWork shared;
#pragma omp parallel num_threads(cut.threads)
            {
                const FloatEnvironment thread_environment;
                const SharedWork::Part timed(shared);
                part(omp_get_thread_num(), omp_get_num_threads());
                if (closing != nullptr) {
#pragma omp barrier
                    closing->combine(omp_get_thread_num(), omp_get_num_threads());
                }
            }
        }
        if (no_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
    }

    TileProgram::Choices choices() const noexcept {
        TileProgram::Choices choices;
        choices.superinstructions = options_.superinstructions;
        choices.streamed_bytes = options_.streamed_bytes;
        choices.compiled = options_.compiled;
        return choices;
    }

    int threads_for(const TileProgram& program) const noexcept {
        return program.nest().count() * program.cost() < serial_work_ ? 1 : threads_now();
    }
    int threads_now() const noexcept {
        return omp_in_parallel() != 0 || forked.load(std::memory_order_relaxed) ? 1 : threads_;
    }

    /// Threads take whole tiles, next to each other.
    static void run_map(Workspace& workspace, int threads) {
        const TileProgram& program = *workspace.program;
        const std::int64_t count = program.nest().count();
        if (threads == 1) return workspace.workers[0].run(0, count);
        const std::int64_t tile = program.tile(), tiles = (count + tile - 1) / tile;
        const SharedWork shared;
#pragma omp parallel num_threads(threads)
        {
            const FloatEnvironment environment;
            const SharedWork::Part timed(shared);
            const int thread = omp_get_thread_num(), team = omp_get_num_threads();
            const std::int64_t begin = tiles * thread / team * tile, end = tiles * (thread + 1) / team * tile;
            workspace.workers[static_cast<std::size_t>(thread)].run(begin, std::min(end, count));
        }
    }

    static void run_reductions(Workspace& workspace, int threads) {
        ReductionRun reduction(*workspace.program, threads);
        for (int i = 0; i < threads; ++i)
            workspace.workers[static_cast<std::size_t>(i)].reserve_lanes(reduction.lane_bytes());
        if (workspace.only_leaf) return reduction.fold_only(workspace.workers[0], *workspace.only_leaf);
        if (workspace.kept) reduction.keep_leaves(*workspace.kept);
        if (threads == 1) {
            reduction.fold(workspace.workers[0], 0, 1);
            if (reduction.needs_combining()) reduction.combine(0, 1);
            return;
        }
        const SharedWork shared;
#pragma omp parallel num_threads(threads)
        {
            const FloatEnvironment environment;
            const SharedWork::Part timed(shared);
            const int thread = omp_get_thread_num(), team = omp_get_num_threads();
            reduction.fold(workspace.workers[static_cast<std::size_t>(thread)], thread, team);
            if (reduction.needs_combining()) {
#pragma omp barrier
                reduction.combine(thread, team);
            }
        }
    }

    static void run_scans(Workspace& workspace, int threads) {
        const ScanRun scan(*workspace.program, threads);
        for (int i = 0; i < threads; ++i)
            workspace.workers[static_cast<std::size_t>(i)].reserve_lanes(scan.memory_bytes());
        if (threads == 1) return scan.run(workspace.workers[0], 0);
        const SharedWork shared;
#pragma omp parallel num_threads(threads)
        {
            const FloatEnvironment environment;
            const SharedWork::Part timed(shared);
            // The shares were fixed before the team was there: a smaller one takes several.
            for (int part = omp_get_thread_num(); part < threads; part += omp_get_num_threads())
                scan.run(workspace.workers[static_cast<std::size_t>(part)], part);
            if (scan.two_passes()) {
#pragma omp barrier
                for (int part = omp_get_thread_num(); part < threads; part += omp_get_num_threads())
                    scan.finish(workspace.workers[static_cast<std::size_t>(part)], part);
            }
        }
    }

    /// Reductions along an axis without indices give the value of no elements.
    static void write_empty(const TileProgram& program) {
        for (const Reduction& reduction : program.reductions()) write_identity(program, reduction);
    }
    static void write_identity(const TileProgram& program, const Reduction& reduction);

    std::unique_ptr<Workspace> take() {
        {
            const std::lock_guard guard(mutex_);
            if (!free_.empty()) {
                std::unique_ptr<Workspace> workspace = std::move(free_.back());
                free_.pop_back();
                return workspace;
            }
        }
        return std::make_unique<Workspace>();
    }
    /// In the order in which the next ones to take as many get them: a kernel finds where it was bound.
    void give(std::vector<std::unique_ptr<Workspace>>& workspaces) {
        for (std::size_t i = workspaces.size(); i-- > 0;) give(std::move(workspaces[i]));
    }
    void give(std::unique_ptr<Workspace> workspace) {
        workspace->kept.reset();
        workspace->only_leaf.reset();
        const std::lock_guard guard(mutex_);
        free_.push_back(std::move(workspace));
    }

    const OpenMpOptions options_;
    const int threads_;
    const std::int64_t serial_work_;  ///< in the unit of TileProgram::cost
    std::mutex mutex_;
    std::vector<std::unique_ptr<Workspace>> free_;
    std::optional<ExtremeLeaves> latest_;  ///< of the latest kernel, for the next one
};

void OpenMp::write_identity(const TileProgram& program, const Reduction& reduction) {
    const LoopNest& nest = program.nest();
    const Access& result = nest.accesses()[reduction.access];
    const auto reduced = static_cast<unsigned>(nest.reduced());
    const ReductionShape shape = program.reduction_shape();
    for (std::int64_t i = 0; i < shape.outer * shape.inner; ++i) {
        std::byte* to = result.base;
        std::int64_t rest = i;
        for (unsigned axis = nest.rank(); axis-- > 0;) {
            if (axis == reduced) continue;
            to += rest % nest.extent(axis) * result.strides[axis];
            rest /= nest.extent(axis);
        }
        std::memcpy(to, reduction.identity.bits, reduction.element_size);
    }
}

}  // namespace

std::unique_ptr<Backend> make_openmp(const OpenMpOptions& options) { return std::make_unique<OpenMp>(options); }

std::unique_ptr<Backend> make_openmp(int threads, std::int64_t serial_nanoseconds) {
    OpenMpOptions options;
    options.threads = threads;
    options.serial_nanoseconds = serial_nanoseconds;
    return make_openmp(options);
}

}  // namespace xlazy::be
