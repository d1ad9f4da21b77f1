// SPDX-License-Identifier: BSD-3-Clause
#include "function_part.hpp"

#include "base_access.hpp"
#include "env.hpp"
#include "explain.hpp"
#include "planner.hpp"
#include "statistics.hpp"
#include "xlazy/backends/memory_pool.hpp"
#include "xlazy/optimizer/traffic.hpp"
#include "xlazy/optimizer/unit_axes.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

namespace xlazy::rt {

using bc::Step;
using bc::Storage;

namespace {

/// The plan cache counts from below.
constinit std::atomic<std::uint64_t> next_geometry{std::uint64_t{1} << 63};

}  // namespace

FunctionBlocks::~FunctionBlocks() {
    for (const Block& block : blocks_) {
        if (block.memory != nullptr) be::pool_free(block.memory, block.bytes);
    }
}

std::uint32_t FunctionBlocks::take(std::uint64_t bytes) {
    // A larger block serves, too, unless that would waste most of it.
    std::uint32_t best = static_cast<std::uint32_t>(blocks_.size());
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
        const bool fits = blocks_[i].free && blocks_[i].bytes >= bytes && blocks_[i].bytes / 4 <= bytes;
        if (fits && (best == blocks_.size() || blocks_[i].bytes < blocks_[best].bytes)) best = i;
    }
    if (best == blocks_.size()) blocks_.push_back({bytes, nullptr, true});
    blocks_[best].free = false;
    return best;
}

void FunctionBlocks::give_back(std::uint32_t block) { blocks_[block].free = true; }

void FunctionBlocks::start() {
    for (Block& block : blocks_) block.free = true;
}

void FunctionBlocks::allocate() {
    for (Block& block : blocks_) {
        if (block.memory == nullptr) block.memory = be::pool_allocate(block.bytes);
    }
}

FunctionPart::FunctionPart(const bc::Function& function, std::uint32_t segment, FunctionMemory& memory,
                           const std::vector<bool>& shared)
    : function_(function), segment_(function.segments[segment]), memory_(memory), shared_(shared) {
    for (const std::uint32_t variable : segment_.variables) queue_.enroll(*memory.bases[variable]);
    queue_.program = segment_.batch;
    const bc::Program& batch = segment_.batch;
    for (std::size_t i = 0; i < batch.instructions.size(); ++i) {
        const bc::Operand out = batch.instructions[i].out;
        if (out.is_view()) queue_.uses[batch.views[out.index()].base].written_at = batch.origins[i];
    }
    if (std::optional<bc::Program> other = opt::without_unit_axes(queue_.program)) {
        recorded_ = std::move(queue_.program);
        queue_.program = std::move(*other);
        queue_.recorded = &*recorded_;
    }
    for (std::uint32_t i = 0; i < segment_.variables.size(); ++i) {
        if (shared_[segment_.variables[i]]) outer_bases_.push_back(i);
    }
}

FunctionPart::~FunctionPart() { queue_.release_batch(false); }

void FunctionPart::set_scalar(std::uint32_t slot, const bc::Scalar& value) noexcept {
    const auto set = [&](bc::Scalar& to) {
        to.bits[0] = value.bits[0];
        to.bits[1] = value.bits[1];
    };
    set(queue_.program.scalars[slot]);
    if (recorded_) set(recorded_->scalars[slot]);
}

bool FunctionPart::scalars_fit() const noexcept { return bc::scalar_guards_hold(*plan_, queue_.program); }

void FunctionPart::prepare(bool step_by_step) {
    const bool first = plan_ == nullptr;
    opt::Planned planned = plan_of(queue_.program, false);
    plan_ = std::move(planned.plan);
    // A number of its own: other runs of this plan may have arrays in memory that others give up, which this one has not.
    geometry_ = next_geometry.fetch_add(1, std::memory_order_relaxed);
    be::Backend& backend = backend_of(my_queue());
    step_by_step_ = step_by_step || settings().check_nan || dynamic_cast<be::AsynchronousBackend*>(&backend) != nullptr;
    queue_.base_memory.assign(queue_.uses.size(), nullptr);
    queue_.scratch_memory.assign(plan_->scratch.size(), nullptr);
    actions_.clear();
    renewals_.clear();
    if (!step_by_step_) lay_out();
    if (first) explain_flush(queue_, *plan_, {Reason::call, function_.captured_at});
}

/// Goes through the plan's steps once, as a run would, and notes where everything lies.
class FunctionPart::Layout {
public:
    explicit Layout(FunctionPart& part)
        : part_(part),
          program_(part.queue_.program),
          plan_(*part.plan_),
          backend_(backend_of(my_queue())),
          base_block_(program_.bases.size(), kNone),
          scratch_block_(plan_.scratch.size(), kNone) {
        for (const bc::Region& region : plan_.regions) regions_.push_back({&region, bc::steps_of(region, plan_)});
    }

    void run() {
        part_.memory_.blocks.start();
        for (std::size_t at = 0; at < plan_.steps.size();) {
            const std::size_t next = region(at);
            at = next != at ? next : step(at);
        }
    }

    /// Blocks of scratch; one has the same for as long as it lives.
    std::uint32_t first_block_of(std::size_t scratch) const noexcept { return scratch_block_[scratch]; }
    static constexpr std::uint32_t kNone = ~0u;

private:
    struct Placed {
        const bc::Region* region;
        bc::StepRange steps;
    };

    std::size_t region(std::size_t at) {
        const auto found = std::ranges::find(regions_, at, [](const Placed& each) { return each.steps.begin; });
        if (found == regions_.end()) return at;
        const bc::Region& region = *found->region;
        const be::Bindings bindings{&program_, &plan_, part_.queue_.base_memory, part_.queue_.scratch_memory};
        if (!backend_.takes_region(region, bindings)) return at;
        for (std::size_t i = found->steps.begin; i < found->steps.end; ++i) {
            const Step& each = plan_.steps[i];
            if (each.allocates() && !region.is_local(each.storage())) allocate(each);
        }
        Action action{Action::Kind::Region, static_cast<std::uint32_t>(found - regions_.begin())};
        action.first_renewal = static_cast<std::uint32_t>(part_.renewals_.size());
        for (std::uint32_t k = region.first; k < region.end(); ++k) add_renewals(plan_.kernels[k]);
        action.renewals = static_cast<std::uint32_t>(part_.renewals_.size()) - action.first_renewal;
        part_.actions_.push_back(action);
        end_renewals(action);
        for (std::size_t i = found->steps.begin; i < found->steps.end; ++i) {
            const Step& each = plan_.steps[i];
            if (each.frees() && !region.is_local(each.storage())) release(each.storage());
        }
        return found->steps.end;
    }

    std::size_t step(std::size_t at) {
        const Step& step = plan_.steps[at];
        if (step.allocates()) {
            allocate(step);
        } else if (step.frees()) {
            release(step.storage());
        } else {
            const bc::Dispatch* const dispatch = bc::dispatch_at(plan_, step.index);
            if (dispatch != nullptr && worth_sharing(*dispatch)) {
                const auto number = static_cast<std::uint32_t>(dispatch - plan_.dispatches.data());
                part_.actions_.push_back({Action::Kind::Together, number});
                return at + dispatch->count;
            }
            kernel(step.index);
        }
        return at + 1;
    }

    void kernel(std::uint32_t index) {
        Action action{Action::Kind::Kernel, index};
        action.first_renewal = static_cast<std::uint32_t>(part_.renewals_.size());
        add_renewals(plan_.kernels[index]);
        action.renewals = static_cast<std::uint32_t>(part_.renewals_.size()) - action.first_renewal;
        part_.actions_.push_back(action);
        end_renewals(action);
    }

    /// Kernels on few elements cost less than to hand them out.
    bool worth_sharing(const bc::Dispatch& dispatch) const noexcept {
        constexpr std::int64_t kFew = 2048;
        std::int64_t elements = 0;
        for (std::uint32_t k = dispatch.first; k < dispatch.end(); ++k)
            elements += bc::element_count(program_.domain_extents(plan_.kernels[k].domain));
        return elements > kFew;
    }

    bool is_outer(Storage storage) const noexcept {
        return storage.kind == Storage::Kind::Base && part_.shared_[part_.segment_.variables[storage.index]];
    }
    std::uint32_t& block_of(Storage storage) noexcept {
        return storage.kind == Storage::Kind::Base ? base_block_[storage.index] : scratch_block_[storage.index];
    }

    void allocate(const Step& step) {
        const Storage storage = step.storage();
        if (is_outer(storage) || block_of(storage) != kNone) return;
        const bool gift = step.donor.kind != Storage::Kind::None && !is_outer(step.donor) &&
                          block_of(step.donor) != kNone && bc::takes_over(plan_, program_, step);
        std::uint32_t& block = block_of(storage);
        if (gift) {
            block = block_of(step.donor);
            given_.push_back(step.donor);
        } else {
            block = part_.memory_.blocks.take(bc::bytes_of(plan_, program_, storage));
        }
        place(storage, block);
    }
    void place(Storage storage, std::uint32_t block) {
        if (storage.kind == Storage::Kind::Base)
            part_.actions_.push_back({Action::Kind::Place, storage.index, block});
        else
            scratch_places_.push_back({storage.index, block});
    }

    void release(Storage storage) {
        if (is_outer(storage)) return;
        std::uint32_t& block = block_of(storage);
        if (block == kNone) return;
        if (std::erase(given_, storage) == 0) part_.memory_.blocks.give_back(block);
        block = kNone;
    }

    void add_renewals(const bc::Kernel& kernel) {
        for (const bc::Version& version : kernel.versions) {
            Renewal renewal{version.base, kShared, !opt::copies_back(program_, version), {}};
            const std::size_t size = bc::size_of(program_.bases[version.base].type);
            const auto add = [&](std::int64_t first, std::int64_t count) {
                renewal.copied.push_back(
                    {static_cast<std::size_t>(first) * size, static_cast<std::size_t>(count) * size});
            };
            if (renewal.moves) {
                bc::for_each_gap(program_, version.view, add);
            } else {
                for (const bc::MicroOp& op : kernel.ops) {
                    if (op.kind != bc::MicroOp::Kind::StoreView && op.kind != bc::MicroOp::Kind::ReduceView) continue;
                    if (program_.views[op.index].base == version.base) bc::for_each_run(program_, op.index, add);
                }
            }
            const Storage storage{Storage::Kind::Base, version.base};
            if (!is_outer(storage))
                renewal.block = part_.memory_.blocks.take(bc::bytes_of(plan_, program_, storage));
            else
                part_.memory_.wants_spare[part_.segment_.variables[version.base]] = true;
            part_.renewals_.push_back(std::move(renewal));
        }
    }
    /// The kernels have run.
    void end_renewals(const Action& action) {
        for (std::uint32_t i = 0; i < action.renewals; ++i) {
            const Renewal& renewal = part_.renewals_[action.first_renewal + i];
            if (renewal.block == kShared) continue;
            std::uint32_t& current = base_block_[renewal.base];
            part_.memory_.blocks.give_back(renewal.moves ? current : renewal.block);
            if (renewal.moves) current = renewal.block;
        }
    }

    FunctionPart& part_;
    const bc::Program& program_;
    const bc::Plan& plan_;
    be::Backend& backend_;
    std::vector<std::uint32_t> base_block_, scratch_block_;
    std::vector<Storage> given_;
    std::vector<Placed> regions_;

public:
    std::vector<std::pair<std::uint32_t, std::uint32_t>> scratch_places_;
};

void FunctionPart::lay_out() {
    Layout layout(*this);
    layout.run();
    memory_.blocks.allocate();
    for (const auto& [scratch, block] : layout.scratch_places_) queue_.scratch_memory[scratch] = memory_.blocks[block];
    std::size_t most = 0;
    for (const Action& action : actions_) most = std::max<std::size_t>(most, action.renewals);
    version_memory_.assign(most, nullptr);
    // A base that has one place all the time is put there once.
    std::vector<unsigned> places(queue_.uses.size(), 0);
    for (const Action& action : actions_) {
        if (action.kind == Action::Kind::Place) ++places[action.index];
    }
    for (const Renewal& renewal : renewals_) {
        if (renewal.block != kShared && renewal.moves) places[renewal.base] += 2;
    }
    std::erase_if(actions_, [&](const Action& action) {
        if (action.kind != Action::Kind::Place || places[action.index] != 1) return false;
        queue_.base_memory[action.index] = memory_.blocks[action.block];
        return true;
    });
}

bool FunctionPart::run(bool poisoned) {
    if (step_by_step_)
        run_steps();
    else
        run_actions();
    return !poisoned && outcome_.good();
}

void FunctionPart::run_actions() {
    outcome_.traps.clear();
    if (!outcome_.broken.empty()) outcome_.broken.clear();
    for (const std::uint32_t base : outer_bases_) queue_.base_memory[base] = memory_.memory[segment_.variables[base]];
    be::Backend& backend = backend_of(my_queue());
    be::Bindings bindings{&queue_.program, plan_.get(), queue_.base_memory, queue_.scratch_memory, geometry_};
    for (const Action& action : actions_) {
        switch (action.kind) {
            case Action::Kind::Place: queue_.base_memory[action.index] = memory_.blocks[action.block]; break;
            case Action::Kind::Kernel: run_kernel(action, bindings); break;
            case Action::Kind::Region: run_region(action, bindings); break;
            case Action::Kind::Together: {
                const bc::Dispatch& dispatch = plan_->dispatches[action.index];
                try {
                    backend.run_together(dispatch, bindings, outcome_.traps);
                } catch (const std::bad_alloc&) {
                    fail(dispatch.first, dispatch.count, "");
                } catch (const std::exception& error) {
                    fail(dispatch.first, dispatch.count, error.what());
                }
                break;
            }
        }
    }
}

void FunctionPart::fail(std::uint32_t first, std::uint32_t count, const char* reason) {
    for (std::uint32_t k = first; k < first + count; ++k) outcome_.broken.push_back({k, reason});
}

void FunctionPart::run_kernel(const Action& action, be::Bindings& bindings) {
    be::Backend& backend = backend_of(my_queue());
    try {
        for (std::uint32_t i = 0; i < action.renewals; ++i) renew(renewals_[action.first_renewal + i], i);
        bindings.versions = {version_memory_.data(), action.renewals};
        backend.run(plan_->kernels[action.index], bindings, outcome_.traps);
        for (std::uint32_t i = 0; i < action.renewals; ++i) settle(renewals_[action.first_renewal + i], i);
    } catch (const std::bad_alloc&) {
        fail(action.index, 1, "");
    } catch (const std::exception& error) {
        fail(action.index, 1, error.what());
    }
}

void FunctionPart::run_region(const Action& action, const be::Bindings& bindings) {
    const bc::Region& region = plan_->regions[action.index];
    const auto count = static_cast<std::uint32_t>(region.kernels.size());
    try {
        std::vector<std::span<void* const>> versions;
        std::size_t place = 0;
        for (std::uint32_t k = region.first; k < region.end(); ++k) {
            const std::size_t mine = plan_->kernels[k].versions.size();
            versions.push_back({version_memory_.data() + place, mine});
            for (std::size_t i = 0; i < mine; ++i, ++place) renew(renewals_[action.first_renewal + place], place);
        }
        if (!backend_of(my_queue()).run_region(region, bindings, versions, outcome_.traps)) throw std::bad_alloc();
        for (std::uint32_t i = 0; i < action.renewals; ++i) settle(renewals_[action.first_renewal + i], i);
    } catch (const std::bad_alloc&) {
        fail(region.first, count, "");
    } catch (const std::exception& error) {
        fail(region.first, count, error.what());
    }
}

void FunctionPart::renew(const Renewal& renewal, std::size_t place) {
    void* const to =
        renewal.block == kShared ? memory_.spare[segment_.variables[renewal.base]] : memory_.blocks[renewal.block];
    version_memory_[place] = to;
    if (!renewal.moves) return;
    const auto* const from = static_cast<const std::byte*>(queue_.base_memory[renewal.base]);
    for (const Range& range : renewal.copied)
        std::memcpy(static_cast<std::byte*>(to) + range.begin, from + range.begin, range.bytes);
}

void FunctionPart::settle(const Renewal& renewal, std::size_t place) {
    void*& current = queue_.base_memory[renewal.base];
    if (!renewal.moves) {
        const auto* const from = static_cast<const std::byte*>(version_memory_[place]);
        for (const Range& range : renewal.copied)
            std::memcpy(static_cast<std::byte*>(current) + range.begin, from + range.begin, range.bytes);
        return;
    }
    if (renewal.block == kShared) {
        const std::uint32_t variable = segment_.variables[renewal.base];
        std::swap(memory_.memory[variable], memory_.spare[variable]);
        current = memory_.memory[variable];
    } else {
        current = version_memory_[place];
    }
}

/// As any batch runs: memory comes and goes with the steps, in chunks if there is too little of it.
void FunctionPart::run_steps() {
    for (const std::uint32_t variable : segment_.variables)
        BaseAccess::memory(*memory_.bases[variable]) = memory_.memory[variable];
    const std::uint64_t room = be::pool_room();
    std::vector<opt::ChunkedStretch> chunked;
    const opt::Footprint footprint = opt::footprint_of(queue_.program, *plan_);
    if (room != std::numeric_limits<std::uint64_t>::max() && footprint.peak - footprint.before > room) {
        if (auto fitting = opt::fit_in_chunks(queue_.program, *plan_, room)) chunked = std::move(*fitting);
    }
    outcome_ = execute(queue_, *plan_, geometry_, chunked);
    for (const std::uint32_t variable : segment_.variables)
        memory_.memory[variable] = BaseAccess::memory(*memory_.bases[variable]);
}

PoisonRef FunctionPart::judge_outcome(FlushInfo flush) {
    for (const std::uint32_t variable : segment_.variables) {
        if (shared_[variable]) BaseAccess::memory(*memory_.bases[variable]) = memory_.memory[variable];
    }
    Verdict verdict = judge(queue_, plan_.get(), outcome_, {}, flush);
    for (std::size_t i = 0; i < queue_.uses.size(); ++i) {
        Base& base = *queue_.uses[i].base;
        PoisonedParts::drop(std::exchange(BaseAccess::poison(base), verdict.of_base[i].release()));
    }
    outcome_.traps.clear();
    outcome_.broken.clear();
    outcome_.missing.clear();
    return verdict.first;
}

}  // namespace xlazy::rt
