// SPDX-License-Identifier: BSD-3-Clause
// xtensor's extension points, one specialisation each: expressions with our tag get our base, functions of them our
// class, temporaries of them are our arrays.
#pragma once

#include "xlazy/detail/array.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xbroadcast.hpp>
#include <xtensor/xfunction.hpp>
#include <xtensor/xoperation.hpp>
#include <xtensor/xstrided_view.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xt {

namespace extension {

// Declared by headers that need not be included yet.
template <class Tag, class CT, class... S>
struct xview_base_impl;
template <class Tag, class CT, class S, layout_type L, class FST>
struct xdynamic_view_base_impl;
template <class Tag, class F, class CT>
struct xfunctor_view_base_impl;
template <class Tag, class CT, class I>
struct xindex_view_base_impl;
template <class Tag, class F, class CT, class X, class O>
struct xreducer_base_impl;
template <class Tag, class CT, class X>
struct xrepeat_base_impl;

struct xlazy_base {
    using type = xlazy::detail::lazy_base;
};
using xlazy_tag = xlazy::detail::lazy_tag;

template <class EC, layout_type L, class SC>
struct xarray_container_base<EC, L, SC, xlazy_tag> : xlazy_base {};
template <class EC, std::size_t N, layout_type L>
struct xtensor_container_base<EC, N, L, xlazy_tag> : xlazy_base {};
template <class EC, layout_type L, class SC>
struct xarray_adaptor_base<EC, L, SC, xlazy_tag> : xlazy_base {};
template <class EC, std::size_t N, layout_type L>
struct xtensor_adaptor_base<EC, N, L, xlazy_tag> : xlazy_base {};
template <class EC, std::size_t N, layout_type L>
struct xtensor_view_base<EC, N, L, xlazy_tag> : xlazy_base {};
template <class F, class... CT>
struct xfunction_base_impl<xlazy_tag, F, CT...> : xlazy_base {};
template <class CT, class... S>
struct xview_base_impl<xlazy_tag, CT, S...> : xlazy_base {};
template <class CT, class X>
struct xbroadcast_base_impl<xlazy_tag, CT, X> : xlazy_base {};
template <class CT, class S, layout_type L, class FST>
struct xstrided_view_base_impl<xlazy_tag, CT, S, L, FST> : xlazy_base {};
template <class CT, class S, layout_type L, class FST>
struct xdynamic_view_base_impl<xlazy_tag, CT, S, L, FST> : xlazy_base {};
template <class F, class CT>
struct xfunctor_view_base_impl<xlazy_tag, F, CT> : xlazy_base {};
template <class CT, class I>
struct xindex_view_base_impl<xlazy_tag, CT, I> : xlazy_base {};
template <class F, class CT, class X, class O>
struct xreducer_base_impl<xlazy_tag, F, CT, X, O> : xlazy_base {};
template <class CT, class X>
struct xrepeat_base_impl<xlazy_tag, CT, X> : xlazy_base {};

}  // namespace extension

namespace detail {

template <class F, class... E>
struct select_xfunction_expression<xlazy::detail::lazy_tag, F, E...> {
    using type = xlazy::detail::lazy_function<xfunction<F, E...>>;
};

#if __cplusplus > 201703L
// xtensor's own specialisation is guarded by `__cplusplus == 201703L`; without it temporaries of dynamic rank become
// xtensor<T, 4> in C++20.
template <template <class, std::size_t, class, bool> class S, class X, std::size_t N, class A, bool Init>
struct xtype_for_shape<S<X, N, A, Init>> {
    template <class T, layout_type L>
    using type = xarray_container<uvector<T>, L, svector<std::size_t, 4, std::allocator<std::size_t>, true>>;
};
#endif

/// The array of ours for a type of shape.
template <class S>
struct xlazy_for_shape {
    template <class T, layout_type L>
    using type = xlazy::xarray<T, L>;
};
template <class X, std::size_t N>
struct xlazy_for_shape<std::array<X, N>> {
    template <class T, layout_type L>
    using type = xlazy::xtensor<T, N, L>;
};
template <class X, std::size_t N>
struct xlazy_for_shape<const_array<X, N>> {
    template <class T, layout_type L>
    using type = xlazy::xtensor<T, N, L>;
};
template <std::size_t... X>
struct xlazy_for_shape<fixed_shape<X...>> {
    template <class T, layout_type L>
    using type = xtensor_fixed<T, xshape<X...>, L>;
};

template <class B>
struct is_xscalar_impl<xlazy::detail::lazy_view<B>> : is_xscalar_impl<B> {};

}  // namespace detail

template <class T>
struct temporary_type_from_tag<xlazy::detail::lazy_tag, T> {
    using I = std::decay_t<T>;
    using type = typename detail::xlazy_for_shape<typename I::shape_type>::template type<typename I::value_type,
                                                                                         XTENSOR_DEFAULT_LAYOUT>;
};

/// As xtensor's, but what a view of ours is evaluated to is an array of ours.
template <class CT, class S, layout_type L, class FST>
    requires xlazy::detail::lazy<std::decay_t<CT>>
struct xcontainer_inner_types<xstrided_view<CT, S, L, FST>> {
    using xexpression_type = std::decay_t<CT>;
    using undecay_expression = CT;
    using reference = inner_reference_t<undecay_expression>;
    using const_reference = typename xexpression_type::const_reference;
    using size_type = typename xexpression_type::size_type;
    using shape_type = std::decay_t<S>;
    using undecay_shape = S;
    using storage_getter = FST;
    using inner_storage_type = typename storage_getter::type;
    using temporary_type =
        typename detail::xlazy_for_shape<shape_type>::template type<typename xexpression_type::value_type,
                                                                    layout_remove_any(xexpression_type::static_layout)>;
    using storage_type = std::remove_reference_t<inner_storage_type>;
    static constexpr layout_type layout = L;
};

template <class B, class RHS>
struct can_assign<xlazy::detail::lazy_view<B>, RHS> : can_assign<B, RHS> {};

// The general make_xshared deduces the base of a lazy_function, which is not what its caller expects.
template <class B>
xshared_expression<xlazy::detail::lazy_function<B>> make_xshared(xlazy::detail::lazy_function<B>&& e) {
    using function = xlazy::detail::lazy_function<B>;
    return xshared_expression<function>(std::make_shared<function>(std::move(e)));
}

template <class B>
struct xcontainer_inner_types<xlazy::detail::lazy_view<B>> : xcontainer_inner_types<B> {};
template <class B>
struct xiterable_inner_types<xlazy::detail::lazy_view<B>> : xiterable_inner_types<B> {};
template <class B>
struct xcontainer_inner_types<xlazy::detail::lazy_function<B>> : xcontainer_inner_types<B> {};
template <class B>
struct xiterable_inner_types<xlazy::detail::lazy_function<B>> : xiterable_inner_types<B> {};
template <class B>
struct xcontainer_inner_types<xlazy::detail::lazy_reducer<B>> : xcontainer_inner_types<B> {};
template <class B>
struct xiterable_inner_types<xlazy::detail::lazy_reducer<B>> : xiterable_inner_types<B> {};

}  // namespace xt
