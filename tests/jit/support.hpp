// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "jit-cache/support.hpp"
#include "jit/kernel_library.hpp"

#include <fmt/core.h>

#include <string>
#include <vector>

namespace xlazy::be::jit {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using jc::Folder;
using jc::start_process;
using jc::wait_for;

/// A shell script that plays a compiler.
inline std::string script(const fs::path& path, const std::string& body) {
    jc::overwrite(path, "#!/bin/sh\n" + body + "\n");
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
}

inline const std::vector<std::string>& usual_flags() {
    static const std::vector<std::string> flags{"-x", "c", "-O2", "-fPIC", "-fno-builtin"};
    return flags;
}

/// p[i] = factor * p[i] + exp(0)
inline KernelText scaling(int factor) {
    return {fmt::format("extern double exp(double);\n"
                        "void kernel(double* p, long n) {{\n"
                        "    for (long i = 0; i < n; ++i) p[i] = {} * p[i] + exp(0.0);\n"
                        "}}\n",
                        factor),
            usual_flags(), "x86-64"};
}

/// What the kernel of scaling(factor) makes of 3.
inline double result_of(const std::shared_ptr<const Module>& module) {
    if (module == nullptr) return -1;
    auto* const kernel = module->function<void(double*, long)>("kernel");
    double values[3] = {1, 2, 3};
    if (kernel != nullptr) kernel(values, 3);
    return values[2];
}

class LibraryTest : public testing::Test {
protected:
    LibraryTest() { fs::create_directories(temporaries); }

    LibraryOptions options(const std::string& program = {}) {
        LibraryOptions result;
        result.cache.place = {(folder.path / "cache").string(), "the test"};
        result.compiler.temporary_directory = temporaries.string();
        result.compiler.program = program;
        result.warn = [this](const std::string& text) { warnings.push_back(text); };
        return result;
    }

    Folder folder;
    fs::path temporaries = folder.path / "tmp";
    std::vector<std::string> warnings;
};

}  // namespace xlazy::be::jit
