#include <bankfull/core.hpp>

#include <iostream>

using namespace bankfull;

int main() {
  return run_on_ranks([](const Communicator& ranks) {
    return on_device(ranks, {.device = "cpu"}, [&](const Team& team) {
      const DecomposedGrid grid(ranks, {200, 200, 254});
      GridFields<double> fields(grid, 2, team);
      const auto sweep = [&, x = fields[0], y = fields[1]] {
        fields.exchange_halo({0});
        for_each(team, grid.interior(), [=](auto i, auto j, auto k) {
          y(i, j, k) = 0.5 * (x(i, j, k - 1) + x(i, j, k + 1));
        });
      };
      const double bytes = 8.0 * static_cast<double>(grid.interior().extents().count());
      const Work work{.traffic = {.bytes_read = bytes, .bytes_written = bytes}};
      FunctionBenchmark benchmark("sweep", work, {.run = sweep});
      const RunResult result = measure(ranks, team, {&benchmark});
      ranks.on_root([&] { std::cout << summary(result); });
      return exit_code_of(result);
    });
  });
}
