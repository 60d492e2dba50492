// Sweeps a field on all ranks, on their GPUs or on their processors, with the halo exchanged before
// every sweep, checks it, and measures it against the ceiling of the machine. The same source is
// compiled by nvcc, where there is one, or by the host's compiler.

#include <bankfull/core.hpp>

#include <cmath>
#include <iostream>
#include <numbers>

namespace {

using namespace bankfull;

constexpr Extents cells{192, 192, 254};

/// One period of a wave along i, at plane i of the whole grid.
BANKFULL_HOST_DEVICE double wave(std::int64_t i) {
  return std::sin(2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(cells.ni));
}

struct Fill {
  FieldView<double> to;
  std::int64_t first_plane;

  BANKFULL_HOST_DEVICE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    to(i, j, k) = wave(first_plane + i);
  }
};

/// The mean of the six neighbours of every cell.
struct Smooth {
  FieldView<const double> from;
  FieldView<double> to;

  BANKFULL_HOST_DEVICE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    to(i, j, k) = (from(i - 1, j, k) + from(i + 1, j, k) + from(i, j - 1, k) + from(i, j + 1, k) +
                   from(i, j, k - 1) + from(i, j, k + 1)) /
                  6.0;
  }
};

/// The largest error of a smoothed wave, which is the wave times a factor, on all ranks.
double largest_error(const DecomposedGrid& grid, const GridFields<double>& fields) {
  const double factor =
      (std::cos(2.0 * std::numbers::pi / static_cast<double>(cells.ni)) + 2.0) / 3.0;
  double largest = 0.0;
  const std::vector<double> values = fields.interior_values(1);
  auto value = values.begin();
  for_cells(grid.block(), [&](auto i, auto /*j*/, auto /*k*/) {
    largest = std::max(largest, std::abs(*value++ - factor * wave(i)));
  });
  return grid.ranks().max(largest);
}

/// `on` is this rank's team of threads, or a stream of its GPU.
template <class On>
ExitCode sweep(const Communicator& ranks, const On& on) {
  const DecomposedGrid grid(ranks, cells, {.periodic = {.i = true, .j = true, .k = true}});
  GridFields<double> fields(grid, 2, on);
  for_each(on, grid.interior(), Fill{fields[0], grid.block().i0});

  const double bytes = 8.0 * static_cast<double>(grid.interior().extents().count());
  const Work work{.traffic = {.bytes_read = bytes, .bytes_written = bytes},
                  .model = "1 field read, 1 written",
                  .working_set_bytes = 2.0 * bytes};
  const auto run = [&] {
    fields.exchange_halo({0});
    for_each(on, grid.interior(), Smooth{fields[0], fields[1]});
    synchronize(on);
  };
  const auto checks = [&] {
    return std::vector{
        Check{.name = "error", .value = largest_error(grid, fields), .tolerance = 1e-14}};
  };
  FunctionBenchmark smoothing("smooth", work, {.run = run, .checks = checks});
  const RunResult result = measure(ranks, on, {&smoothing});
  ranks.on_root([&] { std::cout << ranks.size() << " ranks: " << summary(result); });
  return exit_code_of(result);
}

}  // namespace

int main() {
  return run_on_ranks([](const Communicator& ranks) {
    return on_device(ranks, {}, [&](const auto& on) { return sweep(ranks, on); });
  });
}
