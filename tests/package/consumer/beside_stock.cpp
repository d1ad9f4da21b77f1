// SPDX-License-Identifier: BSD-3-Clause
// Lazy arrays by name, stock arrays beside them.
#include <cstdio>

#include <xlazy/xlazy.hpp>
#include <xtensor/xarray.hpp>

int main() {
  const xt::xarray<double> stock = {1.0, 2.0, 3.0};
  const xlazy::xarray<double> lazy = 2.0 * xlazy::xarray<double>(stock);
  std::printf("%g\n", lazy(0) + lazy(1) + lazy(2));
  return xlazy::stats().instructions_recorded > 0 ? 0 : 1;
}
