// SPDX-License-Identifier: BSD-3-Clause
// Every kind of left side and of operand reports its own line: a division by zero stands on the right. Compiled without
// optimisation, with line tables.
#include "support.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xdynamic_view.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xindex_view.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmasked_view.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <sstream>

namespace {

using support::place;
using xt::placeholders::_;
using ints = xt::xarray<int>;

class LeftSides : public support::Frontend {
protected:
    /// The statement fails late and names `line` first. A recorded one is not evaluated by xtensor.
    template <class F>
    static void fails(unsigned line, const char* text, bool recorded, F&& statement) {
        std::optional<xlazy::deferred_error> error;
        const auto fallbacks = support::fallbacks_of([&] {
            error = support::deferred_error_of([&] {
                statement();
                xlazy::flush();
            });
        });
        ASSERT_TRUE(error) << text;
        ASSERT_FALSE(error->origins().empty()) << text;
        EXPECT_EQ(place(error->origins()[0].file, error->origins()[0].line), place(__FILE__, line)) << text;
        EXPECT_PRED2(support::contains, error->what(), place(__FILE__, line)) << text;
        if (recorded) {
            EXPECT_EQ(fallbacks, support::Counts()) << text;
        }
    }

    const ints n = {{6, 7, 8}, {9, 10, 11}}, z = {{1, 0, 1}, {0, 1, 0}};
    const ints n3 = {1, 2, 3}, z3 = {0, 1, 0};
    ints q = n;
};
using Readers = LeftSides;
using StatementErrors = LeftSides;

#define FAILS(...) fails(__LINE__, #__VA_ARGS__, true, [&] { __VA_ARGS__; })
#define FAILS_IN_XTENSOR(...) fails(__LINE__, #__VA_ARGS__, false, [&] { __VA_ARGS__; })

TEST_F(LeftSides, Layouts) {
    xt::xarray<int, xt::layout_type::column_major> columns = n;
    xt::xarray<int, xt::layout_type::dynamic> dynamic = n;
    xt::xtensor<int, 2, xt::layout_type::column_major> tensor = n;
    FAILS(columns = n / z);
    FAILS(dynamic = n / z);
    FAILS(tensor = n / z);
    FAILS(columns = n; columns /= z);
    FAILS(dynamic = n; dynamic %= z);
    FAILS(tensor = n; tensor += n / z);
    FAILS(columns = n; q = columns / z);
    FAILS(tensor = n; q = tensor / z);
    FAILS(columns = n; xt::view(columns, 1) = n3 / z3);
    FAILS(tensor = n; xt::view(tensor, xt::all(), 1) %= 0);
    FAILS(columns = n; xt::noalias(columns) = columns / z);
}

TEST_F(LeftSides, TurnedAndReshaped) {
    FAILS(xt::transpose(q) = xt::transpose(n) / xt::transpose(z));
    FAILS(q = n; auto turned = xt::transpose(q); turned = xt::transpose(n / z));
    FAILS(q = n; xt::transpose(q) /= 0);
    FAILS(q = n; xt::transpose(q) %= xt::transpose(z));
    FAILS(q = n; xt::noalias(xt::transpose(q)) = xt::transpose(n / z));
    FAILS(xt::flip(q, 0) = n / z);
    FAILS(q = n; xt::flip(q, 1) /= z);
    FAILS(q = n; xt::reshape_view(q, {3, 2}) /= 0);
    FAILS(q = n; xt::reshape_view(q, {3, 2}) = xt::reshape_view(n / z, {3, 2}));
    FAILS(q = n; xt::ravel(q) /= 0);
    FAILS(q = n; xt::flatten(q) %= 0);
    FAILS(q = n; xt::squeeze(xt::view(q, xt::range(0, 1))) /= 0);
    FAILS(q = n; xt::expand_dims(q, 1) /= 0);
    FAILS(q = n; xt::expand_dims(q, 1) = xt::expand_dims(n / z, 1));
    FAILS(q = n; xt::atleast_3d(q) /= 0);
    FAILS(q = n; xt::rot90(q) /= 0);
    FAILS(q = n; xt::broadcast(n3 / z3, {2, 3}); q = xt::broadcast(n3 / z3, {2, 3}));
}

TEST_F(LeftSides, Views) {
    FAILS(q = n; xt::view(q, xt::all(), xt::range(_, _, -1)) = n / z);
    FAILS(q = n; xt::view(q, xt::range(_, _, -1)) %= 0);
    FAILS(q = n; xt::view(q, 0, xt::newaxis(), xt::all()) = xt::view(n / z, 0, xt::newaxis(), xt::all()));
    FAILS(q = n; xt::view(xt::view(q, xt::range(0, 2)), 0, xt::range(1, 3)) = xt::view(n3 / z3, xt::range(1, 3)));
    FAILS(q = n; xt::strided_view(q, {xt::ellipsis(), 1}) /= 0);
    FAILS(q = n; xt::strided_view(q, {xt::all(), xt::newaxis(), xt::range(0, 2)}) /= 0);
    FAILS(q = n; xt::strided_view(q, {1, xt::range(_, _, -1)}) = n3 / z3);
    FAILS(q = n; xt::row(q, 0) /= 0);
    FAILS(q = n; xt::col(q, 0) %= 0);
    FAILS(q = n; xt::row(q, 0) = xt::row(n, 0) / z3);
    FAILS(q = n; row(q, 0) /= 0);
    FAILS(q = n; view(q, 0) /= 0);
    FAILS(q = n; view(q, 0) = view(n, 1) / z3);
    FAILS(q = n; noalias(view(q, 0)) = view(n, 1) / z3);
    FAILS(q = n; auto v = view(q, 0); v = v / z3);
    FAILS(q = n; auto v = view(q, 0); auto w = view(q, 1); w = n3 / z3; v = w);
}

TEST_F(LeftSides, PickedElements) {
    FAILS(q = n; xt::view(q, xt::keep(0, 1), xt::all()) = n / z);
    FAILS(q = n; xt::view(q, xt::keep(1, 0), xt::keep(2, 0)) /= 0);
    FAILS(q = n; xt::view(q, xt::drop(0), xt::all()) = xt::view(n / z, xt::drop(0), xt::all()));
    FAILS(q = n; xt::view(q, xt::all(), xt::drop(1)) %= 0);
    FAILS(q = n; xt::view(q, xt::drop(0)) += n3 / z3);
    FAILS(q = xt::view(n, xt::keep(1, 0)) / z);
    FAILS(q = n; xt::filtration(q, q > 7) /= 0);
    FAILS(q = n; xt::filtration(q, q / z > 7) = 3);
    FAILS(q = n; xt::masked_view(q, q > 6) = n / z);
    FAILS(q = n; auto m = xt::masked_view(q, q > 7); m = n / z);
    FAILS(q = n; xt::masked_view(q, q > 7) /= 0);
    FAILS(q = n; xt::filter(q, q > 7) /= 0);
    FAILS(q = n; filter(q, q > 7) /= 0);
    FAILS(q = n; xt::filter(q, q / z > 7) = 3);
    FAILS(q = n; xt::filter(q, q > 7) = xt::filter(n / z, n > 7));
    FAILS(q = n; xt::index_view(q, {{0, 0}, {1, 1}, {1, 2}}) /= 0);
    FAILS(q = n; xt::index_view(q, {{0, 0}, {1, 1}, {1, 2}}) = n3 / z3);
    FAILS_IN_XTENSOR(q = n; xt::dynamic_view(q, {1, xt::range(_, _, -1)}) = n3 / z3);
    FAILS_IN_XTENSOR(q = n; xt::dynamic_view(q, {xt::keep(0, 1), 1}) /= 0);
    FAILS_IN_XTENSOR(q = xt::dynamic_view(n, {xt::keep(0, 1), xt::all()}) / z);
}

TEST_F(LeftSides, Operators) {
    FAILS(q = n; q /= 0);
    FAILS(q = n; q %= 0);
    FAILS(q = n; q += n / z);
    FAILS(q = n; q -= n / z);
    FAILS(q = n; q *= n / z);
    FAILS(q = n; q /= n / z);
    FAILS(q = n; q &= n / z);
    FAILS(q = n; q |= n / z);
    FAILS(q = n; q ^= n / z);
    FAILS(q = n; xt::view(q, 0) += n3 / z3);
    FAILS(q = n; xt::view(q, 0) -= n3 / z3);
    FAILS(q = n; xt::view(q, 0) *= n3 / z3);
    FAILS(q = n; xt::view(q, 0) &= n3 / z3);
    FAILS(q = n; xt::view(q, 0) |= n3 / z3);
    FAILS(q = n; xt::view(q, 0) ^= n3 / z3);
    FAILS(q = n; xt::noalias(q) -= n / z);
    FAILS(q = n; xt::noalias(q) /= 0);
    FAILS(q = n; std::fill(q.begin(), q.end(), (n3 / z3)(0)));
    FAILS(q = n; q.fill((n3 / z3)(0)));
    FAILS(q = n; xt::view(q, 1) = (n3 / z3)(2));
}

TEST_F(LeftSides, CopiesMovesAndSwapsKeepTheLineOfTheStatement) {
    FAILS(ints made = n / z; ints copy = made);
    FAILS(ints made; made = n / z; ints copy; copy = made; q = copy);
    FAILS(ints made = n / z; std::swap(made, q));
    FAILS(ints made = n / z; q = std::move(made));
    FAILS(ints made = n / z; ints moved = std::move(made); q = moved + 1);
}

TEST_F(LeftSides, StockContainers) {
    std::vector<int> memory(6);
    auto adapted = xt::adapt(memory, std::vector<std::size_t>{2, 3});
    xt::xtensor_fixed<int, xt::xshape<2, 3>> fixed;
    xt::xarray_stock<int> plain;
    FAILS(adapted = n / z);
    FAILS(adapted += n / z);
    FAILS(xt::noalias(adapted) = n / z);
    FAILS(xt::view(adapted, 0) = n3 / z3);
    FAILS(fixed = n / z);
    FAILS(xt::xtensor_fixed<int, xt::xshape<2, 3>> made = n / z);
    FAILS(plain = n / z);
    FAILS(plain = n; plain -= n / z);
    FAILS(xt::xarray_stock<int> made = n / z);
    FAILS(xt::xtensor_stock<int, 2> made = n / z);
}

TEST_F(Readers, OfElements) {
    FAILS(q = n / z; (void)q(0, 0));
    FAILS(q = n / z; (void)q[0]);
    FAILS(q = n / z; (void)q.at(0, 1));
    FAILS(q = n / z; (void)q.data());
    FAILS(q = n / z; (void)xt::view(q, 0)(1));
    FAILS(q = n / z; xt::view(q, 0)(1) = 3);
    FAILS(q = n / z; (void)xt::transpose(q)(1, 0));
    FAILS(auto v = xt::view(n / z, 0); (void)v(1));
    FAILS((void)(n / z)(0, 1));
    FAILS((void)(n / z).at(0, 1));
    FAILS((void)*(n / z).begin());
    FAILS(q = n / z; for (const int x : q)(void) x);
    FAILS(q = n / z; for (const int x : xt::view(q, 0))(void) x);
    FAILS((void)xt::sum(n / z)());
    FAILS(auto e = xt::eval(n / z); (void)e(0));
}

TEST_F(Readers, NameTheirLineToo) {
    SKIP_IF_EAGER();
    const auto flush_line = [&](auto&& statement) {
        const auto error = support::deferred_error_of(statement);
        return error ? place(error->flush_origin().file, error->flush_origin().line) : "no error";
    };
    q = n / z;
    EXPECT_EQ(flush_line([&] { (void)xt::view(q, 0)(1); }), place(__FILE__, __LINE__));
    q = n / z;
    EXPECT_EQ(flush_line([&] { (void)xt::transpose(q)(0, 1); }), place(__FILE__, __LINE__));
    q = n / z;
    EXPECT_EQ(flush_line([&] { (void)xt::any(q > 3); }), place(__FILE__, __LINE__));
    q = n / z;
    std::ostringstream stream;
    EXPECT_EQ(flush_line([&] { stream << q; }), place(__FILE__, __LINE__));
    q = n / z;
    EXPECT_EQ(flush_line([&] { (void)(q == n); }), place(__FILE__, __LINE__));
}

TEST_F(Readers, FunctionsOfXtensor) {
    std::ostringstream stream;
    FAILS(stream << n / z);
    FAILS((void)(n / z == n));
    FAILS((void)(n / z != n));
    FAILS((void)xt::any(n / z > 3));
    FAILS((void)xt::all(n / z > 3));
    FAILS_IN_XTENSOR(q = xt::concatenate(xt::xtuple(n, n / z)));
    FAILS_IN_XTENSOR(q = xt::stack(xt::xtuple(n, n / z)));
    FAILS_IN_XTENSOR(q = xt::roll(n / z, 1));
    FAILS_IN_XTENSOR((void)xt::nonzero(n / z));
    FAILS_IN_XTENSOR((void)xt::argwhere(n / z));
    FAILS_IN_XTENSOR(q = xt::triu(n / z));
    FAILS_IN_XTENSOR(q = xt::diag(n3 / z3));
}

TEST_F(StatementErrors, NameTheirLine) {
    xt::xtensor_fixed<int, xt::xshape<3>> fixed;
    std::vector<int> memory(3);
    auto adapted = xt::adapt(memory);
    std::ostringstream stream;
    const ints n4 = xt::ones<int>({4});
    const auto text_of = [](auto&& statement) -> std::string {
        try {
            statement();
        } catch (const xlazy::deferred_error&) {
            return "deferred";
        } catch (const std::exception& error) {
            return error.what();
        }
        return "no error";
    };
    const auto names = [](const std::string& text, unsigned line) {
        return support::contains(text, place(__FILE__, line));
    };
#define MISMATCHES(...) EXPECT_PRED2(names, text_of([&] { __VA_ARGS__; }), __LINE__)
    MISMATCHES(q = n + n4);
    MISMATCHES(xt::transpose(q) = n);
    MISMATCHES(xt::transpose(q) += n4);
    MISMATCHES(xt::view(q, xt::keep(0, 1)) = n4);
    MISMATCHES(xt::view(q, xt::keep(0, 1)) += n4);
    MISMATCHES(xt::reshape_view(q, {5, 2}) = 2);
    MISMATCHES(q.reshape({5, 2}));
    MISMATCHES(xt::view(q, 5) = 3);
    MISMATCHES((void)q.at(7, 7));
    MISMATCHES((void)xt::view(q, 0).at(7));
    MISMATCHES(xt::strided_view(q, {xt::range(0, 2), 0, 0}) = 2);
    MISMATCHES(xt::index_view(q, {{0, 0}, {1, 1}}) = n3);
    MISMATCHES(xt::masked_view(q, q > 3) = n4);
    MISMATCHES(fixed = n3 + n4);
    MISMATCHES(adapted = n3 + n4);
    MISMATCHES((void)(n3 + n4 == n3));
    MISMATCHES(stream << n3 + n4);
#undef MISMATCHES
}

}  // namespace
