// SPDX-License-Identifier: BSD-3-Clause
// Memory that xlazy does not own, and element types that it does not record, in one program with arrays of ours.
#include "support.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xoptional.hpp>
#include <xtensor/xoptional_assembly.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xvectorize.hpp>
#include <xtensor/xview.hpp>

#include <array>
#include <memory>
#include <numeric>
#include <string>

namespace {

using support::Counts;
using support::flushes_of;
using support::values;

using array = xt::xarray<double>;
using list = std::vector<double>;

class ForeignMemory : public support::Frontend {};
class OtherElements : public support::Frontend {};

constexpr std::size_t kLimit = 64 * 1024 / sizeof(double);

/// `result = adapted + 1` is taken at the statement: what the memory holds later does not matter.
template <class A>
void expect_taken_at_the_statement(A&& adapted, double* memory) {
    array result = adapted + array{1, 1, 1};
    memory[1] = 100;
    array later = adapted * 1.0 + array{0, 0, 0};
    EXPECT_EQ(values(result), (list{2, 3, 4}));
    EXPECT_EQ(values(later), (list{1, 100, 3}));
}

TEST_F(ForeignMemory, OfAVectorIsTakenAtTheStatement) {
    list memory = {1, 2, 3};
    expect_taken_at_the_statement(xt::adapt(memory), memory.data());
}
TEST_F(ForeignMemory, OfAVectorWithAShapeIsTakenAtTheStatement) {
    list memory = {1, 2, 3};
    expect_taken_at_the_statement(xt::adapt(memory, std::vector<std::size_t>{3}), memory.data());
}
TEST_F(ForeignMemory, OfAConstVectorIsTakenAtTheStatement) {
    list memory = {1, 2, 3};
    const list& constant = memory;
    expect_taken_at_the_statement(xt::adapt(constant), memory.data());
}
TEST_F(ForeignMemory, OfAPointerIsTakenAtTheStatement) {
    double memory[] = {1, 2, 3};
    expect_taken_at_the_statement(xt::adapt(&memory[0], 3, xt::no_ownership(), std::vector<std::size_t>{3}), memory);
}
TEST_F(ForeignMemory, OfAnAcquiredPointerIsTakenAtTheStatement) {
    auto* memory = std::allocator<double>().allocate(3);
    std::iota(memory, memory + 3, 1.0);
    expect_taken_at_the_statement(xt::adapt(std::move(memory), 3, xt::acquire_ownership(), std::vector<std::size_t>{3}),
                                  memory);
}
TEST_F(ForeignMemory, OfAnArrayIsTakenAtTheStatement) {
    std::array<double, 3> memory = {1, 2, 3};
    expect_taken_at_the_statement(xt::adapt(memory), memory.data());
}
TEST_F(ForeignMemory, OfASharedPointerIsTakenAtTheStatement) {
    const std::shared_ptr<double> memory(new double[3]{1, 2, 3}, std::default_delete<double[]>());
    expect_taken_at_the_statement(xt::adapt_smart_ptr(memory, {3}), memory.get());
}
TEST_F(ForeignMemory, OfAPlainContainerIsTakenAtTheStatement) {
    xt::xarray_stock<double> plain = {1, 2, 3};
    expect_taken_at_the_statement(plain, plain.data());
    xt::xtensor_stock<double, 1> ranked = {1, 2, 3};
    expect_taken_at_the_statement(ranked, ranked.data());
}
TEST_F(ForeignMemory, OfAFixedContainerIsTakenAtTheStatement) {
    xt::xtensor_fixed<double, xt::xshape<3>> fixed = {1, 2, 3};
    expect_taken_at_the_statement(fixed, fixed.data());
}
TEST_F(ForeignMemory, OfAViewOfAnAdaptorIsTakenAtTheStatement) {
    list memory = {1, 2, 3, 4};
    auto adapted = xt::adapt(memory);
    expect_taken_at_the_statement(xt::view(adapted, xt::range(0, 3)), memory.data());
}
TEST_F(ForeignMemory, OfAColumnMajorAdaptorIsTakenAtTheStatement) {
    list memory = {1, 2, 3, 4};
    auto adapted = xt::adapt<xt::layout_type::column_major>(memory, std::vector<std::size_t>{2, 2});
    array result = adapted + xt::zeros<double>({2, 2}) + array{{0, 0}, {10, 10}};
    memory = {0, 0, 0, 0};
    EXPECT_EQ(values(result), (list{1, 3, 12, 14}));
}

TEST_F(ForeignMemory, UpTo64KibibytesIsCopiedWithoutAFlush) {
    SKIP_IF_EAGER();
    list memory(kLimit, 1.0);
    auto adapted = xt::adapt(memory);
    array a = xt::ones<double>({kLimit}), b;
    EXPECT_EQ(flushes_of([&] { b = a + adapted; }), Counts());
    memory.assign(kLimit, 50.0);
    EXPECT_EQ(b(kLimit - 1), 2.0);
}
TEST_F(ForeignMemory, AboveThatTheStatementRunsBeforeItReturns) {
    SKIP_IF_EAGER();
    list memory(kLimit + 1, 1.0);
    auto adapted = xt::adapt(memory);
    array a = xt::ones<double>({kLimit + 1}), b;
    EXPECT_EQ(flushes_of([&] { b = a + adapted; }), (Counts{{"foreign", 1}}));
    memory.assign(kLimit + 1, 50.0);
    EXPECT_EQ(b(kLimit), 2.0);
    EXPECT_EQ(flushes_of([&] { xt::view(b, xt::range(0, 5)) = 1.0; }), Counts());
    EXPECT_EQ(flushes_of([&] { b += adapted; }), (Counts{{"foreign", 1}}));
    EXPECT_EQ(b(0), 51.0);
}

TEST_F(ForeignMemory, IsWrittenWithoutWaiting) {
    list memory = {1, 2, 3};
    auto adapted = xt::adapt(memory);
    double raw[3] = {};
    auto pointed = xt::adapt(&raw[0], 3, xt::no_ownership(), std::vector<std::size_t>{3});
    xt::xarray_stock<double> plain;
    xt::xtensor_fixed<double, xt::xshape<3>> fixed;
    array a = {1, 2, 3};
    a *= 2.0;
    adapted = a + 1.0;
    EXPECT_EQ(memory, (list{3, 5, 7}));
    pointed = a;
    EXPECT_EQ(raw[2], 6);
    pointed -= a * 0.5;
    EXPECT_EQ(raw[2], 3);
    plain = a - 1.0;
    EXPECT_EQ(plain(2), 5);
    fixed = xt::sqrt(a + a);
    EXPECT_EQ(fixed(0), 2);
    xt::view(adapted, xt::range(0, 2)) = xt::view(a, xt::range(1, 3));
    EXPECT_EQ(memory, (list{4, 6, 7}));
    xt::noalias(adapted) += a;
    EXPECT_EQ(memory, (list{6, 10, 13}));
}
TEST_F(ForeignMemory, OnBothSides) {
    list memory = {1, 2, 3};
    auto adapted = xt::adapt(memory);
    const array a = {10, 20, 30};
    adapted = adapted + a;
    adapted = a - adapted;
    EXPECT_EQ(memory, (list{-1, -2, -3}));
    array b = adapted * 2.0;
    adapted = b;
    EXPECT_EQ(memory, (list{-2, -4, -6}));
}

TEST_F(ForeignMemory, CapturedByVectorizedFunctionsIsReadAtTheStatement) {
    double factor = 2.0;
    const array a = {1, 2, 3};
    const auto scaled = xt::vectorize([&](double x) { return x * factor; });
    array b = scaled(a) + a;
    factor = 100.0;
    array c = scaled(a);
    EXPECT_EQ(values(b), (list{3, 6, 9}));
    EXPECT_EQ(values(c), (list{100, 200, 300}));
}
TEST_F(ForeignMemory, CapturedByLambdaFunctionsIsReadAtTheStatement) {
    list table = {10, 20, 30};
    const array a = {0, 1, 2};
    const auto looked_up = xt::make_lambda_xfunction([&](double i) { return table[std::size_t(i)]; }, a);
    array b = looked_up + 1.0;
    table = {0, 0, 0};
    EXPECT_EQ(values(b), (list{11, 21, 31}));
    array c = looked_up * 1.0;
    EXPECT_EQ(values(c), (list{0, 0, 0}));
}
TEST_F(ForeignMemory, UserFunctionsSeePendingArrays) {
    array a = {1, 2};
    a += 1.0;
    const auto doubled = xt::make_lambda_xfunction([](double x, double y) { return x * 2 + y; }, a, a);
    array b = doubled;
    a = array{0, 0};
    EXPECT_EQ(values(b), (list{6, 9}));
}

struct Point {
    double x = 0;
    double y = 0;
    friend Point operator+(const Point& a, const Point& b) { return {a.x + b.x, a.y + b.y}; }
    friend bool operator==(const Point&, const Point&) = default;
};

TEST_F(OtherElements, StructsOfTheUser) {
    xt::xarray<Point> points = {{1, 2}, {3, 4}};
    xt::xtensor<Point, 1> other = points;
    other(0).x = 10;
    const xt::xarray<Point> sum = points + other;
    EXPECT_EQ(sum(0), (Point{11, 4}));
    EXPECT_EQ(sum(1), (Point{6, 8}));
    xt::view(points, 1) = Point{7, 8};
    EXPECT_EQ(points(1), (Point{7, 8}));
    points = sum;
    EXPECT_EQ(points(0).x, 11);
    array xs = xt::zeros<double>({2});
    xs += 1.0;
    for (std::size_t i = 0; i < 2; ++i) xs(i) += points(i).x;
    EXPECT_EQ(values(xs), (list{12, 7}));
}
TEST_F(OtherElements, Strings) {
    using text = std::string;
    xt::xarray<text> words = {{text("a"), text("b")}, {text("c"), text("d")}};
    const xt::xarray<std::string> more = words + words;
    EXPECT_EQ(more(1, 0), "cc");
    words = more;
    xt::view(words, 0) = std::string("z");
    EXPECT_EQ(words(0, 1), "z");
    EXPECT_EQ(more(0, 1), "bb");
    xt::xarray<std::string> turned = xt::transpose(words);
    EXPECT_EQ(turned(0, 1), "cc");
    xt::xarray<std::string> moved = std::move(turned);
    EXPECT_EQ(moved(0, 0), "z");
    const array a = xt::ones<double>({2}) * 2.0;
    const xt::xarray<bool> chosen = xt::equal(xt::view(words, 1), std::string("cc"));
    const array b = xt::where(chosen, a, 0.0);
    EXPECT_EQ(values(b), (list{2, 0}));
}
TEST_F(OtherElements, OptionalValues) {
    xt::xarray_optional<double> optional = {{1.0, xtl::missing<double>()}, {3.0, 4.0}};
    array a = {{1, 2}, {3, 4}};
    a *= 10.0;
    const xt::xarray_optional<double> sum = optional + a;
    EXPECT_TRUE(sum(0, 0).has_value());
    EXPECT_EQ(sum(0, 0).value(), 11.0);
    EXPECT_FALSE(sum(0, 1).has_value());
    EXPECT_EQ(sum(1, 1).value(), 44.0);
}
TEST_F(OtherElements, LongDouble) {
    xt::xarray<long double> wide = {1.0L, 2.0L};
    const array a = xt::ones<double>({2}) * 0.5;
    const xt::xarray<long double> sum = wide + a;
    EXPECT_EQ(sum(1), 2.5L);
    wide += a;
    array narrow = wide * 2.0L;
    EXPECT_EQ(values(narrow), (list{3, 5}));
}

}  // namespace
