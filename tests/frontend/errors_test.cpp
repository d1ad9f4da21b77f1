// SPDX-License-Identifier: BSD-3-Clause
// Errors as a user meets them: at the statement for shapes, axes and files, late for what only the data shows.
#include "support.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xpad.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <functional>
#include <limits>
#include <sstream>

namespace {

using support::contains;
using support::deferred_error_of;
using support::place;
using support::text_of;
using support::values;
using Statement = support::Frontend;
using Deferred = support::Frontend;
using Poisoned = support::Frontend;

using array = xt::xarray<double>;
using ints = xt::xarray<int>;
using list = std::vector<double>;

std::string here(unsigned line) { return place(__FILE__, line); }

// Thrown at the statement.

TEST_F(Statement, ShapesThatDoNotBroadcast) {
    array a = xt::ones<double>({3, 4});
    const array b = xt::ones<double>({3, 5});
    array pending = a * 2.0;
    const auto text = text_of<xt::broadcast_error>([&] { pending = a + b; });
    EXPECT_PRED2(contains, text, here(__LINE__ - 1));
    EXPECT_PRED2(contains, text, "3,4");
    EXPECT_PRED2(contains, text, "3,5");
    EXPECT_EQ(pending(2, 3), 2.0);
    EXPECT_EQ(xt::sum(a + a)(), 24.0);
    EXPECT_EQ(xt::sum(b)(), 15.0);
}

TEST_F(Statement, LeavesTheTargetAlone) {
    array a = {1, 2, 3};
    const array longer = {1, 2, 3, 4};
    const array other = {5, 6, 7};
    EXPECT_THROW(a += longer, xt::broadcast_error);
    EXPECT_THROW(xt::view(a, xt::range(0, 2)) = longer, xt::broadcast_error);
    EXPECT_THROW(xt::view(a, xt::all()) *= longer, xt::broadcast_error);
    EXPECT_THROW(xt::noalias(a) = other + longer, xt::broadcast_error);
    EXPECT_THROW(a = a * 2.0 + longer, xt::broadcast_error);
    EXPECT_EQ(values(a), (list{1, 2, 3}));
    a = a + other;
    EXPECT_EQ(values(a), (list{6, 8, 10}));
}

TEST_F(Statement, NothingOfItIsRecorded) {
    array a = {1, 2, 3};
    const array b = {1, 2, 3, 4};
    const auto before = xlazy::stats();
    EXPECT_THROW(a = a * a + xt::sqrt(b) * a, xt::broadcast_error);
    EXPECT_THROW(a -= b * 2.0, xt::broadcast_error);
    EXPECT_EQ(xlazy::stats().statements_recorded, before.statements_recorded);
    xlazy::flush();
    EXPECT_EQ(xlazy::stats().kernels_run, before.kernels_run);
}

TEST_F(Statement, LargerValueIntoASmallerArray) {
    xt::xtensor<double, 2> small = xt::zeros<double>({2, 2});
    const array cube = {{{10, 20}, {30, 40}}};
    const array large = xt::ones<double>({3, 2, 2});
    try {
        xt::view(small, xt::all(), xt::all()) = cube;
        EXPECT_EQ(values(small), (list{10, 20, 30, 40}));
    } catch (const std::exception&) {
        EXPECT_EQ(values(small), (list{0, 0, 0, 0}));
    }
    EXPECT_ANY_THROW((xt::view(small, xt::all(), xt::all()) = large));
    EXPECT_ANY_THROW((xt::xtensor<double, 2>(large)));
    EXPECT_ANY_THROW(small = large);
    EXPECT_ANY_THROW(small += large);
    EXPECT_EQ(small.dimension(), 2u);
}

TEST_F(Statement, AxesThatDoNotExist) {
    const array a = xt::ones<double>({3, 4});
    EXPECT_PRED2(contains, text_of<std::exception>([&] { array s = xt::sum(a, {2}); }), here(__LINE__));
    EXPECT_PRED2(contains, text_of<std::exception>([&] { array s = xt::amax(a, {0, 5}); }), here(__LINE__));
    EXPECT_PRED2(contains, text_of<std::exception>([&] { array s = xt::mean(a, {7}); }), here(__LINE__));
    EXPECT_PRED2(contains, text_of<std::exception>([&] { array s = xt::sum(a, 2, xt::keep_dims); }), here(__LINE__));
    EXPECT_PRED2(contains, text_of<std::exception>([&] { array s = xt::sum(a, {1, 1}); }), here(__LINE__));
    EXPECT_EQ(xt::sum(a, {0})(0), 3.0);
}

TEST_F(Statement, NoValueForAnEmptyAxis) {
    const array empty = xt::zeros<double>({0});
    const array flat = xt::zeros<double>({3, 0});
    EXPECT_PRED2(contains, text_of<std::exception>([&] { array m = xt::amin(empty); }), here(__LINE__));
    EXPECT_PRED2(contains, text_of<std::exception>([&] { (void)xt::amax(empty)(); }), here(__LINE__));
    EXPECT_PRED2(contains, text_of<std::exception>([&] { array m = xt::amax(flat, {1}); }), here(__LINE__));
    const array over_rows = xt::amax(flat, {0});
    EXPECT_EQ(over_rows.size(), 0u);
    EXPECT_EQ(xt::sum(empty)(), 0.0);
    EXPECT_EQ(values(array(xt::sum(flat, {1}))), (list{0, 0, 0}));
}

TEST_F(Statement, ArraysMadeOfOthers) {
    const array a = {{1, 2}, {3, 4}};
    const xt::xtensor<double, 2> t = a;
    const std::vector<std::vector<std::size_t>> one = {{1, 1}};
    array b;
#define SAYS(...) \
    EXPECT_PRED2(contains, text_of<std::exception>([&] { b = __VA_ARGS__; }), here(__LINE__)) << #__VA_ARGS__
    SAYS(xt::pad(a, one));
    SAYS(xt::pad(t, one, xt::pad_mode::constant, 3.0));
    SAYS(xt::pad(a + 1.0, one, xt::pad_mode::reflect));
    SAYS(xt::pad(xt::view(a, 0), {{1, 1}, {1, 1}}));
    SAYS(xt::pad(xt::view(a, xt::range(0, 0)), 1, xt::pad_mode::wrap));
    SAYS(xt::tile(a, {2}));
    SAYS(xt::tile(a * 2.0, {1, 2, 2}));
    SAYS(xt::tile(t, std::vector<int>{1}));
    SAYS(xt::repeat(a, 2, 5));
    SAYS(xt::repeat(a + a, {2, 2, 2}, 0));
    SAYS(xt::repeat(t, one[0], 2));
#undef SAYS
    EXPECT_THROW(b = xt::stack(xt::xtuple(a, t), 3), std::runtime_error);
    EXPECT_THROW(b = xt::concatenate(xt::xtuple(a, t), 2), std::runtime_error);
}

TEST_F(Statement, ReshapeToAnotherSize) {
    array a = xt::ones<double>({3, 4}) * 2.0;
    EXPECT_ANY_THROW(a.reshape({5, 2}));
    EXPECT_ANY_THROW(a.reshape({5, -1}));
    EXPECT_EQ(a.shape(0), 3u);
    EXPECT_EQ(a(2, 3), 2.0);
}

TEST_F(Statement, ElementsOutOfBounds) {
    array a = xt::ones<double>({3, 4}) * 2.0;
    EXPECT_THROW((void)a.at(3, 0), std::exception);
    EXPECT_THROW((void)a.at(0, 0, 4), std::exception);
    EXPECT_EQ(a.at(2, 3), 2.0);
}

// Found when the values are computed.

struct Division {
    ints numerator = {6, 7, 8};
    ints divisor = ints{1, 2, 3} - ints{1, 1, 3};
    ints sound = numerator + 1;
};

TEST_F(Deferred, MessageSaysEverything) {
    SKIP_IF_EAGER();
    const ints n = {{6, 7, 8}, {9, 10, 11}};
    const xt::xarray<std::int64_t> m = xt::ones<std::int64_t>({3});
    const xt::xarray<std::int64_t> z = m - 1;
    const unsigned divisor = __LINE__ - 1;
    const xt::xarray<std::int64_t> quotient = n / z;
    const unsigned division = __LINE__ - 1;
    const xt::xarray<std::int64_t> later = quotient * 2;
    const xt::xarray<double> last = later * 0.5;
    const auto error = deferred_error_of([&] { (void)last(0, 0); });
    const unsigned reading = __LINE__ - 1;
    ASSERT_TRUE(error);
    const std::string text = error->what();
    EXPECT_EQ(error->operation(), "div");
    EXPECT_EQ(error->origins().at(0).line, division);
    EXPECT_EQ(error->flush_origin().line, reading);
    EXPECT_PRED2(contains, text, here(division));
    EXPECT_PRED2(contains, text, here(divisor));
    EXPECT_PRED2(contains, text, here(reading));
    EXPECT_PRED2(contains, text, "div");
    EXPECT_PRED2(contains, text, "2,3");
    EXPECT_PRED2(contains, text, "i64");
    EXPECT_PRED2(contains, text, "zero");
}

TEST_F(Deferred, RemainderToo) {
    const ints n = {6, 7}, z = {3, 0};
    ints r;
    const auto error = deferred_error_of([&] {
        r = n % z;
        (void)r(0);
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->operation(), "mod");
    EXPECT_EQ(error->origins().at(0).line, unsigned(__LINE__) - 5);
    EXPECT_PRED2(contains, error->what(), "element (1)");
}

TEST_F(Deferred, IntegersOfEverySize) {
    const auto fails = [](auto zero) {
        using T = decltype(zero);
        const xt::xtensor<T, 1> n = {T(6), T(7)}, z = {T(1), zero};
        xt::xtensor<T, 1> q;
        return deferred_error_of([&] {
                   q = n / z;
                   (void)q(0);
               })
            .has_value();
    };
    EXPECT_TRUE(fails(std::int16_t(0)));
    EXPECT_TRUE(fails(0));
    EXPECT_TRUE(fails(std::int64_t(0)));
    EXPECT_FALSE(fails(0.0f));
    EXPECT_FALSE(fails(0.0));
}

TEST_F(Deferred, TheSmallestIntegerOverMinusOneWraps) {
    const ints n = {std::numeric_limits<int>::min()}, minus = {-1};
    EXPECT_EQ(ints(n / minus)(0), std::numeric_limits<int>::min());
    EXPECT_EQ(ints(n % minus)(0), 0);
    const xt::xarray<std::int64_t> large = {std::numeric_limits<std::int64_t>::min()};
    EXPECT_EQ((xt::xarray<std::int64_t>(large / std::int64_t{-1})(0)), std::numeric_limits<std::int64_t>::min());
}

TEST_F(Deferred, ThrownOnceAtTheFirstFlushPoint) {
    SKIP_IF_EAGER();
    Division d;
    const ints quotient = d.numerator / d.divisor;
    EXPECT_TRUE(deferred_error_of([&] { (void)d.sound(0); }));
    EXPECT_EQ(values(d.sound), (std::vector<int>{7, 8, 9}));
    EXPECT_NO_THROW(xlazy::flush());
    EXPECT_TRUE(deferred_error_of([&] { (void)quotient(1); }));
    EXPECT_TRUE(deferred_error_of([&] { (void)quotient(1); }));
    EXPECT_NO_THROW(xlazy::flush());
}

TEST_F(Deferred, CountedInTheStatistics) {
    Division d;
    const auto before = xlazy::stats().deferred_errors;
    EXPECT_TRUE(deferred_error_of([&] {
        const ints quotient = d.numerator / d.divisor;
        xlazy::flush();
    }));
    EXPECT_EQ(xlazy::stats().deferred_errors, before + 1);
}

TEST_F(Deferred, EagerModeThrowsAtTheStatement) {
    const xlazy::mode_scope scope(xlazy::mode::eager);
    Division d;
    ints quotient = {1};
    const auto error = deferred_error_of([&] { quotient = d.numerator / d.divisor; });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->origins().at(0).line, unsigned(__LINE__) - 2);
    EXPECT_EQ(error->flush_origin().line, unsigned(__LINE__) - 3);
    EXPECT_EQ(values(d.sound), (std::vector<int>{7, 8, 9}));
}

/// Runs a failing division, one way of reading its result, and a look at an independent array. Exactly one error must
/// come, and the healthy array must keep its value.
void expect_one_error(const char* what, const std::function<void(ints&)>& use) {
    Division d;
    int caught = 0;
    ints quotient;
    try {
        quotient = d.numerator / d.divisor;
        use(quotient);
        (void)d.sound(0);
    } catch (const xlazy::deferred_error& error) {
        ++caught;
        EXPECT_EQ(error.origins().at(0).line, unsigned(__LINE__) - 5) << what;
    }
    EXPECT_EQ(caught, 1) << what;
    EXPECT_EQ(values(d.sound), (std::vector<int>{7, 8, 9})) << what;
    EXPECT_NO_THROW(xlazy::flush()) << what;
}
#define ONE_ERROR(...)                           \
    expect_one_error(#__VA_ARGS__, [](ints& q) { \
        (void)q;                                 \
        __VA_ARGS__;                             \
    })

TEST_F(Deferred, EveryWayOfReading) {
    ONE_ERROR((void)q(0));
    ONE_ERROR((void)q[1]);
    ONE_ERROR(q(0) = 1);
    ONE_ERROR(for (const int value : q)(void) value);
    ONE_ERROR(for (const int value : q + 1)(void) value);
    ONE_ERROR(auto v = xt::view(q, xt::range(0, 1)); for (const int value : v)(void) value);
    ONE_ERROR((void)q.data());
    ONE_ERROR((void)*q.storage().begin());
    ONE_ERROR(std::ostringstream stream; stream << q);
    ONE_ERROR(std::ostringstream stream; stream << q + 1);
    ONE_ERROR((void)xt::sum(q)());
    ONE_ERROR((void)xt::amax(q * 2)());
    ONE_ERROR(auto t = xt::transpose(q); for (const int value : t)(void) value);
    ONE_ERROR((void)(q == q));
    ONE_ERROR(std::vector<int> copy(q.begin(), q.end()));
    ONE_ERROR(auto e = q + 1; (void)e(1));
    ONE_ERROR((void)xt::view(q, 1)());
    ONE_ERROR(xt::xtensor_fixed<int, xt::xshape<3>> fixed = q + 1);
    ONE_ERROR(xt::xarray_stock<int> plain = q);
    ONE_ERROR(auto sorted = xt::sort(q); (void)sorted);
    ONE_ERROR((void)xt::argmax(q)());
    ONE_ERROR(std::vector<int> memory(3); auto adapted = xt::adapt(memory); adapted = q);
    ONE_ERROR(xlazy::flush());
}

TEST_F(Deferred, IteratingTheExpressionItself) {
    const ints n = {6, 7}, z = {1, 0};
    int rounds = 0;
    const auto error = deferred_error_of([&] {
        for (const int value : n / z) {
            (void)value;
            ++rounds;
        }
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->origins().at(0).line, unsigned(__LINE__) - 6);
}

TEST_F(Deferred, ArmsThatAreNotSelectedDoNotFail) {
    const ints n = {6, 7, 8}, z = {1, 0, 2};
    const ints safe = xt::where(xt::not_equal(z, 0), n / z, -1);
    EXPECT_EQ(values(safe), (std::vector<int>{6, -1, 4}));
    const ints more = xt::where(z > 0, (n + 1) % z * 2, 5) + 1;
    EXPECT_EQ(values(more), (std::vector<int>{1, 6, 3}));
    const ints nested = xt::where(z > 0, xt::where(z > 1, n / (z - 1), n / z), 0);
    EXPECT_EQ(values(nested), (std::vector<int>{6, 0, 8}));
    ints unsafe;
    EXPECT_TRUE(deferred_error_of([&] {
        unsafe = xt::where(xt::equal(z, 0), n / z, -1);
        xlazy::flush();
    }));
    EXPECT_TRUE(deferred_error_of([&] {
        const ints unmasked = n / z;
        unsafe = xt::where(z > 0, unmasked, 0);
        xlazy::flush();
    }));
}

// What a failed statement leaves.

/// An array whose value is an error that was thrown already.
ints poisoned() {
    const ints n = {6, 7, 8}, z = {1, 0, 2};
    ints quotient = {0, 0, 0};
    EXPECT_TRUE(deferred_error_of([&] {
        quotient = n / z;
        xlazy::flush();
    }));
    return quotient;
}

TEST_F(Poisoned, EveryReadThrowsTheSameError) {
    SKIP_IF_EAGER();
    const ints q = poisoned();
    const auto first = deferred_error_of([&] { (void)q(0); });
    const auto second = deferred_error_of([&] { (void)q.data(); });
    ASSERT_TRUE(first && second);
    EXPECT_STREQ(first->what(), second->what());
    EXPECT_THROW((void)q[2], xlazy::deferred_error);
    EXPECT_THROW(for (const int value : q)(void) value, xlazy::deferred_error);
    EXPECT_THROW((void)xt::view(q, 1)(), xlazy::deferred_error);
}

TEST_F(Poisoned, PrintingThrows) {
    SKIP_IF_EAGER();
    const ints q = poisoned();
    std::ostringstream stream;
    EXPECT_THROW(stream << q, xlazy::deferred_error);
    EXPECT_THROW(stream << xt::view(q, xt::range(0, 1)), xlazy::deferred_error);
    EXPECT_THROW(stream << q * 2, xlazy::deferred_error);
}

TEST_F(Poisoned, WhatDependsOnItIsPoisonedToo) {
    SKIP_IF_EAGER();
    const ints q = poisoned();
    const ints n = {1, 2, 3};
    ints sum, total, part, independent;
    try {
        sum = q + n;
        total = xt::sum(q);
        part = xt::view(q, xt::range(0, 2)) * 2;
        independent = n * 2;
        xlazy::flush();
    } catch (const xlazy::deferred_error&) {
    }
    EXPECT_THROW((void)sum(0), xlazy::deferred_error);
    EXPECT_THROW((void)total(), xlazy::deferred_error);
    EXPECT_THROW((void)part(0), xlazy::deferred_error);
    EXPECT_EQ(values(independent), (std::vector<int>{2, 4, 6}));
    const auto error = deferred_error_of([&] { (void)sum(0); });
    EXPECT_EQ(error->operation(), "div");
}

TEST_F(Poisoned, OverwritingHeals) {
    SKIP_IF_EAGER();
    ints q = poisoned();
    const ints n = {1, 2, 3};
    q = n + 1;
    EXPECT_EQ(values(q), (std::vector<int>{2, 3, 4}));
    q = poisoned();
    q = n;
    EXPECT_EQ(values(q), (std::vector<int>{1, 2, 3}));
    q = poisoned();
    q.fill(4);
    EXPECT_EQ(values(q), (std::vector<int>{4, 4, 4}));
    q = poisoned();
    xt::noalias(q) = n * 2;
    EXPECT_EQ(values(q), (std::vector<int>{2, 4, 6}));
    q = poisoned();
    q.resize({2});
    q.fill(1);
    EXPECT_EQ(values(q), (std::vector<int>{1, 1}));
    q = poisoned();
    xt::view(q, xt::all()) = n;
    EXPECT_EQ(values(q), (std::vector<int>{1, 2, 3}));
}

TEST_F(Poisoned, UpdatingDoesNotHeal) {
    SKIP_IF_EAGER();
    ints q = poisoned();
    try {
        q += 1;
        xlazy::flush();
    } catch (const xlazy::deferred_error&) {
    }
    EXPECT_THROW((void)q(0), xlazy::deferred_error);
    try {
        xt::view(q, 0) = 5;
        xlazy::flush();
    } catch (const xlazy::deferred_error&) {
    }
    EXPECT_THROW((void)q(1), xlazy::deferred_error);
}

TEST_F(Poisoned, CopiesMovesAndSwaps) {
    SKIP_IF_EAGER();
    ints q = poisoned();
    ints healthy = {1, 2, 3};
    std::swap(q, healthy);
    EXPECT_EQ(values(q), (std::vector<int>{1, 2, 3}));
    EXPECT_THROW((void)healthy(0), xlazy::deferred_error);
    ints moved = std::move(healthy);
    EXPECT_THROW((void)moved(0), xlazy::deferred_error);
    healthy = q;
    EXPECT_EQ(values(healthy), (std::vector<int>{1, 2, 3}));
    EXPECT_TRUE(deferred_error_of([&] {
        const ints copy = moved;
        (void)copy(0);
    }));
    std::vector<ints> several;
    several.push_back(std::move(moved));
    several.resize(10);
    EXPECT_THROW((void)several[0](0), xlazy::deferred_error);
    several.clear();
    EXPECT_NO_THROW(xlazy::flush());
}

TEST_F(Poisoned, MayDieUnread) {
    const ints n = {6, 7}, z = {1, 0};
    try {
        for (int i = 0; i < 50; ++i) {
            ints q = n / z;
            ints r = q * i;
            std::vector<ints> copies(3, r);
        }
        xlazy::flush();
    } catch (const xlazy::deferred_error&) {
    }
    EXPECT_NO_THROW(xlazy::flush());
    EXPECT_EQ(values(ints(n + z)), (std::vector<int>{7, 7}));
}

TEST_F(Poisoned, ErrorWhileAnotherExceptionUnwinds) {
    const ints n = {6, 7}, z = {1, 0};
    try {
        ints q = n / z;
        throw std::logic_error("the user's own");
    } catch (const std::logic_error& error) {
        EXPECT_STREQ(error.what(), "the user's own");
    } catch (const xlazy::deferred_error&) {
        EXPECT_TRUE(support::eager());
    }
}

}  // namespace
