// SPDX-License-Identifier: BSD-3-Clause
// Builders, ranks, extents of 0 and 1, reshape and resize, construction, printing.
#include "program.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xeval.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xview.hpp>

#include <algorithm>
#include <numeric>

using programs::sample;

namespace {

template <class E>
std::string printed(const E& e) {
    std::ostringstream stream;
    stream << e;
    return stream.str();
}

/// The same statements at any rank.
void at_shape(programs::Out& out, const std::vector<std::size_t>& shape) {
    const xt::xarray<double> a = sample<double>(shape, 1), b = sample<double>(shape, 2);
    xt::xarray<double> c = a + b * 2.0;
    c -= a;
    c = xt::where(c > a, c, a);
    out("c", c);
    out("sum", xt::sum(c)());
    out("size", double(c.size() * 10 + c.dimension()));
    const xt::xarray<int> n = xt::cast<int>(c);
    out("n", n + 1);
    xt::xarray<double> copy = c;
    copy = copy * 2.0;
    out("copy", copy);
    out("original", c);
    out.text("printed", printed(copy));
}

}  // namespace

PROGRAM(shapes, rank_0) { at_shape(out, {}); }
PROGRAM(shapes, rank_1) { at_shape(out, {5}); }
PROGRAM(shapes, rank_2) { at_shape(out, {3, 4}); }
PROGRAM(shapes, rank_3) { at_shape(out, {2, 3, 4}); }
PROGRAM(shapes, rank_4) { at_shape(out, {2, 3, 1, 4}); }
PROGRAM(shapes, rank_5) { at_shape(out, {2, 1, 3, 2, 2}); }
PROGRAM(shapes, rank_7) { at_shape(out, {2, 1, 2, 1, 2, 1, 2}); }
PROGRAM(shapes, one_element) { at_shape(out, {1, 1, 1}); }
PROGRAM(shapes, no_element) { at_shape(out, {0}); }
PROGRAM(shapes, no_element_between) { at_shape(out, {2, 0, 3}); }

PROGRAM(shapes, tensor_ranks) {
    const xt::xtensor<double, 0> none = 3.0;
    const xt::xtensor<double, 1> one = {1.0, 2.0};
    const xt::xtensor<double, 4> four = sample<double>({2, 2, 3, 2}, 3);
    out("0", xt::xtensor<double, 0>(none * 2.0));
    out("0 and 1", one + none);
    out("4", xt::xtensor<double, 4>(four * one + none));
    out("default 1", double(xt::xtensor<double, 1>().size()));
    out("default dynamic", double(xt::xarray<double>().size()));
}

PROGRAM(shapes, builders) {
    xt::xarray<double> zeros = xt::zeros<double>({2, 3});
    xt::xtensor<double, 2> ones = xt::ones<double>({2, 3});
    xt::xarray<int> sevens = xt::full_like(zeros, 7.0);
    out("zeros", zeros);
    out("ones", ones);
    out("full_like", sevens);
    out("zeros_like", xt::zeros_like(ones) + 1.0);
    out("broadcast scalar", xt::broadcast(2.5, {2, 3}) + ones);
    out("arange", xt::arange<double>(7));
    out("arange from to", xt::arange<double>(2.0, 9.0, 0.5));
    out("arange int", xt::arange<int>(3, 20, 4));
    out("arange down", xt::arange<int>(10, 0, -3));
    out("arange in an expression", xt::arange<double>(3) * 2.0 + ones);
    out.ulps("linspace", xt::linspace<double>(0.0, 1.0, 11));
    out.ulps("linspace open", xt::linspace<double>(0.0, 1.0, 10, false));
    out.ulps("linspace float", xt::linspace<float>(-1.0f, 1.0f, 5));
    xt::xarray<double> later;
    later = xt::zeros<double>({3}) + 4.0;
    out("assigned later", later);
    const xt::xarray<bool> flags = xt::zeros<bool>({4});
    out("bool", flags);
}

FALLBACK_PROGRAM(shapes, builders_left_to_xtensor) {
    out("eye", xt::eye<double>(3));
    out("eye with offset", xt::eye<int>({3, 4}, 1));
    const auto grid = xt::meshgrid(xt::arange<double>(3.0), xt::arange<double>(4.0));
    out("meshgrid", std::get<0>(grid) + std::get<1>(grid) * 10.0);
    out.ulps("logspace", xt::logspace<double>(0.0, 2.0, 5));
    const xt::xarray<double> a = sample<double>({3, 3}, 4);
    out("diagonal", xt::diagonal(a));
    out("diag", xt::diag(xt::xarray<double>{1.0, 2.0}));
    out("tril", xt::tril(a));
    out("triu", xt::triu(a));
    xt::xarray<double> empty = xt::empty<double>({2, 2});
    empty.fill(3.0);
    out("empty", empty);
}

PROGRAM(shapes, construction) {
    const xt::xarray<double> nested = {{1, 2, 3}, {4, 5, 6}};
    const xt::xarray<double> deeper = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
    const xt::xarray<int> shaped(std::vector<std::size_t>{2, 3}, 5);
    const xt::xarray<double>::shape_type shape = {2, 2};
    xt::xarray<double> filled(shape, 1.5);
    const auto from_shape = xt::xtensor<int, 2>::from_shape({4, 5});
    const std::array<std::size_t, 2> fixed = {2, 2};
    xt::xtensor<double, 2> tensor(fixed, 2.0);
    out("nested", nested);
    out("deeper", deeper);
    out("shaped", shaped);
    out("filled", filled + tensor);
    out("from_shape", double(from_shape.shape(0) * 10 + from_shape.shape(1)));
    xt::xarray<double> scalar = 2.0;
    out("scalar", scalar);
    scalar = xt::xarray<double>{1.0, 2.0};
    out("then a vector", scalar);
    xt::xarray<double> copy(nested);
    copy(0, 0) = 100.0;
    out("copy", copy);
    xt::xarray<double> moved(std::move(copy));
    out("moved", moved * 2.0);
    copy = nested + 1.0;
    out("moved from, used again", copy);
}

PROGRAM(shapes, reshape_and_resize) {
    xt::xarray<double> a = sample<double>({4, 6}, 5) * 2.0;
    a.reshape({2, 12});
    out("(2, 12)", a);
    a.reshape({3, -1});
    out("(3, -1)", a);
    a.reshape(std::vector<std::size_t>{2, 2, 6});
    out("(2, 2, 6)", a + 1.0);
    xt::xarray<double> b = a * 0.5;
    b.reshape({24});
    b = b + 1.0;
    out("vector", b);
    b.resize({3, 3});
    b.fill(2.0);
    out("resized", b);
    b.resize({3, 3});
    out("resized to the same", b);
    xt::xtensor<double, 2> t = xt::ones<double>({2, 3});
    t.resize({4, 2});
    t = xt::ones<double>({4, 2}) * 3.0;
    out("tensor", t);
    auto v = xt::view(a, 0);
    a.reshape({2, 2, 6});
    out("view of the reshaped", xt::view(a, 1, 1));
}

PROGRAM(shapes, access) {
    xt::xarray<double> a = sample<double>({3, 4}, 6);
    out("(i, j)", a(1, 2));
    out("missing indices", a(2));
    out("more indices", a(0, 1, 2));
    out("[{}]", a[{2, 3}]);
    out("at", a.at(1, 1));
    out("flat", a.flat(7));
    out("front", a.front());
    out("back", a.back());
    out("element", a.element(std::vector<std::size_t>({2, 1}).begin(), std::vector<std::size_t>({2, 1}).end()));
    out("periodic", a.periodic(-1, 5));
    out("in_bounds", double(a.in_bounds(2, 3)));
    a(0, 0) = 5.0;
    a(1, 1) += 2.0;
    a[{2, 2}] *= 2.0;
    a.flat(3) = -1.0;
    out("a", a);
    xt::xarray<double> line = {1.0, 2.0, 3.0};
    line[1] = 9.0;
    out("line", line);
    out("storage", a.storage()[5]);
    out("data", a.data()[6]);
    out("strides", double(a.strides()[0] * 10 + a.strides()[1]));
    bool thrown = false;
    try {
        (void)a.at(3, 0);
    } catch (const std::exception&) {
        thrown = true;
    }
    out("at throws", double(thrown));
}

PROGRAM(shapes, iteration) {
    xt::xarray<double> a = sample<double>({3, 4}, 7);
    double total = 0;
    for (const double value : a) total = total * 1.5 + value;
    out("for", total);
    for (double& value : a) value += 1.0;
    out("written", a);
    out("accumulate", std::accumulate(a.cbegin(), a.cend(), 0.0));
    std::sort(a.begin(), a.end());
    out("sorted", a);
    std::reverse(a.storage().begin(), a.storage().end());
    out("reversed", a);
    const std::vector<double> copy(a.begin(), a.end());
    out("copied", copy[5]);
    std::copy(copy.begin(), copy.end(), a.rbegin());
    out("copied back", a);
    double by_column = 0;
    for (auto it = a.begin<xt::layout_type::column_major>(); it != a.end<xt::layout_type::column_major>(); ++it) {
        by_column = by_column * 1.5 + *it;
    }
    out("by column", by_column);
    std::fill(a.begin(), a.end(), 2.0);
    a = a * 3.0;
    out("filled and multiplied", a);
    double largest = *std::max_element(a.cbegin(), a.cend());
    out("largest", largest);
}

PROGRAM(shapes, printing) {
    const xt::xarray<double> a = {{1.5, 2.25}, {-3.0, 1e10}};
    const xt::xarray<int> n = {1, 22, 333};
    const xt::xarray<bool> b = {true, false};
    out.text("a", printed(a));
    out.text("a * 2", printed(a * 2.0));
    out.text("view", printed(xt::view(a, 1)));
    out.text("n", printed(n));
    out.text("b", printed(b));
    out.text("sum", printed(xt::sum(a, {0})));
    out.text("large", printed(xt::xarray<int>(xt::arange<int>(2000))));
}

PROGRAM(shapes, eval) {
    const xt::xarray<double> a = sample<double>({3, 4}, 8);
    auto sum = xt::eval(a + 1.0);
    auto&& same = xt::eval(a);
    out("sum", sum);
    out("same", double(&same == &a));
    auto view = xt::eval(xt::view(a, 1));
    out("view", view);
}

PROGRAM(shapes, foreign_memory) {
    std::vector<double> memory = {1, 2, 3, 4, 5, 6};
    auto adapted = xt::adapt(memory, {2, 3});
    const xt::xarray<double> a = sample<double>({2, 3}, 9);
    xt::xarray<double> sum = a + adapted;
    memory[0] = 100;
    out("sum", sum);
    adapted = a * 2.0;
    out("memory[1]", memory[1]);
    adapted += a;
    out("memory[2]", memory[2]);
    xt::view(adapted, 1) = xt::view(a, 0);
    out("memory[4]", memory[4]);
    xt::noalias(adapted) = adapted * a;
    out("memory[5]", memory[5]);
    xt::xtensor_fixed<double, xt::xshape<2, 3>> fixed = a + 1.0;
    out("fixed", fixed(1, 1));
    xt::xarray<double> b = fixed * a;
    fixed(0, 0) = -1.0;
    out("b", b);
    double raw[4] = {1, 2, 3, 4};
    double* const first = raw;
    auto pointer = xt::adapt(first, 4, xt::no_ownership(), std::array<std::size_t, 1>{4});
    xt::xarray<double> c = pointer * 2.0;
    raw[3] = 0;
    out("c", c);
}

PROGRAM(shapes, element_types_that_are_not_recorded) {
    xt::xarray<std::size_t> n = {1, 2, 3};
    n += 1u;
    n = n * n;
    out("size_t", n);
    xt::xarray<std::uint8_t> bytes = {250, 3};
    bytes += std::uint8_t(10);
    out("uint8", bytes);
    xt::xarray<std::string> words = {"a", "bc"};
    words(0) += "z";
    out("string", words);
    xt::xarray<long double> wide = {1.0L, 2.0L};
    out("long double", double(wide(1) * 2.0L));
    const xt::xarray<double> a = sample<double>({3}, 10);
    xt::xarray<double> both = a * n;
    out("with double", both);
    out("to int", xt::xarray<int>(n));
    out("sum", double(xt::sum(n)()));
}
