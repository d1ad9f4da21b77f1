// SPDX-License-Identifier: BSD-3-Clause
#include "env.hpp"

#include "log.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace {

using namespace xlazy::rt;

Settings read(const std::map<std::string, std::string>& variables) {
    return read_settings([&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

TEST(Environment, Defaults) {
    const Settings settings = read({});
    EXPECT_EQ(settings.start_mode, xlazy::mode::lazy);
    EXPECT_EQ(settings.backend, BackendChoice::automatic);
    EXPECT_FALSE(settings.isa);
    EXPECT_EQ(settings.threads, 0);
    EXPECT_EQ(settings.memory_limit.amount, 80);
    EXPECT_TRUE(settings.memory_limit.percent);
    EXPECT_EQ(settings.passes, xlazy::opt::PassSet{});
    EXPECT_FALSE(settings.trace_flush || settings.trace_plan);
    EXPECT_EQ(settings.stats, "");
    EXPECT_EQ(settings.log, "stderr");
    EXPECT_TRUE(settings.warnings.empty());
    EXPECT_TRUE(read({{"XLAZY_MODE", ""}}).warnings.empty());
}

TEST(Environment, LegalValues) {
    const Settings settings = read({{"XLAZY_MODE", "eager"},
                                    {"XLAZY_BACKEND", "interp"},
                                    {"XLAZY_ISA", "avx2"},
                                    {"XLAZY_NUM_THREADS", "3"},
                                    {"XLAZY_PASSES", "none"},
                                    {"XLAZY_TRACE", "plan,flush"},
                                    {"XLAZY_STATS", "out.json"},
                                    {"XLAZY_LOG", "out.log"}});
    EXPECT_EQ(settings.start_mode, xlazy::mode::eager);
    EXPECT_EQ(settings.backend, BackendChoice::interp);
    EXPECT_EQ(settings.isa, xlazy::be::Isa::avx2);
    EXPECT_EQ(settings.threads, 3);
    EXPECT_NE(settings.passes, xlazy::opt::PassSet{});
    EXPECT_TRUE(settings.trace_flush);
    EXPECT_TRUE(settings.trace_plan);
    EXPECT_EQ(settings.stats, "out.json");
    EXPECT_EQ(settings.log, "out.log");
    EXPECT_TRUE(settings.warnings.empty());
    EXPECT_EQ(read({{"XLAZY_BACKEND", "openmp"}}).backend, BackendChoice::openmp);
}

TEST(Environment, ATimelineGoesToAFile) {
    const Settings settings = read({{"XLAZY_TRACE", "flush,chrome:/tmp/a:b.json"}});
    EXPECT_TRUE(settings.trace_flush && !settings.trace_plan);
    EXPECT_EQ(settings.timeline, "/tmp/a:b.json");
    EXPECT_TRUE(settings.warnings.empty());
    EXPECT_EQ(read({}).timeline, "");
    for (const char* const wrong : {"chrome", "chrome:", "chromium:a.json"})
        EXPECT_EQ(read({{"XLAZY_TRACE", wrong}}).warnings.size(), 1u) << wrong;
}

TEST(Environment, AnUnknownValueGetsOneWarningAndTheDefault) {
    const Settings settings = read({{"XLAZY_MODE", "lasy"}});
    EXPECT_EQ(settings.start_mode, xlazy::mode::lazy);
    ASSERT_EQ(settings.warnings.size(), 1u);
    EXPECT_EQ(settings.warnings[0], "XLAZY_MODE: unknown value \"lasy\"; legal: lazy, eager. lazy is used");
}

TEST(Environment, AnUnknownPassGetsOneWarningWithTheNamesOfAll) {
    const Settings settings = read({{"XLAZY_PASSES", "all,-gvn,fuse,nonsense"}});
    ASSERT_EQ(settings.warnings.size(), 1u);
    for (const xlazy::opt::PassInfo& pass : xlazy::opt::pass_table()) {
        if (pass.mandatory) continue;
        EXPECT_NE(settings.warnings[0].find(std::string(pass.name)), std::string::npos) << pass.name;
    }
    EXPECT_EQ(settings.passes, xlazy::opt::PassSet{});
}

TEST(Environment, APassThatAlwaysRunsGetsOneWarningAndTheRestCounts) {
    for (const std::string list : {"all,-lower,-fuse", "-fuse,+separate", "-memory,-fuse"}) {
        const Settings settings = read({{"XLAZY_PASSES", list}});
        ASSERT_EQ(settings.warnings.size(), 1u) << list;
        EXPECT_NE(settings.warnings[0].find("that pass always runs and cannot be switched"), std::string::npos);
        EXPECT_EQ(settings.passes, read({{"XLAZY_PASSES", "all,-fuse"}}).passes) << list;
    }
}

TEST(Environment, ListsOfPasses) {
    const auto passes = [](const std::string& list) {
        const Settings settings = read({{"XLAZY_PASSES", list}});
        EXPECT_TRUE(settings.warnings.empty()) << list;
        std::set<std::string_view> names;
        const auto table = xlazy::opt::pass_table();
        for (unsigned i = 0; i < table.size(); ++i) {
            if (!table[i].mandatory && settings.passes.has(i)) names.insert(table[i].name);
        }
        return names;
    };
    EXPECT_EQ(passes("fuse"), passes("none,fuse"));
    EXPECT_EQ(passes("fuse"), passes("none,+fuse"));
    EXPECT_EQ(passes("fuse,dce"), passes("none,dce,fuse"));
    EXPECT_EQ(passes("-fuse"), passes("all,-fuse"));
    EXPECT_EQ(passes("+fuse"), passes("all"));
    EXPECT_EQ(passes("fuse,-fuse"), passes("none"));
    EXPECT_NE(passes("fuse"), passes("none"));
    EXPECT_NE(passes("-fuse"), passes("all"));
}

TEST(Environment, EveryKindOfVariableIsChecked) {
    for (const EnvVariable& variable : kEnvironment) {
        const std::vector<std::string> warnings = read({{std::string(variable.name), "no-such;value"}}).warnings;
        EXPECT_EQ(warnings.size(), variable.kind == EnvKind::Text ? 0u : 1u) << variable.name;
    }
    for (const std::string count : {"0", "-2", "two", "3x", "99999999999"}) {
        const Settings settings = read({{"XLAZY_NUM_THREADS", count}});
        EXPECT_EQ(settings.threads, 0);
        ASSERT_EQ(settings.warnings.size(), 1u) << count;
        EXPECT_NE(settings.warnings[0].find("a whole number from 1"), std::string::npos);
    }
    const Settings trace = read({{"XLAZY_TRACE", "flush,plans"}});
    EXPECT_FALSE(trace.trace_flush);
    ASSERT_EQ(trace.warnings.size(), 1u);
    EXPECT_NE(trace.warnings[0].find("flush, plan"), std::string::npos);
    EXPECT_EQ(read({{"XLAZY_PASSES", "all,-nosuchpass"}}).passes, xlazy::opt::PassSet{});
}

TEST(Environment, Sizes) {
    const auto bytes = [](std::string_view text) {
        const auto size = parse_size(text);
        return size && !size->percent ? size->amount : -1;
    };
    EXPECT_EQ(bytes("1"), 1);
    EXPECT_EQ(bytes("123456"), 123456);
    EXPECT_EQ(bytes("64K"), 65536);
    EXPECT_EQ(bytes("1.5G"), 1.5 * 1024 * 1024 * 1024);
    EXPECT_EQ(bytes("2T"), 2.0 * 1024 * 1024 * 1024 * 1024);
    const auto percent = parse_size("12.5%");
    ASSERT_TRUE(percent && percent->percent);
    EXPECT_EQ(percent->amount, 12.5);
    for (const std::string_view wrong :
         {"", "K", "%", "0", "0%", "-1", "1X", "1KB", "1 K", "1k", "nan", "inf", "1e99T"})
        EXPECT_FALSE(parse_size(wrong)) << wrong;
    EXPECT_EQ(read({{"XLAZY_MEMORY_LIMIT", "3M"}}).memory_limit.amount, 3 * 1024 * 1024);
    const Settings wrong = read({{"XLAZY_MEMORY_LIMIT", "much"}});
    EXPECT_TRUE(wrong.memory_limit.percent);
    ASSERT_EQ(wrong.warnings.size(), 1u);
    EXPECT_NE(wrong.warnings[0].find("a percentage. 80% is used"), std::string::npos) << wrong.warnings[0];
}

TEST(Environment, CacheAndCompiler) {
    const Settings settings = read({{"HOME", "/home/me"}});
    EXPECT_EQ(settings.compiler, "");
    EXPECT_EQ(settings.cache_place.path, "/home/me/.cache/xlazy");
    EXPECT_EQ(settings.cache_size, std::uint64_t{512} << 20);
    const Settings chosen = read({{"XLAZY_CXX", "clang"}, {"XLAZY_CACHE_DIR", "/kernels"}, {"XLAZY_CACHE_SIZE", "2G"}});
    EXPECT_EQ(chosen.compiler, "clang");
    EXPECT_EQ(chosen.cache_place.path, "/kernels");
    EXPECT_EQ(chosen.cache_size, std::uint64_t{2} << 30);
    EXPECT_EQ(read({{"XLAZY_CACHE_SIZE", "0"}}).cache_size, 0u);
    const Settings wrong = read({{"XLAZY_CACHE_SIZE", "50%"}});
    EXPECT_EQ(wrong.cache_size, std::uint64_t{512} << 20);
    ASSERT_EQ(wrong.warnings.size(), 1u);
}

TEST(Environment, ADeviceIsChosenByItsNumber) {
    const Settings chosen = read({{"XLAZY_BACKEND", "cuda"}, {"XLAZY_DEVICE", "2"}});
    EXPECT_EQ(chosen.backend, BackendChoice::cuda);
    EXPECT_EQ(chosen.device, 2);
    EXPECT_EQ(read({{"XLAZY_DEVICE", "0"}}).warnings.size(), 0u);
    const Settings wrong = read({{"XLAZY_DEVICE", "-1"}});
    EXPECT_EQ(wrong.device, 0);
    ASSERT_EQ(wrong.warnings.size(), 1u);
    EXPECT_NE(wrong.warnings[0].find("a whole number from 0"), std::string::npos);
}

TEST(Log, OneSink) {
    std::vector<std::string> messages;
    set_log_sink([&](std::string_view message) { messages.emplace_back(message); });
    log("first");
    log("second");
    set_log_sink({});
    EXPECT_EQ(messages, (std::vector<std::string>{"first", "second"}));
}

}  // namespace
