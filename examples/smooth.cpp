// Averages a field over its six neighbours and says how close to the memory ceiling that ran.

#include "bankfull/core/base/format.hpp"
#include "bankfull/core/exec/for_each.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/measure/ceiling.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <algorithm>
#include <iostream>

namespace {

using bankfull::FieldView;

/// The mean of the six neighbours of every cell; a for_each body.
struct Smooth {
  FieldView<const double> from;
  FieldView<double> to;

  void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    to(i, j, k) = (from(i - 1, j, k) + from(i + 1, j, k) + from(i, j - 1, k) + from(i, j + 1, k) +
                   from(i, j, k - 1) + from(i, j, k + 1)) /
                  6.0;
  }
};

}  // namespace

int main() {
  using namespace bankfull;
  const Team team(Team::default_threads());
  const Extents cells{200, 200, 254};
  const Box interior = box_of(cells);
  FieldSet<double> fields(Layout(cells, 1, sizeof(double)), 2, Device::cpu());
  const FieldView<double> from = fields[0];
  const FieldView<double> to = fields[1];

  // The team that sweeps touches the memory first.
  for_each(team, grown(interior, 1), [=](auto i, auto j, auto k) {
    from(i, j, k) = static_cast<double>(i + 2 * j + 3 * k);
    to(i, j, k) = 0.0;
  });

  double seconds = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Stopwatch watch;
    for_each(team, interior, Smooth{from, to});
    seconds = std::min(seconds, watch.seconds());
  }
  // A linear field is its own mean.
  const double error = reduce_sum(team, interior, [=](auto i, auto j, auto k) {
    const double difference = to(i, j, k) - from(i, j, k);
    return difference * difference;
  });

  const double rate = 2.0 * static_cast<double>(cells.count()) * sizeof(double) / seconds;
  const Ceiling ceiling =
      measure_ceiling(Device::cpu(), team.threads(), Mix{.reads = 1, .writes = 1}, Precision::fp64);
  std::cout << "squared error " << error << ", " << format_si(rate, "B/s") << ", "
            << 100.0 * rate / ceiling.bytes_per_second << " % of bankfull ("
            << format_si(ceiling.bytes_per_second, "B/s") << ")\n";
  return error < 1e-12 ? 0 : 1;
}
