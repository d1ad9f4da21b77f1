// SPDX-License-Identifier: BSD-3-Clause
// The other end of stock_begin.hpp (no include guard).
#undef XLAZY_STOCK_HEADERS
#undef xarray
#undef xtensor
#undef load_npy
#undef dump_npy
