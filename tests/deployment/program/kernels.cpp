// SPDX-License-Identifier: BSD-3-Clause
// A few kernels of different kinds, run often enough to be worth compiling. Prints results as bits.
//
// usage: kernels [ROUNDS [PAUSE_MS]]      PAUSE_MS: between rounds, time for a compiler in the background
//        kernels lengths | iterations | small
#include <xlazy/xlazy.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

namespace {

using Array = xlazy::xtensor<double, 1>;
using Matrix = xlazy::xtensor<double, 2>;

void show(const char* what, double value) {
    unsigned long bits;
    static_assert(sizeof bits == sizeof value);
    std::memcpy(&bits, &value, sizeof bits);
    std::printf("%s %016lx\n", what, bits);
}

void chain(int round) {
    const Array a = xt::arange<double>(20000) * 0.001;
    const Array b = (a * a + 2.0) * 0.5 - a / (a + 1.0 + round) + xt::exp(-a) * xt::sqrt(a);
    show("chain", xt::sum(b)());
}

void heat(int round) {
    Matrix t = xt::zeros<double>({100, 200});
    xt::view(t, 0, xt::all()) = 100.0 + round;
    const Matrix next =
        0.25 * (xt::view(t, xt::range(0, 98), xt::range(1, 199)) + xt::view(t, xt::range(2, 100), xt::range(1, 199)) +
                xt::view(t, xt::range(1, 99), xt::range(0, 198)) + xt::view(t, xt::range(1, 99), xt::range(2, 200)));
    xt::view(t, xt::range(1, 99), xt::range(1, 199)) = next;
    show("heat", xt::amax(xt::view(t, xt::range(1, 99), xt::all()))());
}

void integers(int round) {
    const xlazy::xtensor<int, 1> a = xt::arange<int>(20000);
    const xlazy::xtensor<int, 1> b = xt::where(a % 3 > 0, a * 7 - round, -a);
    std::printf("integers %d\n", xt::sum(b)());
}

// Other lengths and other numbers every time.
void lengths() {
    double total = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
        const Array a = xt::arange<double>(static_cast<double>(2000 + 7 * i));
        const Array b = (a * (0.5 + static_cast<double>(i)) + 1.25) / (a + static_cast<double>(i));
        total += xt::sum(b)();
    }
    show("lengths", total);
}

// Another number of steps before every look at the values.
void iterations() {
    Array a = xt::ones<double>({3000});
    for (int steps = 1; steps <= 1000; ++steps) {
        for (int step = 0; step < steps; ++step) a = a * 0.999 + 0.001 * static_cast<double>(step % 3);
        show("steps", a(steps % 3000));
    }
}

void small() {
    for (int round = 0; round < 100; ++round) {
        const Array a = xt::arange<double>(16.0 + round % 5);
        const Array b = a * 2.0 + xt::sqrt(a);
        show("small", xt::sum(b)());
    }
}

}  // namespace

int main(int count, char** words) {
    const std::string_view what = count > 1 ? words[1] : "";
    if (what == "lengths") return lengths(), 0;
    if (what == "iterations") return iterations(), 0;
    if (what == "small") return small(), 0;
    const int rounds = count > 1 ? std::atoi(words[1]) : 4;
    const int pause = count > 2 ? std::atoi(words[2]) : 0;
    if (std::getenv("IGNORE_CHILDREN") != nullptr) std::signal(SIGCHLD, SIG_IGN);
    for (int round = 0; round < rounds; ++round) {
        chain(round);
        heat(round);
        integers(round);
        std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    }
    return std::fflush(stdout) == 0 ? 0 : 1;
}
