// SPDX-License-Identifier: BSD-3-Clause
// Registers a test for every program of programs/: lazily recorded it must give what xtensor alone gives.
#include "compare.hpp"

#include "agreement.hpp"
#include "programs/result.hpp"
#include "xlazy/runtime.hpp"

#include <gtest/gtest.h>

#include <map>

namespace {

using programs::Result;

class Comparison : public testing::Test {
public:
    Comparison(const programs::Program& lazy, const programs::Program& stock) : lazy_(lazy), stock_(stock) {}

    void TestBody() override {
        const auto want = stock_.run(programs::Reading::AtOnce);
        run_and_compare("arrays read at once", programs::Reading::AtOnce, want);
        run_and_compare("arrays read at the end", programs::Reading::AtEnd, want);
    }

private:
    void run_and_compare(const char* when, programs::Reading reading, const std::vector<Result>& want) {
        SCOPED_TRACE(when);
        const auto before = xlazy::stats().fallbacks;
        const auto got = lazy_.run(reading);
        auto after = xlazy::stats().fallbacks;
        ASSERT_EQ(got.size(), want.size());
        for (std::size_t i = 0; i < want.size(); ++i) programs::expect_agreement(got[i], want[i]);
        if (lazy_.may_fall_back) return;
        for (const auto& [function, count] : before) after[function] -= count;
        for (const auto& [function, count] : after) {
            EXPECT_EQ(count, 0u) << function << " was left to xtensor";
        }
    }

    const programs::Program& lazy_;
    const programs::Program& stock_;
};

}  // namespace

void register_comparisons() {
    std::map<std::string, const programs::Program*> stock;
    for (const auto& program : programs::stock_registry()) stock[program.group + "." + program.name] = &program;
    for (const auto& lazy : programs::registry()) {
        const auto* const other = stock.at(lazy.group + "." + lazy.name);
        testing::RegisterTest(("programs_" + lazy.group).c_str(), lazy.name.c_str(), nullptr, nullptr, __FILE__,
                              __LINE__, [&lazy, other]() -> testing::Test* { return new Comparison(lazy, *other); });
    }
}
