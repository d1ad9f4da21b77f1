// SPDX-License-Identifier: BSD-3-Clause
#include "free_memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace {

using xlazy::rt::free_memory;

/// A folder with the files that the kernel would show.
class FreeMemory : public testing::Test {
protected:
    // Of this process: tests may run side by side.
    std::string root = testing::TempDir() + "xlazy_free_memory" + std::to_string(::getpid());

    FreeMemory() { std::filesystem::remove_all(root); }
    ~FreeMemory() override { std::filesystem::remove_all(root); }

    void write(const std::string& name, const std::string& text) const {
        const std::filesystem::path file = root + name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
};

TEST_F(FreeMemory, OfThisMachine) {
    const std::uint64_t bytes = free_memory("");
    EXPECT_GT(bytes, std::uint64_t{16} << 20);
    EXPECT_LT(bytes, std::uint64_t{1} << 50);
}

TEST_F(FreeMemory, NothingKnown) { EXPECT_EQ(free_memory(root), 0u); }

TEST_F(FreeMemory, TheMachines) {
    write("/proc/meminfo", "MemTotal: 2000 kB\nMemFree: 10 kB\nMemAvailable:    1000 kB\n");
    EXPECT_EQ(free_memory(root), 1000u * 1024);
    write("/proc/self/cgroup", "0::/\n");
    write("/sys/fs/cgroup/memory.max", "max\n");
    write("/sys/fs/cgroup/memory.current", "5000\n");
    EXPECT_EQ(free_memory(root), 1000u * 1024);
}

TEST_F(FreeMemory, TheLeastOfAllGroups) {
    write("/proc/meminfo", "MemAvailable: 1000 kB\n");
    write("/proc/self/cgroup", "0::/slice/job\n");
    write("/sys/fs/cgroup/slice/job/memory.max", "600000\n");
    write("/sys/fs/cgroup/slice/job/memory.current", "100000\n");
    EXPECT_EQ(free_memory(root), 500000u);
    write("/sys/fs/cgroup/slice/job/memory.stat", "anon 1\ninactive_file 40000\nfile 2\n");
    EXPECT_EQ(free_memory(root), 540000u);
    write("/sys/fs/cgroup/slice/memory.max", "300000\n");
    write("/sys/fs/cgroup/slice/memory.current", "290000\n");
    EXPECT_EQ(free_memory(root), 10000u);
    write("/sys/fs/cgroup/slice/memory.current", "310000\n");
    EXPECT_EQ(free_memory(root), 0u);
}

TEST_F(FreeMemory, GroupsOfVersionOne) {
    write("/proc/meminfo", "MemAvailable: 1000 kB\n");
    write("/proc/self/cgroup", "9:cpu,cpuacct:/a\n4:blkio,memory:/docker/x\n0::/\n");
    // Inside a container the named group is not there; the root of the mount is the container's own.
    write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "700000\n");
    write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "200000\n");
    write("/sys/fs/cgroup/memory/memory.stat", "total_inactive_file 1000\n");
    EXPECT_EQ(free_memory(root), 501000u);
}

}  // namespace
