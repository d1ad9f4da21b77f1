// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/detail/indexed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace xlazy::detail {

std::vector<index_list> index_list::rounds() const {
    const auto before = [&](std::size_t a, std::size_t b) {
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            if (at(axis, a) != at(axis, b)) return at(axis, a) < at(axis, b);
        }
        return false;
    };
    std::vector<std::size_t> order(count), round(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), before);
    std::vector<std::size_t> counts(std::min<std::size_t>(count, 1));
    for (std::size_t i = 0; i < count; ++i) {
        const bool again = i != 0 && !before(order[i - 1], order[i]);
        round[order[i]] = again ? round[order[i - 1]] + 1 : 0;
        counts.resize(std::max(counts.size(), round[order[i]] + 1));
        ++counts[round[order[i]]];
    }
    if (counts.size() == 1) return {*this};
    std::vector<index_list> result;
    for (const std::size_t each : counts) {
        result.push_back({each, extents, {}, inside});
        result.back().values.reserve(extents.size() * each);
    }
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        for (std::size_t number = 0; number < count; ++number) result[round[number]].values.push_back(at(axis, number));
    }
    return result;
}

void index_list::check(std::size_t number) const {
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        const std::int64_t index = at(axis, number);
        if (index >= 0 && index < extents[axis]) continue;
        throw std::out_of_range(with_place(rt::LineScope::current(),
                                           "index " + std::to_string(index) + " is out of bounds for axis " +
                                               std::to_string(axis) + " with size " + std::to_string(extents[axis])));
    }
}

void throw_other_shape(const char* function, const std::vector<std::size_t>& array,
                       const std::vector<std::size_t>& condition) {
    throw_broadcast(fmt::format("{}: the condition has shape ({}), the array ({})", function, fmt::join(condition, ","),
                                fmt::join(array, ",")));
}

window indices_of(const index_list& list, leaves& memory) {
    const std::size_t extents[] = {list.extents.size(), list.count};
    const window all = memory.add(bc::DType::i64, 2, extents, false);
    if (!list.values.empty())
        std::memcpy(rt::base_fill(all.base), list.values.data(), list.values.size() * sizeof(std::int64_t));
    return all;
}

Value numbers_of(rt::Statement& statement, const window& table, const window& indices) {
    const std::size_t count = indices.extents[1];
    Value number = statement.scalar(std::int64_t{0});
    for (std::size_t axis = 0; axis < table.rank; ++axis) {
        window row{indices.base, static_cast<std::int64_t>(axis * count), 0, {}, {}};
        row.add(count, 1);
        const auto extent = static_cast<std::int64_t>(table.extents[axis]);
        const Value index = statement.in_range(statement.load(row.ref()), extent, axis);
        if (axis != 0) {
            const Value before = statement.apply(rt::Op::mul, bc::DType::i64, number, statement.scalar(extent));
            number = statement.apply(rt::Op::add, bc::DType::i64, before, index);
        } else {
            number = index;
        }
    }
    return table.rank == 0 ? statement.broadcast(number, 1, &count) : number;
}

void gather(const window& table, const index_list& list, const window& to) {
    leaves memory;
    const window indices = indices_of(list, memory);
    rt::Statement statement(rt::LineScope::current());
    const Value value = statement.gather(table.ref(), numbers_of(statement, table, indices));
    statement.store(to.ref(), value);
}

}  // namespace xlazy::detail
