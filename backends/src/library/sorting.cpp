// SPDX-License-Identifier: BSD-3-Clause
// Sorting and searching. Lines along an axis are shared out to the threads; one long line is sorted by all of them.
#include "library/library.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>
#include <parallel/algorithm>

namespace xlazy::be {
namespace {

/// Elements from which threads pay.
constexpr std::int64_t kThreadedCount = 32768;

/// A NaN is greater than all numbers.
template <class T>
struct Less {
    bool operator()(const T& a, const T& b) const noexcept {
        if constexpr (std::is_floating_point_v<T>)
            return a < b || (b != b && a == a);
        else
            return a < b;
    }
};

template <class F>
void with_ordered(bc::DType type, F&& f) {
    switch (type) {
        case bc::DType::boolean: return f(std::type_identity<unsigned char>());
        case bc::DType::i8: return f(std::type_identity<std::int8_t>());
        case bc::DType::i16: return f(std::type_identity<std::int16_t>());
        case bc::DType::i32: return f(std::type_identity<std::int32_t>());
        case bc::DType::i64: return f(std::type_identity<std::int64_t>());
        case bc::DType::u8: return f(std::type_identity<std::uint8_t>());
        case bc::DType::u16: return f(std::type_identity<std::uint16_t>());
        case bc::DType::u32: return f(std::type_identity<std::uint32_t>());
        case bc::DType::u64: return f(std::type_identity<std::uint64_t>());
        case bc::DType::f32: return f(std::type_identity<float>());
        case bc::DType::f64: return f(std::type_identity<double>());
        default: throw std::logic_error("elements that have no order");
    }
}

/// The lines of a dense array [outer][n][inner] along an axis.
struct Lines {
    std::int64_t outer = 1, n = 1, inner = 1;

    Lines(const std::vector<bc::Dim>& dims, unsigned axis) {
        for (std::size_t i = 0; i < dims.size(); ++i) (i < axis ? outer : i == axis ? n : inner) *= dims[i].extent;
    }
    std::int64_t count() const noexcept { return outer * inner; }
    std::int64_t start(std::int64_t line) const noexcept { return line / inner * n * inner + line % inner; }
};

/// Calls f(line, threads for it).
template <class F>
void for_each_line(const Lines& lines, int threads, F&& f) {
    const bool many = lines.count() * lines.n >= kThreadedCount && omp_in_parallel() == 0;
    if (!many || threads == 1 || lines.count() < threads) {
        for (std::int64_t line = 0; line < lines.count(); ++line) f(line, many ? threads : 1);
        return;
    }
#pragma omp parallel for num_threads(threads)
    for (std::int64_t line = 0; line < lines.count(); ++line) f(line, 1);
}

template <class It, class Compare>
void sort_range(It begin, It end, Compare less, int threads) {
    if (threads > 1)
        __gnu_parallel::sort(
            begin, end, less,
            __gnu_parallel::multiway_mergesort_tag(static_cast<__gnu_parallel::_ThreadIndex>(threads)));
    else
        std::sort(begin, end, less);
}
template <class It, class Compare>
void stable_sort_range(It begin, It end, Compare less, int threads) {
    if (threads > 1)
        __gnu_parallel::stable_sort(
            begin, end, less,
            __gnu_parallel::multiway_mergesort_tag(static_cast<__gnu_parallel::_ThreadIndex>(threads)));
    else
        std::stable_sort(begin, end, less);
}

template <class T>
void sort_lines(const LibraryCall& call) {
    Result<T> result(call.out);
    T* const data = result.data();
    gather(call.in[0], reinterpret_cast<std::byte*>(data));
    const Lines lines(call.in[0].dims, call.op.axis);
    for_each_line(lines, call.threads, [&](std::int64_t line, int threads) {
        T* const first = data + lines.start(line);
        if (lines.inner == 1) return sort_range(first, first + lines.n, Less<T>(), threads);
        std::vector<T> row(static_cast<std::size_t>(lines.n));
        for (std::int64_t i = 0; i < lines.n; ++i) row[static_cast<std::size_t>(i)] = first[i * lines.inner];
        sort_range(row.begin(), row.end(), Less<T>(), threads);
        for (std::int64_t i = 0; i < lines.n; ++i) first[i * lines.inner] = row[static_cast<std::size_t>(i)];
    });
}

template <class T>
void sort_positions(const LibraryCall& call) {
    const std::vector<T> values = elements_of<T>(call.in[0]);
    Result<std::uint64_t> result(call.out);
    std::uint64_t* const to = result.data();
    const Lines lines(call.in[0].dims, call.op.axis);
    for_each_line(lines, call.threads, [&](std::int64_t line, int threads) {
        const T* const first = values.data() + lines.start(line);
        std::vector<std::uint64_t> order(static_cast<std::size_t>(lines.n));
        std::iota(order.begin(), order.end(), std::uint64_t{0});
        const auto value = [&](std::uint64_t i) { return first[static_cast<std::int64_t>(i) * lines.inner]; };
        stable_sort_range(
            order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) { return Less<T>()(value(a), value(b)); },
            threads);
        for (std::int64_t i = 0; i < lines.n; ++i)
            to[lines.start(line) + i * lines.inner] = order[static_cast<std::size_t>(i)];
    });
}

/// out[i] = f(values[i]).
template <class T, class R, class F>
void map_values(const LibraryCall& call, const ArrayWindow& from, F&& f) {
    const std::vector<T> values = elements_of<T>(from);
    Result<R> result(call.out);
    R* const to = result.data();
    const auto count = static_cast<std::int64_t>(values.size());
    const int threads = count >= kThreadedCount && omp_in_parallel() == 0 ? call.threads : 1;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (std::int64_t i = 0; i < count; ++i) to[i] = f(values[static_cast<std::size_t>(i)]);
}

template <class T>
void search(const LibraryCall& call) {
    const std::vector<T> sorted = elements_of<T>(call.in[0]);
    const bool right = call.op.axis == 1;
    map_values<T, std::uint64_t>(call, call.in[1], [&](const T& value) {
        const auto at = right ? std::upper_bound(sorted.begin(), sorted.end(), value, Less<T>())
                              : std::lower_bound(sorted.begin(), sorted.end(), value, Less<T>());
        return static_cast<std::uint64_t>(at - sorted.begin());
    });
}

template <class T>
void find_members(const LibraryCall& call) {
    std::vector<T> set = elements_of<T>(call.in[1]);
    // A NaN is equal to nothing.
    std::erase_if(set, [](const T& x) { return x != x; });
    std::sort(set.begin(), set.end(), Less<T>());
    map_values<T, unsigned char>(call, call.in[0], [&](const T& value) -> unsigned char {
        return value == value && std::binary_search(set.begin(), set.end(), value, Less<T>());
    });
}

template <class T>
void fill_bins(const LibraryCall& call) {
    const std::vector<T> values = elements_of<T>(call.in[0]), edges = elements_of<T>(call.in[1]);
    const std::vector<T> weights = elements_of<T>(call.in[2]);
    Result<T> result(call.out);
    std::fill_n(result.data(), result.size(), T(0));
    if (edges.size() < 2) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const T value = values[i];
        if (!(value >= edges.front() && value <= edges.back())) continue;
        const auto above = std::upper_bound(edges.begin(), edges.end(), value);
        const auto bin = std::min(static_cast<std::size_t>(above - edges.begin()), edges.size() - 1) - 1;
        result.data()[bin] = static_cast<T>(result.data()[bin] + weights[weights.size() == 1 ? 0 : i]);
    }
}

}  // namespace

bool search_and_sort(const LibraryCall& call) {
    with_ordered(call.op.type, [&]<class T>(std::type_identity<T>) {
        switch (call.op.op) {
            case bc::Op::sort: return sort_lines<T>(call);
            case bc::Op::argsort: return sort_positions<T>(call);
            case bc::Op::searchsorted: return search<T>(call);
            case bc::Op::isin: return find_members<T>(call);
            case bc::Op::histogram: return fill_bins<T>(call);
            default: throw std::logic_error("a library call without a routine");
        }
    });
    return true;
}

}  // namespace xlazy::be
