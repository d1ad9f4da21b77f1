// SPDX-License-Identifier: BSD-3-Clause
// A kernel for every op and type of the table, with every set of operands as scalars.
#pragma once

#include "backends/random_kernel.hpp"

#include <fmt/format.h>

namespace xlazy::test {

struct Case {
    Op op;
    DType type;
    DType result;
};

inline std::vector<Case> map_cases() {
    std::vector<Case> cases;
    for (std::size_t i = 0; i < bc::kOpCount; ++i) {
        const auto op = static_cast<Op>(i);
        if (bc::info(op).kind != bc::OpKind::Map || op == Op::in_range) continue;  // it has tests of its own
        for (const DType type : enabled_types()) {
            if (!bc::accepts(op, type)) continue;
            if (op == Op::cast) {
                for (const DType result : enabled_types()) cases.push_back({op, type, result});
            } else {
                cases.push_back({op, type, bc::result_of(op, type)});
            }
        }
    }
    return cases;
}

inline std::string name_of(const Case& c) {
    return fmt::format("{}_{}_{}", bc::name_of(c.op), bc::name_of(c.type), bc::name_of(c.result));
}

template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = random_value<T>(random);
    return values;
}

inline std::uint32_t random_base(TestKernel& kernel, DType type, std::int64_t size, std::uint64_t seed) {
    std::uint32_t base = 0;
    with_type(type, [&]<class T>(std::type_identity<T>) {
        base = kernel.base_of(random_values<T>(static_cast<std::size_t>(size), seed));
    });
    return base;
}

inline DType operand_type(const Case& c, unsigned operand) {
    return c.op == Op::select && operand == 0 ? DType::boolean : c.type;
}

/// A view of a new base for each operand; `what` numbers a way in which they lie in memory.
inline constexpr int kLayouts = 8;
inline TestKernel kernel_of(const Case& c, int layout) {
    static const Extents domains[kLayouts] = {{3001},   {1500},    {40, 37},     {500, 3},
                                              {7, 300}, {3, 0, 2}, {4, 5, 6, 7}, {}};
    const Extents& domain = domains[layout];
    TestKernel kernel(domain);
    std::mt19937_64 random(static_cast<std::uint64_t>(layout) + 99);
    const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<std::uint64_t>(below)); };
    const auto window = [&](DType type, bool repeat) {
        std::vector<bc::Dim> dims(domain.size());
        std::int64_t step = 1, offset = 0;
        for (std::size_t axis = domain.size(); axis-- > 0;) {
            const std::int64_t extent = repeat && pick(3) == 0 ? 1 : domain[axis];
            if (layout == 1 || layout == 6) step *= 1 + pick(3);
            const bool backwards = layout != 0 && pick(3) == 0 && extent > 1;
            dims[axis] = {extent, extent == 1 ? 0 : backwards ? -step : step};
            if (backwards) offset += step * (extent - 1);
            step *= std::max<std::int64_t>(extent, 1);
        }
        return kernel.view(random_base(kernel, type, step, random()), offset, dims);
    };
    // Every set of operands as scalars.
    const unsigned arity = bc::info(c.op).arity;
    for (unsigned form = 0; form < 1u << arity; ++form) {
        ValueId in[3] = {bc::kNoValue, bc::kNoValue, bc::kNoValue};
        for (unsigned i = 0; i < arity; ++i) {
            if ((form >> i & 1) == 0)
                in[i] = kernel.load(window(operand_type(c, i), true));
            else
                with_type(operand_type(c, i),
                          [&]<class T>(std::type_identity<T>) { in[i] = kernel.scalar(random_value<T>(random)); });
        }
        const ValueId mask =
            bc::can_fail(c.op, c.type) && form % 2 == 1 ? kernel.load(window(DType::boolean, true)) : bc::kNoValue;
        std::initializer_list<ValueId> operands[] = {{}, {in[0]}, {in[0], in[1]}, {in[0], in[1], in[2]}};
        kernel.store(window(c.result, false), kernel.compute(c.op, c.type, operands[arity], c.result, mask));
    }
    return kernel;
}

}  // namespace xlazy::test
