#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/direct/constant_mode.hpp"
#include "bankfull/numerics/poisson/direct/cpu/columns.hpp"
#include "bankfull/numerics/poisson/direct/cpu/plane_memory.hpp"
#include "bankfull/numerics/poisson/direct/cpu/planes.hpp"
#include "bankfull/numerics/poisson/direct/cpu/root_exchange.hpp"
#include "bankfull/numerics/poisson/direct/lanes.hpp"
#include "bankfull/numerics/poisson/direct/own_basis.hpp"
#include "bankfull/numerics/poisson/direct/root_systems.hpp"
#include "bankfull/numerics/poisson/direct/sizes.hpp"
#include "bankfull/numerics/poisson/direct/slabs.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bankfull::poisson {
namespace {

/// On one of several ranks; see slabs.hpp.
///
/// Columns are swept up twice, for the sides of the roots and, with their solutions, on the way
/// down: what the first sweep leaves of all columns would fill as much memory as they do, and a
/// sweep that only reads is the cheaper one.
template <class Real>
class CpuSlabDirect final : public Solver<Real> {
 public:
  CpuSlabDirect(const Domain& domain, int threads, const Communicator& ranks, const OwnBases& bases)
      : slab_(slab_of(domain, ranks.rank(), ranks.size())),
        team_(threads),
        table_(domain, length_of_transforms(domain)),
        transforms_(length_of_transforms(domain)),
        closing_(slab_.begin > 0 ? nth_cell(slab_.begin - 1).above : table_.closing),
        lanes_(LaneShape::of_slab(domain, slab_.size(), sizeof(Real))),
        has_below_(slab_.begin > 0 || domain.i.periodic),
        memory_(slab_layout(domain, slab_.size() + 1, sizeof(Real)), 1,
                work_reals(domain, sizeof(Real), lanes_, false), team_),
        planes_(domain, bases, memory_.layout()),
        columns_(domain, bases),
        reaches_(static_cast<std::size_t>(columns_.tiles(lanes_.lanes))),
        half_k_(half_spectrum(domain.k.cells())),
        blocks_(domain, ranks.size(), RootBlocks::Constant::column),
        share_(blocks_.share_of(ranks.rank())),
        roots_(blocks_, modes_of(domain)),
        exchange_(ranks, blocks_),
        constant_(domain.i),
        constant_column_(domain.i.widths.size()) {
    factorise(ranks);
    const Traffic mine = cpu_slab_traffic(domain, mean_sweeps(), ranks.size(), sizeof(Real));
    traffic_ = {ranks.sum(mine.bytes_read), ranks.sum(mine.bytes_written), ranks.sum(mine.flops)};
  }

  [[nodiscard]] CellSlots<Real> right_side() const override { return memory_.slots(); }
  [[nodiscard]] CellSlots<Real> solution() const override { return memory_.slots(); }

  void solve() override {
    find_sides();
    exchange_.send_sides();
    solve_for_roots();
    exchange_.return_solutions();
    substitute();
  }

  [[nodiscard]] Traffic traffic() const override { return traffic_; }

 private:
  static constexpr int amplitudes = RootBlocks::amplitudes;

  [[nodiscard]] const EliminationCell<Real>& nth_cell(std::int64_t n) const {
    return table_.cells[static_cast<std::size_t>(n)];
  }
  /// Cell i of the slab.
  [[nodiscard]] const EliminationCell<Real>& cell(std::int64_t i) const {
    return nth_cell(slab_.begin + i);
  }
  [[nodiscard]] std::int64_t root() const { return slab_.size() - 1; }

  /// Elements of the tile in plane i.
  [[nodiscard]] Real* row_a(const LaneTile& tile, std::int64_t i) const {
    return memory_.plane(i) + tile.j * memory_.layout().row_pitch + 2 * tile.k;
  }
  [[nodiscard]] Real* row_b(const LaneTile& tile, std::int64_t i) const {
    return memory_.plane(i) + columns_.mirror_row(tile.j) * memory_.layout().row_pitch + 2 * tile.k;
  }

  [[nodiscard]] std::int64_t first_pair(const LaneTile& tile) const {
    return tile.j * half_k_ + tile.k;
  }

  /// Inside a parallel region: body(lanes, tile) for the calling thread's tiles, of which each
  /// thread has some of long modes and some of short ones.
  template <class Body>
  void for_my_columns(const Body& body) const {
    columns_.with_kind([&]<class Kind>(Kind /*kind*/) {
      const std::int64_t tiles = columns_.tiles(lanes_.lanes);
      for (std::int64_t number = share_number(); number < tiles; number += team_.threads()) {
        const LaneTile tile = columns_.tile(number, lanes_.lanes);
        const LaneElimination<Real, Kind, true> lanes(memory_.my_work(), lanes_, tile.count);
        columns_.prepare(lanes, tile);
        lanes.begin(closing_);
        body(lanes, tile);
      }
    });
  }

  [[nodiscard]] const SlabReach& reach(const LaneTile& tile) const {
    return reaches_[static_cast<std::size_t>(tile.number)];
  }

  template <bool Closed, class Lanes>
  void sweep_up(const Lanes& lanes, const LaneTile& tile, Range cells) const {
    for (std::int64_t i = cells.begin; i < cells.end; ++i) {
      const std::int64_t later = std::min(i + Lanes::cells_ahead, cells.end - 1);
      lanes.prefetch(row_a(tile, later), row_b(tile, later));
      lanes.template forward<Closed>(i, cell(i), row_a(tile, i), row_b(tile, i));
    }
  }

  template <class Lanes>
  void sweep_up(const Lanes& lanes, const LaneTile& tile) const {
    const std::int64_t decayed_after = reach(tile).of_root_below;
    sweep_up<true>(lanes, tile, {0, decayed_after});
    sweep_up<false>(lanes, tile, {decayed_after, root()});
  }

  template <class Lanes>
  void sweep_down(const Lanes& lanes, const LaneTile& tile) const {
    const std::int64_t decayed_after = reach(tile).of_root_below;
    for (std::int64_t i = root() - 1; i >= decayed_after; --i) {
      lanes.template back<false>(i, row_a(tile, i), row_b(tile, i));
    }
    for (std::int64_t i = decayed_after - 1; i >= 0; --i) {
      lanes.template back<true>(i, row_a(tile, i), row_b(tile, i));
    }
  }

  /// Only the cells that matter to the roots.
  template <class Lanes>
  void sweep_up_for_sides(const Lanes& lanes, const LaneTile& tile) const {
    if (!reach(tile).leaves_a_gap()) {
      sweep_up(lanes, tile);
      return;
    }
    sweep_up<true>(lanes, tile, {0, reach(tile).of_root_below});
    lanes.restart();
    sweep_up<false>(lanes, tile, {reach(tile).of_root, root()});
  }

  /// Collective. Brings together what the elimination leaves of the roots' couplings.
  void factorise(const Communicator& ranks) {
    const auto modes = static_cast<int>(lanes_.modes);
    const std::int64_t block = RootSystems<Real>::block_of_couplings(blocks_, modes);
    std::vector<Real> sent(static_cast<std::size_t>(block * blocks_.ranks), Real{0});
#pragma omp parallel num_threads(team_.threads())
    for_my_columns([&](const auto& lanes, const LaneTile& tile) {
      sweep_up<true>(lanes, tile, {0, root()});
      for (std::int64_t lane = 0; lane < tile.count; ++lane) {
        const std::int64_t pair = first_pair(tile) + lane;
        const int owner = blocks_.owner_of(pair);
        Real* at = sent.data() + owner * block + (pair - blocks_.share_of(owner).begin);
        for (int mode = 0; mode < modes; ++mode) {
          const SlabCouplings<Real> left = lanes.couplings(mode, lane, cell(root()).width);
          for (const Real value : {left.dominance, left.closing, left.gain}) {
            *at = value;
            at += blocks_.pitch;
          }
        }
      }
      reaches_[static_cast<std::size_t>(tile.number)] =
          lanes.reach(slab_.size(), SlabReach::least<Real>);
    });
    const std::vector<std::size_t> bytes(static_cast<std::size_t>(blocks_.ranks),
                                         static_cast<std::size_t>(block) * sizeof(Real));
    ranks.all_to_all(sent.data(), bytes, roots_.couplings(0), bytes);
    roots_.factorise(share_.size());
  }

  /// Over all pairs of columns.
  [[nodiscard]] SlabSweeps mean_sweeps() const {
    SlabSweeps mean;
    mean.below = has_below_ ? 1.0 : 0.0;
    for (std::int64_t number = 0; number < columns_.tiles(lanes_.lanes); ++number) {
      const LaneTile tile = columns_.tile(number, lanes_.lanes);
      const SlabSweeps sweeps(slab_.size(), reach(tile));
      const double share = static_cast<double>(tile.count) / static_cast<double>(blocks_.pairs);
      mean.cells += share * sweeps.cells;
      mean.sides += share * sweeps.sides;
      mean.closed += share * sweeps.closed;
    }
    return mean;
  }

  /// Takes planes to modes and leaves the sides of the roots in the blocks.
  void find_sides() const {
#pragma omp parallel num_threads(team_.threads())
    {
      const Range mine = memory_.my_planes();
      for (std::int64_t i = mine.begin; i < mine.end; ++i) {
        planes_.forward(memory_.plane(i), 1, memory_.my_work());
        take_constant_mode(i);
      }
#pragma omp barrier
      for_my_columns([this](const auto& lanes, const LaneTile& tile) {
        sweep_up_for_sides(lanes, tile);
        lanes.reduce(cell(root()), row_a(tile, root()), row_b(tile, root()));
        exchange_.for_runs(
            first_pair(tile), tile.count, [&](Real* at, std::int64_t lane, std::int64_t count) {
              for (int n = 0; n < amplitudes; ++n, at += blocks_.pitch) {
                std::copy_n(lanes.side(n) + lane, count, at);
                std::copy_n(lanes.side_below(n) + lane, count, at + amplitudes * blocks_.pitch);
              }
            });
      });
    }
  }

  /// Out of the spectrum, whose elimination would not know of the mean, into the blocks of all.
  void take_constant_mode(std::int64_t i) const {
    for (int rank = 0; rank < blocks_.ranks; ++rank) {
      exchange_.of_slab(rank)[blocks_.column() + i] = *memory_.plane(i);
    }
    *memory_.plane(i) = Real{0};
  }

  void solve_for_roots() {
#pragma omp parallel num_threads(team_.threads())
    roots_.solve(exchange_.of_share(), my_share(share_.size()));
    const auto planes_of_domain = static_cast<std::int64_t>(constant_column_.size());
    for (int rank = 0; rank < blocks_.ranks; ++rank) {
      const Range planes = share(planes_of_domain, rank, blocks_.ranks);
      std::copy_n(exchange_.of_share(rank) + blocks_.column(), planes.size(),
                  constant_column_.begin() + planes.begin);
    }
    constant_.solve(constant_column_, transforms_);
  }

  /// The constant mode in plane i of the slab; i = -1 is the root below.
  [[nodiscard]] Real constant_mode(std::int64_t i) const {
    const auto cells = static_cast<std::int64_t>(constant_column_.size());
    return static_cast<Real>(
        constant_column_[static_cast<std::size_t>((slab_.begin + i + cells) % cells)]);
  }

  /// From the roots down, and from modes to planes; the plane of the roots below, too.
  void substitute() const {
#pragma omp parallel num_threads(team_.threads())
    {
      for_my_columns([this](const auto& lanes, const LaneTile& tile) {
        sweep_up(lanes, tile);
        exchange_.for_runs(first_pair(tile), tile.count,
                           [&](const Real* at, std::int64_t lane, std::int64_t count) {
                             for (int n = 0; n < amplitudes; ++n, at += blocks_.pitch) {
                               std::copy_n(at, count, lanes.solution(n) + lane);
                               std::copy_n(at + amplitudes * blocks_.pitch, count,
                                           lanes.solution_below(n) + lane);
                             }
                           });
        lanes.store(lanes.solution(0), row_a(tile, root()), row_b(tile, root()));
        if (has_below_) {
          lanes.store(lanes.solution_below(0), row_a(tile, -1), row_b(tile, -1));
        }
        sweep_down(lanes, tile);
      });
#pragma omp barrier
      // Planes one by one: the plane below has the same bits here and on its own rank.
      const Range mine = memory_.my_planes();
      for (std::int64_t i = mine.begin > 0 || !has_below_ ? mine.begin : -1; i < mine.end; ++i) {
        *memory_.plane(i) = constant_mode(i);
        planes_.back(memory_.plane(i), 1, memory_.my_work());
      }
    }
  }

  Range slab_;
  Team team_;
  EliminationTable<Real> table_;
  double transforms_;
  Real closing_;  ///< coupling of the slab's first cell to the root below
  LaneShape lanes_;
  bool has_below_;  ///< whether there is a root below
  CpuPlaneMemory<Real> memory_;
  CpuPlanes<Real> planes_;
  CpuColumns<Real> columns_;
  std::vector<SlabReach> reaches_;  ///< of tiles
  std::int64_t half_k_;
  RootBlocks blocks_;
  Range share_;  ///< of the pairs whose roots this rank solves for
  RootSystems<Real> roots_;
  RootExchange<Real> exchange_;
  ConstantMode constant_;
  std::vector<double> constant_column_;
  Traffic traffic_;
};

}  // namespace

template <class Real>
std::unique_ptr<Solver<Real>> make_cpu_direct(const Domain& domain, int threads,
                                              const Communicator& ranks) {
  if (ranks.size() == 1) {
    return make_cpu_direct<Real>(domain, threads);
  }
  require_direct(domain);
  static_cast<void>(direct_slabs(domain, ranks.size()));  // refuses more ranks than planes
  return std::make_unique<CpuSlabDirect<Real>>(domain, threads, ranks, OwnBases(domain));
}

template std::unique_ptr<Solver<float>> make_cpu_direct<float>(const Domain&, int,
                                                               const Communicator&);
template std::unique_ptr<Solver<double>> make_cpu_direct<double>(const Domain&, int,
                                                                 const Communicator&);

}  // namespace bankfull::poisson
