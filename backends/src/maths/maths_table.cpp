// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/backends/maths_table.hpp"

#include "isa/kernel_table.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

namespace xlazy::be {
namespace {

/// Ordinary operands: the first and the second ones lie between these bounds.
struct Range {
    double low, high;
};
Range range_of(bc::Op op) noexcept {
    switch (op) {
        case bc::Op::asin:
        case bc::Op::acos:
        case bc::Op::atanh: return {-1, 1};
        case bc::Op::log:
        case bc::Op::log2:
        case bc::Op::log10:
        case bc::Op::log1p:
        case bc::Op::pow: return {0.1, 4};
        case bc::Op::acosh: return {1, 4};
        default: return {-4, 4};
    }
}

constexpr std::int64_t kElements = 1024;

template <class T>
double cost(bc::Op op, bc::DType type, int runs) {
    const auto [low, high] = range_of(op);
    // Two numbers an element, for complex ones. Kronecker's sequence fills the range evenly.
    std::array<T, 2 * kElements> a, b, out;
    double place = 0.5;
    const auto next = [&, low = low, high = high] {
        place += 0.6180339887498949;
        if (place >= 1) place -= 1;
        return static_cast<T>(low + place * (high - low));
    };
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = next();
        b[i] = next();
    }
    const MapFn loop = map_kernel(op, type, Form::vv);
    auto least = std::chrono::nanoseconds::max();
    for (int run = 0; run < runs; ++run) {
        const auto start = std::chrono::steady_clock::now();
        loop(a.data(), b.data(), nullptr, out.data(), kElements);
        least = std::min<std::chrono::nanoseconds>(least, std::chrono::steady_clock::now() - start);
    }
    return static_cast<double>(least.count()) / kElements;
}

}  // namespace

const std::vector<MathsRow>& maths_table() {
    static const std::vector<MathsRow> rows{
#define XLAZY_MATHS_ERROR(id, doubles, floats) \
    {bc::Op::id, bc::DType::f64, doubles}, {bc::Op::id, bc::DType::f32, floats},
#define XLAZY_COMPLEX_ERROR(id, doubles, floats) \
    {bc::Op::id, bc::DType::c128, doubles}, {bc::Op::id, bc::DType::c64, floats},
#include "math/errors.def"
    };
    return rows;
}

double maths_cost(bc::Op op, bc::DType type, int runs) {
    const bool single = bc::real_of(type) == bc::DType::f32;
    return single ? cost<float>(op, type, runs) : cost<double>(op, type, runs);
}

}  // namespace xlazy::be
