// SPDX-License-Identifier: BSD-3-Clause
// Plans: their printed form, guards, and the verifier, each of whose rules has a plan that breaks only it.
#include "xlazy/bytecode/plan.hpp"
#include "xlazy/bytecode/text.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace xlazy::bc {
namespace {

/// d = sum((b / c where m) + s, axis 0); b1 is made on the way.
const std::string kBatch =
    "xlazy-bytecode 1\n"
    "base b0 i32[12] init live\n"
    "base b1 i32[12]\n"
    "base b2 i32[4] live\n"
    "base b3 bool[4] init\n"
    "base b4 i64[4]\n"
    "view v0 b0 +0 (3,4):(4,1)\n"
    "view v1 b1 +0 (3,4):(4,1)\n"
    "view v2 b2 +0 (4):(1)\n"
    "view v3 b3 +0 (4):(1)\n"
    "view v4 b0 +0 (4):(1)\n"
    "view v5 b0 +4 (4):(1)\n"
    "view v6 b0 +2 (4):(1)\n"
    "view v7 b0 +0 (3,4):(0,1)\n"
    "scalar s0 i32 3\n"
    "domain d0 (3,4)\n"
    "domain d1 (4)\n"
    "origin o1 \"a.cpp\":1\n"
    "origin o2 \"a.cpp\":2\n"
    "div.i32 t0 d0 v0 s0 mask=v3 @o1 #0\n"
    "add.i32 v1 d0 t0 s0 @o1 #0\n"
    "sum.i32 t1 d0 v1 axis=0 @o2 #1\n"
    "neg.i32 v2 d1 t1 @o2 #1\n";

using Kind = MicroOp::Kind;

MicroOp load(Kind kind, DType type, std::uint32_t index) {
    MicroOp op;
    op.kind = kind;
    op.type = op.result = type;
    op.index = index;
    return op;
}

MicroOp compute(Op code, DType type, ValueId a, ValueId b, std::uint32_t instruction) {
    MicroOp op;
    op.op = code;
    op.type = op.result = type;
    op.in[0] = a;
    op.in[1] = b;
    op.instruction = instruction;
    return op;
}

MicroOp store(Kind kind, DType type, std::uint32_t index, ValueId value) {
    MicroOp op = load(kind, type, index);
    op.in[0] = value;
    return op;
}

Plan sample() {
    MicroOp div = compute(Op::div, DType::i32, 0, 1, 0);
    div.flags = Instruction::kMasked;
    div.in[2] = 2;
    MicroOp sum = store(Kind::ReduceScratch, DType::i32, 0, 4);
    sum.op = Op::sum;
    sum.instruction = 2;
    Plan plan;
    plan.kernels.push_back(
        {0,
         {load(Kind::LoadView, DType::i32, 0), load(Kind::LoadScalar, DType::i32, 0),
          load(Kind::LoadView, DType::boolean, 3), div, compute(Op::add, DType::i32, 3, 1, 1), sum}});
    plan.kernels.push_back({1,
                            {load(Kind::LoadScratch, DType::i32, 0), compute(Op::neg, DType::i32, 0, kNoValue, 3),
                             store(Kind::StoreView, DType::i32, 2, 1)}});
    plan.scratch.push_back({DType::i32, 0, 0, false});
    plan.steps = {{Step::Kind::AllocScratch, 0}, {Step::Kind::Run, 0}, {Step::Kind::FreeBase, 3},
                  {Step::Kind::AllocBase, 2},    {Step::Kind::Run, 1}, {Step::Kind::FreeScratch, 0}};
    plan.guards.push_back({0, Guard::kWholeBase, Relation::Identical});
    plan.guards.push_back({4, 5, Relation::Disjoint});
    plan.contracted_bases = 1;
    plan.contracted = {1};
    plan.contracted_temps = 1;
    return plan;
}

TEST(Plans, SampleIsLegal) { EXPECT_EQ(verify(sample(), parse(kBatch)), ""); }

TEST(Plans, Print) {
    EXPECT_EQ(print(sample()),
              "scratch x0 i32 d0 axis=0\n"
              "kernel k0 d0\n"
              "    %0 = load.i32 v0                         ; i0\n"
              "    %1 = scalar.i32 s0                       ; i0\n"
              "    %2 = load.bool v3                        ; i0\n"
              "    %3 = div.i32 %0 %1 mask=%2               ; i0\n"
              "    %4 = add.i32 %3 %1                       ; i1\n"
              "    reduce sum.i32 axis=0 x0 <- %4           ; i2\n"
              "kernel k1 d1\n"
              "    %0 = load.i32 x0                         ; i0\n"
              "    %1 = neg.i32 %0                          ; i3\n"
              "    store.i32 v2 <- %1                       ; i0\n"
              "alloc x0\n"
              "run k0\n"
              "free b3\n"
              "alloc b2\n"
              "run k1\n"
              "free x0\n"
              "guard v0 whole identical\n"
              "guard v4 v5 disjoint\n"
              "contracted 1 temporaries, 1 arrays b1\n");
}

TEST(Plans, ANewVersionMayBeStoredWhereTheOldOneWasLoaded) {
    const auto update = [](bool version) {
        Plan plan = sample();
        std::vector<MicroOp>& ops = plan.kernels[1].ops;
        ops.push_back(load(Kind::LoadView, DType::i32, 6));
        ops.push_back(store(Kind::StoreView, DType::i32, 4, 3));
        if (version) plan.kernels[1].versions = {{0, 4}};
        return plan;
    };
    EXPECT_NE(verify(update(false), parse(kBatch)), "");
    EXPECT_EQ(verify(update(true), parse(kBatch)), "");
    EXPECT_NE(print(update(true)).find("kernel k1 d1\n    new version of b0 but for what v4 leaves out\n"),
              std::string::npos);
}

TEST(Plans, RunsAndGapsOfAView) {
    using Pieces = std::vector<std::pair<std::int64_t, std::int64_t>>;
    const auto pieces = [](std::int64_t offset, std::vector<Dim> dims, auto for_each) {
        Program program;
        program.bases.push_back({DType::i32, true, true, 20});
        program.add_view(0, offset, dims);
        Pieces result;
        for_each(program, 0, [&](std::int64_t first, std::int64_t count) { result.emplace_back(first, count); });
        return result;
    };
    const auto check = [&](std::int64_t offset, std::vector<Dim> dims, const Pieces& runs, const Pieces& gaps) {
        EXPECT_EQ(pieces(offset, dims, for_each_run), runs);
        EXPECT_EQ(pieces(offset, dims, for_each_gap), gaps);
    };
    check(6, {{2, 5}, {3, 1}}, {{6, 3}, {11, 3}}, {{0, 6}, {9, 2}, {14, 6}});
    check(0, {{4, 5}, {5, 1}}, {{0, 20}}, {});
    check(0, {{5, 1}, {4, 5}}, {{0, 20}}, {});     // column-major
    check(19, {{4, -5}, {5, -1}}, {{0, 20}}, {});  // backwards
    check(16, {{2, -5}, {2, 2}}, {{11, 1}, {13, 1}, {16, 1}, {18, 1}}, {{0, 11}, {12, 1}, {14, 2}, {17, 1}, {19, 1}});
    check(1, {{2, 10}, {1, 77}, {2, 5}, {4, 1}}, {{1, 4}, {6, 4}, {11, 4}, {16, 4}},
          {{0, 1}, {5, 1}, {10, 1}, {15, 1}});
    check(7, {}, {{7, 1}}, {{0, 7}, {8, 12}});
    check(7, {{0, 1}, {3, 1}}, {}, {{0, 20}});
}

TEST(Plans, GuardsHoldOrNot) {
    const Program program = parse(kBatch);
    const auto holds = [&](std::uint32_t a, std::uint32_t b, Relation relation) {
        Plan plan;
        plan.guards.push_back({a, b, relation});
        return guards_hold(plan, program);
    };
    constexpr std::uint32_t kWhole = Guard::kWholeBase;
    EXPECT_TRUE(guards_hold(Plan(), program));
    EXPECT_TRUE(holds(4, 5, Relation::Disjoint));
    EXPECT_FALSE(holds(4, 6, Relation::Disjoint));
    EXPECT_TRUE(holds(4, 6, Relation::Overlap));
    EXPECT_TRUE(holds(0, 0, Relation::Identical));
    EXPECT_TRUE(holds(7, 7, Relation::Overlap)) << "repeats elements";
    EXPECT_TRUE(holds(0, kWhole, Relation::Identical));
    EXPECT_TRUE(holds(4, kWhole, Relation::Overlap));
    EXPECT_TRUE(holds(7, kWhole, Relation::Overlap)) << "as many elements as the base, but not all of them";
    EXPECT_FALSE(holds(7, kWhole, Relation::Identical));
    Plan two;
    two.guards = {{4, 5, Relation::Disjoint}, {4, 6, Relation::Disjoint}};
    EXPECT_FALSE(guards_hold(two, program));
}

struct Corruption {
    const char* name;
    std::function<void(Plan&)> apply;
    const char* message;
};

std::ostream& operator<<(std::ostream& out, const Corruption& corruption) { return out << corruption.name; }

struct NameOf {
    std::string operator()(const testing::TestParamInfo<Corruption>& info) const { return info.param.name; }
};

class CorruptedPlan : public testing::TestWithParam<Corruption> {};

TEST_P(CorruptedPlan, IsRejected) {
    Plan plan = sample();
    GetParam().apply(plan);
    const std::string fault = verify(plan, parse(kBatch));
    EXPECT_NE(fault.find(GetParam().message), std::string::npos) << "verify said: '" << fault << "'";
}

/// Corrupts one micro-op.
template <class Change>
std::function<void(Plan&)> at(std::size_t kernel, std::size_t op, Change change) {
    return [=](Plan& plan) { change(plan.kernels[kernel].ops[op]); };
}

void append(Plan& plan, std::size_t kernel, const MicroOp& op) { plan.kernels[kernel].ops.push_back(op); }

const Corruption kKernelsCorruptions[] = {
    {"domain", [](Plan& p) { p.kernels[0].domain = 2; }, "k0: there is no domain d2"},
    {"kind", at(0, 0, [](MicroOp& op) { op.kind = static_cast<Kind>(99); }), "k0: micro-op 0: unknown kind"},
    {"op", at(0, 4, [](MicroOp& op) { op.op = static_cast<Op>(kOpCount); }), "unknown op"},
    {"view", at(0, 0, [](MicroOp& op) { op.index = 8; }), "index 8 is out of range"},
    {"scalar", at(0, 1, [](MicroOp& op) { op.index = 1; }), "index 1 is out of range"},
    {"scratch", at(1, 0, [](MicroOp& op) { op.index = 1; }), "index 1 is out of range"},
    {"instruction", at(0, 4, [](MicroOp& op) { op.instruction = 4; }), "there is no instruction 4"},
    {"later_value", at(0, 3, [](MicroOp& op) { op.in[1] = 4; }), "operand 1 is no value made before"},
    {"no_value", at(0, 3, [](MicroOp& op) { op.in[0] = kNoValue; }), "operand 0 is no value made before"},
    {"value_of_a_store", [](Plan& p) { append(p, 1, store(Kind::StoreView, DType::i32, 2, 2)); },
     "operand 0 is no value made before"},
    {"operand_too_many", at(1, 1, [](MicroOp& op) { op.in[1] = 0; }), "operand 1 does not belong there"},
    {"operand_type", at(0, 4, [](MicroOp& op) { op.in[1] = 2; }), "operand 1 is bool, not i32"},
    {"mask_type", at(0, 3, [](MicroOp& op) { op.in[2] = 1; }), "operand 2 is i32, not bool"},
    {"result_type", at(0, 4, [](MicroOp& op) { op.result = DType::i64; }), "add.i32 does not give i64"},
    {"flags", at(0, 0, [](MicroOp& op) { op.flags = 1; }), "flags or an axis where none belong"},
    {"load_type", at(0, 0, [](MicroOp& op) { op.type = op.result = DType::f32; }), "f32 where memory holds i32"},
    {"load_converts", at(0, 0, [](MicroOp& op) { op.result = DType::f32; }), "a load changes the type"},
    {"load_shape", at(1, 0, [](MicroOp& op) { op = load(Kind::LoadView, DType::i32, 0); }),
     "shape (3,4) does not fit (4)"},
    {"store_shape", at(1, 2, [](MicroOp& op) { op.index = 1; }), "shape (3,4) does not fit (4)"},
    {"store_type",
     [](Plan& p) {
         p.scratch.push_back({DType::f32, 1});
         p.kernels[1].ops[2] = store(Kind::StoreScratch, DType::i32, 1, 1);
     },
     "i32 where memory holds f32"},
    {"reduce_axis", at(0, 5, [](MicroOp& op) { op.axis = 2; }), "axis 2 of a domain of rank 2"},
    {"reduce_shape", at(0, 5, [](MicroOp& op) { op.axis = 1; }), "shape (4) does not fit (3)"},
    {"reduce_by_add", at(0, 5, [](MicroOp& op) { op.op = Op::add; }), "add is no op of this kind"},
    {"compute_sum", at(1, 1, [](MicroOp& op) { op.op = Op::sum; }), "sum is no op of this kind"},
    {"overlap",
     [](Plan& p) {
         append(p, 1, load(Kind::LoadView, DType::i32, 6));
         append(p, 1, store(Kind::StoreView, DType::i32, 4, 1));
     },
     "micro-ops 4 and 3: their memory overlaps"},
    {"version_of_another_base",
     [](Plan& p) {
         p.kernels[1].versions = {{1, 2}};
     },
     "k1: v2 is no view of b1"},
    {"version_of_no_view",
     [](Plan& p) {
         p.kernels[1].versions = {{2, 8}};
     },
     "k1: v8 is no view of b2"},
    {"two_versions",
     [](Plan& p) {
         p.kernels[1].versions = {{2, 2}, {2, 2}};
     },
     "k1: two new versions of b2"},
    {"version_not_written",
     [](Plan& p) {
         p.kernels[0].versions = {{0, 0}};
     },
     "k0: nothing is stored to the new version of b0"},
    {"version_not_loaded",
     [](Plan& p) {
         append(p, 1, store(Kind::StoreView, DType::i32, 4, 1));
         append(p, 1, load(Kind::LoadView, DType::i32, 6));
         p.kernels[1].versions = {{0, 4}};
     },
     "k1: micro-op 4: the new version of what 3 stored is not loaded"},
    {"version_stored_twice",
     [](Plan& p) {
         append(p, 1, store(Kind::StoreView, DType::i32, 4, 1));
         append(p, 1, store(Kind::StoreView, DType::i32, 6, 1));
         p.kernels[1].versions = {{0, 4}};
     },
     "micro-ops 3 and 4: their memory overlaps"},
    {"form_of_a_view", at(0, 0, [](MicroOp& op) { op.form = ScalarForm::Below; }), "a form that does not exist for it"},
    {"form_of_another_type", at(0, 1, [](MicroOp& op) { op.form = ScalarForm::Reciprocal; }),
     "a form that does not exist for it"},
    {"repeats", [](Plan& p) { append(p, 0, store(Kind::StoreView, DType::i32, 7, 4)); }, "v7 is written and repeats"},
    {"reads_its_reduction", [](Plan& p) { append(p, 0, load(Kind::LoadScratch, DType::i32, 0)); },
     "their memory overlaps"},
};
INSTANTIATE_TEST_SUITE_P(Kernels, CorruptedPlan, testing::ValuesIn(kKernelsCorruptions), NameOf());

const Corruption kMergesCorruptions[] = {
    {"no_such_instruction",
     [](Plan& p) {
         p.merged = {{4, 0}};
     },
     "there is no instruction 4"},
    {"into_a_later_one",
     [](Plan& p) {
         p.merged = {{0, 1}};
     },
     "i0 is merged into a later one"},
    {"into_itself",
     [](Plan& p) {
         p.merged = {{1, 1}};
     },
     "i1 is merged into a later one"},
    {"not_ascending",
     [](Plan& p) {
         p.merged = {{1, 0}, {1, 0}};
     },
     "merged instructions are not ascending"},
    {"into_a_merged_one",
     [](Plan& p) {
         p.merged = {{1, 0}, {2, 1}};
     },
     "i2 is merged into a merged one"},
    {"of_another_domain",
     [](Plan& p) {
         p.merged = {{3, 0}};
     },
     "another type or domain"},
    {"scalar_guard",
     [](Plan& p) {
         p.scalar_guards = {{1, ScalarFact::One, 0}};
     },
     "scalar guard 0: no such scalar"},
    {"scalar_guard_of_two",
     [](Plan& p) {
         p.scalar_guards = {{0, std::nullopt, 1}};
     },
     "no such scalar"},
    {"scalar_guard_fails",
     [](Plan& p) {
         p.scalar_guards = {{0, ScalarFact::PowerOfTwo, 0}};
     },
     "it does not hold"},
};
INSTANTIATE_TEST_SUITE_P(Merges, CorruptedPlan, testing::ValuesIn(kMergesCorruptions), NameOf());

TEST(Plans, WhatFailsIsMergedOnlyIntoTheSameOp) {
    const auto fault = [](const char* second) {
        const std::string batch = std::string(kBatch).replace(kBatch.find("add.i32 v1 d0 t0 s0"), 19, second);
        Plan plan = sample();
        plan.kernels[0].ops[4] = compute(Op::add, DType::i32, 3, 1, 0);
        plan.merged = {{1, 0}};
        return verify(plan, parse(batch));
    };
    EXPECT_EQ(fault("div.i32 v1 d0 v0 s0"), "");
    EXPECT_EQ(fault("add.i32 v1 d0 v0 s0"), "");
    EXPECT_NE(fault("mod.i32 v1 d0 v0 s0").find("i1, which can fail, is merged into another op"), std::string::npos);
}

TEST(Plans, PrintsFormsGuardsAndMerges) {
    Plan plan = sample();
    plan.kernels[0].ops[1].form = ScalarForm::Negative;
    plan.scalar_guards = {{0, ScalarFact::PowerOfTwo, 0}, {0, std::nullopt, 2}};
    plan.merged = {{3, 1}};
    const std::string text = print(plan);
    for (const char* line : {"%1 = scalar.i32 s0 negative ", "guard s0 power-of-two\n",
                             "guard s0 same as s2\n", "merged i3 into i1\n"}) {
        EXPECT_NE(text.find(line), std::string::npos) << text;
    }
}

const Corruption kStepsCorruptions[] = {
    {"no_such_kernel", [](Plan& p) { p.steps[1].index = 2; }, "step 1: there is no kernel k2"},
    {"runs_twice", [](Plan& p) { p.steps[4].index = 0; }, "k0 runs twice"},
    {"never_runs", [](Plan& p) { p.steps.erase(p.steps.begin() + 4); }, "k1 never runs"},
    {"no_base_memory", [](Plan& p) { p.steps.erase(p.steps.begin() + 3); }, "b2 is used without memory"},
    {"no_scratch_memory", [](Plan& p) { p.steps.erase(p.steps.begin()); }, "x0 is used without memory"},
    {"alloc_twice",
     [](Plan& p) {
         p.steps.insert(p.steps.begin(), {Step::Kind::AllocScratch, 0});
     },
     "scratch 0 has or had memory"},
    {"alloc_initialised",
     [](Plan& p) {
         p.steps.insert(p.steps.begin(), {Step::Kind::AllocBase, 0});
     },
     "base 0 has or had memory"},
    {"freed_too_early", [](Plan& p) { std::swap(p.steps[1], p.steps[2]); }, "b3 is used without memory"},
    {"live_freed",
     [](Plan& p) {
         p.steps.push_back({Step::Kind::FreeBase, 2});
     },
     "a live base is freed"},
    {"free_twice",
     [](Plan& p) {
         p.steps.push_back({Step::Kind::FreeScratch, 0});
     },
     "scratch 0 has no memory"},
    {"no_such_base",
     [](Plan& p) {
         p.steps.push_back({Step::Kind::FreeBase, 5});
     },
     "there is no base 5"},
    {"scratch_kept", [](Plan& p) { p.steps.pop_back(); }, "x0 is never freed"},
    {"base_kept",
     [](Plan& p) {
         p.steps.push_back({Step::Kind::AllocBase, 4});
     },
     "b4 is never freed"},
    {"order",
     [](Plan& p) {
         std::swap(p.steps[1].index, p.steps[4].index);
         p.steps.insert(p.steps.begin(), {Step::Kind::AllocBase, 2});
     },
     "x0 is read before it has a value"},
    {"reads_uninitialised",
     [](Plan& p) {
         p.kernels[0].ops[0].index = 1;
         p.contracted = {};
         p.contracted_bases = 0;
         p.steps.insert(p.steps.begin(), {Step::Kind::AllocBase, 1});
     },
     "b1 is read before it has a value"},
    {"kind", [](Plan& p) { p.steps[0].kind = static_cast<Step::Kind>(77); }, "unknown kind"},
    {"scratch_type", [](Plan& p) { p.scratch[0].type = DType::none; }, "x0: no kernels exist"},
    {"scratch_domain", [](Plan& p) { p.scratch[0].domain = 2; }, "x0: there is no domain d2"},
    {"scratch_axis", [](Plan& p) { p.scratch[0].axis = 2; }, "x0: its axis is out of range"},
    {"guard_view", [](Plan& p) { p.guards[0].view_a = 8; }, "guard 0: no such view"},
    {"guard_broken", [](Plan& p) { p.guards[1].relation = Relation::Overlap; }, "guard 1: it does not hold"},
    {"contracted_count", [](Plan& p) { p.contracted_bases = 2; }, "number of contracted bases"},
    {"contracted_order",
     [](Plan& p) {
         p.contracted = {1, 1};
         p.contracted_bases = 2;
     },
     "not ascending"},
    {"contracted_live", [](Plan& p) { p.contracted = {2}; }, "b2 is contracted and live"},
    {"contracted_allocated",
     [](Plan& p) {
         p.contracted = {4};
         p.steps.insert(p.steps.end(), {{Step::Kind::AllocBase, 4}, {Step::Kind::FreeBase, 4}});
     },
     "b4 is contracted and gets memory"},
};
INSTANTIATE_TEST_SUITE_P(Steps, CorruptedPlan, testing::ValuesIn(kStepsCorruptions), NameOf());

}  // namespace
}  // namespace xlazy::bc
