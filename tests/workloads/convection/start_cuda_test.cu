#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/convection/cuda/start.cuh"

#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

namespace bankfull::convection {
namespace {

/// The fields of a start, without ghosts in the potential, whose rows are as a solver chooses.
template <class Real>
struct StartFields {
  std::vector<Real> potential;
  std::vector<Real> before;
  std::vector<float> expected;

  bool operator==(const StartFields&) const = default;
};

template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t stream) {
  std::vector<T> values;
  for (std::size_t n = 0; n < count; ++n) {
    values.push_back(static_cast<T>(random_symmetric(stream, n)));
  }
  return values;
}

/// Where the fields lie: a potential in rows of this pitch, the others with a layer of ghosts.
struct Places {
  Extents cells;
  std::int64_t row_pitch;

  [[nodiscard]] Layout past(std::size_t element_bytes) const {
    return Layout(cells, 1, element_bytes);
  }
  [[nodiscard]] std::size_t slots() const {
    return static_cast<std::size_t>(cells.ni * cells.nj * row_pitch);
  }
  template <class Real>
  [[nodiscard]] poisson::CellSlots<Real> view(Real* data) const {
    return {.data = data,
            .plane_pitch = cells.nj * row_pitch,
            .row_pitch = row_pitch,
            .reach = box_of(cells)};
  }
};

constexpr StartWeights weights{.per_length = 1.5, .length = 0.75, .growth = 1.1, .curvature = 1.2};

/// Ghosts and padding, which stay as they are, are compared, too.
template <class Real>
void expect_what_a_cell_gets(const Places& places) {
  const Stream stream(Device::cuda(0));
  const CudaExecutor gpu(stream);
  FieldSet<Real> before(places.past(sizeof(Real)), 1, stream.device());
  FieldSet<float> change(places.past(sizeof(float)), 1, stream.device());
  const Buffer<Real> potential = gpu.make<Real>(static_cast<std::int64_t>(places.slots()));
  const Buffer<StartWeights> device_weights = gpu.make<StartWeights>(1);
  StartFields<Real> expected{random_values<Real>(places.slots(), 1),
                             random_values<Real>(static_cast<std::size_t>(before.size()), 2),
                             random_values<float>(static_cast<std::size_t>(change.size()), 3)};
  gpu.from_host(expected.potential, potential.data());
  gpu.from_host(expected.before, before.data());
  gpu.from_host(expected.expected, change.data());
  gpu.from_host(std::vector<StartWeights>{weights}, device_weights.data());

  queue_start<Real>(gpu, places.cells,
                    {.weights = device_weights.data(),
                     .potential = places.view(potential.data()),
                     .before = before[0],
                     .expected = change[0]});
  const StartFields<Real> found{
      gpu.to_host(potential.data(), static_cast<std::int64_t>(potential.size())),
      gpu.to_host(before.data(), static_cast<std::int64_t>(before.size())),
      gpu.to_host(change.data(), static_cast<std::int64_t>(change.size()))};

  const poisson::CellSlots<Real> cell = places.view(expected.potential.data());
  const std::int64_t first_before = before[0].origin - before.data();
  const std::int64_t first_change = change[0].origin - change.data();
  for_cells(box_of(places.cells), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const Layout of_before = places.past(sizeof(Real));
    const Layout of_change = places.past(sizeof(float));
    const auto at = [&](std::int64_t first, const Layout& layout) {
      return static_cast<std::size_t>(first + i * layout.plane_pitch() + j * layout.row_pitch() +
                                      k);
    };
    Real& here = cell(i, j, k);
    here = pressure_start(weights, here, expected.before[at(first_before, of_before)],
                          expected.expected[at(first_change, of_change)]);
  });
  EXPECT_TRUE(found == expected);
}

class StartOnGpu : public testing::TestWithParam<Places> {};

TEST_P(StartOnGpu, GivesEachCellWhatTheFormulaDoes) {
  expect_what_a_cell_gets<double>(GetParam());
  expect_what_a_cell_gets<float>(GetParam());
}

/// Rows of whole groups in both precisions, in fp64 alone, in none, and of groups whose rows begin
/// between two.
INSTANTIATE_TEST_SUITE_P(Rows, StartOnGpu,
                         testing::Values(Places{{3, 5, 8}, 8}, Places{{3, 5, 8}, 12},
                                         Places{{2, 7, 34}, 36}, Places{{4, 3, 9}, 12},
                                         Places{{3, 2, 16}, 17}, Places{{1, 1, 4}, 4}));

}  // namespace
}  // namespace bankfull::convection
