// SPDX-License-Identifier: BSD-3-Clause
// Brackets every inclusion of xtensor's own headers (no include guard: it is used many times). In a drop-in build the two
// aliases that must give way are renamed there; xtensor's other names stay as they are.
#define XLAZY_STOCK_HEADERS
#if !defined(XLAZY_DROPIN) && __has_include(<xlazy/wrappers_on_path.hpp>)
#define XLAZY_DROPIN
#endif
#ifdef XLAZY_DROPIN
#define xarray xarray_stock
#define xtensor xtensor_stock
#endif
