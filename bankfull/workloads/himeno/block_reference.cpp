#include "bankfull/workloads/himeno/block_reference.hpp"

#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/himeno/point.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

namespace bankfull::himeno {
namespace {

constexpr std::int64_t max_points_for_all = std::int64_t{1} << 20;
constexpr std::size_t max_blocks = 1024;

/// Maximum points of blocks of planes and of whole grids; a thread holds one with its layers.
constexpr Extents part_of_plane{64, 64, 128};
constexpr Extents part_of_whole{8, 32, 128};

Box common(const Box& a, const Box& b) {
  return {std::max(a.i0, b.i0), std::min(a.i1, b.i1), std::max(a.j0, b.j0),
          std::min(a.j1, b.j1), std::max(a.k0, b.k0), std::min(a.k1, b.k1)};
}

/// A block and the layers around it that it depends on, with the boundary of the grid.
template <class T>
class BlockSweep {
 public:
  BlockSweep(const GridSize& grid, const InitialState& state, const Box& block, int iterations)
      : block_(block),
        iterations_(iterations),
        points_(box_of(grid.interior())),
        region_(common(grown(block, iterations), grown(points_, 1))),
        size_(region_.extents()),
        coefficients_(cells() * coefficient_count),
        present_(cells()),
        next_(cells()) {
    const InitialValue value(state, grid);
    for_cells(region_, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      present_[at(i, j, k)] = next_[at(i, j, k)] = static_cast<T>(value.pressure(i, j, k));
    });
    for_cells(common(region_, points_), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      for (int field = 0; field < coefficient_count; ++field) {
        coefficients_[at(i, j, k) * coefficient_count + static_cast<std::size_t>(field)] =
            static_cast<T>(value.coefficient(field, i, j, k));
      }
    });
  }

  /// The block's pressures after its iterations.
  std::vector<double> run() {
    for (int n = 1; n <= iterations_; ++n) {
      sweep(grown(block_, iterations_ - n));
    }
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(block_.extents().count()));
    for_cells(block_, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      values.push_back(static_cast<double>(present_[at(i, j, k)]));
    });
    return values;
  }

 private:
  /// Updates the points of `part` that are not on the boundary; its neighbours must be up to date.
  void sweep(const Box& part) {
    for_cells(common(part, points_), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const std::size_t cell = at(i, j, k);
      const CoefficientsAt<T> q{&coefficients_[cell * coefficient_count], 1};
      const PressuresAt<T> p{&present_[cell], size_.nj * size_.nk, size_.nk};
      next_[cell] = relaxed(p(0, 0, 0), residual(q, p), static_cast<T>(omega));
    });
    std::swap(present_, next_);
  }

  [[nodiscard]] std::size_t cells() const { return static_cast<std::size_t>(size_.count()); }

  [[nodiscard]] std::size_t at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>(((i - region_.i0) * size_.nj + j - region_.j0) * size_.nk + k -
                                    region_.k0);
  }

  Box block_;
  int iterations_;
  Box points_;
  Box region_;
  Extents size_;
  std::vector<T> coefficients_;  ///< all of a cell side by side
  std::vector<T> present_;
  std::vector<T> next_;
};

std::int64_t part_count(std::int64_t points, std::int64_t most) {
  return (points + most - 1) / most;
}

/// Adds the parts of `box`, none larger than `most`.
void cut(const Box& box, const Extents& most, std::vector<Box>& parts) {
  const Extents n = box.extents();
  const Box counts =
      box_of({part_count(n.ni, most.ni), part_count(n.nj, most.nj), part_count(n.nk, most.nk)});
  for_cells(counts, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const Box part{box.i0 + i * most.ni, box.i0 + (i + 1) * most.ni,
                   box.j0 + j * most.nj, box.j0 + (j + 1) * most.nj,
                   box.k0 + k * most.nk, box.k0 + (k + 1) * most.nk};
    parts.push_back(common(part, box));
  });
}

std::set<std::int64_t> sampled_planes(std::int64_t points) {
  return {0, points / 3, 2 * points / 3, points - 1};
}

/// Every so many of them.
std::vector<Box> thinned(const std::vector<Box>& blocks) {
  if (blocks.size() <= max_blocks) {
    return blocks;
  }
  std::vector<Box> some;
  for (std::size_t n = 0; n < max_blocks; ++n) {
    some.push_back(blocks[n * (blocks.size() - 1) / (max_blocks - 1)]);
  }
  return some;
}

}  // namespace

std::vector<double> reference_block(Precision precision, const GridSize& grid,
                                    const InitialState& state, const Box& block, int iterations) {
  return precision == Precision::fp32 ? BlockSweep<float>(grid, state, block, iterations).run()
                                      : BlockSweep<double>(grid, state, block, iterations).run();
}

std::vector<Box> sampled_blocks(const Extents& points) {
  std::vector<Box> blocks;
  if (points.count() <= max_points_for_all) {
    cut(box_of(points), part_of_whole, blocks);
    return blocks;
  }
  const auto add = [&](std::int64_t count, std::int64_t Box::*first, std::int64_t Box::*last) {
    for (const std::int64_t plane : sampled_planes(count)) {
      Box box = box_of(points);
      box.*first = plane;
      box.*last = plane + 1;
      cut(box, part_of_plane, blocks);
    }
  };
  add(points.ni, &Box::i0, &Box::i1);
  add(points.nj, &Box::j0, &Box::j1);
  add(points.nk, &Box::k0, &Box::k1);
  return thinned(blocks);
}

std::int64_t points_of(const std::vector<Box>& blocks) {
  std::int64_t points = 0;
  for (const Box& block : blocks) {
    points += block.extents().count();
  }
  return points;
}

}  // namespace bankfull::himeno
