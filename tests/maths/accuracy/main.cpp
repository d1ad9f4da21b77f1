// SPDX-License-Identifier: BSD-3-Clause
// xlazy-accuracy [--doubles N] [--stride N] [--function NAME] [--errors FILE] [--bits N]: the maths library's greatest
// errors, against MPFR for doubles and against the C library's double functions for floats, and what an element costs
// in the first-level cache. Prints docs/maths.md. Doubles: N random arguments of several kinds, and hard ones. Floats:
// every N-th of all, for functions of one argument. FILE gets what was found as rows of a table. --bits: instead, the
// numbers of N random operands whose values differ between instruction sets and the text that a GPU gets: all 0.
#include "maths/accuracy/bits.hpp"
#include "maths/inputs.hpp"
#include "xlazy/backends/maths_table.hpp"

#include <fmt/core.h>
#include <mpfr.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

namespace {

using namespace xlazy;
using namespace xlazy::test;
using bc::Op;

struct Worst {
    double ulps = 0;
    double a = 0, b = 0;
    void take(double error, double x, double y) {
        if (error > ulps) *this = {error, x, y};
    }
};

int mpfr_tgamma(mpfr_t r, const mpfr_t a, mpfr_rnd_t mode) { return mpfr_gamma(r, a, mode); }
int mpfr_lgamma(mpfr_t r, const mpfr_t a, mpfr_rnd_t mode) {
    int sign;
    return ::mpfr_lgamma(r, &sign, a, mode);
}

int reference(Op op, mpfr_t r, const mpfr_t a, const mpfr_t b) {
    switch (op) {
#define XLAZY_REFERENCE_1(id) \
    case Op::id: return mpfr_##id(r, a, MPFR_RNDN);
#define XLAZY_REFERENCE_2(id) \
    case Op::id: return mpfr_##id(r, a, b, MPFR_RNDN);
#define XLAZY_MATHS(id, arity, file) XLAZY_REFERENCE_##arity(id)
#include "math/functions.def"
        default: return 0;
    }
}
double reference(Op op, double a, double b) {
    switch (op) {
#define XLAZY_DOUBLE_1(id) \
    case Op::id: return std::id(a);
#define XLAZY_DOUBLE_2(id) \
    case Op::id: return std::id(a, b);
#define XLAZY_MATHS(id, arity, file) XLAZY_DOUBLE_##arity(id)
#include "math/functions.def"
        default: return 0;
    }
}

/// The unit in the last place of T at a magnitude.
template <class T>
double unit(double value) {
    using Limits = std::numeric_limits<T>;
    int exponent;
    std::frexp(value, &exponent);
    return std::ldexp(1.0, std::max(exponent, Limits::min_exponent) - Limits::digits);
}

/// Worst error of T's function where the result is finite and no power of two beyond T; wrong special values count as
/// infinite errors.
void compare_doubles(Op op, const std::vector<double>& a, const std::vector<double>& b, Worst& worst) {
    const auto values = values_of(op, a, b);
    mpfr_t x, y, r;
    mpfr_inits2(53, x, y, nullptr);
    mpfr_init2(r, 130);
    for (std::size_t i = 0; i < a.size(); ++i) {
        mpfr_set_d(x, a[i], MPFR_RNDN);
        mpfr_set_d(y, b[i], MPFR_RNDN);
        reference(op, r, x, y);
        const double rounded = mpfr_get_d(r, MPFR_RNDN), value = values[i];
        if (same_number(rounded, value)) {
            if (!std::isfinite(value)) continue;
        } else if (!std::isfinite(rounded) || !std::isfinite(value)) {
            const bool at_limit = std::abs(rounded) == std::numeric_limits<double>::max() ||
                                  std::abs(value) == std::numeric_limits<double>::max();
            worst.take(at_limit ? 1.0 : std::numeric_limits<double>::infinity(), a[i], b[i]);
            continue;
        }
        mpfr_sub_d(r, r, value, MPFR_RNDN);
        mpfr_div_d(r, r, unit<double>(rounded), MPFR_RNDN);
        worst.take(std::abs(mpfr_get_d(r, MPFR_RNDN)), a[i], b[i]);
    }
    mpfr_clears(x, y, r, nullptr);
}
void compare_floats(Op op, const std::vector<float>& a, const std::vector<float>& b, Worst& worst) {
    const auto values = values_of(op, a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double exact = op == Op::pow && b[i] == 2 ? static_cast<double>(a[i]) * a[i] : reference(op, a[i], b[i]);
        const float rounded = static_cast<float>(exact), value = values[i];
        if (same_number(rounded, value)) {
            if (!std::isfinite(value)) continue;
        } else if (!std::isfinite(rounded) || !std::isfinite(value)) {
            const bool at_limit = std::abs(rounded) == std::numeric_limits<float>::max() ||
                                  std::abs(value) == std::numeric_limits<float>::max();
            worst.take(at_limit ? 1.0 : std::numeric_limits<double>::infinity(), a[i], b[i]);
            continue;
        }
        worst.take(std::abs(exact - value) / unit<float>(exact), a[i], b[i]);
    }
}

/// Doubles closest to multiples of pi / 2, and arguments next to zeros and limits of several functions.
std::vector<double> hard_doubles() {
    std::vector<double> hard{0x1.6ac5b262ca1ffp+849, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+1, 0x1.2d97c7f3321d2p+2,
                             0x1.5fdbbe9bba775p+3,   0x1.ba3f2c4da9c3cp+4, 0x1.46776ef28e0bap+5, 0x1.5f3ba8ea51b7p+10,
                             0x1.ef1a4f7a5c1a6p+20,  0x1.c65aef8b85fd1p+35};
    mpfr_t pi, x;
    mpfr_init2(pi, 1300);
    mpfr_init2(x, 1300);
    mpfr_const_pi(pi, MPFR_RNDN);
    std::mt19937_64 random(5);
    for (int i = 0; i < 20000; ++i) {  // the doubles next to n pi / 2
        mpfr_mul_ui(x, pi, static_cast<unsigned long>(i < 4000 ? i + 1 : random() >> (random() % 44 + 20)), MPFR_RNDN);
        mpfr_div_2ui(x, x, 1, MPFR_RNDN);
        hard.push_back(mpfr_get_d(x, MPFR_RNDN));
    }
    mpfr_clears(pi, x, nullptr);
    for (const double special : special_values<double>()) hard.push_back(special);
    return hard;
}

Worst doubles(const MathsFunction& f, std::size_t count) {
    Worst worst;
    const auto hard = hard_doubles();
    compare_doubles(f.op, hard, random_arguments<double>(hard.size(), 7), worst);
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    constexpr std::size_t block = 50000;
    std::vector<Worst> found(threads);
    std::vector<std::thread> running;
    for (unsigned t = 0; t < threads; ++t) {
        running.emplace_back([&, t] {
            for (std::size_t done = t * block; done < count; done += threads * block) {
                const auto seed = static_cast<unsigned>(done / block * 2 + 11);
                compare_doubles(f.op, random_arguments<double>(block, seed), random_arguments<double>(block, seed + 1),
                                found[t]);
            }
            mpfr_free_cache();
        });
    }
    for (std::thread& thread : running) thread.join();
    for (const Worst& each : found) worst.take(each.ulps, each.a, each.b);
    return worst;
}

Worst floats(const MathsFunction& f, std::uint64_t stride) {
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<Worst> found(threads);
    std::vector<std::thread> running;
    for (unsigned t = 0; t < threads; ++t) {
        running.emplace_back([&, t] {
            constexpr std::uint64_t block = 1 << 16, all = std::uint64_t{1} << 32;
            std::vector<float> a, b;
            for (std::uint64_t begin = t * block * stride; begin < all; begin += threads * block * stride) {
                a.clear();
                for (std::uint64_t k = 0; k < block && begin + k * stride < all; ++k)
                    a.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(begin + k * stride)));
                b = f.arity == 1 ? a : random_arguments<float>(a.size(), static_cast<unsigned>(begin / block));
                compare_floats(f.op, a, b, found[t]);
            }
        });
    }
    for (std::thread& thread : running) thread.join();
    Worst worst;
    for (const Worst& each : found) worst.take(each.ulps, each.a, each.b);
    return worst;
}

std::string costs(Op op, bc::DType type) {
    std::string text;
    for (const be::Isa isa : {be::Isa::avx512, be::Isa::avx2})
        text += be::set_isa(isa) ? fmt::format(" {:.2f} |", be::maths_cost(op, type, 300)) : " |";
    be::set_isa(be::best_isa());
    return text;
}

template <class W>
std::complex<W> complex_reference(Op op, std::complex<W> a, std::complex<W> b) {
    switch (op) {
#define XLAZY_COMPLEX_1(id) \
    case Op::id: return std::id(a);
#define XLAZY_COMPLEX_2(id) \
    case Op::id: return std::id(a, b);
#define XLAZY_COMPLEX_MATHS(id, arity, result) XLAZY_COMPLEX_##arity(id)
#include "math/functions.def"
        default: return {};
    }
}

/// The error of a part, 0 where the exact one is beyond T's range.
template <class T, class W>
double part_error(T value, W exact, W scale) {
    if (!std::isfinite(static_cast<T>(exact)) || !std::isfinite(value)) return 0;
    int exponent = 0;
    std::frexp(scale, &exponent);
    using Limits = std::numeric_limits<T>;
    return static_cast<double>(std::abs(exact - static_cast<W>(value)) /
                               std::ldexp(W(1), std::max(exponent, Limits::min_exponent) - Limits::digits));
}

/// Against the C library's functions of more digits. Of powers, whose errors grow with the exponent's size: of numbers
/// between -4 and 4, by the whole number.
template <class T, class W>
double complex_error(const MathsFunction& f, std::size_t count) {
    constexpr std::size_t block = 50000;
    double worst = 0;
    for (std::size_t done = 0; done < count; done += block) {
        const auto seed = static_cast<unsigned>(done / block + 31);
        std::vector<std::complex<T>> a = complex_arguments<T>(block, seed), b = a;
        if (f.op == Op::pow) {
            std::mt19937_64 random(seed);
            std::uniform_real_distribution<T> part(-4, 4);
            for (std::size_t i = 0; i < block; ++i) a[i] = {part(random), part(random)}, b[i] = part(random) / 4;
        }
        const bc::DType type = bc::dtype_of<std::complex<T>>();
        const std::size_t parts = bc::is_complex(bc::result_of(f.op, type)) ? 2 : 1;
        std::vector<T> values(parts * block);
        be::map_kernel(f.op, type, be::Form::vv)(a.data(), b.data(), nullptr, values.data(), block);
        for (std::size_t i = 0; i < block; ++i) {
            const std::complex<W> exact = complex_reference(f.op, std::complex<W>(a[i]), std::complex<W>(b[i]));
            const W re = exact.real(), im = exact.imag(), size = std::abs(exact);
            const bool whole = f.op == Op::pow;
            worst = std::max(worst, part_error(values[parts * i], re, whole ? size : re));
            if (parts == 2) worst = std::max(worst, part_error(values[2 * i + 1], im, whole ? size : im));
        }
    }
    return worst;
}

constexpr std::string_view kHead =
    R"(# Mathematical functions

Every tier computes these functions from one text, `backends/math`: the tile interpreter's loops for each instruction
set, compiled kernels, and code for GPUs; no op calls the C library's. No result depends on the instruction set, the
width of vectors or an element's place. Special values are those of C99, Annex F, for complex numbers of Annex G;
subnormal numbers and arguments of any size are right. `pow` with an exponent of exactly 2 is `x * x`; other
integers below 16 are products in two numbers. The algorithms are
named in the files; `backends/math/coefficients` has the programs that made the constants.

`./run accuracy` prints this page. Errors are in units in the last place of the exact result, the greatest found: for
doubles among {} random arguments and hard ones (next to multiples of pi / 2, limits of range) against MPFR, for floats
among every {}th number against double precision. Costs are nanoseconds an element in the first-level cache, on one
core of the machine that printed the page; `xlazy-info --math` measures them on another.

Larger sweeps so far, 10 million doubles and all 2^32 floats each: exp 0.664 and 0.764, log 0.676 and 0.905, expm1 0.804
and 0.793. `xlazy-accuracy --bits 1000000`: a million random operands of every real function and type have the same bits
in the AVX-512, AVX2 and baseline loops and in the text that GPUs get, compiled for the host.

| function | f64 error | f32 error | f64 AVX-512 | f64 AVX2 | f32 AVX-512 | f32 AVX2 |
|---|---|---|---|---|---|---|
)";
constexpr std::string_view kComplexHead =
    R"(
Complex numbers: the greater error of the two parts, each in its own units, among {} random arguments on and off the
axes, near the unit circle and near 1, against the C library's functions of more digits. Powers: in units of the whole
number; those of doubles grow with the exponent, to 4 + 2 |b log a| units of a^b, those of floats stay below one.

| function | c128 error | c64 error | c128 AVX-512 | c128 AVX2 | c64 AVX-512 | c64 AVX2 |
|---|---|---|---|---|---|---|
)";

/// What is found goes to backends/math/errors.def.
void write_errors(const char* path, const std::string& rows) {
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) return std::perror(path);
    fmt::print(file,
               "// SPDX-License-Identifier: BSD-3-Clause\n"
               "// The greatest errors that xlazy-accuracy found, which wrote this file, in units in the last place:\n"
               "// XLAZY_MATHS_ERROR(id, doubles, floats), XLAZY_COMPLEX_ERROR(id, doubles, floats).\n"
               "#ifndef XLAZY_MATHS_ERROR\n#define XLAZY_MATHS_ERROR(id, doubles, floats)\n#endif\n"
               "#ifndef XLAZY_COMPLEX_ERROR\n#define XLAZY_COMPLEX_ERROR(id, doubles, floats)\n#endif\n\n"
               "{}\n#undef XLAZY_MATHS_ERROR\n#undef XLAZY_COMPLEX_ERROR\n",
               rows);
    std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t count = 1000000;
    std::uint64_t stride = 97;
    std::string_view only;
    const char* table = nullptr;
    std::size_t bits = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view option = argv[i];
        if (option == "--doubles") count = std::strtoull(argv[i + 1], nullptr, 10);
        if (option == "--stride") stride = std::max(1ull, std::strtoull(argv[i + 1], nullptr, 10));
        if (option == "--function") only = argv[i + 1];
        if (option == "--errors") table = argv[i + 1];
        if (option == "--bits") bits = std::strtoull(argv[i + 1], nullptr, 10);
    }
    if (bits != 0) return compare_bits(bits, only) ? 0 : 1;
    fmt::print(fmt::runtime(kHead), count, stride);
    bool within = true;
    std::string errors;
    for (const MathsFunction& f : maths_functions()) {
        if (!only.empty() && only != bc::name_of(f.op)) continue;
        const Worst d = doubles(f, count), s = floats(f, stride);
        fmt::print("| `{}` | {:.3f} | {:.3f} |{}{}\n", bc::name_of(f.op), d.ulps, s.ulps, costs(f.op, bc::DType::f64),
                   costs(f.op, bc::DType::f32));
        errors += fmt::format("XLAZY_MATHS_ERROR({}, {:.3f}, {:.3f})\n", bc::name_of(f.op), d.ulps, s.ulps);
        std::fflush(stdout);
        for (const Worst& worst : {d, s}) {
            if (worst.ulps <= most_ulps(f.op)) continue;
            within = false;
            fmt::print(stderr, "{}({:a}, {:a}): {} ULP\n", bc::name_of(f.op), worst.a, worst.b, worst.ulps);
        }
    }
    fmt::print(fmt::runtime(kComplexHead), count);
    for (const MathsFunction& f : complex_functions()) {
        if (!only.empty() && only != bc::name_of(f.op)) continue;
        const double d = complex_error<double, long double>(f, count), s = complex_error<float, double>(f, count);
        fmt::print("| `{}` | {:.3f} | {:.3f} |{}{}\n", bc::name_of(f.op), d, s, costs(f.op, bc::DType::c128),
                   costs(f.op, bc::DType::c64));
        errors += fmt::format("XLAZY_COMPLEX_ERROR({}, {:.3f}, {:.3f})\n", bc::name_of(f.op), d, s);
        std::fflush(stdout);
        if (std::max(d, s) <= 4 || f.op == Op::pow) continue;
        within = false;
        fmt::print(stderr, "complex {}: {} and {} ULP\n", bc::name_of(f.op), d, s);
    }
    if (table != nullptr) write_errors(table, errors);
    return within ? 0 : 1;
}
