// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra under the names of xtensor-blas, as recorded calls of BLAS and LAPACK. Operands are windows:
// transposed and strided ones are not copied for products. What returns a number flushes.
#pragma once

#include "xlazy/detail/fallback.hpp"
#include "xlazy/detail/generator.hpp"
#include "xlazy/detail/made.hpp"
#include "xlazy/detail/scan.hpp"

#include <complex>
#include <limits>
#include <tuple>

namespace xlazy::detail {

struct extents_list {
    std::size_t rank = 0;
    std::size_t extents[bc::kMaxRank] = {};

    void add(std::size_t extent);
    std::size_t count() const noexcept;
};

/// One matrix, as qr, svd and their like take them. @throws std::runtime_error for another rank
void check_matrix(const window& a, const char* function);
/// @throws std::runtime_error for what is no square matrix
void check_square(const window& a, const char* function);

/// Axes of `a` in a new order.
window permuted(const window& a, const std::size_t* axes, std::size_t count);
/// The two axes of a matrix exchanged.
window transposed(const window& a);
/// A dense window as one of another shape with as many elements.
window reshaped(const window& dense, const extents_list& shape);

/// A statement's operands and what becomes of them.
Value record_call(rt::Statement& statement, Op op, DType result, const extents_list& shape,
                  std::initializer_list<window> in, std::size_t axis);
Value record_product_of_elements(rt::Statement& statement, window a, window b, bool outer);
/// The elements' magnitudes to a power, added up: what vector norms are made of. `order` 0 counts what is not 0.
Value record_norm_sum(rt::Statement& statement, const window& a, double order, std::uint32_t axes);

enum class norm_order : unsigned char { frobenius, nuclear, infinity, minus_infinity };
enum class qr_mode : unsigned char { reduced, complete, r, raw };

namespace linear {

template <class E>
using number_of = typename E::value_type;
template <class T>
using real_of = decltype(std::abs(T()));
template <class A, class B>
using common_number = std::common_type_t<number_of<A>, number_of<B>>;

template <class E>
inline constexpr bool recorded_number = is_recorded<number_of<E>> && !std::is_same_v<number_of<E>, bool>;
/// Linear algebra proper is for floating-point and complex numbers.
template <class E>
inline constexpr bool inexact = [] {
    if constexpr (recorded_number<E>)
        return bc::accepts(Op::solve, bc::dtype_of<number_of<E>>());
    else
        return false;
}();
template <class E>
inline constexpr bool real_inexact = inexact<E> && std::is_floating_point_v<number_of<E>>;

/// xarray, or xtensor if the rank of E is known.
template <class T, class E>
using like = std::conditional_t<xt::get_rank<E>::value == SIZE_MAX, xarray<T>,
                                xtensor<T, xt::get_rank<E>::value == SIZE_MAX ? 1 : xt::get_rank<E>::value>>;

template <class T, class E>
window operand(const E& e, leaves& evaluated) {
    return operand_window<T>(e, evaluated);
}

template <class D>
D called(Op op, const extents_list& shape, std::initializer_list<window> in, std::size_t axis = 0) {
    rt::Statement statement(rt::LineScope::current());
    return new_array<D>(statement, record_call(statement, op, bc::dtype_of<typename D::value_type>(), shape, in, axis));
}

/// A dense copy.
template <class D>
D copied_window(const window& w) {
    rt::Statement statement(rt::LineScope::current());
    return new_array<D>(statement, statement.load(w.ref()));
}

/// Takes results apart that lie in one array.
template <class T>
class parts {
public:
    parts(Op op, std::size_t size, std::initializer_list<window> in, std::size_t axis)
        : all_(called<xtensor<T, 1>>(op, extents_list{1, {size}}, in, axis)) {}

    /// The next elements, as an array. A D of real numbers gets the real parts.
    template <class D>
    D next(const extents_list& shape) {
        window w = viewed<xtensor<T, 1>>::get(all_);
        w.offset += static_cast<std::int64_t>(at_);
        at_ += shape.count();
        const window part = reshaped(w, shape);
        rt::Statement statement(rt::LineScope::current());
        Value value = statement.load(part.ref());
        constexpr DType kType = bc::dtype_of<T>(), kWanted = bc::dtype_of<typename D::value_type>();
        if constexpr (kType != kWanted) value = statement.apply(Op::real, kWanted, value);
        return new_array<D>(statement, value);
    }

private:
    xtensor<T, 1> all_;
    std::size_t at_ = 0;
};

inline extents_list shape_of(std::initializer_list<std::size_t> extents) {
    extents_list list;
    for (const std::size_t extent : extents) list.add(extent);
    return list;
}

/// Runs `f` with the user's line; it evaluates operands into the leaves.
template <class F>
auto at_line(here line, F&& f) {
    rt::LineScope scope(line);
    return located([&] {
        leaves evaluated;
        auto result = f(evaluated);
        evaluated.end_statement();
        return result;
    });
}

/// The number of an array of rank 0.
template <class T>
T number(const xtensor<T, 0>& array) {
    return array(rt::LineScope::current());
}

template <class D>
D multiplied(const window& a, const window& b) {
    extents_list shape;
    if (a.rank == 2) shape.add(a.extents[0]);
    if (b.rank == 2) shape.add(b.extents[1]);
    if (a.extents[a.rank - 1] != b.extents[0]) throw_statement_error("Dot: shape mismatch.");
    return called<D>(Op::matmul, shape, {a, b});
}

/// The sum of products over the last axes of `a` and the first ones of `b`.
template <class T>
xarray<T> contracted(const window& a, const window& b, std::size_t axes) {
    extents_list shape, left, right;
    std::size_t inner = 1, rows = 1, columns = 1;
    for (std::size_t i = 0; i < a.rank; ++i) {
        if (i + axes < a.rank) shape.add(a.extents[i]);
        (i + axes < a.rank ? rows : inner) *= a.extents[i];
    }
    for (std::size_t i = 0; i < axes; ++i) {
        if (a.extents[a.rank - axes + i] != b.extents[i])
            throw_statement_error("tensordot: the axes that are summed over have different extents");
    }
    for (std::size_t i = axes; i < b.rank; ++i) {
        shape.add(b.extents[i]);
        columns *= b.extents[i];
    }
    const auto dense = [](const window& w, xarray<T>& copy) {
        if (is_dense_in(w, xt::layout_type::row_major)) return w;
        copy = copied_window<xarray<T>>(w);
        return viewed<xarray<T>>::get(copy);
    };
    xarray<T> a_copy, b_copy;
    const window x = reshaped(dense(a, a_copy), shape_of({rows, inner}));
    const window y = reshaped(dense(b, b_copy), shape_of({inner, columns}));
    auto product = called<xarray<T>>(Op::matmul, shape_of({rows, columns}), {x, y});
    typename xarray<T>::shape_type extents(shape.extents, shape.extents + shape.rank);
    product.reshape(extents);
    return product;
}

template <class A, class B>
xarray<common_number<A, B>> dot(const A& a, const B& b, here line) {
    using T = common_number<A, B>;
    return at_line(line, [&](leaves& evaluated) -> xarray<T> {
        if (a.dimension() == 0 || b.dimension() == 0) return xarray<T>(a * b);
        const window x = operand<T>(a, evaluated), y = operand<T>(b, evaluated);
        if (x.rank == 1 && y.rank == 1) {
            if (x.extents[0] != y.extents[0]) throw_statement_error("Dot: shape mismatch.");
            rt::Statement statement(rt::LineScope::current());
            const Value products = record_product_of_elements(statement, x, y, false);
            return new_array<xarray<T>>(statement, statement.reduce(Op::sum, products, 1u, true));
        }
        if (x.rank <= 2 && y.rank <= 2) return multiplied<xarray<T>>(x, y);
        std::size_t axes[bc::kMaxRank];
        std::size_t count = 0;
        const std::size_t summed = y.rank == 1 ? 0 : y.rank - 2;
        axes[count++] = summed;
        for (std::size_t i = 0; i < y.rank; ++i) {
            if (i != summed) axes[count++] = i;
        }
        if (x.extents[x.rank - 1] != y.extents[summed]) throw_statement_error("Dot: shape mismatch.");
        return contracted<T>(x, permuted(y, axes, count), 1);
    });
}

template <class A, class B>
common_number<A, B> vdot(const A& a, const B& b, here line) {
    using T = common_number<A, B>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated), y = operand<T>(b, evaluated);
        if (x.rank != 1 || y.rank != 1 || x.extents[0] != y.extents[0])
            throw_statement_error("vdot: two vectors of one length are needed");
        const auto sum = [&] {
            rt::Statement statement(rt::LineScope::current());
            constexpr DType kType = bc::dtype_of<T>();
            Value first = statement.load(x.ref());
            if constexpr (bc::is_complex(kType)) first = statement.apply(Op::conj, kType, first);
            const Value products = statement.apply(Op::mul, kType, first, statement.load(y.ref()));
            return new_array<xtensor<T, 0>>(statement, statement.reduce(Op::sum, products, 1u, false));
        }();
        return number(sum);
    });
}

template <class A, class B>
xtensor<common_number<A, B>, 2> outer(const A& a, const B& b, here line) {
    using T = common_number<A, B>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated), y = operand<T>(b, evaluated);
        if (x.rank != 1 || y.rank != 1) throw_statement_error("outer: two vectors are needed");
        rt::Statement statement(rt::LineScope::current());
        return new_array<xtensor<T, 2>>(statement, record_product_of_elements(statement, x, y, true));
    });
}

template <class A, class B>
xtensor<common_number<A, B>, 2> kron(const A& a, const B& b, here line) {
    using T = common_number<A, B>;
    return at_line(line, [&](leaves& evaluated) {
        window x = operand<T>(a, evaluated), y = operand<T>(b, evaluated);
        check_matrix(x, "kron"), check_matrix(y, "kron");
        const std::size_t extents[] = {x.extents[0], y.extents[0], x.extents[1], y.extents[1]};
        const window left{x.base, x.offset, 4, {x.extents[0], 1, x.extents[1], 1}, {x.strides[0], 0, x.strides[1], 0}};
        const window right{y.base, y.offset, 4, {1, y.extents[0], 1, y.extents[1]}, {0, y.strides[0], 0, y.strides[1]}};
        xtensor<T, 4> product;
        {
            rt::Statement statement(rt::LineScope::current());
            const Value value =
                statement.apply(Op::mul, bc::dtype_of<T>(), statement.load(left.ref()), statement.load(right.ref()));
            product = new_array<xtensor<T, 4>>(statement, value);
        }
        const auto shape = shape_of({extents[0] * extents[1], extents[2] * extents[3]});
        return copied_window<xtensor<T, 2>>(reshaped(viewed<xtensor<T, 4>>::get(product), shape));
    });
}

template <class A, class B>
auto tensordot(const A& a, const B& b, const std::vector<std::size_t>& a_axes, const std::vector<std::size_t>& b_axes,
               here line) {
    using T = common_number<A, B>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated), y = operand<T>(b, evaluated);
        if (a_axes.size() != b_axes.size() || a_axes.size() > x.rank || b_axes.size() > y.rank)
            throw_statement_error("tensordot: as many axes of the one as of the other are summed over");
        const auto order = [](const window& w, const std::vector<std::size_t>& summed, bool last) {
            std::vector<std::size_t> kept;
            for (std::size_t i = 0; i < w.rank; ++i) {
                if (std::find(summed.begin(), summed.end(), i) == summed.end()) kept.push_back(i);
            }
            kept.insert(last ? kept.end() : kept.begin(), summed.begin(), summed.end());
            if (kept.size() != w.rank) throw_statement_error("tensordot: there is no such axis, or it is there twice");
            return permuted(w, kept.data(), kept.size());
        };
        return contracted<T>(order(x, a_axes, true), order(y, b_axes, false), a_axes.size());
    });
}
template <class A, class B>
auto tensordot(const A& a, const B& b, std::size_t count, here line) {
    std::vector<std::size_t> last(count), first(count);
    for (std::size_t i = 0; i < count; ++i) {
        last[i] = a.dimension() - count + i;
        first[i] = i;
    }
    return tensordot(a, b, last, first, line);
}

template <class A, class B>
auto solve(const A& a, const B& b, here line) {
    using T = common_number<A, B>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated), y = operand<T>(b, evaluated);
        check_square(x, "solve");
        if (y.rank == 0 || y.rank > 2 || y.extents[0] != x.extents[0])
            throw_statement_error("solve: the right side has not as many rows as the matrix");
        extents_list shape;
        for (std::size_t i = 0; i < y.rank; ++i) shape.add(y.extents[i]);
        return called<like<T, B>>(Op::solve, shape, {x, y});
    });
}

template <class A>
auto square_result(Op op, const char* function, const A& a, here line) {
    using T = number_of<A>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated);
        check_square(x, function);
        return called<like<T, A>>(op, shape_of({x.extents[0], x.extents[0]}), {x});
    });
}
template <class A>
auto inv(const A& a, here line) {
    return square_result(Op::inverse, "inv", a, line);
}
template <class A>
auto cholesky(const A& a, here line) {
    return square_result(Op::cholesky, "cholesky", a, line);
}

template <class A>
number_of<A> det(const A& a, here line) {
    using T = number_of<A>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated);
        check_square(x, "det");
        return number(called<xtensor<T, 0>>(Op::determinant, {}, {x}, 0));
    });
}
template <class A>
auto slogdet(const A& a, here line) {
    using T = number_of<A>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated);
        check_square(x, "slogdet");
        const auto both = called<xtensor<T, 1>>(Op::determinant, shape_of({2}), {x}, 1);
        const here place = rt::LineScope::current();
        return std::make_tuple(T(both(0, place)), T(both(1, place)));
    });
}

template <class A>
auto qr(const A& a, qr_mode mode, here line) {
    using T = number_of<A>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated);
        check_matrix(x, "qr");
        const std::size_t m = x.extents[0], n = x.extents[1];
        const std::size_t size = mode == qr_mode::complete ? m : std::min(m, n);
        parts<T> found(Op::qr, m * size + size * n, {x}, mode == qr_mode::complete ? 1 : 0);
        auto q = found.template next<xarray<T>>(shape_of({m, size}));
        auto r = found.template next<xarray<T>>(shape_of({size, n}));
        if (mode == qr_mode::r) q = xarray<T>::from_shape(std::vector<std::size_t>{0});
        return std::make_tuple(std::move(q), std::move(r));
    });
}

/// Singular values, descending.
template <class T>
xtensor<real_of<T>, 1> singular_values(const window& a) {
    const std::size_t count = std::min(a.extents[0], a.extents[1]);
    parts<T> found(Op::svd, count, {a}, 0);
    return found.template next<xtensor<real_of<T>, 1>>(shape_of({count}));
}

template <class A>
auto svd(const A& a, bool full_matrices, bool compute_uv, here line) {
    using T = number_of<A>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated);
        check_matrix(x, "svd");
        const std::size_t m = x.extents[0], n = x.extents[1], least = std::min(m, n);
        if (!compute_uv) {
            const auto none = std::array<std::size_t, 2>{1, 1};
            return std::make_tuple(xtensor<T, 2>(none), singular_values<T>(x), xtensor<T, 2>(none));
        }
        const std::size_t left = full_matrices ? m : least, right = full_matrices ? n : least;
        parts<T> found(Op::svd, m * left + least + right * n, {x}, full_matrices ? 2 : 1);
        auto u = found.template next<xtensor<T, 2>>(shape_of({m, left}));
        auto s = found.template next<xtensor<real_of<T>, 1>>(shape_of({least}));
        auto v = found.template next<xtensor<T, 2>>(shape_of({right, n}));
        return std::make_tuple(std::move(u), std::move(s), std::move(v));
    });
}

template <class A>
auto eig(const A& a, here line) {
    using T = std::complex<number_of<A>>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<number_of<A>>(a, evaluated);
        check_square(x, "eig");
        const std::size_t n = x.extents[0];
        parts<T> found(Op::eig, n + n * n, {x}, 1);
        auto values = found.template next<xtensor<T, 1>>(shape_of({n}));
        auto vectors = found.template next<xtensor<T, 2>>(shape_of({n, n}));
        return std::make_tuple(std::move(values), std::move(vectors));
    });
}
template <class A>
auto eigvals(const A& a, here line) {
    using T = std::complex<number_of<A>>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<number_of<A>>(a, evaluated);
        check_square(x, "eigvals");
        return called<xtensor<T, 1>>(Op::eig, shape_of({x.extents[0]}), {x}, 0);
    });
}

/// The matrix whose lower triangle is to be read; the upper one of a complex matrix is its conjugate.
template <class T>
window lower_triangle(const window& a, char which, leaves& evaluated) {
    if (which == 'L' || which == 'l') return a;
    const window other = transposed(a);
    if constexpr (std::is_floating_point_v<T>) {
        return other;
    } else {
        const window copy = evaluated.add(bc::dtype_of<T>(), 2, other.extents, false);
        rt::Statement statement(rt::LineScope::current());
        statement.store(copy.ref(), statement.apply(Op::conj, bc::dtype_of<T>(), statement.load(other.ref())));
        return copy;
    }
}
template <class A>
auto eigh(const A& a, char which, here line) {
    using T = number_of<A>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated);
        check_square(x, "eigh");
        const std::size_t n = x.extents[0];
        parts<T> found(Op::eigh, n + n * n, {lower_triangle<T>(x, which, evaluated)}, 1);
        auto values = found.template next<xtensor<real_of<T>, 1>>(shape_of({n}));
        auto vectors = found.template next<xtensor<T, 2>>(shape_of({n, n}));
        return std::make_tuple(std::move(values), std::move(vectors));
    });
}
template <class A>
auto eigvalsh(const A& a, char which, here line) {
    using T = number_of<A>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated);
        check_square(x, "eigvalsh");
        parts<T> found(Op::eigh, x.extents[0], {lower_triangle<T>(x, which, evaluated)}, 0);
        return found.template next<xtensor<real_of<T>, 1>>(shape_of({x.extents[0]}));
    });
}

template <class A, class B>
auto lstsq(const A& a, const B& b, double rcond, here line) {
    using T = common_number<A, B>;
    using R = real_of<T>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated), y = operand<T>(b, evaluated);
        check_matrix(x, "lstsq");
        if (y.rank == 0 || y.rank > 2 || y.extents[0] != x.extents[0])
            throw_statement_error("Shape of 'b' for lstsq does not match.");
        const std::size_t m = x.extents[0], n = x.extents[1], least = std::min(m, n);
        const std::size_t columns = y.rank == 1 ? 1 : y.extents[1];
        xtensor<T, 0> ratio;
        ratio() = T(static_cast<R>(rcond));
        parts<T> found(Op::lstsq, n * columns + columns + 1 + least, {x, y, viewed<xtensor<T, 0>>::get(ratio)}, 0);
        auto solution = found.template next<xarray<T>>(y.rank == 1 ? shape_of({n}) : shape_of({n, columns}));
        auto residuals = found.template next<xtensor<R, 1>>(shape_of({columns}));
        const auto rank = static_cast<int>(number(found.template next<xtensor<R, 0>>({})));
        auto singular = found.template next<xtensor<R, 1>>(shape_of({least}));
        if (static_cast<std::size_t>(rank) != n || m <= n) residuals = xtensor<R, 1>(std::array<std::size_t, 1>{0});
        return std::make_tuple(std::move(solution), std::move(residuals), rank, std::move(singular));
    });
}

template <class A>
auto pinv(const A& a, double rcond, here line) {
    using T = number_of<A>;
    using R = real_of<T>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated);
        check_matrix(x, "pinv");
        const std::size_t m = x.extents[0], n = x.extents[1], least = std::min(m, n);
        constexpr DType kType = bc::dtype_of<T>(), kReal = bc::dtype_of<R>();
        parts<T> found(Op::svd, m * least + least + least * n, {x}, 1);
        const auto u = found.template next<xtensor<T, 2>>(shape_of({m, least}));
        const auto s = found.template next<xtensor<R, 1>>(shape_of({least}));
        const auto v = found.template next<xtensor<T, 2>>(shape_of({least, n}));
        if (least == 0) return xarray<T>(xarray<T>::from_shape(std::vector<std::size_t>{n, m}));
        const auto conjugated = [](rt::Statement& statement, const window& w) {
            const Value value = statement.load(w.ref());
            return bc::is_complex(kType) ? statement.apply(Op::conj, kType, value) : value;
        };
        const auto weighted = [&] {
            rt::Statement statement(rt::LineScope::current());
            const Value values = statement.load(reshaped(viewed<xtensor<R, 1>>::get(s), shape_of({least, 1})).ref());
            const Value most = statement.reduce(Op::amax, values, 1u, true);
            const Value cutoff = statement.apply(Op::mul, kReal, most, statement.scalar(static_cast<R>(rcond)));
            const Value counts = statement.apply(Op::lt, DType::boolean, cutoff, values);
            const Value one = statement.scalar(R(1));
            const Value divisor = statement.apply(Op::select, kReal, counts, values, one);
            const Value inverse = statement.apply(
                Op::select, kReal, counts, statement.apply(Op::div, kReal, one, divisor), statement.scalar(R(0)));
            const Value rows = conjugated(statement, transposed(viewed<xtensor<T, 2>>::get(u)));
            return new_array<xtensor<T, 2>>(statement,
                                            statement.apply(Op::mul, kType, statement.cast(inverse, kType), rows));
        }();
        const auto columns = [&] {
            rt::Statement statement(rt::LineScope::current());
            return new_array<xtensor<T, 2>>(statement,
                                            conjugated(statement, transposed(viewed<xtensor<T, 2>>::get(v))));
        }();
        return multiplied<xarray<T>>(viewed<xtensor<T, 2>>::get(columns), viewed<xtensor<T, 2>>::get(weighted));
    });
}

template <class A>
xtensor<number_of<A>, 2> matrix_power(const A& a, long n, here line) {
    using T = number_of<A>;
    using matrix = xtensor<T, 2>;
    return at_line(line, [&](leaves& evaluated) {
        window x = operand<T>(a, evaluated);
        check_square(x, "matrix_power");
        const std::size_t size = x.extents[0];
        const auto window_of = [](const matrix& m) { return viewed<matrix>::get(m); };
        if (n == 0) {
            rt::Statement statement(rt::LineScope::current());
            const Value ones = record_diagonal(statement, 2, std::array{size, size}.data(), 0);
            return new_array<matrix>(statement, statement.cast(ones, bc::dtype_of<T>()));
        }
        matrix power = n > 0 ? copied_window<matrix>(x) : matrix();
        if constexpr (inexact<A>) {
            if (n < 0) power = called<matrix>(Op::inverse, shape_of({size, size}), {x});
        } else {
            if (n < 0) throw_statement_error("matrix_power: integers have no inverse");
        }
        auto left = n > 0 ? static_cast<unsigned long>(n) : 0ul - static_cast<unsigned long>(n);
        matrix result;
        for (bool any = false;; power = multiplied<matrix>(window_of(power), window_of(power))) {
            if ((left & 1) != 0) {
                result = any ? multiplied<matrix>(window_of(result), window_of(power))
                             : copied_window<matrix>(window_of(power));
                any = true;
            }
            left >>= 1;
            if (left == 0) return result;
        }
    });
}

template <class A>
auto trace(const A& a, int offset, int axis1, int axis2, here line) {
    using T = number_of<A>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated);
        const window d = diagonal_of(x, offset, static_cast<std::size_t>(axis1), static_cast<std::size_t>(axis2));
        rt::Statement statement(rt::LineScope::current());
        const Value sum = statement.reduce(Op::sum, statement.load(d.ref()), 1u << (d.rank - 1), false);
        return new_array<xarray<double>>(statement, statement.cast(sum, DType::f64));
    });
}

}  // namespace linear
}  // namespace xlazy::detail
