// SPDX-License-Identifier: BSD-3-Clause
// The variables of a level C program. Ordinary xtensor source: compiled with the wrapper headers, and against xtensor
// alone.
#pragma once

#include "fuzz/frontend/trace.hpp"
#include "fuzz/random.hpp"

#include <cmath>
#include <complex>
#include <tuple>
#include <type_traits>

#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>

namespace xlazy::fuzz::XLAZY_FUZZ_LIBRARY {

/// A container, and whether stock xtensor must have the same bits in it.
template <class Array>
struct Variable {
    Array array;
    bool exact = true;
};

/// Variables of the element types that have no name of their own in World.
template <class T>
struct Typed {
    using type = T;
    Variable<xt::xtensor<T, 2>> variables[2];
};
using AllTyped =
    std::tuple<Typed<std::int8_t>, Typed<std::int16_t>, Typed<std::int64_t>, Typed<std::uint8_t>, Typed<std::uint16_t>,
               Typed<std::uint32_t>, Typed<std::uint64_t>, Typed<std::complex<float>>, Typed<std::complex<double>>>;

template <class T>
constexpr bool is_complex = false;
template <class T>
constexpr bool is_complex<std::complex<T>> = true;

/// Complex numbers are compared by their parts.
template <class T>
constexpr Observation::Element element_of() {
    if constexpr (is_complex<T>)
        return element_of<typename T::value_type>();
    else if constexpr (std::is_same_v<T, bool>)
        return Observation::Element::Bool;
    else if constexpr (std::is_same_v<T, float>)
        return Observation::Element::F32;
    else if constexpr (std::is_same_v<T, double>)
        return Observation::Element::F64;
    else
        return sizeof(T) == 8 ? Observation::Element::I64 : Observation::Element::I32;
}

class World {
public:
    using Matrix = Variable<xt::xtensor<double, 2>>;
    using Floats = Variable<xt::xtensor<float, 2>>;
    using Integers = Variable<xt::xtensor<int, 2>>;
    using Mask = Variable<xt::xtensor<bool, 2>>;
    using Vector = Variable<xt::xtensor<double, 1>>;
    using Longs = Variable<xt::xtensor<long, 1>>;
    using Dynamic = Variable<xt::xarray<double>>;
    using Columns = Variable<xt::xtensor<double, 2, xt::layout_type::column_major>>;
    using Flexible = Variable<xt::xarray<double, xt::layout_type::dynamic>>;

    World(const Setup& setup, Trace& trace) : rows(setup.rows), columns(setup.columns), trace_(trace) {
        Random random(setup.data_seed);
        for (Matrix& one : matrices) fill(one.array, {rows, columns}, random);
        for (Floats& one : floats) fill(one.array, {rows, columns}, random);
        for (Integers& one : integers) fill(one.array, {rows, columns}, random);
        for (Mask& one : masks) fill(one.array, {rows, columns}, random);
        for (Vector& one : row_vectors) fill(one.array, {columns}, random);
        for (Vector& one : column_vectors) fill(one.array, {rows}, random);
        for (Longs& one : longs) fill(one.array, {columns}, random);
        for (Dynamic& one : dynamics) fill(one.array, {rows, columns}, random);
        for (Columns& one : column_majors) fill(one.array, {rows, columns}, random);
        for (Flexible& one : flexibles) fill(one.array, {rows, columns}, random);
        foreign.assign(rows * columns, 0.75);
        each_typed([&](auto& one) { fill(one.array, {rows, columns}, random); });
    }

    /// A random one of the variables of one kind.
    template <class Variables>
    auto& any(Variables& variables) {
        return variables[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(std::size(variables))))];
    }
    Matrix& matrix() { return any(matrices); }
    Floats& floating() { return any(floats); }
    Integers& integer() { return any(integers); }
    Mask& mask() { return any(masks); }
    Vector& row() { return any(row_vectors); }
    Vector& column() { return any(column_vectors); }
    Longs& whole() { return any(longs); }
    Dynamic& dynamic() { return any(dynamics); }
    Columns& column_major() { return any(column_majors); }
    Flexible& flexible() { return any(flexibles); }
    template <class T>
    auto& typed() {
        return any(std::get<Typed<T>>(typed_).variables);
    }
    template <class F>
    void each_typed(F&& f) {
        std::apply([&](auto&... of) { (each_of(of.variables, f), ...); }, typed_);
    }

    std::ptrdiff_t random_row() { return static_cast<std::ptrdiff_t>(random.below(static_cast<std::int64_t>(rows))); }
    std::ptrdiff_t random_column() {
        return static_cast<std::ptrdiff_t>(random.below(static_cast<std::int64_t>(columns)));
    }
    double number() { return static_cast<double>(random.between(-12, 12)) / 4.0; }

    /// A reading of an array: a flush point.
    template <class Array>
    void show(const char* what, const Variable<Array>& variable) {
        using T = std::decay_t<decltype(*variable.array.begin())>;
        std::string bytes;
        for (std::size_t extent : variable.array.shape()) bytes += std::to_string(extent) + " ";
        for (const T value : variable.array) bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
        trace_.push_back({call, what, element_of<T>(), variable.exact, std::move(bytes)});
    }
    template <class T>
    void show_value(const char* what, T value, bool exact) {
        std::string bytes(reinterpret_cast<const char*>(&value), sizeof(T));
        trace_.push_back({call, what, element_of<T>(), exact, std::move(bytes)});
    }
    void show_text(const char* what, std::string text) {
        trace_.push_back({call, what, Observation::Element::Text, true, std::move(text)});
    }
    void show_some() {
        switch (random.below(10)) {
            case 0: return show("double matrix", matrix());
            case 1: return show("float matrix", floating());
            case 2: return show("int matrix", integer());
            case 3: return show("bool matrix", mask());
            case 4: return show("row vector", row());
            case 5: return show("column vector", column());
            case 6: return show("long vector", whole());
            case 7: return show("column-major matrix", column_major());
            case 8: return show("dynamic layout", flexible());
            default: return show("xarray", dynamic());
        }
    }
    void show_all() {
        for (const auto& one : matrices) show("double matrix", one);
        for (const auto& one : floats) show("float matrix", one);
        for (const auto& one : integers) show("int matrix", one);
        for (const auto& one : masks) show("bool matrix", one);
        for (const auto& one : row_vectors) show("row vector", one);
        for (const auto& one : column_vectors) show("column vector", one);
        for (const auto& one : longs) show("long vector", one);
        for (const auto& one : dynamics) show("xarray", one);
        for (const auto& one : column_majors) show("column-major matrix", one);
        for (const auto& one : flexibles) show("dynamic layout", one);
        for (const double one : foreign) show_value("foreign", one, foreign_exact);
        each_typed([&](const auto& one) { show("matrix of another type", one); });
    }

    std::size_t rows, columns;
    Random random{0};  ///< of the statement that runs
    std::size_t call = 0;
    Matrix matrices[3];
    Floats floats[2];
    Integers integers[2];
    Mask masks[2];
    Vector row_vectors[2], column_vectors[2];
    Longs longs[1];
    Dynamic dynamics[2];
    Columns column_majors[2];
    Flexible flexibles[1];
    std::vector<double> foreign;
    bool foreign_exact = true;

private:
    template <class Variables, class F>
    static void each_of(Variables& variables, F&& f) {
        for (auto& one : variables) f(one);
    }
    template <class Array>
    static void fill(Array& array, const typename Array::shape_type& shape, Random& random) {
        using T = std::decay_t<decltype(*array.begin())>;
        array.resize(shape);
        for (auto it = array.begin(); it != array.end(); ++it) {
            const std::int64_t value = random.between(-20, 20);
            if constexpr (std::is_same_v<T, bool>)
                *it = value > 0;
            else if constexpr (std::is_floating_point_v<T>)
                *it = static_cast<T>(value) / T(4);
            else if constexpr (is_complex<T>)
                *it = T(static_cast<typename T::value_type>(value) / 4, static_cast<typename T::value_type>(value % 7));
            else
                *it = static_cast<T>(std::is_unsigned<T>::value ? std::abs(value) : value);
        }
    }

    AllTyped typed_;
    Trace& trace_;
};

/// An exact statement: `target` is what stock has, if its operands are.
template <class Target, class... Operands>
void exact(Target& target, const Operands&... operands) {
    target.exact = (operands.exact && ... && true);
}
/// An exact statement that writes a part of `target`.
template <class Target, class... Operands>
void exact_part(Target& target, const Operands&... operands) {
    target.exact = target.exact && (operands.exact && ... && true);
}
/// Sums and transcendental functions: stock may differ in the last bits.
template <class Target>
void rounded(Target& target) {
    target.exact = false;
}

}  // namespace xlazy::fuzz::XLAZY_FUZZ_LIBRARY
