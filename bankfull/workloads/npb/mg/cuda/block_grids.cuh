#pragma once

#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/comm/list_exchange.hpp"
#include "bankfull/workloads/npb/mg/blocks.hpp"
#include "bankfull/workloads/npb/mg/cuda/whole_grids.cuh"

#include <array>
#include <memory>
#include <numeric>
#include <vector>

namespace bankfull::npb::mg::cuda {

/// Grids up to 64 points per side are gathered and solved whole by every GPU: they do not keep one
/// busy, whole or in blocks, and two exchanges per grid are four more kernels. The next finer grid
/// has eight times the points to gather, 16 MiB.
inline constexpr int gathered_level = 6;

/// Fills the ghosts of fields of one level.
class GpuHalo {
 public:
  /// Collective. For fields of this layout.
  GpuHalo(const Communicator& ranks, const Blocks& blocks, int level, const Layout& layout,
          int width, Transport transport, const Stream& stream) {
    const Decomposition decomposition = blocks.at(level);
    exchange_ = make_halo_exchange<double>(
        HaloSetup{.ranks = ranks,
                  .decomposition = decomposition,
                  .layout = layout,
                  .shape = halo_shape(width),
                  .transport = transport,
                  .alone = true,
                  .wanted = [cuts = blocks.cuts()](
                                const Offset& offset) { return lies_along(cuts, offset); }},
        stream);
  }

  void queue(double* interior) const {
    const std::array fields{interior};
    exchange_->start(fields);
    exchange_->finish();
  }

  [[nodiscard]] Transport transport() const { return exchange_->transport(); }
  [[nodiscard]] bool recordable() const { return exchange_->recordable(); }

 private:
  std::unique_ptr<HaloExchange<double>> exchange_;
};

/// whole = the pieces of all ranks in their places. One thread per point.
static __global__ void put_pieces_kernel(const double* pieces,
                                         const __grid_constant__ Pieces places, int side,
                                         double* whole) {
  const std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int i1 = static_cast<int>(n & (side - 1));
  const int i2 = static_cast<int>(n / side & (side - 1));
  const int i3 = static_cast<int>(n / (std::int64_t{side} * side));
  whole[n] = pieces[places.at(i3, i2, i1)];
}

/// Gathers a grid, of which every rank has computed its block, on all ranks.
class GpuGather {
 public:
  /// Collective. `whole`: destination of the gathered grid.
  GpuGather(const Communicator& ranks, const Decomposition& blocks, double* whole,
            Transport transport, const Stream& stream)
      : own_rank_(ranks.rank()),
        side_(static_cast<int>(blocks.cells().ni)),
        places_{blocks.largest_block(), blocks.grid()},
        whole_(whole),
        apart_(places_.are_whole() ? Buffer<double>() : cube_of(side_)),
        exchange_(make_list_exchange<double>(
            {.ranks = ranks, .neighbours = others(ranks), .transport = transport}, stream)),
        stream_(stream) {}

  /// Destination of this rank's own block, packed.
  [[nodiscard]] double* piece() const { return pieces() + own_rank_ * places_.block.count(); }
  [[nodiscard]] Block piece_grid() const { return packed_block(places_.block); }

  void queue() const {
    exchange_->exchange(pieces());
    if (!places_.are_whole()) {
      constexpr int threads = 256;
      const int count = side_ * side_ * side_;
      launch(stream_, {dim3(static_cast<unsigned>(count / threads)), dim3(threads)},
             put_pieces_kernel, static_cast<const double*>(pieces()), places_, side_, whole_);
    }
  }

 private:
  [[nodiscard]] double* pieces() const { return places_.are_whole() ? whole_ : apart_.data(); }

  /// Every rank sends its piece to all others.
  [[nodiscard]] std::vector<ListNeighbour> others(const Communicator& ranks) const {
    const std::int64_t points = places_.block.count();
    std::vector<std::int32_t> own(static_cast<std::size_t>(points));
    std::iota(own.begin(), own.end(), static_cast<std::int32_t>(own_rank_ * points));
    std::vector<ListNeighbour> neighbours;
    for (int rank = 0; rank < ranks.size(); ++rank) {
      if (rank != own_rank_) {
        neighbours.push_back(
            {.rank = rank, .sent = own, .received_begin = rank * points, .received = points});
      }
    }
    return neighbours;
  }

  int own_rank_;
  int side_;
  Pieces places_;
  double* whole_;
  Buffer<double> apart_;  ///< the pieces, where they do not lie in their places at once
  std::unique_ptr<ListExchange<double>> exchange_;
  const Stream& stream_;
};

/// The grids of a rank: blocks with ghosts, and whole ones from the gathered level down. Each block
/// is exchanged twice per cycle: the right-hand side on the way down, the solution on the way up.
class GridsOfRanks {
 public:
  using Grid = Block;

  /// Collective.
  GridsOfRanks(const Problem& problem, const Communicator& ranks, const Blocks& blocks,
               const MarchLimits& limits, const Stream& stream)
      : smoother_(perturbed_smoother(problem)),
        stream_(stream),
        blocks_(blocks),
        box_(blocks_.at(blocks_.finest()).block(ranks.rank())),
        layout_(layout_of(blocks_.finest())),
        halo_(ranks, blocks_, blocks_.finest(), layout_, Block::ghosts, problem.transport, stream),
        whole_(1 << blocks_.coarsest(), smoother_, limits, stream),
        gather_(ranks, blocks_.at(blocks_.coarsest()), whole_.residual(), halo_.transport(),
                stream) {
    const Box gathered = blocks_.at(blocks_.coarsest()).block(ranks.rank());
    residual_ = {gather_.piece_grid(), gather_.piece()};
    correction_ = {block_of_cube(1 << blocks_.coarsest(), gathered), whole_.correction()};
    for (int level = blocks_.coarsest() + 1; level < blocks_.finest(); ++level) {
      add(level, ranks, limits);
    }
  }

  [[nodiscard]] Block finest() const { return block_with_ghosts(layout_, blocks_.cuts()); }

  /// The finest grid with what is below it on the way down and on the way up.
  [[nodiscard]] GridPair<Block> downward() const { return {finest(), residual_.grid}; }
  [[nodiscard]] GridPair<Block> upward() const { return {finest(), correction_.grid}; }

  /// On the finest grid, all 0.
  [[nodiscard]] Buffer<double> field() const { return field_of(layout_); }
  [[nodiscard]] double* values(const Buffer<double>& field) const {
    return field.data() + layout_.origin();
  }
  /// From `values` on; -1 for points of other ranks.
  [[nodiscard]] std::int64_t offset_of(const Point& point) const {
    const bool own = point.i3 >= box_.i0 && point.i3 < box_.i1 && point.i2 >= box_.j0 &&
                     point.i2 < box_.j1 && point.i1 >= box_.k0 && point.i1 < box_.k1;
    return own ? layout_.offset(point.i3 - box_.i0, point.i2 - box_.j0, point.i1 - box_.k0) : -1;
  }

  /// Below the finest grid: what to solve for, and the solution.
  [[nodiscard]] double* residual() const { return residual_.values; }
  [[nodiscard]] const double* correction() const { return correction_.values; }

  /// From one to the other.
  void queue_coarse_grids() const {
    for (std::size_t n = levels_.size(); n-- > 0;) {
      const Level& level = levels_[n];
      level.r_halo.queue(level.r_values());
      queue_restriction<Block>(stream_, {level.grid, level.residual_below.grid}, level.r_values(),
                               level.residual_below.values);
    }
    gather_.queue();
    whole_.queue();
    for (const Level& level : levels_) {
      queue_ascent<Block>(stream_, level.plan,
                          {.grids = {level.grid, level.correction_below.grid},
                           .smoother = smoother_,
                           .coarse = level.correction_below.values,
                           .u = nullptr,
                           .v = level.r_values(),
                           .next = level.u_values(),
                           .plane_pairs = 0});
      level.u_halo.queue(level.u_values());
    }
  }

  /// Fills the ghosts of a field on the finest grid.
  void exchange(double* values) const { halo_.queue(values); }

  /// Whether all of this may be recorded in a Graph.
  [[nodiscard]] bool recordable() const { return halo_.recordable(); }
  [[nodiscard]] Transport transport() const { return halo_.transport(); }

  static std::int64_t bytes(const Blocks& blocks) {
    const Extents finest = blocks.block(blocks.finest());
    std::int64_t total = 3 * field_bytes(finest) + halo_bytes(blocks, blocks.finest());
    for (int level = blocks.coarsest() + 1; level < blocks.finest(); ++level) {
      // Messages of r are no larger than those of u.
      total += 2 * (field_bytes(blocks.block(level)) + halo_bytes(blocks, level));
    }
    // Incoming and outgoing messages of the gathered grid, or two incoming buffers; their
    // destination; index lists of what is sent.
    constexpr std::int64_t gathered = 4;
    const std::int64_t side = std::int64_t{1} << blocks.coarsest();
    return total + gathered * side * side * side * std::int64_t{sizeof(double)} +
           WholeGrids::bytes(static_cast<int>(side));
  }

 private:
  /// A block's right-hand side or solution.
  template <class T>
  struct Patch {
    Block grid;
    T* values;
  };

  /// A grid between the finest and the gathered one.
  struct Level {
    [[nodiscard]] double* u_values() const { return u.data() + layout.origin(); }
    [[nodiscard]] double* r_values() const { return r.data() + layout.origin(); }

    Layout layout;
    Block grid;
    MarchPlan plan;
    Buffer<double> u;
    Buffer<double> r;
    GpuHalo u_halo;
    GpuHalo r_halo;
    Patch<double> residual_below;
    Patch<const double> correction_below;
  };

  [[nodiscard]] Layout layout_of(int level) const {
    return {blocks_.block(level), Block::ghosts, sizeof(double)};
  }

  [[nodiscard]] Buffer<double> field_of(const Layout& layout) const {
    Buffer<double> field(MemorySpace::device, static_cast<std::size_t>(layout.size()));
    fill_bytes(field.data(), 0, field.bytes(), stream_);
    return field;
  }

  /// Appends a level, which is then what is below the finest grid.
  void add(int level, const Communicator& ranks, const MarchLimits& limits) {
    const Layout layout = layout_of(level);
    const Block grid = block_with_ghosts(layout, blocks_.cuts());
    const Transport transport = halo_.transport();
    levels_.push_back({.layout = layout,
                       .grid = grid,
                       .plan = plan_march(grid, limits),
                       .u = field_of(layout),
                       .r = field_of(layout),
                       .u_halo = {ranks, blocks_, level, layout, Block::ghosts, transport, stream_},
                       .r_halo = {ranks, blocks_, level, layout, 1, transport, stream_},
                       .residual_below = residual_,
                       .correction_below = correction_});
    prepare_ascent<Block>(levels_.back().plan.warps);
    residual_ = {grid, levels_.back().r_values()};
    correction_ = {grid, levels_.back().u_values()};
  }

  static std::int64_t field_bytes(const Extents& block) {
    return Layout(block, Block::ghosts, sizeof(double)).size() * std::int64_t{sizeof(double)};
  }

  /// Outgoing and incoming messages of two ghost layers, or two incoming buffers.
  static std::int64_t halo_bytes(const Blocks& blocks, int level) {
    return 2 * busiest_halo_cells(blocks.at(level), halo_shape(Block::ghosts)) *
           std::int64_t{sizeof(double)};
  }

  Weights smoother_;
  const Stream& stream_;
  Blocks blocks_;
  Box box_;
  Layout layout_;  ///< of the finest grid
  GpuHalo halo_;   ///< likewise
  WholeGrids whole_;
  GpuGather gather_;
  std::vector<Level> levels_;  ///< the coarsest first
  Patch<double> residual_;     ///< of the grid below the finest
  Patch<const double> correction_;
};

}  // namespace bankfull::npb::mg::cuda
