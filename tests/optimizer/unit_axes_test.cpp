// SPDX-License-Identifier: BSD-3-Clause
// Shapes that differ in axes of extent 1 alone: their statements fuse as if the shapes were equal.
#include "batch.hpp"
#include "byte_machine.hpp"
#include "token_machine.hpp"

#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/optimizer.hpp"
#include "xlazy/optimizer/unit_axes.hpp"

#include <gtest/gtest.h>

namespace xlazy::opt {
namespace {

using bc::Op;
using bc::Operand;
using test::Batch;
using Use = Batch::Use;

constexpr std::int64_t kLength = 100;

std::size_t kernels_of(const bc::Program& program) { return make_plan(program, {{}, true, {}}).kernels.size(); }

/// The batch as it is rewritten, which must be legal and give the same values.
bc::Program rewritten(const bc::Program& program) {
    const std::optional<bc::Program> result = without_unit_axes(program);
    EXPECT_TRUE(result.has_value());
    if (!result) return program;
    EXPECT_EQ(bc::verify(*result), "");
    EXPECT_EQ(test::check_plan(make_plan(*result, test::token_options()), *result, test::run_batch(program)), "");
    EXPECT_EQ(result->instructions.size(), program.instructions.size());
    return *result;
}

class UnitAxes : public testing::Test, protected Batch {
protected:
    /// A window of an array of its own, row-major.
    Operand shaped(std::initializer_list<std::int64_t> extents, Use use) {
        std::vector<bc::Dim> dims;
        std::int64_t stride = 1;
        for (const std::int64_t extent : extents) dims.push_back({extent, 0});
        for (std::size_t i = dims.size(); i-- > 0;) {
            dims[i].stride = dims[i].extent == 1 ? 0 : stride;
            stride *= dims[i].extent;
        }
        return Operand::view(program.add_view(base(stride, use), 0, dims));
    }
};

/// row = a * a, of (1,n); sum = row + b, of (n) and so (1,n); c = b * b, of (n)
TEST_F(UnitAxes, LeadingOne) {
    const Operand row = shaped({1, kLength}, Use::Live), b = shaped({kLength}, Use::Kept);
    const Operand a = shaped({1, kLength}, Use::Kept);
    add(Op::mul, domain({1, kLength}), row, {a, a});
    add(Op::add, domain({1, kLength}), shaped({1, kLength}, Use::Live), {row, b});
    add(Op::mul, domain({kLength}), shaped({kLength}, Use::Live), {b, b});
    EXPECT_EQ(kernels_of(program), 2u);
    EXPECT_EQ(kernels_of(rewritten(program)), 1u);
}

/// The same at the end, and in the middle: (n,1), (n), (n,1,1) are one loop; so are (3,1,n) and (3,n).
TEST_F(UnitAxes, AnyPlace) {
    const Operand x = shaped({kLength, 1}, Use::Kept), y = shaped({kLength}, Use::Kept);
    const Operand z = shaped({kLength, 1, 1}, Use::Kept);
    add(Op::neg, domain({kLength, 1}), shaped({kLength, 1}, Use::Live), {x});
    add(Op::neg, domain({kLength}), shaped({kLength}, Use::Live), {y});
    add(Op::neg, domain({kLength, 1, 1}), shaped({kLength, 1, 1}, Use::Live), {z});
    const Operand p = shaped({3, 1, kLength}, Use::Kept), q = shaped({3, kLength}, Use::Kept);
    add(Op::neg, domain({3, 1, kLength}), shaped({3, 1, kLength}, Use::Live), {p});
    add(Op::neg, domain({3, kLength}), shaped({3, kLength}, Use::Live), {q});
    EXPECT_EQ(kernels_of(program), 5u);
    EXPECT_EQ(kernels_of(rewritten(program)), 2u);
}

/// An operand without the axis, or broadcast along others, keeps its place.
TEST_F(UnitAxes, OperandsOfLowerRank) {
    const Operand matrix = shaped({3, 1, kLength}, Use::Kept), row = shaped({kLength}, Use::Kept);
    const Operand column = shaped({3, 1, 1}, Use::Kept), flat = shaped({3, kLength}, Use::Kept);
    const std::uint32_t d = domain({3, 1, kLength});
    const Operand sum = add(Op::add, d, temp(), {matrix, row});
    add(Op::mul, d, shaped({3, 1, kLength}, Use::Live), {sum, column});
    add(Op::add, domain({3, kLength}), shaped({3, kLength}, Use::Live), {flat, row});
    EXPECT_EQ(kernels_of(rewritten(program)), 1u);
}

/// s = sum((1,n) -> last axis) is (1); then as a factor of (n).
TEST_F(UnitAxes, ReductionsKeepTheirAxis) {
    const Operand a = shaped({1, kLength}, Use::Kept), b = shaped({kLength}, Use::Kept);
    reduce(Op::sum, domain({1, kLength}), 1, shaped({1}, Use::Live), a);
    reduce(Op::sum, domain({kLength}), 0, shaped({}, Use::Live), b);
    const bc::Program result = rewritten(program);
    EXPECT_EQ(kernels_of(result), 1u);
    EXPECT_EQ(result.instructions[0].axis, 0);
    EXPECT_EQ(result.domain_extents(result.instructions[0].domain).size(), 1u);
}

/// Nothing is left out along which something is reduced, scanned or numbered.
TEST_F(UnitAxes, AxesThatAreWorkedAlongStay) {
    const Operand a = shaped({1, kLength}, Use::Kept), b = shaped({kLength}, Use::Kept);
    reduce(Op::sum, domain({1, kLength}), 0, shaped({kLength}, Use::Live), a);
    add(Op::neg, domain({kLength}), shaped({kLength}, Use::Live), {b});
    EXPECT_FALSE(without_unit_axes(program).has_value());
    Batch scan;
    const std::uint32_t d = scan.domain({kLength, 1});
    const std::uint32_t from = scan.base(kLength, Use::Kept), to = scan.base(kLength, Use::Live);
    scan.reduce(Op::cumsum, d, 1, scan.view(to, 0, {{kLength, 1}, {1, 0}}), scan.view(from, 0, {{kLength, 1}, {1, 0}}));
    scan.add(Op::neg, scan.domain({kLength}), scan.array(kLength, Use::Live), {scan.array(kLength, Use::Kept)});
    EXPECT_FALSE(without_unit_axes(scan.program).has_value());
}

/// m = sum(x, 1, keep_dims), of (n,1), is broadcast against x: its last axis tells along which. And (n) is there.
TEST_F(UnitAxes, AxesThatPlaceATemporaryStay) {
    const Operand x = shaped({kLength, 5}, Use::Kept);
    const Operand m = reduce(Op::sum, domain({kLength, 5}), 1, temp(), x);
    program.instructions.back().flags |= bc::Instruction::kKeepAxis;
    const Operand mean = add(Op::neg, domain({kLength, 1}), temp(), {m});
    add(Op::sub, domain({kLength, 5}), shaped({kLength, 5}, Use::Live), {x, mean});
    add(Op::neg, domain({kLength}), shaped({kLength}, Use::Live), {shaped({kLength}, Use::Kept)});
    EXPECT_FALSE(without_unit_axes(program).has_value());
    EXPECT_EQ(test::check_plan(make_plan(program, test::token_options()), program), "");
}

/// Where no two shapes become equal the batch stays as it is.
TEST_F(UnitAxes, OnlyWhereItMakesShapesEqual) {
    const Operand a = shaped({1, kLength}, Use::Kept);
    add(Op::neg, domain({1, kLength}), shaped({1, kLength}, Use::Live), {a});
    add(Op::neg, domain({kLength + 1}), shaped({kLength + 1}, Use::Live), {shaped({kLength + 1}, Use::Kept)});
    EXPECT_FALSE(without_unit_axes(program).has_value());
    EXPECT_FALSE(without_unit_axes(bc::Program{}).has_value());
}

/// One element: (1,1), (1) and () are one.
TEST_F(UnitAxes, SingleElements) {
    add(Op::neg, domain({1, 1}), shaped({1, 1}, Use::Live), {shaped({1, 1}, Use::Kept)});
    add(Op::neg, domain({1}), shaped({1}, Use::Live), {shaped({1}, Use::Kept)});
    add(Op::neg, domain({}), shaped({}, Use::Live), {shaped({}, Use::Kept)});
    EXPECT_EQ(kernels_of(rewritten(program)), 1u);
}

}  // namespace
}  // namespace xlazy::opt
