// SPDX-License-Identifier: BSD-3-Clause
// Programs for explain_test.cpp. On stdout: "NAME LINE" for the lines that the explanation is to name.
// usage: xlazy_runtime_explained NAME
#include "runtime/array.hpp"

#include <cstdio>
#include <string_view>

namespace {

using namespace test;

constexpr std::size_t kRows = 500, kColumns = 400;

/// The line of this call.
here named(const char* name, here line = here::current()) {
    std::printf("%s %u\n", name, line.line);
    return line;
}

/// b = f(a); c = sum(b) along axis 0; d = b - c; e reads neighbours of d.
int several_kernels() {
    const Array<double> a({kRows, kColumns}, std::vector<double>(kRows * kColumns, 1.0));
    const Array<double> total({kColumns}), difference({kRows, kColumns}), shifted({kRows - 1, kColumns});
    {
        const Array<double> squared({kRows, kColumns});
        assign(squared, Op::mul, a, a, named("square"));
        {
            Statement s(named("sum"));
            s.store(total.all(), s.reduce(Op::sum, s.load(squared.all()), 1u << 0, false));
        }
        assign(difference, Op::sub, squared, total.all(), named("subtract"));
    }
    assign(shifted, Op::add, difference.all().slice(0, 0, kRows - 1), difference.all().slice(0, 1, kRows - 1),
           named("shift"));
    {
        const Array<double> unread({kRows, kColumns});
        assign(unread, Op::add, a, 1.0, named("unread"));
    }
    return shifted.read(0, named("read")) == -998.0 ? 0 : 1;
}

/// What could be one kernel, but for a read in between.
int read_in_between() {
    const Array<double> a({1000}, iota<double>(1000));
    const Array<double> b({1000}), c({1000});
    assign(b, Op::add, a, 1.0, named("first"));
    const double value = b.read(3, named("read"));
    assign(c, Op::mul, b, value, named("second"));
    return c.read(1, named("last")) == 8 ? 0 : 1;
}

int reads_in_a_loop(int times) {
    const Array<double> a({10}, iota<double>(10));
    double sum = 0;
    for (int i = 0; i < times; ++i) {
        assign(a, Op::add, a, 1.0);
        sum += a.read(0, i == 0 ? named("read") : here{__FILE__, here::current().line});
    }
    return sum > 0 ? 0 : 1;
}

/// What xlazy::explain says before anything runs.
int asks() {
    const Array<double> a({1000}, iota<double>(1000));
    const Array<double> b({1000});
    if (!xlazy::explain().empty()) return 1;
    assign(b, Op::add, a, 1.0, named("add"));
    const std::string text = xlazy::explain();
    std::fputs(text.c_str(), stdout);
    if (!xlazy::stats().flushes.empty() || xlazy::stats().kernels_run != 0) return 1;
    return b.read(1) == 2 && xlazy::explain().empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view name = argc == 2 ? argv[1] : "";
    if (name == "several_kernels") return several_kernels();
    if (name == "read_in_between") return read_in_between();
    if (name == "reads_1000_times") return reads_in_a_loop(1000);
    if (name == "reads_2000_times") return reads_in_a_loop(2000);
    if (name == "asks") return asks();
    return 2;
}
