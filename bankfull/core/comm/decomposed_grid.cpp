#include "bankfull/core/comm/decomposed_grid.hpp"

#include "bankfull/core/base/error.hpp"

#include <fmt/format.h>

namespace bankfull {
namespace {

Decomposition divided(const Communicator& ranks, const Extents& cells, const GridOptions& options) {
  require(cells.ni > 0 && cells.nj > 0 && cells.nk > 0,
          fmt::format("a grid of {}x{}x{} cells has none", cells.ni, cells.nj, cells.nk),
          "give each axis at least one");
  require(options.halo.width > 0, fmt::format("a halo of width {}", options.halo.width),
          "use a width of at least 1");
  if (!options.rank_grid) {
    return choose_decomposition(cells, ranks.size(),
                                {.periodic = options.periodic,
                                 .halo_width = options.halo.width,
                                 .max_grid = options.max_grid});
  }
  require(options.rank_grid->count() == ranks.size(),
          fmt::format("a grid of {} ranks is for {}, and there are {}",
                      to_string(*options.rank_grid), options.rank_grid->count(), ranks.size()),
          "start as many, or leave rank_grid empty");
  const Decomposition decomposition(cells, *options.rank_grid, options.periodic);
  static_cast<void>(halo_messages(decomposition, ranks.rank(), options.halo));  // throws where thin
  return decomposition;
}

}  // namespace

DecomposedGrid::DecomposedGrid(const Communicator& ranks, const Extents& cells,
                               const GridOptions& options)
    : ranks_(&ranks),
      halo_(options.halo),
      decomposition_(divided(ranks, cells, options)),
      block_(decomposition_.block(ranks.rank())) {}

}  // namespace bankfull
