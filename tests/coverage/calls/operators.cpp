// SPDX-License-Identifier: BSD-3-Clause
// Operators and functions of xoperation.hpp.
#include "../call.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xoperation.hpp>

#define OPERATOR(name, op, left, right) \
    CALL(xoperation, name, "operator" #op) { out(left op right); }

OPERATOR(plus, +, in.a, in.b)
OPERATOR(minus, -, in.a, in.b)
OPERATOR(times, *, in.a, 2.5)
OPERATOR(divided, /, in.a, in.b)
OPERATOR(modulo, %, in.i, in.j)
OPERATOR(bit_and, &, in.i, in.j)
OPERATOR(bit_or, |, in.i, in.j)
OPERATOR(bit_xor, ^, in.i, in.j)
OPERATOR(left_shifted, <<, in.j, 3)
OPERATOR(right_shifted, >>, in.i, 1)
OPERATOR(logical_and, &&, in.m, in.k)
OPERATOR(logical_or, ||, in.m, in.k)
OPERATOR(less_than, <, in.a, in.b)
OPERATOR(at_most, <=, in.a, in.b)
OPERATOR(greater_than, >, in.a, in.b)
OPERATOR(at_least, >=, in.a, in.b)
CALL(xoperation, positive, "operator+") { out(+in.a); }
CALL(xoperation, negative, "operator-") { out(-in.a); }
CALL(xoperation, logical_not, "operator!") { out(!in.m); }
CALL(xoperation, bit_not, "operator~") { out(~in.i); }
// A single bool.
CALL(xoperation, same, "operator==") { out((in.a + 0.) == in.a); }
CALL(xoperation, not_same, "operator!=") { out((in.a + 1.) != in.a); }

CALL(xoperation, less, "less") { out(xt::less(in.a, in.b)); }
CALL(xoperation, less_equal, "less_equal") { out(xt::less_equal(in.a, in.b)); }
CALL(xoperation, greater, "greater") { out(xt::greater(in.a, in.b)); }
CALL(xoperation, greater_equal, "greater_equal") { out(xt::greater_equal(in.a, in.b)); }
CALL(xoperation, equal, "equal") { out(xt::equal(in.i, in.j)); }
CALL(xoperation, not_equal, "not_equal") { out(xt::not_equal(in.i, in.j)); }
CALL(xoperation, left_shift, "left_shift") { out(xt::left_shift(in.j, in.j)); }
CALL(xoperation, right_shift, "right_shift") { out(xt::right_shift(in.i, in.j)); }
CALL(xoperation, cast, "cast") { out(xt::cast<float>(in.a)); }
CALL(xoperation, all, "all") { out(xt::all(in.p > 0.)); }
CALL(xoperation, any, "any") { out(xt::any(in.a > 100.)); }
CALL(xoperation, where_chooses, "where") { out(xt::where(in.m, in.a, in.b)); }
CALL(xoperation, where_scalar, "where") { out(xt::where(in.a > 0., in.a, 0.)); }
CALL(xoperation, where_positions, "where") {
    const auto found = xt::where(in.m);
    out(found.size());
    for (const auto& axis : found) out(xt::adapt(axis, std::vector<std::size_t>{axis.size()}));
}
CALL(xoperation, nonzero, "nonzero") {
    for (const auto& axis : xt::nonzero(in.m)) out(xt::adapt(axis, std::vector<std::size_t>{axis.size()}));
}
CALL(xoperation, nonzero_expression, "nonzero") {
    for (const auto& axis : xt::nonzero(in.a > 0.5)) out(xt::adapt(axis, std::vector<std::size_t>{axis.size()}));
}
CALL(xoperation, argwhere, "argwhere") {
    const auto found = xt::argwhere(in.a > 0.);
    out(found.size());
    for (const auto& index : found) out(xt::adapt(index, std::vector<std::size_t>{index.size()}));
}

CALL(xnoalias, noalias, "noalias") {
    xt::noalias(in.a) = in.b * 2.;
    out(in.a);
}
CALL(xnoalias, noalias_plus, "noalias") {
    xt::noalias(in.a) += in.b * 2.;
    out(in.a);
}
