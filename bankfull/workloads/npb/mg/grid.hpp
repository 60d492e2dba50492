#pragma once

#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/core/field/layout.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <cstdint>
#include <utility>

namespace bankfull::npb::mg {

/// Rows of a plane, of a grid or of a workspace.
template <class T>
struct PlaneRows {
  T* values = nullptr;
  std::int64_t origin = 0;  ///< of row 0 in `values`
  std::int64_t pitch = 0;   ///< from a row to the next
  std::int64_t mask = -1;   ///< of rows' numbers, where they wrap around

  [[nodiscard]] T* row(std::int64_t i2) const { return values + (origin + (i2 & mask) * pitch); }
};

/// A rank's block of a periodic grid, whose sides are powers of two. Axes i, j, k are NPB's i3, i2,
/// i1. Along axes that are cut between ranks the block has ghosts, which halo exchanges fill; along
/// the others it wraps around. It holds doubles, or counting types of the tests.
template <class T>
class GridOf {
 public:
  /// Cells that a pass reads beyond the ends of a block.
  static constexpr std::int64_t ghosts = 2;

  GridOf(const Extents& block, const RankGrid& cuts, const Team& team)
      : layout_(block, ghosts, sizeof(T)),
        plane_mask_(mask_of(block.ni, cuts.i)),
        row_mask_(mask_of(block.nj, cuts.j)),
        columns_cut_(cuts.k > 1),
        buffer_(MemorySpace::host, static_cast<std::size_t>(layout_.size())) {
    clear(team);
  }

  /// Bytes that a grid allocates.
  static std::int64_t bytes(const Extents& block) {
    return Layout(block, ghosts, sizeof(T)).size() * static_cast<std::int64_t>(sizeof(T));
  }

  [[nodiscard]] std::int64_t planes() const { return layout_.interior().ni; }
  [[nodiscard]] std::int64_t rows() const { return layout_.interior().nj; }
  [[nodiscard]] std::int64_t columns() const { return layout_.interior().nk; }
  [[nodiscard]] bool columns_cut() const { return columns_cut_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }

  /// Row (i3, i2); both from -ghosts to as many beyond the last. Along axes that wrap around, from
  /// minus the side on.
  [[nodiscard]] T* row(std::int64_t i3, std::int64_t i2) const {
    return interior() + layout_.offset(i3 & plane_mask_, i2 & row_mask_, 0);
  }

  /// The rows of plane i3.
  [[nodiscard]] PlaneRows<T> plane(std::int64_t i3) const {
    return {interior(), layout_.offset(i3 & plane_mask_, 0, 0), layout_.row_pitch(), row_mask_};
  }

  /// Cell (0, 0, 0).
  [[nodiscard]] T* interior() const { return buffer_.data() + layout_.origin(); }

  /// Ghosts too.
  void clear(const Team& team) {
    CpuExecutor(team.threads()).fill(buffer_.data(), layout_.size(), T{0});
  }

  void swap(GridOf& other) noexcept { std::swap(*this, other); }

 private:
  /// One mask serves both kinds of axis: ghosts lie where their indices say.
  static constexpr std::int64_t mask_of(std::int64_t side, int ranks) {
    return ranks > 1 ? std::int64_t{-1} : side - 1;
  }

  Layout layout_;
  std::int64_t plane_mask_;
  std::int64_t row_mask_;
  bool columns_cut_;
  Buffer<T> buffer_;
};

using Grid = GridOf<double>;

}  // namespace bankfull::npb::mg
