// SPDX-License-Identifier: BSD-3-Clause
// Why kernels did not fuse, in words; texts and pictures of batches.
#include "batch.hpp"
#include "passes/fuse.hpp"

#include "xlazy/optimizer/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace xlazy::opt {
namespace {

using bc::Op;
using test::Batch;
using Use = Batch::Use;

constexpr std::int64_t kN = 10'000;

Explanation explained(const bc::Program& program, std::string_view passes = "all") {
    std::vector<std::string> unknown;
    const PassSet set = parse_passes(passes, unknown);
    return explain(program, make_plan(program, {set, true, {}}), set);
}

/// As if the planner had found nothing to fuse: whatever it learns, the reasons are about the batch.
Explanation unfused(const bc::Program& program) {
    std::vector<std::string> unknown;
    return explain(program, make_plan(program, {parse_passes("none", unknown), true, {}}), {});
}

/// The reasons, each once.
std::vector<std::string> reasons(const Explanation& explanation) {
    std::vector<std::string> all;
    for (const UnfusedPair& pair : explanation.unfused) {
        if (std::ranges::find(all, pair.reason) == all.end()) all.push_back(pair.reason);
    }
    return all;
}

using Reasons = std::vector<std::string>;

TEST(Explain, DifferentShapes) {
    Batch batch;
    const std::uint32_t a = batch.base(kN, Use::Kept);
    const bc::Operand whole = batch.view(a, 0, {{kN, 1}}), half = batch.view(a, 0, {{kN / 2, 1}});
    batch.add(Op::neg, batch.domain({kN}), batch.array(kN, Use::Live), {whole});
    batch.add(Op::neg, batch.domain({kN / 2}), batch.array(kN / 2, Use::Live), {half});
    EXPECT_EQ(reasons(unfused(batch.program)),
              Reasons{"different shapes: batch.cpp:1 runs over (10000), batch.cpp:2 over (5000)"});
}

TEST(Explain, ReductionsAlongOtherAxes) {
    Batch batch;
    const std::uint32_t d = batch.domain({200, 300});
    const bc::Operand x = batch.view(batch.base(60'000, Use::Kept), 0, {{200, 300}, {300, 1}});
    batch.reduce(Op::sum, d, 1, batch.array(200, Use::Live), x);
    batch.reduce(Op::sum, d, 0, batch.array(300, Use::Live), x);
    EXPECT_EQ(reasons(unfused(batch.program)), Reasons{"batch.cpp:1 reduces along axis 1, batch.cpp:2 along axis 0"});
}

TEST(Explain, TooManyArrays) {
    Batch batch;
    const std::uint32_t d = batch.domain({kN});
    const bc::Operand shared = batch.array(kN, Use::Kept);
    for (std::uint32_t i = 0; i < kMaxStreams; ++i) {
        batch.add(Op::add, d, batch.array(kN, Use::Live), {shared, batch.array(kN, Use::Kept)});
    }
    const Explanation explanation = explained(batch.program);
    ASSERT_GT(explanation.kernels.size(), 1u);
    for (const std::string& reason : reasons(explanation)) {
        EXPECT_EQ(reason.find("the kernel would have "), 0u) << reason;
        EXPECT_NE(reason.find(" arrays; " + std::to_string(kMaxStreams) + " is the most"), std::string::npos) << reason;
    }
}

TEST(Explain, AKernelInBetween) {
    Batch batch;
    const std::uint32_t d = batch.domain({kN}), d0 = batch.domain({});
    const bc::Operand x = batch.array(kN, Use::Kept), y = batch.array(kN, Use::Live);
    const bc::Operand sum = batch.view(batch.base(1, Use::Live), 0, {});
    const bc::Operand root = batch.view(batch.base(1, Use::Live), 0, {});
    batch.reduce(Op::sum, d, 0, sum, x);
    batch.add(Op::sqrt, d0, root, {sum});
    batch.add(Op::mul, d, y, {x, root});
    const Reasons all = reasons(unfused(batch.program));
    EXPECT_NE(std::ranges::find(all, "the sum of batch.cpp:1 must be complete before batch.cpp:2 can use it"),
              all.end());
    EXPECT_NE(std::ranges::find(all, "batch.cpp:2 needs batch.cpp:1 to be done, and batch.cpp:3 needs batch.cpp:2"),
              all.end());
}

TEST(Explain, FusionSwitchedOff) {
    Batch batch;
    const std::uint32_t d = batch.domain({kN});
    const bc::Operand x = batch.array(kN, Use::Kept), y = batch.array(kN, Use::Live);
    batch.add(Op::neg, d, y, {x});
    batch.add(Op::neg, d, batch.array(kN, Use::Live), {y});
    EXPECT_EQ(reasons(explained(batch.program, "all,-fuse")), Reasons{"fusion is switched off (XLAZY_PASSES)"});
    EXPECT_TRUE(explained(batch.program).unfused.empty());
}

/// How an operand lies to what was written before.
TEST(Explain, OtherIndices) {
    const auto reason = [](std::initializer_list<std::int64_t> domain, std::int64_t offset,
                           std::initializer_list<bc::Dim> dims) {
        Batch batch;
        const std::uint32_t a = batch.base(36, Use::Live), square = batch.domain({6, 6});
        batch.add(Op::neg, square, batch.view(a, 0, {{6, 6}, {6, 1}}),
                  {batch.view(batch.base(36, Use::Kept), 0, {{6, 6}, {6, 1}})});
        const std::uint32_t d = batch.domain(domain);
        std::int64_t count = 1;
        for (const std::int64_t extent : domain) count *= extent;
        const std::uint32_t out = batch.base(count, Use::Live);
        const bc::Operand to = domain.size() == 1 ? batch.view(out, 0, {{count, 1}})
                                                  : batch.view(out, 0, {{6, count / 6}, {count / 6, 1}});
        batch.add(Op::neg, d, to, {batch.view(a, offset, dims)});
        const std::string text = reasons(unfused(batch.program)).at(0);
        return text.substr(text.find('('));
    };
    EXPECT_EQ(reason({6, 5}, 1, {{6, 6}, {5, 1}}), "(neighbours)");
    EXPECT_EQ(reason({6, 6}, 5, {{6, 6}, {6, -1}}), "(in reverse order)");
    EXPECT_EQ(reason({6, 6}, 0, {{6, 1}, {6, 6}}), "(with axes exchanged)");
    EXPECT_EQ(reason({36}, 0, {{36, 1}}), "(in another shape)");
    EXPECT_EQ(reason({6, 6}, 0, {{6, 1}}), "(repeated along an axis)");
}

TEST(Explain, ScansShareNoKernel) {
    Batch batch;
    const std::uint32_t d = batch.domain({kN});
    const bc::Operand x = batch.array(kN, Use::Kept);
    batch.add(Op::cumsum, d, batch.array(kN, Use::Live), {x});
    batch.add(Op::cumprod, d, batch.array(kN, Use::Live), {x});
    batch.reduce(Op::sum, d, 0, batch.view(batch.base(1, Use::Live), 0, {}), x);
    const Reasons all = reasons(explained(batch.program));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(
        all[0],
        "a kernel holds one scan and no reduction beside it, and there is the cumsum of batch.cpp:1 and the cumprod of "
        "batch.cpp:2");
    EXPECT_NE(all[1].find("and there is the cumprod of batch.cpp:2 and the sum of batch.cpp:3"), std::string::npos);
}

TEST(Explain, WhatIsComputedOnceIsTold) {
    Batch batch;
    const std::uint32_t d = batch.domain({kN});
    const bc::Operand x = batch.array(kN, Use::Kept);
    batch.add(Op::exp, d, batch.array(kN, Use::Live), {x});
    batch.add(Op::exp, d, batch.array(kN, Use::Live), {x});
    const std::string text = to_text(explained(batch.program));
    EXPECT_NE(text.find("  computed once: the exp of batch.cpp:2 is what batch.cpp:1 computes\n"), std::string::npos)
        << text;
}

/// While a pointer to the array is out.
TEST(Explain, ACopyBackIsToldAndCounted) {
    Batch batch;
    const std::uint32_t u = batch.base(kN, Use::Kept), d = batch.domain({kN - 2});
    batch.add(Op::add, d, batch.view(u, 1, {{kN - 2, 1}}),
              {batch.view(u, 0, {{kN - 2, 1}}), batch.view(u, 2, {{kN - 2, 1}})});
    const bc::Plan plan = make_plan(batch.program, {});
    ASSERT_EQ(plan.kernels.at(0).versions.size(), 1u);
    const Explanation moved = explain(batch.program, plan, {}), stays = explain(batch.program, plan, {}, {u});
    EXPECT_EQ(stays.after.traffic.total() - moved.after.traffic.total(), 2 * 8u * (kN - 2) - 2 * 8u * 2);
    EXPECT_EQ(to_text(moved).find("copied back"), std::string::npos);
    EXPECT_NE(to_text(stays).find(" written into other memory and copied back\n"), std::string::npos) << to_text(stays);
}

TEST(Explain, APictureHasAnEdgeFromEveryWriterOfAPart) {
    Batch batch;
    const std::uint32_t a = batch.base(2 * kN, Use::Live), half = batch.domain({kN});
    const bc::Operand x = batch.array(kN, Use::Kept);
    batch.add(Op::neg, half, batch.view(a, 0, {{kN, 1}}), {x});
    batch.add(Op::abs, half, batch.view(a, kN, {{kN, 1}}), {x});
    batch.add(Op::sqrt, batch.domain({2 * kN}), batch.array(2 * kN, Use::Live), {batch.view(a, 0, {{2 * kN, 1}})});
    const std::string dot = to_dot(batch.program, make_plan(batch.program, {}), "");
    EXPECT_NE(dot.find("    s0 -> s2 "), std::string::npos) << dot;
    EXPECT_NE(dot.find("    s1 -> s2 "), std::string::npos) << dot;
    EXPECT_NE(dot.find("    s0 -> sout0;"), std::string::npos) << dot;
    EXPECT_NE(dot.find("    s1 -> sout0;"), std::string::npos) << dot;
}

TEST(Explain, TheTextTellsEqualKernelsOnce) {
    Batch batch;
    const std::uint32_t u = batch.base(kN, Use::Kept);
    const std::uint32_t d = batch.domain({kN - 2});
    for (int step = 0; step < 5; ++step) {
        batch.add(Op::add, d, batch.view(u, 1, {{kN - 2, 1}}),
                  {batch.view(u, 0, {{kN - 2, 1}}), batch.view(u, 2, {{kN - 2, 1}})});
        batch.program.origins.back() = bc::intern_origin("loop.cpp", 7);
    }
    const std::string text = to_text(explained(batch.program));
    EXPECT_EQ(text.find("5 statements, 5 instructions\n"), 0u) << text;
    EXPECT_NE(text.find("  5 kernels k0, k1, k2, k3, k4 (9998): loop.cpp:7; "), std::string::npos) << text;
    EXPECT_NE(text.find(" written into a new version of the array, each\n"), std::string::npos) << text;
    EXPECT_NE(
        text.find("  k0 and k1 did not fuse: the add of loop.cpp:7 reads what the add of loop.cpp:7 writes, at other "
                  "indices (neighbours) (and 3 more pairs like these two)\n"),
        std::string::npos)
        << text;
}

TEST(Explain, LinesAndBytesAsText) {
    const Lines lines = {bc::intern_origin("a.cpp", 1), bc::intern_origin("a.cpp", 2), bc::intern_origin("b.cpp", 3)};
    EXPECT_EQ(lines_text(lines), "a.cpp:1, 2, b.cpp:3");
    EXPECT_EQ(lines_text(lines, 2), "a.cpp:1, 2 and 1 more");
    EXPECT_EQ(bytes_text(1), "1 byte");
    EXPECT_EQ(bytes_text(1023), "1023 bytes");
    EXPECT_EQ(bytes_text(1536), "1.5 KiB");
    EXPECT_EQ(bytes_text(std::uint64_t{300} << 20), "300 MiB");
}

TEST(Explain, PicturesQuoteNames) {
    Batch batch;
    const std::uint32_t d = batch.domain({kN});
    batch.add(Op::neg, d, batch.array(kN, Use::Live), {batch.array(kN, Use::Kept)});
    batch.program.origins.back() = bc::intern_origin("a\"b\\.cpp", 7);
    const std::string dot = to_dot(batch.program, make_plan(batch.program, {}), "say \"x\"");
    EXPECT_EQ(dot.find("digraph xlazy {\n  label=\"say \\\"x\\\"\";\n"), 0u) << dot;
    EXPECT_NE(dot.find("a\\\"b\\\\.cpp:7\\nneg"), std::string::npos) << dot;
    EXPECT_NE(dot.find("f64[10000]"), std::string::npos) << dot;
}

}  // namespace
}  // namespace xlazy::opt
