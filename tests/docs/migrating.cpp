// SPDX-License-Identifier: BSD-3-Clause
// What docs/migrating.md says about flushes: prints how many there were after each habit that it names.
#include <algorithm>
#include <cstdint>
#include <cstdio>

#include <xlazy/runtime.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xview.hpp>

namespace {

void tell(const char* what) {
  std::uint64_t flushes = 0;
  for (const auto& [reason, count] : xlazy::stats().flushes) flushes += count;
  std::printf("%s: %llu\n", what, static_cast<unsigned long long>(flushes));
}

auto returned() {
  const xt::xarray<double> local = xt::ones<double>({5});
  return local + 1.0;
}

}  // namespace

int main() {
  xt::xarray<double> a = xt::ones<double>({100}), b = xt::ones<double>({100});
  tell("statements");
  for (std::size_t i = 0; i < 5; ++i) {
    a += b;
    a(i) = 0;
  }
  tell("elements written in a loop of 5");
  for (std::size_t i = 0; i < 5; ++i) {
    a += b;
    xt::view(a, i) = 0;
  }
  tell("through a view");
  std::sort(a.begin(), a.end());
  tell("sort");
  a = 2 * a;
  tell("after the iterators");
  a.data()[0] = 3;
  tell("data()");
  a += b;
  tell("while the pointer may be used");
  a = a + 1;
  a += b;
  a += b;
  tell("assigned as a whole");
  auto e = a + b;
  auto from_function = returned();
  a += b;
  tell("auto");
  std::printf("%g %g\n", e(50), from_function(0));
  xt::xarray<int> numbers = {1, 2}, zero = {0, 1};
  try {
    numbers = numbers / zero;
    xlazy::flush();
  } catch (const xlazy::deferred_error&) {
    std::puts("caught in the block");
  }
}
