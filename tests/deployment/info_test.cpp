// SPDX-License-Identifier: BSD-3-Clause
// The program xlazy-info.
#include "jit-cache/support.hpp"
#include "runtime/command.hpp"

#include <fmt/core.h>

#include <regex>

namespace {

using test::Result;
using xlazy::jc::Folder;

class Info : public testing::Test {
protected:
    Result run(const std::string& variables, const std::string& arguments = {}) const {
        return test::run_command(fmt::format("{} {}", XLAZY_INFO, arguments),
                                 fmt::format("env -u XLAZY_CXX XLAZY_CACHE_DIR='{}' {}", folder / "cache", variables));
    }
    Folder folder;
};

TEST_F(Info, TellsWhatThereIs) {
    const Result result = run("XLAZY_NUM_THREADS=3");
    EXPECT_EQ(result.status, 0) << result.output;
    for (const char* const part : {"isa", "threads     3 (by XLAZY_NUM_THREADS)", "openmp", "compiler",
                                   "compiled a small kernel", "not there yet", "XLAZY_NUM_THREADS=3"}) {
        EXPECT_EQ(test::occurrences(result.output, part) > 0, true) << part << " in\n" << result.output;
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "cache")) << "looking changes nothing";
}

TEST_F(Info, TellsWhyKernelsStayInterpreted) {
    const Result failing = run("XLAZY_CXX=/bin/false");
    EXPECT_NE(failing.status, 0);
    EXPECT_NE(failing.output.find("kernels stay interpreted: /bin/false ended with status 1"), std::string::npos)
        << failing.output;
    const Result missing = run("XLAZY_CXX=no-such-compiler");
    EXPECT_NE(missing.status, 0);
    EXPECT_NE(missing.output.find("XLAZY_CXX names no program: no-such-compiler"), std::string::npos) << missing.output;
    xlazy::jc::overwrite(folder / "file", "");
    const Result file = run(fmt::format("XLAZY_CACHE_DIR='{}'", folder / "file"));
    EXPECT_NE(file.status, 0);
    EXPECT_NE(file.output.find("not a directory"), std::string::npos) << file.output;
}

/// A line each of real and complex functions: name, type, error and cost.
TEST_F(Info, TellsErrorsAndCostsOfFunctions) {
    const Result result = run("", "--math");
    EXPECT_EQ(result.status, 0) << result.output;
    for (const char* const function : {"exp", "tgamma", "lgamma", "fmod", "erfc"}) {
        for (const char* const type : {"f64", "f32"}) {
            const std::regex line(
                fmt::format("(^|\n){} +{} +[0-9]\\.[0-9]{{2}} +[0-9]+\\.[0-9]{{2}}\n", function, type));
            EXPECT_TRUE(std::regex_search(result.output, line)) << function << " in\n" << result.output;
        }
    }
    EXPECT_TRUE(std::regex_search(result.output, std::regex("\nacosh +c128 +[0-9]\\.[0-9]{2}")));
}

TEST_F(Info, WrongUse) {
    EXPECT_EQ(run("", "--help").status, 0);
    EXPECT_NE(run("", "--nothing").output.find("unknown option --nothing"), std::string::npos);
}

}  // namespace
