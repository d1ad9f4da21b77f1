// SPDX-License-Identifier: BSD-3-Clause
// From source text to code that runs, with real compilers.
#include "jit/kernel_library.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace xlazy::be::jit {
namespace {

namespace fs = std::filesystem;

struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "kernel-library-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path); }
};

class KernelLibraryTest : public testing::Test {
protected:
    LibraryOptions options() {
        LibraryOptions result;
        result.cache.place = {(folder.path / "cache").string(), "the test"};
        result.compiler.temporary_directory = (folder.path / "tmp").string();
        fs::create_directories(folder.path / "tmp");
        result.warn = [this](const std::string& text) { warnings.push_back(text); };
        return result;
    }
    static KernelText text(int factor) {
        return {fmt::format("extern double exp(double);\n"
                            "void kernel(double* p, long n) {{\n"
                            "    for (long i = 0; i < n; ++i) p[i] = {} * p[i] + exp(0.0);\n}}\n",
                            factor),
                {"-x", "c", "-O2", "-fPIC", "-fno-builtin"},
                "x86-64"};
    }
    static double run(const Module& module) {
        auto* const kernel = module.function<void(double*, long)>("kernel");
        double values[3] = {1, 2, 3};
        if (kernel != nullptr) kernel(values, 3);
        return values[2];
    }

    Folder folder;
    std::vector<std::string> warnings;
};

TEST_F(KernelLibraryTest, CompilesOnceAndLoadsFromDisk) {
    {
        KernelLibrary library(options());
        EXPECT_EQ(library.find(text(2)).module, nullptr);
        const auto built = library.build(text(2));
        ASSERT_NE(built.module, nullptr) << built.error;
        EXPECT_EQ(run(*built.module), 7.0);
        EXPECT_EQ(library.find(text(2)).module, built.module);
        EXPECT_EQ(library.counts().compiled, 1u);
    }
    KernelLibrary library(options());
    const auto found = library.find(text(2));
    ASSERT_NE(found.module, nullptr) << found.error;
    EXPECT_EQ(run(*found.module), 7.0);
    EXPECT_EQ(library.find(text(3)).module, nullptr);
    EXPECT_EQ(library.counts().compiled, 0u);
    EXPECT_EQ(library.counts().loaded, 1u);
    EXPECT_TRUE(warnings.empty());
    EXPECT_TRUE(fs::is_empty(folder.path / "tmp"));
}

}  // namespace
}  // namespace xlazy::be::jit
