#pragma once

#include "bankfull/workloads/npb/ft/cuda/shape.hpp"

#include <cstdint>

namespace bankfull::npb::ft::cuda {

/// How the transforms of a class run on a GPU, and what they take.
struct Plan {
  Shape shape;
  int iterations;

  // How far ahead of its block a tile comes into the cache, as a share of the tiles that a GPU
  // works on at once; 0: not at all.
  double lines_ahead;
  double columns_ahead;

  [[nodiscard]] std::int64_t table_size() const { return shape.depth + shape.side; }
  [[nodiscard]] std::int64_t decay_factors() const { return iterations * table_size(); }
  [[nodiscard]] std::int64_t terms() const { return iterations * checksum_points; }

  /// GPU memory that all of it takes.
  [[nodiscard]] std::int64_t bytes() const {
    return (2 * shape.points() + table_size() + terms() + iterations) *
               static_cast<std::int64_t>(sizeof(Complex)) +
           decay_factors() * static_cast<std::int64_t>(sizeof(double));
  }
};

inline Plan plan_of(const FtParameters& ft) {
  return {.shape = shape_of(ft, planes_together(ft.ny)),
          .iterations = ft.iterations,
          .lines_ahead = 0.5,
          .columns_ahead = 0.5};
}

}  // namespace bankfull::npb::ft::cuda
