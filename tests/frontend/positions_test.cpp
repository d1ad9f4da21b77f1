// SPDX-License-Identifier: BSD-3-Clause
// The place of the smallest and of the largest element, of arrays of several leaves.
#include "support.hpp"

#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

/// The first NaN, or the first extreme.
template <class T>
std::size_t place_of(const std::vector<T>& values, bool largest) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] != values[i]) return i;
        if (largest ? values[i] > values[place] : values[i] < values[place]) place = i;
    }
    return place;
}

template <class T>
void expect_places(const std::vector<T>& values) {
    xt::xtensor<T, 1> a(std::array<std::size_t, 1>{values.size()});
    std::copy(values.begin(), values.end(), a.begin());
    EXPECT_EQ(xt::argmin(a)(), place_of(values, false));
    EXPECT_EQ(xt::argmax(a)(), place_of(values, true));
    EXPECT_EQ(xt::argmin(a, 0)(), place_of(values, false));
}

template <class T>
std::vector<T> spread(std::size_t n, unsigned kinds) {
    std::vector<T> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<T>((i * 2654435761u >> 7) % kinds + 1));
    return values;
}

template <class T>
class Positions : public testing::Test {};
using Types = testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(Positions, Types);

TYPED_TEST(Positions, FirstOfEqualElements) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{4096}, std::size_t{4097}, std::size_t{30000}}) {
        expect_places(std::vector<TypeParam>(n, TypeParam{3}));
        expect_places(spread<TypeParam>(n, 100));
    }
}

TYPED_TEST(Positions, InEveryLeaf) {
    for (const std::size_t at :
         {std::size_t{0}, std::size_t{4095}, std::size_t{4096}, std::size_t{20000}, std::size_t{20479}}) {
        std::vector<TypeParam> values = spread<TypeParam>(20480, 50);
        values[at] = 0;
        values[20479] = 0;
        expect_places(values);
        values[at] = 100;
        values[20479] = 100;
        expect_places(values);
    }
}

TEST(Positions, NaN) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{5000}, std::size_t{29999}}) {
        std::vector<double> values = spread<double>(30000, 1000);
        values[at] = values[29999] = std::numeric_limits<double>::quiet_NaN();
        expect_places(values);
    }
}

TEST(Positions, ZerosOfBothSigns) {
    std::vector<float> values(20000, 1.0f);
    values[9000] = 0.0f;
    values[15000] = -0.0f;
    expect_places(values);
    std::swap(values[9000], values[15000]);
    expect_places(values);
}

TEST(Positions, OfWhatIsComputed) {
    const std::vector<double> values = spread<double>(50000, 40000);
    xt::xtensor<double, 1> a(std::array<std::size_t, 1>{values.size()});
    std::copy(values.begin(), values.end(), a.begin());
    std::vector<double> squares;
    for (const double x : values) squares.push_back((x - 20000.5) * (x - 20000.5));
    for (int run = 0; run < 3; ++run) EXPECT_EQ(xt::argmin((a - 20000.5) * (a - 20000.5))(), place_of(squares, false));
}

TEST(Positions, OfWhatChanges) {
    std::vector<double> values = spread<double>(50000, 40000);
    xt::xtensor<double, 1> a(std::array<std::size_t, 1>{values.size()});
    std::copy(values.begin(), values.end(), a.begin());
    for (int run = 0; run < 5; ++run) {
        const std::size_t at = xt::argmax(a)();
        EXPECT_EQ(at, place_of(values, true));
        a(at) = values[at] = 0;
    }
}

}  // namespace
