// SPDX-License-Identifier: BSD-3-Clause
// Statements whose shared object is gone when they run.
#include "runtime/array.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>

namespace {

using namespace test;

/// Records target <- source / 0 in a shared object that is unloaded afterwards.
void divide_in(const char* library, const Array<std::int32_t>& target, const Array<std::int32_t>& source) {
    void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(handle, nullptr) << dlerror();
    const auto record = reinterpret_cast<void (*)(Base*, Base*)>(dlsym(handle, "record_division"));
    ASSERT_NE(record, nullptr);
    record(target.base(), source.base());
    ASSERT_EQ(dlclose(handle), 0);
    ASSERT_EQ(dlopen(library, RTLD_NOW | RTLD_NOLOAD), nullptr) << "it must be gone";
}

std::string error_of(const Array<std::int32_t>& array) {
    try {
        array.read(0);
    } catch (const xlazy::deferred_error& error) {
        return error.what();
    }
    return {};
}

TEST(Unload, LinesOutliveTheirSharedObject) {
    const Array<std::int32_t> a({2}, {1, 2});
    for (int round = 0; round < 3; ++round) {
        const Array<std::int32_t> first({2}), second({2}), good({2});
        divide_in(XLAZY_PLUGIN_FIRST, first, a);
        divide_in(XLAZY_PLUGIN_SECOND, second, a);
        assign(good, Op::add, a, 1);
        EXPECT_THROW(xlazy::flush(), xlazy::deferred_error);
        EXPECT_NE(error_of(first).find("plugin_a.cpp:100"), std::string::npos) << error_of(first);
        EXPECT_NE(error_of(second).find("plugin_b.cpp:100"), std::string::npos) << error_of(second);
        EXPECT_EQ(good.values(), (std::vector<std::int32_t>{2, 3}));
    }
}

/// The queue's last line, the array's line and the plan are used after the shared object is gone.
TEST(Unload, WorkThatItLeftBehind) {
    const Array<std::int32_t> a({2}, {1, 2});
    Array<std::int32_t> bad({2});
    divide_in(XLAZY_PLUGIN_FIRST, bad, a);
    EXPECT_NE(std::string(xlazy::rt::last_statement_line().file).find("plugin_a.cpp"), std::string::npos);
    const Array<std::int32_t> dependent({2});
    assign(dependent, Op::add, bad, 1);
    bad = a;
    EXPECT_THROW(xlazy::flush(), xlazy::deferred_error);
    EXPECT_NE(error_of(dependent).find("plugin_a.cpp:100"), std::string::npos) << error_of(dependent);
}

}  // namespace
