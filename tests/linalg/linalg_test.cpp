// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra by what it promises: a x = b, q r = a, u s v = a; shapes and types as xtensor-blas has them; late
// errors with the user's line.
#include "frontend/support.hpp"
#include "xlazy/linalg.hpp"

#include <complex>

namespace {

using Linalg = support::Frontend;
using Matrix = xlazy::xtensor<double, 2>;
using Vector = xlazy::xtensor<double, 1>;
using Complex = std::complex<double>;
namespace la = xlazy::linalg;
using support::contains;
using support::shape_of;
using Shape = std::vector<std::size_t>;

Matrix matrix(std::size_t rows, std::size_t columns, int seed = 1) {
    Matrix a(std::array<std::size_t, 2>{rows, columns});
    unsigned state = static_cast<unsigned>(seed) * 2654435769u + 1;
    for (auto& x : a) {
        state = state * 1664525u + 1013904223u;
        x = static_cast<double>(state >> 8) / (1 << 23) - 1;
    }
    return a;
}

template <class A, class B>
double distance(const A& a, const B& b) {
    EXPECT_EQ(shape_of(a), shape_of(b));
    return xt::amax(xt::abs(a - b))();
}

TEST_F(Linalg, ProductsOfVectorsAndMatrices) {
    const Matrix a = matrix(4, 6), b = matrix(6, 3, 2);
    const xlazy::xarray<double> c = la::dot(a, b);
    EXPECT_EQ(shape_of(c), (Shape{4, 3}));
    double sum = 0;
    for (std::size_t k = 0; k < 6; ++k) sum += a(2, k) * b(k, 1);
    EXPECT_NEAR(c(2, 1), sum, 1e-14);
    const Vector v = xt::view(a, 1, xt::all());
    EXPECT_EQ(shape_of(la::dot(a, v)), (Shape{4}));
    EXPECT_EQ(shape_of(la::dot(v, b)), (Shape{3}));
    EXPECT_EQ(shape_of(la::dot(v, v)), (Shape{1}));
    EXPECT_NEAR(la::dot(v, v)(0), la::vdot(v, v), 1e-14);
    // Transposed, strided and reversed operands, and expressions.
    EXPECT_LT(distance(xlazy::xarray<double>(la::dot(xt::transpose(b), xt::transpose(a))), xt::transpose(c)), 1e-14);
    const auto turned = xt::flip(a, 1);
    const xlazy::xarray<double> copy = turned;
    EXPECT_LT(distance(la::dot(turned, 2.0 * b), 2.0 * la::dot(copy, b)), 1e-14);
    const auto thinned = xt::view(a, xt::range(0, 4, 2), xt::range(0, 6, 2));
    const xlazy::xarray<double> dense = thinned;
    EXPECT_LT(distance(la::dot(thinned, xt::view(b, xt::range(0, 3), xt::all())),
                       la::dot(dense, xt::view(b, xt::range(0, 3), xt::all()))),
              1e-14);
    EXPECT_THROW(la::dot(a, a), std::runtime_error);
    EXPECT_EQ(la::dot(xlazy::xtensor<int, 2>({{1, 2}, {3, 4}}), xlazy::xtensor<int, 1>({5, 6}))(1), 39);
}

TEST_F(Linalg, TensorProducts) {
    const Matrix a = matrix(3, 4), b = matrix(4, 5, 2);
    EXPECT_LT(distance(la::tensordot(a, b, 1), la::dot(a, b)), 1e-14);
    EXPECT_LT(distance(la::tensordot(a, b, {1}, {0}), la::dot(a, b)), 1e-14);
    EXPECT_LT(distance(la::tensordot(b, a, {0}, {1}), xt::transpose(la::dot(a, b))), 1e-14);
    EXPECT_NEAR(la::tensordot(a, a, 2)(), xt::sum(a * a)(), 1e-13);
    const Vector u = xt::view(a, 0, xt::all()), w = xt::view(b, 0, xt::all());
    EXPECT_EQ(la::outer(u, w)(2, 3), u(2) * w(3));
    EXPECT_EQ(la::kron(a, b)(1 * 4 + 2, 3 * 5 + 4), a(1, 3) * b(2, 4));
    EXPECT_NEAR(la::trace(a)(), a(0, 0) + a(1, 1) + a(2, 2), 1e-14);
    EXPECT_NEAR(la::trace(a, 1)(), a(0, 1) + a(1, 2) + a(2, 3), 1e-14);
    xlazy::xtensor<double, 3> cube = xt::zeros<double>({2, 3, 4});
    cube += 1.0;
    EXPECT_EQ(shape_of(la::dot(cube, b)), (Shape{2, 3, 5}));
    EXPECT_NEAR(la::dot(cube, b)(1, 2, 3), xt::sum(xt::view(b, xt::all(), 3))(), 1e-14);
}

TEST_F(Linalg, Solves) {
    const Matrix a = matrix(6, 6), b = matrix(6, 2, 2);
    EXPECT_LT(distance(la::dot(a, la::solve(a, b)), b), 1e-12);
    const Vector v = xt::view(b, xt::all(), 1);
    EXPECT_EQ(shape_of(la::solve(a, v)), (Shape{6}));
    EXPECT_LT(distance(la::dot(xt::transpose(a), la::solve(xt::transpose(a), v)), v), 1e-12);
    const Matrix one = xt::eye<double>(6);
    EXPECT_LT(distance(la::dot(a, la::inv(a)), one), 1e-12);
    EXPECT_LT(distance(la::pinv(a), la::inv(a)), 1e-10);
    EXPECT_LT(distance(la::matrix_power(a, -2), la::matrix_power(la::inv(a), 2)), 1e-8);
    EXPECT_LT(distance(la::matrix_power(a, 5), la::dot(la::dot(la::dot(la::dot(a, a), a), a), a)), 1e-10);
    EXPECT_LT(distance(la::matrix_power(a, 0), one), 1e-15);
    const auto [sign, logarithm] = la::slogdet(a);
    EXPECT_NEAR(sign * std::exp(logarithm), la::det(a), 1e-12);
    EXPECT_NEAR(la::det(Matrix{{1, 2}, {3, 4}}), -2, 1e-15);
    const Matrix square = la::dot(a, xt::transpose(a)) + one;
    const Matrix l = la::cholesky(square);
    EXPECT_LT(distance(la::dot(l, xt::transpose(l)), square), 1e-12);
    EXPECT_EQ(l(1, 4), 0);
}

TEST_F(Linalg, Decompositions) {
    for (const auto& [m, n] : {std::pair{5, 3}, {3, 5}, {4, 4}}) {
        const Matrix a = matrix(static_cast<std::size_t>(m), static_cast<std::size_t>(n));
        const std::size_t least = std::min(a.shape()[0], a.shape()[1]);
        for (const bool full : {false, true}) {
            const auto [u, s, v] = la::svd(a, full);
            const Matrix left = xt::view(u, xt::all(), xt::range(0, least)) * s;
            EXPECT_LT(distance(la::dot(left, xt::view(v, xt::range(0, least), xt::all())), a), 1e-13);
            EXPECT_EQ(u.shape()[1], full ? a.shape()[0] : least);
        }
        for (const auto mode : {la::qrmode::reduced, la::qrmode::complete}) {
            const auto [q, r] = la::qr(a, mode);
            EXPECT_LT(distance(la::dot(q, r), a), 1e-13);
            const Matrix one = xt::eye<double>(q.shape()[1]);
            EXPECT_LT(distance(la::dot(xt::transpose(q), q), one), 1e-13);
        }
        EXPECT_EQ(la::matrix_rank(a), static_cast<int>(least));
        EXPECT_LT(distance(la::dot(la::dot(a, la::pinv(a)), a), a), 1e-12);
    }
    const Matrix a = matrix(5, 5);
    const auto [w, e] = la::eig(a);
    const xlazy::xtensor<Complex, 2> complex = a;
    EXPECT_LT(distance(la::dot(complex, e), e * w), 1e-12);
    EXPECT_LT(distance(la::eigvals(a), w), 1e-12);
    const Matrix symmetric = a + xt::transpose(a);
    for (const char which : {'L', 'U'}) {
        const auto [values, vectors] = la::eigh(symmetric, which);
        EXPECT_LT(distance(la::dot(symmetric, vectors), vectors * values), 1e-12);
        EXPECT_LT(distance(la::eigvalsh(symmetric, which), values), 1e-12);
    }
}

TEST_F(Linalg, ComplexNumbers) {
    const xlazy::xtensor<Complex, 2> a = matrix(4, 4) + Complex(0, 1) * matrix(4, 4, 2);
    const xlazy::xtensor<Complex, 1> b = xt::view(a, 0, xt::all());
    const auto x = la::solve(a, b);
    EXPECT_LT(xt::amax(xt::abs(la::dot(a, x) - b))(), 1e-12);
    const auto [u, s, v] = la::svd(a);
    static_assert(std::is_same_v<std::decay_t<decltype(s)>, Vector>);
    EXPECT_LT(xt::amax(xt::abs(la::dot(xlazy::xtensor<Complex, 2>(u * s), v) - a))(), 1e-12);
    const xlazy::xtensor<Complex, 2> adjoint = a + xt::conj(xt::transpose(a));
    for (const char which : {'L', 'U'}) {
        const auto [values, vectors] = la::eigh(adjoint, which);
        EXPECT_LT(xt::amax(xt::abs(la::dot(adjoint, vectors) - vectors * values))(), 1e-12);
    }
    EXPECT_NEAR(la::vdot(b, b).real(), std::pow(la::norm(b, 2), 2), 1e-12);
}

TEST_F(Linalg, LeastSquaresAndNorms) {
    const Matrix a = matrix(8, 3);
    const Vector b = xt::view(matrix(8, 1, 3), xt::all(), 0);
    const auto [x, residuals, rank, s] = la::lstsq(a, b);
    EXPECT_EQ(rank, 3);
    const xlazy::xarray<double> rest = b - la::dot(a, x);
    EXPECT_LT(xt::amax(xt::abs(la::dot(xt::transpose(a), rest)))(), 1e-13);
    EXPECT_NEAR(residuals(0), xt::sum(rest * rest)(), 1e-13);
    EXPECT_EQ(s.size(), 3u);
    EXPECT_NEAR(la::norm(a), std::sqrt(xt::sum(a * a)()), 1e-14);
    EXPECT_NEAR(la::norm(a, 1), xt::amax(xt::sum(xt::abs(a), {0}))(), 1e-14);
    EXPECT_NEAR(la::norm(a, la::normorder::inf), xt::amax(xt::sum(xt::abs(a), {1}))(), 1e-14);
    EXPECT_NEAR(la::norm(a, 2), s(0), 1e-13);
    EXPECT_NEAR(la::norm(a, la::normorder::nuc), xt::sum(s)(), 1e-13);
    EXPECT_NEAR(la::norm(b, 3), std::cbrt(xt::sum(xt::pow(xt::abs(b), 3))()), 1e-14);
    EXPECT_EQ(la::norm(b, 0), 8);
}

using Waiting = support::Queued;

TEST_F(Waiting, NothingRunsBeforeAValueIsNeeded) {
    const Matrix a = matrix(5, 5), b = matrix(5, 5, 2);
    Matrix c;
    DOES_NOT_FLUSH(c = la::dot(la::inv(a), b) + la::solve(a, b));
    EXPECT_LT(distance(la::dot(a, c), 2.0 * b), 1e-11);
    EXPECT_EQ(support::fallbacks_of([&] {
                  const Matrix d = la::dot(a, b);
                  xlazy::flush();
              }),
              support::Counts());
}

TEST_F(Linalg, ASingularMatrixIsALateErrorOfItsLine) {
    const Matrix a = xt::ones<double>({3, 3}), good = xt::eye<double>(3);
    std::optional<xlazy::deferred_error> error;
    unsigned line = 0;
    error = support::deferred_error_of([&] {
        line = __LINE__ + 1;
        const Matrix c = la::inv(a);
        const Matrix d = c + 1.0;
        static_cast<void>(d(0, 0));
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), xlazy::error_kind::singular_matrix);
    EXPECT_TRUE(contains(error->what(), support::place(__FILE__, line))) << error->what();
    EXPECT_TRUE(contains(error->what(), "inverse of a matrix that is singular: operand f64(3,3)")) << error->what();
    // What does not depend on it has its value, and a new value heals.
    Matrix bad = good;
    try {
        bad = la::solve(a, good);
        xlazy::flush();
    } catch (const xlazy::deferred_error&) {
    }
    EXPECT_THROW(static_cast<void>(bad(1, 1)), xlazy::deferred_error);
    bad = good;
    EXPECT_EQ(bad(1, 1), 1);
    EXPECT_EQ(la::inv(good)(2, 2), 1);
}

TEST_F(Linalg, OtherFailures) {
    const Matrix indefinite{{1, 2}, {2, 1}};
    const auto positive = support::deferred_error_of([&] { static_cast<void>(la::cholesky(indefinite)(0, 0)); });
    ASSERT_TRUE(positive);
    EXPECT_EQ(positive->kind(), xlazy::error_kind::not_positive);
    const Matrix nan{{1, std::numeric_limits<double>::quiet_NaN()}, {2, 1}};
    const auto converged = support::deferred_error_of([&] { static_cast<void>(la::eigvals(nan)(0)); });
    ASSERT_TRUE(converged);
    EXPECT_EQ(converged->kind(), xlazy::error_kind::no_convergence);
    EXPECT_TRUE(contains(support::text_of<std::runtime_error>([] { la::inv(matrix(2, 3)); }), "linalg_test.cpp"));
}

TEST_F(Linalg, EmptyMatrices) {
    const Matrix none(std::array<std::size_t, 2>{0, 0}), tall(std::array<std::size_t, 2>{3, 0});
    EXPECT_EQ(shape_of(la::inv(none)), (Shape{0, 0}));
    EXPECT_EQ(la::det(none), 1);
    const Matrix zero = xt::zeros<double>({3, 3});
    EXPECT_LT(distance(la::dot(tall, xt::transpose(tall)), zero), 1e-300);
}

}  // namespace
