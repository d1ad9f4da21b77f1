// SPDX-License-Identifier: BSD-3-Clause
// Element types, the op table, and the batch's own tables.
#include "xlazy/bytecode/op.hpp"
#include "xlazy/bytecode/program.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>

namespace xlazy::bc {
namespace {

TEST(DTypeTable, NamesAreFoundAgain) {
    for (std::size_t i = 0; i < kDTypeCount; ++i) EXPECT_EQ(dtype_from_name(kDTypes[i].name), static_cast<DType>(i));
    EXPECT_EQ(dtype_from_name("none"), DType::none);
    EXPECT_EQ(dtype_from_name("f6"), DType::none);
    EXPECT_EQ(dtype_from_name(""), DType::none);
}

TEST(DTypeTable, CppTypesMapBySizeAndSign) {
    static_assert(dtype_of<long>() == DType::i64 && dtype_of<long long>() == DType::i64);
    static_assert(dtype_of<unsigned short>() == DType::u16 && dtype_of<signed char>() == DType::i8);
    static_assert(dtype_of<char>() == (std::is_signed_v<char> ? DType::i8 : DType::u8));
    static_assert(dtype_of<char16_t>() == DType::u16 && size_of(dtype_of<wchar_t>()) == sizeof(wchar_t));
    static_assert(dtype_of<const double>() == DType::f64 && dtype_of<std::string>() == DType::none);
    static_assert(std::is_same_v<CType<DType::i16>, std::int16_t>);
    EXPECT_EQ(size_of(DType::c128), 16u);
}

TEST(DTypeTable, PromotionIsThatOfCpp) {
    EXPECT_EQ(promote(DType::boolean, DType::boolean), dtype_of<decltype(true + true)>());
    EXPECT_EQ(promote(DType::i16, DType::i16), DType::i32);
    EXPECT_EQ(promote(DType::u16, DType::i8), DType::i32);
    EXPECT_EQ(promote(DType::u32, DType::i32), DType::u32);
    EXPECT_EQ(promote(DType::u32, DType::i64), DType::i64);
    EXPECT_EQ(promote(DType::u64, DType::i64), DType::u64);
    EXPECT_EQ(promote(DType::i64, DType::f32), DType::f32);
    EXPECT_EQ(promote(DType::f32, DType::f64), DType::f64);
    EXPECT_EQ(promote(DType::c64, DType::f32), DType::c64);
    EXPECT_EQ(promote(DType::c64, DType::f64), DType::c128);
    EXPECT_EQ(promote(DType::i32, DType::c128), DType::c128);
    EXPECT_EQ(promote(DType::none, DType::f64), DType::none);
    for (std::size_t a = 0; a < kDTypeCount; ++a) {
        for (std::size_t b = 0; b < kDTypeCount; ++b) {
            EXPECT_EQ(promote(DType(a), DType(b)), promote(DType(b), DType(a)));
        }
    }
}

TEST(OpTable, NamesAreFoundAgainAndDiffer) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < kOpCount; ++i) {
        Op op{};
        ASSERT_TRUE(op_from_name(kOps[i].name, op));
        EXPECT_EQ(op, static_cast<Op>(i));
        names.insert(kOps[i].name);
    }
    EXPECT_EQ(names.size(), kOpCount);
    Op op{};
    EXPECT_FALSE(op_from_name("ad", op));
    EXPECT_FALSE(op_from_name("", op));
}

TEST(OpTable, AcceptsWhatTheRowSays) {
    EXPECT_TRUE(accepts(Op::add, DType::i16));
    EXPECT_FALSE(accepts(Op::add, DType::boolean));
    EXPECT_TRUE(accepts(Op::add, DType::u8));
    EXPECT_TRUE(accepts(Op::add, DType::c64));
    EXPECT_FALSE(accepts(Op::lt, DType::c64));
    EXPECT_TRUE(accepts(Op::exp, DType::c128));
    EXPECT_FALSE(accepts(Op::exp2, DType::c128));
    EXPECT_FALSE(accepts(Op::real, DType::f64));
    EXPECT_TRUE(accepts(Op::bit_and, DType::boolean));
    EXPECT_FALSE(accepts(Op::bit_and, DType::f32));
    EXPECT_FALSE(accepts(Op::sqrt, DType::i32));
    EXPECT_TRUE(accepts(Op::index, DType::i64));
    EXPECT_FALSE(accepts(Op::index, DType::i32));
    EXPECT_TRUE(can_fail(Op::div, DType::i32));
    EXPECT_FALSE(can_fail(Op::div, DType::f64));
    for (std::size_t i = 0; i < kOpCount; ++i) {
        bool any = false;
        for (std::size_t type = 0; type < kDTypeCount; ++type) any = any || accepts(Op(i), DType(type));
        EXPECT_TRUE(any) << kOps[i].name;
        EXPECT_FALSE(kOps[i].doc.empty());
    }
}

TEST(OpTable, ResultsAndRoutines) {
    EXPECT_EQ(result_of(Op::lt, DType::u8), DType::boolean);
    EXPECT_EQ(result_of(Op::abs, DType::c64), DType::f32);
    EXPECT_EQ(result_of(Op::abs, DType::i8), DType::i8);
    EXPECT_EQ(result_of(Op::conj, DType::c128), DType::c128);
    EXPECT_EQ(result_of(Op::cast, DType::f32), DType::none);
    EXPECT_EQ(maths_of(Op::exp, DType::f32), Maths::Vector);
    EXPECT_EQ(maths_of(Op::exp, DType::c64), Maths::Vector);
    EXPECT_EQ(maths_of(Op::sqrt, DType::f64), Maths::Exact);
    EXPECT_EQ(maths_of(Op::sqrt, DType::c128), Maths::Vector);
    EXPECT_EQ(maths_of(Op::isnan, DType::c64), Maths::Exact);
    EXPECT_EQ(identity_of(Op::prod), Identity::One);
    EXPECT_EQ(identity_of(Op::amax), Identity::None);
}

/// What cast makes of a value.
template <class To, class From>
To converted(From value) {
    return scalar_value<To>(convert_scalar(make_scalar(value), dtype_of<To>()));
}

TEST(Scalars, AreConvertedAsElementsAre) {
    EXPECT_EQ(converted<std::uint8_t>(255.9), 255);
    EXPECT_EQ(converted<std::uint8_t>(256.0), 0) << "out of range: the minimum";
    EXPECT_EQ(converted<std::uint8_t>(-1.0f), 0);
    EXPECT_EQ(converted<std::uint8_t>(-0.5), 0);
    EXPECT_EQ(converted<std::int8_t>(200.0), -128);
    EXPECT_EQ(converted<std::uint64_t>(18446744073709549568.0), 18446744073709549568u);
    EXPECT_EQ(converted<std::uint64_t>(18446744073709551616.0), 0u);
    EXPECT_EQ(converted<std::int64_t>(std::numeric_limits<double>::quiet_NaN()),
              std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(converted<std::uint8_t>(-1), 255) << "integers wrap";
    EXPECT_EQ(converted<double>(std::complex<float>(1.5f, 2)), 1.5);
    EXPECT_EQ(converted<std::int16_t>(std::complex<double>(7.9, 2)), 7);
    EXPECT_TRUE(converted<bool>(std::complex<double>(0, 2)));
    EXPECT_EQ(converted<std::complex<float>>(3), std::complex<float>(3, 0));
    EXPECT_EQ(converted<std::complex<float>>(std::complex<double>(0.1, 4)), std::complex<float>(0.1f, 4));
    EXPECT_THROW(convert_scalar(make_scalar(1), DType::none), std::invalid_argument);
}

TEST(OpTable, OperandTypes) {
    Instruction select;
    select.op = Op::select;
    select.type = DType::f32;
    EXPECT_EQ(operand_type(select, 0), DType::boolean);
    EXPECT_EQ(operand_type(select, 1), DType::f32);
    EXPECT_EQ(operand_count(select), 3u);
    Instruction mod;
    mod.op = Op::mod;
    mod.type = DType::i32;
    EXPECT_EQ(operand_count(mod), 2u);
    mod.flags = Instruction::kMasked;
    EXPECT_EQ(operand_count(mod), 3u);
    EXPECT_EQ(operand_type(mod, 0), DType::i32);
    EXPECT_EQ(operand_type(mod, 2), DType::boolean);
}

TEST(Tables, DomainsAreInterned) {
    Program program;
    std::set<std::uint32_t> seen;
    for (int round = 0; round < 2; ++round) {
        for (std::int64_t i = 0; i < 500; ++i) {
            const std::int64_t extents[] = {i, 7, 500 - i};
            seen.insert(program.intern_domain({extents, static_cast<std::size_t>(i % 4)}));
        }
    }
    // Ranks 0 to 3; a rank-0 shape is always the same.
    EXPECT_EQ(program.domains.size(), 1u + 125u * 3u);
    EXPECT_EQ(seen.size(), program.domains.size());
    const std::int64_t last[] = {499, 7, 1};
    const std::uint32_t index = program.intern_domain(last);
    EXPECT_EQ(program.intern_domain(program.domain_extents(index)), index) << "extents that lie in the table";
}

TEST(Tables, TruncatedDomainsAreForgotten) {
    Program program;
    const std::int64_t kept[] = {4, 5};
    program.intern_domain(kept);
    for (std::int64_t i = 0; i < 1000; ++i) {
        const std::int64_t shape[] = {i, 100 + i % 3};
        EXPECT_EQ(program.intern_domain(shape), 1u);
        EXPECT_EQ(program.intern_domain(shape), 1u);
        EXPECT_EQ(program.domain_extents(1)[0], i);
        EXPECT_EQ(program.intern_domain(kept), 0u);
        program.domains.resize(1);
        program.extents.resize(2);
    }
}

TEST(Tables, ViewsMayCopyDimsOfTheProgram) {
    Program program;
    const Dim dims[] = {{3, 4}, {4, 1}};
    program.add_view(0, 0, dims);
    for (std::uint32_t i = 1; i < 200; ++i) {
        EXPECT_EQ(program.add_view(0, i, program.dims_of(program.views[i - 1])), i);
        ASSERT_EQ(program.dims_of(program.views[i])[1], dims[1]);
        ASSERT_EQ(program.dims_of(program.views[i])[0], dims[0]);
    }
}

TEST(Tables, ClearForgetsEverything) {
    Program program;
    const std::int64_t shape[] = {4};
    program.intern_domain(shape);
    program.scalars.push_back(make_scalar(2.0));
    program.temp_count = 3;
    program.clear();
    const std::int64_t other[] = {5};
    EXPECT_EQ(program.intern_domain(other), 0u);
    EXPECT_EQ(program.intern_domain(shape), 1u);
    EXPECT_TRUE(program.scalars.empty());
    EXPECT_EQ(program.temp_count, 0u);
}

TEST(Tables, ElementCount) {
    const std::int64_t shape[] = {3, 4, 5};
    EXPECT_EQ(element_count(shape), 60);
    EXPECT_EQ(element_count({}), 1);
    const std::int64_t huge[] = {std::int64_t{1} << 40, std::int64_t{1} << 40};
    EXPECT_EQ(element_count(huge), std::numeric_limits<std::int64_t>::max());
    const std::int64_t empty[] = {std::int64_t{1} << 40, std::int64_t{1} << 40, 0};
    EXPECT_EQ(element_count(empty), 0);
}

TEST(Tables, ScalarsKeepTheirBits) {
    EXPECT_EQ(scalar_value<double>(make_scalar(-0.0)), 0.0);
    EXPECT_TRUE(std::signbit(scalar_value<double>(make_scalar(-0.0))));
    const Scalar small = make_scalar(std::int16_t{-1});
    EXPECT_EQ(small.bits[0], 0xffffu);
    EXPECT_EQ(small.bits[1], 0u);
}

}  // namespace
}  // namespace xlazy::bc
