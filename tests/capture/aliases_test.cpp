// SPDX-License-Identifier: BSD-3-Clause
// Numbers that decide something, and results that go to arrays which the call uses.
#include "capture/support.hpp"

#include <algorithm>
#include <cmath>

namespace {

using namespace test;
using xlazy::capture;

Array three() { return Array{1.0, 2.0, 3.0}; }

/// The captured function gives what the function gives, whatever was called before.
template <class Body, class K>
void expect_agreement(const Body& body, K first, std::initializer_list<K> numbers) {
    const auto f = capture(body, three(), first);
    for (const K k : numbers) EXPECT_TRUE(same_bits(f(three(), k), body(three(), k))) << k;
    EXPECT_TRUE(same_bits(f(three(), first), body(three(), first))) << first;
}

TEST(Decisions, OfAConstant) {
    for (const double first : {5.0, -5.0}) {
        expect_agreement([](const Array& x, double k) { return Array(x * (k > 0 ? 2.0 : 3.0)); }, first, {-5.0, 4.0});
        expect_agreement([](const Array& x, double k) { return Array(x * std::max(k, 0.0)); }, first, {-5.0, 4.0});
        expect_agreement([](const Array& x, double k) { return Array(x * std::abs(k)); }, first, {-5.0, 4.0});
        expect_agreement([](const Array& x, double k) { return Array(x * (0.5 < k && k < 0.7 ? k : 1.0)); }, first,
                         {0.6, 0.8});
    }
}

TEST(Decisions, OfIntegers) {
    expect_agreement([](const Array& x, int n) { return Array(x * (n % 3 == 0 ? 1.0 : 100.0)); }, 4, {6, 5, 7, 9});
    expect_agreement([](const Array& x, bool b) { return Array(x * (b ? 1.0 : 100.0)); }, true, {false});
}

TEST(Decisions, OfTwoNumbersThatAreCompared) {
    const auto body = [](const Array& x, double a, double b) { return Array(x * (a > b ? 1.0 : 2.0) + a * x); };
    const auto f = capture(body, three(), 1.0, 2.0);
    for (const auto& [a, b] : {std::pair(3.0, 2.0), std::pair(1.0, 2.0), std::pair(2.0, 2.0)})
        EXPECT_TRUE(same_bits(f(three(), a, b), body(three(), a, b))) << a << " " << b;
}

TEST(Decisions, FoundInOneRecordingHoldForAll) {
    expect_agreement([](const Array& x, int n) { return Array(x * (n == 1 ? 5.0 : 9.0)); }, 1, {1, 2, 3, 1});
    expect_agreement([](const Array& x, int n) { return Array(x * (n == 17 ? 5.0 : 9.0)); }, 17, {3, 4, 17, 3});
}

TEST(Decisions, NumbersThatDecideNothingAreNotRecordedAgain) {
    const auto f = capture([](const Array& x, double a, int b) { return Array(a * x + b); }, three(), 1.0, 2);
    for (int i = -3; i < 4; ++i) EXPECT_EQ(f(three(), 0.5 * i, i)(1), 0.5 * i * 2.0 + i);
    EXPECT_EQ(f.statistics().recordings, 1u);
}

TEST(Into, OneArrayForResultsOfTwoShapes) {
    const auto f = capture([](const Array& x) { return std::tuple{Array(x * 2.0), Array(xlazy::sum(x))}; }, three());
    Array w;
    f.into(w, w)(three());
    EXPECT_EQ(values(w), std::vector{6.0});
    Array both = three();
    f.into(both, both)(both);
    EXPECT_EQ(values(both + 1.0), std::vector{7.0});
    Array first, second;
    f.into(first, second)(three());
    f.into(second, first)(first);  // each has the other's shape
    EXPECT_EQ(values(second), (std::vector{4.0, 8.0, 12.0}));
    EXPECT_EQ(values(first), std::vector{12.0});
}

TEST(Into, AnArrayThatTheFunctionChanges) {
    Array state = {1.0, 1.0, 1.0};
    const auto twice = capture(
        [&](const Array& x) {
            state += x;
            return Array(state * 2.0);
        },
        three());
    twice.into(state)(three());
    EXPECT_EQ(values(state), (std::vector{4.0, 6.0, 8.0}));
    twice.into(state)(three());
    EXPECT_EQ(values(state), (std::vector{10.0, 16.0, 22.0}));
    const auto total = capture(
        [&](const Array& x) {
            state += x;
            return Array(xlazy::sum(state));
        },
        three());
    total.into(state)(three());  // of another shape
    EXPECT_EQ(values(state), std::vector{54.0});
}

TEST(Call, OfWhatWasMovedFrom) {
    auto f = capture([](const Array& x) { return Array(x * 2.0); }, three());
    const auto g = std::move(f);
    EXPECT_TRUE(same_bits(f(three()), g(three())));
}

}  // namespace
