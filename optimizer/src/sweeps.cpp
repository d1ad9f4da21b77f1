// SPDX-License-Identifier: BSD-3-Clause
#include "sweeps.hpp"

#include "draft.hpp"
#include "xlazy/optimizer/traffic.hpp"

#include <algorithm>

namespace xlazy::opt {

using bc::Instruction;
using bc::Operand;
using bc::Relation;

namespace {

constexpr std::uint64_t kCacheLine = 64;
constexpr std::size_t kMostWrites = 64;  ///< of a base that are compared with a read; the oldest are given up
constexpr std::size_t kMostLoads = 32;   ///< of a statement that are compared with each other

/// The axes along which a view moves.
std::vector<bc::Dim> moving(std::span<const bc::Dim> dims) {
    std::vector<bc::Dim> result;
    for (const bc::Dim& dim : dims) {
        if (dim.extent > 1 && dim.stride != 0) result.push_back(dim);
    }
    return result;
}

/// How what is read lies to what was written; repeated along other axes it is still the same.
Relation relation_of(const bc::Program& program, std::uint32_t written, std::uint32_t read) {
    const Relation relation = bc::relation(program, written, read);
    if (relation != Relation::Overlap) return relation;
    const bc::View &a = program.views[written], &b = program.views[read];
    const bool same = a.offset == b.offset && moving(program.dims_of(a)) == moving(program.dims_of(b));
    return same ? Relation::Identical : Relation::Overlap;
}

}  // namespace

Sweeps::Sweeps(const bc::Program& program)
    : program_(program),
      temps_(program.temp_count),
      writes_(program.bases.size()),
      keeps_(program.instructions.size(), false) {
    for (std::uint32_t i = 0; i < program.instructions.size(); ++i) add(i);
}

std::int64_t Sweeps::domain_elements(const Instruction& instruction) const noexcept {
    return std::max<std::int64_t>(1, bc::element_count(program_.domain_extents(instruction.domain)));
}

std::int64_t Sweeps::elements_of(const Instruction& instruction) const noexcept {
    const std::int64_t all = domain_elements(instruction);
    if (!is_reduction(instruction)) return all;
    return all / std::max<std::int64_t>(1, program_.domain_extents(instruction.domain)[instruction.axis]);
}

void Sweeps::add(std::uint32_t number) {
    const Instruction& instruction = program_.instructions[number];
    if (instruction.statement != statement_) loaded_.clear();
    statement_ = instruction.statement;
    Place place{0, bc::size_of(instruction.type), false};
    const auto elements = static_cast<std::uint64_t>(domain_elements(instruction));
    for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
        const Operand operand = instruction.in[i];
        if (operand.is_scalar()) continue;
        const Temp in = operand.is_temp() ? temps_[operand.index()] : read(operand.index());
        place.sweep = std::max(place.sweep, in.place.sweep);
        place.neighbours = place.neighbours || in.place.neighbours;
        // A row's sum that is taken to each element of the row brings no other data with it.
        place.span = std::max(place.span, in.place.span * static_cast<std::uint64_t>(in.elements) / elements);
        if (operand.is_view()) note_load(operand.index(), place);
    }
    sweep_.push_back(place.sweep);
    if (is_reduction(instruction)) place = reduced(instruction, number, place);
    count_ = std::max(count_, place.sweep + 1);
    if (instruction.out.is_temp())
        temps_[instruction.out.index()] = {place, elements_of(instruction)};
    else
        note_write(instruction.out.index(), number, place);
}

Sweeps::Temp Sweeps::read(std::uint32_t view) {
    Temp result;
    for (const bc::Dim& dim : program_.dims_of(program_.views[view])) {
        result.elements *= std::max<std::int64_t>(1, dim.extent);
    }
    for (const Write& write : writes_[program_.views[view].base]) {
        const Relation relation = relation_of(program_, write.view, view);
        if (relation == Relation::Disjoint) continue;
        Place place = write.place;
        if (relation == Relation::Overlap && place.neighbours && program_.bases[program_.views[view].base].live) {
            keeps_[write.instruction] = true;
            place = {place.sweep + 1, 0, false};
        }
        result.place.sweep = std::max(result.place.sweep, place.sweep);
        result.place.span = std::max(result.place.span, place.span);
        result.place.neighbours = result.place.neighbours || place.neighbours;
    }
    return result;
}

void Sweeps::note_load(std::uint32_t view, Place& place) {
    const bool shifted = std::ranges::any_of(
        loaded_, [&](std::uint32_t other) { return relation_of(program_, other, view) == Relation::Overlap; });
    // A view that repeats elements overlaps itself, and is no neighbour of anything.
    place.neighbours = place.neighbours || (shifted && !bc::repeats_elements(program_, view));
    if (loaded_.size() < kMostLoads && std::ranges::find(loaded_, view) == loaded_.end()) loaded_.push_back(view);
}

Sweeps::Place Sweeps::reduced(const Instruction& instruction, std::uint32_t number, Place in) {
    const auto extents = program_.domain_extents(instruction.domain);
    bool inner = false;
    for (std::size_t axis = instruction.axis + 1u; axis < extents.size(); ++axis) inner |= extents[axis] > 1;
    const auto extent = static_cast<std::uint64_t>(std::max<std::int64_t>(1, extents[instruction.axis]));
    const std::uint64_t size = bc::size_of(instruction.type);
    // Columns come by cache lines.
    const std::uint64_t span = in.span * extent * (inner ? kCacheLine / size : 1);
    if (span <= kTileBytes) return {in.sweep, span, true};
    keeps_[number] = true;
    return {in.sweep + 1, size, false};
}

void Sweeps::note_write(std::uint32_t view, std::uint32_t instruction, const Place& place) {
    std::vector<Write>& writes = writes_[program_.views[view].base];
    std::erase_if(writes, [&](const Write& old) {
        return old.view == view || bc::relation(program_, old.view, view) == Relation::Identical;
    });
    if (writes.size() == kMostWrites) writes.erase(writes.begin());
    writes.push_back({view, instruction, place});
}

}  // namespace xlazy::opt
