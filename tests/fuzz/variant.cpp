// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/variant.hpp"

#include "fuzz/geometry.hpp"

#include <algorithm>
#include <map>

namespace xlazy::fuzz {
namespace {

using bc::Operand;
using bc::Program;

/// Rebuilds views and domains through `view` (changes a window) and `extent` (changes an extent of a domain).
template <class ViewEdit, class ExtentEdit>
Program rebuilt(const Program& program, ViewEdit&& view, ExtentEdit&& extent) {
    Program result;
    result.bases = program.bases;
    result.scalars = program.scalars;
    result.origins = program.origins;
    result.instructions = program.instructions;
    result.temp_count = program.temp_count;
    result.statement_count = program.statement_count;
    for (std::size_t i = 0; i < program.views.size(); ++i) {
        Window window = window_of(program, program.views[i]);
        view(i, window);
        result.add_view(window.base, window.offset, window.dims);
    }
    std::vector<std::uint32_t> domains;
    for (const bc::Domain& domain : program.domains) {
        const auto extents = program.extents_of(domain);
        Shape shape(extents.begin(), extents.end());
        for (std::int64_t& one : shape) one = extent(one);
        domains.push_back(result.intern_domain(shape));
    }
    for (bc::Instruction& instruction : result.instructions) instruction.domain = domains[instruction.domain];
    return result;
}

void move_window(Window& window, Random& random) {
    switch (random.below(4)) {
        case 0: window.offset += random.between(-3, 3); break;
        case 1:
            if (!window.dims.empty()) window.offset += random.pick(window.dims).stride * random.between(-1, 1);
            break;
        case 2:
            if (!window.dims.empty()) {
                bc::Dim& dim =
                    window.dims[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(window.dims.size())))];
                window.offset += (dim.extent - 1) * dim.stride;
                dim.stride = -dim.stride;
            }
            break;
        default:
            if (window.dims.size() > 1) std::swap(window.dims.front().stride, window.dims.back().stride);
            break;
    }
}

}  // namespace

Program with_extent(const Program& program, std::int64_t from, std::int64_t to) {
    const auto change = [&](std::int64_t extent) { return extent == from ? to : extent; };
    return rebuilt(
        program,
        [&](std::size_t, Window& window) {
            for (bc::Dim& dim : window.dims) dim.extent = change(dim.extent);
        },
        change);
}

Case variant_of(const Case& c, Random& random) {
    Case other = c;
    for (bc::Scalar& scalar : other.program.scalars)
        if (random.percent(50)) scalar = random_scalar(scalar.type, Flavour::Special, random.word());
    other.data_seed = random.word();
    if (random.percent(40) && !c.program.extents.empty()) {
        const std::int64_t from = random.pick(c.program.extents);
        other.program = with_extent(other.program, from, std::max<std::int64_t>(0, from + random.between(-2, 1)));
    }
    if (random.percent(80) && !c.program.views.empty()) {
        // One view or two: a change of many would hardly ever satisfy any guard.
        const std::int64_t views = static_cast<std::int64_t>(c.program.views.size());
        const auto first = static_cast<std::size_t>(random.below(views)),
                   second = static_cast<std::size_t>(random.below(views));
        const bool both = random.percent(50);
        other.program = rebuilt(
            other.program,
            [&](std::size_t i, Window& window) {
                if (i == first || (both && i == second)) move_window(window, random);
            },
            [](std::int64_t extent) { return extent; });
    }
    return other;
}

Program without(const Program& program, const std::function<bool(std::size_t)>& keep) {
    Program result = program;
    result.instructions.clear();
    result.origins.clear();
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
        if (!keep(i)) continue;
        result.instructions.push_back(program.instructions[i]);
        result.origins.push_back(program.origins[i]);
    }
    return result;
}

Program compacted(const Program& program) {
    Program result;
    std::map<std::uint32_t, std::uint32_t> bases, views, scalars, temps, statements;
    const auto numbered = [](auto& map, std::uint32_t key, auto&& add) {
        const auto found = map.find(key);
        if (found != map.end()) return found->second;
        const auto index = static_cast<std::uint32_t>(map.size());
        map.emplace(key, index);
        add();
        return index;
    };
    const auto base_of = [&](std::uint32_t base) {
        return numbered(bases, base, [&] { result.bases.push_back(program.bases[base]); });
    };
    const auto moved = [&](Operand operand) {
        const std::uint32_t index = operand.index();
        if (operand.is_temp()) return Operand::temp(numbered(temps, index, [&] { ++result.temp_count; }));
        if (operand.is_scalar())
            return Operand::scalar(numbered(scalars, index, [&] { result.scalars.push_back(program.scalars[index]); }));
        if (!operand.is_view()) return operand;
        const bc::View& view = program.views[index];
        const std::uint32_t base = base_of(view.base);
        return Operand::view(
            numbered(views, index, [&] { result.add_view(base, view.offset, program.dims_of(view)); }));
    };
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
        bc::Instruction instruction = program.instructions[i];
        instruction.domain = result.intern_domain(program.domain_extents(instruction.domain));
        for (Operand& operand : instruction.in) operand = moved(operand);
        instruction.out = moved(instruction.out);
        instruction.statement = numbered(statements, instruction.statement, [&] { ++result.statement_count; });
        result.instructions.push_back(instruction);
        result.origins.push_back(program.origins[i]);
    }
    return result;
}

}  // namespace xlazy::fuzz
