// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/recording.hpp"

namespace xlazy::fuzz {
namespace {

using bc::Instruction;
using bc::Operand;

/// A window in the form that the recorder takes.
struct RuntimeView {
    RuntimeView(const Window& window, rt::Base* base) : base_(base), offset_(window.offset) {
        for (const bc::Dim& dim : window.dims) {
            extents_.push_back(static_cast<std::size_t>(dim.extent));
            strides_.push_back(static_cast<std::ptrdiff_t>(dim.stride));
        }
    }
    rt::ViewRef ref() const { return {base_, offset_, extents_.size(), extents_.data(), strides_.data()}; }

private:
    rt::Base* base_;
    std::int64_t offset_;
    std::vector<std::size_t> extents_;
    std::vector<std::ptrdiff_t> strides_;
};

class Recording {
public:
    Recording(const bc::Program& program, std::span<rt::Base* const> bases, here line)
        : program_(program), bases_(bases), statement_(line) {}

    void instruction(const Instruction& instruction) {
        if (bc::info(instruction.op).kind == bc::OpKind::Scatter) {
            const rt::Value numbers = repeated(operand(instruction.in[1]), instruction);
            statement_.scatter(view(instruction.out.index()).ref(), operand(instruction.in[0]), numbers);
            return;
        }
        const rt::Value value = compute(instruction);
        if (instruction.out.is_temp())
            temps_[instruction.out.index()] = value;
        else
            statement_.store(view(instruction.out.index()).ref(), value);
    }

private:
    RuntimeView view(std::uint32_t index) const {
        const Window window = window_of(program_, program_.views[index]);
        return {window, bases_[window.base]};
    }

    rt::Value operand(Operand operand) {
        if (operand.is_temp()) return temps_.at(operand.index());
        if (operand.is_scalar()) return statement_.scalar(program_.scalars[operand.index()]);
        return statement_.load(view(operand.index()).ref());
    }

    /// The operand in the domain's shape.
    rt::Value repeated(rt::Value value, const Instruction& instruction) {
        std::vector<std::size_t> domain;
        for (std::int64_t extent : program_.domain_extents(instruction.domain))
            domain.push_back(static_cast<std::size_t>(extent));
        return has_shape(value, domain) ? value : statement_.broadcast(value, domain.size(), domain.data());
    }

    rt::Value compute(const Instruction& instruction) {
        std::vector<std::size_t> domain;
        for (std::int64_t extent : program_.domain_extents(instruction.domain))
            domain.push_back(static_cast<std::size_t>(extent));
        const bc::OpInfo& op = bc::info(instruction.op);
        if (op.kind == bc::OpKind::Generate) return statement_.index(instruction.axis, domain.size(), domain.data());
        if (op.kind == bc::OpKind::Gather)
            return statement_.gather(view(instruction.in[0].index()).ref(),
                                     repeated(operand(instruction.in[1]), instruction));
        const unsigned count = bc::operand_count(instruction);
        rt::Value in[3];
        for (unsigned i = 0; i < count; ++i) in[i] = operand(instruction.in[i]);
        // The domain may be larger than all operands: then one of them is repeated to it.
        bool reached = false;
        for (unsigned i = 0; i < count; ++i) reached = reached || has_shape(in[i], domain);
        if (!reached || op.kind == bc::OpKind::Reduce)
            in[0] = statement_.broadcast(in[0], domain.size(), domain.data());
        if (op.kind == bc::OpKind::Reduce)
            return statement_.reduce(instruction.op, in[0], 1u << instruction.axis,
                                     (instruction.flags & Instruction::kKeepAxis) != 0);
        if (op.kind == bc::OpKind::Scan) return statement_.scan(instruction.op, in[0], instruction.axis);
        if (instruction.op == bc::Op::in_range && instruction.in[1].is_scalar() && count == 2) {
            const std::int64_t extent = bc::scalar_value<std::int64_t>(program_.scalars[instruction.in[1].index()]);
            return statement_.in_range(in[0], extent, instruction.axis);
        }
        if (instruction.op == bc::Op::cast) return statement_.cast(in[0], instruction.result);
        if ((instruction.flags & Instruction::kMasked) != 0)
            return statement_.apply_masked(instruction.op, instruction.result, in[0], in[1], in[2]);
        if (count == 1) return statement_.apply(instruction.op, instruction.result, in[0]);
        if (count == 2) return statement_.apply(instruction.op, instruction.result, in[0], in[1]);
        return statement_.apply(instruction.op, instruction.result, in[0], in[1], in[2]);
    }

    bool has_shape(rt::Value value, const std::vector<std::size_t>& shape) const {
        if (statement_.rank_of(value) != shape.size()) return false;
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            if (statement_.extent_of(value, axis) != static_cast<std::int64_t>(shape[axis])) return false;
        return true;
    }

    const bc::Program& program_;
    std::span<rt::Base* const> bases_;
    std::map<std::uint32_t, rt::Value> temps_;
    rt::Statement statement_;
};

}  // namespace

void record_statement(const bc::Program& program, std::size_t first, std::size_t last, std::span<rt::Base* const> bases,
                      here line) {
    Recording recording(program, bases, line);
    for (std::size_t i = first; i < last; ++i) recording.instruction(program.instructions[i]);
}

}  // namespace xlazy::fuzz
