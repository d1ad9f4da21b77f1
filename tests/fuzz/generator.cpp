// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/generator.hpp"

#include "fuzz/builder.hpp"

#include <algorithm>

namespace xlazy::fuzz {
namespace {

using bc::Relation;

constexpr int kTries = 24;

/// A wish's windows: where the statement writes, and what it must read.
struct Wished {
    Window output;
    std::optional<Window> leaf;
};

SizeProfile profile_of(Random& random, std::uint64_t number) {
    if (number % 40 == 7) return {random.between(40000, 150000), 400000, false};
    if (number % 8 == 1) return {random.between(1000, 12000), 40000, false};
    if (number % 10 == 3) return {random.between(1, 150), 60000, false, true};
    if (number % 8 == 5) return {random.between(1, 8), 200, true};
    return {random.between(8, 200), 4000, true};
}

class Generator {
public:
    Generator(std::uint64_t seed, std::uint64_t number)
        : random_(mix(seed, number)),
          number_(number),
          large_(number % 40 == 7),
          builder_(random_, profile_of(random_, number)) {}

    Case run() {
        const std::int64_t wanted = large_ ? random_.between(2, 5) : random_.between(4, random_.percent(10) ? 30 : 12);
        for (std::int64_t i = 0; i < wanted; ++i) one_statement(static_cast<std::uint64_t>(i));
        if (random_.percent(20)) {
            const std::uint32_t count = builder_.program().statement_count;
            const auto unit = static_cast<std::uint32_t>(random_.between(1, std::min<std::int64_t>(count, 3)));
            for (std::int64_t times = random_.between(1, 5); times > 0; --times) builder_.repeat_from(count - unit);
        }
        for (bc::BaseInfo& base : builder_.program().bases) base.live = random_.percent(base.initialised ? 75 : 55);
        return {std::move(builder_.program()), random_.word()};
    }

private:
    /// Cells in turn: statement i of program n aims at cell (7 n + i), scattered so that neighbours differ.
    template <class Cell>
    const Cell& in_turn(const std::vector<Cell>& cells, std::uint64_t i) const {
        return cells[(number_ * 7 + i) * 37 % cells.size()];
    }

    void one_statement(std::uint64_t i) {
        // The order in which leaves combine shows in sums of floats alone.
        const bool sums = builder_.profile().deep && random_.percent(50);
        const bc::DType type = random_.percent(50) ? bc::DType::f32 : bc::DType::f64;
        const bc::Op op = sums && random_.percent(25) ? bc::Op::cumsum : bc::Op::sum;
        const OpCell cell = sums ? OpCell{op, type, type, false} : in_turn(op_cells(), i);
        const Wished wished = windows_for(in_turn(alias_cells(), i));
        const bc::DType there = builder_.arrays()[wished.output.base].type;
        if (bc::info(cell.op).kind == bc::OpKind::Scatter)
            builder_.statement({cell.op, there, there, false}, wished.output, wished.leaf);
        else
            builder_.statement(cell, wished.output, wished.leaf);
    }

    std::uint32_t random_array() {
        return static_cast<std::uint32_t>(random_.below(static_cast<std::int64_t>(builder_.arrays().size())));
    }

    /// A window of the wanted kind that lies as wanted to `other`.
    std::optional<Window> beside(const Window& other, ViewKind kind, Relation relation) {
        const Array& array = builder_.arrays()[other.base];
        const std::int64_t size = count_of(array.natural);
        if (relation == Relation::Identical) return kind_of(other, size) == kind ? std::optional(other) : std::nullopt;
        for (int tries = 0; tries < kTries; ++tries) {
            const Shape shape = random_.percent(40) ? shape_of(other) : shape_within(random_, array.natural, kind);
            const auto found = place(random_, other.base, array.natural, shape, kind);
            if (found && kind_of(*found, size) == kind && true_relation(*found, other) == relation) return found;
        }
        return std::nullopt;
    }

    /// A window of this kind on a new array.
    Window on_new_array(ViewKind kind, bool initialised) {
        const int least_rank = kind == ViewKind::Transposed || kind == ViewKind::Rows ? 2
                               : kind == ViewKind::Single                             ? 0
                                                                                      : 1;
        Window window;
        for (int tries = 0; tries < kTries; ++tries) {
            Shape shape = builder_.related_shape();
            while (shape.size() < static_cast<std::size_t>(least_rank))
                shape.insert(shape.begin(), random_.between(2, 4));
            if (kind == ViewKind::Empty || kind == ViewKind::Single) shape = shape_within(random_, shape, kind);
            const Shape natural = natural_for(random_, shape, kind);
            if (count_of(natural) > builder_.profile().most) continue;
            const auto found = place(random_, 0, natural, shape, kind);
            if (!found) continue;
            window = *found;
            if (kind_of(window, count_of(natural)) != kind && tries + 1 < kTries) continue;
            window.base = builder_.new_array(builder_.random_type(), natural, initialised);
            return window;
        }
        const Shape shape{4};
        return whole_window(builder_.new_array(builder_.random_type(), shape, initialised), shape);
    }

    ViewKind partner(ViewKind kind, Relation relation, bool output) {
        if (relation == Relation::Identical) return kind;
        static constexpr ViewKind kKinds[] = {ViewKind::Slice,   ViewKind::Rows,       ViewKind::Step,
                                              ViewKind::Reverse, ViewKind::Transposed, ViewKind::Whole,
                                              ViewKind::Single,  ViewKind::Repeat};
        const std::int64_t last = relation == Relation::Disjoint ? 5 : output ? 7 : 8;
        return kKinds[random_.below(last)];
    }

    Wished reading(const Window& leaf) {
        Shape shape = shape_of(leaf);
        // The output may be larger than what is read: the operand is broadcast.
        if (random_.percent(15) && shape.size() < 5 && count_of(shape) * 2 <= builder_.profile().most)
            shape.insert(shape.begin(), random_.between(1, 2));
        return {builder_.any_output(shape), leaf};
    }

    Wished windows_for(const AliasCell& wish) {
        if (wish.alias == AliasKind::Alone) {
            if (wish.view == ViewKind::Repeat || random_.percent(50)) return reading(on_new_array(wish.view, true));
            return {on_new_array(wish.view, wish.view != ViewKind::Whole || random_.percent(30)), std::nullopt};
        }
        const auto group = (static_cast<int>(wish.alias) - 1) / 3;
        const auto relation =
            std::array{Relation::Identical, Relation::Overlap,
                       Relation::Disjoint}[static_cast<std::size_t>((static_cast<int>(wish.alias) - 1) % 3)];
        if (group == 0) return own(wish.view, relation);
        return later(wish.view, relation, group == 1, group != 2);
    }

    Wished own(ViewKind kind, Relation relation) {
        for (int tries = 0; tries < kTries; ++tries) {
            const Window output = on_new_array(partner(kind, relation, true), true);
            const auto leaf = beside(output, kind, relation);
            if (leaf && broadcasts(shape_of(*leaf), shape_of(output))) return {output, leaf};
            forget(output.base);
        }
        return {builder_.any_output(builder_.related_shape()), std::nullopt};
    }

    /// A read (or write) that lies so to an earlier write (or use); a statement with that use comes first where none
    /// fits.
    Wished later(ViewKind kind, Relation relation, bool read, bool after_write) {
        for (int tries = 0; tries < kTries && !builder_.arrays().empty(); ++tries) {
            const Array& array = builder_.arrays()[random_array()];
            if (array.uses.empty()) continue;
            const Use& use = random_.pick(array.uses);
            if (use.write != after_write) continue;
            const auto found = beside(use.window, kind, relation);
            if (!found || (read && !builder_.readable(*found))) continue;
            return read ? reading(*found) : Wished{*found, std::nullopt};
        }
        for (int tries = 0; tries < kTries; ++tries) {
            const Window first = on_new_array(partner(kind, relation, after_write), true);
            const auto found = beside(first, kind, relation);
            if (!found) {
                forget(first.base);
                continue;
            }
            const bc::DType type = builder_.arrays()[first.base].type;
            const OpCell copy{bc::is_complex(type) ? bc::Op::sub : bc::Op::max, type, type, false};
            if (after_write)
                builder_.statement(copy, first, std::nullopt);
            else
                builder_.statement(copy, builder_.any_output(shape_of(first)), first);
            return read ? reading(*found) : Wished{*found, std::nullopt};
        }
        return {builder_.any_output(builder_.related_shape()), std::nullopt};
    }

    /// Takes back the newest array, which nothing uses.
    void forget(std::uint32_t base) {
        if (base + 1 != builder_.arrays().size()) return;
        builder_.arrays().pop_back();
        builder_.program().bases.pop_back();
    }

    Random random_;
    std::uint64_t number_;
    bool large_;
    Builder builder_;
};

}  // namespace

Case random_case(std::uint64_t seed, std::uint64_t number) { return Generator(seed, number).run(); }

}  // namespace xlazy::fuzz
