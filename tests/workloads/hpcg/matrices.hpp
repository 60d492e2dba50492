#pragma once

#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/numerics/sparse/csr.hpp"
#include "bankfull/workloads/hpcg/geometry.hpp"
#include "bankfull/workloads/hpcg/problem.hpp"
#include "tests/workloads/hpcg/textbook.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// Other matrices than the benchmark's, in which no two entries of a row are alike: a wrong value or
// column is detected in every product and sweep.
namespace bankfull::hpcg {

/// A backend that the CPU has.
struct CpuVariant {
  std::string name;
  Variant variant = Variant::tuned;
  ColumnIndices columns = ColumnIndices::full;
};

inline void PrintTo(const CpuVariant& backend, std::ostream* out) { *out << backend.name; }

inline std::vector<CpuVariant> cpu_variants() {
  return {
      {"reference", Variant::reference}, {"tuned"}, {"slim", Variant::tuned, ColumnIndices::slim}};
}

/// A matrix to test backends with; without rows, the benchmark's own.
struct TestMatrix {
  std::string name = "benchmark";
  textbook::Operator of_level = {};
};

inline void PrintTo(const TestMatrix& matrix, std::ostream* out) { *out << matrix.name; }

namespace matrices {

/// For each row the rows that it is connected to.
using Graph = std::vector<std::set<std::size_t>>;

inline void connect(Graph& graph, std::size_t a, std::size_t b) {
  if (a != b) {
    graph[a].insert(b);
    graph[b].insert(a);
  }
}

/// Random symmetric entries, not near 0, and a diagonal that is larger than all of its row.
inline textbook::Matrix with_random_values(const Graph& graph, std::size_t level) {
  const std::size_t rows = graph.size();
  const auto value = [&](std::size_t row, std::size_t column) {
    const auto [low, high] = std::minmax(row, column);
    const double random = random_symmetric(level + 11, low * rows + high);
    return random < 0.0 ? random - 0.1 : random + 0.1;
  };
  textbook::Matrix matrix(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    double others = 0.0;
    for (const std::size_t column : graph[row]) {
      others += std::fabs(value(row, column));
    }
    const double diagonal = 1.0 + others * (1.3 + 0.2 * random_symmetric(level + 17, row));
    std::vector<textbook::Entry>& entries = matrix[row];
    for (const std::size_t column : graph[row]) {
      entries.push_back({column, value(row, column)});
    }
    entries.push_back({row, diagonal});
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.column < b.column; });
  }
  return matrix;
}

/// Every point with the 26 around it.
inline Graph neighbours_of(const textbook::Level& level) {
  Graph graph(level.owner.size());
  textbook::detail::for_points(level.global, [&](const Grid3& point) {
    const std::size_t row = textbook::detail::number_of(point, level.global);
    for (const textbook::Entry& entry : textbook::detail::entries_at(point, level.global)) {
      connect(graph, row, entry.column);
    }
  });
  return graph;
}

inline Graph six_neighbours_of(const textbook::Level& level) {
  Graph graph(level.owner.size());
  textbook::detail::for_points(level.global, [&](const Grid3& point) {
    const std::size_t row = textbook::detail::number_of(point, level.global);
    for (const Grid3& step : {Grid3{1, 0, 0}, Grid3{0, 1, 0}, Grid3{0, 0, 1}}) {
      const Grid3 next{point.nx + step.nx, point.ny + step.ny, point.nz + step.nz};
      if (textbook::detail::inside(next, level.global)) {
        connect(graph, row, textbook::detail::number_of(next, level.global));
      }
    }
  });
  return graph;
}

/// Pairs of a rank's rows wherever they lie, as many a row as entries allow; between ranks, which
/// only exchange what lies side by side, some of these.
inline Graph random_graph(const textbook::Level& level, std::size_t number) {
  // A point at the corner of eight ranks has 19 neighbours on others.
  const int pairs = level.own.size() == 1 ? max_entries - 1 : max_entries - 1 - 19;
  Graph graph(level.owner.size());
  std::mt19937 random(static_cast<unsigned>(number) + 5);
  for (const textbook::Rows& own : level.own) {
    textbook::Rows rows = own;
    for (int n = 0; n < pairs; ++n) {
      std::shuffle(rows.begin(), rows.end(), random);
      for (std::size_t k = 0; k + 1 < rows.size(); k += 2) {
        connect(graph, rows[k], rows[k + 1]);
      }
    }
  }
  const Graph near = neighbours_of(level);
  for (std::size_t row = 0; row < near.size(); ++row) {
    for (const std::size_t other : near[row]) {
      if (row < other && level.owner[row] != level.owner[other] && random() % 2 == 0) {
        connect(graph, row, other);
      }
    }
  }
  return graph;
}

}  // namespace matrices

/// Random values where the benchmark has its own; seven points; a random graph.
inline std::vector<TestMatrix> other_matrices() {
  using textbook::Level;
  return {{"random27",
           [](const Level& level, std::size_t number) {
             return matrices::with_random_values(matrices::neighbours_of(level), number);
           }},
          {"random7",
           [](const Level& level, std::size_t number) {
             return matrices::with_random_values(matrices::six_neighbours_of(level), number);
           }},
          {"graph", [](const Level& level, std::size_t number) {
             return matrices::with_random_values(matrices::random_graph(level, number), number);
           }}};
}

/// These and the benchmark's own.
inline std::vector<TestMatrix> all_matrices() {
  std::vector<TestMatrix> all = other_matrices();
  all.emplace_back();
  return all;
}

/// A rank's rows of a level as the library keeps them.
inline HostCsr rows_of_rank(const textbook::Level& level, std::size_t rank,
                            const Geometry& geometry) {
  const LocalGrid& grid = geometry.grid;
  std::unordered_map<std::int64_t, std::int64_t> column_of;
  for (std::int64_t z = -1; z <= grid.z.local; ++z) {
    for (std::int64_t y = -1; y <= grid.y.local; ++y) {
      for (std::int64_t x = -1; x <= grid.x.local; ++x) {
        if (grid.x.inside(x) && grid.y.inside(y) && grid.z.inside(z)) {
          column_of[grid.global_row(Point{x, y, z})] = grid.column(x, y, z);
        }
      }
    }
  }
  HostCsr matrix{.columns = geometry.columns};
  for (const std::size_t row : level.own.at(rank)) {
    for (const textbook::Entry& entry : level.entries.at(row)) {
      const std::int64_t column = column_of.at(static_cast<std::int64_t>(entry.column));
      matrix.column.push_back(static_cast<std::int32_t>(column));
      matrix.value.push_back(entry.value);
    }
    matrix.start.push_back(static_cast<std::int64_t>(matrix.column.size()));
  }
  return matrix;
}

}  // namespace bankfull::hpcg
