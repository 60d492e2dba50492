#pragma once

#include "bankfull/workloads/npb/ft/cuda/shape.hpp"

#include <cstdint>

namespace bankfull::npb::ft::cuda {

/// How the transforms of a class run on a GPU, and what they take.
struct Plan {
  Shape shape;
  int iterations;

  /// Whether the two transforms of a plane go through the cache, on a belt, or through memory.
  bool belt;
  int lag;     ///< planes between a belt's columns and rows
  int places;  ///< planes that a belt has room for, more than `lag`

  // Tiles that come into the cache before their block starts; 0: none.
  unsigned lines_ahead;
  unsigned columns_ahead;
  unsigned rows_ahead;

  [[nodiscard]] std::int64_t place_points() const {
    return belt ? std::int64_t{places} * shape.side * shape.side : 0;
  }
  [[nodiscard]] std::int64_t table_size() const { return shape.depth + shape.side; }
  [[nodiscard]] std::int64_t decay_factors() const { return iterations * table_size(); }
  [[nodiscard]] std::int64_t terms() const { return iterations * checksum_points; }
  /// Of one belt: tickets, and two of each plane.
  [[nodiscard]] std::int64_t belt_counts() const { return belt ? 1 + 2 * shape.depth : 0; }

  /// GPU memory that all of it takes.
  [[nodiscard]] std::int64_t bytes() const {
    return (2 * shape.points() + place_points() + table_size() + terms() + iterations) *
               static_cast<std::int64_t>(sizeof(Complex)) +
           decay_factors() * static_cast<std::int64_t>(sizeof(double)) +
           iterations * belt_counts() * static_cast<std::int64_t>(sizeof(unsigned));
  }
};

inline Plan plan_of(const FtParameters& ft) {
  return {.shape = shape_of(ft),
          .iterations = ft.iterations,
          .belt = false,
          .lag = 3,
          .places = 6,
          .lines_ahead = 0,
          .columns_ahead = 0,
          .rows_ahead = 0};
}

}  // namespace bankfull::npb::ft::cuda
