// SPDX-License-Identifier: BSD-3-Clause
#include "element_set.hpp"
#include "xlazy/optimizer/traffic.hpp"

#include <algorithm>

namespace xlazy::opt {

using bc::Instruction;
using bc::Operand;

namespace {

constexpr std::uint64_t kCacheLine = 64;

/// When a value is there, and how much of the passes' data one element of it stands for.
struct Place {
    std::uint32_t pass = 0;
    std::uint64_t span = 0;  ///< bytes
    bool new_pass = false;   ///< made by a reduction that its pass must complete
};

bool reduces(const Instruction& instruction) noexcept { return bc::info(instruction.op).kind == bc::OpKind::Reduce; }

/// Finds each instruction's pass.
class Passes {
public:
    explicit Passes(const bc::Program& program)
        : program_(program), temps_(program.temp_count), bases_(program.bases.size()) {
        for (const Instruction& instruction : program.instructions) {
            Place place = inputs_of(instruction);
            pass_.push_back(place.pass);
            if (reduces(instruction)) place = reduced(instruction, place);
            ends_pass_.push_back(place.new_pass);
            count_ = std::max(count_, place.pass + 1);
            if (instruction.out.is_temp())
                temps_[instruction.out.index()] = {place, elements_of(instruction)};
            else
                note_write(program.views[instruction.out.index()].base, place);
        }
    }
    std::uint32_t count() const noexcept { return count_; }
    std::uint32_t of(std::size_t instruction) const noexcept { return pass_[instruction]; }
    /// Is the instruction's result there only when its pass has ended?
    bool ends(std::size_t instruction) const noexcept { return ends_pass_[instruction]; }

private:
    struct Temp {
        Place place;
        std::int64_t elements = 1;
    };

    std::int64_t domain_elements(const Instruction& instruction) const noexcept {
        return std::max<std::int64_t>(1, bc::element_count(program_.domain_extents(instruction.domain)));
    }
    std::int64_t elements_of(const Instruction& instruction) const noexcept {
        const std::int64_t all = domain_elements(instruction);
        if (!reduces(instruction)) return all;
        return all / std::max<std::int64_t>(1, program_.domain_extents(instruction.domain)[instruction.axis]);
    }

    Place inputs_of(const Instruction& instruction) const {
        const std::uint64_t size = bc::size_of(instruction.type);
        Place place{0, size, false};
        const auto elements = static_cast<std::uint64_t>(domain_elements(instruction));
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
            const Operand operand = instruction.in[i];
            if (operand.is_scalar()) continue;
            Temp in;
            if (operand.is_temp()) {
                in = temps_[operand.index()];
            } else {
                const bc::View& view = program_.views[operand.index()];
                in.place = bases_[view.base];
                in.elements = 1;
                for (const bc::Dim& dim : program_.dims_of(view)) in.elements *= std::max<std::int64_t>(1, dim.extent);
            }
            place.pass = std::max(place.pass, in.place.pass);
            // A row's sum that is taken to each element of the row brings no other data with it.
            place.span = std::max(place.span, in.place.span * static_cast<std::uint64_t>(in.elements) / elements);
        }
        return place;
    }

    Place reduced(const Instruction& instruction, Place in) const {
        const auto extents = program_.domain_extents(instruction.domain);
        bool inner = false;
        for (std::size_t axis = instruction.axis + 1u; axis < extents.size(); ++axis) inner |= extents[axis] > 1;
        const auto extent = static_cast<std::uint64_t>(std::max<std::int64_t>(1, extents[instruction.axis]));
        const std::uint64_t size = bc::size_of(instruction.type);
        const std::uint64_t span = in.span * extent * (inner ? kCacheLine / size : 1);
        if (span <= kTileBytes) return {in.pass, span, false};
        return {in.pass + 1, size, true};
    }

    void note_write(std::uint32_t base, const Place& place) {
        Place& known = bases_[base];
        known.pass = std::max(known.pass, place.pass);
        known.span = std::max(known.span, place.span);
    }

    const bc::Program& program_;
    std::vector<Temp> temps_;
    std::vector<Place> bases_;
    std::vector<std::uint32_t> pass_;
    std::vector<bool> ends_pass_;
    std::uint32_t count_ = 1;
};

/// Which views show which bases.
struct Shown {
    static constexpr std::uint32_t kNone = ~0u, kSeveral = ~0u - 1;
    std::vector<std::uint32_t> view;        ///< by base: the one that all are the same as, or kNone, or kSeveral
    std::vector<std::uint64_t> view_bytes;  ///< of that view

    explicit Shown(const bc::Program& program) : view(program.bases.size(), kNone), view_bytes(view.size(), 0) {
        for (std::uint32_t v = 0; v < program.views.size(); ++v) {
            std::uint32_t& known = view[program.views[v].base];
            if (known == kNone)
                known = v;
            else if (known != kSeveral && bc::relation(program, known, v) != bc::Relation::Identical)
                known = kSeveral;
        }
        for (std::size_t b = 0; b < view.size(); ++b) {
            if (view[b] >= kSeveral) continue;
            view_bytes[b] =
                static_cast<std::uint64_t>(elements_shown(program, {view[b]})) * bc::size_of(program.bases[b].type);
        }
    }
};

/// A set of elements of every base. Where all views of a base are the same, one bit stands for what they show.
class Elements {
public:
    Elements(const bc::Program& program, const Shown& shown) : program_(program), shown_(shown) {
        for (std::size_t b = 0; b < program.bases.size(); ++b) {
            sets_.emplace_back(0, shown.view[b] == Shown::kSeveral ? program.bases[b].size : 1);
        }
    }
    void add(std::uint32_t view) {
        change(view, [](auto& set, const auto&... of) { set.add(of...); });
    }
    void remove(std::uint32_t view) {
        change(view, [](auto& set, const auto&... of) { set.remove(of...); });
    }
    void add_all(std::uint32_t base) {
        sets_[base].add(Run{0, shown_.view[base] == Shown::kSeveral ? program_.bases[base].size : 1});
    }
    std::uint64_t bytes_in(std::uint32_t view) const {
        const std::uint32_t base = program_.views[view].base;
        if (shown_.view[base] != Shown::kSeveral) return bytes(base);
        return static_cast<std::uint64_t>(sets_[base].count_in(program_, view)) *
               bc::size_of(program_.bases[base].type);
    }
    std::uint64_t bytes(std::uint32_t base) const {
        const auto count = static_cast<std::uint64_t>(sets_[base].count());
        return count * (shown_.view[base] == Shown::kSeveral ? bc::size_of(program_.bases[base].type)
                                                             : shown_.view_bytes[base]);
    }

private:
    template <class Change>
    void change(std::uint32_t view, Change apply) {
        const std::uint32_t base = program_.views[view].base;
        if (shown_.view[base] == Shown::kSeveral)
            apply(sets_[base], program_, view);
        else
            apply(sets_[base], Run{0, 1});
    }

    const bc::Program& program_;
    const Shown& shown_;
    std::vector<ElementSet> sets_;
};

class Least {
public:
    explicit Least(const bc::Program& program) : program_(program), passes_(program), shown_(program) {}

    Traffic run() {
        find_alive();
        count_written();
        for (std::uint32_t pass = 0; pass < passes_.count(); ++pass) count_read(pass);
        return result_;
    }

private:
    template <class Action>
    void for_inputs(const Instruction& instruction, Action action) const {
        for (unsigned i = 0; i < bc::operand_count(instruction); ++i) {
            if (!instruction.in[i].is_scalar()) action(instruction.in[i]);
        }
    }

    /// What somebody can read, or can fail; from the last instruction to the first.
    void find_alive() {
        alive_.assign(program_.instructions.size(), false);
        Elements wanted(program_, shown_);
        for (std::uint32_t b = 0; b < program_.bases.size(); ++b) {
            if (program_.bases[b].live) wanted.add_all(b);
        }
        std::vector<bool> temps(program_.temp_count, false);
        for (std::size_t i = program_.instructions.size(); i-- > 0;) {
            const Instruction& instruction = program_.instructions[i];
            const Operand out = instruction.out;
            alive_[i] = bc::can_fail(instruction.op, instruction.type) ||
                        (out.is_temp() ? temps[out.index()] : wanted.bytes_in(out.index()) != 0);
            if (out.is_view()) wanted.remove(out.index());
            if (!alive_[i]) continue;
            for_inputs(instruction, [&](Operand in) {
                if (in.is_temp())
                    temps[in.index()] = true;
                else
                    wanted.add(in.index());
            });
        }
    }

    void count_written() {
        Elements written(program_, shown_);
        for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
            const Operand out = program_.instructions[i].out;
            if (alive_[i] && out.is_view()) written.add(out.index());
        }
        for (std::uint32_t b = 0; b < program_.bases.size(); ++b) {
            if (program_.bases[b].live) result_.written += written.bytes(b);
        }
    }

    std::uint64_t result_bytes(const Instruction& instruction) const {
        std::uint64_t elements = 1;
        const auto extents = program_.domain_extents(instruction.domain);
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            if (axis != instruction.axis) elements *= static_cast<std::uint64_t>(extents[axis]);
        }
        return elements * bc::size_of(instruction.result);
    }

    /// What the pass reads of the memory from before it: everything that it needs and cannot compute.
    void count_read(std::uint32_t pass) {
        Elements needed(program_, shown_);
        std::vector<bool> temps(program_.temp_count, false);
        for (std::size_t i = program_.instructions.size(); i-- > 0;) {
            const Instruction& instruction = program_.instructions[i];
            const Operand out = instruction.out;
            const bool asked = out.is_temp() ? temps[out.index()] : needed.bytes_in(out.index()) != 0;
            if (asked && passes_.ends(i)) {  // there since its own pass, in memory
                const std::uint64_t bytes = out.is_temp() ? result_bytes(instruction) : needed.bytes_in(out.index());
                result_.read += bytes;
                if (out.is_temp() || !program_.bases[program_.views[out.index()].base].live) stored(i, bytes);
            }
            if (out.is_view()) needed.remove(out.index());
            const bool runs = alive_[i] && (passes_.of(i) == pass || (asked && !passes_.ends(i)));
            if (!runs) continue;
            for_inputs(instruction, [&](Operand in) {
                if (in.is_temp())
                    temps[in.index()] = true;
                else
                    needed.add(in.index());
            });
        }
        for (std::uint32_t b = 0; b < program_.bases.size(); ++b) {
            if (program_.bases[b].initialised) result_.read += needed.bytes(b);
        }
    }

    /// A result that outlives its pass, and is not an array that lives on, is written once.
    void stored(std::size_t instruction, std::uint64_t bytes) {
        if (stored_.empty()) stored_.assign(program_.instructions.size(), false);
        if (!stored_[instruction]) result_.written += bytes;
        stored_[instruction] = true;
    }

    const bc::Program& program_;
    Passes passes_;
    Shown shown_;
    std::vector<bool> alive_, stored_;
    Traffic result_;
};

}  // namespace

Traffic least_traffic(const bc::Program& program) { return Least(program).run(); }

}  // namespace xlazy::opt
