// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/execute.hpp"

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

/// Memory of one base or scratch.
class Block {
public:
    Block(std::size_t bytes, std::byte garbage) : bytes_(bytes) {
        start_ = static_cast<std::byte*>(::operator new(bytes + 2 * kFence, kAlignment));
        std::fill_n(start_, bytes + 2 * kFence, kFenceByte);
        std::fill_n(data(), bytes, garbage);
    }
    ~Block() { ::operator delete(start_, kAlignment); }
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
            bases_[i] = std::make_unique<Block>(bytes.size(), garbage);
            std::copy(bytes.begin(), bytes.end(), bases_[i]->data());
            base_memory_[i] = bases_[i]->data();
        }
    }

    Outcome run() {
        Outcome outcome;
        for (const bc::Step& step : plan_.steps) {
            const auto index = step.index;
            switch (step.kind) {
                case bc::Step::Kind::Run: run_kernel(index, outcome.traps); break;
                case bc::Step::Kind::AllocBase: allocate("base", index, bases_, base_memory_, base_bytes(index)); break;
                case bc::Step::Kind::FreeBase: release("base", index, bases_, base_memory_); break;
                case bc::Step::Kind::AllocScratch:
                    allocate("scratch", index, scratch_, scratch_memory_, scratch_bytes(index));
                    break;
                case bc::Step::Kind::FreeScratch: release("scratch", index, scratch_, scratch_memory_); break;
            }
        }
        spread_to_merged(outcome.traps);
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
        return outcome;
    }

private:
    using Blocks = std::vector<std::unique_ptr<Block>>;

    std::size_t base_bytes(std::uint32_t index) const {
        const bc::BaseInfo& base = program_.bases.at(index);
        return static_cast<std::size_t>(base.size) * bc::size_of(base.type);
    }
    std::size_t scratch_bytes(std::uint32_t index) const {
        const bc::Scratch& scratch = plan_.scratch.at(index);
        const auto shape = bc::shape_of(program_, scratch);
        return static_cast<std::size_t>(bc::element_count(shape.span())) * bc::size_of(scratch.type);
    }

    void allocate(const char* what, std::uint32_t index, Blocks& blocks, std::vector<void*>& memory,
                  std::size_t bytes) {
        if (blocks.at(index)) throw PlanFault(fmt::format("{} {} is allocated twice", what, index));
        blocks[index] = std::make_unique<Block>(bytes, garbage_);
        memory[index] = blocks[index]->data();
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
        Blocks versions;
        std::vector<void*> version_memory;
        for (const bc::Version& version : kernel.versions) {
            const auto size = bc::size_of(program_.bases[version.base].type);
            Block& next = *versions.emplace_back(std::make_unique<Block>(base_bytes(version.base), garbage_));
            bc::for_each_gap(program_, version.view, [&](std::int64_t first, std::int64_t count) {
                const auto begin = static_cast<std::size_t>(first) * size;
                std::copy_n(bases_[version.base]->data() + begin, static_cast<std::size_t>(count) * size,
                            next.data() + begin);
            });
            version_memory.push_back(next.data());
        }
        backend_.run(kernel, {&program_, &plan_, base_memory_, scratch_memory_, 0, version_memory}, mine);
        for (std::size_t i = 0; i < versions.size(); ++i) {
            const std::uint32_t base = kernel.versions[i].base;
            bases_[base].swap(versions[i]);
            base_memory_[base] = bases_[base]->data();
            if (!versions[i]->fences_stand()) throw PlanFault(fmt::format("base {}: written out of bounds", base));
        }
        if (!std::is_sorted(mine.begin(), mine.end(), by_instruction)) throw PlanFault("traps are not ascending");
        traps.insert(traps.end(), mine.begin(), mine.end());
        std::sort(traps.begin(), traps.end(), by_instruction);
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
    return Execution(c, plan, backend, garbage).run();
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
