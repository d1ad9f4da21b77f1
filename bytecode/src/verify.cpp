// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/bytecode/verify.hpp"

#include "library_call.hpp"
#include "typing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace xlazy::bc {
namespace {

/// `begin` and the `count` that follow lie in a table of `size` entries.
bool within(std::size_t begin, std::size_t count, std::size_t size) noexcept {
    return begin <= size && count <= size - begin;
}

bool enabled(DType type) noexcept { return type < DType::none && info(type).enabled; }

std::string base_fault(const BaseInfo& base) {
    if (!enabled(base.type)) return "no kernels exist for its type";
    return base.size < 0 ? "its size is negative" : "";
}

std::string scalar_fault(const Scalar& scalar) {
    if (!enabled(scalar.type)) return "no kernels exist for its type";
    unsigned char bytes[sizeof scalar.bits];
    std::memcpy(bytes, scalar.bits, sizeof bytes);
    if (std::any_of(bytes + size_of(scalar.type), bytes + sizeof bytes, [](unsigned char byte) { return byte != 0; })) {
        return "bits beyond its type are set";
    }
    return scalar.type == DType::boolean && bytes[0] > 1 ? "a bool is 0 or 1" : "";
}

std::string domain_fault(const Program& program, std::uint32_t index, Program& seen) {
    const Domain& domain = program.domains[index];
    if (domain.rank > kMaxRank) return fmt::format("rank {}", domain.rank);
    if (!within(domain.extents_begin, domain.rank, program.extents.size())) return "extents out of range";
    const std::span<const std::int64_t> extents = program.extents_of(domain);
    if (std::ranges::any_of(extents, [](std::int64_t extent) { return extent < 0; })) return "a negative extent";
    if (element_count(extents) == std::numeric_limits<std::int64_t>::max()) return "too many elements";
    const std::uint32_t first = seen.intern_domain(extents);
    return first == index ? "" : fmt::format("the same shape as d{}", first);
}

std::string view_fault(const Program& program, const View& view) {
    if (view.base >= program.bases.size()) return fmt::format("there is no base b{}", view.base);
    if (view.rank > kMaxRank) return fmt::format("rank {}", view.rank);
    if (!within(view.dims_begin, view.rank, program.dims.size())) return "dims out of range";
    const std::span<const Dim> dims = program.dims_of(view);
    if (std::ranges::any_of(dims, [](const Dim& dim) { return dim.extent < 0; })) return "a negative extent";
    if (std::ranges::any_of(dims, [](const Dim& dim) { return dim.extent == 0; })) return {};
    std::int64_t first = view.offset;
    std::int64_t last = view.offset;
    bool overflow = false;
    for (const Dim& dim : dims) {
        std::int64_t& end = dim.stride < 0 ? first : last;
        std::int64_t reach = 0;
        overflow |=
            __builtin_mul_overflow(dim.extent - 1, dim.stride, &reach) || __builtin_add_overflow(end, reach, &end);
    }
    if (overflow || first < 0 || last >= program.bases[view.base].size) {
        return fmt::format("not inside b{}, which has {} elements", view.base, program.bases[view.base].size);
    }
    return element_count(shape_from(dims).span()) == std::numeric_limits<std::int64_t>::max() ? "too many elements"
                                                                                              : "";
}

/// Applies `fault` to each entry of a table.
template <class Fault>
std::string table_fault(char prefix, std::size_t size, Fault fault) {
    for (std::size_t i = 0; i < size; ++i) {
        const std::string what = fault(static_cast<std::uint32_t>(i));
        if (!what.empty()) return fmt::format("{}{}: {}", prefix, i, what);
    }
    return {};
}

std::string tables_fault(const Program& p) {
    Program seen;
    std::string fault = table_fault('b', p.bases.size(), [&](std::uint32_t i) { return base_fault(p.bases[i]); });
    if (fault.empty()) {
        fault = table_fault('s', p.scalars.size(), [&](std::uint32_t i) { return scalar_fault(p.scalars[i]); });
    }
    if (fault.empty()) {
        fault = table_fault('d', p.domains.size(), [&](std::uint32_t i) { return domain_fault(p, i, seen); });
    }
    if (fault.empty()) {
        fault = table_fault('v', p.views.size(), [&](std::uint32_t i) { return view_fault(p, p.views[i]); });
    }
    if (fault.empty() && p.origins.size() != p.instructions.size()) {
        fault = fmt::format("{} origins for {} instructions", p.origins.size(), p.instructions.size());
    }
    return fault;
}

struct Temp {
    DType type;
    Shape shape;
    std::uint32_t statement;
};

/// Goes through the instructions in order.
class Checker {
public:
    Checker(const Program& program, Strictness strictness)
        : program_(program), recorded_(strictness == Strictness::Recorded), values_(program) {}

    std::string run() {
        for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
            const std::string fault = check(i);
            if (!fault.empty()) return fmt::format("instruction {} {}: {}", i, describe(i), fault);
        }
        return {};
    }

private:
    std::string describe(std::size_t i) const {
        const Instruction& instruction = program_.instructions[i];
        const std::string place = bc::to_string(program_.origins[i]);
        const bool known = static_cast<std::size_t>(instruction.op) < kOpCount && instruction.type < DType::none;
        return known ? fmt::format("({}.{}, {})", name_of(instruction.op), name_of(instruction.type), place)
                     : fmt::format("({})", place);
    }

    std::string check(std::size_t i) {
        const Instruction& instruction = program_.instructions[i];
        if (program_.origins[i] == 0) return "no origin";
        if (instruction.domain >= program_.domains.size())
            return fmt::format("there is no domain d{}", instruction.domain);
        if (instruction.reserved_ != 0) return "the reserved field is not 0";
        if (instruction.statement >= program_.statement_count) return "the statement's number is out of range";
        const Shape domain = shape_from(program_.domain_extents(instruction.domain));
        std::string fault = operation_fault(instruction.op, instruction.type, instruction.result, instruction.flags,
                                            instruction.axis, domain);
        for (unsigned k = 0; k < 3 && fault.empty(); ++k) fault = operand_fault(instruction, k, domain);
        if (fault.empty()) fault = output_fault(instruction, domain);
        if (fault.empty() && recorded_) fault = statement_fault(i);
        return fault;
    }

    std::string operand_fault(const Instruction& instruction, unsigned k, const Shape& domain) const {
        const Operand operand = instruction.in[k];
        const bool mask = k == 2 && (instruction.flags & Instruction::kMasked) != 0;
        if (!mask && k >= info(instruction.op).arity) {
            return operand ? fmt::format("operand {} does not belong there", k) : "";
        }
        if (!operand) return fmt::format("operand {} is missing", k);
        DType type = DType::none;
        Shape shape;
        const std::string fault = read(operand, instruction, type, shape);
        if (!fault.empty()) return fault;
        if (type != operand_type(instruction, k)) {
            return fmt::format("operand {} is {}, not {}", k, name_of(type), name_of(operand_type(instruction, k)));
        }
        if (info(instruction.op).kind == OpKind::Library) return library_operand_fault(instruction, k);
        if (whole_view(instruction, k)) {
            if (!operand.is_view()) return fmt::format("operand {} is no view", k);
        } else if (!broadcasts(shape, domain)) {
            return fmt::format("operand {} of shape {} does not broadcast to {}", k, to_string(shape),
                               to_string(domain));
        }
        return {};
    }

    /// An operand whose elements are found by their numbers.
    static bool whole_view(const Instruction& instruction, unsigned k) noexcept {
        const OpKind kind = info(instruction.op).kind;
        return (kind == OpKind::Gather && k == 0) || (kind == OpKind::Scatter && k == 2);
    }

    /// A library routine takes whole arrays, and reads them while it writes.
    std::string library_operand_fault(const Instruction& instruction, unsigned k) const {
        const Operand operand = instruction.in[k];
        if (operand.is_temp()) return fmt::format("operand {} of a library call is a temporary", k);
        const std::size_t views = program_.views.size();
        if (!operand.is_view() || !instruction.out.is_view() || instruction.out.index() >= views) return {};
        const std::uint32_t base = program_.views[operand.index()].base;
        if (program_.views[instruction.out.index()].base != base) return {};
        return fmt::format("a library call reads and writes b{}", base);
    }

    /// Type and shape of an operand that can be read.
    std::string read(Operand operand, const Instruction& instruction, DType& type, Shape& shape) const {
        const std::uint32_t index = operand.index();
        if (operand.is_scalar()) {
            if (index >= program_.scalars.size()) return fmt::format("there is no scalar s{}", index);
            type = program_.scalars[index].type;
        } else if (operand.is_view()) {
            if (index >= program_.views.size()) return fmt::format("there is no view v{}", index);
            const View& view = program_.views[index];
            type = program_.bases[view.base].type;
            shape = shape_from(program_.dims_of(view));
            if (!values_.readable(index)) return fmt::format("b{} is read before it has a value", view.base);
        } else {
            const auto found = temps_.find(index);
            if (found == temps_.end()) return fmt::format("t{} is used before it is defined", index);
            const Temp& temp = found->second;
            if (recorded_ && temp.statement != instruction.statement) {
                return fmt::format("t{} belongs to statement {}", index, temp.statement);
            }
            type = temp.type;
            shape = temp.shape;
        }
        return {};
    }

    std::string output_fault(const Instruction& instruction, const Shape& domain) {
        const bool reduces = info(instruction.op).kind == OpKind::Reduce;
        const bool keep = (instruction.flags & Instruction::kKeepAxis) != 0;
        const Shape shape = reduces ? reduced(domain, instruction.axis, keep) : domain;
        const std::uint32_t index = instruction.out.index();
        if (info(instruction.op).kind == OpKind::Scatter && !instruction.out.is_view()) return "no view is written";
        const bool calls = info(instruction.op).kind == OpKind::Library;
        if (instruction.out.is_temp() && !calls) {
            if (index >= program_.temp_count) return fmt::format("t{} is out of range", index);
            const Temp temp{instruction.result, shape, instruction.statement};
            return temps_.emplace(index, temp).second ? "" : fmt::format("t{} is defined twice", index);
        }
        if (!instruction.out.is_view())
            return calls ? "a library call writes no view" : "the output is neither a view nor a temporary";
        if (index >= program_.views.size()) return fmt::format("there is no view v{}", index);
        const View& view = program_.views[index];
        const DType type = program_.bases[view.base].type;
        if (type != instruction.result) {
            return fmt::format("{} is written to b{} of type {}", name_of(instruction.result), view.base,
                               name_of(type));
        }
        const Shape window = shape_from(program_.dims_of(view));
        if (info(instruction.op).kind == OpKind::Scatter) {
            if (relation(program_, index, instruction.in[2].index()) != Relation::Identical &&
                !interval_of(program_, index).empty())
                return "a scatter writes another view than the one that it reads";
        } else if (!calls && !same_but_leading_ones(window, shape)) {
            return fmt::format("a result of shape {} is written to v{} of shape {}", to_string(shape), index,
                               to_string(window));
        }
        if (calls) {
            const std::string fault = library_shape_fault(program_, instruction);
            if (!fault.empty()) return fault;
        }
        if (repeats_elements(program_, index)) return fmt::format("v{} is written and repeats elements", index);
        values_.write(index);
        return {};
    }

    /// What holds of a batch as it was recorded, before any pass.
    std::string statement_fault(std::size_t i) const {
        const Instruction& instruction = program_.instructions[i];
        const bool last =
            i + 1 == program_.instructions.size() || program_.instructions[i + 1].statement != instruction.statement;
        if (last && !instruction.out.is_view()) return "a statement ends without writing a view";
        if (!last && !instruction.out.is_temp()) return "a view is written before the statement ends";
        if (i == 0) return {};
        const std::uint32_t before = program_.instructions[i - 1].statement;
        if (instruction.statement < before) return "statements are out of order";
        if (instruction.statement == before && program_.origins[i] != program_.origins[i - 1]) {
            return "a statement has two origins";
        }
        return {};
    }

    const Program& program_;
    const bool recorded_;
    ValueTracker values_;
    std::unordered_map<std::uint32_t, Temp> temps_;
};

}  // namespace

std::string verify(const Program& program, Strictness strictness) {
    const std::string fault = tables_fault(program);
    return fault.empty() ? Checker(program, strictness).run() : fault;
}

}  // namespace xlazy::bc
