// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/bytecode/program.hpp"

#include <algorithm>
#include <limits>

namespace xlazy::bc {
namespace {

std::uint64_t hash_extents(std::span<const std::int64_t> extents) noexcept {
    std::uint64_t hash = extents.size();
    for (const std::int64_t extent : extents) {
        hash = (hash ^ static_cast<std::uint64_t>(extent)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

/// Appends to `to` what may lie in `to` itself.
template <class T>
void append(std::vector<T>& to, std::span<const T> from) {
    if (to.capacity() - to.size() >= from.size()) {
        for (const T& value : from) to.push_back(value);
    } else {
        const std::vector<T> copy(from.begin(), from.end());
        to.insert(to.end(), copy.begin(), copy.end());
    }
}

/// The slot of the domain with these extents, or the free slot where it belongs. Slots may be stale (the recorder takes
/// unfinished statements back by truncating the tables): an index past the end matches nothing.
std::size_t find_slot(const Program& program, std::span<const std::int64_t> extents) noexcept {
    const std::size_t mask = program.domain_table_.size() - 1;
    std::size_t slot = hash_extents(extents) & mask;
    while (const std::uint32_t entry = program.domain_table_[slot]) {
        if (entry <= program.domains.size() && std::ranges::equal(program.domain_extents(entry - 1), extents)) break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

void rebuild_table(Program& program, std::size_t slots) {
    program.domain_table_.assign(slots, 0);
    program.domain_slots_used_ = static_cast<std::uint32_t>(program.domains.size());
    for (std::uint32_t i = 0; i < program.domains.size(); ++i) {
        program.domain_table_[find_slot(program, program.domain_extents(i))] = i + 1;
    }
}

}  // namespace

std::uint32_t Program::add_view(std::uint32_t base, std::int64_t offset, std::span<const Dim> view_dims) {
    const auto begin = static_cast<std::uint32_t>(dims.size());
    append(dims, view_dims);
    views.push_back({base, static_cast<std::uint32_t>(view_dims.size()), begin, offset});
    return static_cast<std::uint32_t>(views.size() - 1);
}

std::uint32_t Program::intern_domain(std::span<const std::int64_t> wanted) {
    if (last_domain_ < domains.size() && std::ranges::equal(domain_extents(last_domain_), wanted)) return last_domain_;
    if (2 * (domain_slots_used_ + std::size_t{1}) > domain_table_.size()) {
        std::size_t slots = 16;
        while (slots < 4 * (domains.size() + 1)) slots *= 2;
        rebuild_table(*this, slots);
    }
    const std::size_t slot = find_slot(*this, wanted);
    if (domain_table_[slot] == 0) {
        const auto begin = static_cast<std::uint32_t>(extents.size());
        append(extents, wanted);
        domains.push_back({static_cast<std::uint32_t>(wanted.size()), begin});
        domain_table_[slot] = static_cast<std::uint32_t>(domains.size());
        ++domain_slots_used_;
    }
    last_domain_ = domain_table_[slot] - 1;
    return last_domain_;
}

void Program::clear() noexcept {
    instructions.clear();
    origins.clear();
    views.clear();
    dims.clear();
    domains.clear();
    extents.clear();
    scalars.clear();
    bases.clear();
    temp_count = 0;
    statement_count = 0;
    if (domain_slots_used_ != 0) std::ranges::fill(domain_table_, 0);
    domain_slots_used_ = 0;
    last_domain_ = 0;
}

std::int64_t element_count(std::span<const std::int64_t> extents) noexcept {
    std::int64_t count = 1;
    bool overflow = false;
    for (const std::int64_t extent : extents) {
        if (extent == 0) return 0;
        overflow = overflow || __builtin_mul_overflow(count, extent, &count);
    }
    return overflow ? std::numeric_limits<std::int64_t>::max() : count;
}

DType operand_type(const Instruction& instruction, unsigned operand) noexcept {
    const bool condition = operand == 0 && instruction.op == Op::select;
    const bool mask = operand == 2 && (instruction.flags & Instruction::kMasked) != 0;
    const OpKind kind = info(instruction.op).kind;
    const bool number = operand == 1 && (kind == OpKind::Gather || kind == OpKind::Scatter);
    return condition || mask ? DType::boolean : number ? DType::i64 : instruction.type;
}

}  // namespace xlazy::bc
