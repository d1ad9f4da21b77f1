// SPDX-License-Identifier: BSD-3-Clause
// The name of a type without its namespaces and arguments, as text of static duration.
#pragma once

#include <array>
#include <string_view>

namespace xlazy::detail {

template <class T>
constexpr std::string_view spelled_type() {
    const std::string_view text = __PRETTY_FUNCTION__;
    const std::size_t begin = text.find("T = ") + 4;
    return text.substr(begin, text.find_first_of(";]", begin) - begin);
}

template <class T>
constexpr std::string_view short_type() {
    const std::string_view text = spelled_type<T>();
    if (text.find("lambda") != std::string_view::npos) return "lambda";
    const std::string_view name = text.substr(0, text.find('<'));
    const std::size_t colon = name.rfind(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

template <class T>
inline constexpr auto short_type_text = [] {
    std::array<char, short_type<T>().size() + 1> text{};
    for (std::size_t i = 0; i < short_type<T>().size(); ++i) text[i] = short_type<T>()[i];
    return text;
}();

/// "clamp_fun" for xt::math::clamp_fun.
template <class T>
const char* type_name() noexcept {
    return short_type_text<T>.data();
}

}  // namespace xlazy::detail
