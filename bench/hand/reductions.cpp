// SPDX-License-Identifier: BSD-3-Clause
// Dot product, softmax along rows, place of the smallest element.
#include "hand/buffer.hpp"
#include "hand/hand.hpp"

#include <algorithm>
#include <cmath>

namespace xlazy_bench::hand {
namespace {

constexpr std::size_t kBlock = 4096;

Job make_dot(const Sizes& sizes) {
    const std::size_t n = sizes.at(0);
    const auto a = std::make_shared<Buffer<float>>(spread<float>(n, 0.0f, 1.0f, 12));
    const auto b = std::make_shared<Buffer<float>>(spread<float>(n, 0.0f, 1.0f, 13));
    const auto dot = [=] {
        const float *x = a->data(), *y = b->data();
        double sum = 0;
        // Sums of a block in float, lane by lane; blocks in double.
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (std::size_t block = 0; block < (n + kBlock - 1) / kBlock; ++block) {
            const std::size_t first = block * kBlock, last = std::min(n, first + kBlock), whole = (last - first) / 128;
            float parts[128] = {};
            for (std::size_t i = first; i < first + whole * 128; i += 128)
#pragma omp simd
                for (std::size_t k = 0; k < 128; ++k) parts[k] += x[i + k] * y[i + k];
            for (std::size_t i = first + whole * 128; i < last; ++i) parts[0] += x[i] * y[i];
            double total = 0;
            for (const float part : parts) total += static_cast<double>(part);
            sum += total;
        }
        return static_cast<float>(sum);
    };
    return {[=] { keep(dot()); }, [=] { return Values{true, {static_cast<double>(dot())}}; }, nullptr};
}

void softmax_row(const float* __restrict x, float* __restrict e, std::size_t columns) {
    float top = x[0], total = 0;
#pragma omp simd reduction(max : top)
    for (std::size_t j = 0; j < columns; ++j) top = x[j] > top ? x[j] : top;
#pragma omp simd
    for (std::size_t j = 0; j < columns; ++j) e[j] = std::exp(x[j] - top);
#pragma omp simd reduction(+ : total)
    for (std::size_t j = 0; j < columns; ++j) total += e[j];
    const float scale = 1.0f / total;
#pragma omp simd
    for (std::size_t j = 0; j < columns; ++j) e[j] *= scale;
}

template <bool kStream>
Job make_softmax(const Sizes& sizes) {
    const std::size_t rows = sizes.at(0), columns = sizes.at(1);
    const auto a = std::make_shared<Buffer<float>>(spread<float>(rows * columns, -4.0f, 4.0f, 14));
    const auto p = std::make_shared<Buffer<float>>(rows * columns);
    const auto softmax = [=] {
#pragma omp parallel
        {
            std::vector<float> line(columns);
#pragma omp for schedule(static)
            for (std::size_t i = 0; i < rows; ++i) {
                const float* const x = a->data() + i * columns;
                float* const e = kStream ? line.data() : p->data() + i * columns;
                softmax_row(x, e, columns);
                if constexpr (kStream) stream(p->data() + i * columns, e, columns);
            }
            if constexpr (kStream) stream_fence();
        }
    };
    return {softmax,
            [=] {
                softmax();
                Values values{true, {}};
                for (std::size_t i = 0; i < p->size(); i += sample_step(p->size()))
                    values.values.push_back(static_cast<double>((*p)[i]));
                return values;
            },
            nullptr};
}

Job make_argmin(const Sizes& sizes) {
    const std::size_t n = sizes.at(0);
    const auto a = std::make_shared<Buffer<float>>(spread<float>(n, 0.0f, 1.0f, 15));
    const auto place = [=] {
        const float* const x = a->data();
        // The smallest value of each block, then its place in the first block that has the smallest of all.
        const std::size_t blocks = (n + kBlock - 1) / kBlock;
        std::vector<float> least(blocks);
#pragma omp parallel for schedule(static)
        for (std::size_t block = 0; block < blocks; ++block) {
            const std::size_t first = block * kBlock, last = std::min(n, first + kBlock), whole = (last - first) / 128;
            float parts[128];
            std::fill(parts, parts + 128, x[first]);
            for (std::size_t i = first; i < first + whole * 128; i += 128)
#pragma omp simd
                for (std::size_t k = 0; k < 128; ++k) parts[k] = x[i + k] < parts[k] ? x[i + k] : parts[k];
            for (std::size_t i = first + whole * 128; i < last; ++i) parts[0] = std::min(parts[0], x[i]);
            least[block] = *std::min_element(parts, parts + 128);
        }
        const auto block = static_cast<std::size_t>(std::min_element(least.begin(), least.end()) - least.begin());
        const std::size_t first = block * kBlock, last = std::min(n, first + kBlock);
        return static_cast<double>(std::find(x + first, x + last, least[block]) - x);
    };
    return {[=] { keep(place()); }, [=] { return Values{false, {place()}}; }, nullptr};
}

}  // namespace

void add_reductions(Cases& cases) {
    cases["b11.dot"] = make_dot;
    cases["b11.softmax"] = make_softmax<false>;
    cases["b11.softmax.stream"] = make_softmax<true>;
    cases["b11.argmin"] = make_argmin;
}

}  // namespace xlazy_bench::hand
