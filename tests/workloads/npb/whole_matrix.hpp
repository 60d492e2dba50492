#pragma once

#include "bankfull/workloads/npb/cg/cg.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::npb {

/// A with its diagonal, put together of what solvers keep apart.
inline cg::Matrix whole_matrix(Class size, int threads = 1) {
  const Range all{0, cg_parameters(size).rows};
  const cg::Matrix beside = cg::assemble(size, {cg::Kept::all, all, all}, Team(threads));
  const std::vector<double> diagonal = cg::diagonal_of(size, all);
  cg::Matrix whole{.starts = {0}, .columns = {}, .values = {}};
  const auto add = [&](std::int64_t column, double value) {
    whole.columns.push_back(static_cast<std::int32_t>(column));
    whole.values.push_back(value);
  };
  for (std::int64_t row = 0; row < all.end; ++row) {
    const auto number = static_cast<std::size_t>(row);
    auto n = static_cast<std::size_t>(beside.starts[number]);
    const auto end = static_cast<std::size_t>(beside.starts[number + 1]);
    for (; n < end && beside.columns[n] < row; ++n) {
      add(beside.columns[n], beside.values[n]);
    }
    add(row, diagonal[number]);
    for (; n < end; ++n) {
      add(beside.columns[n], beside.values[n]);
    }
    whole.starts.push_back(static_cast<std::int64_t>(whole.columns.size()));
  }
  return whole;
}

}  // namespace bankfull::npb
