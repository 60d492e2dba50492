#include "bankfull/workloads/hpcg/problem.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/exec/cusparse.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/core/memory/capacity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <tuple>
#include <utility>

namespace bankfull::hpcg {
namespace {

constexpr auto variant_names = enum_names<Variant>({
    {Variant::tuned, "tuned"},
    {Variant::ell, "ell"},
    {Variant::csr, "csr"},
    {Variant::cusparse_coloured, "cusparse-coloured"},
    {Variant::cusparse_csr, "cusparse-csr"},
    {Variant::reference, "reference"},
});

constexpr auto sweeps_names = enum_names<Sweeps>({
    {Sweeps::automatic, "auto"},
    {Sweeps::classes, "classes"},
    {Sweeps::syncfree, "syncfree"},
    {Sweeps::pipelined, "pipelined"},
});

constexpr auto columns_names =
    enum_names<ColumnIndices>({{ColumnIndices::full, "full"}, {ColumnIndices::slim, "slim"}});

constexpr std::int64_t vector_count = 16;
constexpr std::int64_t stored_entry_bytes = sizeof(double) + sizeof(std::int32_t);

/// Partial sums, staging, and what measuring the ceiling takes.
constexpr std::int64_t working_bytes = std::int64_t{64} << 20;

Grid3 cube(std::int64_t side) { return {side, side, side}; }

/// A side of "256x256x256": all digits, nothing else.
std::int64_t parse_side(const std::string& given, const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc{} && end == text.data() + text.size();
  if (error == std::errc::result_out_of_range || (number && value > largest_dimension)) {
    throw UsageError(fmt::format("{}: {} is too large", given, text),
                     fmt::format("use numbers up to {}", largest_dimension));
  }
  if (!number || value < 1) {
    throw UsageError(fmt::format("{}: '{}' is not a number of at least 1", given, text),
                     "use three such as 1x2x4, along x, y and z");
  }
  return value;
}

Extents cells_of(const Grid3& local, const RankGrid& grid) {
  return {local.nz * grid.i, local.ny * grid.j, local.nx * grid.k};
}

Grid3 grid3_of(const RankGrid& grid) { return {grid.k, grid.j, grid.i}; }

bool has_official_shape(const Grid3& grid) { return aspect_ratio(grid) >= smallest_ratio; }

RankGrid given_grid(const Grid3& given, int ranks) {
  const auto possible = [](std::int64_t n) { return n >= 1 && n <= largest_dimension; };
  if (!possible(given.nx) || !possible(given.ny) || !possible(given.nz)) {
    throw UsageError("--ranks-grid " + to_string(given) + " is not a grid of ranks",
                     fmt::format("use numbers from 1 to {}", largest_dimension));
  }
  if (given.count() != ranks) {
    throw UsageError(fmt::format("--ranks-grid {} is for {} ranks, this run has {}",
                                 to_string(given), given.count(), ranks),
                     "leave it out, or start as many ranks");
  }
  return {static_cast<int>(given.nz), static_cast<int>(given.ny), static_cast<int>(given.nx)};
}

/// As close to a cube as the number of ranks allows, for the whole grid's shape bears on how fast
/// the solver converges; among equals the one with the least communication. Blocks do not shrink as
/// ranks are added, so `choose_decomposition`, which cuts a given grid, does not serve here.
RankGrid chosen_grid(const Grid3& local, int ranks) {
  DecompositionRules rules;
  rules.most = {ranks, ranks, ranks};
  const std::vector<RankGrid> grids = allowed_grids({ranks, ranks, ranks}, ranks, rules);
  const int strided_cost = cells_of_a_sector(sizeof(double));
  const auto cost = [&](const RankGrid& grid) {
    const Decomposition decomposition(cells_of(local, grid), grid);
    return std::tuple(-aspect_ratio(grid3_of(grid)), face_cells(decomposition, strided_cost),
                      -grid.i, -grid.j);
  };
  return *std::min_element(grids.begin(), grids.end(),
                           [&](const RankGrid& a, const RankGrid& b) { return cost(a) < cost(b); });
}

RankGrid grid_of(const Problem& problem, int ranks) {
  return problem.process_grid ? given_grid(*problem.process_grid, ranks)
                              : chosen_grid(problem.local, ranks);
}

/// Rows of the busiest rank and the columns of others that it needs.
std::int64_t columns_of(const Grid3& local, const RankGrid& grid) {
  const auto widened = [](std::int64_t n, int ranks) { return n + std::min(2, ranks - 1); };
  return widened(local.nx, grid.k) * widened(local.ny, grid.j) * widened(local.nz, grid.i);
}

void check_local(const Grid3& local) {
  for (const std::int64_t n : {local.nx, local.ny, local.nz}) {
    if (n < smallest_dimension || n > largest_dimension) {
      throw UsageError(
          fmt::format("--local {}: the side {} is too {}", to_string(local), n,
                      n < smallest_dimension ? "short" : "long"),
          fmt::format("use sides from {} to {}", smallest_dimension, largest_dimension));
    }
  }
}

void check_columns(const Grid3& local, const RankGrid& grid) {
  if (columns_of(local, grid) > std::numeric_limits<std::int32_t>::max()) {
    throw UsageError(
        fmt::format("--local {} has {} points a rank, and with its halo more than 32-bit indices "
                    "can name",
                    to_string(local), local.count()),
        "use up to 1280x1280x1280 a rank, and more ranks");
  }
}

void check_settings(const Problem& problem) {
  if (!(problem.seconds >= 0.0) || problem.seconds > longest_seconds) {
    throw UsageError(fmt::format("--seconds {} is no running time", problem.seconds),
                     fmt::format("use 0, the quick path, or up to {:.0f}", longest_seconds));
  }
  if (problem.threads < 1) {
    throw UsageError(fmt::format("--threads {} leaves nobody to work", problem.threads),
                     "use at least 1");
  }
  const bool runs_on_cpu =
      problem.variant == Variant::tuned || problem.variant == Variant::reference;
  if (!runs_on_cpu && !problem.device.is_cuda()) {
    throw UsageError("--variant " + to_string(problem.variant) + " runs on GPUs only",
                     "use --variant tuned or reference, or --device cuda");
  }
  if (problem.columns == ColumnIndices::slim && problem.variant != Variant::tuned) {
    throw UsageError("--columns slim is not for --variant " + to_string(problem.variant),
                     "use --variant tuned, or leave --columns out");
  }
  if (problem.sweeps != Sweeps::automatic &&
      (problem.variant != Variant::tuned || !problem.device.is_cuda())) {
    throw UsageError("--sweeps " + to_string(problem.sweeps) + " is for --variant tuned on GPUs",
                     "leave --sweeps out");
  }
}

using BrokenRules = std::vector<BrokenRule>;

void add_broken_shapes(const Grid3& local, const Grid3& ranks, BrokenRules& broken) {
  for (const std::int64_t n : {local.nx, local.ny, local.nz}) {
    if (n < official_dimension || n % official_multiple != 0) {
      broken.push_back(
          {fmt::format("the side {} of --local {} is none of an official run", n, to_string(local)),
           fmt::format("use multiples of {} from {}", official_multiple, official_dimension)});
      break;
    }
  }
  if (!has_official_shape(local)) {
    broken.push_back({fmt::format("the sides of --local {} differ too much", to_string(local)),
                      "use sides of which none is longer than 8 times another"});
  }
  if (!has_official_shape(ranks)) {
    broken.push_back(
        {fmt::format("the sides of the grid of ranks, {}, differ too much", to_string(ranks)),
         "use a number of ranks that splits into sides of which none is longer than 8 times "
         "another"});
  }
}

void add_broken_settings(const Problem& problem, BrokenRules& broken) {
  if (problem.columns == ColumnIndices::slim) {
    broken.push_back(
        {"--columns slim keeps column indices as 16-bit offsets, which the "
         "benchmark's authors have not allowed yet",
         "use --columns full"});
  }
  if (problem.perturbation != 0.0) {
    broken.push_back({perturbation_note(problem.perturbation), "leave out --perturb-operator"});
  }
}

/// The rule that a finished run is asked by the time that it took.
void add_broken_time(double seconds, BrokenRules& broken) {
  const std::string remedy = fmt::format("use --seconds {:.0f} or more", official_seconds);
  if (seconds == 0.0) {
    broken.push_back(
        {"the quick path (--quick-path, or no seconds) counts for systems alone of which the "
         "benchmark's authors confirm it",
         remedy});
  } else if (seconds < official_seconds) {
    broken.push_back({fmt::format("--seconds {} is too short", seconds), remedy});
  }
}

/// Throws for broken rules, all in one message.
void insist_on_rules(const BrokenRules& broken) {
  if (broken.empty()) {
    return;
  }
  std::vector<std::string> faults;
  std::vector<std::string> remedies;
  for (const BrokenRule& rule : broken) {
    faults.push_back(rule.what);
    remedies.push_back(rule.remedy);
  }
  throw UsageError(fmt::format("--official: {}", fmt::join(faults, "; ")),
                   fmt::format("{}", fmt::join(remedies, "; ")));
}

std::int64_t total_bytes(Device device) {
  if (!device.is_cuda()) {
    return survey_cpu().memory_bytes;
  }
  const std::vector<GpuInfo>& gpus = survey_gpus().gpus;
  const auto found = std::find_if(gpus.begin(), gpus.end(),
                                  [&](const GpuInfo& gpu) { return gpu.index == device.index; });
  return found == gpus.end() ? 0 : found->memory_bytes;
}

Problem with_local(Problem problem, const Grid3& local) {
  problem.local = local;
  return problem;
}

/// Side of the largest cube of an official run's sides for which `fits(problem with it)` holds; 0
/// for none.
template <class Fits>
std::int64_t largest_cube(const Problem& problem, int ranks, const Fits& fits) {
  std::int64_t largest = 0;
  for (std::int64_t side = official_multiple;
       columns_of(cube(side), grid_of(problem, ranks)) <= std::numeric_limits<std::int32_t>::max();
       side += official_multiple) {
    largest = fits(with_local(problem, cube(side))) ? side : largest;
  }
  return largest;
}

void add_broken_memory(const Problem& problem, int ranks, int sharing, BrokenRules& broken) {
  const std::int64_t total = total_bytes(problem.device);
  const double wanted = static_cast<double>(total) * official_memory_share / sharing;
  const auto used = [](const Problem& p) { return static_cast<double>(min_memory_bytes(p)); };
  if (used(problem) >= wanted) {
    return;
  }
  const std::int64_t side = official_multiple + largest_cube(problem, ranks, [&](const Problem& p) {
                              return used(p) < wanted;
                            });
  broken.push_back(
      {fmt::format("the data of --local {}, at least {}, may be less than a quarter of the memory "
                   "of {}, {}{}",
                   to_string(problem.local), format_bytes(used(problem)), to_string(problem.device),
                   format_bytes(static_cast<double>(total)),
                   sharing > 1 ? fmt::format(", which {} ranks share", sharing) : ""),
       fmt::format("use --local {} or more", to_string(cube(side)))});
}

/// Bytes of a variant's own copy of one level's matrix and order, at least.
std::int64_t min_copy_bytes(const Problem& problem, std::int64_t rows, std::int64_t entries) {
  constexpr std::int64_t order_bytes = 2 * sizeof(std::int32_t);
  constexpr std::int64_t slim_entry_bytes = sizeof(double) + sizeof(std::uint16_t);
  switch (problem.variant) {
    case Variant::reference:
      return 0;
    case Variant::ell:
      return rows * (max_entries * stored_entry_bytes + order_bytes);
    case Variant::csr:
    case Variant::cusparse_coloured:
    case Variant::cusparse_csr:
      return entries * stored_entry_bytes + rows * (8 + order_bytes);
    case Variant::tuned:
      break;
  }
  const bool slim = problem.columns == ColumnIndices::slim;
  return (entries - rows) * (slim ? slim_entry_bytes : stored_entry_bytes) +
         rows * (8 + order_bytes);
}

void check_memory(const Problem& problem, int ranks, int sharing) {
  const std::int64_t available = free_bytes(problem.device) / sharing;
  const std::int64_t needed = memory_bytes(problem, ranks) + working_bytes;
  if (needed > available) {
    const std::int64_t side = largest_cube(problem, ranks, [&](const Problem& p) {
      return memory_bytes(p, ranks) + working_bytes <= available;
    });
    require_capacity(problem.device, needed * sharing, "hpcg --local " + to_string(problem.local),
                     side == 0 ? "no grid fits"
                               : "the largest cube that fits is --local " + to_string(cube(side)));
  }
}

}  // namespace

std::string to_string(const Grid3& grid) {
  return fmt::format("{}x{}x{}", grid.nx, grid.ny, grid.nz);
}

Grid3 parse_grid(const std::string& option, const std::string& text) {
  const std::vector<std::string> parts = parts_of(text, 'x');
  const std::string given = option + " " + text;
  if (parts.size() != 3) {
    throw UsageError(given + " is not three numbers", "use numbers along x, y and z such as 1x2x4");
  }
  return {parse_side(given, parts[0]), parse_side(given, parts[1]), parse_side(given, parts[2])};
}

Grid3 level_grid(const Grid3& local, int level) {
  expects(level >= 0 && level < level_count, "a level of the preconditioner");
  const std::int64_t step = std::int64_t{1} << level;
  const auto points = [&](std::int64_t n) { return (n + step - 1) / step; };
  return {points(local.nx), points(local.ny), points(local.nz)};
}

double aspect_ratio(const Grid3& grid) {
  const auto [least, most] = std::minmax({grid.nx, grid.ny, grid.nz});
  return static_cast<double>(least) / static_cast<double>(most);
}

const std::vector<Variant>& all_variants() {
  static const auto values = variant_names.values();
  static const std::vector<Variant> variants(values.begin(), values.end());
  return variants;
}

std::string to_string(Variant variant) { return variant_names.to_string(variant); }

bool uses_cusparse(Variant variant) {
  return variant == Variant::cusparse_csr || variant == Variant::cusparse_coloured;
}

Variant parse_variant(const std::string& text) {
  return variant_names.parse(text, "--variant " + text + " is not a variant");
}

std::string to_string(Sweeps sweeps) { return sweeps_names.to_string(sweeps); }

Sweeps parse_sweeps(const std::string& text) {
  // As results of earlier builds say.
  for (const auto& [earlier, sweeps] :
       {std::pair{"waves", Sweeps::syncfree}, std::pair{"conveyors", Sweeps::pipelined}}) {
    if (text == earlier) {
      throw UsageError("--sweeps " + text + " is called " + to_string(sweeps) + " now",
                       "use --sweeps " + to_string(sweeps));
    }
  }
  return sweeps_names.parse(text, "--sweeps " + text + " is unknown");
}

std::string to_string(ColumnIndices columns) { return columns_names.to_string(columns); }

ColumnIndices parse_columns(const std::string& text) {
  return columns_names.parse(text, "--columns " + text + " is unknown");
}

Decomposition decompose(const Problem& problem, int ranks, int level) {
  expects(ranks >= 1, "somebody works");
  const RankGrid grid = grid_of(problem, ranks);
  return {cells_of(level_grid(problem.local, level), grid), grid};
}

std::int64_t memory_bytes(const Problem& problem, int ranks) {
  constexpr std::int64_t matrix_bytes = max_entries * stored_entry_bytes + 8;
  constexpr std::int64_t row_bytes = 2 * matrix_bytes + vector_count * 8;
  // And two buffers, and the number of the row that is sent.
  constexpr std::int64_t column_bytes = (vector_count + 2) * 8 + 4;
  const RankGrid grid = grid_of(problem, ranks);
  std::int64_t bytes = 0;
  for (int level = 0; level < level_count; ++level) {
    const Grid3 points = level_grid(problem.local, level);
    bytes +=
        points.count() * row_bytes + (columns_of(points, grid) - points.count()) * column_bytes;
  }
  return bytes;
}

std::int64_t min_memory_bytes(const Problem& problem) {
  std::int64_t bytes = 0;
  for (int level = 0; level < level_count; ++level) {
    const Grid3 points = level_grid(problem.local, level);
    const std::int64_t rows = points.count();
    const std::int64_t entries = (3 * points.nx - 2) * (3 * points.ny - 2) * (3 * points.nz - 2);
    const std::int64_t vectors = level == 0 ? 7 : 3;
    bytes += entries * stored_entry_bytes + rows * 8 + rows * (level == 0 ? 8 : 4) +
             vectors * rows * 8 + min_copy_bytes(problem, rows, entries);
  }
  return bytes;
}

void require_cusparse(Variant variant) {
  const std::string wanted = "--variant " + to_string(variant);
  if constexpr (build::cusparse) {
    if (!cusparse_unavailable_reason().empty()) {
      throw UsageError(wanted + " needs cuSPARSE: " + cusparse_unavailable_reason(),
                       "put the CUDA toolkit's libraries on the loader's path (LD_LIBRARY_PATH), "
                       "or use another variant");
    }
  } else {
    throw UsageError(wanted + " needs cuSPARSE, whose header was missing when this was built",
                     "build it with the CUDA toolkit's development files, or use another variant");
  }
}

std::vector<BrokenRule> broken_rules(const Problem& problem, const Communicator& ranks) {
  BrokenRules broken;
  add_broken_shapes(problem.local, grid3_of(grid_of(problem, ranks.size())), broken);
  add_broken_settings(problem, broken);
  // Devices may differ: a rank whose own is filled says what it knows of the others.
  BrokenRules memory;
  add_broken_memory(problem, ranks.size(), sharers_of_device(ranks, problem.device), memory);
  const bool all_filled = ranks.all(memory.empty());
  if (memory.empty() && !all_filled) {
    memory.push_back({fmt::format("the data of --local {} may be less than a quarter of the "
                                  "memory that some rank has",
                                  to_string(problem.local)),
                      "use larger grids"});
  }
  broken.insert(broken.end(), memory.begin(), memory.end());
  return broken;
}

void validate(const Problem& problem, const Communicator& ranks) {
  check_local(problem.local);
  check_settings(problem);
  if (uses_cusparse(problem.variant)) {
    ranks.agree([&] { require_cusparse(problem.variant); });
  }
  const RankGrid grid = grid_of(problem, ranks.size());
  check_columns(problem.local, grid);
  if (problem.official) {
    BrokenRules broken;
    add_broken_time(problem.seconds, broken);
    const BrokenRules others = broken_rules(problem, ranks);
    broken.insert(broken.end(), others.begin(), others.end());
    ranks.agree([&] { insist_on_rules(broken); });
  }
  if (ranks.size() > 1) {
    require_transport(problem.transport, ranks, problem.device);
  }
  const int sharing = sharers_of_device(ranks, problem.device);
  ranks.agree([&] { check_memory(problem, ranks.size(), sharing); });
}

}  // namespace bankfull::hpcg
