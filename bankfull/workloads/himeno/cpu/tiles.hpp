#pragma once

#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/exec/helped_shares.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/himeno/cpu/plan.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <cstdint>

namespace bankfull::himeno {
namespace detail {

/// The order in which one thread's block is swept once: tile of rows by tile of rows, and each tile
/// plane by plane. Three planes of pressures are needed at a time; of a tile, two of them are still
/// in L2 from the step before.
class TileSteps {
 public:
  TileSteps(const Block& block, std::int64_t tile_rows)
      : block_(block), tiles_((block.rows.size() + tile_rows - 1) / tile_rows) {}

  [[nodiscard]] std::int64_t count() const { return tiles_ * block_.planes.size(); }

  /// Of a step.
  [[nodiscard]] std::int64_t plane(std::int64_t step) const {
    return block_.planes.begin + step % block_.planes.size();
  }
  /// Of a step.
  [[nodiscard]] Range rows(std::int64_t step) const {
    const auto tile = static_cast<int>(step / block_.planes.size());
    const Range rows = share(block_.rows.size(), tile, static_cast<int>(tiles_));
    return {block_.rows.begin + rows.begin, block_.rows.begin + rows.end};
  }

 private:
  Block block_;
  std::int64_t tiles_;
};

}  // namespace detail

/// One sweep with streaming stores. take_sum(i, j, sum) gets the sum of squared residuals of every
/// row, on any thread. Threads begin with their own blocks, whose planes they have touched first.
template <class T, class TakeSum>
void sweep_in_tiles(const SweepView<T>& view, const TeamGrid& grid, const TilePlan& plan,
                    const TakeSum& take_sum) {
  const RowAccess access{.store = StoreKind::streaming, .prefetch = true};
  const auto steps_of = [&](int thread) {
    return detail::TileSteps(grid.block(view.updated, thread), plan.rows);
  };
  HelpedShares shares(grid.threads(), plan.steps_at_once,
                      [&](int thread) { return steps_of(thread).count(); });
#pragma omp parallel num_threads(grid.threads())
  {
    shares.run([&](int owner, const Range& claimed) {
      const detail::TileSteps steps = steps_of(owner);
      for (std::int64_t step = claimed.begin; step < claimed.end; ++step) {
        const std::int64_t i = steps.plane(step);
        const Range rows = steps.rows(step);
        for (std::int64_t j = rows.begin; j < rows.end; ++j) {
          take_sum(i, j, sweep_row_of(view, i, j, access));
        }
      }
    });
    stream_store_fence();
  }
}

}  // namespace bankfull::himeno
