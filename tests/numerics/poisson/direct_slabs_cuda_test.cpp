#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/memory/memory.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "tests/core/comm/gpu_transports.hpp"
#include "tests/numerics/poisson/direct_cases.hpp"
#include "tests/numerics/poisson/host_copy.hpp"
#include "tests/numerics/poisson/slab_cases.hpp"

#include <gtest/gtest.h>
#include <vector>

// The direct solver on the GPUs of several ranks against one GPU, and against the equation.
namespace bankfull::poisson {
namespace {

class DirectOnGpus : public GpuTransportTest {};

/// Collective: the whole solution, of one or several solves.
template <class Real>
Values solved_on_ranks(const Domain& domain, const Values& f, Transport transport, int times = 1) {
  const Stream stream(own_gpu());
  const auto solver = make_cuda_direct<Real>(domain, stream, test_ranks(), transport);
  const Domain slab = slab_domain(domain);
  for (int time = 0; time < times; ++time) {
    HostCopy<Real>(slab, solver->right_side()).upload(part_of(domain, f), stream);
    solver->solve();
  }
  Values whole = whole_field(HostCopy<Real>(slab, solver->solution()).download(stream));
  // The slab with the plane before it, as one more of a domain.
  if (test_ranks().size() > 1) {
    Domain wider = slab;
    wider.i.widths.push_back(1.0);
    CellSlots<Real> from = solver->solution();
    from.data -= from.plane_pitch;
    from.reach.i0 += 1;
    from.reach.i1 += 1;
    const Values copied = HostCopy<Real>(wider, from).download(stream);
    expect_plane_before(domain, whole, [&](std::int64_t j, std::int64_t k) {
      return copied[static_cast<std::size_t>(j * domain.k.cells() + k)];
    });
  }
  return whole;
}

template <class Real>
Values solved_on_one(const Domain& domain, const Values& f) {
  const Stream stream(own_gpu());
  const auto solver = make_cuda_direct<Real>(domain, stream);
  HostCopy<Real>(domain, solver->right_side()).upload(f, stream);
  solver->solve();
  return HostCopy<Real>(domain, solver->solution()).download(stream);
}

template <class Real>
void expect_solution_of_one_gpu(const Domain& domain, Transport transport) {
  const Values f = rounded_to<Real>(random_right_side(domain, 5));
  const Values found = solved_on_ranks<Real>(domain, f, transport);
  const Values once = solved_on_one<Real>(domain, f);
  EXPECT_LE(largest_difference(found, once), bound_on_difference<Real> * largest(once));
  expect_solved<Real>(domain, found, f, Products::of_planes);
}

/// Transports carry the same blocks: all cases by one of them.
std::vector<NamedDomain> cases_for(Transport transport) {
  return transport == Transport::automatic ? cases_of_ranks(own_gpu()) : all_boundaries({9, 6, 10});
}

TEST_P(DirectOnGpus, AgreesWithOneGpu) {
  for (const NamedDomain& each : cases_for(GetParam())) {
    SCOPED_TRACE(each.name);
    expect_solution_of_one_gpu<double>(each.domain, GetParam());
    expect_solution_of_one_gpu<float>(each.domain, GetParam());
  }
}

TEST_P(DirectOnGpus, TakesTheMeanAway) {
  expect_mean_taken_away<double>(
      all_boundaries({19, 6, 10}),
      [](const Domain& domain, const Values& f) {
        return solved_on_ranks<double>(domain, f, GetParam());
      },
      MeanLeaves::solution);
}

TEST_P(DirectOnGpus, GivesTheSameBitsAgainAndInAGraph) {
  for (const NamedDomain& each : all_boundaries({20, 16, 24})) {
    SCOPED_TRACE(each.name);
    const Values f = random_right_side(each.domain, 2);
    const Values once = solved_on_ranks<double>(each.domain, f, GetParam());
    EXPECT_EQ(solved_on_ranks<double>(each.domain, f, GetParam(), 5), once);
    const Stream stream(own_gpu());
    const auto solver = make_cuda_direct<double>(each.domain, stream, test_ranks(), GetParam());
    if (!solver->recordable()) {
      continue;
    }
    solver->solve();
    const Graph graph(stream, [&] { solver->solve(); });
    const Domain slab = slab_domain(each.domain);
    HostCopy<double> copy(slab, solver->right_side());
    for (int time = 0; time < 3; ++time) {
      copy.upload(part_of(each.domain, f), stream);
      graph.launch(stream);
      EXPECT_EQ(whole_field(copy.download(stream)), once);
    }
  }
}

TEST_P(DirectOnGpus, AllocatesNoMoreThanItSays) {
  const Stream stream(own_gpu());
  for (const NamedDomain& each : all_boundaries({20, 30, 50})) {
    SCOPED_TRACE(each.name);
    const MemoryWatch memory(MemorySpace::device);
    const auto solver = make_cuda_direct<float>(each.domain, stream, test_ranks(), GetParam());
    EXPECT_LE(memory.max_bytes(),
              direct_slab_bytes(each.domain, sizeof(float), true, 1, test_ranks().size()));
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, DirectOnGpus, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull::poisson
