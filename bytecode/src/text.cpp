// SPDX-License-Identifier: BSD-3-Clause
// Printing of the text form. parse.cpp reads it back.
#include "xlazy/bytecode/text.hpp"

#include "cursor.hpp"
#include "scalar_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace xlazy::bc {
namespace {

using Out = std::back_insert_iterator<std::string>;

template <class Range, class Part>
std::string list(const Range& range, Part part) {
    std::string text = "(";
    for (const auto& value : range)
        fmt::format_to(std::back_inserter(text), "{}{}", text.size() > 1 ? "," : "", part(value));
    return text + ')';
}

std::string operand_name(Operand operand) {
    constexpr char kPrefixes[] = {'?', 'v', 't', 's'};
    return operand ? fmt::format("{}{}", kPrefixes[static_cast<std::size_t>(operand.kind())], operand.index()) : "none";
}

/// Without the origin and the statement.
void print_operation(Out out, const Instruction& instruction) {
    fmt::format_to(out, "{}.{}", name_of(instruction.op), name_of(instruction.type));
    if (instruction.result != result_of(instruction.op, instruction.type)) fmt::format_to(out, ".{}", name_of(instruction.result));
    fmt::format_to(out, " {} d{}", operand_name(instruction.out), instruction.domain);
    const OpInfo& op = info(instruction.op);
    for (unsigned i = 0; i < op.arity; ++i) fmt::format_to(out, " {}", operand_name(instruction.in[i]));
    if (has_axis(instruction.op)) fmt::format_to(out, " axis={}", instruction.axis);
    if ((instruction.flags & Instruction::kKeepAxis) != 0) fmt::format_to(out, " keep");
    if ((instruction.flags & Instruction::kMasked) != 0)
        fmt::format_to(out, " mask={}", operand_name(instruction.in[2]));
}

void print_tables(Out out, const Program& program) {
    for (std::size_t i = 0; i < program.bases.size(); ++i) {
        const BaseInfo& base = program.bases[i];
        fmt::format_to(out, "base b{} {}[{}]{}{}\n", i, name_of(base.type), base.size, base.initialised ? " init" : "",
                       base.live ? " live" : "");
    }
    for (std::size_t i = 0; i < program.views.size(); ++i) {
        const View& view = program.views[i];
        const std::span<const Dim> dims = program.dims_of(view);
        fmt::format_to(out, "view v{} b{} {:+} {}:{}\n", i, view.base, view.offset,
                       list(dims, [](const Dim& dim) { return dim.extent; }),
                       list(dims, [](const Dim& dim) { return dim.stride; }));
    }
    for (std::size_t i = 0; i < program.scalars.size(); ++i) {
        const Scalar& scalar = program.scalars[i];
        fmt::format_to(out, "scalar s{} {} {}\n", i, name_of(scalar.type), scalar_text(scalar));
    }
    for (std::size_t i = 0; i < program.domains.size(); ++i) {
        fmt::format_to(out, "domain d{} {}\n", i,
                       list(program.extents_of(program.domains[i]), [](std::int64_t extent) { return extent; }));
    }
}

/// Origins are numbered from 1 by first sight, so that the text does not depend on what else the process interned.
std::unordered_map<OriginId, std::size_t> print_origins(Out out, const Program& program) {
    std::unordered_map<OriginId, std::size_t> numbers{{0, 0}};
    for (const OriginId id : program.origins) {
        if (!numbers.emplace(id, numbers.size()).second) continue;
        const Origin place = origin(id);
        fmt::format_to(out, "origin o{} {}:{}", numbers[id], quoted(place.file), place.line);
        if (place.function != nullptr) fmt::format_to(out, " {}", quoted(place.function));
        fmt::format_to(out, "\n");
    }
    return numbers;
}

/// What parse() takes the counts to be where the text does not say.
Counts used_counts(const Program& program) noexcept {
    Counts counts;
    for (const Instruction& instruction : program.instructions) counts.see(instruction);
    return counts;
}

}  // namespace

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') fmt::format_to(std::back_inserter(result), "\\{}", c);
        else if (static_cast<unsigned char>(c) < 0x20) {
            fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<unsigned>(c));
        } else result += c;
    }
    return result + '"';
}

std::string print(const Program& program) {
    std::string text = "xlazy-bytecode 1\n";
    const Out out = std::back_inserter(text);
    print_tables(out, program);
    const auto numbers = print_origins(out, program);
    const Counts used = used_counts(program);
    if (program.temp_count != used.temps) fmt::format_to(out, "temps {}\n", program.temp_count);
    if (program.statement_count != used.statements) fmt::format_to(out, "statements {}\n", program.statement_count);
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
        print_operation(out, program.instructions[i]);
        const OriginId id = i < program.origins.size() ? program.origins[i] : 0;
        fmt::format_to(out, " @o{} #{}\n", numbers.at(id), program.instructions[i].statement);
    }
    return text;
}

std::string print(const Program& program, std::size_t instruction) {
    std::string text;
    print_operation(std::back_inserter(text), program.instructions[instruction]);
    const OriginId id = instruction < program.origins.size() ? program.origins[instruction] : 0;
    fmt::format_to(std::back_inserter(text), " @{} #{}", to_string(id), program.instructions[instruction].statement);
    return text;
}

}  // namespace xlazy::bc
