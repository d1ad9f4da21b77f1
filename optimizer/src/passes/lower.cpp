// SPDX-License-Identifier: BSD-3-Clause
#include "passes/lower.hpp"

namespace xlazy::opt {

using bc::Instruction;
using bc::MicroOp;
using bc::Operand;
using bc::ValueId;

namespace {

constexpr std::uint32_t kNone = ~0u;

/// Lowers kernel after kernel; what it knows of registers holds for the current one.
class Lowering {
public:
    explicit Lowering(Draft& draft)
        : draft_(draft),
          registers_(draft.code.temp_count),
          scratch_(draft.code.temp_count, kNone),
          scalars_(draft.program.scalars.size() + draft.code.formed.size()) {}

    void begin(bc::Kernel& kernel, std::uint32_t number) {
        kernel_ = &kernel;
        number_ = number;
        views_.clear();
    }

    void add(const Instruction& instruction, std::uint32_t source) {
        source_ = source;
        if (kernel_->ops.empty()) kernel_->domain = instruction.domain;
        if (is_reduction(instruction)) return reduce(instruction);
        if (is_scatter(instruction)) return scatter(instruction);
        if (is_library_call(instruction)) return call(instruction);
        const ValueId value = instruction.op == bc::Op::copy ? operand(instruction, 0) : compute(instruction);
        if (instruction.out.is_view())
            store_view(instruction.out.index(), instruction.result, value);
        else
            store_temp(instruction, value);
    }

private:
    struct Register {
        std::uint32_t kernel = kNone;
        ValueId value = bc::kNoValue;
    };
    struct ViewRegister {
        std::uint32_t view;
        ValueId value;
    };

    ValueId emit(MicroOp op) {
        op.instruction = source_;
        kernel_->ops.push_back(op);
        return static_cast<ValueId>(kernel_->ops.size() - 1);
    }

    static MicroOp access(MicroOp::Kind kind, bc::DType type, std::uint32_t index) {
        MicroOp op;
        op.kind = kind;
        op.type = op.result = type;
        op.index = index;
        return op;
    }

    MicroOp scalar(bc::DType type, std::uint32_t index) const {
        const FormedScalar from = draft_.scalar(index);
        MicroOp op = access(MicroOp::Kind::LoadScalar, type, from.slot);
        op.form = from.form;
        return op;
    }

    static MicroOp operation(const Instruction& instruction, MicroOp::Kind kind) {
        MicroOp op = access(kind, instruction.type, 0);
        op.op = instruction.op;
        op.result = instruction.result;
        op.flags = instruction.flags;
        op.axis = instruction.axis;
        return op;
    }

    ValueId compute(const Instruction& instruction) {
        if (is_gathered(instruction, 0)) {
            MicroOp op = operation(instruction, MicroOp::Kind::GatherView);
            op.index = instruction.in[0].index();
            op.in[0] = operand(instruction, 1);
            return emit(op);
        }
        MicroOp op = operation(instruction, MicroOp::Kind::Compute);
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i) op.in[i] = operand(instruction, i);
        return emit(op);
    }

    void scatter(const Instruction& instruction) {
        MicroOp op = operation(instruction, MicroOp::Kind::ScatterView);
        op.index = instruction.out.index();
        for (unsigned i = 0; i < 2; ++i) op.in[i] = operand(instruction, i);
        emit(op);
    }

    void reduce(const Instruction& instruction) {
        const bool to_view = instruction.out.is_view();
        MicroOp op = operation(instruction, to_view ? MicroOp::Kind::ReduceView : MicroOp::Kind::ReduceScratch);
        op.in[0] = operand(instruction, 0);
        op.index = to_view ? instruction.out.index() : new_scratch(instruction);
        emit(op);
    }

    void call(const Instruction& instruction) {
        MicroOp op = operation(instruction, MicroOp::Kind::ReduceView);
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i) op.in[i] = operand(instruction, i);
        op.index = instruction.out.index();
        emit(op);
    }

    ValueId operand(const Instruction& instruction, unsigned number) {
        const Operand operand = instruction.in[number];
        const bc::DType type = bc::operand_type(instruction, number);
        if (operand.is_view()) return load_view(operand.index(), type);
        Register& known = (operand.is_scalar() ? scalars_ : registers_)[operand.index()];
        if (known.kernel != number_) {
            const MicroOp load = operand.is_scalar()
                                     ? scalar(type, operand.index())
                                     : access(MicroOp::Kind::LoadScratch, type, scratch_[operand.index()]);
            known = {number_, emit(load)};
        }
        return known.value;
    }

    ValueId load_view(std::uint32_t view, bc::DType type) {
        if (const ViewRegister* known = find_view(view)) return known->value;
        const ValueId value = emit(access(MicroOp::Kind::LoadView, type, view));
        views_.push_back({view, value});
        return value;
    }

    void store_view(std::uint32_t view, bc::DType type, ValueId value) {
        MicroOp op = access(MicroOp::Kind::StoreView, type, view);
        op.in[0] = value;
        emit(op);
        if (ViewRegister* known = find_view(view))
            known->value = value;
        else
            views_.push_back({view, value});
    }

    void store_temp(const Instruction& instruction, ValueId value) {
        MicroOp op = access(MicroOp::Kind::StoreScratch, instruction.result, new_scratch(instruction));
        op.in[0] = value;
        emit(op);
        registers_[instruction.out.index()] = {number_, value};
    }

    std::uint32_t new_scratch(const Instruction& instruction) {
        bc::Scratch scratch{instruction.result, instruction.domain};
        if (is_reduction(instruction)) {
            scratch.axis = instruction.axis;
            scratch.keep_axis = (instruction.flags & Instruction::kKeepAxis) != 0;
        }
        draft_.plan.scratch.push_back(scratch);
        return scratch_[instruction.out.index()] = static_cast<std::uint32_t>(draft_.plan.scratch.size() - 1);
    }

    ViewRegister* find_view(std::uint32_t view) {
        for (ViewRegister& known : views_) {
            if (draft_.facts.same_read(known.view, view)) return &known;
        }
        return nullptr;
    }

    Draft& draft_;
    bc::Kernel* kernel_ = nullptr;
    std::uint32_t number_ = 0;
    std::uint32_t source_ = 0;
    std::vector<Register> registers_;     ///< of temporaries
    std::vector<std::uint32_t> scratch_;  ///< of temporaries
    std::vector<Register> scalars_;
    std::vector<ViewRegister> views_;
};

}  // namespace

void lower(Draft& draft) {
    const Grouping& grouping = draft.grouping;
    const auto count = static_cast<std::uint32_t>(draft.code.instructions.size());
    // Counting sort by kernel; stable, so the code's order stays inside each.
    std::vector<std::uint32_t> begin(grouping.count + 1, 0), order(count);
    for (const std::uint32_t kernel : grouping.kernel) ++begin[kernel + 1];
    for (std::uint32_t k = 0; k < grouping.count; ++k) begin[k + 1] += begin[k];
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t i = 0; i < count; ++i) order[next[grouping.kernel[i]]++] = i;

    draft.plan.kernels.resize(grouping.count);
    for (const auto& [kernel, version] : grouping.versions) draft.plan.kernels[kernel].versions.push_back(version);
    Lowering lowering(draft);
    for (std::uint32_t k = 0; k < grouping.count; ++k) {
        lowering.begin(draft.plan.kernels[k], k);
        for (std::uint32_t i = begin[k]; i < begin[k + 1]; ++i) {
            lowering.add(draft.code.instructions[order[i]], draft.code.source[order[i]]);
        }
    }
}

}  // namespace xlazy::opt
