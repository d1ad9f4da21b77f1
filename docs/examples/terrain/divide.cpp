// SPDX-License-Identifier: BSD-3-Clause
//
// A mistake in the data, found late: one station never reported a rainy day, so an integer division
// by zero happens five statements before its result is read. Stock xtensor dies of SIGFPE at the
// division. xlazy throws at the read, and says where the division stands. The words in brackets
// mark the lines that the message has to name.

#include <cstdint>
#include <cstdio>
#include <exception>

#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xview.hpp>

namespace {

using counts = xt::xarray<std::int32_t>;

constexpr std::size_t stations = 60;
constexpr std::size_t years = 250;

// Millimetres of rain, by station and year.
counts rainfall() {
  const counts station = xt::arange<std::int32_t>(stations);
  const counts year = xt::arange<std::int32_t>(years);
  return 400 + 7 * xt::view(station, xt::all(), xt::newaxis()) + year % 31;  // [dividend]
}

counts rainy_days() {
  counts days = 90 * xt::ones<std::int32_t>({stations, years});
  xt::view(days, 42, xt::all()) = 0;  // [divisor]
  return days;
}

counts rain_per_day(const counts& rain, const counts& days) {
  return rain / days;  // [division]
}

}  // namespace

int main() {
  const counts rain = rainfall();
  const counts days = rainy_days();
  int status = 0;
  try {
    const counts per_day = rain_per_day(rain, days);
    const counts tenths = 10 * per_day;
    const counts above_normal = tenths - 45;
    const counts squared = above_normal * above_normal;
    const counts by_station = xt::sum(squared, {1});
    const counts worst = xt::amax(by_station);
    std::printf("worst station: %d\n", int(worst()));  // [read]
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    status = 1;
  }
  // What does not depend on the failed division is as good as ever.
  std::printf("total rainfall: %lld mm\n", static_cast<long long>(xt::sum(rain)()));
  return status;
}
