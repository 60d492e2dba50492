#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/box.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull {

/// Calls body(i, j, k) for every cell of the box. Planes are divided among the team by `share`, so
/// a for_each that writes a field places its pages where later sweeps of the same team want them.
/// The body must not throw: what leaves it ends the program.
template <class Body>
void for_each(const Team& team, const Box& box, Body body) {
  if (box.empty()) {
    return;
  }
#pragma omp parallel num_threads(team.threads())
  {
    const Range planes = my_share(box.i1 - box.i0);
    for (std::int64_t i = box.i0 + planes.begin; i < box.i0 + planes.end; ++i) {
      for (std::int64_t j = box.j0; j < box.j1; ++j) {
        for (std::int64_t k = box.k0; k < box.k1; ++k) {
          body(i, j, k);
        }
      }
    }
  }
}

/// Sum of term(i, j, k) over the box in fp64. Each plane is summed in order by one thread and the
/// planes are added in order, so the result does not depend on the number of threads.
template <class Term>
double reduce_sum(const Team& team, const Box& box, Term term) {
  if (box.empty()) {
    return 0.0;
  }
  std::vector<double> plane_sums(static_cast<std::size_t>(box.i1 - box.i0));
#pragma omp parallel num_threads(team.threads())
  {
    const Range planes = my_share(box.i1 - box.i0);
    for (std::int64_t plane = planes.begin; plane < planes.end; ++plane) {
      double sum = 0.0;
      for (std::int64_t j = box.j0; j < box.j1; ++j) {
        for (std::int64_t k = box.k0; k < box.k1; ++k) {
          sum += term(box.i0 + plane, j, k);
        }
      }
      plane_sums[static_cast<std::size_t>(plane)] = sum;
    }
  }
  double total = 0.0;
  for (const double sum : plane_sums) {
    total += sum;
  }
  return total;
}

}  // namespace bankfull
