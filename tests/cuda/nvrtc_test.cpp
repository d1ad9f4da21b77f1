// SPDX-License-Identifier: BSD-3-Clause
// NVRTC takes the generated code, without a warning, and no thread needs more registers than there are. Nothing is run.
#include "cuda/api.hpp"
#include "cuda/kernels.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace xlazy::test {
namespace {

/// What fetch_nvrtc.py has put into the build folder is found by its name afterwards.
const be::cuda::Nvrtc& compiler() {
    static const bool opened = [] {
        for (const char* name : {"/libnvrtc-builtins.so.12.9", "/libnvrtc.so.12"})
            ::dlopen((XLAZY_NVRTC_FOLDER + std::string(name)).c_str(), RTLD_NOW);
        return true;
    }();
    static_cast<void>(opened);
    return be::cuda::nvrtc();
}

#define SKIP_WITHOUT_NVRTC() \
    if (!compiler().problem.empty()) GTEST_SKIP() << compiler().problem << "; tests/cuda/fetch_nvrtc.py fetches it"

/// Lines of the compiler's log that are no information.
std::string complaints(const std::string& log) {
    std::istringstream lines(log);
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        if (line.find("warning") != std::string::npos || line.find("error") != std::string::npos) text += line + "\n";
    }
    return text;
}

struct Spills {
    int kernels = 0;
    std::string spilling;  ///< names
};
/// From what ptxas says of each function.
Spills spills(const std::string& log) {
    std::istringstream lines(log);
    Spills result;
    std::string name;
    for (std::string line; std::getline(lines, line);) {
        constexpr std::string_view kEntry = "Compiling entry function '";
        if (const std::size_t at = line.find(kEntry); at != std::string::npos) {
            const std::size_t begin = at + kEntry.size();
            name = line.substr(begin, line.find('\'', begin) - begin);
            ++result.kernels;
        }
        if (line.find("spill stores") != std::string::npos &&
            line.find(" 0 bytes spill stores, 0 bytes") == std::string::npos)
            result.spilling += name + ": " + line + "\n";
    }
    return result;
}

void expect_code(const be::CudaUnit& unit, int major, int minor) {
    const be::cuda::Target target = be::cuda::target_for(be::cuda::known_architectures(), major, minor);
    const be::cuda::Compiled made = be::cuda::compile(unit.text(), target, {"--ptxas-options=-v"});
    EXPECT_EQ(made.error, "");
    EXPECT_GT(made.object.size(), 0u);
    EXPECT_EQ(complaints(made.log), "");
    if (target.binary) {
        EXPECT_GT(spills(made.log).kernels, 0);
    }
    EXPECT_EQ(spills(made.log).spilling, "");
}

TEST(Nvrtc, EveryOpAndType) {
    SKIP_WITHOUT_NVRTC();
    be::CudaUnit unit;
    EXPECT_GT(op_cases(unit, {0}).size(), 500u);
    expect_code(unit, 9, 0);
}

TEST(Nvrtc, RandomKernels) {
    SKIP_WITHOUT_NVRTC();
    be::CudaUnit unit;
    EXPECT_GT(random_cases(unit, 5000, 100).size(), 30u);
    expect_code(unit, 9, 0);
}

TEST(Nvrtc, OtherArchitectures) {
    SKIP_WITHOUT_NVRTC();
    be::CudaUnit unit;
    EXPECT_GT(random_cases(unit, 6000, 20).size(), 5u);
    const std::vector<int> known = be::cuda::known_architectures();
    for (const int architecture : {75, 80, 100, 120}) {
        if (std::ranges::find(known, architecture) == known.end()) continue;
        SCOPED_TRACE(architecture);
        expect_code(unit, architecture / 10, architecture % 10);
    }
}

TEST(Nvrtc, ADeviceThatIsNewerGetsTextForTheDriver) {
    using be::cuda::target_for;
    EXPECT_EQ(target_for({75, 80, 90}, 9, 0).flag, "sm_90");
    EXPECT_TRUE(target_for({75, 80, 90}, 9, 0).binary);
    EXPECT_EQ(target_for({75, 80, 90}, 12, 1).flag, "compute_90");
    EXPECT_FALSE(target_for({75, 80, 90}, 12, 1).binary);
    EXPECT_EQ(target_for({75, 80, 90}, 8, 6).flag, "compute_80");
    EXPECT_EQ(target_for({75, 80, 90}, 7, 0).flag, "");
    SKIP_WITHOUT_NVRTC();
    be::CudaUnit unit;
    random_cases(unit, 6000, 5);
    const be::cuda::Compiled made = be::cuda::compile(unit.text(), {"compute_80", false});
    EXPECT_EQ(made.error, "");
    const std::string text(reinterpret_cast<const char*>(made.object.data()), made.object.size());
    EXPECT_NE(text.find(".target sm_80"), std::string::npos);
}

/// A sum of two arrays, a polynomial, a full sum: dense operands are moved 16 bytes at a time, and nothing is fused
/// that the CPU rounds twice.
TEST(Nvrtc, VectorsAreMovedWhole) {
    SKIP_WITHOUT_NVRTC();
    TestKernel kernel({100000});
    const std::uint32_t a = kernel.base(DType::f64, 100000), b = kernel.base(DType::f64, 100000);
    const bc::ValueId x = kernel.load(kernel.dense(a, {100000}));
    const bc::ValueId product = kernel.compute(Op::mul, DType::f64, {x, x});
    kernel.store(kernel.dense(b, {100000}), kernel.compute(Op::add, DType::f64, {product, x}));
    be::CudaUnit unit;
    ASSERT_TRUE(add(unit, {std::move(kernel), "polynomial"}));
    const be::cuda::Compiled made = be::cuda::compile(unit.text(), {"compute_90", false});
    EXPECT_EQ(made.error, "");
    const std::string text(reinterpret_cast<const char*>(made.object.data()), made.object.size());
    EXPECT_NE(text.find("ld.global.v2.f64"), std::string::npos);
    EXPECT_NE(text.find("st.global.v2.f64"), std::string::npos);
    EXPECT_EQ(text.find("fma.rn.f64"), std::string::npos);
}

}  // namespace
}  // namespace xlazy::test
