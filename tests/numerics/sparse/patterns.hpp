#pragma once

#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/numerics/sparse/csr.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace bankfull {

/// The columns of each row of a matrix; those from `rows.size()` on are of other ranks.
struct Pattern {
  std::vector<std::vector<std::int32_t>> rows = {};
  std::int64_t columns = 0;
};

/// In host memory, with random values.
inline Csr csr_of(const Pattern& pattern) {
  Csr matrix;
  matrix.rows = static_cast<std::int64_t>(pattern.rows.size());
  matrix.columns = pattern.columns;
  for (const auto& row : pattern.rows) {
    matrix.entries += static_cast<std::int64_t>(row.size());
  }
  const auto entries = static_cast<std::size_t>(matrix.entries);
  matrix.start = Buffer<std::int64_t>(MemorySpace::host, pattern.rows.size() + 1);
  matrix.column = Buffer<std::int32_t>(MemorySpace::host, entries);
  matrix.value = Buffer<double>(MemorySpace::host, entries);
  std::int64_t next = 0;
  for (std::size_t row = 0; row < pattern.rows.size(); ++row) {
    matrix.start.data()[row] = next;
    for (const std::int32_t column : pattern.rows[row]) {
      matrix.column.data()[next] = column;
      matrix.value.data()[next] = random_symmetric(5, static_cast<std::uint64_t>(next));
      ++next;
    }
  }
  matrix.start.data()[pattern.rows.size()] = next;
  return matrix;
}

/// Every point of a grid with its neighbours and itself.
inline Pattern grid_pattern(int nx, int ny, int nz) {
  Pattern pattern;
  pattern.columns = std::int64_t{nx} * ny * nz;
  for (int row = 0; row < pattern.columns; ++row) {
    const int x = row % nx;
    const int y = row / nx % ny;
    const int z = row / (nx * ny);
    std::vector<std::int32_t> columns;
    for (int k = std::max(z - 1, 0); k <= std::min(z + 1, nz - 1); ++k) {
      for (int j = std::max(y - 1, 0); j <= std::min(y + 1, ny - 1); ++j) {
        for (int i = std::max(x - 1, 0); i <= std::min(x + 1, nx - 1); ++i) {
          columns.push_back((k * ny + j) * nx + i);
        }
      }
    }
    pattern.rows.push_back(columns);
  }
  return pattern;
}

/// Every row connected to every other.
inline Pattern complete_pattern(std::int32_t count) {
  Pattern pattern;
  pattern.columns = count;
  std::vector<std::int32_t> all(static_cast<std::size_t>(count));
  for (std::int32_t n = 0; n < count; ++n) {
    all[static_cast<std::size_t>(n)] = n;
  }
  pattern.rows.assign(all.size(), all);
  return pattern;
}

/// How a random pattern looks.
struct RandomPattern {
  unsigned seed = 1;
  std::int32_t count = 100;
  double connected = 0.05;  ///< share of pairs
  double empty = 0.0;       ///< share of rows without any entry
  double outside = 0.0;     ///< share of rows with columns of other ranks
  std::int32_t outer = 0;   ///< number of these columns
};

/// Symmetric between own rows, all of which but the empty ones have a diagonal.
inline Pattern random_pattern(const RandomPattern& look) {
  std::mt19937 random(look.seed);
  const auto chance = [&](double share) { return std::bernoulli_distribution(share)(random); };
  Pattern pattern;
  pattern.columns = look.count + look.outer;
  pattern.rows.resize(static_cast<std::size_t>(look.count));
  std::vector<bool> empty(pattern.rows.size());
  for (std::size_t row = 0; row < empty.size(); ++row) {
    empty[row] = chance(look.empty);
  }
  for (std::size_t row = 0; row < empty.size(); ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      const bool entry = row == column || chance(look.connected);
      if (!entry || empty[row] || empty[column]) {
        continue;
      }
      pattern.rows[row].push_back(static_cast<std::int32_t>(column));
      if (row != column) {
        pattern.rows[column].push_back(static_cast<std::int32_t>(row));
      }
    }
  }
  for (std::size_t row = 0; row < empty.size(); ++row) {
    if (empty[row] || look.outer == 0 || !chance(look.outside)) {
      continue;
    }
    // One column, or that one and all after it.
    const auto first = std::uniform_int_distribution<std::int32_t>(0, look.outer - 1)(random);
    const std::int32_t last = chance(0.5) ? first : look.outer - 1;
    for (std::int32_t n = first; n <= last; ++n) {
      pattern.rows[row].push_back(look.count + n);
    }
  }
  return pattern;
}

/// The smallest colour for each row in turn that no connected row before it has.
inline std::vector<int> greedy_colours_of(const Pattern& pattern) {
  std::vector<int> colours;
  for (std::size_t row = 0; row < pattern.rows.size(); ++row) {
    std::set<int> taken;
    for (const std::int32_t column : pattern.rows[row]) {
      if (static_cast<std::size_t>(column) < row) {
        taken.insert(colours[static_cast<std::size_t>(column)]);
      }
    }
    int smallest = 0;
    while (taken.contains(smallest)) {
      ++smallest;
    }
    colours.push_back(smallest);
  }
  return colours;
}

/// Rows [begin, end) get a column of another rank.
inline Pattern with_boundary(Pattern pattern, std::size_t begin, std::size_t end,
                             std::size_t step = 1) {
  const auto outer = static_cast<std::int32_t>(pattern.columns);
  ++pattern.columns;
  for (std::size_t row = begin; row < end; row += step) {
    pattern.rows[row].push_back(outer);
  }
  return pattern;
}

}  // namespace bankfull
