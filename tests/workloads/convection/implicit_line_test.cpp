#include "bankfull/workloads/convection/implicit_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull::convection {
namespace {

constexpr auto parts = static_cast<std::size_t>(ImplicitLine::parts);

struct FormingCase {
  int count;
  bool on_faces;
  double lower;  ///< Continuation::factor
  double upper;
  double strength;  ///< of diffusion: time nu
  double growth;    ///< of the cells' widths, from both ends to the middle
};

/// The weights for cells that have width 1 at both ends.
std::vector<NeighbourWeights<double>> weights_of(const FormingCase& c) {
  std::vector<double> widths;
  for (int n = -1; n <= c.count; ++n) {
    widths.push_back(std::pow(c.growth, std::max(0, std::min(n, c.count - 1 - n))));
  }
  std::vector<NeighbourWeights<double>> weights;
  for (std::size_t n = 1; n + 1 < widths.size(); ++n) {
    weights.push_back({2.0 / (widths[n] * (widths[n - 1] + widths[n])),
                       2.0 / (widths[n] * (widths[n] + widths[n + 1]))});
  }
  return weights;
}

ImplicitLine line_of(const FormingCase& c, const std::vector<NeighbourWeights<double>>& weights) {
  return {.weights = weights.data(),
          .count = c.count,
          .on_faces = c.on_faces,
          .diffusivity = 1.0,
          .ghost = {c.lower, c.upper}};
}

/// As the lanes of a warp do it.
std::vector<LineFactors<double>> formed_in_parts(const ImplicitLine& line, double time) {
  std::array<RestMap, parts> maps;
  for (std::size_t lane = 0; lane < parts; ++lane) {
    maps[lane] = line.passage(time, line.part(static_cast<int>(lane)));
  }
  for (std::size_t distance = 1; distance < parts; distance *= 2) {
    for (std::size_t lane = parts; lane-- > distance;) {
      maps[lane] = maps[lane - distance].then(maps[lane]).scaled();
    }
  }
  std::vector<LineFactors<double>> factors(static_cast<std::size_t>(line.count));
  for (std::size_t lane = 0; lane < parts; ++lane) {
    const double rest = lane == 0 ? line.rest_before() : maps[lane - 1].of(line.rest_before());
    line.form_part(time, line.part(static_cast<int>(lane)), rest, factors.data(), 1);
  }
  return factors;
}

void expect_the_same_in_parts(const FormingCase& c) {
  const std::vector<NeighbourWeights<double>> weights = weights_of(c);
  const ImplicitLine line = line_of(c, weights);
  std::vector<LineFactors<double>> expected(weights.size());
  line.form(c.strength, expected.data(), 1);
  const std::vector<LineFactors<double>> found = formed_in_parts(line, c.strength);
  const auto largest_error = [&](double LineFactors<double>::*factor) {
    double largest = 0.0;
    for (std::size_t n = 0; n < found.size(); ++n) {
      const double error = std::abs(found[n].*factor - expected[n].*factor);
      largest =
          std::max(largest, std::isfinite(error) ? error / (expected[n].*factor + 1e-300) : 1.0);
    }
    return largest;
  };
  const double most = std::max({largest_error(&LineFactors<double>::scale),
                                largest_error(&LineFactors<double>::carry),
                                largest_error(&LineFactors<double>::back)});
  EXPECT_LT(most, 1e-14) << c.count << " places, on faces " << c.on_faces << ", ghosts " << c.lower
                         << " and " << c.upper << ", strength " << c.strength << ", growth "
                         << c.growth;
}

TEST(ImplicitLine, IsFormedInPartsAsInOrder) {
  for (const int count : {1, 2, 3, 16, 31, 32, 33, 63, 64, 65, 100, 128, 512, 1000, 4096}) {
    for (const bool on_faces : {false, true}) {
      for (const double lower : {-1.0, -0.4, 0.0, 0.7, 1.0}) {
        for (const double upper : {-1.0, 0.3, 1.0}) {
          for (const double strength : {0.0, 1e-9, 0.3, 50.0, 1e7}) {
            for (const double growth : {1.0, 1.05, 2.0}) {
              const double grown = growth > 1.5 && count > 33 ? 1.0 : growth;
              expect_the_same_in_parts({count, on_faces, lower, upper, strength, grown});
            }
          }
        }
      }
    }
  }
}

TEST(ImplicitLine, HasPartsThatCoverIt) {
  for (int count = 1; count < 300; ++count) {
    const ImplicitLine line{.count = count};
    int next = 0;
    for (int n = 0; n < ImplicitLine::parts; ++n) {
      EXPECT_EQ(line.part(n).first, next);
      next = line.part(n).end;
    }
    EXPECT_EQ(next, count);
  }
}

}  // namespace
}  // namespace bankfull::convection
