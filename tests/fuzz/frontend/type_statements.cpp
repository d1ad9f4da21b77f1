// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/frontend/statements.hpp"

#include <xtensor/xcomplex.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xoperation.hpp>
#include <xtensor/xreducer.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xview.hpp>

namespace xlazy::fuzz::XLAZY_FUZZ_LIBRARY {
namespace {

// ---- integers

template <class T>
void add(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>(), &c = w.typed<T>();
    exact(a, b, c);
    a.array = b.array + c.array;
}
template <class T>
void multiply(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>(), &c = w.typed<T>();
    exact(a, b, c);
    a.array = (b.array % T(11)) * (c.array % T(13)) - T(1);
}
template <class T>
void divide(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>(), &c = w.typed<T>();
    exact(a, b, c);
    a.array = b.array / (xt::abs(c.array) | T(1));
}
template <class T>
void bits(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>(), &c = w.typed<T>();
    exact(a, b, c);
    a.array = (b.array & c.array) | (~b.array ^ T(5));
}
template <class T>
void shifts(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>(), &c = w.typed<T>();
    exact(a, b, c);
    a.array = xt::left_shift(xt::abs(b.array) & T(15), c.array & T(3)) + (b.array >> T(1));
}
template <class T>
void bounds(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>(), &c = w.typed<T>();
    exact(a, b, c);
    a.array = xt::clip(b.array, T(1), T(9)) + xt::minimum(c.array, T(3)) + xt::sign(b.array);
}
template <class T>
void to_doubles(World& w) {
    auto &b = w.typed<T>(), &c = w.typed<T>();
    auto& d = w.matrix();
    exact(d, b, c);
    d.array = b.array * 0.5 + c.array;
}
template <class T>
void compare(World& w) {
    auto &b = w.typed<T>(), &c = w.typed<T>();
    auto& m = w.mask();
    exact(m, b, c);
    m.array = b.array < c.array || xt::equal(b.array, T(3));
}
template <class T>
void compare_with_int(World& w) {
    auto& b = w.typed<T>();
    auto& i = w.integer();
    auto& m = w.mask();
    exact(m, b, i);
    m.array = b.array >= i.array;
}
template <class T>
void from_int(World& w) {
    auto& a = w.typed<T>();
    auto& i = w.integer();
    exact(a, i);
    a.array = xt::cast<T>(i.array % 100);
}
template <class T>
void choose(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>(), &c = w.typed<T>();
    auto& m = w.mask();
    exact(a, b, c, m);
    a.array = xt::where(m.array, b.array, c.array);
}
template <class T>
void sum(World& w) {
    auto& b = w.typed<T>();
    auto& k = w.whole();
    exact(k, b);
    k.array = xt::cast<long>(xt::sum(b.array % T(50), {0}));
}
template <class T>
void show_reductions(World& w) {
    auto& b = w.typed<T>();
    w.show_value("amax", xt::amax(b.array)(), b.exact);
    w.show_value("amin", xt::amin(b.array)(), b.exact);
    w.show_value("argmax", xt::argmax(b.array)(), b.exact);
    w.show_value("count", xt::count_nonzero(b.array)(), b.exact);
    w.show_value("any", xt::any(b.array > T(30)), b.exact);
}
template <class T>
void update(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>();
    exact_part(a, b);
    a.array += b.array;
    a.array %= T(31);
    a.array *= T(3);
}
template <class T>
void rows(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>();
    exact_part(a, b);
    const auto to = w.random_row(), from = w.random_row();
    xt::view(a.array, to, xt::all()) = xt::view(b.array, from, xt::all());
}

// ---- complex numbers

template <class T>
void complex_add(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>(), &c = w.typed<T>();
    exact(a, b, c);
    a.array = b.array + xt::conj(c.array);
}
template <class T>
void complex_multiply(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>(), &c = w.typed<T>();
    exact(a, b, c);
    a.array = b.array * c.array * typename T::value_type(0.25);
}
template <class T>
void complex_divide(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>(), &c = w.typed<T>();
    rounded(a);
    a.array = b.array / (c.array + T(1, 2));
}
template <class T>
void set_real(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>();
    exact_part(a, b);
    xt::real(a.array) = xt::imag(b.array) + typename T::value_type(1);
}
template <class T>
void scale_imaginary(World& w) {
    auto& a = w.typed<T>();
    xt::imag(a.array) *= typename T::value_type(0.5);
}
template <class T>
void norms(World& w) {
    auto& b = w.typed<T>();
    auto& d = w.matrix();
    exact(d, b);
    d.array = xt::norm(b.array) - xt::real(b.array);
}
template <class T>
void magnitudes(World& w) {
    auto& b = w.typed<T>();
    auto& d = w.matrix();
    rounded(d);
    d.array = xt::abs(b.array) + xt::arg(b.array);
}
template <class T>
void from_parts(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>();
    auto& p = w.floating();
    exact(a, b, p);
    a.array = xt::cast<T>(p.array) - b.array;
}
template <class T>
void complex_compare(World& w) {
    auto &b = w.typed<T>(), &c = w.typed<T>();
    auto& m = w.mask();
    exact(m, b, c);
    m.array = xt::equal(b.array, c.array) || xt::isfinite(b.array);
}
template <class T>
void complex_update(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>();
    exact_part(a, b);
    a.array += b.array;
    a.array *= T(0, typename T::value_type(0.5));
}
template <class T>
void complex_functions(World& w) {
    auto &a = w.typed<T>(), &b = w.typed<T>();
    rounded(a);
    a.array = xt::exp(b.array * T(0, 1)) + xt::sqrt(b.array);
}
template <class T>
void complex_sum(World& w) {
    auto& b = w.typed<T>();
    auto& v = w.row();
    rounded(v);
    v.array = xt::imag(xt::eval(xt::sum(b.array, {0})));
}

#define XLAZY_INTEGER_STATEMENTS(T)                                                                                 \
    {#T ": a = b + c", add<T>}, {#T ": a = b * c", multiply<T>}, {#T ": a = b / c", divide<T>},                     \
        {#T ": bits", bits<T>}, {#T ": shifts", shifts<T>}, {#T ": clip, minimum, sign", bounds<T>},                \
        {#T ": d = b * 0.5 + c", to_doubles<T>}, {#T ": m = b < c", compare<T>},                                    \
        {#T ": m = b >= i", compare_with_int<T>}, {#T ": a = cast(i)", from_int<T>}, {#T ": where", choose<T>},     \
        {#T ": k = sum(b, 0)", sum<T>}, {#T ": show reductions", show_reductions<T>}, {#T ": a += b", update<T>}, { \
        #T ": view(a, i) = view(b, j)", rows<T>                                                                     \
    }
#define XLAZY_COMPLEX_STATEMENTS(T)                                                               \
    {#T ": a = b + conj(c)", complex_add<T>}, {#T ": a = b * c", complex_multiply<T>},            \
        {#T ": a = b / c", complex_divide<T>}, {#T ": real(a) = imag(b)", set_real<T>},           \
        {#T ": imag(a) *= 0.5", scale_imaginary<T>}, {#T ": d = norm(b)", norms<T>},              \
        {#T ": d = abs(b) + arg(b)", magnitudes<T>}, {#T ": a = cast(p)", from_parts<T>},         \
        {#T ": m = equal(b, c)", complex_compare<T>}, {#T ": a += b", complex_update<T>},         \
        {#T ": exp, sqrt", complex_functions<T>}, {#T ": v = imag(sum(b, 0))", complex_sum<T>}, { \
        #T ": view(a, i) = view(b, j)", rows<T>                                                   \
    }

}  // namespace

std::vector<Statement> type_statements() {
    using i8 = std::int8_t;
    using i16 = std::int16_t;
    using i64 = std::int64_t;
    using u8 = std::uint8_t;
    using u16 = std::uint16_t;
    using u32 = std::uint32_t;
    using u64 = std::uint64_t;
    using c64 = std::complex<float>;
    using c128 = std::complex<double>;
    return {
        XLAZY_INTEGER_STATEMENTS(i8),  XLAZY_INTEGER_STATEMENTS(i16), XLAZY_INTEGER_STATEMENTS(i64),
        XLAZY_INTEGER_STATEMENTS(u8),  XLAZY_INTEGER_STATEMENTS(u16), XLAZY_INTEGER_STATEMENTS(u32),
        XLAZY_INTEGER_STATEMENTS(u64), XLAZY_COMPLEX_STATEMENTS(c64), XLAZY_COMPLEX_STATEMENTS(c128),
    };
}

}  // namespace xlazy::fuzz::XLAZY_FUZZ_LIBRARY
