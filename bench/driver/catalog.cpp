// SPDX-License-Identifier: BSD-3-Clause
#include "driver/catalog.hpp"

#include <limits>

namespace xlazy_bench {
namespace {

constexpr int kAnyNumber = std::numeric_limits<int>::max();

using Environment = std::vector<std::pair<std::string, std::string>>;

/// glibc keeps freed memory and asks for huge pages: without that, fresh pages for every temporary array would be most
/// of what stock xtensor's times show.
Environment pooled() {
    return {{"GLIBC_TUNABLES",
             "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=17179869184:glibc.malloc.top_pad=268435456:"
             "glibc.malloc.hugetlb=1"}};
}

std::vector<Variant> make_variants() {
    const std::string prefix = "xlazy-bench-";
    std::vector<Variant> all = {
        {"op-by-op", Group::op_by_op, prefix + "op-by-op", "", 1, kAnyNumber, pooled(),
         "xtensor, every operation into an array of its own; xsimd, OpenMP"},
        {"xtensor", Group::idiomatic, prefix + "xtensor", "", 1, 1, pooled(), "xtensor as it comes"},
        {"xtensor-xsimd", Group::idiomatic, prefix + "xsimd", "", 1, 1, pooled(), "xtensor with xsimd"},
        {"xtensor-openmp", Group::idiomatic, prefix + "openmp", "", 2, kAnyNumber, pooled(),
         "xtensor with xsimd and OpenMP"},
        {"xlazy-eager",
         Group::xlazy,
         prefix + "xlazy",
         "",
         1,
         kAnyNumber,
         {{"XLAZY_MODE", "eager"}},
         "xlazy, every statement at once"},
        {"xlazy-no-passes",
         Group::xlazy,
         prefix + "xlazy",
         "",
         1,
         kAnyNumber,
         {{"XLAZY_PASSES", "none"}},
         "xlazy without optional passes"},
        {"xlazy-lazy", Group::xlazy, prefix + "xlazy", "", 1, kAnyNumber, {}, "xlazy as it comes"},
    };
    const std::vector<std::pair<std::string, std::string>> hand = {
        {"hand", "one fused loop, strict arithmetic"},
        {"hand-fast", "the same with -ffast-math: libmvec, fused multiply-add, reordering"},
        {"hand-fast-wide", "the same with 512-bit vectors"},
    };
    for (const auto& [name, about] : hand) {
        all.push_back({name, Group::hand, prefix + name, "", 1, kAnyNumber, {}, about});
        all.push_back({name + "-stream",
                       Group::hand,
                       prefix + name,
                       ".stream",
                       1,
                       kAnyNumber,
                       {},
                       about + "; non-temporal stores"});
    }
    return all;
}

Case reduction(const std::string& reducer, int passes, const std::string& shape, std::vector<std::size_t> sizes,
               std::vector<std::size_t> quick_sizes, const std::string& axis, bool column_major) {
    Case c;
    c.id = "b11." + reducer + '.' + shape + '.' + axis;
    c.job = "b11." + reducer + '.' + axis + (column_major ? ".column" : "");
    c.title = reducer + " over " + (axis == "all" ? "all" : "axis " + axis.substr(4)) +
              (column_major ? ", column-major" : "");
    c.dtype = "f64";
    c.sizes = std::move(sizes);
    c.quick_sizes = std::move(quick_sizes);
    c.operations = passes;
    c.fused_bytes = c.op_by_op_bytes = 8.0 * passes;
    c.reads_only = true;
    // Sums of that many positive numbers, in two orders that both are better than one after the other.
    c.max_ulps = reducer == "amax" ? 0 : 512;
    return c;
}

void add_reductions(std::vector<Case>& all) {
    struct Shape {
        const char* name;
        std::vector<std::size_t> sizes, quick_sizes;
        bool column_major;
    };
    const std::vector<Shape> shapes = {{"square", {4000, 4000}, {500, 500}, false},
                                       {"tall", {10000000, 3}, {100000, 3}, false},
                                       {"wide", {3, 10000000}, {3, 100000}, false},
                                       {"column", {4000, 4000}, {500, 500}, true}};
    const std::vector<std::pair<std::string, int>> reducers = {{"sum", 1}, {"mean", 1}, {"amax", 1}, {"var", 2}};
    for (const auto& [reducer, passes] : reducers)
        for (const Shape& shape : shapes)
            for (const char* const axis : {"all", "axis0", "axis1"})
                all.push_back(
                    reduction(reducer, passes, shape.name, shape.sizes, shape.quick_sizes, axis, shape.column_major));
}

std::vector<Case> make_cases() {
    // Bytes of one loop an operation: arrays that it reads, one that it writes, numbers are free.
    constexpr double kPolynomial = 6 * 2 + 14 * 3;
    constexpr double kNormal = 15 * 2 + 6 * 3 + 4;  // and what `where` reads and writes of bool
    constexpr double kPrices = 5 * 2 + 2 * kNormal + 2 * 3 + 2;
    constexpr double kBools = 4;
    constexpr double kHeat = 5 * 3 + 3 * 2 + 1;
    const std::vector<std::size_t> prices = {5000000}, few_prices = {100000};
    std::vector<Case> all = {
        {"b01",
         "b01",
         "polynomial, every operation a statement",
         "f32",
         {20000000},
         {200000},
         20,
         2 * 4.0,
         kPolynomial * 4.0,
         false,
         8.0,
         8},
        {"b05.f32", "b05.f32", "Black-Scholes, all prices", "f32", prices, few_prices, 54, 2 * 4.0,
         kPrices * 4.0 + kBools, false, 64.0, 64},
        {"b05.f64", "b05.f64", "Black-Scholes, all prices", "f64", prices, few_prices, 54, 2 * 8.0,
         kPrices * 8.0 + kBools, false, 64.0, 64},
        {"b05.mean", "b05.mean", "Black-Scholes, mean only", "f64", prices, few_prices, 55, 1 * 8.0,
         (kPrices + 1) * 8.0 + kBools, false, 64.0, 64},
        {"b06",
         "b06",
         "heat equation, one step and its change",
         "f64",
         {2000, 2000},
         {300, 300},
         9,
         2 * 8.0,
         kHeat * 8.0,
         false,
         0.0,
         512},
        {"b11.dot", "b11.dot", "sum(a * b)", "f32", {33000000}, {300000}, 2, 2 * 4.0, 4 * 4.0, true, 0.0, 64},
        {"b11.softmax",
         "b11.softmax",
         "softmax of rows",
         "f32",
         {4096, 8192},
         {128, 1024},
         5,
         2 * 4.0,
         8 * 4.0,
         false,
         0.0,
         64},
        {"b11.argmin", "b11.argmin", "place of the smallest", "f32", {33000000}, {300000}, 1, 4.0, 4.0, true, 0.0, 0},
    };
    add_reductions(all);
    return all;
}

}  // namespace

const char* name_of(Group group) {
    switch (group) {
        case Group::op_by_op: return "op-by-op";
        case Group::idiomatic: return "idiomatic";
        case Group::xlazy: return "xlazy";
        case Group::hand: return "hand";
    }
    return "";
}

const std::vector<Variant>& variants() {
    static const std::vector<Variant> all = make_variants();
    return all;
}

const Variant* find_variant(const std::string& name) {
    for (const Variant& variant : variants())
        if (variant.name == name) return &variant;
    return nullptr;
}

std::size_t Case::elements(bool quick) const {
    std::size_t count = 1;
    for (const std::size_t size : quick ? quick_sizes : sizes) count *= size;
    return count;
}

const std::vector<Case>& cases() {
    static const std::vector<Case> all = make_cases();
    return all;
}

}  // namespace xlazy_bench
