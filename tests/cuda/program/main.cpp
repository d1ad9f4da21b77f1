// SPDX-License-Identifier: BSD-3-Clause
// Small programs, as users write them: what they print must not depend on where it is computed.
#include "xlazy/xlazy.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

using Array = xlazy::xarray<double>;

void print(const char* name, const Array& a) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum = sum * 0.99 + a.flat(i);
    std::printf("%s %zu %.17g %.17g\n", name, a.size(), sum, a.size() == 0 ? 0 : a.flat(a.size() / 2));
}

Array ramp(std::size_t n) {
    Array a = xt::arange<double>(static_cast<double>(n)) / 100.0 + 0.5;
    return a;
}

/// Values that stay where they are from flush to flush.
void steps() {
    Array a = ramp(3000), b = xt::exp(-a);
    xlazy::flush();
    for (int step = 0; step < 5; ++step) {
        a = a * 0.5 + b;
        b += xt::sqrt(a);
        xlazy::flush();
    }
    print("a", a);
    print("b", b);
}

void sums() {
    Array a = ramp(20000);
    a.reshape({100, 200});
    Array rows = xt::sum(a, {1}), columns = xt::amax(a * 2.0, {0}), all = xt::sum(a * a);
    print("rows", rows);
    print("columns", columns);
    print("all", all);
    Array running = xt::cumsum(a, 0);
    print("running", running);
}

/// A stencil, in place, through views that overlap.
void stencil() {
    Array u = xt::ones<double>({40, 50});
    xt::view(u, 0, xt::all()) = 3.0;
    for (int step = 0; step < 4; ++step) {
        xt::view(u, xt::range(1, 39), xt::range(1, 49)) =
            (xt::view(u, xt::range(0, 38), xt::range(1, 49)) + xt::view(u, xt::range(2, 40), xt::range(1, 49)) +
             xt::view(u, xt::range(1, 39), xt::range(0, 48)) + xt::view(u, xt::range(1, 39), xt::range(2, 50))) *
            0.25;
        if (step == 2) xlazy::flush();
    }
    print("u", u);
}

/// The host writes between statements, by elements and through a pointer.
void host_writes() {
    Array a = ramp(100), b = a + 1.0;
    xlazy::flush();
    a(3) = 1000.0;
    b += a;
    std::printf("%g\n", b(3));
    double* const p = b.data();
    p[4] = -5.0;
    Array c = b * 2.0;
    std::printf("%g %g\n", c(4), p[3]);
    b = c + 1.0;
    print("b", b);
    Array d = b;
    d(0) = 7.0;
    xlazy::flush();
    print("d", d);
}

/// An error in the middle; what does not depend on it has its value.
void division() {
    xlazy::xarray<int> a = xt::arange<int>(1000), b = a % 10;
    xlazy::flush();
    xlazy::xarray<int> c = a / (b + 0);
    Array d = ramp(50) * 3.0;
    try {
        std::printf("%d\n", c(11));
    } catch (const xlazy::deferred_error& error) {
        const std::string text = error.what();
        std::printf("%s\n", text.substr(0, text.find('\n')).c_str());
    }
    print("d", d);
}

/// A child of fork() has the values, and goes on without the device.
void forks() {
    Array a = ramp(500), b = a * a;
    xlazy::flush();
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
        Array c = b + 1.0;
        print("child", c);
        std::fflush(stdout);
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    Array c = b + 2.0;
    print("parent", c);
    std::printf("%d\n", status);
}

/// More than a small device holds.
void large() {
    Array a = ramp(30000), b = a + 1.0, c = b * 2.0, d = c - a;
    xlazy::flush();
    Array e = a * d, f = xt::sqrt(b);
    xlazy::flush();
    for (Array* each : {&a, &b, &c, &d, &e, &f}) print("array", *each);
}

/// Milliseconds of a statement on large arrays, and what that is in memory traffic. The best of some runs.
template <class Statement>
void measure(const char* name, double bytes, Statement statement) {
    using Clock = std::chrono::steady_clock;
    double best = 1e300;
    for (int run = 0; run < 12; ++run) {
        const Clock::time_point start = Clock::now();
        statement();
        xlazy::flush();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    std::printf("  %-24s %9.3f ms %8.1f GB/s\n", name, best * 1e3, bytes / best * 1e-9);
}

void speed() {
    constexpr std::size_t n = std::size_t{1} << 26, side = 8192;
    const double all = 8.0 * n;
    Array x = xt::ones<double>({n}) * 0.5, y = x + 1.0, z = x;
    xlazy::xarray<float> f = xt::ones<float>({n});
    xlazy::flush();
    measure("z = x + y", 3 * all, [&] { z = x + y; });
    measure("z = 3 x + 2", 2 * all, [&] { z = x * 3.0 + 2.0; });
    measure("f = 3 f + 2, float", all, [&] { f = f * 3.0f + 2.0f; });
    measure("polynomial, 20 ops", 2 * all, [&] {
        z = ((((((((((x + 1) * x + 2) * x + 3) * x + 4) * x + 5) * x + 6) * x + 7) * x + 8) * x + 9) * x + 10);
    });
    measure("z = exp(x) + log(y)", 3 * all, [&] { z = xt::exp(x) + xt::log(y); });
    Array square = xt::ones<double>({side, side}), result = square, rows, whole;
    xlazy::flush();
    measure("sum", all, [&] { whole = xt::sum(square); });
    measure("sum of rows", all, [&] { rows = xt::sum(square, {1}); });
    measure("sum of columns", all, [&] { rows = xt::sum(square, {0}); });
    measure("stencil", 2 * all, [&] {
        xt::view(result, xt::range(1, 8191), xt::range(1, 8191)) =
            xt::view(square, xt::range(0, 8190), xt::range(1, 8191)) +
            xt::view(square, xt::range(2, 8192), xt::range(1, 8191)) +
            xt::view(square, xt::range(1, 8191), xt::range(0, 8190)) +
            xt::view(square, xt::range(1, 8191), xt::range(2, 8192));
    });
}

struct Case {
    const char* name;
    void (*run)();
};
constexpr Case kCases[] = {{"steps", steps},       {"sums", sums},   {"stencil", stencil}, {"host_writes", host_writes},
                           {"division", division}, {"forks", forks}, {"large", large},     {"speed", speed}};

}  // namespace

int main(int, char** words) {
    for (const Case& each : kCases) {
        if (std::strcmp(each.name, words[1]) != 0) continue;
        try {
            each.run();
        } catch (const std::exception& error) {
            const std::string text = error.what();
            std::printf("error: %s\n", text.substr(0, text.find('\n')).c_str());
        }
        return 0;
    }
    return 2;
}
