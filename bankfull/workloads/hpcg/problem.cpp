#include "bankfull/workloads/hpcg/problem.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/exec/cusparse.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
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

constexpr auto products_names =
    enum_names<Products>({{Products::direct, "direct"}, {Products::recurrence, "recurrence"}});

constexpr auto columns_names =
    enum_names<ColumnIndices>({{ColumnIndices::full, "full"}, {ColumnIndices::slim, "slim"}});

/// A side of "256x256x256": all digits, nothing else.
std::int64_t parse_side(const std::string& given, const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc{} && end == text.data() + text.size();
  const bool too_large =
      error == std::errc::result_out_of_range || (number && value > max_dimension);
  require(!too_large, fmt::format("{}: {} is too large", given, text),
          fmt::format("use numbers up to {}", max_dimension));
  require(number && value >= 1, fmt::format("{}: '{}' is not a number of at least 1", given, text),
          "use three such as 1x2x4, along x, y and z");
  return value;
}

Extents cells_of(const Grid3& local, const RankGrid& grid) {
  return {local.nz * grid.i, local.ny * grid.j, local.nx * grid.k};
}

RankGrid given_grid(const Grid3& given, const std::string& origin, int ranks) {
  const auto possible = [](std::int64_t n) { return n >= 1 && n <= max_dimension; };
  require(possible(given.nx) && possible(given.ny) && possible(given.nz),
          origin + " " + to_string(given) + " is not a grid of ranks",
          fmt::format("use numbers from 1 to {}", max_dimension));
  require(given.count() == ranks,
          fmt::format("{} {} is for {} ranks, this run has {}", origin, to_string(given),
                      given.count(), ranks),
          "leave it out, or start as many ranks");
  return {static_cast<int>(given.nz), static_cast<int>(given.ny), static_cast<int>(given.nx)};
}

/// As close to a cube as the number of ranks allows, for the whole grid's shape bears on how fast
/// the solver converges; among equals the one with the least communication. Blocks do not shrink as
/// ranks are added, so `choose_decomposition`, which cuts a given grid, does not serve here.
RankGrid chosen_grid(const Grid3& local, int ranks) {
  const RankGrid max{ranks, ranks, ranks};
  const std::vector<RankGrid> grids =
      allowed_grids({ranks, ranks, ranks}, ranks, {.max_grid = max});
  const int strided_cost = cells_per_sector(sizeof(double));
  const auto cost = [&](const RankGrid& grid) {
    const Decomposition decomposition(cells_of(local, grid), grid);
    return std::tuple(-aspect_ratio(grid3_of(grid)), face_cells(decomposition, strided_cost),
                      -grid.i, -grid.j);
  };
  return *std::ranges::min_element(grids, {}, cost);
}

}  // namespace

Grid3 grid3_of(const RankGrid& grid) { return {grid.k, grid.j, grid.i}; }

Grid3 grid3_of(const Extents& extents) { return {extents.nk, extents.nj, extents.ni}; }

std::string to_string(const Grid3& grid) {
  return fmt::format("{}x{}x{}", grid.nx, grid.ny, grid.nz);
}

Grid3 parse_grid(const std::string& option, const std::string& text) {
  const std::vector<std::string> parts = parts_of(text, 'x');
  const std::string given = option + " " + text;
  require(parts.size() == 3, given + " is not three numbers",
          "use numbers along x, y and z such as 1x2x4");
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

std::vector<Variant> all_variants() { return variant_names.list(); }

std::string to_string(Variant variant) { return variant_names.to_string(variant); }

bool uses_cusparse(Variant variant) {
  return variant == Variant::cusparse_csr || variant == Variant::cusparse_coloured;
}

Variant parse_variant(const std::string& text) {
  return variant_names.parse(text, "--variant " + text + " is not a variant");
}

std::vector<Products> all_products() { return products_names.list(); }

std::string to_string(Products products) { return products_names.to_string(products); }

Products parse_products(const std::string& text) {
  return products_names.parse(text, "--products " + text + " is unknown");
}

std::vector<Sweeps> all_sweeps() { return sweeps_names.list(); }

std::string to_string(Sweeps sweeps) { return sweeps_names.to_string(sweeps); }

Sweeps parse_sweeps(const std::string& text) {
  // As results of earlier builds say.
  for (const auto& [earlier, sweeps] :
       {std::pair{"waves", Sweeps::syncfree}, std::pair{"conveyors", Sweeps::pipelined}}) {
    require(text != earlier, "--sweeps " + text + " is called " + to_string(sweeps) + " now",
            "use --sweeps " + to_string(sweeps));
  }
  return sweeps_names.parse(text, "--sweeps " + text + " is unknown");
}

std::vector<ColumnIndices> all_columns() { return columns_names.list(); }

std::string to_string(ColumnIndices columns) { return columns_names.to_string(columns); }

ColumnIndices parse_columns(const std::string& text) {
  return columns_names.parse(text, "--columns " + text + " is unknown");
}

Decomposition decompose(const Problem& problem, int ranks, int level) {
  expects(ranks >= 1, "somebody works");
  const RankGrid grid = problem.process_grid
                            ? given_grid(*problem.process_grid, problem.origins.process_grid, ranks)
                            : chosen_grid(problem.local, ranks);
  return {cells_of(level_grid(problem.local, level), grid), grid};
}

void require_cusparse(Variant variant) {
  const std::string wanted = "--variant " + to_string(variant);
  if constexpr (build::cusparse) {
    require(cusparse_unavailable_reason().empty(),
            wanted + " needs cuSPARSE: " + cusparse_unavailable_reason(),
            "put the CUDA toolkit's libraries on the loader's path (LD_LIBRARY_PATH), "
            "or use another variant");
  } else {
    throw UsageError(wanted + " needs cuSPARSE, whose header was missing when this was built",
                     "build it with the CUDA toolkit's development files, or use another variant");
  }
}

}  // namespace bankfull::hpcg
