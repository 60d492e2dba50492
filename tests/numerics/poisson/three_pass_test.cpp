#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/direct/three_pass/sizes.hpp"
#include "tests/counting.hpp"
#include "tests/numerics/poisson/direct_cases.hpp"
#include "tests/numerics/poisson/three_pass_emulation.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <numbers>
#include <string>
#include <vector>

namespace bankfull::poisson {
namespace {

using three_pass::Numbers;
using three_pass::Tiles;
using Wide = std::complex<long double>;

Domain served(std::int64_t ni, std::int64_t nj, std::int64_t nk, double stretching = 0.0) {
  return {gathered_axis(ni, false, stretching),
          uniform_axis(nj, true, 1.0 / static_cast<double>(nj)),
          uniform_axis(nk, true, 1.0 / static_cast<double>(nk))};
}

TEST(ThreePasses, ServePeriodicPlanesBetweenWalls) {
  for (const std::int64_t nj : {64, 96, 128, 192, 256, 384, 512}) {
    for (const std::int64_t nk : {64, 96, 128, 192, 256, 384, 512}) {
      for (const std::int64_t ni : {32, 65, 96, 200, 512}) {
        EXPECT_TRUE(three_passes_serve(served(ni, nj, nk)));
        EXPECT_TRUE(three_passes_serve(served(ni, nj, nk, 2.0)));
      }
    }
  }
}

TEST(ThreePasses, HaveTheSmallestClustersThatHoldAllPlanes) {
  const auto blocks = [](std::int64_t planes, std::int64_t columns) {
    return three_pass::Sizes({planes, columns, columns}).blocks;
  };
  EXPECT_EQ(blocks(32, 64), 2);
  EXPECT_EQ(blocks(33, 64), 4);
  EXPECT_EQ(blocks(64, 512), 4);
  EXPECT_EQ(blocks(65, 64), 8) << "six blocks do not pay with so few columns";
  EXPECT_EQ(blocks(65, 96), 6);
  EXPECT_EQ(blocks(96, 512), 6);
  EXPECT_EQ(blocks(97, 512), 8);
  EXPECT_EQ(blocks(128, 512), 8);
  EXPECT_EQ(blocks(129, 64), 6);
  EXPECT_EQ(blocks(192, 64), 6);
  EXPECT_EQ(blocks(193, 64), 8);
  EXPECT_EQ(blocks(512, 64), 8);
}

TEST(ThreePasses, DoNotServeOtherDomains) {
  for (const auto& [ni, nj, nk] : {Extents{31, 128, 128},
                                   {513, 128, 128},
                                   {64, 48, 128},
                                   {64, 128, 48},
                                   {64, 320, 128},
                                   {64, 128, 320},
                                   {64, 768, 128},
                                   {64, 128, 768},
                                   {64, 1024, 128},
                                   {64, 128, 1024},
                                   {64, 32, 128},
                                   {64, 128, 32}}) {
    EXPECT_FALSE(three_passes_serve(served(ni, nj, nk))) << ni << ' ' << nj << ' ' << nk;
  }
  const Domain domain = served(64, 128, 128);
  const auto but_for = [&](auto change) {
    Domain changed = domain;
    change(changed);
    return three_passes_serve(changed);
  };
  EXPECT_FALSE(but_for([](Domain& d) { d.i.periodic = true; }));
  EXPECT_FALSE(but_for([](Domain& d) { d.j.periodic = false; }));
  EXPECT_FALSE(but_for([](Domain& d) { d.k.periodic = false; }));
  EXPECT_FALSE(but_for([](Domain& d) { d.j = stretched_axis(128, true, 1.01); }));
  EXPECT_FALSE(but_for([](Domain& d) { d.k = stretched_axis(128, true, 1.01); }));
}

TEST(ThreePasses, NeedFieldAndSpectrum) {
  const Domain domain = served(256, 512, 512);
  for (const std::size_t bytes : {sizeof(float), sizeof(double)}) {
    const double field = static_cast<double>(domain.extents().count()) * static_cast<double>(bytes);
    const auto all = static_cast<double>(three_pass_bytes(domain, bytes));
    EXPECT_GT(all, 2.0 * field);
    EXPECT_LT(all, 2.03 * field);
    EXPECT_GE(direct_bytes(domain, bytes, true), three_pass_bytes(domain, bytes));
    const Traffic traffic = three_pass_traffic(domain, bytes);
    EXPECT_EQ(traffic.bytes_read, 3.0 * field);
    EXPECT_EQ(traffic.bytes_written, 3.0 * field);
    const Traffic after_first = traffic_after_first_pass(domain, bytes);
    EXPECT_EQ(after_first.bytes_read, 2.0 * field);
    EXPECT_EQ(after_first.bytes_written, 2.0 * field);
    EXPECT_EQ(after_first.flops, traffic.flops);
  }
}

template <class Real>
void expect_one_place_for_each_column(int nk, int radix_j) {
  const Tiles<Real> tiles(nk, radix_j);
  std::vector<int> met(static_cast<std::size_t>(tiles.count() * Tiles<Real>::group), 0);
  for (int k = 0; k <= nk / 2; ++k) {
    for (int r = 0; r < radix_j; ++r) {
      const int tile = tiles.tile(k, r);
      const int column = tiles.column(k, r);
      ASSERT_LT(tile, tiles.count());
      ++met[static_cast<std::size_t>(tile * Tiles<Real>::group + column)];
      EXPECT_EQ(tiles.modes(tile, column).k, k);
      EXPECT_EQ(tiles.modes(tile, column).r, r);
    }
  }
  EXPECT_EQ(*std::max_element(met.begin(), met.end()), 1);
  EXPECT_LT(std::count(met.begin(), met.end(), 0), Tiles<Real>::group);
}

TEST(ThreePassTiles, HaveOnePlaceForEachColumn) {
  for (const int nk : {64, 96, 128, 192, 256, 384, 512}) {
    for (const int radix_j : {2, 3, 4, 6, 8, 12, 16}) {
      expect_one_place_for_each_column<double>(nk, radix_j);
      expect_one_place_for_each_column<float>(nk, radix_j);
    }
  }
}

Wide root_of_unity(std::size_t n, std::size_t length) {
  const long double angle = -2 * std::numbers::pi_v<long double> *
                            static_cast<long double>(n % length) / static_cast<long double>(length);
  return {std::cos(angle), std::sin(angle)};
}
Wide widened(const Complex<double>& x) { return {x.re, x.im}; }

Numbers<double> random_numbers(std::size_t count, std::uint64_t seed) {
  Numbers<double> numbers;
  for (std::size_t n = 0; n < count; ++n) {
    numbers.push_back({random_symmetric(seed, 2 * n), random_symmetric(seed, 2 * n + 1)});
  }
  return numbers;
}

/// max |found - transform of `points`|, by its definition.
double error_of_transform(const Numbers<double>& points, const Complex<double>* found) {
  long double most = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    Wide sum = 0;
    for (std::size_t n = 0; n < points.size(); ++n) {
      sum += widened(points[n]) * root_of_unity(n * k, points.size());
    }
    most = std::max(most, std::abs(sum - widened(found[k])));
  }
  return static_cast<double>(most);
}

template <int N>
double error_of_row() {
  const Numbers<double> in = random_numbers(N, 1);
  Numbers<double> out = in;
  const auto roots = three_pass::Tables<double>(served(64, 128, N)).roots_k;
  three_pass::emulate_row<double, N>(out.data(), roots);
  return error_of_transform(in, out.data());
}

TEST(ThreePassSteps, RowsAreTransformed) {
  EXPECT_LT(error_of_row<64>(), 1e-13);
  EXPECT_LT(error_of_row<96>(), 1e-13);
  EXPECT_LT(error_of_row<128>(), 1e-13);
  EXPECT_LT(error_of_row<192>(), 1e-13);
  EXPECT_LT(error_of_row<256>(), 1e-13);
  EXPECT_LT(error_of_row<384>(), 1e-13);
  EXPECT_LT(error_of_row<512>(), 1e-13);
}

template <int Count>
double error_of_few() {
  const Numbers<double> in = random_numbers(Count, 5);
  three_pass::Points<double, Count> points;
  for (int n = 0; n < Count; ++n) {
    points[n] = in[static_cast<std::size_t>(n)];
  }
  three_pass::transform<double, Count>(points);
  return error_of_transform(in, points.value);
}

TEST(ThreePassSteps, FewPointsAreTransformed) {
  EXPECT_LT(error_of_few<2>(), 1e-15);
  EXPECT_LT(error_of_few<3>(), 1e-15);
  EXPECT_LT(error_of_few<6>(), 3e-15);
  EXPECT_LT(error_of_few<12>(), 5e-15);
  EXPECT_LT(error_of_few<16>(), 5e-15);
}

/// Every row of a plane in one block, and blocks of whole pairs.
template <int Radix>
void expect_rows_once() {
  using Rows = three_pass::RowsOfBlock<Radix>;
  std::vector<int> met(static_cast<std::size_t>(32 * Radix), 0);
  for (int block = 0; block < Rows::blocks_per_plane; ++block) {
    for (int row = 0; row < Rows::count; ++row) {
      ++met[static_cast<std::size_t>(block * Rows::together + Rows::j(row))];
    }
  }
  EXPECT_EQ(met, std::vector<int>(met.size(), 1)) << Radix;
  for (int row = 0; row < Rows::count; ++row) {
    EXPECT_EQ((Rows::q(row) + Rows::q(Rows::mirrored(row))) % Radix, 0);
    EXPECT_EQ(Rows::m(row), Rows::m(Rows::mirrored(row)));
  }
  for (int row = 0; row < Rows::pairs; ++row) {
    EXPECT_EQ(Rows::j(row + Rows::pairs) - Rows::j(row), Rows::j(Rows::pairs));
  }
}

TEST(ThreePassRows, AreAllTakenOnce) {
  expect_rows_once<2>();
  expect_rows_once<3>();
  expect_rows_once<4>();
  expect_rows_once<6>();
  expect_rows_once<8>();
  expect_rows_once<12>();
  expect_rows_once<16>();
}

TEST(ThreePassSteps, TheRestIsTransformed) {
  const Numbers<double> in = random_numbers(32, 2);
  std::array<Complex<double>, 32> out;
  std::copy(in.begin(), in.end(), out.begin());
  three_pass::emulate_rest(out);
  EXPECT_LT(error_of_transform(in, out.data()), 1e-14);
}

/// Largest difference to Gaussian elimination from one end, relative to the largest value.
double error_of_elimination(const three_pass::Tables<double>& tables, std::size_t planes,
                            double decay) {
  const auto& cells = tables.cells;
  const std::size_t padded = cells.size() - 1;
  Numbers<double> column = random_numbers(planes, 4);
  column.resize(padded);
  const std::vector<Complex<double>> sides = column;
  three_pass::emulate_elimination(cells, decay, column);
  std::vector<long double> pivot(padded);
  std::vector<Wide> p(padded);
  for (std::size_t i = 0; i < padded; ++i) {
    const long double below = cells[i].above;
    const long double above = i + 1 < padded ? cells[i + 1].above : 0.0;
    pivot[i] = below + above + static_cast<long double>(decay) * cells[i + 1].width;
    p[i] = widened(sides[i]);
    if (decay == 0 && i + 1 == padded) {
      pivot[i] += cells[i].above;
    }
    if (i > 0) {
      pivot[i] -= below * below / pivot[i - 1];
      p[i] += p[i - 1] * (below / pivot[i - 1]);
    }
  }
  long double error = 0;
  long double most = 0;
  for (std::size_t i = padded; i-- > 0;) {
    p[i] = (p[i] +
            (i + 1 < padded ? p[i + 1] * static_cast<long double>(cells[i + 1].above) : Wide{})) /
           pivot[i];
    most = std::max(most, std::abs(p[i]));
    error = std::max(error, std::abs(p[i] - widened(column[i])));
  }
  return static_cast<double>(error / most);
}

TEST(ThreePassSteps, PartsAndChainsEliminate) {
  for (const std::int64_t planes : {32, 64, 100, 128, 200, 384, 400, 512}) {
    for (const double stretching : {0.0, 2.0, 5.0}) {
      const three_pass::Tables<double> tables(served(planes, 128, 128, stretching));
      for (const double decay : {0.0, 39.0, 1e3, 1e6, 1e9}) {
        EXPECT_LT(error_of_elimination(tables, static_cast<std::size_t>(planes), decay), 1e-12)
            << planes << " planes, stretched by " << stretching << ", decay " << decay;
      }
    }
  }
}

/// Passes 1 to 3 against the equation.
template <class Real, int N, int Radix>
void expect_emulation_solves(std::int64_t planes, double stretching) {
  const Domain domain = served(planes, 32 * Radix, N, stretching);
  SCOPED_TRACE(std::to_string(planes) + 'x' + std::to_string(32 * Radix) + 'x' + std::to_string(N));
  Values f = random_values(domain, 3);
  for (double& value : f) {
    value += 0.5;
  }
  f = rounded_to<Real>(f);
  std::vector<Real> field(f.begin(), f.end());
  three_pass::EmulatedSolver<Real, N, Radix>(domain).solve(field);
  remove_mean(domain, &f);
  expect_solved<Real>(domain, Values(field.begin(), field.end()), f, Products::stretched, 0.0,
                      with_powers_of_roots(domain));
}

TEST(ThreePassSteps, SolveTheEquation) {
  expect_emulation_solves<double, 64, 2>(32, 1.0);
  expect_emulation_solves<float, 64, 4>(33, 0.0);
  expect_emulation_solves<double, 128, 4>(64, 0.0);
  expect_emulation_solves<float, 128, 4>(70, 1.0);
  expect_emulation_solves<double, 96, 3>(33, 1.0);
  expect_emulation_solves<float, 96, 2>(40, 0.0);
  expect_emulation_solves<float, 64, 6>(48, 1.0);
}

TEST(ThreePassStepsOfLongRows, SolveTheEquation) {
  expect_emulation_solves<double, 256, 8>(64, 1.0);
  expect_emulation_solves<double, 512, 4>(65, 0.0);
  expect_emulation_solves<double, 192, 12>(100, 2.0);
  expect_emulation_solves<float, 384, 3>(40, 0.0);
  expect_emulation_solves<float, 512, 2>(34, 0.0);
  expect_emulation_solves<double, 384, 8>(33, 1.0);
  expect_emulation_solves<double, 128, 16>(64, 3.0);
  expect_emulation_solves<float, 128, 4>(130, 2.0);
}

using Counted = counting::Counted<double>;

TEST(ThreePassFlops, PartIsAsCounted) {
  const counting::Array<three_pass::PartCell<Counted>> cells(17, {1.0, 1.0});
  three_pass::Points<Counted> x;
  for (int n = 0; n < three_pass::radix; ++n) {
    x[n] = {1.0, 1.0};
  }
  const Traffic counted = counting::traffic_of([&] {
    three_pass::Part<Counted> part;
    static_cast<void>(part.eliminate_couplings(cells.data() + 1, Counted(1.0)));
    static_cast<void>(part.eliminate_sides(cells.data() + 1, x));
    part.substitute(cells.data() + 1, {1.0, 1.0}, {1.0, 1.0}, x);
  });
  EXPECT_EQ(counted.flops, three_pass::part_flops());
}

TEST(ThreePassFlops, LinkIsAsCounted) {
  const Traffic counted = counting::traffic_of([&] {
    three_pass::ChainRow<Counted> row{1.0, 1.0, 1.0, {1.0, 1.0}};
    for (int step = 0; step < 5; ++step) {
      const three_pass::ChainRow<Counted> before = row;
      const Counted inverse = before.inverse();
      row.take_below(before.upwards(inverse));
      row.take_above(before.downwards(inverse));
    }
    static_cast<void>(row.solution());
  });
  constexpr int received = 3;
  EXPECT_EQ(counted.flops + received, three_pass::link_flops(5));
}

}  // namespace
}  // namespace bankfull::poisson
