// SPDX-License-Identifier: BSD-3-Clause
// Reductions over any axes: sum, amin, amax, and those that pass over what is no number.
#pragma once

#include "xlazy/detail/lowering.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xmath.hpp>
#include <xtensor/xreducer.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail {

/// Which reduction of the bytecode a functor of xtensor's is.
template <class F>
struct reduction {
    static constexpr bool known = false;
};
template <>
struct reduction<xt::detail::plus> {
    static constexpr bool known = true;
    static constexpr Op code = Op::sum;
};
template <class T>
struct reduction<xt::math::minimum<T>> {
    static constexpr bool known = true;
    static constexpr Op code = Op::amin;
};
template <class T>
struct reduction<xt::math::maximum<T>> {
    static constexpr bool known = true;
    static constexpr Op code = Op::amax;
};
template <>
struct reduction<xt::detail::multiplies> {
    static constexpr bool known = true;
    static constexpr Op code = Op::prod;
};
/// Those that pass over NaNs.
template <Op Code>
struct nan_reduction {
    static constexpr bool known = true;
    static constexpr Op code = Code;
    static constexpr bool skips_nan = true;
};
template <>
struct reduction<xt::detail::nan_plus> : nan_reduction<Op::sum> {};
template <>
struct reduction<xt::detail::nan_multiplies> : nan_reduction<Op::prod> {};
template <>
struct reduction<xt::detail::nan_min> : nan_reduction<Op::amin> {};
template <>
struct reduction<xt::detail::nan_max> : nan_reduction<Op::amax> {};

template <class F, class CT, class X, class O>
struct fallback_name<xt::xreducer<F, CT, X, O>>
    : fallback_name<std::decay_t<typename xt::xreducer<F, CT, X, O>::reduce_functor_type>> {};

/// Distinct extents, so that the shape of a reduction tells which axes it took away.
inline constexpr std::size_t kProbeExtents[bc::kMaxRank] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};

/// @throws std::runtime_error if a minimum or maximum of no elements is wanted
void check_reduced_extents(Op op, const rt::Statement& statement, Value operand, std::uint32_t axes, bool keep_dims);

/// The reduction of those elements that are numbers. The minimum or maximum of none is a NaN.
Value reduce_numbers(rt::Statement& statement, Op op, Value value, std::uint32_t axes, bool keep_dims);

/// Has one of the axes no element?
bool reduces_nothing(const rt::Statement& statement, Value operand, std::uint32_t axes);
/// The reduction goes on from an initial value. `numbers`: it passes over NaNs.
Value with_initial(rt::Statement& statement, Op op, bool numbers, Value initial, Value reduced);

/// The axes of an xreducer, which hides them: bit i for axis i.
template <class E>
std::uint32_t reduced_axes(const E& e, std::size_t rank, bool keep_dims) {
    using T = typename E::xexpression_type::value_type;
    const std::vector<std::size_t> extents(kProbeExtents, kProbeExtents + rank);
    const auto probe = e.build_reducer(xt::broadcast(xt::xscalar<T>(T()), extents));
    const auto& shape = probe.shape();
    std::uint32_t axes = 0;
    for (std::size_t i = 0, j = 0; i < rank; ++i) {
        const bool kept = j < shape.size() && static_cast<std::size_t>(shape[j]) == kProbeExtents[i];
        if (!kept) axes |= 1u << i;
        if (kept || keep_dims) ++j;
    }
    return axes;
}

template <class F, class CT, class X, class O>
struct lowering<xt::xreducer<F, CT, X, O>> {
    using E = xt::xreducer<F, CT, X, O>;
    using operand = std::decay_t<CT>;
    using T = typename E::value_type;
    using functor = std::decay_t<typename E::reduce_functor_type>;
    static constexpr bool keep_dims = O::keep_dims::value;

    static constexpr bool is_native() {
        if constexpr (!reduction<functor>::known)
            return false;
        else
            return std::is_same_v<functor, std::decay_t<typename E::merge_functor_type>> && lowerable_as<operand, T> &&
                   bc::accepts(reduction<functor>::code, bc::dtype_of<T>()) && initial_converts();
    }
    static constexpr bool native = is_native();
    static constexpr bool has_leaves = needs_preparation<operand>;
    static constexpr bool can_fail = false;  // a mask of the result's shape does not fit the operand
    static constexpr bool operand_can_fail = any_failure<operand>;

    static void prepare(const E& e, leaves& evaluated) { prepare_as<T>(e.expression(), evaluated); }
    static Value run(const E& e, recording& r) {
        recording inner{r.statement, r.evaluated};
        const Value value = lower_as<T>(e.expression(), inner);
        const std::size_t rank = r.statement.rank_of(value);
        check_rank(rank);
        const std::uint32_t axes = reduced_axes(e, rank, keep_dims);
        if constexpr (O::has_initial_value) {
            const Value first = r.statement.scalar(convert_number<T>(e.options().initial_value));
            if (reduces_nothing(r.statement, value, axes)) {
                std::size_t extents[bc::kMaxRank];
                const std::size_t kept = copy_extents(e.shape(), extents);
                return r.statement.broadcast(first, kept, extents);
            }
            const Value reduced = reduce(r.statement, value, axes);
            return with_initial(r.statement, reduction<functor>::code, kNumbers, first, reduced);
        } else {
            return reduce(r.statement, value, axes);
        }
    }

private:
    static constexpr bool initial_converts() {
        if constexpr (O::has_initial_value)
            return converts_to<std::decay_t<decltype(std::declval<const E&>().options().initial_value)>, T>;
        else
            return true;
    }
    static constexpr bool kNumbers = requires { reduction<functor>::skips_nan; } && !std::is_integral_v<T>;
    static Value reduce(rt::Statement& statement, Value value, std::uint32_t axes) {
        if constexpr (kNumbers) {
            return reduce_numbers(statement, reduction<functor>::code, value, axes, keep_dims);
        }
        if constexpr (bc::identity_of(reduction<functor>::code) == bc::Identity::None) {
            check_reduced_extents(reduction<functor>::code, statement, value, axes, keep_dims);
        }
        return statement.reduce(reduction<functor>::code, value, axes, keep_dims);
    }
};

}  // namespace xlazy::detail
