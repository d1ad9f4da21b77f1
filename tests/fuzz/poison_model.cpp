// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/poison_model.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xlazy::fuzz {

PoisonModel::PoisonModel(const bc::Program& program)
    : program_(program),
      must_(program.bases.size()),
      may_(program.bases.size()),
      last_write_(program.bases.size(), 0) {}

PoisonModel::Taint PoisonModel::taint_of(bc::Operand operand) const {
    if (operand.is_temp()) {
        const auto found = temps_.find(operand.index());
        return found == temps_.end() ? Taint{} : found->second;
    }
    if (!operand.is_view()) return {};
    const Window window = window_of(program_, program_.views[operand.index()]);
    const std::vector<char>& must = must_[window.base];
    Taint taint{may_[window.base], false};
    if (!must.empty())
        for_each_element(
            window, [&](std::int64_t at) { taint.certain = taint.certain || must[static_cast<std::size_t>(at)] != 0; });
    return taint;
}

void PoisonModel::statement(std::size_t first, std::size_t last, std::span<const be::Trap> traps, std::uint32_t line) {
    for (std::size_t i = first; i < last; ++i) {
        const bc::Instruction& instruction = program_.instructions[i];
        Taint taint;
        const bool scatters = bc::info(instruction.op).kind == bc::OpKind::Scatter;
        for (unsigned k = 0; k < (scatters ? 2 : bc::operand_count(instruction)); ++k) {
            const Taint more = taint_of(instruction.in[k]);
            taint.lines.insert(more.lines.begin(), more.lines.end());
            taint.certain = taint.certain || more.certain;
        }
        for (const be::Trap& trap : traps) {
            if (trap.instruction != i) continue;
            unreported_.push_back({line, operation_of(i, last), taint.lines.empty()});
            taint.lines.insert(line);
            taint.certain = true;
        }
        if (instruction.out.is_temp()) {
            temps_[instruction.out.index()] = std::move(taint);
            continue;
        }
        const Window output = window_of(program_, program_.views[instruction.out.index()]);
        if (scatters)
            spoil(taint, output);
        else
            write(taint, output);
        last_write_[output.base] = line;
    }
}

/// As messages name it: indices that are out of range are the fault of what uses them.
std::string PoisonModel::operation_of(std::size_t instruction, std::size_t last) const {
    if (program_.instructions[instruction].op == bc::Op::in_range) {
        for (std::size_t i = instruction + 1; i < last; ++i) {
            const bc::Op op = program_.instructions[i].op;
            if (op == bc::Op::gather || op == bc::Op::scatter) return std::string(bc::name_of(op));
        }
    }
    return std::string(bc::name_of(program_.instructions[instruction].op));
}

/// What a scatter leaves as it is stays worth what it was.
void PoisonModel::spoil(const Taint& taint, const Window& window) {
    if (taint.certain) {
        std::vector<char>& must = must_[window.base];
        if (must.empty()) must.assign(static_cast<std::size_t>(program_.bases[window.base].size), 0);
        for_each_element(window, [&](std::int64_t at) { must[static_cast<std::size_t>(at)] = 1; });
    }
    may_[window.base].insert(taint.lines.begin(), taint.lines.end());
}

void PoisonModel::write(const Taint& taint, const Window& window) {
    const std::int64_t size = program_.bases[window.base].size;
    std::vector<char>& must = must_[window.base];
    if (must.empty() && taint.certain) must.assign(static_cast<std::size_t>(size), 0);
    if (!must.empty())
        for_each_element(window, [&](std::int64_t at) { must[static_cast<std::size_t>(at)] = taint.certain ? 1 : 0; });
    std::set<std::uint32_t>& may = may_[window.base];
    // Only a write of the whole array takes back what its parts were.
    if (kind_of(window, size) == ViewKind::Whole || size == 1)
        may = taint.lines;
    else
        may.insert(taint.lines.begin(), taint.lines.end());
}

bool PoisonModel::must_throw_when_read(std::uint32_t base) const {
    return std::any_of(must_[base].begin(), must_[base].end(), [](char element) { return element != 0; });
}

bool PoisonModel::report_due() const {
    return std::any_of(unreported_.begin(), unreported_.end(), [](const Failure& failure) { return failure.certain; });
}

bool PoisonModel::report_due_when_read(std::uint32_t base) const {
    return std::any_of(unreported_.begin(), unreported_.end(),
                       [&](const Failure& failure) { return failure.certain && failure.line <= last_write_[base]; });
}

std::string PoisonModel::thrown(std::uint32_t base, std::uint32_t line, const std::string& operation) {
    const auto found = std::find_if(unreported_.begin(), unreported_.end(), [&](const Failure& failure) {
        return failure.line == line && failure.operation == operation;
    });
    if (found != unreported_.end()) {
        const auto earlier =
            std::find_if(unreported_.begin(), found, [](const Failure& failure) { return failure.certain; });
        if (earlier != found)
            return fmt::format("the error of line {} came before that of line {}", line, earlier->line);
        unreported_.clear();
        return "";
    }
    if (base != kNoBase && may_[base].contains(line)) return "";
    return fmt::format("an error of line {} ({}) that was not due", line, operation);
}

}  // namespace xlazy::fuzz
