// SPDX-License-Identifier: BSD-3-Clause
#include "failure.hpp"

#include "base_access.hpp"
#include "message.hpp"
#include "statistics.hpp"

#include <algorithm>

namespace xlazy::rt {
namespace {

/// Number of an error within the batch: new ones are causes, old ones came in with a base.
using ErrorId = std::int32_t;
constexpr ErrorId kGood = -1;

class Spread {
public:
    Spread(const Queue& queue, const bc::Plan* plan, const Outcome& outcome, const std::string& problem)
        : queue_(queue),
          program_(queue.program),
          plan_(plan),
          own_(program_.instructions.size(), kGood),
          temps_(program_.temp_count, kGood),
          bases_(program_.bases.size()) {
        for (std::uint32_t i = 0; i < queue.uses.size(); ++i) {
            const PoisonedParts* const poison = BaseAccess::poison(*queue.uses[i].base);
            if (poison == nullptr) continue;
            const ElementBox all = interval_box(0, program_.bases[i].size - 1);
            for (const PoisonedPart& part : poison->parts)
                bases_[i].push_back({poison->shared_for_ever ? all : part.box, add_old(part.error)});
        }
        if (plan == nullptr) add_all(problem);
        for (const be::Trap& trap : outcome.traps) add_trap(trap);
        for (const Missing& missing : outcome.missing) add_missing(missing);
        for (const BrokenKernel& broken : outcome.broken) add_broken(broken);
        if (plan != nullptr) {
            for (const bc::Merge& merge : plan->merged) add_merged(merge);
        }
        for (std::uint32_t i = 0; i < program_.instructions.size(); ++i) step(i);
    }

    Verdict verdict(FlushInfo flush) const {
        std::vector<std::size_t> order;  // new errors that are somebody's, in program order
        for (std::size_t i = 0; i < errors_.size(); ++i) {
            if (errors_[i].used && !errors_[i].old) order.push_back(i);
        }
        std::ranges::sort(order, {}, [&](std::size_t i) { return errors_[i].cause.instruction; });
        std::vector<bc::OriginId> also;
        for (std::size_t n = 1; n < order.size(); ++n) {
            const bc::OriginId line = program_.origins[errors_[order[n]].cause.instruction];
            if (!std::ranges::count(also, line)) also.push_back(line);
        }
        std::vector<PoisonRef> made(errors_.size());
        for (std::size_t i = 0; i < errors_.size(); ++i) made[i] = errors_[i].old;
        for (const std::size_t i : order) {
            made[i] = PoisonRef(make_error(queue_, plan_, errors_[i].cause, i == order[0] ? also : kNobody, flush));
        }
        count(counters().deferred_errors, order.size());

        Verdict verdict;
        verdict.of_base.resize(bases_.size());
        for (std::size_t i = 0; i < bases_.size(); ++i) {
            if (bases_[i].empty()) continue;
            verdict.of_base[i] = std::make_unique<PoisonedParts>();
            for (const Part& part : bases_[i])
                verdict.of_base[i]->parts.push_back({part.box, made[static_cast<std::size_t>(part.error)]});
        }
        if (!order.empty()) verdict.first = made[order[0]];
        return verdict;
    }

private:
    struct Error {
        PoisonRef old;
        Cause cause;
        bool used = false;
    };
    /// Elements of a base without a value.
    struct Part {
        ElementBox box;
        ErrorId error;
    };
    inline static const std::vector<bc::OriginId> kNobody;
    static constexpr std::size_t kMostParts = 16;  ///< of a base; where there are more, all between them count

    ErrorId add_old(const PoisonRef& error) {
        errors_.push_back({error, {}, true});
        return static_cast<ErrorId>(errors_.size() - 1);
    }
    ErrorId add(Cause cause) {
        errors_.push_back({{}, std::move(cause), false});
        return static_cast<ErrorId>(errors_.size() - 1);
    }

    void add_trap(const be::Trap& trap) {
        if (trap.kind == be::Trap::Kind::NotFinite) {
            // The value is what it is: nobody is spoilt by it.
            const ErrorId error = add({.kind = Cause::Kind::NotFinite, .instruction = trap.instruction, .trap = trap});
            errors_[static_cast<std::size_t>(error)].used = true;
            return;
        }
        ErrorId& own = own_[trap.instruction];
        if (own == kGood) {
            own = add({.kind = Cause::Kind::Trap, .instruction = trap.instruction, .trap = trap});
            return;
        }
        // An instruction that was computed in two kernels fails in both.
        be::Trap& known = errors_[static_cast<std::size_t>(own)].cause.trap;
        if (trap.index < known.index) known = trap;
    }

    /// Of what an instruction makes, as the user wrote it.
    Shape shape_of(std::uint32_t instruction) const {
        const bc::Program& recorded = queue_.as_recorded();
        return result_shape(recorded, recorded.instructions[instruction]);
    }

    void add_missing(const Missing& missing) {
        if (missing.what == Missing::What::Version) {
            for (const bc::MicroOp& op : plan_->kernels[missing.kernel].ops) {
                if (op.kind != bc::MicroOp::Kind::StoreView && op.kind != bc::MicroOp::Kind::ReduceView) continue;
                if (program_.views[op.index].base != missing.index) continue;
                add_no_memory(op.instruction, program_.bases[missing.index].type, shape_of(op.instruction),
                              missing.bytes);
            }
            return;
        }
        if (missing.what == Missing::What::Scratch) {
            const bc::Scratch& scratch = plan_->scratch[missing.index];
            const bc::ScratchShape needed = bc::shape_of(program_, scratch);
            Shape shape;
            shape.rank = needed.rank;
            std::ranges::copy(needed.span(), shape.extents);
            for (const bc::Kernel& kernel : plan_->kernels) {
                for (const bc::MicroOp& op : kernel.ops) {
                    const bool stores =
                        op.kind == bc::MicroOp::Kind::StoreScratch || op.kind == bc::MicroOp::Kind::ReduceScratch;
                    if (stores && op.index == missing.index) {
                        add_no_memory(op.instruction, scratch.type, shape, missing.bytes);
                    }
                }
            }
            return;
        }
        for (std::uint32_t i = 0; i < program_.instructions.size(); ++i) {
            const bc::Instruction& instruction = program_.instructions[i];
            if (!instruction.out.is_view() || program_.views[instruction.out.index()].base != missing.index) continue;
            add_no_memory(i, program_.bases[missing.index].type, shape_of(i), missing.bytes);
        }
    }

    void add_no_memory(std::uint32_t instruction, bc::DType type, const Shape& shape, std::size_t bytes) {
        if (own_[instruction] != kGood) return;
        own_[instruction] = add(
            {.kind = Cause::Kind::NoMemory, .instruction = instruction, .type = type, .shape = shape, .bytes = bytes});
    }

    void add_broken(const BrokenKernel& broken) {
        ErrorId id = kGood;
        for (const bc::MicroOp& op : plan_->kernels[broken.kernel].ops) {
            if (op.kind == bc::MicroOp::Kind::LoadView || op.kind == bc::MicroOp::Kind::LoadScalar ||
                op.kind == bc::MicroOp::Kind::LoadScratch || own_[op.instruction] != kGood) {
                continue;
            }
            if (id == kGood) {
                const bc::Instruction& instruction = program_.instructions[op.instruction];
                const bool memory = broken.reason.empty();
                id = add({.kind = memory ? Cause::Kind::NoMemory : Cause::Kind::Internal,
                          .instruction = op.instruction,
                          .type = instruction.result,
                          .shape = shape_of(op.instruction),
                          .text = broken.reason});
            }
            own_[op.instruction] = id;
        }
    }

    /// What another instruction computed for this one failed: of its data that is a failure of its own line.
    void add_merged(const bc::Merge& merge) {
        const ErrorId error = own_[merge.into];
        if (error == kGood || own_[merge.instruction] != kGood) return;
        Cause cause = errors_[static_cast<std::size_t>(error)].cause;
        own_[merge.instruction] = error;
        if (cause.kind != Cause::Kind::Trap) return;
        cause.instruction = cause.trap.instruction = merge.instruction;
        own_[merge.instruction] = add(std::move(cause));
    }

    void add_all(const std::string& problem) {
        const ErrorId id = add({.kind = Cause::Kind::Internal, .instruction = 0, .text = problem});
        std::ranges::fill(own_, id);
    }

    /// An instruction is worth what its operands are worth; only then its own failure counts.
    void step(std::uint32_t index) {
        const bc::Instruction& instruction = program_.instructions[index];
        ErrorId error = kGood;
        const bool scatters = bc::info(instruction.op).kind == bc::OpKind::Scatter;
        const unsigned operands = scatters ? 2 : bc::operand_count(instruction);  // what it keeps is worth what it was
        for (unsigned i = 0; i < operands && error == kGood; ++i) {
            const bc::Operand in = instruction.in[i];
            if (in.is_view())
                error = error_in(in.index());
            else if (in.is_temp())
                error = temps_[in.index()];
        }
        if (error == kGood) error = own_[index];
        if (error != kGood) errors_[static_cast<std::size_t>(error)].used = true;
        if (instruction.out.is_view() && (!scatters || error != kGood))
            write(instruction.out.index(), error);
        else if (instruction.out.is_temp())
            temps_[instruction.out.index()] = error;
    }

    ErrorId error_in(std::uint32_t view) const {
        const std::vector<Part>& parts = bases_[program_.views[view].base];
        if (parts.empty()) return kGood;
        const ElementBox read = box_of(program_, view);
        const auto found = std::ranges::find_if(parts, [&](const Part& part) { return meet(part.box, read); });
        return found == parts.end() ? kGood : found->error;
    }

    /// Overwriting heals the elements that the view shows; a failure spoils them.
    void write(std::uint32_t view, ErrorId error) {
        const std::uint32_t number = program_.views[view].base;
        std::vector<Part>& parts = bases_[number];
        if (parts.empty() && error == kGood) return;
        ElementBox box = box_of(program_, view);
        // Of a base that got no memory, nothing has a value.
        if (error != kGood && BaseAccess::memory(*queue_.uses[number].base) == nullptr)
            box = interval_box(0, program_.bases[number].size - 1);
        if (box.empty) return;
        std::vector<Part> left;
        std::vector<ElementBox> boxes;
        for (const Part& part : parts) {
            boxes.clear();
            subtract(part.box, box, boxes);
            for (const ElementBox& each : boxes) left.push_back({each, part.error});
        }
        if (error != kGood) left.push_back({box, error});
        if (left.size() > kMostParts) left = {{around(left), left.front().error}};
        parts.swap(left);
    }

    static ElementBox around(const std::vector<Part>& parts) noexcept {
        std::int64_t first = parts.front().box.offset, last = first;
        for (const Part& part : parts) {
            first = std::min(first, part.box.offset);
            last = std::max(last, part.box.last());
        }
        return interval_box(first, last);
    }

    const Queue& queue_;
    const bc::Program& program_;
    const bc::Plan* plan_;
    std::vector<Error> errors_;
    std::vector<ErrorId> own_;  ///< by instruction: its own failure
    std::vector<ErrorId> temps_;
    std::vector<std::vector<Part>> bases_;
};

}  // namespace

Verdict judge(const Queue& queue, const bc::Plan* plan, const Outcome& outcome, const std::string& problem,
              FlushInfo flush) {
    return Spread(queue, plan, outcome, problem).verdict(flush);
}

}  // namespace xlazy::rt
