// SPDX-License-Identifier: BSD-3-Clause
// Small programs for process_test.cpp: what only a process of its own can show. usage: xlazy_runtime_main NAME
#include "runtime/array.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace {

using namespace test;

int adds_and_reads() {
    const Array<double> a({3}, {1, 2, 3});
    const Array<double> b({3}), c({3});
    assign(b, Op::add, a, 1.0);
    assign(c, Op::mul, b, 2.0);
    return c.read(0) == 4 && b.read(0) == 2 ? 0 : 1;
}

/// The first statement has no memory; the second one reads what it should have made.
int runs_out_of_memory() {
    const Array<double> a({500'000}), b({500'000}), c({500'000});
    assign(a, Op::add, Array<double>({1}, {1}), 1.0);
    assign(b, Op::add, a, 1.0);
    assign(c, Op::mul, b, 2.0);
    try {
        c.read(5);
    } catch (const xlazy::deferred_error&) {
        return 0;
    }
    return 1;
}

/// An array that lives longer than main, with work that nobody asks for.
Array<double>& outliving() {
    static Array<double> array({3});
    return array;
}
struct UsesArraysAtTheEnd {
    ~UsesArraysAtTheEnd() {
        assign(outliving(), Op::add, outliving(), 1.0);
        std::printf("value at the end: %g\n", outliving().read(2));
    }
};

int leaves_work() {
    outliving();
    static const UsesArraysAtTheEnd last;
    const Array<double> a({3}, {1, 2, 3});
    assign(outliving(), Op::mul, a, 10.0);
    return 0;
}

int leaves_an_error() {
    const Array<std::int32_t> a({2}, {1, 2});
    static const Array<std::int32_t> b({2});
    assign(b, Op::div, a, 0);
    return 0;
}

int exits_in_a_thread() {
    const Array<double> a({3}, {1, 2, 3});
    const Array<double> b({3});
    assign(b, Op::add, a, 1.0);
    std::thread([] { std::exit(7); }).join();
    return 1;
}

int forks() {
    const Array<double> a({3}, {1, 2, 3});
    const Array<double> b({3});
    assign(b, Op::add, a, 1.0);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        assign(b, Op::add, b, 1.0);
        std::exit(b.read(0) == 3 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return b.read(0) == 2 && WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view name = argc == 2 ? argv[1] : "";
    if (name == "adds_and_reads") return adds_and_reads();
    if (name == "runs_out_of_memory") return runs_out_of_memory();
    if (name == "leaves_work") return leaves_work();
    if (name == "leaves_an_error") return leaves_an_error();
    if (name == "exits_in_a_thread") return exits_in_a_thread();
    if (name == "forks") return forks();
    return 2;
}
