// SPDX-License-Identifier: BSD-3-Clause
// Saved functions on arrays of xlazy:
//
//     auto step = xlazy::load<xlazy::xarray<double>(xlazy::xarray<double>, double)>("step.xlz");
//     xlazy::xarray<double> y = step(x, 2.0);
//
// Programs without xtensor include xlazy/saved_function.hpp.
#pragma once

#include "xlazy/detail/core.hpp"
#include "xlazy/saved_function.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <type_traits>

namespace xlazy {
namespace detail {

/// What a saved function gives: one array, or a tuple of arrays.
template <class R>
struct loaded_results {
    using tuple = std::tuple<R>;
    static R result(tuple&& all) { return std::move(std::get<0>(all)); }
};
template <class... R>
struct loaded_results<std::tuple<R...>> {
    using tuple = std::tuple<R...>;
    static tuple result(tuple&& all) { return std::move(all); }
};

/// @throws file_error where arrays of type D are not what the signature says
template <class D>
void check_loaded(const std::string& file, const char* what, std::size_t index, const array_signature& signature) {
    static_assert(D::static_layout == xt::layout_type::row_major || D::static_layout == xt::layout_type::column_major,
                  "arrays of saved functions are row-major or column-major");
    constexpr bool kColumns = D::static_layout == xt::layout_type::column_major;
    const auto fail = [&](const std::string& is) {
        throw file_error(file + ": " + what + " " + std::to_string(index) + " is " + is +
                         ", which the program's type is not");
    };
    if (signature.type != bc::dtype_of<typename D::value_type>()) fail(std::string(bc::name_of(signature.type)));
    if (signature.extents.size() > 1 && signature.column_major != kColumns)
        fail(signature.column_major ? "column-major" : "row-major");
    if constexpr (xt::get_rank<D>::value != SIZE_MAX) {
        if (signature.extents.size() != xt::get_rank<D>::value)
            fail("of rank " + std::to_string(signature.extents.size()));
    }
}

}  // namespace detail

/// Only for types of functions, R(A...).
template <class Signature>
class loaded_function;

/// A function from a file, as a function of arrays and numbers. R is an array or a std::tuple of arrays. Copies share
/// it and its states.
template <class R, class... A>
class loaded_function<R(A...)> {
    using results = detail::loaded_results<R>;
    using outputs = typename results::tuple;
    static constexpr std::size_t kNumbers = (std::size_t{0} + ... + (detail::is_number<A> ? 1 : 0));
    static constexpr std::size_t kArrays = sizeof...(A) - kNumbers, kOutputs = std::tuple_size_v<outputs>;

public:
    /// @throws file_error: it cannot be read, or takes or gives something else
    explicit loaded_function(const std::string& file, bool use_kernels = false) : function_(file, use_kernels) {
        if (function_.inputs().size() != kArrays || function_.numbers().size() != kNumbers ||
            function_.outputs().size() != kOutputs) {
            throw file_error(file + ": a function of " + std::to_string(function_.inputs().size()) + " arrays and " +
                             std::to_string(function_.numbers().size()) + " numbers that gives " +
                             std::to_string(function_.outputs().size()) + " arrays, which the program's type is not");
        }
        std::size_t input = 0;
        [[maybe_unused]] const auto look = [&]<class T>(std::type_identity<T>) {
            if constexpr (!detail::is_number<T>) {
                detail::check_loaded<T>(file, "input", input, function_.inputs()[input]);
                ++input;
            }
        };
        (look(std::type_identity<A>()), ...);
        check_outputs(file, std::make_index_sequence<kOutputs>());
    }

    /// @throws std::invalid_argument where extents are others than those of the file; deferred_error; std::bad_alloc
    R operator()(const A&... arguments) const {
        std::array<input_array, kArrays> from{};
        std::array<std::vector<std::int64_t>, kArrays> extents;
        std::array<bc::Scalar, kNumbers> numbers{};
        std::size_t array = 0, number = 0;
        [[maybe_unused]] const auto take = [&]<class T>(const T& argument) {
            if constexpr (detail::is_number<T>) {
                numbers[number++] = bc::make_scalar(argument);
            } else {
                extents[array].assign(argument.shape().begin(), argument.shape().end());
                from[array] = {argument.data(), bc::dtype_of<typename T::value_type>(), extents[array]};
                ++array;
            }
        };
        (take(arguments), ...);
        outputs results_of;
        std::array<output_array, kOutputs> to{};
        make_outputs(results_of, to, std::make_index_sequence<kOutputs>());
        function_.run(from, numbers, to);
        return results::result(std::move(results_of));
    }

    const saved_function& function() const noexcept { return function_; }  ///< without the types

private:
    template <std::size_t... I>
    void check_outputs(const std::string& file, std::index_sequence<I...>) const {
        (detail::check_loaded<std::tuple_element_t<I, outputs>>(file, "output", I, function_.outputs()[I]), ...);
    }

    template <std::size_t... I>
    void make_outputs(outputs& all, std::array<output_array, kOutputs>& to, std::index_sequence<I...>) const {
        (make_output(std::get<I>(all), to[I], function_.outputs()[I]), ...);
    }
    template <class D>
    static void make_output(D& array, output_array& to, const array_signature& signature) {
        auto shape = xtl::make_sequence<typename D::shape_type>(signature.extents.size(), 0);
        std::ranges::copy(signature.extents, shape.begin());
        array.resize(shape);
        to = {array.data(), signature.type, signature.extents};
    }

    saved_function function_;
};

/// Reads a saved function. @throws file_error
template <class Signature>
loaded_function<Signature> load(const std::string& file, bool use_kernels = false) {
    return loaded_function<Signature>(file, use_kernels);
}

}  // namespace xlazy
