// SPDX-License-Identifier: BSD-3-Clause
// A whole measurement with workers that do as they are told: right and wrong results, a worker that dies, bandwidth
// that changes.
#include "driver/measure.hpp"
#include "driver/report.hpp"

#include <gtest/gtest.h>

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace {

using namespace xlazy_bench;
namespace fs = std::filesystem;

/// A folder in which every worker is the told one, or one that is told something else.
class Workers {
public:
    Workers() {
        std::string name = (fs::temp_directory_path() / "xlazy-bench-XXXXXX").string();
        folder_ = mkdtemp(name.data());
        for (const char* const worker : {"xtensor", "xlazy", "hand", "hand-fast"})
            fs::create_symlink(XLAZY_TEST_WORKER, folder_ / (std::string("xlazy-bench-") + worker));
    }
    ~Workers() { fs::remove_all(folder_); }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// The worker finds the variable in its environment.
    void tell(const std::string& worker, const std::string& variable) {
        const fs::path file = folder_ / ("xlazy-bench-" + worker);
        fs::remove(file);
        FILE* const script = std::fopen(file.c_str(), "w");
        std::fprintf(script, "#!/bin/sh\n%s exec %s\n", variable.c_str(), XLAZY_TEST_WORKER);
        std::fclose(script);
        fs::permissions(file, fs::perms::owner_all);
    }
    std::string folder() const { return folder_.string(); }

private:
    fs::path folder_;
};

Case told() {
    Case c;
    c.id = c.job = "told";
    c.sizes = c.quick_sizes = {10};
    c.fused_bytes = c.op_by_op_bytes = 8;
    c.max_ulps = 4;
    return c;
}

class Measure : public ::testing::Test {
protected:
    CaseResult run(double triad_after = 1e9) {
        Options options = parse_options({"--threads", "1", "--rounds", "3", "--quick"});
        bool first = true;
        const Prober probe = [&](int, double) {
            const Bandwidth result{first ? 1e9 : triad_after, 2e9};
            first = false;
            return result;
        };
        return measure(spec_, options, workers_.folder(), probe, [](const std::string&) {});
    }
    const Measurement& of(const CaseResult& result, const std::string& variant) {
        for (const Measurement& m : result.measurements)
            if (m.variant->name == variant) return m;
        throw std::runtime_error("no " + variant);
    }

    Case spec_ = told();
    Workers workers_;
};

TEST_F(Measure, EveryVariantTakesEveryTurn) {
    const CaseResult result = run();
    // Workers that are not there, and cases that a worker does not have (those that stream), are left out.
    EXPECT_EQ(result.measurements.size(), 6u);
    for (const Measurement& m : result.measurements) {
        EXPECT_EQ(m.rounds.size(), 3u) << m.variant->name;
        EXPECT_EQ(m.difference, 0) << m.variant->name;
        EXPECT_EQ(m.error, "");
    }
    EXPECT_FALSE(any_wrong({result}));
    EXPECT_EQ(complaints({result}), "");
}

TEST_F(Measure, AWrongResultOfXlazyFails) {
    workers_.tell("xlazy", "XLAZY_TEST_VALUE=1.00000000000001");
    const CaseResult result = run();
    EXPECT_TRUE(of(result, "xlazy-lazy").wrong);
    EXPECT_FALSE(of(result, "xtensor").wrong);
    EXPECT_TRUE(any_wrong({result}));
    EXPECT_NE(complaints({result}).find("wrong: told/xlazy-lazy/threads:1"), std::string::npos) << complaints({result});
}

TEST_F(Measure, ASmallDifferenceIsAllowed) {
    workers_.tell("xlazy", "XLAZY_TEST_VALUE=1.0000000000000004");
    const CaseResult result = run();
    EXPECT_EQ(of(result, "xlazy-lazy").difference, 2);
    EXPECT_FALSE(any_wrong({result}));
}

TEST_F(Measure, ANanOfXlazyFails) {
    workers_.tell("xlazy", "XLAZY_TEST_VALUE=nan");
    EXPECT_TRUE(any_wrong({run()}));
}

TEST_F(Measure, XtensorMayDiffer) {
    workers_.tell("xtensor", "XLAZY_TEST_VALUE=2");
    const CaseResult result = run();
    EXPECT_GT(of(result, "xtensor").difference.value(), 1e6);
    EXPECT_FALSE(any_wrong({result}));
}

TEST_F(Measure, WithoutHandWrittenLoopXtensorIsRight) {
    spec_.kind = Kind::overhead;
    workers_.tell("xlazy", "XLAZY_TEST_VALUE=2");
    EXPECT_TRUE(of(run(), "xlazy-lazy").wrong);
}

TEST_F(Measure, AWorkerThatDiesIsReported) {
    for (const char* const command : {"open", "turn"}) {
        workers_.tell("hand-fast", std::string("XLAZY_TEST_DIES=") + command);
        const CaseResult result = run();
        EXPECT_NE(of(result, "hand-fast").error, "") << command;
        EXPECT_EQ(of(result, "hand").rounds.size(), 3u) << "the others go on";
        EXPECT_EQ(result.find("hand-fast", 1), nullptr);
        EXPECT_TRUE(any_wrong({result}));
    }
}

TEST_F(Measure, ChangedBandwidthMakesItVoid) {
    EXPECT_FALSE(run(0.9e9).probes.at(1).is_void());
    const CaseResult result = run(0.7e9);
    EXPECT_TRUE(result.probes.at(1).is_void());
    EXPECT_NE(complaints({result}).find("void: told"), std::string::npos);
    EXPECT_FALSE(any_wrong({result})) << "void is no error";
}

TEST_F(Measure, TheFastestOfAGroupIsTheReference) {
    CaseResult result = run();
    for (Measurement& m : result.measurements) {
        m.rounds = {m.variant->name == "hand-fast" ? 1.0 : 2.0};
        m.seconds = summarize(m.rounds);
    }
    EXPECT_EQ(result.fastest(Group::hand, 1)->variant->name, "hand-fast");
    EXPECT_EQ(result.fastest(Group::hand, 2), nullptr) << "hand-written loops count with their own threads";
    result.probes[1].rounds = {{20, 80}};
    EXPECT_EQ(of_limit(result, *result.find("hand-fast", 1)), 4) << "10 elements of 8 bytes in a second";
    spec_.reads_only = true;
    EXPECT_EQ(of_limit(result, *result.find("hand-fast", 1)), 1);
    EXPECT_EQ(ratio(*result.find("xlazy-lazy", 1), *result.fastest(Group::hand, 1)).median, 2);
}

}  // namespace
