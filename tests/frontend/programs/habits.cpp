// SPDX-License-Identifier: BSD-3-Clause
// How people write xtensor programs: whole namespaces in use, templates of their own, traits, interfaces in terms of
// xexpression, pointers handed to other libraries, thousands of tiny slices.
#include "program.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xeval.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xrandom.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xview.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <tuple>

// A library adds a trait of its own to xtensor's namespace.
namespace xt {

template <class E>
struct user_rank {
    static constexpr std::size_t value = std::size_t(-1);
};
template <class T, std::size_t N>
struct user_rank<xtensor<T, N>> {
    static constexpr std::size_t value = N;
};

template <class E>
inline auto user_double(E&& e) {
    return std::forward<E>(e) * 2.0;
}

}  // namespace xt

namespace user {

using programs::sample;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

template <class T>
using array_of = xt::xtensor<T, 2>;

/// Containers chosen by a trait.
struct dynamic_containers {
    template <class T>
    using type = xt::xarray<T>;
};
struct fixed_containers {
    template <class T>
    using type = xt::xtensor<T, 2>;
};

template <class Containers>
double generic_norm(const typename Containers::template type<double>& a) {
    typename Containers::template type<double> squared = a * a;
    return std::sqrt(xt::sum(squared)());
}

double mean_of(const xt::xarray<double>& a) { return xt::mean(a)(); }
void scale(xt::xarray<double>& a, double by) { a *= by; }
xt::xarray<double> doubled(xt::xarray<double> a) {
    a += a;
    return a;
}
void reset(matrix& m) { m = xt::zeros<double>({2, 2}); }
matrix outer(const vector& a, const vector& b) { return xt::view(a, xt::all(), xt::newaxis()) * b; }

template <class E>
double total(const xt::xexpression<E>& expression) {
    const E& e = expression.derived_cast();
    return xt::sum(e)();
}

template <class E1, class E2>
auto distance(const xt::xexpression<E1>& a, const xt::xexpression<E2>& b) {
    return xt::abs(a.derived_cast() - b.derived_cast());
}

template <class E>
auto lower_half(E&& e) {
    return xt::view(std::forward<E>(e), xt::range(0, 2));
}

auto lazily(const matrix& m) { return m * 2.0 + 1.0; }

template <class E, class = std::enable_if_t<xt::is_xexpression<std::decay_t<E>>::value>>
auto halved(E&& e) {
    return std::forward<E>(e) / 2.0;
}
inline double halved(double value) { return value / 2.0; }

/// A class with arrays as members.
class filter {
public:
    explicit filter(std::size_t size) : weights_(xt::ones<double>({size})), state_(xt::zeros<double>({size})) {}
    const vector& state() const { return state_; }
    vector& weights() { return weights_; }
    void step(const vector& input) {
        state_ = 0.5 * state_ + weights_ * input;
        ++steps_;
    }
    double energy() const { return xt::sum(xt::square(state_))(); }

private:
    vector weights_, state_;
    int steps_ = 0;
};

}  // namespace user

PROGRAM(habits, whole_namespace) {
    using namespace xt;
    xarray<double> a = programs::sample<double>({4, 5}, 1);
    xtensor<double, 2> b = ones<double>({4, 5});
    auto c = a + b;
    view(a, 0, all()) = sin(view(b, 1)) * 0.0 + 2.0;
    xtensor<double, 1> s = sum(c, {1});
    out("c", c);
    out("s", s);
    out("abs", abs(a));
    out("where", where(a > 0.0, a, b));
    out("mean", mean(a)());
    out("row", row(a, 1) + col(a, 2)(0));
    noalias(b) = maximum(a, b);
    out("b", b);
}

PROGRAM(habits, argument_dependent_lookup) {
    xt::xarray<double> a = programs::sample<double>({6}, 2);
    out("abs", abs(a));
    out("sum", sum(a)());
    out("sqrt", sqrt(a * a));
    using std::exp;
    out.ulps("exp", exp(a));
}

PROGRAM(habits, reopened_namespace) {
    const xt::xarray<double> a = {1.0, 2.0};
    out("trait", double(xt::user_rank<xt::xtensor<double, 3>>::value));
    out("function", xt::user_double(a));
    out("function of an expression", xt::user_double(a + 1.0));
}

PROGRAM(habits, traits_and_parameters) {
    const xt::xarray<double> a = {{3.0, 0.0}, {0.0, 4.0}};
    out("dynamic", user::generic_norm<user::dynamic_containers>(a));
    out("fixed", user::generic_norm<user::fixed_containers>(a));
    out("mean_of", user::mean_of(a));
    out("mean_of an expression", user::mean_of(a * 2.0));
    out("mean_of a view", user::mean_of(xt::view(a, 0)));
    xt::xarray<double> b = a;
    user::scale(b, 3.0);
    out("scaled", b);
    out("doubled", user::doubled(b));
    out("doubled temporary", user::doubled(b - 1.0));
    user::matrix m = a;
    user::reset(m);
    out("reset", m);
    out("outer", user::outer({1.0, 2.0}, {3.0, 4.0, 5.0}));
    user::array_of<int> n = xt::cast<int>(a);
    out("alias template", n);
}

PROGRAM(habits, functions_of_expressions) {
    const user::matrix a = programs::sample<double>({4, 3}, 3), b = programs::sample<double>({4, 3}, 4);
    out("total", user::total(a));
    out("total of expression", user::total(a * b));
    out("total of view", user::total(xt::view(a, 1)));
    out("distance", user::distance(a, b * 2.0));
    out("lower_half", user::lower_half(a));
    out("lower_half of expression", user::lower_half(a + b));
    out("lazily", user::lazily(a));
    out("halved", user::halved(a + b) + user::halved(3.0));
}

PROGRAM(habits, class_members) {
    user::filter filter(5);
    filter.weights() *= 0.25;
    for (int i = 0; i < 20; ++i) filter.step(xt::arange<double>(5.0) * double(i));
    out("state", filter.state());
    const user::filter copy = filter;
    filter.step(xt::ones<double>({5}));
    out("copy", copy.state());
    user::filter moved = std::move(filter);
    moved.weights()(0) = 9.0;
    moved.step(xt::ones<double>({5}));
    out("moved", moved.state());
}

struct state {
    xt::xtensor<double, 1> speed;
    xt::xarray<int> cell;
    double time = 0.0;
};
struct pair_of_states {
    state now;
    std::vector<state> before;
    std::array<xt::xarray<double>, 2> ends;
};

// The compiler makes their assignments.
PROGRAM(habits, assigned_classes) {
    state s{xt::arange<double>(4.0) * 0.5, xt::ones<int>({2, 2}), 1.0}, t;
    t = s;
    s.speed += 1.0;
    t.time += 1.0;
    out("copy", t.speed * t.time);
    out("source", s.speed * s.time);
    pair_of_states p{s, {s, t, s}, {xt::xarray<double>(s.speed), xt::xarray<double>(t.speed)}}, q;
    q = p;
    q.before[1] = q.now;
    q.before = std::vector<state>(5, q.before[1]);
    q.ends[0] = q.ends[1];
    out("inner", q.before[4].speed + q.ends[0]);
    out("kept", p.before[1].speed - p.ends[0]);
    q = std::move(p);
    out("moved", q.before[1].speed + q.now.cell(1, 1));
    std::pair<xt::xarray<double>, int> one{xt::ones<double>({3}), 1}, other;
    other = one;
    out("pair", other.first);
    std::optional<state> maybe = s;
    maybe = t;
    out("optional", maybe->speed);
    t = t;
    out("self", t.speed);
}

FALLBACK_PROGRAM(habits, squares_in_a_member) {
    user::filter filter(4);
    filter.step(xt::arange<double>(4.0));
    out("energy", filter.energy());
}

PROGRAM(habits, containers_of_arrays) {
    std::vector<xt::xarray<double>> list;
    for (int i = 0; i < 30; ++i) list.push_back(xt::arange<double>(3.0) + double(i));
    list.erase(list.begin() + 3);
    std::rotate(list.begin(), list.begin() + 5, list.end());
    xt::xarray<double> total = xt::zeros<double>({3});
    for (const auto& each : list) total += each;
    out("total", total);
    out("first", list[0]);
    std::map<std::string, xt::xarray<double>> named;
    named["a"] = list[1] * 2.0;
    named["b"] = named["a"] + 1.0;
    named.emplace("c", xt::xarray<double>{1.0, 2.0});
    out("b", named["b"]);
    out("c", named.at("c"));
    std::optional<user::matrix> maybe;
    maybe = xt::ones<double>({2, 2});
    out("optional", *maybe + 1.0);
    auto shared = std::make_shared<user::vector>(xt::ones<double>({3}) * 4.0);
    const auto pair = std::make_tuple(*shared, xt::xarray<int>{1, 2});
    out("tuple", std::get<0>(pair));
    const auto [left, right] = pair;
    out("bound", right);
}

PROGRAM(habits, lambdas_and_auto) {
    const xt::xarray<double> a = {1.0, 2.0, 3.0};
    const auto scaled = [&](double by) { return a * (by + 0.0); };
    const auto by_value = [a](double by) -> xt::xarray<double> { return a * by; };
    out("reference", scaled(2.0) + scaled(3.0));
    out("value", by_value(4.0));
    auto expression = a + 1.0;
    auto moved = std::move(expression);
    out("moved", moved);
    const xt::xarray<double> again = expression * 2.0;
    out("moved from, used again", again);
    const auto& bound = a * 2.0;
    out("bound to a reference", bound);
    decltype(a + a) other = a + a;
    out("decltype", other);
}

PROGRAM(habits, pointers_for_other_libraries) {
    xt::xtensor<double, 2> a = programs::sample<double>({4, 4}, 5);
    a += 1.0;
    double* const data = a.data();
    for (std::size_t i = 0; i < a.size(); ++i) data[i] *= 2.0;
    xt::xtensor<double, 2> b = a + 1.0;
    data[0] = 77.0;
    xt::xtensor<double, 2> c = a + 1.0;
    out("b", b);
    out("c", c);
    a = b * c;
    std::vector<double> buffer(a.data(), a.data() + a.size());
    const auto adapted = xt::adapt(buffer, a.shape());
    out("adapted", adapted - a);
    const xt::xtensor<double, 2>& view = a;
    out("const", *(view.data() + 5) + view.storage()[3]);
    std::memcpy(b.data(), buffer.data(), sizeof(double) * 4);
    out("copied into", b);
}

PROGRAM(habits, element_loops) {
    xt::xtensor<double, 2> a = xt::zeros<double>({30, 40});
    for (std::size_t i = 0; i < a.shape(0); ++i) {
        for (std::size_t j = 0; j < a.shape(1); ++j) a(i, j) = double(i * 40 + j);
    }
    xt::xtensor<double, 2> b = a * 0.5;
    for (std::size_t i = 1; i + 1 < b.shape(0); ++i) {
        for (std::size_t j = 1; j + 1 < b.shape(1); ++j) {
            b(i, j) = 0.25 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1));
        }
    }
    out("b", b);
    double sum = 0;
    for (auto it = b.begin(); it != b.end(); ++it) sum += *it;
    out("sum", sum);
}

PROGRAM(habits, many_tiny_slices) {
    xt::xtensor<double, 2> points = programs::sample<double>({200, 3}, 6);
    const xt::xtensor_fixed<double, xt::xshape<3>> origin = {1.0, 2.0, 3.0};
    double total = 0;
    for (std::size_t i = 0; i < points.shape(0); ++i) {
        auto p = xt::view(points, i, xt::all());
        p -= origin;
        total += p(0) * p(1) + p(2);
    }
    out("total", total);
    out("points", points);
}

PROGRAM(habits, fixed_size) {
    xt::xtensor_fixed<double, xt::xshape<2, 2>> f = {{1.0, 2.0}, {3.0, 4.0}};
    const xt::xarray<double> a = {{1.0, 1.0}, {2.0, 2.0}};
    xt::xarray<double> b = a + f;
    f = b * 2.0;
    xt::xarray<double> c = f - a;
    f += a;
    out("b", b);
    out("c", c);
    out("f", f(1, 1));
    const xt::xtensor_fixed<double, xt::xshape<2, 2>> g = xt::where(a > 1.0, a, f);
    out("g", g(0, 1));
}

FALLBACK_PROGRAM(habits, random_numbers) {
    xt::random::seed(42);
    xt::xarray<double> uniform = xt::random::rand<double>({1000}, -1.0, 1.0);
    xt::xarray<double> normal = xt::random::randn<double>({1000});
    xt::xarray<int> whole = xt::random::randint<int>({1000}, 0, 10);
    out("bounds", double(xt::amin(uniform)() >= -1.0 && xt::amax(uniform)() < 1.0));
    out("spread", double(xt::stddev(normal)() > 0.9 && xt::stddev(normal)() < 1.1));
    out("whole", double(xt::amin(whole)() == 0 && xt::amax(whole)() == 9));
    double last = 0;
    std::thread([&last] {
        xt::xarray<double> own = xt::random::rand<double>({10}) * 2.0;
        last = double(own.size());
    }).join();
    out("in a thread", last);
}

PROGRAM(habits, evaluated_at_once) {
    const xt::xarray<double> a = programs::sample<double>({3, 4}, 7);
    auto sum = xt::sum(a, {0}, xt::evaluation_strategy::immediate);
    auto copy = xt::eval(a * 2.0);
    out("sum", sum + 1.0);
    out("copy", copy);
}

PROGRAM(habits, a_small_solver) {
    // Gradient descent on |A x - b|^2 without linear algebra.
    const std::size_t n = 6;
    user::matrix A = programs::sample<double>({n, n}, 8) / 16.0;
    for (std::size_t i = 0; i < n; ++i) A(i, i) += 4.0;
    const user::vector b = programs::sample<double>({n}, 9);
    user::vector x = xt::zeros<double>({n});
    double norm = 1;
    int steps = 0;
    while (norm > 1e-8 && steps < 200) {
        user::vector residual = xt::sum(A * x, {1}) - b;
        user::vector gradient = xt::sum(A * xt::view(residual, xt::all(), xt::newaxis()), {0});
        x -= 0.04 * gradient;
        norm = std::sqrt(xt::sum(residual * residual)());
        ++steps;
    }
    out("converged", double(norm <= 1e-8));
    out.within("x", x, 1e-6);
}
