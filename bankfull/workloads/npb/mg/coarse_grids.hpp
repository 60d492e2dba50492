#pragma once

#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/exec/run_on_team.hpp"
#include "bankfull/workloads/npb/mg/blocks.hpp"
#include "bankfull/workloads/npb/mg/passes.hpp"

#include <memory>
#include <vector>

namespace bankfull::npb::mg {

/// A team and the workspaces of its threads.
class ThreadWorkspaces {
 public:
  /// For grids with sides up to these.
  ThreadWorkspaces(const Team& team, const Extents& sides)
      : team_(team), work_(static_cast<std::size_t>(team.threads())) {
    // By the thread that uses it, which touches it first.
    run_on_team(team, [&] {
      work_[static_cast<std::size_t>(share_number())] = std::make_unique<Workspace>(sides);
    });
  }

  [[nodiscard]] const Team& team() const { return team_; }

  /// body(workspace) by all threads.
  template <class Body>
  void run(const Body& body) {
#pragma omp parallel num_threads(team_.threads())
    body(*work_[static_cast<std::size_t>(share_number())]);
  }

  /// By this thread alone.
  [[nodiscard]] Workspace& own() { return *work_.front(); }

 private:
  Team team_;
  std::vector<std::unique_ptr<Workspace>> work_;
};

/// Fills the ghosts of grids of one level; there are none on one rank.
class Halo {
 public:
  /// Collective. For grids that are congruent with `grid`.
  Halo(const Communicator& ranks, const Decomposition& blocks, const Grid& grid, int width,
       const Team& team);

  /// Collective.
  void exchange(const Grid& grid) const;

 private:
  std::unique_ptr<HaloExchange<double>> exchange_;
};

class WholeGrids;

/// A V-cycle on the grids below the finest. Each is exchanged twice: the right-hand side on the way
/// down, the solution on the way up.
class CoarseGrids {
 public:
  /// Collective. For all levels of `blocks` but the finest.
  CoarseGrids(const Communicator& ranks, const Blocks& blocks, const Team& team);
  ~CoarseGrids();
  CoarseGrids(const CoarseGrids&) = delete;
  CoarseGrids& operator=(const CoarseGrids&) = delete;

  /// On the finest of these grids: what to solve for, and the solution; the ghosts of the former
  /// need not be filled, those of the latter are.
  [[nodiscard]] const Grid& residual() const { return r_.back(); }
  [[nodiscard]] const Grid& correction() const { return u_.back(); }

  /// Collective. correction = one V-cycle for A correction = residual, from 0 on.
  void solve(const Operators& operators, ThreadWorkspaces& workspaces);

  /// Bytes that a rank allocates.
  static std::int64_t bytes(const Blocks& blocks);

 private:
  std::vector<Grid> r_;  ///< the coarsest first
  std::vector<Grid> u_;
  std::vector<Halo> r_halos_;  ///< of all but the coarsest
  std::vector<Halo> u_halos_;
  std::unique_ptr<WholeGrids> whole_;  ///< where ranks cut these
};

}  // namespace bankfull::npb::mg
