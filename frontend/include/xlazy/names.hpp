// SPDX-License-Identifier: BSD-3-Clause
// Made by tools/gen_names.py from xtensor 0.24.3: its public names in namespace xlazy, without the two that are ours.
// clang-format off
#pragma once

namespace xlazy {

using xt::abs; using xt::accumulate; using xt::acos; using xt::acosh; using xt::acquire_ownership; using xt::adapt;
using xt::adapt_smart_ptr; using xt::adapt_strides; using xt::aligned_array; using xt::all; using xt::all_xscalar;
using xt::allclose; using xt::allocator_type_t; using xt::amax; using xt::amin; using xt::angle; using xt::any;
using xt::apply; using xt::apply_cv; using xt::apply_cv_t; using xt::arange; using xt::arg; using xt::argmax;
using xt::argmin; using xt::argpartition; using xt::argsort; using xt::argument; using xt::argwhere;
using xt::as_strided; using xt::asin; using xt::asinh; using xt::assert_compatible_shape; using xt::assign_data;
using xt::assign_xexpression; using xt::atan; using xt::atan2; using xt::atanh; using xt::atleast_1d;
using xt::atleast_2d; using xt::atleast_3d; using xt::atleast_Nd; using xt::average; using xt::axis_begin;
using xt::axis_end; using xt::axis_slice_begin; using xt::axis_slice_end; using xt::big_promote_value_type;
using xt::big_promote_value_type_t; using xt::bin_items; using xt::bincount; using xt::bool_load_type;
using xt::broadcast; using xt::broadcast_error; using xt::broadcast_shape; using xt::broadcastable;
using xt::buffer_inner_types; using xt::can_assign; using xt::cast; using xt::cbrt; using xt::ceil;
using xt::check_access; using xt::check_dimension; using xt::check_element_index; using xt::check_in_bounds;
using xt::check_index; using xt::check_strides_overlap; using xt::clip; using xt::col;
using xt::common_difference_type; using xt::common_difference_type_t; using xt::common_size_type;
using xt::common_size_type_t; using xt::common_tensor_type; using xt::common_tensor_type_t;
using xt::common_value_type; using xt::common_value_type_t; using xt::compute_layout; using xt::compute_size;
using xt::compute_strides; using xt::computed_assign; using xt::concatenate; using xt::concatenate_error;
using xt::conditional_cast; using xt::conditional_cast_functor; using xt::conj; using xt::const_array;
using xt::const_value; using xt::const_xclosure; using xt::const_xclosure_t; using xt::container_simd_return_type;
using xt::container_simd_return_type_t; using xt::convolve; using xt::copy_to_reduced; using xt::cos; using xt::cosh;
using xt::count_nonnan; using xt::count_nonzero; using xt::cov; using xt::cube; using xt::cube_fct; using xt::cumprod;
using xt::cumsum; using xt::data_offset; using xt::decay_all; using xt::default_assignable_layout; using xt::deg2rad;
using xt::degrees; using xt::diag; using xt::diagonal; using xt::diff; using xt::digitize;
using xt::disable_assignable; using xt::disable_indexed_stepper; using xt::disable_indexed_stepper_t;
using xt::disable_integral_t; using xt::disable_xcontainer_semantics; using xt::disable_xexpression;
using xt::disable_xsharable_expression; using xt::disable_xslice; using xt::disable_xview_semantics;
using xt::do_strides_match; using xt::driven_align_mode; using xt::driven_align_mode_t; using xt::drop;
using xt::dump_csv; using xt::dump_file; using xt::dynamic_shape; using xt::dynamic_view; using xt::element_offset;
using xt::ellipsis; using xt::empty; using xt::empty_like; using xt::enable_assignable;
using xt::enable_assignable_expression; using xt::enable_indexed_stepper; using xt::enable_indexed_stepper_t;
using xt::enable_not_assignable_expression; using xt::enable_xcontainer_semantics; using xt::enable_xexpression;
using xt::enable_xsharable_expression; using xt::enable_xview_semantics; using xt::equal; using xt::erf;
using xt::erfc; using xt::eval; using xt::exp; using xt::exp2; using xt::expand_dims; using xt::expm1; using xt::eye;
using xt::fabs; using xt::fdim; using xt::filter; using xt::filter_fixed_shape; using xt::filter_fixed_shape_t;
using xt::filtration; using xt::fixed_shape; using xt::fixed_xreducer_shape_type; using xt::flatnonzero;
using xt::flatten; using xt::flatten_indices; using xt::flip; using xt::floor; using xt::fma; using xt::fmax;
using xt::fmin; using xt::fmod; using xt::for_each; using xt::forbid_simd; using xt::forward_normalize;
using xt::from_indices; using xt::full_like; using xt::get; using xt::get_backstrides; using xt::get_init_type;
using xt::get_init_type_t; using xt::get_print_options; using xt::get_rank; using xt::get_size;
using xt::get_slice_implementation; using xt::get_slice_type; using xt::get_slice_value; using xt::get_stepper;
using xt::get_stepper_iterator; using xt::get_strides; using xt::get_strides_t; using xt::get_strides_type;
using xt::get_value_type; using xt::get_value_type_t; using xt::greater; using xt::greater_equal;
using xt::has_assign_conversion; using xt::has_assign_to; using xt::has_container_semantics;
using xt::has_data_interface; using xt::has_fixed_rank; using xt::has_fixed_rank_t; using xt::has_iterator_interface;
using xt::has_rank; using xt::has_rank_t; using xt::has_shape; using xt::has_sign_conversion; using xt::has_simd_apply;
using xt::has_simd_interface; using xt::has_simd_type; using xt::has_storage_type; using xt::has_strides;
using xt::has_view_semantics; using xt::has_xexpression; using xt::has_xslice; using xt::histogram;
using xt::histogram_algorithm; using xt::histogram_bin_edges; using xt::hsplit; using xt::hstack; using xt::hypot;
using xt::imag; using xt::in1d; using xt::in_bounds; using xt::index_from_shape; using xt::index_from_shape_t;
using xt::index_view; using xt::initial; using xt::initializer_dimension; using xt::inner_aligned_mode;
using xt::inner_reference; using xt::inner_reference_t; using xt::integral_count; using xt::integral_count_before;
using xt::integral_skip; using xt::interp; using xt::invalid_type; using xt::is_assignable;
using xt::is_contiguous_container; using xt::is_crtp_base_of; using xt::is_evaluation_strategy;
using xt::is_indexed_stepper; using xt::is_iterator; using xt::is_narrowing_conversion;
using xt::is_not_xdummy_iterator; using xt::is_reducer_options; using xt::is_reducer_options_impl;
using xt::is_xexpression; using xt::is_xoptional_expression; using xt::is_xscalar; using xt::is_xsharable_expression;
using xt::is_xslice; using xt::is_xtensor_expression; using xt::isclose; using xt::isfinite; using xt::isin;
using xt::isinf; using xt::isnan; using xt::keep; using xt::keep_dims; using xt::keep_dims_type;
using xt::layout_remove_any; using xt::layout_type; using xt::left_shift; using xt::less; using xt::less_equal;
using xt::lgamma; using xt::linear_assigner; using xt::linear_begin; using xt::linear_end; using xt::linspace;
using xt::load_csv; using xt::load_file; using xt::log; using xt::log10; using xt::log1p; using xt::log2;
using xt::logspace; using xt::make_invalid_type; using xt::make_lambda_xfunction; using xt::make_void;
using xt::make_xaccumulator_functor; using xt::make_xiterator_adaptor; using xt::make_xreducer_functor;
using xt::make_xshared; using xt::masked_view; using xt::maximum; using xt::mean; using xt::median; using xt::meshgrid;
using xt::meta_identity; using xt::minimum; using xt::minmax; using xt::missing_type; using xt::nan_to_num;
using xt::nancumprod; using xt::nancumsum; using xt::nanmax; using xt::nanmean; using xt::nanmin; using xt::nanprod;
using xt::nanstd; using xt::nansum; using xt::nanvar; using xt::nearbyint; using xt::nested_copy;
using xt::nested_initializer_list; using xt::nested_initializer_list_t; using xt::newaxis; using xt::newaxis_count;
using xt::newaxis_count_before; using xt::newaxis_skip; using xt::no_ownership; using xt::noalias;
using xt::noalias_proxy; using xt::nonzero; using xt::norm; using xt::norm_induced_l1; using xt::norm_induced_linf;
using xt::norm_l0; using xt::norm_l1; using xt::norm_l2; using xt::norm_linf; using xt::norm_lp;
using xt::norm_lp_to_p; using xt::norm_sq; using xt::norm_type; using xt::norm_type_t; using xt::normalize_axis;
using xt::normalize_periodic; using xt::not_equal; using xt::numeric_constants; using xt::ones; using xt::ones_like;
using xt::pad; using xt::pad_mode; using xt::partition; using xt::pow; using xt::pretty_print; using xt::prod;
using xt::promote_shape; using xt::promote_shape_t; using xt::promote_strides; using xt::promote_strides_t;
using xt::rad2deg; using xt::radians; using xt::range; using xt::ravel; using xt::ravel_from_strides;
using xt::ravel_index; using xt::ravel_indices; using xt::ravel_return_type_t; using xt::ravel_tensor_tag;
using xt::ravel_vector_tag; using xt::real; using xt::rebind_container; using xt::rebind_container_t; using xt::reduce;
using xt::reduce_immediate; using xt::reducer_options; using xt::remainder; using xt::remove_class;
using xt::remove_class_t; using xt::repeat; using xt::reshape_view; using xt::resize_container; using xt::right_shift;
using xt::rint; using xt::roll; using xt::rot90; using xt::rot90_impl; using xt::round; using xt::row;
using xt::same_shape; using xt::scalar_computed_assign; using xt::searchsorted; using xt::select_dim_mapping_type;
using xt::select_expression_base_t; using xt::select_iterable_base; using xt::select_iterable_base_t;
using xt::select_layout; using xt::sequence_size; using xt::sequence_view; using xt::setdiff1d; using xt::shape;
using xt::share; using xt::sign; using xt::sin; using xt::sinh; using xt::smart_ownership; using xt::sort;
using xt::split; using xt::sqrt; using xt::square; using xt::square_fct; using xt::squared_norm_type;
using xt::squared_norm_type_t; using xt::squeeze; using xt::stack; using xt::static_dimension; using xt::static_shape;
using xt::stddev; using xt::step_size; using xt::stepper_assigner; using xt::stepper_tools;
using xt::stride_match_condition; using xt::stride_type; using xt::strided_assign; using xt::strided_data_end;
using xt::strided_loop_assigner; using xt::strided_view; using xt::strides; using xt::sum; using xt::svector;
using xt::swap; using xt::tan; using xt::tanh; using xt::temporary_container; using xt::temporary_container_t;
using xt::temporary_type; using xt::temporary_type_from_tag; using xt::temporary_type_t; using xt::tgamma;
using xt::throw_broadcast_error; using xt::throw_concatenate_error; using xt::tile; using xt::to_array;
using xt::tracking_allocator; using xt::transpose; using xt::transpose_error; using xt::trapz; using xt::tril;
using xt::trim_zeros; using xt::triu; using xt::trunc; using xt::tuple_idx_of; using xt::tuple_idx_of_impl;
using xt::unchecked_data_offset; using xt::uninitialized_shape; using xt::unique; using xt::unravel_from_strides;
using xt::unravel_index; using xt::unravel_indices; using xt::uvector; using xt::value; using xt::variance;
using xt::vectorize; using xt::view; using xt::view_temporary_type; using xt::view_temporary_type_t; using xt::void_t;
using xt::vsplit; using xt::vstack; using xt::where; using xt::xaccessible; using xt::xaccumulator_functor;
using xt::xall; using xt::xall_tag; using xt::xarray_adaptor; using xt::xarray_container; using xt::xarray_optional;
using xt::xassign_traits; using xt::xaxis_iterator; using xt::xaxis_slice_begin; using xt::xaxis_slice_end;
using xt::xaxis_slice_iterator; using xt::xbounded_iterator; using xt::xbroadcast; using xt::xbuffer_adaptor;
using xt::xbuffer_adaptor_base; using xt::xclosure; using xt::xclosure_t; using xt::xconst_accessible;
using xt::xconst_iterable; using xt::xcontainer; using xt::xcontainer_inner_types; using xt::xcontainer_iterable_types;
using xt::xcontainer_semantic; using xt::xcontiguous_iterable; using xt::xcref; using xt::xcsv_config;
using xt::xcsv_tensor; using xt::xdrop_slice; using xt::xdummy_iterator; using xt::xdynamic_slice;
using xt::xdynamic_slice_vector; using xt::xdynamic_view; using xt::xellipsis_tag; using xt::xexpression;
using xt::xexpression_assigner; using xt::xexpression_assigner_base; using xt::xexpression_tag;
using xt::xexpression_tag_t; using xt::xfiltration; using xt::xfixed_adaptor; using xt::xfixed_container;
using xt::xfunction; using xt::xfunction_cache; using xt::xfunction_iterator; using xt::xfunction_stepper;
using xt::xfunctor_adaptor; using xt::xfunctor_applier_base; using xt::xfunctor_iterator; using xt::xfunctor_stepper;
using xt::xfunctor_view; using xt::xfunctor_view_temporary_type; using xt::xgenerator; using xt::xindex;
using xt::xindex_type_t; using xt::xindex_view; using xt::xindexed_stepper; using xt::xinitial; using xt::xiterable;
using xt::xiterable_inner_types; using xt::xiterator; using xt::xiterator_adaptor; using xt::xiterator_owner_adaptor;
using xt::xkeep_slice; using xt::xmasked_view; using xt::xmasked_view_stepper; using xt::xnewaxis;
using xt::xnewaxis_tag; using xt::xnone; using xt::xoffset_adaptor; using xt::xoffset_view;
using xt::xoptional_comparable; using xt::xoptional_expression_tag; using xt::xproxy_inner_types; using xt::xrange;
using xt::xrange_adaptor; using xt::xreducer; using xt::xreducer_functors; using xt::xreducer_shape_type;
using xt::xreducer_stepper; using xt::xref; using xt::xrepeat; using xt::xrepeat_stepper; using xt::xscalar;
using xt::xscalar_stepper; using xt::xsemantic_base; using xt::xshape; using xt::xsharable_expression;
using xt::xshared_expression; using xt::xslice; using xt::xstepped_range; using xt::xstepper;
using xt::xstrided_container; using xt::xstrided_slice; using xt::xstrided_slice_vector; using xt::xstrided_view;
using xt::xstrided_view_base; using xt::xtensor_adaptor; using xt::xtensor_container; using xt::xtensor_expression_tag;
using xt::xtensor_fixed; using xt::xtensor_optional; using xt::xtensor_view;
using xt::xtrivially_default_constructible; using xt::xtuple; using xt::xvalue_type; using xt::xvalue_type_t;
using xt::xvectorizer; using xt::xview; using xt::xview_semantic; using xt::xview_shape_type; using xt::xview_stepper;
using xt::zeros; using xt::zeros_like;
using detail::overloads::dump_npy;
using detail::overloads::load_npy;

namespace alloc_tracking { using namespace xt::alloc_tracking; }
namespace check_policy { using namespace xt::check_policy; }
namespace convolve_mode { using namespace xt::convolve_mode; }
namespace evaluation_strategy { using namespace xt::evaluation_strategy; }
namespace placeholders { using namespace xt::placeholders; }
namespace print_options { using namespace xt::print_options; }
namespace random { using namespace xt::random; }

}  // namespace xlazy
