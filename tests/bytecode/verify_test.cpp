// SPDX-License-Identifier: BSD-3-Clause
// The verifier: each rule has a batch that breaks only it.
#include "bytecode/sample.hpp"
#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace xlazy::bc {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

struct Corruption {
    const char* name;
    std::function<void(Program&)> apply;
    const char* message;
};

std::ostream& operator<<(std::ostream& out, const Corruption& corruption) { return out << corruption.name; }

struct NameOf {
    std::string operator()(const testing::TestParamInfo<Corruption>& info) const { return info.param.name; }
};

class Corrupted : public testing::TestWithParam<Corruption> {};

TEST_P(Corrupted, IsRejected) {
    Program program = parse(kSample);
    GetParam().apply(program);
    const std::string fault = verify(program, Strictness::Recorded);
    EXPECT_NE(fault.find(GetParam().message), std::string::npos) << "verify said: '" << fault << "'";
}

/// Corrupts one instruction of the sample.
template <class Change>
std::function<void(Program&)> at(std::size_t index, Change change) {
    return [=](Program& program) { change(program.instructions[index]); };
}

// The sample's instructions: 0 mul, 1 sqrt, 2 add v1, 3 index, 4 cast, 5 div (masked), 6 copy v3, 7 sum, 8 sum v5, 9
// lt, 10 select v0
const Corruption kInstructionsCorruptions[] = {
    {"op", at(0, [](Instruction& i) { i.op = static_cast<Op>(kOpCount); }), "instruction 0 (heat.cpp:12): unknown op"},
    {"type", at(1, [](Instruction& i) { i.type = static_cast<DType>(200); }), "unknown type"},
    {"result_type", at(0, [](Instruction& i) { i.result = static_cast<DType>(200); }), "unknown type"},
    {"type_without_order", at(9, [](Instruction& i) { i.type = DType::c64; }), "lt does not take c64"},
    {"type_not_of_the_op", at(1, [](Instruction& i) { i.type = i.result = DType::i32; }), "sqrt does not take i32"},
    {"result_not_of_the_op", at(0, [](Instruction& i) { i.result = DType::f32; }), "mul.f64 does not give f32"},
    {"comparison_without_bool", at(9, [](Instruction& i) { i.result = DType::f64; }), "lt.f64 does not give f64"},
    {"cast_to_nothing", at(4, [](Instruction& i) { i.result = DType::none; }), "unknown type"},
    {"flags", at(0, [](Instruction& i) { i.flags = 0x80; }), "unknown flags"},
    {"keep_on_map", at(0, [](Instruction& i) { i.flags = Instruction::kKeepAxis; }), "only reductions keep"},
    {"mask_on_mul", at(0, [](Instruction& i) { i.flags = Instruction::kMasked; }), "takes no mask"},
    {"axis_on_map", at(0, [](Instruction& i) { i.axis = 1; }), "an axis where none belongs"},
    {"axis_of_reduction", at(7, [](Instruction& i) { i.axis = 2; }), "axis 2 of a domain of rank 2"},
    {"axis_of_generator", at(3, [](Instruction& i) { i.axis = 1; }), "axis 1 of a domain of rank 1"},
    {"reserved", at(0, [](Instruction& i) { i.reserved_ = 1; }), "reserved"},
    {"statement", [](Program& p) { p.statement_count = 3; }, "the statement's number is out of range"},
    {"domain", at(0, [](Instruction& i) { i.domain = 3; }), "there is no domain d3"},
    {"no_output", at(0, [](Instruction& i) { i.out = Operand(); }), "neither a view nor a temporary"},
    {"scalar_output", at(0, [](Instruction& i) { i.out = Operand::scalar(0); }), "neither a view nor a temporary"},
    {"output_temp", at(0, [](Instruction& i) { i.out = Operand::temp(7); }), "t7 is out of range"},
    {"output_view", at(2, [](Instruction& i) { i.out = Operand::view(7); }), "there is no view v7"},
    {"output_type", at(2, [](Instruction& i) { i.out = Operand::view(3); }), "f64 is written to b2 of type i32"},
    {"output_shape", at(2, [](Instruction& i) { i.out = Operand::view(5); }),
     "result of shape (10,10) is written to v5 of shape ()"},
    {"reduction_keeps",
     at(8,
        [](Instruction& i) {
            i.flags = Instruction::kKeepAxis;
            i.out = Operand::view(6);
        }),
     "result of shape (1) is written to v6 of shape (1,10)"},
    {"operand_missing", at(0, [](Instruction& i) { i.in[1] = Operand(); }), "operand 1 is missing"},
    {"operand_too_many", at(0, [](Instruction& i) { i.in[2] = Operand::view(0); }), "operand 2 does not belong there"},
    {"mask_missing", at(5, [](Instruction& i) { i.in[2] = Operand(); }), "operand 2 is missing"},
    {"mask_type", at(5, [](Instruction& i) { i.in[2] = Operand::scalar(1); }), "operand 2 is i32, not bool"},
    {"condition_type", at(10, [](Instruction& i) { i.in[0] = Operand::view(0); }), "operand 0 is f64, not bool"},
    {"operand_type", at(0, [](Instruction& i) { i.in[1] = Operand::scalar(1); }), "operand 1 is i32, not f64"},
    {"operand_view", at(0, [](Instruction& i) { i.in[0] = Operand::view(7); }), "there is no view v7"},
    {"operand_scalar", at(0, [](Instruction& i) { i.in[1] = Operand::scalar(2); }), "there is no scalar s2"},
    {"operand_temp", at(0, [](Instruction& i) { i.in[0] = Operand::temp(1); }), "t1 is used before it is defined"},
    {"own_output", at(0, [](Instruction& i) { i.in[0] = Operand::temp(0); }), "t0 is used before it is defined"},
    {"temp_twice", at(1, [](Instruction& i) { i.out = Operand::temp(0); }), "t0 is defined twice"},
    {"operand_shape", at(6, [](Instruction& i) { i.domain = 2; }), "operand 0 of shape (10) does not broadcast to ()"},
    {"read_without_value", at(0, [](Instruction& i) { i.in[0] = Operand::view(1); }),
     "b1 is read before it has a value"},
};
INSTANTIATE_TEST_SUITE_P(Instructions, Corrupted, testing::ValuesIn(kInstructionsCorruptions), NameOf());

const Corruption kTablesCorruptions[] = {
    {"no_origin", [](Program& p) { p.origins[4] = 0; }, "instruction 4 (cast.i64, unknown place): no origin"},
    {"origins_missing", [](Program& p) { p.origins.pop_back(); }, "10 origins for 11 instructions"},
    {"base_type", [](Program& p) { p.bases[0].type = DType::none; }, "b0: no kernels exist"},
    {"base_size", [](Program& p) { p.bases[2].size = -1; }, "b2: its size is negative"},
    {"scalar_type", [](Program& p) { p.scalars[0].type = DType::none; }, "s0: no kernels exist"},
    {"scalar_bits", [](Program& p) { p.scalars[1].bits[0] |= std::uint64_t{1} << 32; }, "s1: bits beyond"},
    {"scalar_second_word", [](Program& p) { p.scalars[0].bits[1] = 1; }, "s0: bits beyond"},
    {"bool_of_two",
     [](Program& p) {
         p.scalars[0] = {DType::boolean, {2, 0}};
     },
     "s0: a bool is 0 or 1"},
    {"domain_rank", [](Program& p) { p.domains[0].rank = 17; }, "d0: rank 17"},
    {"domain_extents", [](Program& p) { p.domains[1].extents_begin = 3; }, "d1: extents out of range"},
    {"domain_begin_overflows", [](Program& p) { p.domains[1].extents_begin = ~0u; }, "d1: extents out of range"},
    {"domain_negative", [](Program& p) { p.extents[0] = -10; }, "d0: a negative extent"},
    {"domain_too_large", [](Program& p) { p.extents[0] = kHuge; }, "d0: too many elements"},
    {"domain_twice", [](Program& p) { p.domains[2] = p.domains[1]; }, "d2: the same shape as d1"},
    {"view_base", [](Program& p) { p.views[3].base = 5; }, "v3: there is no base b5"},
    {"view_rank", [](Program& p) { p.views[3].rank = 17; }, "v3: rank 17"},
    {"view_dims", [](Program& p) { p.views[6].dims_begin += 1; }, "v6: dims out of range"},
    {"view_negative", [](Program& p) { p.dims[p.views[3].dims_begin].extent = -1; }, "v3: a negative extent"},
    {"view_offset", [](Program& p) { p.views[3].offset = 1; }, "v3: not inside b2, which has 10 elements"},
    {"view_before_base", [](Program& p) { p.views[2].offset = 98; }, "v2: not inside b0"},
    {"view_stride", [](Program& p) { p.dims[0].stride = 11; }, "v0: not inside b0"},
    {"view_stride_overflows", [](Program& p) { p.dims[0].stride = kHuge; }, "v0: not inside b0"},
    {"view_offset_overflows", [](Program& p) { p.views[0].offset = kHuge; }, "v0: not inside b0"},
    {"view_repeats_too_often",
     [](Program& p) {
         p.dims[0] = {kHuge, 0};
     },
     "v0: too many elements"},
    {"written_view_repeats", [](Program& p) { p.dims[p.views[1].dims_begin].stride = 0; },
     "v1 is written and repeats elements"},
    {"scalar_used_as_other_type", [](Program& p) { p.scalars[0] = make_scalar(2.0f); }, "operand 1 is f32, not f64"},
    {"value_taken_away", [](Program& p) { p.bases[3].initialised = false; }, "b3 is read before it has a value"},
};
INSTANTIATE_TEST_SUITE_P(Tables, Corrupted, testing::ValuesIn(kTablesCorruptions), NameOf());

const Corruption kStatementsCorruptions[] = {
    {"temp_of_another", at(9, [](Instruction& i) { i.in[0] = Operand::temp(1); }), "t1 belongs to statement 0"},
    {"order", at(10, [](Instruction& i) { i.statement = 2; }), "a statement ends without writing a view"},
    {"backwards",
     [](Program& p) {
         for (int i = 9; i < 11; ++i) p.instructions[i].statement = 1;
     },
     "statements are out of order"},
    {"two_origins", [](Program& p) { p.origins[1] = p.origins[10]; }, "a statement has two origins"},
    {"ends_in_a_temp",
     [](Program& p) {
         p.instructions.pop_back();
         p.origins.pop_back();
     },
     "a statement ends without writing"},
    {"view_too_early", at(1, [](Instruction& i) { i.out = Operand::view(1); }),
     "a view is written before the statement ends"},
};
INSTANTIATE_TEST_SUITE_P(Statements, Corrupted, testing::ValuesIn(kStatementsCorruptions), NameOf());

TEST(Verifier, PassesMayMoveAndAdd) {
    Program program = parse(kSample);
    program.instructions[9].in[0] = Operand::temp(1);
    EXPECT_EQ(verify(program), "");
    EXPECT_NE(verify(program, Strictness::Recorded), "");
    EXPECT_EQ(verify(Program(), Strictness::Recorded), "");
}

TEST(Verifier, EmptyArrays) {
    const std::string tables =
        "xlazy-bytecode 1\nbase b0 f64[0]\nbase b1 f64[3]\nview v0 b0 +0 (3,0):(0,1)\n"
        "view v1 b1 +0 (3):(1)\nview v2 b0 +0 (0):(1)\ndomain d0 (3,0)\norigin o1 \"a.cpp\":1\n";
    EXPECT_EQ(verify(parse(tables + "copy.f64 v0 d0 v0 @o1 #0\n")), "") << "nothing is read";
    EXPECT_EQ(verify(parse(tables + "sum.f64 v1 d0 v0 axis=1 @o1 #0\n")), "") << "the empty sum is 0";
    EXPECT_NE(verify(parse(tables + "amin.f64 v1 d0 v0 axis=1 @o1 #0\n")).find("amin of an empty axis has no value"),
              std::string::npos);
    EXPECT_EQ(verify(parse(tables + "amax.f64 v2 d0 v0 axis=0 @o1 #0\n")), "") << "no result is asked for";
}

TEST(Verifier, ExtentsOfOneInFrontDoNotMatterForResults) {
    const std::string tables =
        "xlazy-bytecode 1\nbase b0 f64[6] init\nview v0 b0 +0 (1,2,3):(0,3,1)\n"
        "view v1 b0 +0 (2,3):(3,1)\ndomain d0 (2,3)\ndomain d1 (1,2,3)\norigin o1 \"a.cpp\":1\n";
    EXPECT_EQ(verify(parse(tables + "neg.f64 v0 d0 v1 @o1 #0\n")), "");
    EXPECT_EQ(verify(parse(tables + "neg.f64 v1 d1 v0 @o1 #0\n")), "");
    EXPECT_NE(verify(parse(tables + "neg.f64 v1 d0 v0 @o1 #0\n")), "") << "operands have at most the domain's rank";
}

}  // namespace
}  // namespace xlazy::bc
