// SPDX-License-Identifier: BSD-3-Clause
// The batches of real programs, which the library recorded (record/): the plans are legal, and move little more than
// the least that any plan could.
#include "xlazy/bytecode/text.hpp"
#include "xlazy/bytecode/verify.hpp"
#include "xlazy/optimizer/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace xlazy::opt {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(XLAZY_SOURCE_DIR) / "tests/optimizer/batches";

bc::Program read(const std::string& name) {
    std::ifstream in(kFolder / (name + ".txt"));
    return bc::parse(std::string{std::istreambuf_iterator<char>(in), {}});
}

bc::Plan planned(const bc::Program& program, std::string_view passes) {
    std::vector<std::string> unknown;
    return make_plan(program, {parse_passes(passes, unknown), true, {}});
}

/// How much more than the least a program's plan may move. What a person would write is within 1.1.
struct Expected {
    const char* name;
    double traffic;  ///< bytes moved / least
    /// `algebra` makes several cheaper operations of one: without fusion, or stored one by one, they move more.
    bool more_operations = false;
};
constexpr double kReach = 1.1;
const Expected kPrograms[] = {
    {"b01", kReach},
    {"b02", kReach},
    {"b03", kReach},
    {"b05.f64", kReach},
    {"b05.mean", kReach},
    {"b06", kReach},
    {"b09", kReach},
    {"b11.dot", kReach},
    {"b11.mean.axis0", kReach},
    {"b11.mean.axis1", kReach},
    {"b11.softmax", kReach},
    {"b11.var.all", kReach},
    {"b11.var.axis0", kReach},
    {"b11.var.axis1", kReach},
    {"layer_norm", kReach},
    {"mandelbrot", kReach},
    {"shallow_water", kReach},
    {"standardise", kReach},
    {"by_value", kReach},
    {"rows_in_variables", kReach},
    {"some_results", kReach},
    {"helper_functions", kReach},
    {"written_out", kReach},
    {"integer_grid", kReach, true},
    {"cumulative", kReach},
    {"wind", kReach},
    {"tracks", kReach},
    {"new_state", kReach},
    {"array_a_step", 1.3},  // the least computes tanh in each of the three sweeps, rather than keep it
};

void PrintTo(const Expected& program, std::ostream* out) { *out << program.name; }

class Programs : public testing::TestWithParam<Expected> {};

TEST_P(Programs, AreLegalAndPlannedWithinTheLeast) {
    const bc::Program program = read(GetParam().name);
    ASSERT_EQ(bc::verify(program, bc::Strictness::Recorded), "");
    const bc::Plan plan = planned(program, "all");
    const Traffic moved = traffic_of(program, plan), least = least_traffic(program);
    EXPECT_LE(static_cast<double>(moved.total()), GetParam().traffic * static_cast<double>(least.total()))
        << to_text(explain(program, plan, {}));
    // What is computed twice counts twice in the least.
    EXPECT_GE(1.01 * static_cast<double>(moved.total()), static_cast<double>(least.total()));
    EXPECT_GE(footprint_of(program, plan).peak, least_peak(program));
}

TEST_P(Programs, NoSubsetOfPassesMovesMoreThanNone) {
    const bc::Program program = read(GetParam().name);
    const bc::Plan none = planned(program, "none");
    for (const PassInfo& pass : pass_table()) {
        if (pass.mandatory) continue;
        if (GetParam().more_operations && (pass.name == "algebra" || pass.name == "contract")) continue;
        for (const char* const start : {"all,-", "none,+"}) {
            const std::string passes = start + std::string(pass.name);
            const bc::Plan plan = planned(program, passes);
            EXPECT_LE(traffic_of(program, plan).total(), traffic_of(program, none).total()) << passes;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, Programs, testing::ValuesIn(kPrograms), [](const auto& info) {
    std::string name = info.param.name;
    for (char& c : name) c = c == '.' ? '_' : c;
    return name;
});

std::uint64_t peak_of(const bc::Program& program, std::string_view passes) {
    return footprint_of(program, planned(program, passes)).peak;
}

/// Nothing beside what is there before and after: the polynomial's two arrays, those of the equation of state. A heat
/// step has its old and its new plane.
TEST(Programs, PeaksAreTheLeastOrTwoPlanes) {
    const bc::Program b01 = read("b01"), b02 = read("b02"), b06 = read("b06");
    EXPECT_EQ(peak_of(b01, "all"), least_peak(b01));
    EXPECT_LE(peak_of(b02, "all"), least_peak(b02) + least_peak(b02) / 100);
    EXPECT_LE(2 * peak_of(b02, "all"), peak_of(b02, "none"));
    const auto plane = static_cast<std::uint64_t>(b06.bases[0].size) * bc::size_of(b06.bases[0].type);
    EXPECT_LE(peak_of(b06, "all"), 2 * plane + plane / 100);
    EXPECT_LE(peak_of(b06, "all"), peak_of(b06, "none") / 2 + plane / 100);
}

/// Kernels, those of a dispatch as one.
std::size_t starts(const bc::Plan& plan) {
    std::size_t count = plan.kernels.size();
    for (const bc::Dispatch& dispatch : plan.dispatches) count -= dispatch.count - 1;
    return count;
}

/// What a pass is there for: fewer operations, bytes or kernels, or a lower peak, in at least one program.
TEST(Programs, EveryPassBuysSomething) {
    for (const PassInfo& pass : pass_table()) {
        // What algebra buys is time: cheaper operations, and more of them (docs/benchmarks.md).
        if (pass.mandatory || pass.name == "algebra") continue;
        const bool buys = std::ranges::any_of(kPrograms, [&](const Expected& expected) {
            const bc::Program program = read(expected.name);
            const bc::Plan all = planned(program, "all"), without = planned(program, "all,-" + std::string(pass.name));
            return starts(all) < starts(without) || operations_of(program, all) < operations_of(program, without) ||
                   traffic_of(program, all).total() < traffic_of(program, without).total() ||
                   footprint_of(program, all).peak < footprint_of(program, without).peak;
        });
        EXPECT_TRUE(buys) << pass.name;
    }
}

TEST(Programs, EveryBatchIsExpected) {
    std::set<std::string> files, names;
    for (const auto& entry : std::filesystem::directory_iterator(kFolder)) files.insert(entry.path().stem().string());
    for (const Expected& program : kPrograms) names.insert(program.name);
    EXPECT_EQ(files, names);
}

}  // namespace
}  // namespace xlazy::opt
