// SPDX-License-Identifier: BSD-3-Clause
#include "jit/support.hpp"

#include <elf.h>

#include <cmath>
#include <cstring>
#include <random>

namespace xlazy::be::jit {
namespace {

jc::Bytes compile(const std::string& source, std::vector<std::string> flags = usual_flags(),
                  const std::string& program = {}) {
    const CompilerChoice choice = choose_compiler({program, 20'000ms, {}, {}, {}});
    if (choice.compiler == nullptr) return {};
    const CompileResult result = choice.compiler->compile({source, flags});
    EXPECT_TRUE(result) << result.error;
    return result.object;
}

std::string refusal_of(const std::string& source, std::vector<std::string> flags = usual_flags()) {
    return load_object(compile(source, std::move(flags))).error;
}

// Constants, tables, strings, static data, calls inside and outside, addresses of functions.
constexpr const char* kRich = R"(
    extern double exp(double), fabs(double);
    extern void* memcpy(void*, const void*, unsigned long);
    static const double table[4] = {0.5, 1.5, 2.5, 3.5};
    static double (*const functions[2])(double) = {exp, fabs};
    static long calls;
    static long counters[100] = {7};
    __attribute__((noinline)) static double helper(double x) { ++calls; return x * 3.0; }
    double value(int i, double x) {
        double copy[4];
        memcpy(copy, table, sizeof table);
        switch (i) {
            case 0: return helper(x) + copy[1];
            case 1: return functions[1](x) + counters[0]++;
            case 2: return functions[0](0.0);
            case 3: return exp(x);
            case 4: return -1;
            case 5: return (double)calls;
        }
        return "text"[i % 4];
    }
    double (*choose(int i))(double) { return i == 0 ? helper : exp; }
)";

void check_rich(const Module& module) {
    auto* const value = module.function<double(int, double)>("value");
    ASSERT_NE(value, nullptr);
    EXPECT_EQ(value(0, 2), 7.5);
    EXPECT_EQ(value(1, -2), 9);
    EXPECT_EQ(value(1, -2), 10);
    EXPECT_EQ(value(2, 5), 1);
    EXPECT_EQ(value(3, 1.0), std::exp(1.0));
    EXPECT_EQ(value(5, 0), 1);
    EXPECT_EQ(value(8, 0), 't');
    auto* const choose = module.function<double (*(int))(double)>("choose");
    ASSERT_NE(choose, nullptr);
    EXPECT_EQ(choose(0)(4), 12);
    EXPECT_EQ(choose(1)(0), 1);
    EXPECT_EQ(module.symbol("helper"), nullptr) << "it is static";
    EXPECT_EQ(module.symbol("nothing"), nullptr);
}

TEST(LoaderTest, WhatCompilersMake) {
    constexpr const char* kWays[][2]{{"-O0", "-fno-plt"},
                                     {"-O2", "-g"},
                                     {"-O3", "-ffunction-sections"},
                                     {"-O2", "-fno-asynchronous-unwind-tables"},
                                     {"-O2", "-fcf-protection=none"}};
    for (const std::string program : {"gcc", "clang-16"}) {
        if (choose_compiler({program, 20'000ms, {}, {}, {}}).compiler == nullptr) continue;
        for (const auto& [level, more] : kWays) {
            SCOPED_TRACE(fmt::format("{} {} {}", program, level, more));
            const auto object = compile(kRich, {"-x", "c", level, "-fPIC", "-fno-builtin", more}, program);
            const LoadResult loaded = load_object(object);
            ASSERT_NE(loaded.module, nullptr) << loaded.error;
            check_rich(*loaded.module);
        }
    }
}

TEST(LoaderTest, FunctionsOfTheCallersChoice) {
    const jc::Bytes object = compile("extern double twice(double); double f(double x) { return twice(x) + 1; }");
    EXPECT_EQ(load_object(object).error, "unknown function twice");
    double (*const twice)(double) = [](double x) { return 2 * x; };
    const LoadResult loaded = load_object(object, [&](const char* name) {
        return std::string_view(name) == "twice" ? reinterpret_cast<void*>(twice) : nullptr;
    });
    ASSERT_NE(loaded.module, nullptr) << loaded.error;
    EXPECT_EQ(loaded.module->function<double(double)>("f")(4), 9);
}

TEST(LoaderTest, ModulesShareNothing) {
    const jc::Bytes object = compile("static long count; long next(void) { return ++count; }");
    const LoadResult first = load_object(object), second = load_object(object);
    for (int i = 1; i < 4; ++i) EXPECT_EQ(first.module->function<long()>("next")(), i);
    EXPECT_EQ(second.module->function<long()>("next")(), 1);
}

TEST(LoaderTest, WhatItCannotLoadItNames) {
    EXPECT_NE(refusal_of("void no_such_function(void); void f(void) { no_such_function(); }").find("no_such_function"),
              std::string::npos);
    EXPECT_NE(refusal_of("__thread int x; int* f(void) { return &x; }"), "");
    EXPECT_NE(refusal_of("__attribute__((constructor)) void f(void) {}").find("start"), std::string::npos);
    EXPECT_NE(refusal_of("int x[9]; int f(long i) { return x[i]; }", {"-x", "c", "-O2", "-fno-pic", "-fno-pie"})
                  .find("relocation type"),
              std::string::npos);
    EXPECT_NE(load_object({}).error, "");
    EXPECT_NE(load_object(jc::bytes_of(std::string(1000, 'x'))).error, "");
    EXPECT_NE(load_object(jc::bytes_of(jc::contents("/proc/self/exe"))).error.find("no object file"),
              std::string::npos);
}

TEST(LoaderTest, AnObjectOfAnotherMachineIsRefused) {
    jc::Bytes object = compile("int f(void) { return 1; }");
    Elf64_Half machine = EM_AARCH64;
    std::memcpy(object.data() + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof machine);
    EXPECT_NE(load_object(object).error.find("machine"), std::string::npos);
}

// Refused or loaded, but never read or written outside; the address sanitizer looks on where it is there.
TEST(LoaderTest, DamagedObjectsAreNeverFollowed) {
    const jc::Bytes good = compile(kRich);
    for (std::size_t size = 0; size < good.size(); size += 7) {
        static_cast<void>(load_object(std::span(good).first(size)));
    }
    std::mt19937 random(3);
    int refused = 0;
    for (int round = 0; round < 20'000; ++round) {
        jc::Bytes damaged = good;
        for (unsigned i = 0; i <= static_cast<unsigned>(round) % 4; ++i) {
            const std::size_t place = random() % damaged.size();
            damaged[place] = round % 2 == 0 ? static_cast<std::byte>(random()) : std::byte{0xff};
        }
        refused += load_object(damaged).module == nullptr ? 1 : 0;
    }
    EXPECT_GT(refused, 1000);
}

TEST(LoaderTest, CodeCannotBeWritten) {
    const LoadResult loaded = load_object(compile("int f(void) { return 1; }"));
    void* const code = loaded.module->symbol("f");
    const int status = wait_for(start_process([&] {
        signal(SIGSEGV, SIG_DFL);  // a sanitizer has its own handler
        *static_cast<volatile unsigned char*>(code) = 0xc3;
        return 0;
    }));
    EXPECT_EQ(status, -SIGSEGV);
}

}  // namespace
}  // namespace xlazy::be::jit
