#include "bankfull/workloads/convection/cuda/line_places.hpp"
#include "bankfull/workloads/convection/line_chunk.hpp"
#include "bankfull/workloads/convection/point.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

// What a GPU solves lines with, on the host.
namespace bankfull::convection {
namespace {

constexpr int chunks = LineChunk<double>::chunks;

/// Any factors of a matrix that is diagonally dominant, as those of diffusion are.
std::vector<LineFactors<double>> factors_of_a_line(int count) {
  std::vector<LineFactors<double>> factors;
  factors.reserve(static_cast<std::size_t>(count));
  for (int n = 0; n < count; ++n) {
    const double weak = 0.3 + 0.19 * std::sin(1.7 * n);
    factors.push_back({.scale = 1.0 / (1.0 + weak),
                       .carry = n == 0 ? 0.0 : weak / (1.0 + weak),
                       .back = n + 1 == count ? 0.0 : 0.9 * weak});
  }
  return factors;
}

std::vector<double> right_side_of_a_line(int count) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(count));
  for (int n = 0; n < count; ++n) {
    values.push_back(std::cos(0.37 * n * n));
  }
  return values;
}

void solve_in_order(const std::vector<LineFactors<double>>& factors, std::vector<double>& values) {
  double last = 0.0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    last = values[n] = eliminated(factors[n], values[n], last);
  }
  last = 0.0;
  for (std::size_t n = values.size(); n-- > 0;) {
    last = values[n] = substituted(factors[n], values[n], last);
  }
}

/// As the lanes of a warp do it.
void solve_in_chunks(const std::vector<LineFactors<double>>& factors, std::vector<double>& values) {
  const std::size_t count = factors.size();
  std::vector<double> lists(3 * count);
  const FactorLists<double> by_kind{lists.data(), lists.data() + count, lists.data() + 2 * count};
  std::vector<LineChunk<double>> parts;
  parts.reserve(chunks);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    parts.push_back(
        LineChunk<double>::of(by_kind, values.data(), 1, static_cast<int>(count), chunk));
  }
  for (std::size_t n = 0; n < count; ++n) {
    by_kind.set(static_cast<int>(n), factors[n]);
  }
  Passage<double> below;
  for (const LineChunk<double>& part : parts) {
    const Passage<double> passage = part.eliminate();
    part.add_from_below(below.constant);
    below = passage.behind(below);
  }
  Passage<double> above;
  for (std::size_t n = parts.size(); n-- > 0;) {
    const Passage<double> passage = parts[n].substitute();
    parts[n].add_from_above(above.constant);
    above = passage.behind(above);
  }
}

TEST(LineChunks, SolveALineAsAWhole) {
  for (const int count : {1, 2, 3, 31, 32, 33, 64, 65, 97, 128, 200, 513}) {
    const std::vector<LineFactors<double>> factors = factors_of_a_line(count);
    std::vector<double> expected = right_side_of_a_line(count);
    std::vector<double> found = expected;
    solve_in_order(factors, expected);
    solve_in_chunks(factors, found);
    for (std::size_t n = 0; n < found.size(); ++n) {
      EXPECT_NEAR(found[n], expected[n], 1e-14) << n << " of " << count;
    }
  }
}

TEST(LineChunks, AreOfAnOddLengthAndCoverTheLine) {
  for (int count = 1; count < 300; ++count) {
    int next = 0;
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const auto part = LineChunk<double>::of({}, nullptr, 1, count, chunk);
      EXPECT_EQ(part.first, next);
      next = part.last;
      if (part.last < count) {
        EXPECT_EQ((part.last - part.first) % 2, 1);
      }
    }
    EXPECT_EQ(next, count);
  }
}

/// How often the blocks of a pass along an axis touch each element of two fields.
std::vector<int> visits(const std::array<std::int64_t, 3>& n, int axis, int block) {
  const FlowStrides strides{.field = n[0] * n[1] * n[2], .plane = n[1] * n[2], .row = n[2]};
  std::vector<int> found(static_cast<std::size_t>(2 * strides.field));
  const std::int64_t cells[3] = {n[0], n[1], n[2]};
  const int side = axis_across(axis);
  const auto blocks = static_cast<unsigned>((cells[side] + block - 1) / block);
  for (unsigned z = 0; z < 2; ++z) {
    for (unsigned y = 0; y < cells[3 - axis - side]; ++y) {
      for (unsigned x = 0; x < blocks; ++x) {
        const LinePlaces places = LinePlaces::of(strides, cells, axis, block, x, y, z);
        for (int line = 0; line < places.lines; ++line) {
          for (int at = 0; at < places.count; ++at) {
            ++found[static_cast<std::size_t>(places.first + at * places.along +
                                             line * places.across)];
          }
        }
      }
    }
  }
  return found;
}

TEST(LinePlaces, AreAllElementsOnce) {
  const std::array<std::int64_t, 3> cells{5, 19, 11};
  for (const int axis : {0, 1, 2}) {
    for (const int block : {1, 8, 16, 32}) {
      for (const int count : visits(cells, axis, block)) {
        EXPECT_EQ(count, 1) << "axis " << axis << ", " << block << " lines per block";
      }
    }
  }
}

TEST(SharedLines, DoNotOverlapAndFitWhatIsAskedFor) {
  constexpr int block = lines_per_block<double>;
  for (const bool along_rows : {false, true}) {
    for (const int count : {1, 7, 64}) {
      const SharedLines shared = SharedLines::of(along_rows, block, count);
      EXPECT_EQ(shared.step % 2, 1);
      std::vector<int> used(SharedLines::elements<double>(count) -
                            3 * static_cast<std::size_t>(count));
      for (int line = 0; line < block; ++line) {
        for (int n = 0; n < count; ++n) {
          EXPECT_EQ(used.at(static_cast<std::size_t>(line * shared.across + n * shared.step))++, 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace bankfull::convection
