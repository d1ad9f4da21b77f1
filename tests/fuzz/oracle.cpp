// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/oracle.hpp"

namespace xlazy::fuzz {
using bc::Instruction;
using bc::Operand;

Oracle::Oracle(const Case& c) : program_(c.program), temps_(c.program.temp_count) {
    outcome_.defined.resize(program_.bases.size());
    for (std::uint32_t i = 0; i < program_.bases.size(); ++i) {
        const bc::BaseInfo& base = program_.bases[i];
        const auto count = static_cast<std::size_t>(base.size);
        if (!base.initialised) outcome_.defined[i].assign(count, 0);
        outcome_.bases.push_back(base.initialised ? initial_bytes(base.type, base.size, c.data_seed, i)
                                                  : Bytes(count * bc::size_of(base.type)));
    }
}

Dense Oracle::operand_value(Operand operand) {
    if (operand.is_temp()) return temps_[operand.index()];
    if (operand.is_view()) {
        const Window window = window_of(program_, program_.views[operand.index()]);
        const std::vector<char>& defined = outcome_.defined[window.base];
        if (!defined.empty())
            for_each_element(window, [&](std::int64_t at) {
                if (defined[static_cast<std::size_t>(at)] == 0) outcome_.read_undefined = true;
            });
        return gather(window, program_.bases[window.base].type, outcome_.bases[window.base]);
    }
    const bc::Scalar& scalar = program_.scalars[operand.index()];
    Dense value{scalar.type, {}, Bytes(bc::size_of(scalar.type))};
    std::memcpy(value.bytes.data(), scalar.bits, value.bytes.size());
    return value;
}

void Oracle::execute(std::uint32_t number) {
    const Instruction& instruction = program_.instructions[number];
    const bc::OpKind kind = bc::info(instruction.op).kind;
    if (kind == bc::OpKind::Gather) return execute_gather(instruction);
    if (kind == bc::OpKind::Scatter) return execute_scatter(instruction);
    const auto extents = program_.domain_extents(instruction.domain);
    const Shape domain(extents.begin(), extents.end());
    std::vector<Dense> operands;
    for (unsigned i = 0; i < bc::operand_count(instruction); ++i)
        operands.push_back(spread(operand_value(instruction.in[i]), domain));
    const OpRequest request{instruction.op,     instruction.type,
                            instruction.result, (instruction.flags & Instruction::kMasked) != 0,
                            instruction.axis,   (instruction.flags & Instruction::kKeepAxis) != 0};
    std::int64_t trap = -1;
    Dense result = evaluate(request, domain, operands, trap);
    if (trap >= 0) {
        be::Trap record{number, trap, {{instruction.type, {0, 0}}, {instruction.type, {0, 0}}}};
        const std::size_t size = bc::size_of(instruction.type);
        for (std::size_t i = 0; i < 2; ++i)
            std::memcpy(record.operands[i].bits, operands[i].bytes.data() + static_cast<std::size_t>(trap) * size,
                        size);
        outcome_.traps.push_back(record);
    }
    if (instruction.out.is_temp())
        temps_[instruction.out.index()] = std::move(result);
    else
        write(result, window_of(program_, program_.views[instruction.out.index()]));
}

void Oracle::execute_gather(const Instruction& instruction) {
    const auto extents = program_.domain_extents(instruction.domain);
    const Shape domain(extents.begin(), extents.end());
    const Dense table = operand_value(instruction.in[0]);
    const Dense numbers = spread(operand_value(instruction.in[1]), domain);
    const std::size_t size = bc::size_of(instruction.type);
    Dense result{instruction.type, domain, Bytes(static_cast<std::size_t>(count_of(domain)) * size)};
    for (std::size_t i = 0; i * size < result.bytes.size(); ++i) {
        std::int64_t number = 0;
        std::memcpy(&number, numbers.bytes.data() + i * sizeof number, sizeof number);
        if (number < 0 || number >= count_of(table.shape)) continue;
        std::memcpy(result.bytes.data() + i * size, table.bytes.data() + static_cast<std::size_t>(number) * size, size);
    }
    if (instruction.out.is_temp())
        temps_[instruction.out.index()] = std::move(result);
    else
        write(result, window_of(program_, program_.views[instruction.out.index()]));
}

void Oracle::execute_scatter(const Instruction& instruction) {
    const auto extents = program_.domain_extents(instruction.domain);
    const Shape domain(extents.begin(), extents.end());
    const Dense values = spread(operand_value(instruction.in[0]), domain);
    const Dense numbers = spread(operand_value(instruction.in[1]), domain);
    Dense target = operand_value(instruction.in[2]);
    const std::size_t size = bc::size_of(instruction.type);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_of(domain)); ++i) {
        std::int64_t number = 0;
        std::memcpy(&number, numbers.bytes.data() + i * sizeof number, sizeof number);
        if (number < 0 || number >= count_of(target.shape)) continue;
        std::memcpy(target.bytes.data() + static_cast<std::size_t>(number) * size, values.bytes.data() + i * size,
                    size);
    }
    write(target, window_of(program_, program_.views[instruction.out.index()]));
}

void Oracle::write(const Dense& value, const Window& window) {
    scatter(value, window, outcome_.bases[window.base]);
    std::vector<char>& defined = outcome_.defined[window.base];
    if (defined.empty()) return;
    for_each_element(window, [&](std::int64_t at) { defined[static_cast<std::size_t>(at)] = 1; });
}

Dense spread(const Dense& value, const Shape& shape) {
    if (value.shape == shape) return value;
    // A view may have extents of 1 in front that the domain lacks.
    Shape own = value.shape;
    while (own.size() > shape.size()) own.erase(own.begin());
    const Shape strides = dense_strides(own);
    Window window;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const std::size_t missing = shape.size() - own.size();
        const bool repeats = axis < missing || own[axis - missing] == 1;
        window.dims.push_back({shape[axis], repeats ? 0 : strides[axis - missing]});
    }
    return gather(window, value.type, value.bytes);
}

Dense gather(const Window& window, bc::DType type, const Bytes& base) {
    const std::size_t size = bc::size_of(type);
    Dense value{type, shape_of(window), Bytes(static_cast<std::size_t>(count_of(window)) * size)};
    std::byte* to = value.bytes.data();
    for_each_element(window, [&](std::int64_t at) {
        std::memcpy(to, base.data() + static_cast<std::size_t>(at) * size, size);
        to += size;
    });
    return value;
}

void scatter(const Dense& value, const Window& window, Bytes& base) {
    const std::size_t size = bc::size_of(value.type);
    const std::byte* from = value.bytes.data();
    for_each_element(window, [&](std::int64_t at) {
        std::memcpy(base.data() + static_cast<std::size_t>(at) * size, from, size);
        from += size;
    });
}

Outcome run_oracle(const Case& c) {
    Oracle oracle(c);
    for (std::uint32_t i = 0; i < c.program.instructions.size(); ++i) oracle.execute(i);
    return std::move(oracle.outcome());
}

}  // namespace xlazy::fuzz
