#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/hpcg/geometry.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::hpcg {

/// Where the checks of a rank's vectors are done: on the host, by a team of its threads.
struct RankSite {
  const LocalGrid& grid;  ///< of the finest level
  const Communicator& ranks;
  Team team = Team(1);
};

/// merge(merge(first, term(0)), term(1)) and so on for the rows of a rank's grid. Each plane is
/// merged by one thread, and the planes in their order: the result does not depend on the number of
/// threads.
template <class Value, class Term, class Merge>
Value merge_rows(const Team& team, const LocalGrid& grid, const Value& first, const Term& term,
                 const Merge& merge) {
  const std::int64_t plane_rows = grid.x.local * grid.y.local;
  std::vector<Value> planes(static_cast<std::size_t>(grid.z.local), first);
#pragma omp parallel num_threads(team.threads())
  {
    const Range mine = my_share(grid.z.local);
    for (std::int64_t z = mine.begin; z < mine.end; ++z) {
      Value merged = first;
      for (std::int64_t row = z * plane_rows; row < (z + 1) * plane_rows; ++row) {
        merged = merge(merged, term(row));
      }
      planes[static_cast<std::size_t>(z)] = merged;
    }
  }
  Value all = first;
  for (const Value& plane : planes) {
    all = merge(all, plane);
  }
  return all;
}

/// The elements value(row) of a vector on the host, for all rows of a rank's grid.
template <class ValueOf>
std::vector<double> vector_of_rows(const Team& team, const LocalGrid& grid,
                                   const ValueOf& value_of) {
  std::vector<double> values(static_cast<std::size_t>(grid.rows()));
#pragma omp parallel num_threads(team.threads())
  {
    const Range mine = my_share(grid.rows());
    for (std::int64_t row = mine.begin; row < mine.end; ++row) {
      values[static_cast<std::size_t>(row)] = value_of(row);
    }
  }
  return values;
}

}  // namespace bankfull::hpcg
