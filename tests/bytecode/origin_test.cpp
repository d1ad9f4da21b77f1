// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/bytecode/origin.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace xlazy::bc {
namespace {

TEST(Origins, EqualTextsAreOneOrigin) {
    static const char here[] = "somewhere/a.cpp";
    static const char there[] = "somewhere/a.cpp";
    const OriginId id = intern_origin(here, 12, "f");
    EXPECT_NE(id, 0u);
    EXPECT_EQ(intern_origin(there, 12, "f"), id);
    EXPECT_EQ(intern_origin_copy("somewhere/a.cpp", 12, "f"), id);
    EXPECT_NE(intern_origin(here, 13, "f"), id);
    EXPECT_NE(intern_origin(here, 12, "g"), id);
    EXPECT_NE(intern_origin(here, 12), id);
    EXPECT_EQ(intern_origin(here, 12, ""), intern_origin(here, 12));
    EXPECT_STREQ(origin(id).file, here);
    EXPECT_EQ(origin(id).line, 12u);
    EXPECT_STREQ(origin(id).function, "f");
    EXPECT_EQ(origin(intern_origin(here, 12)).function, nullptr);
    EXPECT_EQ(to_string(id), "somewhere/a.cpp:12");
}

TEST(Origins, NoOriginAndUnknownIds) {
    EXPECT_STREQ(origin(0).file, "?");
    EXPECT_EQ(to_string(0), "unknown place");
    EXPECT_STREQ(origin(~0u).file, "?");
    EXPECT_EQ(to_string(intern_origin(nullptr, 0)), "");
    EXPECT_EQ(to_string(intern_origin("no line", 0)), "no line");
}

TEST(Origins, TextsAreCopied) {
    std::string file = "vanishing.cpp";
    const OriginId id = intern_origin_copy(file, 1, "h");
    file.assign(file.size(), '#');
    EXPECT_STREQ(origin(id).file, "vanishing.cpp");
}

TEST(Origins, ManyLinesKeepTheirIds) {
    static const char file[] = "many.cpp";
    std::vector<OriginId> ids;
    for (std::uint32_t line = 1; line <= 20000; ++line) ids.push_back(intern_origin(file, line));
    for (std::uint32_t line = 1; line <= 20000; ++line) {
        ASSERT_EQ(origin(ids[line - 1]).line, line);
        ASSERT_EQ(intern_origin(file, line), ids[line - 1]);
    }
}

TEST(Origins, ThreadsAgree) {
    static const char file[] = "threads.cpp";
    constexpr std::uint32_t kLines = 3000;
    std::vector<std::vector<OriginId>> ids(4, std::vector<OriginId>(kLines));
    std::atomic<int> waiting{4};
    std::vector<std::thread> threads;
    for (auto& mine : ids) {
        threads.emplace_back([&mine, &waiting] {
            --waiting;
            while (waiting != 0) std::this_thread::yield();
            for (std::uint32_t line = 0; line < kLines; ++line) {
                mine[line] = intern_origin(file, line);
                if (origin(mine[line]).line != line) mine[line] = 0;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& mine : ids) EXPECT_EQ(mine, ids[0]);
}

TEST(Origins, ForkedChildInternsWhileAnotherThreadDid) {
    static const char file[] = "forked.cpp";
    std::atomic<bool> stop{false};
    std::thread busy([&] {
        for (std::uint32_t line = 1; !stop; ++line) intern_origin_copy(file, line % 100000, "busy");
    });
    int failed = 0;
    for (int i = 0; i < 50; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            _exit(intern_origin_copy(file, 200000, "child") != 0 ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        failed += status != 0;
    }
    stop = true;
    busy.join();
    EXPECT_EQ(failed, 0);
}

/// As when a shared object is unloaded and another one comes to lie in its place.
TEST(Origins, AnotherTextAtTheSameAddress) {
    char file[] = "unloaded_a.cpp", function[] = "first";
    const OriginId before = intern_origin(file, 7, function);
    EXPECT_EQ(intern_origin(file, 7, function), before);
    file[9] = 'b';
    const OriginId after = intern_origin(file, 7, function);
    EXPECT_NE(after, before);
    EXPECT_EQ(to_string(before), "unloaded_a.cpp:7");
    EXPECT_EQ(to_string(after), "unloaded_b.cpp:7");
    function[0] = 'F';
    EXPECT_STREQ(origin(intern_origin(file, 7, function)).function, "First");
    EXPECT_STREQ(origin(after).function, "first");
}

}  // namespace
}  // namespace xlazy::bc
