#include "bankfull/workloads/hpcg/plan.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/core/memory/resident.hpp"
#include "bankfull/numerics/sparse/sliced.hpp"
#include "bankfull/workloads/hpcg/cpu/slices.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace bankfull::hpcg {
namespace {

constexpr std::int64_t stored_entry_bytes = sizeof(double) + sizeof(std::int32_t);

Grid3 cube(std::int64_t side) { return {side, side, side}; }

/// Rows of the busiest rank and the columns of others that it needs.
std::int64_t columns_of(const Grid3& local, const RankGrid& grid) {
  const auto widened = [](std::int64_t n, int ranks) { return n + std::min(2, ranks - 1); };
  return widened(local.nx, grid.k) * widened(local.ny, grid.j) * widened(local.nz, grid.i);
}

/// "--local 256x256x256".
std::string local_text(const Problem& problem) {
  return problem.origins.local + " " + to_string(problem.local);
}

void check_local(const Problem& problem) {
  const Grid3& local = problem.local;
  for (const std::int64_t n : {local.nx, local.ny, local.nz}) {
    require(n >= min_dimension && n <= max_dimension,
            fmt::format("{}: the side {} is too {}", local_text(problem), n,
                        n < min_dimension ? "short" : "long"),
            fmt::format("use sides from {} to {}", min_dimension, max_dimension));
  }
}

Problem with_local(Problem problem, const Grid3& local) {
  problem.local = local;
  return problem;
}

/// Whether 32 bits number the columns of a rank.
bool numbers_columns(const Problem& problem, int ranks) {
  return columns_of(problem.local, decompose(problem, ranks).grid()) <=
         std::numeric_limits<std::int32_t>::max();
}

/// Whether 32 bits number the slots whose ranges the tuned solver keeps. Slices are higher on GPUs:
/// there columns run out of numbers first.
bool numbers_slots(const Problem& problem) {
  return problem.device.is_cuda() || problem.variant != Variant::tuned ||
         max_upper_slots(problem.local, cpu::slice_height) <=
             std::numeric_limits<std::int32_t>::max();
}

/// Side of the largest cube of an official run's sides for which `fits(problem with it)` holds; 0
/// for none.
template <class Fits>
std::int64_t largest_cube(const Problem& problem, int ranks, const Fits& fits) {
  std::int64_t largest = 0;
  std::int64_t side = official_multiple;
  Problem of_side = with_local(problem, cube(side));
  while (numbers_columns(of_side, ranks) && numbers_slots(of_side)) {
    largest = fits(of_side) ? side : largest;
    side += official_multiple;
    of_side.local = cube(side);
  }
  return largest;
}

void check_indices(const Problem& problem, int ranks) {
  const auto remedy = [&] {
    const std::int64_t side = largest_cube(problem, ranks, [](const Problem&) { return true; });
    return fmt::format("use up to {} per rank, and more ranks", to_string(cube(side)));
  };
  if (!numbers_columns(problem, ranks)) {
    throw UsageError(
        fmt::format("{} has {} points per rank; with its halo that exceeds 32-bit indices",
                    local_text(problem), problem.local.count()),
        remedy());
  }
  if (!numbers_slots(problem)) {
    throw UsageError(fmt::format("{} has {} points per rank; their entries in slices of {} rows "
                                 "exceed 32-bit indices",
                                 local_text(problem), problem.local.count(), cpu::slice_height),
                     remedy());
  }
}

void check_settings(const Problem& problem) {
  require(
      problem.seconds >= 0.0 && problem.seconds <= longest_seconds,
      fmt::format("{} {} is not a valid running time", problem.origins.seconds, problem.seconds),
      fmt::format("use 0, the quick path, or up to {:.0f}", longest_seconds));
  require(problem.threads >= 1, fmt::format("--threads {} is too few", problem.threads),
          "use at least 1");
  const bool runs_on_cpu =
      problem.variant == Variant::tuned || problem.variant == Variant::reference;
  require(runs_on_cpu || problem.device.is_cuda(),
          "--variant " + to_string(problem.variant) + " runs on GPUs only",
          "use --variant tuned or reference, or --device cuda");
  require(problem.columns != ColumnIndices::slim || problem.variant == Variant::tuned,
          "--columns slim is not for --variant " + to_string(problem.variant),
          "use --variant tuned, or leave --columns out");
  require(problem.sweeps == Sweeps::automatic ||
              (problem.variant == Variant::tuned && problem.device.is_cuda()),
          "--sweeps " + to_string(problem.sweeps) + " is for --variant tuned on GPUs",
          "leave --sweeps out");
  require(problem.products == Products::direct ||
              (problem.variant == Variant::tuned && problem.device.is_cuda()),
          "--products " + to_string(problem.products) + " is for --variant tuned on GPUs",
          "leave --products out");
}

using BrokenRules = std::vector<BrokenRule>;

bool has_official_shape(const Grid3& grid) { return aspect_ratio(grid) >= smallest_ratio; }

void add_broken_shapes(const Problem& problem, const Grid3& ranks, BrokenRules& broken) {
  const Grid3& local = problem.local;
  for (const std::int64_t n : {local.nx, local.ny, local.nz}) {
    if (n < official_dimension || n % official_multiple != 0) {
      broken.push_back(
          {fmt::format("the side {} of {} is not allowed in an official run", n,
                       local_text(problem)),
           fmt::format("use multiples of {} from {}", official_multiple, official_dimension)});
      break;
    }
  }
  if (!has_official_shape(local)) {
    broken.push_back({fmt::format("the sides of {} differ too much", local_text(problem)),
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
        {"--columns slim keeps column indices in fewer bits, which the "
         "benchmark's authors have not allowed yet",
         "use --columns full"});
  }
  if (problem.products == Products::recurrence) {
    broken.push_back(
        {"--products recurrence changes the arithmetic of conjugate gradients, which the "
         "benchmark's authors have not allowed",
         "use --products direct"});
  }
  if (problem.perturbation != 0.0) {
    broken.push_back({perturbation_note(problem.perturbation), "leave out --perturb-operator"});
  }
}

/// The rule on time, which is applied to a finished run.
void add_broken_time(const Problem& problem, BrokenRules& broken) {
  const double seconds = problem.seconds;
  const std::string remedy = fmt::format("use --seconds {:.0f} or more", official_seconds);
  if (seconds == 0.0) {
    broken.push_back(
        {"the quick path (--quick-path, or no seconds) counts for systems alone of which the "
         "benchmark's authors confirm it",
         remedy});
  } else if (seconds < official_seconds) {
    broken.push_back({fmt::format("{} {} is too short", problem.origins.seconds, seconds), remedy});
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
  const auto found = std::ranges::find(gpus, device.index, &GpuInfo::index);
  return found == gpus.end() ? 0 : found->memory_bytes;
}

/// Entries of a rank's matrix at a level: of one that has neighbours wherever the grid is cut.
std::int64_t entries_of(const Grid3& points, const RankGrid& grid) {
  const auto along = [](std::int64_t n, int ranks) { return 3 * n - 2 + std::min(2, ranks - 1); };
  return along(points.nx, grid.k) * along(points.ny, grid.j) * along(points.nz, grid.i);
}

void add_broken_memory(const Problem& problem, int ranks, int sharing, BrokenRules& broken) {
  const std::int64_t total = total_bytes(problem.device);
  const double wanted = static_cast<double>(total) * official_memory_share / sharing;
  const auto used = [](const Problem& p) { return static_cast<double>(data_bytes(p)); };
  if (used(problem) >= wanted) {
    return;
  }
  const std::int64_t side = official_multiple + largest_cube(problem, ranks, [&](const Problem& p) {
                              return used(p) < wanted;
                            });
  broken.push_back(
      {fmt::format("the data of {}, at least {}, may be less than a quarter of the memory of {}, "
                   "{}{}",
                   local_text(problem), format_bytes(used(problem)), to_string(problem.device),
                   format_bytes(static_cast<double>(total)),
                   sharing > 1 ? fmt::format(", which {} ranks share", sharing) : ""),
       fmt::format("use --local {} or more", to_string(cube(side)))});
}

/// Bytes of a variant's own copy of one level's matrix and order.
std::int64_t copy_bytes(const Problem& problem, std::int64_t rows, std::int64_t entries) {
  constexpr std::int64_t order_bytes = 2 * sizeof(std::int32_t);
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
  const std::int64_t kept = entries - rows;
  const std::int64_t own = rows * (8 + order_bytes);
  if (problem.columns == ColumnIndices::full) {
    return kept * stored_entry_bytes + own;
  }
  constexpr std::int64_t bytes_of_value = sizeof(double);
  constexpr std::int64_t offset_bytes = sizeof(std::uint16_t);
  return kept * bytes_of_value + own +
         (problem.device.is_cuda() ? kept * packed_bits / 8 : kept * offset_bytes);
}

/// Collective: all but that of time.
BrokenRules broken_rules(const Problem& problem, const Grid3& process_grid,
                         const Communicator& ranks, int sharing) {
  BrokenRules broken;
  add_broken_shapes(problem, process_grid, broken);
  add_broken_settings(problem, broken);
  // Devices may differ: a rank whose own device is filled reports that of the others.
  BrokenRules memory;
  add_broken_memory(problem, ranks.size(), sharing, memory);
  const bool all_filled = ranks.all(memory.empty());
  if (memory.empty() && !all_filled) {
    memory.push_back({fmt::format("the data of {} may be less than a quarter of the memory that "
                                  "some rank has",
                                  local_text(problem)),
                      "use larger grids"});
  }
  broken.insert(broken.end(), memory.begin(), memory.end());
  return broken;
}

std::string largest_that_fits(const Problem& problem, int ranks, const Footprints& footprints) {
  const std::int64_t side = largest_cube(problem, ranks, [&](const Problem& p) {
    return footprints.fits(footprints.of(work_bytes(p, ranks)));
  });
  return side == 0 ? "no grid fits"
                   : "the largest cube that fits is --local " + to_string(cube(side));
}

}  // namespace

std::int64_t max_upper_slots(const Grid3& local, int height) {
  constexpr std::int64_t colours = 8;
  constexpr std::int64_t slots_of_all = colours * (max_entries - 1) / 2;
  const auto half = [](std::int64_t n) { return (n + 1) / 2; };
  const std::int64_t rows = half(local.nx) * half(local.ny) * half(local.nz);
  return slots_of_all * ((rows + height - 1) / height);
}

std::int64_t data_bytes(const Problem& problem, const RankGrid& grid) {
  std::int64_t bytes = 0;
  for (int level = 0; level < level_count; ++level) {
    const Grid3 points = level_grid(problem.local, level);
    const std::int64_t rows = points.count();
    const std::int64_t entries = entries_of(points, grid);
    const std::int64_t vectors = level == 0 ? 7 : 3;
    bytes += entries * stored_entry_bytes + rows * 8 + rows * (level == 0 ? 8 : 4) +
             vectors * columns_of(points, grid) * 8 + copy_bytes(problem, rows, entries);
  }
  return bytes;
}

WorkBytes work_bytes(const Problem& problem, int ranks) {
  const RankGrid grid = decompose(problem, ranks).grid();
  const bool tuned = problem.variant != Variant::reference;
  const bool on_gpu = problem.device.is_cuda();
  std::int64_t bytes = 0;
  const auto add = [&](std::int64_t arrays, std::int64_t size) {
    bytes += arrays * resident_bytes(size);
  };
  for (int level = 0; level < level_count; ++level) {
    const Grid3 points = level_grid(problem.local, level);
    const std::int64_t rows = points.count();
    const std::int64_t entries = entries_of(points, grid);
    add(1, 4 * entries);
    add(1, 8 * entries);
    add(level == 0 ? 2 : 1, 8 * (rows + 1));
    const int own_vectors = tuned || on_gpu ? 7 : 6;
    add(level == 0 ? own_vectors : 3, 8 * columns_of(points, grid));
    // Both halves of the variant's copy, then its diagonal, order, slots and coarse rows; or the
    // reference's diagonal and products.
    add(tuned ? 2 : 0, copy_bytes(problem, rows, entries) / 3 - 5 * rows);
    add(tuned ? 2 : 0, copy_bytes(problem, rows, entries) / 6 - 3 * rows);
    // What a fused cycle keeps of a small level: two sets of six vectors, and its items.
    constexpr std::int64_t small = 1 << 20;
    const bool fused = tuned && problem.device.is_cuda() && ranks == 1 && level > 0 && rows < small;
    add(fused ? 1 : 0, std::int64_t{2} * 6 * 8 * rows);
    add(fused ? 1 : 0, 5 * rows);
    // Coarse columns, an eighth of all, are kept twice.
    add(tuned ? 1 : 0, (entries - rows) / 8 * static_cast<std::int64_t>(sizeof(double)));
    add(tuned ? 1 : 0, (entries - rows) / 8 * static_cast<std::int64_t>(sizeof(std::int32_t)));
    add(tuned ? 1 : 2, 8 * rows);
    add(tuned ? 5 : 0, 4 * rows);
  }
  // The checks hold five vectors of the host beside the solver's, which on a CPU applies its
  // operators to two more.
  const std::int64_t vector = problem.local.count() * static_cast<int>(sizeof(double));
  const std::int64_t set = tuned ? bytes / 4 : 0;
  return on_gpu ? WorkBytes{.device = bytes, .host = 5 * vector, .working_set = set}
                : WorkBytes{.device = bytes + 7 * vector, .host = 0, .working_set = set};
}

Plan make_plan(const Problem& problem, const Communicator& ranks, CeilingRule ceilings,
               Shortage shortage) {
  check_local(problem);
  check_settings(problem);
  if (uses_cusparse(problem.variant)) {
    ranks.agree([&] { require_cusparse(problem.variant); });
  }
  const Decomposition whole = decompose(problem, ranks.size());
  check_indices(problem, ranks.size());
  Problem decided = problem;
  decided.process_grid = grid3_of(whole.grid());
  const Footprints footprints(problem.device, problem.threads, ranks, ceilings);
  Plan plan{.problem = decided,
            .process_grid = *decided.process_grid,
            .global = grid3_of(whole.cells()),
            .levels = level_sizes(decided, ranks.size()),
            .footprint = footprints.of(work_bytes(decided, ranks.size()))};
  plan.broken_rules = broken_rules(plan.problem, plan.process_grid, ranks, footprints.sharing());
  if (problem.official) {
    BrokenRules broken;
    add_broken_time(problem, broken);
    broken.insert(broken.end(), plan.broken_rules.begin(), plan.broken_rules.end());
    ranks.agree([&] { insist_on_rules(broken); });
  }
  if (ranks.size() > 1) {
    require_transport(problem.transport, ranks, problem.device);
  }
  plan.shortage = footprints.require(
      ranks, plan.footprint, "hpcg --local " + to_string(problem.local),
      [&] { return largest_that_fits(problem, ranks.size(), footprints); }, shortage);
  return plan;
}

}  // namespace bankfull::hpcg
