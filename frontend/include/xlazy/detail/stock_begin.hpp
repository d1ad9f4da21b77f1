// SPDX-License-Identifier: BSD-3-Clause
// Brackets every inclusion of xtensor's own headers (no include guard: it is used many times). In a drop-in build the
// names that must give way are renamed there: the two aliases, and functions of files, for which we need the user's
// line.
#define XLAZY_STOCK_HEADERS
#if !defined(XLAZY_DROPIN) && __has_include(<xlazy/wrappers_on_path.hpp>)
#define XLAZY_DROPIN
#endif
#ifdef XLAZY_DROPIN
#define xarray xarray_stock
#define xtensor xtensor_stock
#define load_npy load_npy_stock
#define dump_npy dump_npy_stock
#endif
