// SPDX-License-Identifier: BSD-3-Clause
// Many processes and one directory.
#include "jit-cache/support.hpp"

#include <fcntl.h>

#include <fmt/core.h>

#include <random>
#include <set>
#include <thread>
#include <vector>

namespace xlazy::jc {
namespace {

class ProcessesTest : public testing::Test {
protected:
    Options options() const {
        Options result;
        result.place = {path.string(), "the test"};
        return result;
    }
    /// Appends a line that no other process's line runs into.
    void log(std::string_view line) const {
        const Descriptor file(open((folder / "log").c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600));
        const std::string text = fmt::format("{}\n", line);
        static_cast<void>(!write(file.number(), text.data(), text.size()));
    }
    /// One process of several: asks for all kernels. @return 0: they were right
    int use(int kernels, std::chrono::milliseconds making) const {
        Cache cache(options());
        for (int kernel = 0; kernel < kernels; ++kernel) {
            const std::string source = fmt::format("kernel {}", kernel);
            const Lookup lookup = cache.find_or_make(key_of(source), "gcc", [&]() -> std::optional<Made> {
                log(source);
                std::this_thread::sleep_for(making);
                return Made{bytes_of("object of " + source), "gcc"};
            });
            if (!lookup || lookup.entry->object != bytes_of("object of " + source)) return 1;
        }
        return 0;
    }

    /// Rounds in which processes are killed; all of them with XLAZY_TEST_ROUNDS=100.
    static int rounds() {
        const char* const chosen = std::getenv("XLAZY_TEST_ROUNDS");
        return chosen != nullptr ? std::atoi(chosen) : 10;
    }

    Folder folder;
    fs::path path = folder / "cache";
};

TEST_F(ProcessesTest, EightColdProcessesMakeEachKernelOnce) {
    for (int round = 0; round < rounds(); ++round) {
        std::vector<pid_t> children;
        for (int i = 0; i < 8; ++i) children.push_back(start_process([&] { return use(5, 5ms); }));
        for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
        std::multiset<std::string> made;
        std::ifstream lines(folder / "log");
        for (std::string line; std::getline(lines, line);) made.insert(line);
        EXPECT_EQ(made.size(), 5u) << "round " << round;
        EXPECT_EQ(debris(path), 0u);
        fs::remove_all(path);
        fs::remove(folder / "log");
    }
}

TEST_F(ProcessesTest, WhoeverIsKilledTheCacheVerifies) {
    std::mt19937 random(7);
    const auto directory = open_new(path.string());
    for (int round = 0; round < rounds(); ++round) {
        // Makes and publishes entries of all sizes as fast as it can.
        const pid_t child = start_process([&] {
            Cache cache(options());
            for (int i = 0;; ++i) {
                const std::string source = fmt::format("round {} kernel {}", round, i);
                cache.find_or_make(key_of(source), "gcc", [&]() -> std::optional<Made> {
                    return Made{Bytes(static_cast<std::size_t>(i % 50) * 3000, std::byte{1}), "gcc"};
                });
            }
            return 0;
        });
        std::this_thread::sleep_for(std::chrono::microseconds(500 + random() % 20'000));
        kill(child, SIGKILL);
        EXPECT_EQ(wait_for(child), -SIGKILL);
        for (const auto& item : directory->list()) {
            const auto read = directory->read(item.name);
            EXPECT_EQ(read.status, Directory::Status::ok) << read.why;
        }
        // The lock is free, so the next one does not wait; what was half-written goes.
        Cache cache(options());
        const auto start = std::chrono::steady_clock::now();
        EXPECT_TRUE(
            cache.find_or_make(key_of(fmt::format("round {} after", round)), "gcc", []() -> std::optional<Made> {
                return Made{bytes_of("object"), "gcc"};
            }));
        EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
        directory->sweep(0s);
        EXPECT_EQ(debris(path), 0u);
    }
    EXPECT_GT(directory->list().size(), 0u);
}

TEST_F(ProcessesTest, OneKilledWhileItMakesIsReplacedByTheNext) {
    for (int round = 0; round < rounds(); ++round) {
        const pid_t stuck = start_process([&] { return use(1, 60'000ms); });
        while (!fs::exists(folder / "log")) std::this_thread::sleep_for(1ms);
        const pid_t waiting = start_process([&] { return use(1, 0ms); });
        std::this_thread::sleep_for(5ms);
        kill(stuck, SIGKILL);
        EXPECT_EQ(wait_for(stuck), -SIGKILL);
        EXPECT_EQ(wait_for(waiting), 0);
        fs::remove(folder / "log");
        fs::remove_all(path);
    }
}

TEST_F(ProcessesTest, AStoppedMakerIsNotWaitedForForEver) {
    const pid_t stopped = start_process([&] { return use(1, 60'000ms); });
    while (!fs::exists(folder / "log")) std::this_thread::sleep_for(1ms);
    kill(stopped, SIGSTOP);
    Options impatient = options();
    impatient.wait_limit = 100ms;
    Cache cache(impatient);
    EXPECT_TRUE(cache.find_or_make(key_of("kernel 0"), "gcc", []() -> std::optional<Made> {
        return Made{bytes_of("object"), "gcc"};
    }));
    kill(stopped, SIGKILL);
    wait_for(stopped);
}

}  // namespace
}  // namespace xlazy::jc
