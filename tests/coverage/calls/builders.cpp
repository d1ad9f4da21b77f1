// SPDX-License-Identifier: BSD-3-Clause
// Builders, adaptors and evaluation.
#include "../call.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xbroadcast.hpp>
#include <xtensor/xeval.hpp>
#include <xtensor/xvectorize.hpp>

#include <memory>

namespace {
using Shape = std::vector<std::size_t>;
}

CALL(xbuilder, arange, "arange") { out(xt::arange<double>(2., 9., 0.5)); }
CALL(xbuilder, arange_whole, "arange") { out(xt::arange<int>(7)); }
CALL(xbuilder, linspace, "linspace") { out(xt::linspace<double>(1., 3., 7)); }
CALL(xbuilder, logspace, "logspace") { out.ulps(xt::logspace<double>(1., 3., 7)); }
CALL(xbuilder, eye, "eye") { out(xt::eye<double>(4, 1)); }
CALL(xbuilder, ones, "ones") { out(xt::ones<double>(Shape{3, 4}) + in.a); }
CALL(xbuilder, zeros, "zeros") { out(xt::zeros<double>({3, 4}) - in.a); }
CALL(xbuilder, empty, "empty") { out(xt::empty<double>(Shape{3, 4}).size()); }
CALL(xbuilder, empty_like, "empty_like") { out(xt::empty_like(in.a).size()); }
CALL(xbuilder, full_like, "full_like") { out(xt::full_like(in.a, 2.5)); }
CALL(xbuilder, ones_like, "ones_like") { out(xt::ones_like(in.a)); }
CALL(xbuilder, zeros_like, "zeros_like") { out(xt::zeros_like(in.a)); }
CALL(xbuilder, concatenate, "concatenate") { out(xt::concatenate(xt::xtuple(in.a, in.b, in.p), 1)); }
CALL(xbuilder, concatenate_mixed, "concatenate") { out(xt::concatenate(xt::xtuple(in.a, in.b * 2.), 0) + 1.); }
CALL(xbuilder, xtuple, "xtuple") { out(xt::concatenate(xt::xtuple(in.i, in.j))); }
CALL(xbuilder, stack, "stack") { out(xt::stack(xt::xtuple(in.a, in.b), 1)); }
CALL(xbuilder, hstack, "hstack") { out(xt::hstack(xt::xtuple(in.a, in.b))); }
CALL(xbuilder, hstack_vectors, "hstack") { out(xt::hstack(xt::xtuple(in.x, in.s))); }
CALL(xbuilder, vstack, "vstack") { out(xt::vstack(xt::xtuple(in.a, in.b))); }
CALL(xbuilder, vstack_vectors, "vstack") { out(xt::vstack(xt::xtuple(in.x, in.s))); }
CALL(xbuilder, meshgrid, "meshgrid") {
    const auto grids = xt::meshgrid(in.four, in.x);
    out(std::get<0>(grids));
    out(std::get<1>(grids));
}
CALL(xbuilder, diag, "diag") { out(xt::diag(in.four)); }
CALL(xbuilder, diag_offset, "diag") { out(xt::diag(in.four, 1)); }
CALL(xbuilder, diagonal, "diagonal") { out(xt::diagonal(in.a)); }
CALL(xbuilder, diagonal_offset, "diagonal") { out(xt::diagonal(in.cube, 1, 1, 2)); }
CALL(xbuilder, tril, "tril") { out(xt::tril(in.a)); }
CALL(xbuilder, triu, "triu") { out(xt::triu(in.a, 1)); }

CALL(xbroadcast, broadcast, "broadcast") { out(xt::broadcast(in.four, {3, 4})); }
CALL(xadapt, adapt, "adapt") {
    std::vector<double> values = {1, 2, 3, 4};
    out(in.a + xt::adapt(values, Shape{4}));
}
CALL(xadapt, adapt_pointer, "adapt") {
    double values[4] = {1, 2, 3, 4};
    double* const first = values;
    out(in.a * xt::adapt(first, 4, xt::no_ownership(), Shape{4}));
}
CALL(xadapt, adapt_target, "adapt") {
    std::vector<double> values(12);
    auto target = xt::adapt(values, Shape{3, 4});
    target = in.a + in.b;
    out(target);
}
CALL(xadapt, adapt_smart_ptr, "adapt_smart_ptr") {
    const auto values = std::make_shared<std::vector<double>>(std::vector<double>{1, 2, 3, 4});
    out(in.a - xt::adapt_smart_ptr(values->data(), Shape{4}, values));
}
CALL(xeval, eval, "eval") { out(xt::eval(in.a + in.b)); }
CALL(xeval, eval_array, "eval") { out(xt::eval(in.a)); }
CALL(xeval, as_strided, "as_strided") { out(xt::as_strided(in.a * 2.)); }
CALL(xexpression, share, "share") { out(xt::share(in.a + in.b) * 2.); }
CALL(xvectorize, vectorize, "vectorize") {
    auto f = xt::vectorize([](double u, double v) { return u * v + 1.; });
    out(f(in.a, in.b));
}
