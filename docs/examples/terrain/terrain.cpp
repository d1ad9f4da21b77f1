// SPDX-License-Identifier: BSD-3-Clause
//
// Relief of a mountain range: a digital elevation model is enlarged, smoothed, and lit from four
// sides. An ordinary xtensor program; nothing in it knows of xlazy.
//
// usage: terrain ELEVATION.npy HILLSHADE.npy [SECONDS.txt]
//   The third file, if named, gets the seconds spent computing (reading and writing files excluded).

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnpy.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace {

using field = xt::xtensor<double, 2>;

constexpr std::size_t enlargement = 10;
constexpr double pi = 3.14159265358979323846;

// Distances between neighbouring points of the enlarged grid, in metres.
constexpr double spacing_east = 74.4 / enlargement;
constexpr double spacing_north = 92.5 / enlargement;

// Bilinear interpolation: first along each row, then between the rows.
field enlarge(const field& coarse) {
  using namespace xt::placeholders;
  const std::size_t rows = coarse.shape(0) - 1;
  const std::size_t columns = coarse.shape(1) - 1;
  const xt::xtensor<double, 1> weight = xt::arange<double>(enlargement) / double(enlargement);

  auto west = xt::view(coarse, xt::all(), xt::range(_, -1), xt::newaxis());
  auto east = xt::view(coarse, xt::all(), xt::range(1, _), xt::newaxis());
  xt::xarray<double> wide = west + (east - west) * weight;
  wide.reshape({rows + 1, columns * enlargement});

  auto north = xt::view(wide, xt::range(_, -1), xt::newaxis(), xt::all());
  auto south = xt::view(wide, xt::range(1, _), xt::newaxis(), xt::all());
  xt::xarray<double> fine = north + (south - north) * xt::view(weight, xt::all(), xt::newaxis());
  fine.reshape({rows * enlargement, columns * enlargement});
  return fine;
}

// Explicit diffusion with the five-point Laplacian; the border stays as it is.
void diffuse(field& z, int steps, double rate) {
  using namespace xt::placeholders;
  auto centre = xt::view(z, xt::range(1, -1), xt::range(1, -1));
  auto north = xt::view(z, xt::range(_, -2), xt::range(1, -1));
  auto south = xt::view(z, xt::range(2, _), xt::range(1, -1));
  auto west = xt::view(z, xt::range(1, -1), xt::range(_, -2));
  auto east = xt::view(z, xt::range(1, -1), xt::range(2, _));
  for (int step = 0; step < steps; ++step) {
    const field laplacian = north + south + west + east - 4.0 * centre;
    centre += rate * laplacian;
  }
}

field gradient_east(const field& z) {
  using namespace xt::placeholders;
  return (xt::view(z, xt::range(1, -1), xt::range(2, _)) -
          xt::view(z, xt::range(1, -1), xt::range(_, -2))) /
         (2.0 * spacing_east);
}

// Row 0 is the northernmost.
field gradient_north(const field& z) {
  using namespace xt::placeholders;
  return (xt::view(z, xt::range(_, -2), xt::range(1, -1)) -
          xt::view(z, xt::range(2, _), xt::range(1, -1))) /
         (2.0 * spacing_north);
}

// Steepness in radians: 0 is flat.
field slope(const field& z) {
  const field to_east = gradient_east(z);
  const field to_north = gradient_north(z);
  return xt::atan(xt::sqrt(to_east * to_east + to_north * to_north));
}

// The direction that a slope faces, in radians clockwise from north; 0 where it is flat.
field aspect(const field& z) {
  const field to_east = gradient_east(z);
  const field to_north = gradient_north(z);
  const field side = xt::where(to_east < 0.0, 0.5 * pi, 1.5 * pi);
  const field meridian = xt::where(to_north > 0.0, pi, 0.0);
  return xt::where(xt::equal(to_east, 0.0), meridian, side - xt::atan(to_north / to_east));
}

// Light reflected from a lamp at the given azimuth, 45 degrees above the horizon.
field light(const field& steepness, const field& facing, double azimuth) {
  const double altitude = 0.25 * pi;
  const field cosine = std::sin(altitude) * xt::cos(steepness) +
                       std::cos(altitude) * xt::sin(steepness) * xt::cos(azimuth - facing);
  return xt::where(cosine > 0.0, cosine, 0.0);
}

field hillshade(const field& z) {
  const field steepness = slope(z);
  const field facing = aspect(z);
  field shade = xt::zeros<double>(steepness.shape());
  for (const double degrees : {225.0, 270.0, 315.0, 360.0}) {
    shade += 0.25 * light(steepness, facing, degrees * pi / 180.0);
  }
  return shade;
}

void print_value(const char* name, double value) { std::printf("  %-5s %.10g (%a)\n", name, value, value); }

void print_statistics(const char* name, const field& f) {
  const double mean = xt::mean(f)();
  const double low = xt::amin(f)();
  const double high = xt::amax(f)();
  const double deviation = std::sqrt(xt::mean(xt::square(f - mean))());
  std::printf("%s, %zu x %zu\n", name, std::size_t(f.shape(0)), std::size_t(f.shape(1)));
  print_value("mean", mean);
  print_value("min", low);
  print_value("max", high);
  print_value("std", deviation);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s ELEVATION.npy HILLSHADE.npy [SECONDS.txt]\n", argv[0]);
    return 2;
  }
  try {
    const auto elevation = xt::load_npy<std::int16_t>(argv[1]);

    const auto start = std::chrono::steady_clock::now();
    field z = enlarge(xt::cast<double>(elevation));
    diffuse(z, 20, 0.2);
    print_statistics("elevation [m]", z);
    print_statistics("slope [rad]", slope(z));
    print_statistics("aspect [rad]", aspect(z));
    const field shade = hillshade(z);
    print_statistics("hillshade", shade);
    const xt::xtensor<float, 2> picture = xt::cast<float>(255.0 * shade);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

    xt::dump_npy(argv[2], picture);
    if (argc > 3) {
      std::ofstream(argv[3]) << elapsed.count() << '\n';
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}
