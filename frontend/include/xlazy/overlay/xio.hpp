// SPDX-License-Identifier: BSD-3-Clause
// Printing.
#pragma once

#include "xlazy/detail/wrappers.hpp"

#include "xlazy/detail/stock_begin.hpp"
#include <xtensor/xio.hpp>
#include "xlazy/detail/stock_end.hpp"

namespace xlazy::detail::overloads {
using namespace xt;

template <class E>
    requires lazy<E>
inline std::ostream& operator<<(std::ostream& out, const xexpression<E>& e) {
    if constexpr (requires { e.derived_cast().used(); }) {
        rt::flush(rt::Reason::print, rt::LineScope::current());
        const rt::Base* base = e.derived_cast().used().storage.base();
        if (base->readable() == nullptr && base->size() != 0) e.derived_cast().storage().read(rt::Reason::print);
        rt::InsideXtensor inside;
        return pretty_print(e, out);
    } else {
        // As an array: one pass of ours instead of xtensor's element by element.
        const xarray<typename E::value_type> value(e, rt::LineScope::current());
        return out << value;
    }
}

}  // namespace xlazy::detail::overloads

namespace xt {
using xlazy::detail::overloads::operator<<;
}
