// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/execute.hpp"

#include "xlazy/backends/traps.hpp"
#include "xlazy/optimizer/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>

namespace xlazy::fuzz {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kFence = 0;  // the sanitizer's own fences are better
#else
constexpr std::size_t kFence = 128;
#endif
constexpr std::align_val_t kAlignment{64};
constexpr std::byte kFenceByte{0xd5};

/// Bytes that are held, and the most that were.
struct Ledger {
    std::uint64_t now = 0, most = 0;
};

/// Memory of one base or scratch.
class Block {
public:
    Block(std::size_t bytes, std::byte garbage, Ledger& ledger) : bytes_(bytes), ledger_(ledger) {
        ledger.now += bytes;
        ledger.most = std::max(ledger.most, ledger.now);
        start_ = static_cast<std::byte*>(::operator new(bytes + 2 * kFence, kAlignment));
        std::fill_n(start_, bytes + 2 * kFence, kFenceByte);
        std::fill_n(data(), bytes, garbage);
    }
    ~Block() {
        ledger_.now -= bytes_;
        ::operator delete(start_, kAlignment);
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    std::byte* data() const noexcept { return start_ + kFence; }
    std::size_t size() const noexcept { return bytes_; }
    bool fences_stand() const noexcept {
        const auto intact = [](const std::byte* from) {
            return std::all_of(from, from + kFence, [](std::byte byte) { return byte == kFenceByte; });
        };
        return intact(start_) && intact(data() + bytes_);
    }

private:
    std::size_t bytes_;
    Ledger& ledger_;
    std::byte* start_;
};

class Execution {
public:
    Execution(const Case& c, const bc::Plan& plan, be::Backend& backend, std::byte garbage)
        : program_(c.program),
          plan_(plan),
          backend_(backend),
          garbage_(garbage),
          bases_(program_.bases.size()),
          scratch_(plan.scratch.size()),
          base_memory_(bases_.size(), nullptr),
          scratch_memory_(scratch_.size(), nullptr) {
        for (std::uint32_t i = 0; i < program_.bases.size(); ++i) {
            const bc::BaseInfo& base = program_.bases[i];
            if (!base.initialised) continue;
            const Bytes bytes = initial_bytes(base.type, base.size, c.data_seed, i);
            bases_[i] = std::make_shared<Block>(bytes.size(), garbage, ledger_);
            std::copy(bytes.begin(), bytes.end(), bases_[i]->data());
            base_memory_[i] = bases_[i]->data();
        }
    }

    /// Chunks are found for memory that comes and goes step by step, so where they are, no region runs piece by piece.
    Outcome run(const std::span<const opt::ChunkedStretch>* cuts) {
        in_chunks_ = cuts != nullptr;
        std::span<const opt::ChunkedStretch> chunked = in_chunks_ ? *cuts : std::span<const opt::ChunkedStretch>{};
        const std::uint64_t before = ledger_.now;
        Outcome outcome;
        for (std::size_t at = 0; at < plan_.steps.size();) {
            if (!chunked.empty() && chunked.front().stretch.begin == at) {
                run_chunks(chunked.front(), outcome.traps);
                at = chunked.front().stretch.end;
                chunked = chunked.subspan(1);
            } else if (const bc::Region* region = region_at(at)) {
                at = run_region(*region, outcome.traps);
            } else if (const bc::Dispatch* dispatch = dispatch_at(at)) {
                run_together(*dispatch, outcome.traps);
                at += dispatch->count;
            } else {
                take(plan_.steps[at++], outcome.traps);
            }
        }
        spread_to_merged(outcome.traps);
        finish(outcome);
        most_ = ledger_.most - before;
        return outcome;
    }

    /// Regions that ran piece by piece.
    const std::vector<bc::Region>& regions() const noexcept { return regions_; }

    /// Beyond what was held before.
    std::uint64_t most_held() const noexcept { return most_; }

private:
    using Blocks = std::vector<std::shared_ptr<Block>>;  // a donor shares its block with what it gives it to

    void take(const bc::Step& step, be::Traps& traps) {
        const auto index = step.index;
        switch (step.kind) {
            case bc::Step::Kind::Run: run_kernel(index, traps); break;
            case bc::Step::Kind::AllocBase: allocate("base", step, bases_, base_memory_); break;
            case bc::Step::Kind::FreeBase: release("base", index, bases_, base_memory_); break;
            case bc::Step::Kind::AllocScratch: allocate("scratch", step, scratch_, scratch_memory_); break;
            case bc::Step::Kind::FreeScratch: release("scratch", index, scratch_, scratch_memory_); break;
        }
    }

    /// The dispatch that begins at a step.
    const bc::Dispatch* dispatch_at(std::size_t at) const noexcept {
        const bc::Step& step = plan_.steps[at];
        return in_chunks_ || step.kind != bc::Step::Kind::Run ? nullptr : bc::dispatch_at(plan_, step.index);
    }

    void run_together(const bc::Dispatch& dispatch, be::Traps& traps) {
        backend_.run_together(dispatch, {&program_, &plan_, base_memory_, scratch_memory_}, traps);
    }

    /// The region that begins at a step, if the back end takes it.
    const bc::Region* region_at(std::size_t at) {
        for (const bc::Region& region : plan_.regions) {
            const bc::StepRange range = bc::steps_of(region, plan_);
            if (range.begin != at || in_chunks_) continue;
            if (backend_.takes_region(region, {&program_, &plan_, base_memory_, scratch_memory_})) return &region;
        }
        return nullptr;
    }

    /// @return the step behind it
    std::size_t run_region(const bc::Region& region, be::Traps& traps) {
        const bc::StepRange range = bc::steps_of(region, plan_);
        const std::span<const bc::Step> steps(plan_.steps.data() + range.begin, range.end - range.begin);
        for (const bc::Step& step : steps)
            if (step.allocates() && !region.is_local(step.storage())) take(step, traps);
        std::vector<Versions> versions;
        std::vector<std::span<void* const>> memory;
        for (std::uint32_t k = region.first; k < region.end(); ++k) versions.push_back(versions_of(plan_.kernels[k]));
        for (const Versions& each : versions) memory.emplace_back(each.memory);
        if (!backend_.run_region(region, {&program_, &plan_, base_memory_, scratch_memory_}, memory, traps))
            throw std::bad_alloc();
        for (std::uint32_t k = region.first; k < region.end(); ++k) renew(plan_.kernels[k], versions[k - region.first]);
        versions.clear();
        for (const bc::Step& step : steps)
            if (step.frees() && !region.is_local(step.storage())) take(step, traps);
        regions_.push_back(region);
        return range.end;
    }

    void run_chunks(const opt::ChunkedStretch& cut, be::Traps& traps) {
        const std::span<const bc::Step> steps(plan_.steps.data() + cut.stretch.begin,
                                              cut.stretch.end - cut.stretch.begin);
        for (const bc::Step& step : steps)
            if (step.allocates() && !cut.stretch.is_local(step.storage())) take(step, traps);
        for (std::int64_t number = 0; number < cut.chunks; ++number) run_chunk(cut, number, traps);
        for (const bc::Step& step : steps)
            if (step.frees() && !cut.stretch.is_local(step.storage())) take(step, traps);
    }

    void run_chunk(const opt::ChunkedStretch& cut, std::int64_t number, be::Traps& traps) {
        const opt::Chunk chunk = opt::chunk_of(program_, plan_, cut, number);
        Blocks locals;
        std::vector<void*> memory(base_memory_);
        memory.insert(memory.end(), scratch_memory_.begin(), scratch_memory_.end());
        for (std::size_t i = 0; i < chunk.local_bytes.size(); ++i) {
            locals.push_back(std::make_shared<Block>(chunk.local_bytes[i], garbage_, ledger_));
            memory[opt::base_in_chunk(program_, cut.stretch.locals[i].storage)] = locals.back()->data();
        }
        for (std::size_t k = 0; k < chunk.plan.kernels.size(); ++k) {
            be::Traps mine;
            backend_.run(chunk.plan.kernels[k], {&chunk.program, &chunk.plan, memory, {}}, mine);
            for (be::Trap& trap : mine) {
                trap.index = opt::position_in_whole(program_, plan_, cut.stretch, chunk, k, trap.index);
                be::add_trap(traps, trap);
            }
        }
        for (const auto& block : locals)
            if (!block->fences_stand()) throw PlanFault("a chunk's memory is written out of bounds");
    }

    void finish(Outcome& outcome) {
        check_fences("the end");
        for (std::size_t i = 0; i < scratch_.size(); ++i)
            if (scratch_[i]) throw PlanFault(fmt::format("scratch {} is never freed", i));
        for (std::size_t i = 0; i < bases_.size(); ++i) {
            const bc::BaseInfo& base = program_.bases[i];
            if (bases_[i] && !base.live && !base.initialised)
                throw PlanFault(fmt::format("base b{} is never freed", i));
            outcome.bases.emplace_back();
            if (bases_[i]) outcome.bases[i].assign(bases_[i]->data(), bases_[i]->data() + bases_[i]->size());
        }
    }

    void allocate(const char* what, const bc::Step& step, Blocks& blocks, std::vector<void*>& memory) {
        if (blocks.at(step.index)) throw PlanFault(fmt::format("{} {} is allocated twice", what, step.index));
        std::shared_ptr<Block>& block = blocks[step.index];
        // What is made chunk by chunk has no memory to give.
        const bool gift = bc::takes_over(plan_, program_, step);
        if (gift) block = (step.donor.kind == bc::Storage::Kind::Base ? bases_ : scratch_).at(step.donor.index);
        if (!block) block = std::make_shared<Block>(bc::bytes_of(plan_, program_, step.storage()), garbage_, ledger_);
        memory[step.index] = block->data();
    }

    void release(const char* what, std::uint32_t index, Blocks& blocks, std::vector<void*>& memory) {
        if (!blocks.at(index)) throw PlanFault(fmt::format("{} {} is freed without memory", what, index));
        if (!blocks[index]->fences_stand()) throw PlanFault(fmt::format("{} {}: written out of bounds", what, index));
        blocks[index].reset();
        memory[index] = nullptr;
    }

    void run_kernel(std::uint32_t index, be::Traps& traps) {
        const bc::Kernel& kernel = plan_.kernels.at(index);
        for (const bc::MicroOp& op : kernel.ops) {
            using Kind = bc::MicroOp::Kind;
            const bool view = op.kind == Kind::LoadView || op.kind == Kind::StoreView || op.kind == Kind::ReduceView;
            const bool scratch =
                op.kind == Kind::LoadScratch || op.kind == Kind::StoreScratch || op.kind == Kind::ReduceScratch;
            if ((view && !base_memory_.at(program_.views.at(op.index).base)) ||
                (scratch && !scratch_memory_.at(op.index)))
                throw PlanFault(fmt::format("kernel {} uses memory that it does not have", index));
        }
        be::Traps mine;
        Versions versions = versions_of(kernel);
        backend_.run(kernel, {&program_, &plan_, base_memory_, scratch_memory_, 0, versions.memory}, mine);
        renew(kernel, versions);
        if (!std::is_sorted(mine.begin(), mine.end(), by_instruction)) throw PlanFault("traps are not ascending");
        traps.insert(traps.end(), mine.begin(), mine.end());
        std::sort(traps.begin(), traps.end(), by_instruction);
    }

    /// Where the new versions of bases that a kernel makes are written.
    struct Versions {
        Blocks blocks;
        std::vector<void*> memory;
    };
    Versions versions_of(const bc::Kernel& kernel) {
        Versions versions;
        for (const bc::Version& version : kernel.versions) {
            const auto size = bc::size_of(program_.bases[version.base].type);
            Block& next =
                *versions.blocks.emplace_back(std::make_shared<Block>(bases_[version.base]->size(), garbage_, ledger_));
            bc::for_each_gap(program_, version.view, [&](std::int64_t first, std::int64_t count) {
                const auto begin = static_cast<std::size_t>(first) * size;
                std::copy_n(bases_[version.base]->data() + begin, static_cast<std::size_t>(count) * size,
                            next.data() + begin);
            });
            versions.memory.push_back(next.data());
        }
        return versions;
    }
    void renew(const bc::Kernel& kernel, Versions& versions) {
        for (std::size_t i = 0; i < versions.blocks.size(); ++i) {
            const std::uint32_t base = kernel.versions[i].base;
            bases_[base].swap(versions.blocks[i]);
            base_memory_[base] = bases_[base]->data();
            if (!versions.blocks[i]->fences_stand())
                throw PlanFault(fmt::format("base {}: written out of bounds", base));
        }
    }

    /// A merged instruction fails where the one that it is merged into fails.
    void spread_to_merged(be::Traps& traps) const {
        for (const bc::Merge& merge : plan_.merged) {
            const auto trap = std::ranges::find(traps, merge.into, &be::Trap::instruction);
            if (trap == traps.end()) continue;
            be::Trap copy = *trap;
            copy.instruction = merge.instruction;
            traps.push_back(copy);
        }
        std::sort(traps.begin(), traps.end(), by_instruction);
    }

    void check_fences(const char* when) const {
        for (const Blocks* blocks : {&bases_, &scratch_})
            for (const auto& block : *blocks)
                if (block && !block->fences_stand())
                    throw PlanFault(fmt::format("memory written out of bounds before {}", when));
    }

    static bool by_instruction(const be::Trap& a, const be::Trap& b) { return a.instruction < b.instruction; }

    const bc::Program& program_;
    const bc::Plan& plan_;
    be::Backend& backend_;
    std::byte garbage_;
    Ledger ledger_;
    std::uint64_t most_ = 0;
    std::vector<bc::Region> regions_;
    bool in_chunks_ = false;
    Blocks bases_, scratch_;
    std::vector<void*> base_memory_, scratch_memory_;
};

std::string describe(const be::Trap& trap) {
    return fmt::format("instruction {} index {} operands {}, {}", trap.instruction, trap.index, show(trap.operands[0]),
                       show(trap.operands[1]));
}

bool same_trap(const be::Trap& a, const be::Trap& b) {
    return a.instruction == b.instruction && a.index == b.index && a.operands[0].bits[0] == b.operands[0].bits[0] &&
           a.operands[1].bits[0] == b.operands[1].bits[0];
}

}  // namespace

Outcome execute(const Case& c, const bc::Plan& plan, be::Backend& backend, std::byte garbage) {
    Execution execution(c, plan, backend, garbage);
    Outcome outcome = execution.run(nullptr);
    bc::Plan as_it_ran = plan;
    as_it_ran.regions = execution.regions();
    const opt::Footprint footprint = opt::footprint_of(c.program, as_it_ran);
    if (execution.most_held() != footprint.peak - footprint.before)
        throw PlanFault(fmt::format("{} bytes are held, where {} - {} were foretold", execution.most_held(),
                                    footprint.peak, footprint.before));
    return outcome;
}

Outcome execute_in_chunks(const Case& c, const bc::Plan& plan, be::Backend& backend, std::byte garbage,
                          std::span<const opt::ChunkedStretch> chunked, std::uint64_t room) {
    Execution execution(c, plan, backend, garbage);
    Outcome outcome = execution.run(&chunked);
    if (execution.most_held() > room)
        throw PlanFault(fmt::format("{} bytes are held in chunks, more than {}", execution.most_held(), room));
    return outcome;
}

std::string difference(const bc::Program& program, const Outcome& expected, const Outcome& got) {
    for (std::uint32_t i = 0; i < program.bases.size(); ++i) {
        const bc::BaseInfo& base = program.bases[i];
        const bool written =
            std::any_of(expected.defined[i].begin(), expected.defined[i].end(), [](char c) { return c != 0; });
        if (!base.live || (!base.initialised && !written)) continue;
        if (got.bases[i].empty() && base.size != 0) return fmt::format("base b{} has no memory", i);
        const auto at = first_difference(base.type, expected.bases[i], got.bases[i], expected.defined[i]);
        if (at >= 0)
            return fmt::format("base b{} element {}: expected {}, got {}", i, at,
                               show(base.type, expected.bases[i], at), show(base.type, got.bases[i], at));
    }
    for (std::size_t i = 0; i < std::max(expected.traps.size(), got.traps.size()); ++i) {
        if (i >= got.traps.size()) return "missing trap: " + describe(expected.traps[i]);
        if (i >= expected.traps.size()) return "needless trap: " + describe(got.traps[i]);
        if (!same_trap(expected.traps[i], got.traps[i]))
            return fmt::format("trap: expected {}, got {}", describe(expected.traps[i]), describe(got.traps[i]));
    }
    return "";
}

}  // namespace xlazy::fuzz
