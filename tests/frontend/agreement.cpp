// SPDX-License-Identifier: BSD-3-Clause
#include "agreement.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <ios>
#include <limits>
#include <typeinfo>

namespace {

using programs::Agreement;
using programs::Result;

/// Position on the number line of the type's values: neighbours are 1 apart.
std::int64_t position(double value) {
    const auto bits = std::bit_cast<std::int64_t>(value);
    return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}
std::int64_t position(float value) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return bits < 0 ? std::int64_t{std::numeric_limits<std::int32_t>::min()} - bits : bits;
}
template <class T>
double ulps(T a, T b) {
    const std::int64_t p = position(a), q = position(b);
    const auto apart = p < q ? static_cast<std::uint64_t>(q) - static_cast<std::uint64_t>(p)
                             : static_cast<std::uint64_t>(p) - static_cast<std::uint64_t>(q);
    return static_cast<double>(apart);
}

template <class T>
bool agree(T got, T want, const Result& how) {
    if (std::isnan(want)) return std::isnan(got);
    if (how.agreement == Agreement::Bits || std::isinf(want)) return std::memcmp(&got, &want, sizeof(T)) == 0;
    if (how.agreement == Agreement::Within) return std::abs(double{got} - double{want}) <= how.bound;
    return ulps(got, want) <= how.bound;
}

template <class T>
void compare_floats(const Result& got, const Result& want) {
    for (std::size_t i = 0; i < want.bytes.size() / sizeof(T); ++i) {
        T g, w;
        std::memcpy(&g, got.bytes.data() + i * sizeof(T), sizeof(T));
        std::memcpy(&w, want.bytes.data() + i * sizeof(T), sizeof(T));
        if (agree(g, w, want)) continue;
        ADD_FAILURE() << want.name << ": element " << i << " is " << std::hexfloat << g << ", xtensor has " << w << " ("
                      << std::defaultfloat << w << "), " << ulps(g, w) << " ulps off";
        return;
    }
}

}  // namespace

void programs::expect_agreement(const Result& got, const Result& want) {
    ASSERT_EQ(got.name, want.name);
    EXPECT_EQ(got.type, want.type) << want.name << ": type of the elements";
    EXPECT_EQ(got.shape, want.shape) << want.name << ": shape";
    EXPECT_EQ(got.text, want.text) << want.name;
    ASSERT_EQ(got.bytes.size(), want.bytes.size()) << want.name;
    if (got.type != want.type) return;
    if (want.type == typeid(double).name()) return compare_floats<double>(got, want);
    if (want.type == typeid(float).name()) return compare_floats<float>(got, want);
    // Part by part.
    if (want.type == typeid(std::complex<double>).name()) return compare_floats<double>(got, want);
    if (want.type == typeid(std::complex<float>).name()) return compare_floats<float>(got, want);
    const std::size_t size = want.bytes.size();
    for (std::size_t i = 0; i < size; ++i) {
        if (got.bytes[i] == want.bytes[i]) continue;
        ADD_FAILURE() << want.name << ": byte " << i << " of " << size << " (" << want.type << ") is "
                      << int(got.bytes[i]) << ", xtensor has " << int(want.bytes[i]);
        return;
    }
}
