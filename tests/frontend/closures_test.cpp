// SPDX-License-Identifier: BSD-3-Clause
// Program order and lifetimes: what a statement sees of its operands, what an expression kept in a variable sees, and
// that neither cares whether the operands still exist.
#include "support.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <algorithm>
#include <deque>
#include <list>
#include <memory>
#include <unordered_map>

namespace {

using support::values;
using Order = support::Frontend;
using Lifetime = support::Frontend;
using ExpressionsInVariables = support::Frontend;
using Types = support::Frontend;

using array = xt::xarray<double>;
using tensor = xt::xtensor<double, 2>;
using list = std::vector<double>;

// A statement sees its operands as they were.

TEST_F(Order, LaterWritesDoNotReachEarlierStatements) {
    array a = {1, 2, 3};
    const array before = a + 0.0;
    a += 10.0;
    const array between = a * 1.0;
    xt::view(a, 1) = 100.0;
    const array after = a - 0.0;
    a(2) = -1.0;
    EXPECT_EQ(values(before), (list{1, 2, 3}));
    EXPECT_EQ(values(between), (list{11, 12, 13}));
    EXPECT_EQ(values(after), (list{11, 100, 13}));
    EXPECT_EQ(values(a), (list{11, 100, -1}));
}

TEST_F(Order, DoesNotDependOnWhatIsReadFirst) {
    for (int first = 0; first < 3; ++first) {
        array a = {1, 2}, b = a * 2.0;
        a = b + a;
        b = a - b;
        array c = a * b;
        a = c;
        const array* const order[] = {&a, &b, &c};
        (void)(*order[first])(0);
        EXPECT_EQ(values(a), (list{3, 12})) << first;
        EXPECT_EQ(values(b), (list{1, 2})) << first;
        EXPECT_EQ(values(c), (list{3, 12})) << first;
    }
}

TEST_F(Order, CopyThenElementWrite) {
    array a = {1, 2, 3};
    array b = a;
    a(0) = 9;
    array c = a;
    *a.begin() = 8;
    array d;
    d = a;
    a.data()[0] = 7;
    EXPECT_EQ(b(0), 1);
    EXPECT_EQ(c(0), 9);
    EXPECT_EQ(d(0), 8);
    EXPECT_EQ(a(0), 7);
    b(1) = 5;
    EXPECT_EQ(a(1), 2);
}

TEST_F(Order, SelfAssignment) {
    array a = {1, 2, 3};
    a(0) = 9;
    const array& same = a;
    a = same;
    EXPECT_EQ(values(a), (list{9, 2, 3}));
    a = a + 1.0;
    array& r = a;
    r = std::move(a);
    EXPECT_EQ(values(r), (list{10, 3, 4}));
    xt::view(a, xt::all()) = a;
    EXPECT_EQ(values(a), (list{10, 3, 4}));
}

TEST_F(Order, ScalarsAreTakenAtTheStatement) {
    array a = {1, 2};
    double factor = 3.0;
    array b = a * factor;
    factor = 100.0;
    const auto e = a * factor;
    array c = e;
    factor = 7.0;  // which an expression kept in a variable sees, as in xtensor
    array d = e;
    EXPECT_EQ(values(b), (list{3, 6}));
    EXPECT_EQ(values(c), (list{100, 200}));
    EXPECT_EQ(values(d), (list{7, 14}));
}

TEST_F(Order, ReductionReadByTheHostBetweenUpdates) {
    tensor a = xt::ones<double>({3, 4});
    list sums;
    for (int i = 0; i < 5; ++i) {
        sums.push_back(xt::sum(a)());
        a *= 2.0;
        xt::view(a, 0) -= 1.0;
    }
    EXPECT_EQ(sums, (list{12, 20, 36, 68, 132}));
}

// Lifetimes.

auto expression_of_locals() {
    array a = {1, 2, 3};
    array b = a * 10.0;
    return a + b;
}
auto view_of_a_local() {
    array a = {1, 2, 3};
    return xt::view(a, xt::range(1, 3));
}
auto nested_expression_of_locals() {
    array m = {{1, 2}, {3, 4}};
    auto t = xt::transpose(m);
    auto e = t + 1.0;
    return e * 2.0;
}
auto reducer_of_a_local() {
    tensor m = {{1, 2}, {3, 4}};
    m += 1.0;
    return xt::sum(m, {0});
}
auto where_of_locals() {
    array a = {1, 2, 3};
    return xt::where(a > 2.0, a, 2.0);
}
auto view_of_the_argument(const tensor& a) { return xt::view(a, 1, xt::all()); }

TEST_F(Lifetime, FunctionsReturnExpressions) {
    EXPECT_EQ(values(array(expression_of_locals())), (list{11, 22, 33}));
    const auto kept = expression_of_locals();
    array again = kept;
    EXPECT_EQ(values(again), (list{11, 22, 33}));
    EXPECT_EQ(kept(1), 22);
    EXPECT_EQ(values(array(view_of_a_local() + 1.0)), (list{3, 4}));
    EXPECT_EQ(view_of_a_local()(0), 2);
    EXPECT_EQ(values(array(nested_expression_of_locals())), (list{4, 8, 6, 10}));
    EXPECT_EQ(values(array(reducer_of_a_local() * 2.0)), (list{12, 16}));
    EXPECT_EQ(values(array(where_of_locals())), (list{2, 2, 3}));
    const auto row = view_of_the_argument(tensor{{1, 2}, {3, 4}} * 2.0);
    EXPECT_EQ(values(array(row)), (list{6, 8}));
}

TEST_F(Lifetime, OperandsDieBeforeTheFlush) {
    array result;
    {
        array a = {1, 2}, b = {10, 20};
        result = a * b;
        a = b;
    }
    auto doomed = std::make_unique<tensor>(tensor{{1, 2}, {3, 4}});
    tensor sum = *doomed + 1.0;
    doomed.reset();
    EXPECT_EQ(values(result), (list{10, 40}));
    EXPECT_EQ(values(sum), (list{2, 3, 4, 5}));
}

TEST_F(Lifetime, ExpressionsOutliveTheirOperands) {
    auto make = [] {
        auto a = std::make_unique<array>(array{1, 2});
        auto e = *a * 2.0;
        *a = array{5, 6};
        return e;
    };
    auto e = make();
    EXPECT_EQ(values(array(e)), (list{10, 12}));
    array target = {0, 0};
    target += e;
    target = e + target;
    EXPECT_EQ(values(target), (list{20, 24}));
}

TEST_F(Lifetime, UnreadResultsJustDisappear) {
    array a = {1, 2};
    for (int i = 0; i < 100; ++i) {
        array unread = a * double(i);
        array other = unread + unread;
    }
    xlazy::flush();
    EXPECT_EQ(values(a), (list{1, 2}));
}

TEST_F(Lifetime, MovesCarryTheArray) {
    array a = {1, 2};
    auto e = a + 1.0;
    array b = std::move(a);
    b *= 10.0;
    EXPECT_EQ(values(array(e)), (list{11, 21}));
    array c;
    c = std::move(b);
    EXPECT_EQ(values(c), (list{10, 20}));
    a = array{7};
    EXPECT_EQ(values(a), (list{7}));
    EXPECT_EQ(values(c), (list{10, 20}));
}

TEST_F(Lifetime, MovedFromArraysCanBeUsedAgain) {
    array a = {1, 2};
    array b = std::move(a);
    a = b * 3.0;
    EXPECT_EQ(values(a), (list{3, 6}));
    array c = std::move(a);
    a.resize({2, 2});
    a.fill(4.0);
    EXPECT_EQ(values(a), (list{4, 4, 4, 4}));
    tensor t = {{1, 2}};
    tensor u = std::move(t);
    t = u;
    t += u;
    EXPECT_EQ(values(t), (list{2, 4}));
    tensor unused = std::move(t);
    EXPECT_EQ(values(unused), (list{2, 4}));
}

TEST_F(Lifetime, CopiesAreArraysOfTheirOwn) {
    array a = {1, 2};
    auto e = a + 0.0;
    array copy = a;
    copy *= 5.0;
    EXPECT_EQ(values(array(e)), (list{1, 2}));
    a = copy;
    copy += 1.0;
    EXPECT_EQ(values(array(e)), (list{5, 10}));
}

TEST_F(Lifetime, Swaps) {
    array a = {1, 2}, b = {3, 4, 5};
    const auto of_a = a * 2.0;
    array pending = a + 1.0;
    std::swap(a, b);
    EXPECT_EQ(values(a), (list{3, 4, 5}));
    EXPECT_EQ(values(b), (list{1, 2}));
    EXPECT_EQ(values(pending), (list{2, 3}));
    EXPECT_EQ(values(array(of_a)), (list{6, 8, 10}));  // of the variable, as in xtensor
    using std::swap;
    swap(a, b);
    EXPECT_EQ(values(array(of_a)), (list{2, 4}));
    array p = a * 10.0, q = b * 10.0;
    std::swap(p, q);
    EXPECT_EQ(values(q), (list{10, 20}));
    EXPECT_EQ(values(p), (list{30, 40, 50}));
}

TEST_F(Lifetime, ArraysInContainers) {
    std::vector<array> grown;
    for (int i = 0; i < 40; ++i) grown.push_back(array{double(i)} + 1.0);
    double sum = 0;
    for (const auto& each : grown) sum += each(0);
    EXPECT_EQ(sum, 820);
    std::swap(grown[0], grown[39]);
    EXPECT_EQ(grown[0](0), 40);
    grown.erase(grown.begin(), grown.begin() + 30);
    EXPECT_EQ(grown.front()(0), 31);
    grown.insert(grown.begin(), grown.back() * 2.0);
    EXPECT_EQ(grown.front()(0), 2.0);
    std::sort(grown.begin(), grown.end(), [](const array& a, const array& b) { return a(0) < b(0); });
    EXPECT_EQ(grown.front()(0), 1.0);
    std::deque<tensor> queue;
    for (int i = 0; i < 10; ++i) {
        queue.push_back(xt::ones<double>({2, 2}) * double(i));
        if (queue.size() > 3) queue.pop_front();
    }
    EXPECT_EQ(queue.front()(1, 1), 7);
    std::list<array> linked(3, array{1, 2});
    linked.front() += 1.0;
    EXPECT_EQ(values(linked.back()), (list{1, 2}));
    std::unordered_map<std::string, array> named;
    named["x"] = array{1} * 4.0;
    EXPECT_EQ(named["x"](0), 4);
}

// Expressions in variables: references to their operands, as xtensor's are.

TEST_F(ExpressionsInVariables, SeeEveryKindOfLaterAssignment) {
    array a = {1, 2};
    const auto e = a + 1.0;
    a = array{5, 6};
    EXPECT_EQ(values(array(e)), (list{6, 7}));
    a = a * 2.0;
    EXPECT_EQ(values(array(e)), (list{11, 13}));
    a += 1.0;
    EXPECT_EQ(values(array(e)), (list{12, 14}));
    a = xt::zeros<double>({2});
    EXPECT_EQ(values(array(e)), (list{1, 1}));
    a(1) = 9.0;
    EXPECT_EQ(values(array(e)), (list{1, 10}));
    xt::view(a, 0) = 4.0;
    EXPECT_EQ(values(array(e)), (list{5, 10}));
    *a.begin() = 2.0;
    EXPECT_EQ(values(array(e)), (list{3, 10}));
    xt::noalias(a) = xt::ones<double>({2});
    EXPECT_EQ(values(array(e)), (list{2, 2}));
    array b = {7, 7};
    a = b;
    EXPECT_EQ(values(array(e)), (list{8, 8}));
    a = std::move(b);
    a.fill(0.5);
    EXPECT_EQ(values(array(e)), (list{1.5, 1.5}));
    array c = {20, 30};
    std::swap(a, c);
    EXPECT_EQ(a(1), 30);
}

TEST_F(ExpressionsInVariables, SeeANewShape) {
    array a = {1, 2};
    const auto e = a * 2.0;
    EXPECT_EQ(values(array(e)), (list{2, 4}));
    a = array{1, 2, 3};
    const array longer = e;
    EXPECT_EQ(values(longer), (list{2, 4, 6}));
}

TEST_F(ExpressionsInVariables, SeveralTargets) {
    array a = {1, 2}, b = {10, 20};
    const auto e = a * b + 1.0;
    array p = e;
    array r = {0, 0};
    r += e;
    xt::view(r, 0) = e(0) + 1.0;
    array s = e * e;
    p = p + e;
    EXPECT_EQ(values(p), (list{22, 82}));
    EXPECT_EQ(values(r), (list{12, 41}));
    EXPECT_EQ(values(s), (list{121, 1681}));
    EXPECT_EQ(xt::sum(e)(), 52);
}

TEST_F(ExpressionsInVariables, ViewsShowAndChangeTheArray) {
    array a = {{1, 2}, {3, 4}};
    auto row = xt::view(a, 0);
    a = a + 10.0;
    EXPECT_EQ(values(row), (list{11, 12}));
    row = 3.0;
    EXPECT_EQ(a(0, 1), 3);
    row += 4.0;
    a = a * 2.0;
    EXPECT_EQ(values(row), (list{14, 14}));
    auto inner = xt::view(row, xt::range(1, 2));
    inner = 0.0;
    EXPECT_EQ(values(a), (list{14, 0, 26, 28}));
    const auto copy = row;
    row = 1.0;
    EXPECT_EQ(copy(0), 1.0);
    auto turned = xt::transpose(a);
    turned(1, 0) = 77;
    EXPECT_EQ(a(0, 1), 77);
}

TEST_F(ExpressionsInVariables, MovedFromAndUsedAgain) {
    array a = {1, 2};
    auto e = a + 1.0;
    auto f = std::move(e);
    EXPECT_EQ(values(array(f)), (list{2, 3}));
    EXPECT_EQ(values(array(e)), (list{2, 3}));
    auto v = xt::view(a, xt::range(0, 1));
    auto w = std::move(v);
    v = 5.0;
    EXPECT_EQ(values(array(w)), (list{5}));
    const auto g = std::move(f) * 2.0;
    EXPECT_EQ(values(array(g)), (list{12, 6}));
    EXPECT_EQ(values(array(f)), (list{6, 3}));
}

TEST_F(ExpressionsInVariables, OfTemporaries) {
    const auto e = array{1, 2} + array{3, 4};
    const auto v = xt::view(array{1, 2, 3} * 2.0, xt::range(1, 3));
    const auto s = xt::sum(array{{1, 2}, {3, 4}}, {1});
    array churn;
    for (int i = 0; i < 10; ++i) churn = xt::ones<double>({2}) * double(i);
    EXPECT_EQ(values(array(e)), (list{4, 6}));
    EXPECT_EQ(values(array(v)), (list{4, 6}));
    EXPECT_EQ(values(array(s)), (list{3, 7}));
}

// What templates of users see.

template <class T>
std::size_t element_size(const xt::xarray<T>&) {
    return sizeof(T);
}
template <class T, std::size_t N>
std::size_t rank(const xt::xtensor<T, N>&) {
    return N;
}
template <class E>
bool is_expression(const xt::xexpression<E>&) {
    return true;
}
bool is_expression(...) { return false; }

TEST_F(Types, AreDeduced) {
    const array a = {1, 2};
    const xt::xtensor<int, 3> t = xt::zeros<int>({1, 2, 3});
    EXPECT_EQ(element_size(a), 8u);
    EXPECT_EQ(element_size(xt::xarray<float>{1.0f}), 4u);
    EXPECT_EQ(rank(t), 3u);
    EXPECT_TRUE(is_expression(a));
    EXPECT_TRUE(is_expression(a + 1.0));
    EXPECT_TRUE(is_expression(xt::view(a, 0)));
    EXPECT_TRUE(is_expression(xt::sum(a)));
    EXPECT_FALSE(is_expression(1.0));
    static_assert(std::is_same_v<array::value_type, double>);
    static_assert(std::is_same_v<decltype(a + 1.0)::value_type, double>);
    static_assert(xt::is_xexpression<array>::value);
    static_assert(std::is_nothrow_move_constructible_v<array> && std::is_nothrow_move_assignable_v<array>);
    static_assert(std::is_nothrow_destructible_v<array> && std::is_copy_constructible_v<tensor>);
    static_assert(!std::is_same_v<array, xt::xarray_stock<double>>);
}

TEST_F(Types, ShapeAndStridesOfPendingArrays) {
    tensor t = xt::ones<double>({3, 4}) + 1.0;
    const auto flushes = support::flushes_of([&] {
        EXPECT_EQ(t.shape(), (std::array<std::size_t, 2>{3, 4}));
        EXPECT_EQ(t.shape(1), 4u);
        EXPECT_EQ(t.strides()[0], 4);
        EXPECT_EQ(t.size(), 12u);
        EXPECT_EQ(t.dimension(), 2u);
    });
    EXPECT_EQ(flushes.count("element"), 0u);
    EXPECT_EQ(xt::sum(t)(), 24);
}

}  // namespace
