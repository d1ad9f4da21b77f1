// SPDX-License-Identifier: BSD-3-Clause
// Real programs and a cache in every state: the results are right, there is at most one warning, and it heals.
#include "deployment/support.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <random>

namespace {

using test::Outcome;
using namespace test;

using Cache = Deployment;

int rounds(int usual) {
    const char* const chosen = std::getenv("XLAZY_TEST_ROUNDS");
    return chosen != nullptr ? std::atoi(chosen) : usual;
}

TEST_F(Cache, TheSecondProcessCompilesNothing) {
    const Outcome first = run();
    expect_right(first);
    EXPECT_GT(first.compiled, 0u);
    EXPECT_EQ(first.loaded, 0u);
    for (int i = 0; i < 2; ++i) {
        const Outcome next = run();
        expect_right(next);
        EXPECT_EQ(next.compiled, 0u);
        EXPECT_EQ(next.loaded, first.compiled);
        EXPECT_EQ(next.warnings(), 0u) << next.log;
    }
    EXPECT_EQ(jc::debris(cache), 0u);
    EXPECT_TRUE(fs::is_empty(temporaries));
}

TEST_F(Cache, OtherRoundsCompileNothing) {
    const Outcome first = run({}, "2");
    const Outcome more = run({}, "50");
    EXPECT_EQ(more.compiled, 0u);
    EXPECT_LE(more.loaded, first.compiled);
}

// What is compiled does not grow with the work, and small work compiles nothing.
TEST_F(Cache, FewKernelsWhateverTheLengthsNumbersAndSteps) {
    // Of a loop that runs for ever other numbers of steps, a program in the background compiles what comes back.
    const std::pair<const char*, const char*> works[]{
        {"lengths", "block"}, {"iterations", "background"}, {"small", "block"}};
    for (const auto& [work, mode] : works) {
        SCOPED_TRACE(work);
        fs::remove_all(cache);
        const Outcome interpreted = run("XLAZY_JIT=off", work), compiled = run(fmt::format("XLAZY_JIT={}", mode), work);
        EXPECT_EQ(compiled.status, 0) << compiled.log;
        EXPECT_EQ(compiled.results, interpreted.results);
        EXPECT_LE(compiled.compiled + compiled.loaded, 6u);
        if (std::string_view(work) == "small") {
            EXPECT_EQ(compiled.compiled + compiled.loaded, 0u);
            EXPECT_FALSE(fs::exists(cache)) << "what needs no cache makes none";
        } else if (std::string_view(mode) == "block") {
            EXPECT_GT(compiled.compiled, 0u);
        }
    }
}

TEST_F(Cache, DamagedEntriesAreReplaced) {
    const Outcome first = run();
    std::mt19937 random(5);
    const std::string others = jc::contents(entries().front());
    using Damage = std::function<std::string(std::string)>;
    const std::pair<const char*, Damage> damages[]{
        {"empty", [](const std::string&) { return std::string(); }},
        {"truncated", [](const std::string& good) { return good.substr(0, good.size() / 2); }},
        {"zeroed", [](const std::string& good) { return std::string(good.size(), '\0'); }},
        {"random",
         [&](std::string good) {
             std::ranges::generate(good, [&] { return static_cast<char>(random()); });
             return good;
         }},
        {"another version",
         [](std::string good) {
             good[8] = static_cast<char>(good[8] + 1);
             return good;
         }},
        {"one bit",
         [](std::string good) {
             good[good.size() - 10] ^= 4;
             return good;
         }},
        {"another entry", [&](const std::string&) { return others; }},
    };
    // Each file another kind of damage, then again with the kinds moved on.
    constexpr std::size_t kKinds = std::size(damages);
    for (std::size_t shift = 0; shift < kKinds; shift += kKinds / 2) {
        std::string done;
        for (std::size_t i = shift; const fs::path& file : entries()) {
            const auto& [what, damage] = damages[i++ % kKinds];
            jc::overwrite(file, damage(jc::contents(file)));
            done += fmt::format("{}; ", what);
        }
        SCOPED_TRACE(done);
        const Outcome healed = run();
        expect_right(healed);
        EXPECT_EQ(healed.warnings(), 0u) << healed.log;
        EXPECT_GE(healed.compiled + 1, first.compiled) << "the file that another one was copied to may be that one";
        EXPECT_EQ(run().compiled, 0u);
    }
    // Folders where the entries were.
    for (const fs::path& file : entries()) {
        fs::remove(file);
        fs::create_directory(file);
    }
    expect_right(run());
    EXPECT_EQ(run().compiled, 0u);
}

TEST_F(Cache, AnotherInstructionSetIsAnotherKernel) {
    const Outcome best = run();
    const Outcome baseline = run("XLAZY_ISA=baseline");
    EXPECT_EQ(baseline.status, 0);
    const Result info = test::run_command(XLAZY_INFO, "");
    if (info.output.find("isa         baseline") == std::string::npos) {
        EXPECT_GT(baseline.compiled, 0u);
    }
    EXPECT_EQ(run("XLAZY_ISA=baseline").compiled, 0u);
    EXPECT_EQ(run().compiled, 0u);
}

TEST_F(Cache, DirectoriesThatAreOfNoUse) {
    jc::overwrite(folder / "file", "");
    fs::create_directories(folder / "open");
    fs::permissions(folder / "open", fs::perms::all);
    std::vector<std::string> places{folder / "file", folder / "file/below", folder / "open", "/proc/nothing"};
    if (geteuid() == 0) {
        fs::create_directories(folder / "foreign");
        ASSERT_EQ(chown((folder / "foreign").c_str(), 12345, 12345), 0);
        places.push_back(folder / "foreign");
    } else {
        places.emplace_back("/");
    }
    for (const std::string& place : places) {
        SCOPED_TRACE(place);
        const Outcome here = run(fmt::format("XLAZY_CACHE_DIR='{}'", place));
        expect_right(here);
        EXPECT_GT(here.compiled, 0u);
        EXPECT_EQ(here.warnings(), 1u) << here.log;
    }
    EXPECT_TRUE(fs::is_empty(temporaries));
}

TEST_F(Cache, NoHome) {
    const Outcome here = run("XLAZY_CACHE_DIR= HOME=");
    expect_right(here);
    EXPECT_GT(here.compiled, 0u);
    EXPECT_EQ(here.warnings(), 1u) << here.log;
    const Outcome home = run(fmt::format("XLAZY_CACHE_DIR= HOME='{}'", folder / "home"));
    expect_right(home);
    EXPECT_TRUE(fs::exists(folder / "home/.cache/xlazy"));
    const Outcome off = run("XLAZY_CACHE_SIZE=0");
    expect_right(off);
    EXPECT_EQ(off.warnings(), 0u) << off.log;
    EXPECT_FALSE(fs::exists(cache));
}

TEST_F(Cache, OddPaths) {
    for (const char* const name : {"with space", "quote\" $(id)", "\xc3\xa4\xe2\x82\xac"}) {
        const fs::path odd = folder.path / name;
        fs::create_directories(odd / "tmp");
        const std::string variables =
            fmt::format("XLAZY_CACHE_DIR='{}' TMPDIR='{}'", (odd / "cache").string(), (odd / "tmp").string());
        const Outcome first = run(variables), second = run(variables);
        expect_right(first);
        expect_right(second);
        EXPECT_GT(first.compiled, 0u);
        EXPECT_EQ(second.compiled, 0u);
        EXPECT_EQ(first.warnings() + second.warnings(), 0u) << first.log << second.log;
        EXPECT_TRUE(fs::is_empty(odd / "tmp"));
    }
}

TEST_F(Cache, DisksThatAreFullReadOnlyOrWithoutExecution) {
    static_cast<void>(right());
    XLAZY_EXPECT_CHILD([&] {
        const std::string full = folder / "full", noexec = folder / "noexec";
        if (!jc::own_mounts() || !jc::mount_small(full, "size=16k") || !jc::mount_small(noexec, "size=4m", MS_NOEXEC)) {
            return jc::kNotPossible;
        }
        const auto good = [&](const Outcome& run) { return run.status == 0 && run.results == right(); };
        const Outcome no_room = run(fmt::format("XLAZY_CACHE_DIR='{}/cache'", full));
        if (!good(no_room) || no_room.compiled == 0 || no_room.warnings() != 1) return 1;
        const std::string variables = fmt::format("XLAZY_CACHE_DIR='{0}/cache' TMPDIR='{0}'", noexec);
        const Outcome first = run(variables), second = run(variables);
        if (!good(first) || !good(second) || second.compiled != 0 || second.loaded == 0 || second.warnings() != 0)
            return 2;
        if (mount(nullptr, noexec.c_str(), nullptr, MS_REMOUNT | MS_RDONLY | MS_NOEXEC, nullptr) != 0) return 3;
        const std::string in_cache = fmt::format("XLAZY_CACHE_DIR='{}/cache'", noexec);
        const Outcome loaded = run(in_cache), compiled = run(in_cache + " XLAZY_ISA=baseline");
        if (!good(loaded) || loaded.compiled != 0 || loaded.warnings() != 0) return 4;
        return compiled.status == 0 && compiled.warnings() <= 1 ? 0 : 5;
    });
}

TEST_F(Cache, EightColdProcessesCompileEachKernelOnce) {
    const std::uint64_t kernels = run(fmt::format("XLAZY_CACHE_DIR='{}'", folder / "other")).compiled;
    for (int round = 0; round < rounds(2); ++round) {
        fs::remove_all(cache);
        std::vector<pid_t> children;
        for (int i = 0; i < 8; ++i) children.push_back(start(fmt::format("process{}", i), "XLAZY_NUM_THREADS=1"));
        std::uint64_t compiled = 0;
        for (int i = 0; i < 8; ++i) {
            const Outcome one =
                result(fmt::format("process{}", i), jc::wait_for(children[static_cast<std::size_t>(i)]));
            expect_right(one);
            EXPECT_EQ(one.warnings(), 0u) << one.log;
            compiled += one.compiled;
        }
        EXPECT_EQ(compiled, kernels);
        EXPECT_EQ(jc::debris(cache), 0u);
        EXPECT_TRUE(fs::is_empty(temporaries));
    }
}

TEST_F(Cache, WhoeverIsKilledTheCacheVerifies) {
    for (int round = 0; round < rounds(5); ++round) {
        if (round % 3 == 0) fs::remove_all(cache);
        const pid_t child = start("killed");
        std::this_thread::sleep_for(std::chrono::milliseconds(20 + 37 * (round % 11)));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        const Result verify =
            test::run_command(fmt::format("sh -c '[ ! -d \"$XLAZY_CACHE_DIR\" ] || {} verify'", XLAZY_CACHE),
                              fmt::format("XLAZY_CACHE_DIR='{}'", cache.string()));
        EXPECT_EQ(verify.status, 0) << verify.output;
    }
    expect_right(run());
    EXPECT_EQ(run().compiled, 0u);
}

// Kernels made elsewhere, where there is no compiler.
TEST_F(Cache, ABundleServesAMachineWithoutACompiler) {
    run();
    const std::string bundle = folder / "kernels.tar.zst", other = folder / "other";
    const auto tool = [&](const std::string& arguments) {
        return test::run_command(fmt::format("{} {}", XLAZY_CACHE, arguments),
                                 fmt::format("XLAZY_CACHE_DIR='{}'", cache.string()));
    };
    ASSERT_EQ(tool(fmt::format("export '{}'", bundle)).status, 0);
    ASSERT_EQ(tool(fmt::format("--dir '{}' import '{}'", other, bundle)).status, 0);
    const Outcome there = run(fmt::format("XLAZY_CACHE_DIR='{}' XLAZY_CXX=/nowhere/c++", other));
    expect_right(there);
    EXPECT_EQ(there.compiled, 0u);
    EXPECT_GT(there.loaded, 0u);
    EXPECT_EQ(there.warnings(), 0u) << there.log;
}

}  // namespace
