// SPDX-License-Identifier: BSD-3-Clause
// Facts about scalars and numbers that follow from them.
#include "xlazy/bytecode/scalar_form.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace xlazy::bc {
namespace {

template <class T>
std::vector<ScalarFact> facts_of(T value) {
    std::vector<ScalarFact> facts;
    for (std::size_t i = 0; i < std::size(kScalarFactNames); ++i) {
        if (fact_holds(make_scalar(value), static_cast<ScalarFact>(i))) facts.push_back(static_cast<ScalarFact>(i));
    }
    return facts;
}

using Facts = std::vector<ScalarFact>;
using enum ScalarFact;

TEST(ScalarFacts, OfFloats) {
    EXPECT_EQ(facts_of(0.0), Facts{Zero});
    EXPECT_EQ(facts_of(-0.0), Facts{MinusZero});
    EXPECT_EQ(facts_of(1.0f), (Facts{ExactReciprocal, One}));
    EXPECT_EQ(facts_of(2.0), (Facts{ExactReciprocal, Two}));
    EXPECT_EQ(facts_of(-0.125f), Facts{ExactReciprocal});
    EXPECT_EQ(facts_of(3.0), Facts{});
    EXPECT_EQ(facts_of(std::numeric_limits<double>::quiet_NaN()), Facts{});
    EXPECT_EQ(facts_of(std::numeric_limits<double>::infinity()), Facts{});
}

/// The reciprocals of the two largest powers of two and of the smallest numbers are no normal numbers.
TEST(ScalarFacts, ReciprocalsAreNormalNumbers) {
    EXPECT_EQ(facts_of(std::ldexp(1.0, 1022)), Facts{ExactReciprocal});
    EXPECT_EQ(facts_of(std::ldexp(1.0, 1023)), Facts{});
    EXPECT_EQ(facts_of(std::ldexp(1.0, -1022)), Facts{ExactReciprocal});
    EXPECT_EQ(facts_of(std::numeric_limits<double>::denorm_min()), Facts{});
    EXPECT_EQ(facts_of(std::ldexp(1.0f, 126)), Facts{ExactReciprocal});
    EXPECT_EQ(facts_of(std::ldexp(1.0f, 127)), Facts{});
}

TEST(ScalarFacts, OfIntegersAndOthers) {
    EXPECT_EQ(facts_of(std::int32_t{1}), (Facts{PowerOfTwo, One}));
    EXPECT_EQ(facts_of(std::uint8_t{128}), Facts{PowerOfTwo});
    EXPECT_EQ(facts_of(std::int8_t{-128}), Facts{}) << "a bit, but not a positive number";
    EXPECT_EQ(facts_of(std::numeric_limits<std::int64_t>::min()), Facts{});
    EXPECT_EQ(facts_of(std::int16_t{0}), Facts{Zero});
    EXPECT_EQ(facts_of(true), Facts{});
    EXPECT_EQ(facts_of(std::complex<double>(1, 0)), Facts{});
}

template <class T>
T form(T value, ScalarForm wanted) {
    EXPECT_TRUE(has_form(dtype_of<T>(), wanted));
    return scalar_value<T>(form_of(make_scalar(value), wanted));
}

TEST(ScalarForms, Values) {
    EXPECT_EQ(form(-4.0, ScalarForm::Reciprocal), -0.25);
    EXPECT_EQ(form(8.0f, ScalarForm::Reciprocal), 0.125f);
    EXPECT_EQ(form(std::int32_t{8}, ScalarForm::Exponent), 3);
    EXPECT_EQ(form(std::uint64_t{1} << 63, ScalarForm::Exponent), 63u);
    EXPECT_EQ(form(std::uint8_t{128}, ScalarForm::Below), 127);
    EXPECT_EQ(form(std::int16_t{16}, ScalarForm::Negative), -16);
    EXPECT_EQ(form(std::uint16_t{16}, ScalarForm::Negative), 65520);
    EXPECT_EQ(form(std::int8_t{2}, ScalarForm::SignShift), 7);
    EXPECT_EQ(form(std::int64_t{2}, ScalarForm::SignShift), 63);
    EXPECT_EQ(form(true, ScalarForm::Value), true);
    EXPECT_FALSE(has_form(DType::i32, ScalarForm::Reciprocal));
    EXPECT_FALSE(has_form(DType::f64, ScalarForm::Exponent));
    EXPECT_FALSE(has_form(DType::c64, ScalarForm::Reciprocal));
    EXPECT_FALSE(has_form(DType::none, ScalarForm::Value));
}

TEST(ScalarGuards, OfTwoSlotsCompareTypesAndBits) {
    Program program;
    program.scalars = {make_scalar(0.0), make_scalar(-0.0), make_scalar(0.0), make_scalar(std::int64_t{0})};
    const auto same = [&](std::uint32_t a, std::uint32_t b) {
        return guard_holds(ScalarGuard{a, std::nullopt, b}, program);
    };
    EXPECT_TRUE(same(0, 2));
    EXPECT_FALSE(same(0, 1));
    EXPECT_FALSE(same(0, 3)) << "equal bits of another type";
}

}  // namespace
}  // namespace xlazy::bc
