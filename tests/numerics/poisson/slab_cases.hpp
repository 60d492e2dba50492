#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "tests/mpi_main.hpp"
#include "tests/numerics/poisson/direct_cases.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull::poisson {

// What tests of the direct solver on ranks share.

/// The cells of this rank's slab, in the order of the whole field.
inline Range cells_of_slab(const Domain& domain) {
  const Decomposition slabs = direct_slabs(domain, test_ranks().size());
  const Box block = slabs.block(test_ranks().rank());
  const Extents n = domain.extents();
  return {block.i0 * n.nj * n.nk, block.i1 * n.nj * n.nk};
}

/// The slab alone, for `put` and `take`.
inline Domain slab_domain(const Domain& domain) {
  Domain slab = domain;
  const Range cells = cells_of_slab(domain);
  slab.i.widths.resize(
      static_cast<std::size_t>(cells.size() / (domain.j.cells() * domain.k.cells())));
  return slab;
}

/// Collective: the parts of all slabs.
inline Values whole_field(const Values& part) {
  Values whole;
  for (const Values& each : test_ranks().all_gather(part)) {
    whole.insert(whole.end(), each.begin(), each.end());
  }
  return whole;
}

/// The solution before_slab(j, k) in the plane before the slab has the bits of the rank below.
template <class Before>
void expect_plane_before(const Domain& domain, const Values& whole, const Before& before_slab) {
  const Extents n = domain.extents();
  const std::int64_t first = cells_of_slab(domain).begin / (n.nj * n.nk);
  if (test_ranks().size() == 1 || (first == 0 && !domain.i.periodic)) {
    return;
  }
  const std::int64_t before = (first + n.ni - 1) % n.ni;
  for (std::int64_t j = 0; j < n.nj; ++j) {
    for (std::int64_t k = 0; k < n.nk; ++k) {
      ASSERT_EQ(before_slab(j, k), whole[static_cast<std::size_t>((before * n.nj + j) * n.nk + k)]);
    }
  }
}

/// This slab's part.
inline Values part_of(const Domain& domain, const Values& whole) {
  const Range cells = cells_of_slab(domain);
  return {whole.begin() + cells.begin, whole.begin() + cells.end};
}

/// Relative to the largest value.
template <class Real>
inline constexpr double bound_on_difference = 1e-12;
template <>
inline constexpr double bound_on_difference<float> = 5e-5;

/// Those that have a plane for each rank.
inline std::vector<NamedDomain> cases_of_ranks(Device device) {
  std::vector<NamedDomain> cases;
  const auto add = [&](const std::vector<NamedDomain>& more) {
    for (const NamedDomain& each : more) {
      if (each.domain.i.cells() >= test_ranks().size()) {
        cases.push_back(each);
      }
    }
  };
  add(direct_cases());
  // One plane a rank, and one more.
  for (const std::int64_t more : {0, 1}) {
    add(all_boundaries({test_ranks().size() + more, 5, 6}));
  }
  // So long that slabs have cells which the roots at their ends do not feel.
  for (const bool periodic : {false, true}) {
    cases.push_back(
        {"wide_cells",
         {uniform_axis(150, periodic, 40.0), uniform_axis(12, false), uniform_axis(14, true)}});
    cases.push_back({"gathered",
                     {gathered_axis(96, periodic, 5.0), uniform_axis(8, true, 0.125),
                      uniform_axis(10, false, 0.1)}});
    cases.push_back({"wide_cells_stretched",
                     {stretched_axis(163, periodic, 1.05, 3.0), uniform_axis(9, true),
                      uniform_axis(10, false)}});
  }
  if (device.is_cuda()) {  // one GPU solves this in three passes over memory
    cases.push_back(
        {"three_passes_on_one",
         {gathered_axis(64, false, 2.0), uniform_axis(128, true), uniform_axis(128, true)}});
  }
  if (direct_unavailable(
          device, {uniform_axis(2, true), stretched_axis(4, true, 1.2), uniform_axis(2, true)})
          .empty()) {
    add(all_stretchings({11, 7, 6}, 1.2));
  }
  return cases;
}

}  // namespace bankfull::poisson
