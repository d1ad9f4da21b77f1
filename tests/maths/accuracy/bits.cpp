// SPDX-License-Identifier: BSD-3-Clause
#include "maths/accuracy/bits.hpp"

#include "maths/inputs.hpp"
#include "maths/one_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

namespace xlazy::test {
namespace {

constexpr std::size_t kBlock = 1 << 16;

template <class E>
std::vector<E> operands(unsigned seed) {
    if constexpr (std::is_floating_point_v<E>)
        return random_arguments<E>(kBlock, seed);
    else
        return complex_arguments<typename E::value_type>(kBlock, seed);
}

/// Elements of which an instruction set and the text differ.
template <class E, class T>
std::size_t differences(bc::Op op, std::size_t count) {
    const bc::DType type = bc::dtype_of<E>();
    const std::size_t parts = bc::is_complex(bc::result_of(op, type)) ? 2 : 1;
    std::vector<T> expected(parts * kBlock), found(parts * kBlock);
    std::size_t different = 0;
    for (std::size_t done = 0; done < count; done += kBlock) {
        const auto seed = static_cast<unsigned>(done / kBlock * 2 + 101);
        const std::vector<E> a = operands<E>(seed), b = operands<E>(seed + 1);
        one_value(op, type)(a.data(), b.data(), expected.data(), kBlock);
        for (const be::Isa isa : {be::Isa::baseline, be::Isa::avx2, be::Isa::avx512}) {
            if (!be::set_isa(isa)) continue;
            be::map_kernel(op, type, be::Form::vv)(a.data(), b.data(), nullptr, found.data(), kBlock);
            for (std::size_t i = 0; i < found.size(); ++i) different += !same_number(found[i], expected[i]);
        }
        be::set_isa(be::best_isa());
    }
    return different;
}

}  // namespace

bool compare_bits(std::size_t count, std::string_view only) {
    std::size_t all = 0;
    const auto report = [&](bc::Op op, bc::DType type, std::size_t different) {
        fmt::print("{} {}: {}\n", bc::name_of(op), bc::name_of(type), different);
        std::fflush(stdout);
        all += different;
    };
    for (const MathsFunction& f : maths_functions()) {
        if (!only.empty() && only != bc::name_of(f.op)) continue;
        report(f.op, bc::DType::f64, differences<double, double>(f.op, count));
        report(f.op, bc::DType::f32, differences<float, float>(f.op, count));
    }
    for (const MathsFunction& f : complex_functions()) {
        if (!only.empty() && only != bc::name_of(f.op)) continue;
        report(f.op, bc::DType::c128, differences<std::complex<double>, double>(f.op, count));
        report(f.op, bc::DType::c64, differences<std::complex<float>, float>(f.op, count));
    }
    return all == 0;
}

}  // namespace xlazy::test
