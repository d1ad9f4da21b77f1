// SPDX-License-Identifier: BSD-3-Clause
// Numbers that describe a matrix or a vector: ranks and norms.
#pragma once

#include "xlazy/detail/linalg.hpp"

namespace xlazy::detail::linear {

template <class A>
int matrix_rank(const A& a, double tolerance, here line) {
    using T = number_of<A>;
    using R = real_of<T>;
    return at_line(line, [&](leaves& evaluated) {
        const window x = operand<T>(a, evaluated);
        check_matrix(x, "matrix_rank");
        const auto s = singular_values<T>(x);
        int rank = 0;
        const here place = rt::LineScope::current();
        if (s.size() == 0) return rank;
        const double least = tolerance != -1.0 ? tolerance
                                               : static_cast<double>(s(0, place)) *
                                                     static_cast<double>(std::max(x.extents[0], x.extents[1])) *
                                                     std::numeric_limits<R>::epsilon();
        for (std::size_t i = 0; i < s.size(); ++i) rank += s(i, place) > least ? 1 : 0;
        return rank;
    });
}

/// A number made of magnitudes by reductions.
template <class R, class F>
R norm_number(F&& record) {
    const auto result = [&] {
        rt::Statement statement(rt::LineScope::current());
        return new_array<xtensor<R, 0>>(statement, record(statement));
    }();
    return number(result);
}

template <class A>
auto norm(const A& a, int order, here line) {
    using T = number_of<A>;
    using R = real_of<T>;
    return at_line(line, [&](leaves& evaluated) -> R {
        const window x = operand<T>(a, evaluated);
        if (x.rank == 1) {
            const R sum = norm_number<R>([&](rt::Statement& s) { return record_norm_sum(s, x, order, 1u); });
            if (order == 2) return std::sqrt(sum);
            return order == 0 || order == 1 ? sum : static_cast<R>(std::pow(sum, 1. / static_cast<double>(order)));
        }
        const bool most = order > 0;
        if (x.rank == 2 && (order == 1 || order == -1)) {
            return norm_number<R>([&](rt::Statement& s) {
                return s.reduce(most ? Op::amax : Op::amin, record_norm_sum(s, x, 1, 1u), 1u, false);
            });
        }
        if (x.rank == 2 && (order == 2 || order == -2)) {
            const auto s = singular_values<T>(x);
            return s(most ? 0 : s.size() - 1, rt::LineScope::current());
        }
        throw_statement_error("norm: an array of rank " + std::to_string(x.rank) + " has none of order " +
                              std::to_string(order));
    });
}
template <class A>
auto norm(const A& a, norm_order order, here line) {
    using T = number_of<A>;
    using R = real_of<T>;
    return at_line(line, [&](leaves& evaluated) -> R {
        const window x = operand<T>(a, evaluated);
        const Op extreme = order == norm_order::infinity ? Op::amax : Op::amin;
        if (x.rank == 2 && order == norm_order::frobenius)
            return std::sqrt(norm_number<R>([&](rt::Statement& s) { return record_norm_sum(s, x, 2, 3u); }));
        if (x.rank == 2 && order == norm_order::nuclear) {
            const auto s = singular_values<T>(x);
            return norm_number<R>([&](rt::Statement& statement) {
                const window values = viewed<std::decay_t<decltype(s)>>::get(s);
                return statement.reduce(Op::sum, statement.load(values.ref()), 1u, false);
            });
        }
        if (x.rank == 2 && order != norm_order::frobenius && order != norm_order::nuclear) {
            return norm_number<R>(
                [&](rt::Statement& s) { return s.reduce(extreme, record_norm_sum(s, x, 1, 2u), 1u, false); });
        }
        if (x.rank == 1 && (order == norm_order::infinity || order == norm_order::minus_infinity)) {
            return norm_number<R>([&](rt::Statement& s) {
                return s.reduce(extreme, s.apply(Op::abs, bc::dtype_of<R>(), s.load(x.ref())), 1u, false);
            });
        }
        throw_statement_error("norm: an array of rank " + std::to_string(x.rank) + " has none of this order");
    });
}
template <class A>
number_of<A> norm(const A& a, here line) {
    return a.dimension() == 1 ? norm(a, 2, line) : norm(a, norm_order::frobenius, line);
}

}  // namespace xlazy::detail::linear
