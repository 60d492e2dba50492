#include "bankfull/workloads/himeno/problem.hpp"

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/field/field_set.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace bankfull::himeno {
namespace {

constexpr auto schedule_names = enum_names<Schedule>({
    {Schedule::reference, "reference"},
    {Schedule::direct, "direct"},
    {Schedule::marching, "marching"},
    {Schedule::tuned, "tuned"},
    {Schedule::fused, "fused"},
});

constexpr std::int64_t largest_dimension = std::int64_t{1} << 20;

std::string remedy_for_size() { return "use XS, S, M, L, XL or IxJxK with every dimension >= 3"; }

/// A dimension of "IxJxK": all digits, nothing else.
std::int64_t parse_dimension(const std::string& size, const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc{} && end == text.data() + text.size();
  const bool too_large =
      error == std::errc::result_out_of_range || (number && value > largest_dimension);
  require(!too_large, "--size " + size + ": the dimension " + text + " is too large",
          fmt::format("use dimensions up to {}", largest_dimension));
  require(number, "--size " + size + " is not a size of the benchmark", remedy_for_size());
  require(value >= 3, "--size " + size + ": the dimension " + text + " leaves no point to update",
          remedy_for_size());
  return value;
}

}  // namespace

const std::vector<StandardSize>& standard_sizes() {
  // gosa computed with a serial fp64 implementation of the official program; the first column is
  // the closed form (I-2)(J-2)(K-2) / (9 (I-1)^4). The fp32 columns agree with the "CPU double"
  // column of Phillips and Fatica (2010), Table VII, as far as that prints digits.
  static const std::vector<StandardSize> sizes{
      {"XS", {32, 32, 64}, 6.713436944e-3, 6.057188747e-3, 6.713711034e-3, 6.057735373e-3},
      {"S", {64, 64, 128}, 3.416246635e-3, 3.251678653e-3, 3.417321732e-3, 3.253010488e-3},
      {"M", {128, 128, 256}, 1.722334153e-3, 1.681149082e-3, 1.723395698e-3, 1.682193921e-3},
      {"L", {256, 256, 512}, 8.646381189e-4, 8.543376561e-4, 8.683036860e-4, 8.574697030e-4},
      {"XL", {512, 512, 1024}, 4.331767494e-4, 4.306011815e-4, 4.403816977e-4, 4.367006953e-4},
  };
  return sizes;
}

const StandardSize* find_standard(const GridSize& grid) {
  const auto& sizes = standard_sizes();
  const auto found = std::ranges::find(sizes, grid, &StandardSize::grid);
  return found == sizes.end() ? nullptr : &*found;
}

std::string name_of(const GridSize& grid) {
  const StandardSize* standard = find_standard(grid);
  return standard != nullptr ? standard->name : fmt::format("{}x{}x{}", grid.i, grid.j, grid.k);
}

GridSize parse_size(const std::string& text) {
  for (const StandardSize& size : standard_sizes()) {
    if (size.name == text) {
      return size.grid;
    }
  }
  const std::vector<std::string> parts = parts_of(text, 'x');
  require(parts.size() == 3, "--size " + text + " is not a size of the benchmark",
          remedy_for_size());
  const GridSize grid{parse_dimension(text, parts[0]), parse_dimension(text, parts[1]),
                      parse_dimension(text, parts[2])};
  // Each dimension is at most 2^20, so only the bytes of all fields together can overflow.
  const double bytes = static_cast<double>(grid.i) * static_cast<double>(grid.j) *
                       static_cast<double>(grid.k) * field_count * sizeof(double) * 2.0;
  require(bytes <= static_cast<double>(std::numeric_limits<std::int64_t>::max()),
          "--size " + text + " is beyond any memory", remedy_for_size());
  return grid;
}

std::vector<Schedule> all_schedules() { return schedule_names.list(); }

std::string to_string(Schedule schedule) { return schedule_names.to_string(schedule); }

Schedule parse_schedule(const std::string& text) {
  return schedule_names.parse(text, "--schedule " + text + " is not a schedule", {"all"});
}

std::int64_t memory_bytes(const Extents& points, int ghosts, Precision precision) {
  const Layout layout(points, ghosts, static_cast<std::size_t>(bytes_of(precision)));
  return precision == Precision::fp32 ? field_set_bytes<float>(layout, field_count)
                                      : field_set_bytes<double>(layout, field_count);
}

std::int64_t memory_bytes(const GridSize& grid, Precision precision) {
  return memory_bytes(grid.interior(), 1, precision);
}

void check_values(const Problem& problem) {
  const std::int64_t iterations = problem.iterations.value_or(1);
  require(iterations >= 1, fmt::format("--iterations {} runs nothing", iterations),
          "use at least 1");
  require(iterations <= max_iterations, fmt::format("--iterations {} would never end", iterations),
          fmt::format("use up to {}", max_iterations));
  require(
      problem.repeats <= max_repeats && problem.warmup <= max_repeats,
      fmt::format("--repeat {} with --warmup {} would never end", problem.repeats, problem.warmup),
      fmt::format("use up to {} of each", max_repeats));
  require(problem.target_seconds > 0.0 && problem.target_seconds <= 86400.0,
          fmt::format("--target-seconds {} is not a valid running time", problem.target_seconds),
          "use a time above 0 and up to 86400");
  require(problem.repeats >= 1, fmt::format("--repeat {} measures nothing", problem.repeats),
          "use at least 1");
  require(problem.warmup >= 0, fmt::format("--warmup {} is negative", problem.warmup),
          "use 0 or more");
  require(problem.threads >= 1, fmt::format("--threads {} is too few", problem.threads),
          "use at least 1");
  require(std::isfinite(problem.perturbation),
          fmt::format("--perturb-operator {} is not a number", problem.perturbation),
          "use a small one, such as 1e-6");
  require(problem.split > 0.0 && problem.split < 1.0,
          fmt::format("--split {} leaves one part empty", problem.split),
          "use a share between 0 and 1, such as 0.5");
  for (const Schedule schedule : problem.schedules) {
    require(schedule != Schedule::reference || !problem.device.is_cuda(),
            "--schedule reference runs on the CPU only",
            "add --device cpu, or use --schedule direct on a GPU");
  }
}

}  // namespace bankfull::himeno
