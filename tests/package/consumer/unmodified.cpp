// SPDX-License-Identifier: BSD-3-Clause
// An xtensor program that has never heard of xlazy.
#include <cstdio>

#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>

int main() {
  const xt::xarray<double> a = xt::arange<double>(1000.0);
  const xt::xarray<double> b = 2.0 * a + 1.0;
  std::printf("%g\n", xt::sum(b)());
  return 0;
}
