// SPDX-License-Identifier: BSD-3-Clause
// A test for every call: it gives what xtensor alone gives. With --page the program prints docs/coverage.md.
#include "agreement.hpp"
#include "outcome.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <string_view>

namespace {

using coverage::Call;

class CallTest : public testing::Test {
public:
    CallTest(const Call& lazy, const Call& stock) : lazy_(lazy), stock_(stock) {}

    void TestBody() override {
        coverage::Watch unwatched;
        const auto want = stock_.run(unwatched);
        const auto got = coverage::run_call(lazy_);
        ASSERT_NE(got.state, coverage::State::Refused) << got.detail;
        ASSERT_EQ(got.results.size(), want.size());
        for (std::size_t i = 0; i < want.size(); ++i) programs::expect_agreement(got.results[i], want[i]);
    }

private:
    const Call& lazy_;
    const Call& stock_;
};

class ListTest : public testing::Test {
public:
    void TestBody() override {
        for (const auto& stray : coverage::strays(XLAZY_FUNCTIONS)) ADD_FAILURE() << stray;
    }
};

std::string full_name(const Call& call) { return call.header + '.' + call.form; }

void register_tests() {
    std::map<std::string, const Call*> stock;
    for (const auto& call : coverage::stock_registry()) stock[full_name(call)] = &call;
    for (const auto& lazy : coverage::registry()) {
        const Call* const other = stock.at(full_name(lazy));
        testing::RegisterTest(lazy.header.c_str(), lazy.form.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                              [&lazy, other]() -> testing::Test* { return new CallTest(lazy, *other); });
    }
    testing::RegisterTest("list", "every_function_is_called", nullptr, nullptr, __FILE__, __LINE__,
                          []() -> testing::Test* { return new ListTest; });
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 2 && std::string_view(arguments[1]) == "--page") {
        std::cout << coverage::page(XLAZY_FUNCTIONS);
        return 0;
    }
    testing::InitGoogleTest(&count, arguments);
    register_tests();
    return RUN_ALL_TESTS();
}
