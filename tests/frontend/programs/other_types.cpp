// SPDX-License-Identifier: BSD-3-Clause
// Element types that are not recorded, in one program with those that are; and different types of one size.
#include "dtypes.hpp"

#include <string>

#include <xtensor/xoptional.hpp>
#include <xtensor/xview.hpp>

using namespace programs;

namespace {

struct Money {
    long cents = 0;
    friend Money operator+(Money a, Money b) { return {a.cents + b.cents}; }
};

template <class T, class U>
void same_size(Out& out) {
    const xt::xarray<T> a = values<T>(1);
    const xt::xarray<U> b = values<U>(2);
    static_assert(has_type<decltype(T() + U()), decltype(a + b)>);
    static_assert(has_type<T, decltype(xt::maximum(a, a))>);
    static_assert(has_type<std::common_type_t<T, U>, decltype(xt::where(a, a, b))>);
    out("+", a + b);
    out("- and *", (a - b) * a);
    out("<", a < b);
    out("sum", xt::sum(a));
    xt::xarray<U> c = a;
    c += a;
    out("assigned", c);
}

}  // namespace

PROGRAM(other_types, long_and_long_long) { same_size<long, long long>(out); }
PROGRAM(other_types, unsigned_long_and_unsigned_long_long) { same_size<unsigned long, unsigned long long>(out); }
PROGRAM(other_types, long_long_and_unsigned_long) { same_size<long long, unsigned long>(out); }
PROGRAM(other_types, signed_and_unsigned_char) { same_size<signed char, unsigned char>(out); }
PROGRAM(other_types, char_and_signed_char) { same_size<char, signed char>(out); }
PROGRAM(other_types, signed_char_and_char) { same_size<signed char, char>(out); }
PROGRAM(other_types, wide_characters) { same_size<char16_t, unsigned short>(out); }

PROGRAM(other_types, text) {
    xt::xtensor<char, 1> a = {'x', 't', 'e', 'n', 's', 'o', 'r'};
    static_assert(has_type<int, decltype(a + a)>);
    static_assert(has_type<char, decltype(xt::where(a < 'n', a, a))>);
    out("quotient", a / 7);
    out("codes", xt::cast<int>(a) * 2);
    a -= char('a' - 'A');
    out("changed", a);
    xt::view(a, xt::range(1, 3)) = '-';
    out("view", a);
    out("largest", xt::amax(a));
}

FALLBACK_PROGRAM(other_types, long_double) {
    const xt::xarray<double> a = sample<double>({3, 4}, 1);
    xt::xarray<long double> wide = a;
    wide = wide * 3.0L + a;
    const xt::xarray<double> back = wide;
    out("back", back);
    out("mixed", xt::cast<double>(a * 0.1L));
    out("sum", xt::cast<double>(xt::sum(wide, {0})));
    static_assert(has_type<long double, decltype(a + wide)>);
    xt::xarray<float> narrow = wide / 7.0L;
    out("narrow", narrow);
    out("in an expression", a + xt::cast<double>(wide) * 2.0);
    xt::view(wide, 0, xt::all()) = xt::view(a, 1, xt::all());
    out("a row", xt::cast<double>(wide));
}

FALLBACK_PROGRAM(other_types, strings) {
    xt::xarray<std::string> words = xt::xarray<std::string>::from_shape({2, 2});
    words.fill("a");
    const xt::xarray<int> numbers = {{1, 2}, {3, 4}};
    words = words + std::string("x");
    words(0, 1) += "y";
    xt::view(words, 1, xt::all()) = std::string("p");
    out("words", words);
    out("equal", xt::equal(words, std::string("ax")));
    out("numbers", numbers * 2);
}

FALLBACK_PROGRAM(other_types, structs) {
    const xt::xarray<Money> purse = {Money{5}, Money{7}};
    const xt::xarray<Money> both = purse + purse;
    out("cents", both(0).cents + both(1).cents);
    const xt::xarray<int> numbers = {1, 2};
    out("numbers", numbers + 1);
}

FALLBACK_PROGRAM(other_types, optional) {
    const xt::xarray<double> a = {1.0, 2.0, 3.0};
    const xt::xarray_optional<double> o = {1.0, xtl::missing<double>(), 3.0};
    const xt::xarray_optional<double> sum = o + a;
    out("has value", xt::cast<bool>(sum.has_value()));
    out("value", xt::cast<double>(sum.value()));
    out("a", a * 2.0);
}

PROGRAM(other_types, scalars_of_every_type) {
    const xt::xarray<u8> a = values<u8>(1);
    const xt::xarray<float> f = values<float>(2);
    const xt::xarray<bool> b = values<bool>(3);
    static_assert(has_type<float, decltype(a + 1.0f)>);
    static_assert(has_type<int, decltype(a + u8(1))>);
    static_assert(has_type<int, decltype(a * true)>);
    static_assert(has_type<unsigned, decltype(a - 1u)>);
    static_assert(has_type<double, decltype(f * 2.0)>);
    static_assert(has_type<c128, decltype(f * c128(0, 1))>);
    static_assert(has_type<int, decltype(b + b)>);
    static_assert(has_type<int, decltype(-b)>);
    out("float", a + 1.0f);
    out("u8", a + u8(250));
    out("bool", a * true);
    out("unsigned", a - 1u);
    out("char", a + 'a');
    out("unsigned long long", a - 300ull);
    out("long long", a * -3ll);
    out("double", f * 2.0);
    out("complex", f * c128(0, 1));
    out("complex of float", a * c64(2, 1));
    out("bool + bool", b + b);
    out("bool * bool", b * b);
    out("-bool", -b);
    out("bool + true", b + true);
    xt::xarray<u8> c = {1, 2, 3, 250};
    c += 3.9;
    c -= 5;
    c *= u8(3);
    out("compound", c);
    xt::xarray<bool> d = b;
    d += b;
    d *= 3;
    out("bool compound", d);
}
