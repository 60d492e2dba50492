#include "bankfull/workloads/npb/mg/coarse_grids.hpp"

#include "bankfull/core/memory/resident.hpp"

#include <algorithm>
#include <array>

namespace bankfull::npb::mg {
namespace {

/// Ghosts of an axis on a side.
std::int64_t ghosts_of(int ranks) { return ranks > 1 ? Grid::ghosts : 0; }

}  // namespace

Halo::Halo(const Communicator& ranks, const Decomposition& blocks, const Grid& grid, int width,
           const Team& team) {
  if (blocks.ranks() == 1) {
    return;
  }
  const HaloSetup setup{
      .ranks = ranks,
      .decomposition = blocks,
      .layout = grid.layout(),
      .shape = halo_shape(width),
      .wanted = [cuts = blocks.grid()](const Offset& offset) { return lies_along(cuts, offset); }};
  exchange_ = make_halo_exchange<double>(setup, team);
}

void Halo::exchange(const Grid& grid) const {
  if (exchange_) {
    exchange_->exchange(std::array{grid.interior()});
  }
}

/// The coarsest grid that is cut, whole, and all coarser ones: every rank solves there by itself,
/// after one gather of a few points.
class WholeGrids {
 public:
  /// Collective.
  WholeGrids(const Communicator& ranks, const Blocks& blocks, const Team& team)
      : ranks_(ranks),
        blocks_(blocks.at(blocks.coarsest())),
        // As coarse grids of one level more, which is not made.
        grids_(ranks, Blocks::whole(blocks.coarsest() + 1), team) {}

  /// Collective. The block `correction`, its ghosts too, for the blocks `residual`.
  void solve(const Grid& residual, const Grid& correction, const Operators& operators,
             ThreadWorkspaces& workspaces) {
    gather(residual);
    grids_.solve(operators, workspaces);
    cut_out(correction);
  }

  static std::int64_t bytes(const Blocks& blocks) {
    return CoarseGrids::bytes(Blocks::whole(blocks.coarsest() + 1));
  }

 private:
  void gather(const Grid& residual) {
    std::vector<double> mine;
    for (std::int64_t i3 = 0; i3 < residual.planes(); ++i3) {
      for (std::int64_t i2 = 0; i2 < residual.rows(); ++i2) {
        const double* const row = residual.row(i3, i2);
        mine.insert(mine.end(), row, row + residual.columns());
      }
    }
    const auto all = ranks_.all_gather(mine);
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      put(all[static_cast<std::size_t>(rank)].data(), blocks_.block(rank));
    }
  }

  void put(const double* values, const Box& block) const {
    for (std::int64_t i3 = block.i0; i3 < block.i1; ++i3) {
      for (std::int64_t i2 = block.j0; i2 < block.j1; ++i2) {
        std::copy(values, values + (block.k1 - block.k0), grids_.residual().row(i3, i2) + block.k0);
        values += block.k1 - block.k0;
      }
    }
  }

  void cut_out(const Grid& correction) const {
    const Box block = blocks_.block(ranks_.rank());
    const RankGrid& cuts = blocks_.grid();
    const std::int64_t column_mask = grids_.correction().columns() - 1;
    for (std::int64_t i3 = -ghosts_of(cuts.i); i3 < correction.planes() + ghosts_of(cuts.i); ++i3) {
      for (std::int64_t i2 = -ghosts_of(cuts.j); i2 < correction.rows() + ghosts_of(cuts.j); ++i2) {
        const double* const from = grids_.correction().row(block.i0 + i3, block.j0 + i2);
        double* const to = correction.row(i3, i2);
        for (std::int64_t i1 = -ghosts_of(cuts.k); i1 < correction.columns() + ghosts_of(cuts.k);
             ++i1) {
          to[i1] = from[(block.k0 + i1) & column_mask];
        }
      }
    }
  }

  const Communicator& ranks_;
  Decomposition blocks_;
  CoarseGrids grids_;
};

CoarseGrids::CoarseGrids(const Communicator& ranks, const Blocks& blocks, const Team& team) {
  for (int level = blocks.coarsest(); level < blocks.finest(); ++level) {
    const Decomposition decomposition = blocks.at(level);
    r_.emplace_back(blocks.block(level), blocks.cuts(), team);
    u_.emplace_back(blocks.block(level), blocks.cuts(), team);
    if (level > blocks.coarsest()) {
      r_halos_.emplace_back(ranks, decomposition, r_.back(), 1, team);
      u_halos_.emplace_back(ranks, decomposition, u_.back(), Grid::ghosts, team);
    }
  }
  if (blocks.is_cut()) {
    whole_ = std::make_unique<WholeGrids>(ranks, blocks, team);
  }
}

CoarseGrids::~CoarseGrids() = default;

std::int64_t CoarseGrids::bytes(const Blocks& blocks) {
  std::int64_t total = 0;
  for (int level = blocks.coarsest(); level < blocks.finest(); ++level) {
    total += 2 * resident_bytes(Grid::bytes(blocks.block(level)));
  }
  return total + (blocks.is_cut() ? WholeGrids::bytes(blocks) : 0);
}

void CoarseGrids::solve(const Operators& operators, ThreadWorkspaces& workspaces) {
  for (std::size_t level = r_.size() - 1; level > 0; --level) {
    r_halos_[level - 1].exchange(r_[level]);
    workspaces.run([&](Workspace& work) {
      DownwardPass(operators, nullptr, r_[level], r_[level - 1], nullptr, work).run();
    });
  }
  if (whole_) {
    whole_->solve(r_.front(), u_.front(), operators, workspaces);
  } else {
    smooth_coarsest(operators.smoother, r_.front(), u_.front(), workspaces.own());
  }
  for (std::size_t level = 1; level < u_.size(); ++level) {
    workspaces.run([&](Workspace& work) {
      UpwardPass(operators, u_[level - 1], nullptr, r_[level], u_[level], work).run();
    });
    u_halos_[level - 1].exchange(u_[level]);
  }
}

}  // namespace bankfull::npb::mg
