#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/memory/memory.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"
#include "tests/core/comm/gpu_transports.hpp"
#include "tests/numerics/poisson/domains.hpp"
#include "tests/numerics/poisson/host_copy.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

// Multigrid on the GPUs of several ranks has the bits of one GPU.
namespace bankfull::poisson {
namespace {

class MultigridOnGpus : public GpuTransportTest {};

/// All that the GPUs of this test's ranks can share.
std::vector<RankGrid> grids_of(const Domain& domain) {
  std::vector<RankGrid> grids;
  const int size = test_ranks().size();
  for (int i = 1; i <= size; ++i) {
    const RankGrid grid{i, size / i, 1};
    const Extents n = domain.extents();
    if (grid.count() == size && grid.i <= n.ni && grid.j <= n.nj &&
        gpu_sharing_obstacle(domain, {&test_ranks(), grid, 0}).empty()) {
      grids.push_back(grid);
    }
  }
  return grids;
}

/// A rank's solver and the way there and back.
template <class Real>
class OnRank {
 public:
  OnRank(const Domain& domain, const Stopping& stopping, const Sharing& sharing,
         Transport transport)
      : domain_(domain),
        cut_(cut_of(domain, sharing.grid)),
        block_(cut_.block(sharing.rank())),
        stream_(own_gpu()),
        solver_(make_cuda_multigrid<Real>(domain, stopping, stream_, sharing, transport)) {}

  [[nodiscard]] Solver<Real>& solver() const { return *solver_; }
  [[nodiscard]] const Stream& stream() const { return stream_; }

  void give(const Values& f) const { upload(f, solver_->right_side()); }
  void start_from(const Values& p) const { upload(p, solver_->solution()); }

  /// Own cells, and those before them along cut axes, whose values are not these.
  [[nodiscard]] std::int64_t different(const Values& expected) const {
    const bool before_i = block_.i0 > 0 || cut_.periodic().i;
    const bool before_j = block_.j0 > 0 || cut_.periodic().j;
    Box box = block_;
    box.i0 -= before_i ? 1 : 0;
    box.j0 -= before_j ? 1 : 0;
    CellSlots<Real> slots = solver_->solution();
    slots.data = &slots(box.i0 - block_.i0, box.j0 - block_.j0, 0);
    slots.reach = box_of(box.extents());
    const Values found = HostCopy<Real>(part(box), slots).download(stream_);
    const Values wanted = values_in(box, expected);
    std::int64_t count = 0;
    for (std::size_t n = 0; n < found.size(); ++n) {
      count += found[n] == wanted[n] ? 0 : 1;
    }
    return count;
  }

 private:
  void upload(const Values& values, const CellSlots<Real>& slots) const {
    HostCopy<Real>(part(block_), slots).upload(values_in(block_, values), stream_);
  }

  /// Its cells alone: for their number.
  [[nodiscard]] Domain part(const Box& box) const {
    const Extents n = box.extents();
    return {uniform_axis(n.ni, false), uniform_axis(n.nj, false), uniform_axis(n.nk, false)};
  }

  [[nodiscard]] Values values_in(const Box& box, const Values& all) const {
    const Extents n = domain_.extents();
    Values values;
    for (std::int64_t i = box.i0; i < box.i1; ++i) {
      for (std::int64_t j = box.j0; j < box.j1; ++j) {
        const std::int64_t row = (i + n.ni) % n.ni * n.nj + (j + n.nj) % n.nj;
        const auto first = all.begin() + row * n.nk;
        values.insert(values.end(), first, first + n.nk);
      }
    }
    return values;
  }

  Domain domain_;
  Decomposition cut_;
  Box block_;
  Stream stream_;
  std::unique_ptr<Solver<Real>> solver_;
};

template <class Real>
void expect_bits_of_one_gpu(const Domain& domain, const Sharing& sharing, Transport transport) {
  const Stopping stopping{.tolerance = sizeof(Real) == 8 ? 1e-9 : 1e-4, .max_cycles = 12};
  const OnRank<Real> shared(domain, stopping, sharing, transport);
  const Stream stream(own_gpu());
  const auto alone = make_cuda_multigrid<Real>(domain, stopping, stream);
  HostCopy<Real> solution(domain, alone->solution());
  HostCopy<Real> right_side(domain, alone->right_side());
  // From nothing, from a solution, and from one that somebody has changed.
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Values f = random_values(domain, seed);
    for (double& value : f) {
      value = 1.0 / static_cast<double>(seed) * value + 0.3;
    }
    right_side.upload(f, stream);
    shared.give(f);
    if (seed == 3) {
      Values start = solution.download(stream);
      for (double& value : start) {
        value *= 0.5;
      }
      solution.upload(start, stream);
      shared.start_from(start);
    }
    alone->solve();
    shared.solver().solve();
    EXPECT_EQ(shared.different(solution.download(stream)), 0);
    EXPECT_EQ(shared.solver().outcome().cycles, alone->outcome().cycles);
    EXPECT_EQ(shared.solver().outcome().residual, alone->outcome().residual);
    EXPECT_EQ(shared.solver().outcome().converged, alone->outcome().converged);
  }
}

/// Those that have several shared levels, and those that have one.
std::vector<NamedDomain> domains() {
  std::vector<NamedDomain> result = all_boundaries({160, 36, 66});
  for (const auto& more :
       {all_boundaries({24, 48, 35}), all_boundaries({45, 70, 33}), uniform_shapes()}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  result.push_back({"stretched",
                    {stretched_axis(96, false, 1.003), stretched_axis(60, false, 1.004),
                     uniform_axis(40, true)}});
  result.push_back(
      {"flat_cells",
       {uniform_axis(64, false, 0.2), uniform_axis(48, true), uniform_axis(36, true)}});
  result.push_back(
      {"long_cells",
       {uniform_axis(128, true, 5.0), uniform_axis(72, false), uniform_axis(64, true)}});
  result.push_back(
      {"plane", {uniform_axis(512, true), uniform_axis(1, true), uniform_axis(96, true)}});
  result.push_back(
      {"turned_plane", {uniform_axis(1, true), uniform_axis(512, true), uniform_axis(96, false)}});
  // With lines along each axis, which are not cut.
  result.push_back(
      {"lines_i",
       {gathered_axis(48, false, 3.0), uniform_axis(61, false), uniform_axis(40, true)}});
  result.push_back(
      {"lines_j",
       {uniform_axis(64, true), gathered_axis(33, false, 3.0), uniform_axis(38, false)}});
  result.push_back(
      {"lines_k",
       {uniform_axis(64, false), uniform_axis(36, true), gathered_axis(50, false, 3.0)}});
  return result;
}

TEST_P(MultigridOnGpus, HasTheBitsOfOneGpu) {
  for (const NamedDomain& each : domains()) {
    for (const RankGrid& grid : grids_of(each.domain)) {
      SCOPED_TRACE(each.name + " " + to_string(grid));
      const Sharing sharing{&test_ranks(), grid, 0};
      expect_bits_of_one_gpu<double>(each.domain, sharing, GetParam());
      expect_bits_of_one_gpu<float>(each.domain, sharing, GetParam());
    }
  }
}

TEST_P(MultigridOnGpus, GathersEarlierOrLater) {
  const Domain domain{uniform_axis(256, false), uniform_axis(64, true), uniform_axis(64, true)};
  for (const RankGrid& grid : grids_of(domain)) {
    for (const std::optional<std::int64_t> min_cells :
         {std::optional<std::int64_t>{}, {std::int64_t{5000}}, {std::int64_t{40000}}}) {
      SCOPED_TRACE(to_string(grid) + " from " + std::to_string(min_cells.value_or(-1)));
      expect_bits_of_one_gpu<double>(domain, {&test_ranks(), grid, min_cells}, GetParam());
    }
  }
}

TEST_P(MultigridOnGpus, SolvesInAGraph) {
  const Domain domain{uniform_axis(96, true), uniform_axis(40, false), uniform_axis(48, true)};
  const Stopping stopping{.tolerance = 1e-9};
  const Sharing sharing{&test_ranks(), {test_ranks().size(), 1, 1}, 0};
  const OnRank<double> queued(domain, stopping, sharing, GetParam());
  const OnRank<double> recorded(domain, stopping, sharing, GetParam());
  if (!recorded.solver().recordable()) {
    GTEST_SKIP() << "needs the host";
  }
  const Graph graph(recorded.stream(), [&] { recorded.solver().solve(); });
  for (const std::uint64_t seed : {4U, 5U, 6U}) {
    const Values f = random_right_side(domain, seed);
    queued.give(f);
    queued.solver().solve();
    recorded.give(f);
    graph.launch(recorded.stream());
    EXPECT_EQ(recorded.solver().outcome().cycles, queued.solver().outcome().cycles);
    EXPECT_EQ(recorded.solver().outcome().residual, queued.solver().outcome().residual);
  }
}

TEST_P(MultigridOnGpus, AllocatesWhatItSays) {
  const Stream stream(own_gpu());
  std::vector<NamedDomain> each_of = all_boundaries({200, 70, 90});
  each_of.push_back(
      {"lines", {uniform_axis(200, true), gathered_axis(70, false, 3.0), uniform_axis(90, true)}});
  for (const NamedDomain& each : each_of) {
    SCOPED_TRACE(each.name);
    const Sharing sharing{&test_ranks(), {test_ranks().size(), 1, 1}, 0};
    const MemoryWatch memory(MemorySpace::device);
    const auto solver = make_cuda_multigrid<float>(each.domain, {}, stream, sharing, GetParam());
    const std::int64_t stated = multigrid_bytes(each.domain, sizeof(float), true, sharing);
    // Messages through the host are not received on the GPU. With lines they have all cells.
    const std::int64_t cells = each.domain.extents().count();
    const std::int64_t received =
        GetParam() == Transport::mpi ? 2 * cells * std::int64_t{sizeof(float)} : 0;
    EXPECT_GE(memory.max_bytes(), (stated - received) * 8 / 10);
    constexpr std::int64_t pages = std::int64_t{12} << 21;  // of 2 MiB, for messages each
    EXPECT_LE(memory.max_bytes(), stated + pages);
  }
}

TEST(MultigridOnGpusOfRanks, NamesWhatCannotBeShared) {
  const Sharing sharing{&test_ranks(), {test_ranks().size(), 1, 1}};
  if (!sharing.is_shared()) {
    GTEST_SKIP() << "one rank";
  }
  const Axis many = uniform_axis(64, true);
  EXPECT_EQ(gpu_sharing_obstacle({many, many, many}, sharing), "");
  EXPECT_NE(gpu_sharing_obstacle({uniform_axis(8, true), many, many}, sharing), "");
  const Axis of_lines = gathered_axis(64, false, 3.0);
  EXPECT_EQ(gpu_sharing_obstacle({many, of_lines, many}, sharing), "");
  EXPECT_EQ(gpu_sharing_obstacle({many, of_lines, of_lines}, sharing), "");
  EXPECT_NE(gpu_sharing_obstacle({of_lines, many, many}, sharing), "");
}

INSTANTIATE_TEST_SUITE_P(Transports, MultigridOnGpus, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull::poisson
