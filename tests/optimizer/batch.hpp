// SPDX-License-Identifier: BSD-3-Clause
// Writes batches by hand: enough of a recorder for tests.
#pragma once

#include "xlazy/bytecode/program.hpp"

#include <initializer_list>
#include <numeric>

namespace xlazy::test {

using bc::DType;
using bc::Op;
using bc::Operand;

class Batch {
public:
    using Extents = std::vector<std::int64_t>;

    enum class Use {
        Local,
        Live,
        Input,
        Kept
    };  ///< Local: dies unread; Input: has a value and dies; Kept: has one and lives

    std::uint32_t base(std::int64_t size, Use use, DType type = DType::f64) {
        program.bases.push_back(
            {type, use == Use::Input || use == Use::Kept, use == Use::Live || use == Use::Kept, size});
        return static_cast<std::uint32_t>(program.bases.size() - 1);
    }
    /// A window of a base: offset, then extent and stride of each axis.
    Operand view(std::uint32_t base, std::int64_t offset, std::initializer_list<bc::Dim> dims) {
        return Operand::view(program.add_view(base, offset, std::span(dims.begin(), dims.size())));
    }
    /// A new array of one axis, as a whole.
    Operand array(std::int64_t size, Use use, DType type = DType::f64) {
        return view(base(size, use, type), 0, {{size, 1}});
    }
    template <class T>
    Operand scalar(T value) {
        program.scalars.push_back(bc::make_scalar(value));
        return Operand::scalar(static_cast<std::uint32_t>(program.scalars.size() - 1));
    }
    Operand temp() { return Operand::temp(program.temp_count++); }
    std::uint32_t domain(const Extents& extents) { return program.intern_domain(extents); }

    /// Records one instruction, a statement of its own. @return its output
    Operand add(Op op, std::uint32_t domain, Operand out, std::initializer_list<Operand> in, DType type = DType::f64) {
        bc::Instruction instruction;
        instruction.op = op;
        instruction.type = type;
        instruction.result = bc::result_of(op, type);
        instruction.domain = domain;
        instruction.out = out;
        std::copy(in.begin(), in.end(), instruction.in);
        instruction.statement = program.statement_count++;
        program.instructions.push_back(instruction);
        program.origins.push_back(bc::intern_origin("batch.cpp", program.statement_count));
        return out;
    }
    Operand reduce(Op op, std::uint32_t domain, unsigned axis, Operand out, Operand in, DType type = DType::f64) {
        add(op, domain, out, {in}, type);
        program.instructions.back().axis = static_cast<std::uint8_t>(axis);
        return out;
    }

    bc::Program program;
};

}  // namespace xlazy::test
