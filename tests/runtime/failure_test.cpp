// SPDX-License-Identifier: BSD-3-Clause
// Which arrays an unusual failure reaches: kernels that break, scratch that is missing, batches without a plan.
#include "failure.hpp"

#include "log.hpp"
#include "planner.hpp"
#include "queue.hpp"
#include "runtime/array.hpp"
#include "xlazy/bytecode/text.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

using namespace test;
using xlazy::rt::Outcome;
using xlazy::rt::Verdict;

/// A recorded batch of which the tests say what went wrong: b = a + 1; c = b * 2; d = a - 1.
class Failure : public testing::Test {
protected:
    void record() {
        assign(b, Op::add, a, 1.0);
        assign(c, Op::mul, b, 2.0);
        assign(d, Op::sub, a, 1.0);
    }

    Verdict judge(const xlazy::bc::Plan* plan, const Outcome& outcome, const std::string& problem = {}) {
        return xlazy::rt::judge(xlazy::rt::my_queue(), plan, outcome, problem, {Reason::explicit_, 0});
    }

    bool failed(const Verdict& verdict, const Array<double>& array) {
        const std::uint32_t index = xlazy::rt::my_queue().enroll(*array.base());
        return static_cast<bool>(verdict.of_base[index]);
    }

    ~Failure() override { xlazy::flush(); }

    const Array<double> a{{3}, {1, 2, 3}};
    const Array<double> b{{3}}, c{{3}}, d{{3}};
};

TEST_F(Failure, WithoutAPlanTheWholeBatchFails) {
    record();
    const Verdict verdict = judge(nullptr, {}, "the planner is out");
    EXPECT_TRUE(failed(verdict, b) && failed(verdict, c) && failed(verdict, d));
    EXPECT_FALSE(failed(verdict, a));
    EXPECT_NE(std::string(verdict.first.error().what()).find("internal error in add: the planner is out"),
              std::string::npos);
    EXPECT_EQ(verdict.of_base[xlazy::rt::my_queue().enroll(*d.base())]->parts.front().error, verdict.first);
}

TEST_F(Failure, AKernelThatBreaksSpoilsItsOutputsAndWhatDependsOnThem) {
    record();
    xlazy::rt::Queue& queue = xlazy::rt::my_queue();
    xlazy::opt::PlanOptions options;
    std::vector<std::string> unknown;
    options.passes = xlazy::opt::parse_passes("none", unknown);
    for (auto& base : queue.program.bases) base.live = true;
    queue.program.bases[queue.enroll(*a.base())].initialised = true;
    const xlazy::bc::Plan plan = xlazy::opt::make_plan(queue.program, options);
    ASSERT_EQ(plan.kernels.size(), 3u);
    Outcome outcome;
    outcome.broken.push_back({0, {}});
    const Verdict first = judge(&plan, outcome);
    EXPECT_TRUE(failed(first, b) && failed(first, c));
    EXPECT_FALSE(failed(first, d));
    EXPECT_EQ(first.first.error().operation(), "allocate");
    outcome.broken[0] = {2, "out of order"};
    const Verdict last = judge(&plan, outcome);
    EXPECT_FALSE(failed(last, b) || failed(last, c));
    EXPECT_TRUE(failed(last, d));
    EXPECT_NE(std::string(last.first.error().what()).find("internal error in sub: out of order"), std::string::npos);
}

/// While it lives, passes of this name fail, and what is logged is kept.
class FailingPass {
public:
    explicit FailingPass(std::string_view name) {
        xlazy::rt::set_plan_dump([name](std::string_view pass, const std::string&) {
            if (pass == name) throw std::logic_error("it makes no sense");
        });
        xlazy::rt::set_log_sink([this](std::string_view message) { logged.emplace_back(message); });
    }
    ~FailingPass() {
        xlazy::rt::set_plan_dump({});
        xlazy::rt::set_log_sink({});
    }
    FailingPass(const FailingPass&) = delete;
    FailingPass& operator=(const FailingPass&) = delete;

    std::vector<std::string> logged;
};

TEST_F(Failure, APassThatFailsLeavesTheBatchUnoptimisedAndWritesItToAFile) {
    record();
    const Array<double> e({3});
    assign(e, Op::mul, d, 3.0);
    {
        FailingPass failing("fuse");
        EXPECT_EQ(c.values(), (std::vector<double>{4, 6, 8}));
        EXPECT_EQ(e.values(), (std::vector<double>{0, 3, 6}));
        ASSERT_EQ(failing.logged.size(), 1u);
        const std::string& text = failing.logged[0];
        EXPECT_EQ(
            text.find(
                "internal error in the optimizer: it makes no sense. The batch runs unoptimised; its text is in "),
            0u)
            << text;
        const std::string file = text.substr(text.rfind(' ') + 1);
        std::ifstream in(file);
        const xlazy::bc::Program dumped = xlazy::bc::parse(std::string{std::istreambuf_iterator<char>(in), {}});
        EXPECT_EQ(dumped.instructions.size(), 4u);
        std::filesystem::remove(file);
    }
    // Nothing of it is kept.
    assign(b, Op::add, a, 5.0);
    assign(c, Op::mul, b, 2.0);
    EXPECT_EQ(c.read(0), 12);
}

TEST_F(Failure, MoreAxesThanTheBytecodeHasAreRefused) {
    EXPECT_THROW(assign(b, Op::add, Window{a.base(), 0, Extents(17, 1), std::vector<std::ptrdiff_t>(17, 0)}, 1.0),
                 std::invalid_argument);
    assign(b, Op::add, a, 1.0);
    EXPECT_EQ(b.read(0), 2);
}

}  // namespace
