// SPDX-License-Identifier: BSD-3-Clause
// A program whose operator new fails, at every place in turn; for process_test.cpp.
#include "runtime/array.hpp"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

namespace {

using namespace test;

// operator new fails when this many allocations of the thread were made.
constexpr std::size_t kNoLimit = ~std::size_t{0};
thread_local std::size_t allocations_left = kNoLimit;
thread_local bool fails_once = false;  // else every one after it fails, too

/// One statement list, whatever allocation fails in it: right values or an error, and afterwards all is well.
int survives(std::size_t allocation) {
    const Array<std::int32_t> a({4}, {1, 2, 3, 4});
    const Array<std::int32_t> divisor({4}, {1, 0, 1, 1});
    const Array<std::int32_t> b({4}), c({4}), d({4});
    const auto run = [&] {
        assign(b, Op::add, a, 1);
        assign(c, Op::mul, b, b);
        for (unsigned bit = 0; bit < 12; ++bit) {  // a batch that is not known
            assign(c, ((allocation >> bit) & 1) != 0 ? Op::add : Op::sub, c, 0);
        }
        assign(d, Op::div, a, divisor);
        xlazy::flush();
    };
    fails_once = allocation % 2 != 0;
    allocations_left = allocation / 2;
    try {
        run();
    } catch (const std::exception&) {
    }
    allocations_left = kNoLimit;
    const auto good_or_error = [](const Array<std::int32_t>& array, std::vector<std::int32_t> values) {
        try {
            return array.values() == values;
        } catch (const xlazy::deferred_error&) {
            return true;
        }
    };
    try {
        xlazy::flush();
    } catch (const xlazy::deferred_error&) {
    }
    // A statement that was not recorded leaves its array as it was: without a value.
    if (!good_or_error(b, {2, 3, 4, 5}) && b.values() != std::vector<std::int32_t>(4, 0)) return 1;
    if (!good_or_error(c, {4, 9, 16, 25}) && c.values() != std::vector<std::int32_t>(4, 0)) return 2;
    try {
        run();
        return 3;
    } catch (const xlazy::deferred_error& error) {
        if (error.operation() != "div") return 4;
    }
    return b.values() == std::vector<std::int32_t>{2, 3, 4, 5} && c.read(3) == 25 ? 0 : 5;
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
    if (allocations_left != kNoLimit && allocations_left-- == 0) {
        allocations_left = fails_once ? kNoLimit : 0;
        throw std::bad_alloc();
    }
    if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main() {
    for (std::size_t allocation = 0; allocation < 2000; ++allocation) {
        int result = 0;
        // A thread of its own: nothing is there yet.
        std::thread([&] { result = survives(allocation); }).join();
        if (result != 0) {
            std::printf("allocation %zu: %d\n", allocation, result);
            return result;
        }
    }
    return 0;
}
