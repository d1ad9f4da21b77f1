// SPDX-License-Identifier: BSD-3-Clause
// Whole programs on a pretended device: they print what they print on the CPU, copy no more than they must, give all
// memory back, and survive every driver call that fails.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Result {
    int status = -1;  ///< as a shell has it
    std::string output;
    std::map<std::string, int> calls;
    std::string last_line;  ///< of the log
};

const std::string& folder() {
    static const std::string path = [] {
        std::string name = (std::filesystem::temp_directory_path() / "xlazy-cuda-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
        return name;
    }();
    return path;
}

Result run(const std::string& program, const std::string& variables) {
    const std::string log = folder() + "/log";
    std::filesystem::remove(log);
    const std::string command = fmt::format("FAKE_CUDA_LOG={} XLAZY_CACHE_DIR={}/cache {} timeout 100 {} {} 2>&1", log,
                                            folder(), variables, XLAZY_CUDA_PROGRAM, program);
    Result result;
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    char text[4096];
    while (const std::size_t n = std::fread(text, 1, sizeof text, pipe)) result.output.append(text, n);
    result.status = WEXITSTATUS(::pclose(pipe));
    std::ifstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        ++result.calls[line.substr(0, line.find(' '))];
        result.last_line = line;
    }
    return result;
}

const std::string kPretended = "LD_LIBRARY_PATH=" XLAZY_CUDA_FAKE " XLAZY_BACKEND=cuda XLAZY_JIT=block ";

std::string on_cpu(const std::string& program) { return run(program, "XLAZY_BACKEND=openmp XLAZY_JIT=off").output; }

class OnPretendedDevice : public testing::TestWithParam<const char*> {};

TEST_P(OnPretendedDevice, PrintsWhatTheCpuPrints) {
    const Result result = run(GetParam(), kPretended);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output, on_cpu(GetParam()));
    EXPECT_GT(result.calls.at("cuLaunchKernel"), 0);
    EXPECT_EQ(result.last_line, "end 0") << "device memory that was not given back";
}

INSTANTIATE_TEST_SUITE_P(Programs, OnPretendedDevice,
                         testing::Values("steps", "sums", "stencil", "host_writes", "division", "forks", "large"),
                         [](const auto& each) { return std::string(each.param); });

TEST(Residency, ValuesStayOnTheDevice) {
    const Result result = run("steps", kPretended);
    EXPECT_EQ(result.calls.count("cuMemcpyHtoDAsync"), 0u);  // they are made there
    EXPECT_EQ(result.calls.at("cuMemcpyDtoHAsync"), 2);      // and printed at the end
    EXPECT_EQ(result.calls.at("cuLaunchKernel"), 6);
}

TEST(Residency, WhatHasNoRoomGoesToTheHost) {
    const std::string expected = on_cpu("large");
    const Result result = run("large", kPretended + "FAKE_CUDA_MEMORY=1000000");
    EXPECT_EQ(result.output, expected);
    EXPECT_EQ(result.last_line, "end 0");
    const Result none = run("large", kPretended + "FAKE_CUDA_MEMORY=1000");
    EXPECT_EQ(none.output, expected);
    EXPECT_EQ(none.calls.count("cuLaunchKernel"), 0u);
}

TEST(Absent, CudaThatWasAskedForIsAnError) {
    const Result result = run("steps", "XLAZY_BACKEND=cuda");
    EXPECT_NE(result.output.find("main.cpp:"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("no driver: libcuda.so.1 is not found"), std::string::npos) << result.output;
}

TEST(Absent, OtherwiseTheCpuIsTaken) {
    EXPECT_EQ(run("steps", "XLAZY_BACKEND=auto").output, on_cpu("steps"));
    const Result broken =
        run("steps", "LD_LIBRARY_PATH=" XLAZY_CUDA_FAKE " XLAZY_BACKEND=auto FAKE_CUDA_FAIL=cuInit:1:100");
    EXPECT_EQ(broken.output,
              "xlazy: the GPU is not used: the driver cannot be used: cuInit: pretended\n" + on_cpu("steps"));
    const Result wrong = run("steps", kPretended + "XLAZY_DEVICE=3");
    EXPECT_NE(wrong.output.find("XLAZY_DEVICE is 3, but there is 1 device"), std::string::npos) << wrong.output;
}

TEST(Absent, SmallArraysStayOnTheHost) {
    const Result result = run("steps", "LD_LIBRARY_PATH=" XLAZY_CUDA_FAKE " XLAZY_BACKEND=auto XLAZY_JIT=block");
    EXPECT_EQ(result.output, on_cpu("steps"));
    EXPECT_EQ(result.calls.count("cuLaunchKernel"), 0u);
}

std::string without_warnings(const std::string& output) {
    std::istringstream lines(output);
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("xlazy: ")) text += line + "\n";
    }
    return text;
}

/// An option that a compiler does not know is found among those that it was given, and so is the compiler's version.
TEST(Absent, ACompilationThatFailsNamesCompilerAndOptions) {
    const Result result = run("steps", kPretended + "FAKE_CUDA_FAIL=nvrtcCompileProgram:1:5");
    EXPECT_EQ(without_warnings(result.output), on_cpu("steps"));
    for (const char* const part : {"nvrtc 12.99", "--fmad=false", "--std=c++20", "-arch=sm_", "error 5"})
        EXPECT_NE(result.output.find(part), std::string::npos) << part << " is not in:\n" << result.output;
}

/// Every call that a program makes fails once, in several ways.
class FailingCall : public testing::TestWithParam<const char*> {};

TEST_P(FailingCall, GivesTheValuesOrAnErrorWithItsLine) {
    const std::string call = GetParam();
    for (const char* const program : {"steps", "division", "stencil"}) {
        const std::string expected = on_cpu(program);
        const Result whole = run(program, kPretended);
        const auto calls = whole.calls.find(call);
        const int count = calls == whole.calls.end() ? 0 : calls->second;
        for (const int number : {1, 2, count}) {
            for (const int code : {1, 2, 700}) {
                if (number > count) continue;
                const Result result =
                    run(program, fmt::format("{}FAKE_CUDA_FAIL={}:{}:{}", kPretended, call, number, code));
                const std::string what = fmt::format("{}: {} number {} of {} gives {}:\n{}", program, call, number,
                                                     count, code, result.output);
                EXPECT_EQ(result.status, 0) << what;
                const std::string printed = without_warnings(result.output);
                const bool has_line = result.output.find("main.cpp:") != std::string::npos;
                EXPECT_TRUE(printed == expected || has_line) << what;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Driver, FailingCall,
                         testing::Values("cuInit", "cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet",
                                         "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
                                         "cuStreamCreate", "cuStreamSynchronize", "cuDeviceGetDefaultMemPool",
                                         "cuMemPoolSetAttribute", "cuMemAllocAsync", "cuMemFreeAsync",
                                         "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuModuleLoadData",
                                         "cuModuleGetFunction", "cuLaunchKernel", "nvrtcVersion", "nvrtcCreateProgram",
                                         "nvrtcCompileProgram", "nvrtcGetCUBINSize", "nvrtcGetCUBIN"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
