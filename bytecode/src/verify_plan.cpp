// SPDX-License-Identifier: BSD-3-Clause
#include "library_call.hpp"
#include "typing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xlazy::bc {
namespace {

using Kind = MicroOp::Kind;

bool loads(Kind kind) noexcept {
    return kind == Kind::LoadView || kind == Kind::LoadScratch || kind == Kind::LoadScalar;
}
bool reduces(Kind kind) noexcept { return kind == Kind::ReduceView || kind == Kind::ReduceScratch; }
/// Elements of a view by their numbers.
bool by_number(Kind kind) noexcept { return kind == Kind::GatherView || kind == Kind::ScatterView; }
bool has_value(Kind kind) noexcept { return loads(kind) || kind == Kind::Compute || kind == Kind::GatherView; }
bool writes_view(Kind kind) noexcept {
    return kind == Kind::StoreView || kind == Kind::ReduceView || kind == Kind::ScatterView;
}
bool writes_scratch(Kind kind) noexcept { return kind == Kind::StoreScratch || kind == Kind::ReduceScratch; }
bool reads_view(Kind kind) noexcept { return kind == Kind::LoadView || kind == Kind::GatherView; }
bool uses_view(Kind kind) noexcept { return reads_view(kind) || writes_view(kind); }
bool uses_scratch(Kind kind) noexcept { return kind == Kind::LoadScratch || writes_scratch(kind); }

/// Types, shapes and the order of values of one kernel.
class KernelChecker {
public:
    KernelChecker(const Plan& plan, const Program& program, const Kernel& kernel)
        : plan_(plan), program_(program), kernel_(kernel) {}

    std::string run() {
        if (kernel_.domain >= program_.domains.size()) return fmt::format("there is no domain d{}", kernel_.domain);
        if (kernel_.ops.size() >= kNoValue) return "too many micro-ops";
        domain_ = shape_from(program_.domain_extents(kernel_.domain));
        for (std::size_t i = 0; i < kernel_.ops.size(); ++i) {
            std::string fault = index_fault(kernel_.ops[i]);
            if (fault.empty()) fault = inputs_fault(i);
            if (fault.empty()) fault = operation_fault(kernel_.ops[i]);
            if (fault.empty()) fault = memory_fault(kernel_.ops[i]);
            if (!fault.empty()) return fmt::format("micro-op {}: {}", i, fault);
        }
        std::string fault = scan_fault();
        if (fault.empty()) fault = library_fault(kernel_);
        if (fault.empty()) fault = version_fault();
        return fault.empty() ? aliasing_fault() : fault;
    }

private:
    std::string index_fault(const MicroOp& op) const {
        if (op.kind > Kind::ScatterView) return "unknown kind";
        const std::size_t limit = uses_view(op.kind)            ? program_.views.size()
                                  : uses_scratch(op.kind)       ? plan_.scratch.size()
                                  : op.kind == Kind::LoadScalar ? program_.scalars.size()
                                                                : std::size_t{1};
        if (op.index >= limit) return fmt::format("index {} is out of range", op.index);
        if (op.instruction >= program_.instructions.size())
            return fmt::format("there is no instruction {}", op.instruction);
        return {};
    }

    /// Operands are values made before, of the types that the op takes.
    std::string inputs_fault(std::size_t position) const {
        const MicroOp& op = kernel_.ops[position];
        Instruction typed;
        typed.op = op.kind == Kind::Compute ? op.op : Op::copy;
        typed.type = op.type;
        typed.flags = op.flags;
        if (op.kind == Kind::Compute && static_cast<std::size_t>(op.op) >= kOpCount) return "unknown op";
        const bool known = static_cast<std::size_t>(op.op) < kOpCount;
        const bool counts = op.kind == Kind::Compute || (known && is_library(op));
        const unsigned arity = counts                         ? info(op.op).arity
                               : loads(op.kind)               ? 0u
                               : op.kind == Kind::ScatterView ? 2u
                                                              : 1u;
        for (unsigned k = 0; k < 3; ++k) {
            const bool mask = op.kind == Kind::Compute && k == 2 && (op.flags & Instruction::kMasked) != 0;
            const ValueId value = op.in[k];
            if (k >= arity && !mask) {
                if (value != kNoValue) return fmt::format("operand {} does not belong there", k);
                continue;
            }
            if (value >= position || !has_value(kernel_.ops[value].kind)) {
                return fmt::format("operand {} is no value made before", k);
            }
            const DType type = kernel_.ops[value].result;
            const bool number = by_number(op.kind) && k + 1 == arity;
            const DType wanted = number ? DType::i64 : operand_type(typed, k);
            if (type != wanted) return fmt::format("operand {} is {}, not {}", k, name_of(type), name_of(wanted));
        }
        return {};
    }

    std::string operation_fault(const MicroOp& op) const {
        if (op.kind == Kind::Compute || reduces(op.kind)) {
            if (static_cast<std::size_t>(op.op) >= kOpCount) return "unknown op";
            const bool whole = info(op.op).kind == OpKind::Reduce || is_library(op);
            if (whole != reduces(op.kind)) {
                return fmt::format("{} is no op of this kind", name_of(op.op));
            }
            return bc::operation_fault(op.op, op.type, op.result, op.flags, op.axis, domain_);
        }
        if ((loads(op.kind) || by_number(op.kind)) && op.type != op.result) return "a load changes the type";
        if (op.form != ScalarForm::Value && (op.kind != Kind::LoadScalar || !has_form(op.type, op.form))) {
            return "a form that does not exist for it";
        }
        return op.flags == 0 && op.axis == 0 ? "" : "flags or an axis where none belong";
    }

    /// What is loaded from or stored to has the value's type and a fitting shape.
    std::string memory_fault(const MicroOp& op) const {
        DType type = DType::none;
        Shape shape;
        if (uses_view(op.kind)) {
            const View& view = program_.views[op.index];
            type = program_.bases[view.base].type;
            shape = shape_from(program_.dims_of(view));
        } else if (uses_scratch(op.kind)) {
            type = plan_.scratch[op.index].type;
            shape = shape_of(program_, plan_.scratch[op.index]);
        } else if (op.kind == Kind::LoadScalar) {
            type = program_.scalars[op.index].type;
        } else {
            return {};
        }
        const DType moved = reduces(op.kind) ? op.result : op.type;
        if (moved != type) return fmt::format("{} where memory holds {}", name_of(moved), name_of(type));
        if (by_number(op.kind)) return {};
        if (kernel_.library_call() != nullptr) return {};
        const Shape value =
            reduces(op.kind) ? reduced(domain_, op.axis, (op.flags & Instruction::kKeepAxis) != 0) : domain_;
        const bool fits = loads(op.kind) ? broadcasts(shape, domain_) : same_but_leading_ones(shape, value);
        return fits ? "" : fmt::format("shape {} does not fit {}", to_string(shape), to_string(value));
    }

    static bool is_scan(const MicroOp& op) noexcept {
        return op.kind == Kind::Compute && info(op.op).kind == OpKind::Scan;
    }

    std::string scan_fault() const {
        std::vector<bool> scanned(kernel_.ops.size());  // made of a scan's values
        const MicroOp* scan = nullptr;
        for (std::size_t i = 0; i < kernel_.ops.size(); ++i) {
            const MicroOp& op = kernel_.ops[i];
            for (const ValueId in : op.in) scanned[i] = scanned[i] || (in != kNoValue && scanned[in]);
            if (!is_scan(op)) continue;
            if (scanned[i]) return fmt::format("micro-op {}: a scan of another one's values", i);
            if (scan != nullptr && scan->axis != op.axis) return "scans along two axes";
            scanned[i] = true;
            scan = &op;
        }
        if (scan == nullptr) return {};
        if (std::ranges::any_of(kernel_.ops, [](const MicroOp& op) { return reduces(op.kind); })) {
            return "a scan and a reduction";
        }
        return scanned_memory_fault();
    }

    std::string scanned_memory_fault() const {
        std::vector<bool> needed(kernel_.ops.size());  // by a scan
        for (std::size_t i = kernel_.ops.size(); i-- > 0;) {
            const MicroOp& op = kernel_.ops[i];
            needed[i] = needed[i] || is_scan(op);
            if (!needed[i]) continue;
            for (const ValueId in : op.in) {
                if (in != kNoValue) needed[in] = true;
            }
            for (std::size_t k = 0; k < i; ++k) {
                if (overwrites(kernel_.ops[k], op)) {
                    return fmt::format("micro-op {}: a scan of what {} has stored", i, k);
                }
            }
        }
        return {};
    }

    bool overwrites(const MicroOp& store, const MicroOp& load) const noexcept {
        if (store.kind == Kind::StoreScratch) return load.kind == Kind::LoadScratch && load.index == store.index;
        return writes_view(store.kind) && reads_view(load.kind) &&
               relation(program_, store.index, load.index) != Relation::Disjoint;
    }

    /// A new version of a base is written as a whole: through its view, and by a copy of the rest.
    std::string version_fault() const {
        for (std::size_t i = 0; i < kernel_.versions.size(); ++i) {
            const Version& version = kernel_.versions[i];
            if (version.view >= program_.views.size() || program_.views[version.view].base != version.base) {
                return fmt::format("v{} is no view of b{}", version.view, version.base);
            }
            if (kernel_.version_of(version.base) != i) return fmt::format("two new versions of b{}", version.base);
            const bool written = std::ranges::any_of(kernel_.ops, [&](const MicroOp& op) {
                return op.kind == Kind::StoreView &&
                       (op.index == version.view || relation(program_, op.index, version.view) == Relation::Identical);
            });
            if (!written && !interval_of(program_, version.view).empty())
                return fmt::format("nothing is stored to the new version of b{}", version.base);
        }
        return {};
    }

    /// Whatever the order of indices, the result must be the same.
    std::string aliasing_fault() const {
        for (std::size_t i = 0; i < kernel_.ops.size(); ++i) {
            const MicroOp& writer = kernel_.ops[i];
            if (!writes_view(writer.kind) && !writes_scratch(writer.kind)) continue;
            if (writes_view(writer.kind) && repeats_elements(program_, writer.index)) {
                return fmt::format("micro-op {}: v{} is written and repeats elements", i, writer.index);
            }
            for (std::size_t k = 0; k < kernel_.ops.size(); ++k) {
                if (k == i || (k < i && loads_old_version(kernel_.ops[k]))) continue;
                if (k > i && misses_new_version(writer, kernel_.ops[k])) {
                    return fmt::format("micro-op {}: the new version of what {} stored is not loaded", k, i);
                }
                if (collide(writer, kernel_.ops[k])) {
                    return fmt::format("micro-ops {} and {}: their memory overlaps", i, k);
                }
            }
        }
        return {};
    }

    bool loads_old_version(const MicroOp& op) const noexcept {
        return reads_view(op.kind) && kernel_.version_of(program_.views[op.index].base) != Kernel::kNoVersion;
    }

    bool misses_new_version(const MicroOp& writer, const MicroOp& later) const noexcept {
        return writes_view(writer.kind) && loads_old_version(later) &&
               relation(program_, writer.index, later.index) != Relation::Disjoint;
    }

    bool collide(const MicroOp& writer, const MicroOp& other) const noexcept {
        const bool result =
            reduces(writer.kind) || reduces(other.kind) || by_number(writer.kind) || by_number(other.kind);
        if (writes_scratch(writer.kind)) return uses_scratch(other.kind) && writer.index == other.index && result;
        if (!uses_view(other.kind)) return false;
        const Relation lie = relation(program_, writer.index, other.index);
        return lie == Relation::Overlap || (lie == Relation::Identical && result);
    }

    const Plan& plan_;
    const Program& program_;
    const Kernel& kernel_;
    Shape domain_;
};

/// Goes through the steps: memory exists when it is used, and values before they are read.
class StepChecker {
public:
    StepChecker(const Plan& plan, const Program& program)
        : plan_(plan),
          program_(program),
          values_(program),
          bases_(program.bases.size()),
          scratch_(plan.scratch.size()),
          filled_(plan.scratch.size()),
          runs_(plan.kernels.size()) {
        for (std::size_t i = 0; i < bases_.size(); ++i) {
            bases_[i] = program.bases[i].initialised ? Memory::Held : Memory::None;
        }
    }

    std::string run() {
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            const std::string fault = step_fault(plan_.steps[i]);
            if (!fault.empty()) return fmt::format("step {}: {}", i, fault);
        }
        return end_fault();
    }

private:
    enum class Memory : std::uint8_t { None, Held, Given, Freed };

    std::string step_fault(const Step& step) {
        if (step.donor.kind != Storage::Kind::None) {
            const std::string fault = donor_fault(step);
            if (!fault.empty()) return fault;
        }
        switch (step.kind) {
            case Step::Kind::Run: {
                if (step.index >= plan_.kernels.size()) return fmt::format("there is no kernel k{}", step.index);
                if (runs_[step.index]) return fmt::format("k{} runs twice", step.index);
                runs_[step.index] = true;
                const std::string fault = kernel_fault(plan_.kernels[step.index]);
                return fault.empty() ? gift_fault(plan_.kernels[step.index]) : fault;
            }
            case Step::Kind::AllocBase: return change(bases_, step.index, Memory::None, Memory::Held, "base");
            case Step::Kind::FreeBase:
                if (step.index < bases_.size() && program_.bases[step.index].live) return "a live base is freed";
                return change(bases_, step.index, Memory::Held, Memory::Freed, "base");
            case Step::Kind::AllocScratch: return change(scratch_, step.index, Memory::None, Memory::Held, "scratch");
            case Step::Kind::FreeScratch: return change(scratch_, step.index, Memory::Held, Memory::Freed, "scratch");
        }
        return "unknown kind";
    }

    static std::string change(std::vector<Memory>& memory, std::uint32_t index, Memory from, Memory to,
                              std::string_view what) {
        if (index >= memory.size()) return fmt::format("there is no {} {}", what, index);
        const bool given = memory[index] == Memory::Given && to == Memory::Freed;
        if (memory[index] != from && !given) {
            return fmt::format("{} {} {}", what, index, to == Memory::Held ? "has or had memory" : "has no memory");
        }
        memory[index] = to;
        return {};
    }

    static std::string name_of(Storage storage) {
        return fmt::format("{}{}", storage.kind == Storage::Kind::Base ? 'b' : 'x', storage.index);
    }

    /// Memory changes hands before the next kernel.
    std::string donor_fault(const Step& step) {
        const bool base = step.donor.kind == Storage::Kind::Base;
        const std::vector<Memory>& donors = base ? bases_ : scratch_;
        const auto end = step.kind == Step::Kind::AllocBase ? bases_.size() : scratch_.size();
        if (!step.allocates()) return "only allocations have donors";
        if (step.index >= end || step.donor.index >= donors.size()) return "there is no such donor or result";
        if (donors[step.donor.index] != Memory::Held) return name_of(step.donor) + " has no memory to give";
        if (base && program_.bases[step.donor.index].live) return "a live base gives its memory away";
        if (std::ranges::find(gifts_, step.donor, &Gift::donor) != gifts_.end()) {
            return name_of(step.donor) + " gives its memory away twice";
        }
        if (takes_over(plan_, program_, step)) gifts_.push_back({step.donor, step.storage()});
        return {};
    }

    /// The kernel loads a donor element by element where it stores the result.
    std::string gift_fault(const Kernel& kernel) {
        for (const Gift& gift : gifts_) {
            for (const MicroOp& load : kernel.ops) {
                if (!concerns(load, gift.donor)) continue;
                if (!loads(load.kind)) return name_of(gift.donor) + " is written and gives its memory away";
                for (const MicroOp& store : kernel.ops) {
                    if (concerns(store, gift.result) && (&store < &load || !same_place(kernel, load, store))) {
                        return fmt::format("{} is not read before and where {} is written", name_of(gift.donor),
                                           name_of(gift.result));
                    }
                }
            }
            (gift.donor.kind == Storage::Kind::Base ? bases_ : scratch_)[gift.donor.index] = Memory::Given;
        }
        gifts_.clear();
        return {};
    }

    bool concerns(const MicroOp& op, Storage storage) const noexcept {
        if (storage.kind == Storage::Kind::Scratch) return uses_scratch(op.kind) && op.index == storage.index;
        return uses_view(op.kind) && program_.views[op.index].base == storage.index;
    }

    /// At every index of the kernel the same place in memory, if both begin at the same place.
    bool same_place(const Kernel& kernel, const MicroOp& load, const MicroOp& store) const noexcept {
        if (reduces(store.kind) || size_of(load.type) != size_of(store.type)) return false;
        const auto row_major = [&](const MicroOp& op) {
            if (uses_view(op.kind)) return guard_holds({op.index, Guard::kDense, Relation::Identical}, program_);
            return plan_.scratch[op.index].domain == kernel.domain && plan_.scratch[op.index].axis == Scratch::kNoAxis;
        };
        if (!uses_view(load.kind) || !uses_view(store.kind)) return row_major(load) && row_major(store);
        return guard_holds({load.index, store.index, Relation::Identical}, program_);
    }

    std::string kernel_fault(const Kernel& kernel) {
        for (const MicroOp& op : kernel.ops) {
            if (uses_view(op.kind)) {
                const std::uint32_t base = program_.views[op.index].base;
                if (bases_[base] != Memory::Held && !interval_of(program_, op.index).empty()) {
                    return fmt::format("b{} is used without memory", base);
                }
                if ((reads_view(op.kind) || op.kind == Kind::ScatterView) && !values_.readable(op.index))
                    return fmt::format("b{} is read before it has a value", base);
                if (writes_view(op.kind)) values_.write(op.index);
            } else if (uses_scratch(op.kind)) {
                if (scratch_[op.index] != Memory::Held) return fmt::format("x{} is used without memory", op.index);
                if (writes_scratch(op.kind))
                    filled_[op.index] = true;
                else if (!filled_[op.index])
                    return fmt::format("x{} is read before it has a value", op.index);
            }
        }
        return {};
    }

    std::string end_fault() const {
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            if (!runs_[i]) return fmt::format("k{} never runs", i);
        }
        for (std::size_t i = 0; i < scratch_.size(); ++i) {
            if (scratch_[i] == Memory::Held || scratch_[i] == Memory::Given)
                return fmt::format("x{} is never freed", i);
        }
        for (std::size_t i = 0; i < bases_.size(); ++i) {
            const BaseInfo& base = program_.bases[i];
            if (bases_[i] == Memory::Held && !base.initialised && !base.live)
                return fmt::format("b{} is never freed", i);
            if (bases_[i] == Memory::Given) return fmt::format("b{} has given its memory away and is never freed", i);
        }
        return gifts_.empty() ? "" : name_of(gifts_[0].donor) + " gives its memory away and no kernel follows";
    }

    struct Gift {
        Storage donor, result;
    };

    const Plan& plan_;
    const Program& program_;
    std::vector<Gift> gifts_;  ///< at the next kernel
    ValueTracker values_;
    std::vector<Memory> bases_;
    std::vector<Memory> scratch_;
    std::vector<bool> filled_;
    std::vector<bool> runs_;
};

/// Its kernels follow each other in the plan and in the steps, and may run piece by piece.
std::string region_fault(const Plan& plan, const Program& program, const Region& region, std::uint32_t begin) {
    if (region.kernels.size() < 2) return "it has fewer than two kernels";
    if (region.first < begin || region.end() > plan.kernels.size()) return "its kernels are others' or do not exist";
    const StepRange range = steps_of(region, plan);
    std::uint32_t next = region.first;
    for (std::size_t i = range.begin; i < range.end; ++i) {
        const Step& step = plan.steps[i];
        if (step.kind == Step::Kind::Run && step.index != next++) return "its kernels do not run one after the other";
        if (step.allocates() && (region.is_local(step.storage()) || region.is_local(step.donor)) &&
            step.donor.kind != Storage::Kind::None)
            return "what is local gives or takes memory";
    }
    for (const Storage& local : region.locals) {
        const auto steps = std::span(plan.steps).subspan(range.begin, range.end - range.begin);
        const auto counts = [&](bool frees) {
            return std::ranges::count_if(steps, [&](const Step& step) {
                return (frees ? step.frees() : step.allocates()) && step.storage() == local;
            });
        };
        if (counts(false) != 1 || counts(true) != 1) return "what is local does not come and go inside";
    }
    return region_holds(region, plan, program) ? "" : "its kernels cannot run piece by piece";
}

std::string regions_fault(const Plan& plan, const Program& program) {
    std::uint32_t begin = 0;
    for (std::size_t i = 0; i < plan.regions.size(); ++i) {
        const std::string fault = region_fault(plan, program, plan.regions[i], begin);
        if (!fault.empty()) return fmt::format("region {}: {}", i, fault);
        begin = plan.regions[i].end();
    }
    return {};
}

/// Both use something that one of them writes.
bool kernels_meet(const Program& program, const Kernel& a, const Kernel& b) {
    return std::ranges::any_of(a.ops, [&](const MicroOp& one) {
        return std::ranges::any_of(b.ops, [&](const MicroOp& other) {
            if (uses_scratch(one.kind) && uses_scratch(other.kind))
                return one.index == other.index && (writes_scratch(one.kind) || writes_scratch(other.kind));
            return uses_view(one.kind) && uses_view(other.kind) &&
                   program.views[one.index].base == program.views[other.index].base &&
                   (writes_view(one.kind) || writes_view(other.kind)) &&
                   relation(program, one.index, other.index) != Relation::Disjoint;
        });
    });
}

/// Its kernels run with nothing between them, and none meets another one.
std::string dispatch_fault(const Plan& plan, const Program& program, const Dispatch& dispatch, std::uint32_t begin) {
    if (dispatch.count < 2) return "it has fewer than two kernels";
    if (dispatch.first < begin || dispatch.end() > plan.kernels.size())
        return "its kernels are others' or do not exist";
    for (const Region& region : plan.regions) {
        if (region.first < dispatch.end() && dispatch.first < region.end()) return "a region has a kernel of it";
    }
    const auto step = std::ranges::find_if(
        plan.steps, [&](const Step& each) { return each.kind == Step::Kind::Run && each.index == dispatch.first; });
    for (std::uint32_t i = 0; i < dispatch.count; ++i) {
        if (plan.steps.end() - step <= i || step[i].kind != Step::Kind::Run || step[i].index != dispatch.first + i)
            return "its kernels do not run one right after the other";
    }
    for (std::uint32_t i = dispatch.first; i < dispatch.end(); ++i) {
        if (!plan.kernels[i].versions.empty()) return fmt::format("k{} makes a new version", i);
        for (std::uint32_t k = dispatch.first; k < i; ++k) {
            if (kernels_meet(program, plan.kernels[k], plan.kernels[i]))
                return fmt::format("k{} and k{} depend on each other", k, i);
        }
    }
    return {};
}

std::string dispatches_fault(const Plan& plan, const Program& program) {
    std::uint32_t begin = 0;
    for (std::size_t i = 0; i < plan.dispatches.size(); ++i) {
        const std::string fault = dispatch_fault(plan, program, plan.dispatches[i], begin);
        if (!fault.empty()) return fmt::format("dispatch {}: {}", i, fault);
        begin = plan.dispatches[i].end();
    }
    return {};
}

std::string scratch_fault(const Program& program, const Scratch& scratch) {
    if (scratch.type >= DType::none || !info(scratch.type).enabled) return "no kernels exist for its type";
    if (scratch.domain >= program.domains.size()) return fmt::format("there is no domain d{}", scratch.domain);
    const bool whole = scratch.axis == Scratch::kNoAxis;
    if (!whole && scratch.axis >= program.domains[scratch.domain].rank) return "its axis is out of range";
    return whole && scratch.keep_axis ? "it keeps an axis that is not reduced" : "";
}

std::string guard_fault(const Program& program, const Guard& guard) {
    const std::size_t views = program.views.size();
    if (guard.view_a >= views || (guard.view_b >= views && guard.view_b < Guard::kDense)) return "no such view";
    return guard_holds(guard, program) ? "" : "it does not hold";
}

std::string spread_fault(const Program& program, const Spread& spread) {
    if (spread.base >= program.bases.size()) return "no such base";
    if (spread.views.size() != spread.groups.size()) return "a view has no group";
    for (const std::uint32_t view : spread.views) {
        if (view >= program.views.size() || program.views[view].base != spread.base) return "no such view of its base";
    }
    return spread_holds(spread, program) ? "" : "it does not hold";
}

std::string scalar_guard_fault(const Program& program, const ScalarGuard& guard) {
    const std::size_t scalars = program.scalars.size();
    if (guard.slot >= scalars || (!guard.fact && guard.same_as >= scalars)) return "no such scalar";
    return guard_holds(guard, program) ? "" : "it does not hold";
}

/// Whoever asks what became of an instruction must find the answer in one step.
std::string merge_fault(const Plan& plan, const Program& program) {
    for (std::size_t i = 0; i < plan.merged.size(); ++i) {
        const auto [instruction, into] = plan.merged[i];
        if (instruction >= program.instructions.size()) return fmt::format("there is no instruction {}", instruction);
        if (i > 0 && plan.merged[i - 1].instruction >= instruction) return "merged instructions are not ascending";
        if (into >= instruction) return fmt::format("i{} is merged into a later one", instruction);
        const Instruction& one = program.instructions[instruction];
        const Instruction& other = program.instructions[into];
        if (one.result != other.result || one.domain != other.domain) {
            return fmt::format("i{} is merged into one of another type or domain", instruction);
        }
        if (can_fail(one.op, one.type) && one.op != other.op) {
            return fmt::format("i{}, which can fail, is merged into another op", instruction);
        }
        const auto place = std::ranges::lower_bound(plan.merged, into, {}, &Merge::instruction);
        if (place != plan.merged.end() && place->instruction == into) {
            return fmt::format("i{} is merged into a merged one", instruction);
        }
    }
    return {};
}

std::string contraction_fault(const Plan& plan, const Program& program) {
    const std::vector<std::uint32_t>& bases = plan.contracted;
    if (bases.size() != plan.contracted_bases) return "the number of contracted bases is wrong";
    if (std::ranges::adjacent_find(bases, std::ranges::greater_equal()) != bases.end()) {
        return "contracted bases are not ascending";
    }
    for (const std::uint32_t base : bases) {
        if (base >= program.bases.size()) return fmt::format("there is no base b{}", base);
        if (program.bases[base].live) return fmt::format("b{} is contracted and live", base);
        const bool allocated = std::ranges::any_of(
            plan.steps, [&](const Step& step) { return step.kind == Step::Kind::AllocBase && step.index == base; });
        if (allocated) return fmt::format("b{} is contracted and gets memory", base);
    }
    return {};
}

}  // namespace

std::string verify(const Plan& plan, const Program& program) {
    for (std::size_t i = 0; i < plan.scratch.size(); ++i) {
        const std::string fault = scratch_fault(program, plan.scratch[i]);
        if (!fault.empty()) return fmt::format("x{}: {}", i, fault);
    }
    for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
        const std::string fault = KernelChecker(plan, program, plan.kernels[i]).run();
        if (!fault.empty()) return fmt::format("k{}: {}", i, fault);
    }
    for (std::size_t i = 0; i < plan.guards.size(); ++i) {
        const std::string fault = guard_fault(program, plan.guards[i]);
        if (!fault.empty()) return fmt::format("guard {}: {}", i, fault);
    }
    for (std::size_t i = 0; i < plan.spreads.size(); ++i) {
        const std::string fault = spread_fault(program, plan.spreads[i]);
        if (!fault.empty()) return fmt::format("spread {}: {}", i, fault);
    }
    for (std::size_t i = 0; i < plan.scalar_guards.size(); ++i) {
        const std::string fault = scalar_guard_fault(program, plan.scalar_guards[i]);
        if (!fault.empty()) return fmt::format("scalar guard {}: {}", i, fault);
    }
    std::string fault = merge_fault(plan, program);
    if (fault.empty()) fault = StepChecker(plan, program).run();
    if (fault.empty()) fault = regions_fault(plan, program);
    if (fault.empty()) fault = dispatches_fault(plan, program);
    return fault.empty() ? contraction_fault(plan, program) : fault;
}

}  // namespace xlazy::bc
