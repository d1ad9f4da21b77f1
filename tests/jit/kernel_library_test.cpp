// SPDX-License-Identifier: BSD-3-Clause
// From source text to code that runs, with real compilers and with bad ones.
#include "jit/support.hpp"

#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

namespace xlazy::be::jit {
namespace {

using KernelLibraryTest = LibraryTest;

TEST_F(KernelLibraryTest, CompilesOnceAndLoadsFromDisk) {
    {
        KernelLibrary library(options());
        EXPECT_EQ(library.find(scaling(2)).module, nullptr);
        const auto built = library.build(scaling(2));
        EXPECT_EQ(result_of(built.module), 7) << built.error;
        EXPECT_TRUE(built.compiled);
        EXPECT_FALSE(library.build(scaling(2)).compiled);
        EXPECT_EQ(library.find(scaling(2)).module, built.module);
        EXPECT_EQ(library.build(scaling(2)).module, built.module);
        EXPECT_EQ(library.counts().compiled, 1u);
        EXPECT_EQ(library.counts().loaded, 0u);
    }
    KernelLibrary library(options());
    EXPECT_EQ(result_of(library.find(scaling(2)).module), 7) << "without asking the compiler for its version";
    EXPECT_EQ(library.find(scaling(3)).module, nullptr);
    EXPECT_EQ(library.counts().compiled, 0u);
    EXPECT_EQ(library.counts().loaded, 1u);
    EXPECT_TRUE(warnings.empty());
    EXPECT_TRUE(fs::is_empty(temporaries));
}

TEST_F(KernelLibraryTest, EveryCompilerThatIsHere) {
    for (const char* const name : {"gcc", "g++", "clang", "clang++", "clang-16", "clang++-16"}) {
        LibraryOptions given = options(name);
        if (choose_compiler(given.compiler).compiler == nullptr) continue;
        KernelLibrary library(given);
        EXPECT_EQ(result_of(library.build(scaling(2)).module), 7) << name;
        EXPECT_EQ(library.counts().compiled + library.counts().loaded, 1u)
            << "loaded if it is another name of one before";
    }
    EXPECT_TRUE(warnings.empty()) << warnings.front();
}

TEST_F(KernelLibraryTest, AResidentCompiler) {
    LibraryOptions given = options("resident");
    if (choose_compiler(given.compiler).compiler == nullptr) GTEST_SKIP() << "not part of this build";
    {
        KernelLibrary library(given);
        EXPECT_EQ(library.find(scaling(2)).module, nullptr);
        for (int i = 0; i < 5; ++i) {
            const auto built = library.build(scaling(i));
            EXPECT_EQ(result_of(built.module), 3 * i + 1) << built.error;
        }
        KernelText wrong = scaling(2);
        wrong.source += "this is not C\n";
        EXPECT_EQ(library.build(wrong).module, nullptr);
        ASSERT_EQ(warnings.size(), 1u);
        EXPECT_NE(warnings[0].find("kernel.c:5"), std::string::npos) << warnings[0];
        EXPECT_EQ(library.counts().compiled, 5u);
    }
    KernelLibrary library(given);
    EXPECT_EQ(result_of(library.find(scaling(2)).module), 7) << "without starting it";
    EXPECT_EQ(library.counts().loaded, 1u);
    EXPECT_TRUE(fs::is_empty(temporaries));
    const int status = wait_for(start_process([&] {
        setenv("PATH", "/nowhere", 1);
        LibraryOptions nothing = options();
        nothing.cache.size_limit = 0;
        return result_of(KernelLibrary(nothing).build(scaling(2)).module) == 7 ? 0 : 1;
    }));
    EXPECT_EQ(status, 0) << "it serves where there is no program";
}

TEST_F(KernelLibraryTest, AResidentCompilerIsNobodysChildAndHasALimit) {
    LibraryOptions given = options("resident");
    if (choose_compiler(given.compiler).compiler == nullptr) GTEST_SKIP() << "not part of this build";
    const int status = wait_for(start_process([&] {
        KernelLibrary library(given);
        if (result_of(library.build(scaling(2)).module) != 7) return 1;
        if (wait(nullptr) != -1 || errno != ECHILD) return 2;
        // A child has one of its own, and leaves its parent's alone.
        library.before_fork();
        const pid_t child = fork();
        library.after_fork(child == 0);
        if (child == 0) _exit(result_of(library.build(scaling(3)).module) == 10 ? 0 : 1);
        if (wait_for(child) != 0) return 3;
        return result_of(library.build(scaling(4)).module) == 13 ? 0 : 4;
    }));
    EXPECT_EQ(status, 0);
    given.compiler.limit = 1ms;
    KernelLibrary library(given);
    EXPECT_EQ(library.build(scaling(20)).module, nullptr);
    EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(KernelLibraryTest, ManyKernelsLiveAtOnce) {
    // One compilation, and many objects out of it by another name of the kernel.
    KernelLibrary library(options());
    std::vector<std::shared_ptr<const Module>> modules;
    const CompilerChoice choice = choose_compiler(options().compiler);
    const KernelText text = scaling(2);
    const CompileResult object = choice.compiler->compile({text.source, text.flags});
    ASSERT_TRUE(object) << object.error;
    for (int i = 0; i < 3000; ++i) {
        LoadResult loaded = load_object(object.object);
        ASSERT_NE(loaded.module, nullptr) << loaded.error;
        modules.push_back(std::move(loaded.module));
    }
    for (const auto& module : modules) ASSERT_EQ(result_of(module), 7);
}

TEST_F(KernelLibraryTest, ThreadsCompileAKernelOnce) {
    KernelLibrary library(options());
    std::atomic<int> right{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
        threads.emplace_back([&] { right += result_of(library.build(scaling(5)).module) == 16 ? 1 : 0; });
    }
    threads.clear();
    EXPECT_EQ(right, 6);
    EXPECT_EQ(library.counts().compiled, 1u);
}

TEST_F(KernelLibraryTest, WithoutACompilerCachedKernelsOfAnyCompilerRun) {
    EXPECT_NE(KernelLibrary(options()).build(scaling(2)).module, nullptr);
    KernelLibrary library(options((folder.path / "missing").string()));
    EXPECT_FALSE(library.usable());
    EXPECT_EQ(result_of(library.find(scaling(2)).module), 7);
    EXPECT_TRUE(warnings.empty());
    for (int i = 0; i < 3; ++i) {
        const auto result = library.build(scaling(3));
        EXPECT_EQ(result.module, nullptr);
        EXPECT_NE(result.error.find("XLAZY_CXX"), std::string::npos) << result.error;
    }
    EXPECT_EQ(warnings.size(), 1u);
    EXPECT_NE(library.compiler_state().find("missing"), std::string::npos);
}

// Compilers that fail in every way: no code, one warning, soon not asked again, nothing in the cache, nothing left
// over.
TEST_F(KernelLibraryTest, BadCompilersAreGivenUp) {
    const struct {
        const char* body;
        const char* said;
        unsigned asked;  // at most how often
    } cases[]{
        {"exit 1", "status 1", 3},
        {"echo 'no such option' >&2; exit 4", "no such option", 3},
        {"kill -9 $$", "signal 9", 3},
        {"exit 0", "no object file", 3},
        {"touch kernel.o", "no object file", 3},
        {"echo rubbish > kernel.o", "refused", 3},
        {"mkdir kernel.o", "no object file", 3},
        {"head -c 100000 /dev/zero | tr '\\0' 'x' >&2; exit 1", "status 1", 3},
        {"sleep 60", "did not end", 1},
        {"sleep 60 & sleep 60", "did not end", 1},
        {"trap '' TERM INT HUP; while :; do sleep 60; done", "did not end", 1},
    };
    for (const auto& bad : cases) {
        SCOPED_TRACE(bad.body);
        warnings.clear();
        const fs::path asked = folder.path / "asked";
        fs::remove(asked);
        const std::string program =
            script(folder.path / "bad cc", fmt::format("[ \"$1\" = --version ] && echo 1 && exit\n"
                                                       "echo x >> '{}'\n{}",
                                                       asked.string(), bad.body));
        LibraryOptions given = options(program);
        given.compiler.limit = 500ms;
        KernelLibrary library(given);
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 5; ++i) {
            const auto result = library.build(scaling(i));
            EXPECT_EQ(result.module, nullptr);
            EXPECT_FALSE(result.error.empty());
        }
        EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
        EXPECT_FALSE(library.usable());
        EXPECT_LE(jc::contents(asked).size(), 2 * bad.asked);
        ASSERT_EQ(warnings.size(), 1u);
        EXPECT_NE(warnings[0].find(bad.said), std::string::npos) << warnings[0];
        EXPECT_LT(warnings[0].size(), 1000u);
        EXPECT_TRUE(fs::is_empty(temporaries));
        EXPECT_EQ(library.counts().compiled, 0u);
    }
    KernelLibrary good(options());
    EXPECT_EQ(result_of(good.build(scaling(2)).module), 7) << "nothing is poisoned";
}

TEST_F(KernelLibraryTest, OneBadKernelDoesNotSpoilTheOthers) {
    KernelLibrary library(options());
    KernelText wrong = scaling(2);
    wrong.source += "this is not C\n";
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(library.build(wrong).module, nullptr);
        EXPECT_EQ(result_of(library.build(scaling(10 + i)).module), 3 * (10 + i) + 1);
    }
    EXPECT_TRUE(library.usable());
    EXPECT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("kernel.c:5"), std::string::npos) << "where it is wrong: " << warnings[0];
}

TEST_F(KernelLibraryTest, AHangingVersionDoesNotHoldUpWhoOnlyLooks) {
    KernelLibrary library(options(script(folder.path / "cc", "sleep 60")));
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(library.find(scaling(2)).module, nullptr);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
}

TEST_F(KernelLibraryTest, AReplacedCompilerCompilesAgain) {
    const std::string program = script(folder.path / "cc", "exec gcc \"$@\"");
    EXPECT_NE(KernelLibrary(options(program)).build(scaling(2)).module, nullptr);
    {
        KernelLibrary same(options(program));
        EXPECT_NE(same.build(scaling(2)).module, nullptr);
        EXPECT_EQ(same.counts().loaded, 1u);
        // While the process runs, too.
        script(folder.path / "cc", "[ \"$1\" = --version ] && echo 99 && exit\nexec gcc \"$@\"");
        EXPECT_NE(same.build(scaling(3)).module, nullptr);
        EXPECT_EQ(same.counts().compiled, 1u);
    }
    KernelLibrary replaced(options(program));
    EXPECT_NE(replaced.build(scaling(3)).module, nullptr);
    EXPECT_EQ(replaced.counts().loaded, 1u);
    EXPECT_NE(replaced.build(scaling(2)).module, nullptr);
    EXPECT_EQ(replaced.counts().compiled, 1u);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(KernelLibraryTest, AScriptIsAskedForItsVersionByEveryProcess) {
    const fs::path version = folder.path / "version";
    jc::overwrite(version, "1");
    const std::string program = script(folder.path / "cc", fmt::format("[ \"$1\" = --version ] && cat '{}' && exit\n"
                                                                       "exec gcc \"$@\"",
                                                                       version.string()));
    EXPECT_NE(KernelLibrary(options(program)).build(scaling(2)).module, nullptr);
    jc::overwrite(version, "2");
    KernelLibrary library(options(program));
    EXPECT_EQ(library.find(scaling(2)).module, nullptr);
    EXPECT_NE(library.build(scaling(2)).module, nullptr);
    EXPECT_EQ(library.counts().compiled, 1u);
}

TEST_F(KernelLibraryTest, AWholeEntryThatCannotBeLoadedIsMadeAgain) {
    KernelLibrary(options()).build(scaling(2));
    jc::Cache cache(options().cache);
    jc::Key key{std::string(jc::kKernel), scaling(2).source, {}, scaling(2).isa};
    for (const std::string& flag : scaling(2).flags) key.flags += flag + "\n";
    const jc::Lookup found = cache.find(key, std::nullopt);
    ASSERT_TRUE(found);
    jc::Entry entry = *found.entry;
    entry.object = jc::bytes_of("no object file");
    cache.insert(entry);
    KernelLibrary library(options());
    EXPECT_EQ(library.find(scaling(2)).module, nullptr);
    EXPECT_EQ(result_of(library.build(scaling(2)).module), 7);
    EXPECT_EQ(result_of(KernelLibrary(options()).find(scaling(2)).module), 7);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(KernelLibraryTest, OddPaths) {
    for (const char* const name :
         {"with space", "quote's \"", "\xc3\xa4\xe2\x82\xac", "$(exit 1);`id`", "-o", "%s%n"}) {
        const fs::path odd = folder.path / name;
        fs::create_directories(odd);
        LibraryOptions given = options(script(odd / "c c", "exec gcc \"$@\""));
        given.cache.place.path = (odd / "cache").string();
        given.compiler.temporary_directory = odd.string();
        KernelLibrary library(given);
        const auto result = library.build(scaling(2));
        EXPECT_EQ(result_of(result.module), 7) << name << ": " << result.error;
        EXPECT_EQ(result_of(KernelLibrary(given).build(scaling(2)).module), 7);
    }
    EXPECT_TRUE(warnings.empty()) << warnings.front();
}

// The files of a compiler, its own temporaries included, are below the given directory and gone afterwards.
TEST_F(KernelLibraryTest, TemporariesStayInTheirPlace) {
    const fs::path seen = folder.path / "seen";
    KernelLibrary library(options(script(folder.path / "cc", fmt::format("echo \"$PWD $TMPDIR\" > '{}'\n"
                                                                         "touch \"$TMPDIR/left over\"\nexec gcc \"$@\"",
                                                                         seen.string()))));
    EXPECT_NE(library.build(scaling(2)).module, nullptr);
    const std::string text = jc::contents(seen), place = temporaries.string() + "/xlazy-jit-";
    EXPECT_TRUE(text.starts_with(place)) << text;
    EXPECT_NE(text.find(" " + place), std::string::npos) << text;
    EXPECT_TRUE(fs::is_empty(temporaries));
    LibraryOptions nowhere = options();
    nowhere.compiler.temporary_directory = (folder.path / "nowhere").string();
    nowhere.cache.size_limit = 0;
    EXPECT_NE(KernelLibrary(nowhere).build(scaling(2)).error.find("temporary directory"), std::string::npos);
}

TEST_F(KernelLibraryTest, CompilingCanBeStopped) {
    const std::string program = script(folder.path / "cc", fmt::format("[ \"$1\" = --version ] && exit\n"
                                                                       "echo $$ > '{}/child'\nsleep 60",
                                                                       folder.path.string()));
    KernelLibrary library(options(program));
    std::jthread builder([&](std::stop_token stop) { EXPECT_EQ(library.build(scaling(2), stop).module, nullptr); });
    while (jc::contents(folder.path / "child").empty()) std::this_thread::sleep_for(1ms);
    const pid_t child = std::stoi(jc::contents(folder.path / "child"));
    const auto start = std::chrono::steady_clock::now();
    builder.request_stop();
    builder.join();
    EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
    EXPECT_EQ(kill(child, 0), -1) << "the compiler is gone";
    EXPECT_TRUE(fs::is_empty(temporaries));
    EXPECT_TRUE(warnings.empty());
    EXPECT_TRUE(library.usable());
}

// Each in a process of its own, since it changes what belongs to the whole process.
TEST_F(KernelLibraryTest, ProcessesThatAreSetUpInUnusualWays) {
    const struct {
        const char* what;
        void (*prepare)();
    } cases[]{
        {"SIGCHLD is ignored", [] { signal(SIGCHLD, SIG_IGN); }},
        {"every signal is blocked",
         [] {
             sigset_t all;
             sigfillset(&all);
             sigprocmask(SIG_SETMASK, &all, nullptr);
         }},
        {"standard descriptors are closed",
         [] {
             for (int number = 0; number < 3; ++number) close(number);
         }},
        {"many descriptors are open",
         [] {
             for (int i = 0; i < 500; ++i) static_cast<void>(dup(0));
         }},
        {"the locale is another one", [] { setenv("LC_ALL", "de_DE.UTF-8", 1); }},
        {"compilers are led astray by variables",
         [] {
             setenv("CCC_OVERRIDE_OPTIONS", "+-fnonsense", 1);
             setenv("DEPENDENCIES_OUTPUT", "/nowhere/deps", 1);
             setenv("LD_PRELOAD", "/nowhere/library.so", 1);
         }},
        {"the present directory is gone",
         [] {
             const std::string gone = fs::temp_directory_path() / fmt::format("gone-{}", getpid());
             fs::create_directories(gone);
             fs::current_path(gone);
             fs::remove(gone);
         }},
    };
    for (const auto& unusual : cases) {
        SCOPED_TRACE(unusual.what);
        LibraryOptions given = options();
        given.cache.place.path = (folder.path / unusual.what).string();
        const pid_t child = start_process([&] {
            unusual.prepare();
            KernelLibrary library(given);
            const double result = result_of(library.build(scaling(2)).module);
            return result == 7 && library.counts().compiled == 1 ? 0 : 1;
        });
        EXPECT_EQ(wait_for(child), 0);
        EXPECT_TRUE(fs::is_empty(temporaries));
    }
}

// Entries are read, their code lives in memory of its own.
TEST_F(KernelLibraryTest, DirectoriesWithoutExecution) {
    XLAZY_EXPECT_CHILD([&] {
        const std::string mounted = folder / "noexec";
        if (!jc::own_mounts() || !jc::mount_small(mounted, "size=1m", MS_NOEXEC)) return jc::kNotPossible;
        LibraryOptions given = options();
        given.cache.place.path = mounted + "/cache";
        given.compiler.temporary_directory = mounted;
        if (result_of(KernelLibrary(given).build(scaling(2)).module) != 7) return 1;
        KernelLibrary library(given);
        if (result_of(library.find(scaling(2)).module) != 7) return 2;
        return library.counts().loaded == 1 && warnings.empty() ? 0 : 3;
    });
}

TEST_F(KernelLibraryTest, FullDisksAndLimits) {
    XLAZY_EXPECT_CHILD([&] {
        const std::string mounted = folder / "full";
        if (!jc::own_mounts() || !jc::mount_small(mounted, "size=16k")) return jc::kNotPossible;
        LibraryOptions given = options();
        given.cache.place.path = mounted + "/cache";
        KernelLibrary library(given);
        for (int i = 0; i < 8; ++i) {
            if (result_of(library.build(scaling(i)).module) != 3 * i + 1) return 1;
        }
        if (warnings.size() != 1 || library.counts().compiled != 8) return 2;
        // The compiler has no room either.
        given.compiler.temporary_directory = mounted;
        given.cache.place.path = folder / "cache";
        if (KernelLibrary(given).build(scaling(20)).module != nullptr) return 3;
        return warnings.size() == 2 ? 0 : 4;
    });
}

TEST_F(KernelLibraryTest, EightColdProcessesCompileAKernelOnce) {
    const std::string program = script(folder.path / "cc", fmt::format("[ \"$1\" = --version ] && echo 1 && exit\n"
                                                                       "echo x >> '{}/compiled'\nexec gcc \"$@\"",
                                                                       folder.path.string()));
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
        children.push_back(start_process([&] {
            KernelLibrary library(options(program));
            for (const int factor : {2, 3}) {
                if (result_of(library.build(scaling(factor)).module) != 3 * factor + 1) return 1;
            }
            return warnings.empty() ? 0 : 2;
        }));
    }
    for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
    EXPECT_EQ(jc::contents(folder.path / "compiled").size(), 4u);
    EXPECT_EQ(jc::debris(folder.path / "cache"), 0u);
    EXPECT_TRUE(fs::is_empty(temporaries));
}

/// Does a process have the folder among its arguments: a compiler that outlived who started it?
bool is_named_by_a_process(const fs::path& folder) {
    for (const auto& item : fs::directory_iterator("/proc")) {
        std::ifstream file(item.path() / "cmdline", std::ios::binary);
        const std::string line{std::istreambuf_iterator<char>(file), {}};
        if (line.find(folder.string()) != std::string::npos) return true;
    }
    return false;
}

TEST_F(KernelLibraryTest, WhoIsKilledWhileItCompilesLeavesNothingForLong) {
    const char* const chosen = std::getenv("XLAZY_TEST_ROUNDS");
    const int rounds = chosen != nullptr ? std::atoi(chosen) : 5;
    for (int round = 0; round < rounds; ++round) {
        const pid_t child = start_process([&] {
            KernelLibrary library(options());
            for (int i = 0;; ++i) library.build(scaling(1000 * round + i));
            return 0;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(20 + 13 * (round % 17)));
        kill(child, SIGKILL);
        wait_for(child);
        const auto directory = jc::Directory::open((folder.path / "cache").string(), true).directory;
        ASSERT_NE(directory, nullptr);
        for (const auto& item : directory->list()) {
            EXPECT_EQ(directory->read(item.name).status, jc::Directory::Status::ok);
        }
    }
    // The next process removes folders whose owner is dead, once they are not young any more.
    for (int i = 0; i < 600 && is_named_by_a_process(temporaries); ++i) std::this_thread::sleep_for(50ms);
    for (const auto& item : fs::directory_iterator(temporaries)) {
        fs::last_write_time(item.path(), fs::file_time_type::clock::now() - 100s);
    }
    const pid_t next =
        start_process([&] { return result_of(KernelLibrary(options()).build(scaling(-1)).module) == -2 ? 0 : 1; });
    EXPECT_EQ(wait_for(next), 0);
    EXPECT_TRUE(fs::is_empty(temporaries));
}

}  // namespace
}  // namespace xlazy::be::jit
