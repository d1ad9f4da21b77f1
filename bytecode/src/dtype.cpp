// SPDX-License-Identifier: BSD-3-Clause
#include "xlazy/bytecode/dtype.hpp"

#include <array>
#include <utility>

namespace xlazy::bc {
namespace {

template <class T>
struct RealOf {
    using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
    using type = T;
};

template <class A, class B>
constexpr DType promoted() noexcept {
    using Real = decltype(typename RealOf<A>::type() + typename RealOf<B>::type());
    if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>) return dtype_of<Real>();
    else return std::is_same_v<Real, double> ? DType::c128 : DType::c64;
}

template <std::size_t... I>
constexpr auto promotion_table(std::index_sequence<I...>) noexcept {
    return std::array<DType, sizeof...(I)>{promoted<CType<DType(I / kDTypeCount)>, CType<DType(I % kDTypeCount)>>()...};
}

constexpr auto kPromotions = promotion_table(std::make_index_sequence<kDTypeCount * kDTypeCount>());

}  // namespace

DType dtype_from_name(std::string_view name) noexcept {
    for (std::size_t i = 0; i < kDTypeCount; ++i) {
        if (kDTypes[i].name == name) return static_cast<DType>(i);
    }
    return DType::none;
}

DType promote(DType a, DType b) noexcept {
    if (a == DType::none || b == DType::none) return DType::none;
    return kPromotions[static_cast<std::size_t>(a) * kDTypeCount + static_cast<std::size_t>(b)];
}

}  // namespace xlazy::bc
