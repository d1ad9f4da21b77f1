// SPDX-License-Identifier: BSD-3-Clause
// Groups of views: what is said to be apart is apart, and plans that rely on it are used only where it is so.
#include "xlazy/bytecode/plan.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

namespace xlazy::bc {
namespace {

/// One base of 4096 elements and views of it.
struct Views {
    Program program;
    Views() { program.bases.push_back({DType::f64, true, true, 4096}); }
    void add(std::int64_t offset, std::initializer_list<Dim> dims) {
        program.add_view(0, offset, std::span(dims.begin(), dims.size()));
    }
    std::vector<std::uint32_t> all() const {
        std::vector<std::uint32_t> views(program.views.size());
        std::iota(views.begin(), views.end(), 0u);
        return views;
    }
    Spread spread() const { return spread_of(program, 0, all()); }
    std::size_t groups() const {
        const Spread made = spread();
        EXPECT_TRUE(spread_holds(made, program));
        return std::set<std::uint32_t>(made.groups.begin(), made.groups.end()).size();
    }
    /// The same views in another order.
    Views shuffled(std::mt19937& random) const {
        Views result;
        std::vector<std::uint32_t> order = all();
        std::shuffle(order.begin(), order.end(), random);
        for (const std::uint32_t view : order)
            result.program.add_view(0, program.views[view].offset, program.dims_of(program.views[view]));
        return result;
    }
};

Views rows(std::int64_t count, std::int64_t first = 0) {
    Views views;
    for (std::int64_t i = 0; i < count; ++i) views.add(first + 8 * i, {{8, 1}});
    return views;
}

TEST(Spreads, RowsColumnsAndChessboards) {
    EXPECT_EQ(rows(100).groups(), 100u);
    Views columns, squares, both;
    for (std::int64_t i = 0; i < 16; ++i) {
        columns.add(i, {{10, 16}});
        squares.add(i, {{8, 2}});
        both.add(16 * i, {{16, 1}});
        both.add(i, {{16, 16}});
    }
    EXPECT_EQ(columns.groups(), 16u);
    EXPECT_EQ(squares.groups(), 2u) << "black and white";
    EXPECT_EQ(both.groups(), 1u);
}

TEST(Spreads, HoldForOtherWindowsThatAreAsFarApart) {
    const Spread spread = rows(50).spread();
    EXPECT_TRUE(spread_holds(spread, rows(50, 1000).program));
    std::mt19937 random(1);
    EXPECT_TRUE(spread_holds(spread, rows(50).shuffled(random).program)) << "all are apart, in whatever order";
    Program moved = rows(50).program;
    moved.views[20].offset += 1;
    EXPECT_FALSE(spread_holds(spread, moved));
    moved.views[20].offset = 4000;
    EXPECT_TRUE(spread_holds(spread, moved));
    moved.dims[moved.views[20].dims_begin] = {0, 1};
    moved.views[20].offset = 3;
    EXPECT_TRUE(spread_holds(spread, moved)) << "nothing is there";
}

TEST(Spreads, NothingBetweenTwoThatOverlap) {
    Views views;
    for (int i = 0; i < 3; ++i) {
        views.add(0, {{6, 8}, {8, 1}});
        views.add(16, {{0, 8}, {8, 1}});
    }
    views.add(24, {{8, 1}});
    EXPECT_EQ(views.groups(), 1u);
}

/// Whatever the windows are: views of different groups have no element in common, wherever the groups hold.
TEST(Spreads, RandomWindows) {
    std::mt19937 random(2);
    const auto below = [&](std::int64_t end) {
        return static_cast<std::int64_t>(random() % static_cast<unsigned>(end));
    };
    unsigned held = 0;
    for (int round = 0; round < 2000; ++round) {
        Views views, others;
        const std::int64_t unit = 1 + below(3);
        for (std::int64_t i = 0, count = 2 + below(12); i < count; ++i) {
            const std::int64_t offset = round % 2 * 500 + below(200), extent = below(5), columns = 1 + below(3);
            views.add(offset, {{extent, unit * (1 + below(20))}, {columns, unit * (below(5) - (round % 2) * 2)}});
            const View& view = views.program.views.back();
            const std::span<const Dim> dims = views.program.dims_of(view);
            const std::int64_t moved = offset + (below(3) == 0 ? unit * below(9) : 0);
            others.add(moved, {{below(6) == 0 ? below(4) : extent, dims[0].stride}, dims[1]});
        }
        const Spread spread = views.spread();
        ASSERT_TRUE(spread_holds(spread, views.program));
        for (const Program* program : {&views.program, &others.program}) {
            if (!spread_holds(spread, *program)) continue;
            held += program == &others.program;
            for (std::size_t a = 0; a < spread.views.size(); ++a) {
                for (std::size_t b = 0; b < a; ++b) {
                    if (spread.groups[a] == spread.groups[b]) continue;
                    ASSERT_EQ(relation(*program, spread.views[a], spread.views[b]), Relation::Disjoint) << round;
                }
            }
        }
    }
    EXPECT_GT(held, 200u);
}

}  // namespace
}  // namespace xlazy::bc
