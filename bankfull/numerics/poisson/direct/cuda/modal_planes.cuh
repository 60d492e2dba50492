#pragma once

#include "bankfull/core/comm/device_copy.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/core/memory/memory.hpp"
#include "bankfull/numerics/poisson/direct/cuda/chunks.hpp"
#include "bankfull/numerics/poisson/direct/cuda/eliminate.cuh"
#include "bankfull/numerics/poisson/direct/cuda/products.cuh"
#include "bankfull/numerics/poisson/direct/sizes.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace bankfull::poisson {

/// The planes of a domain on a GPU, taken to modes and back in place, and what eliminations of
/// their columns need. Where j or k is stretched both are taken to modes by products with
/// eigenvectors.
template <class Real>
class CudaModalPlanes {
 public:
  /// `table`: of all of axis i. Of its cells these are eliminated, whose planes are the last ones
  /// of `planes`: before them there may be one of which only the solution is wanted.
  CudaModalPlanes(const Domain& planes, const EliminationTable<Real>& table,
                  const Range& eliminated, const Stream& stream, const GpuSizes& sizes)
      : extents_(planes.extents()),
        before_(extents_.ni - eliminated.size()),
        folded_j_(is_transformed(planes) && !planes.j.periodic ? extents_.nj : 0),
        folded_k_(is_transformed(planes) && !planes.k.periodic ? extents_.nk : 0),
        stream_(&stream),
        layout_(extents_, sizeof(Real), spare_rows(extents_.nj)),
        field_(on_gpu<Real>(layout_.size)),
        checkpoints_(on_gpu<Real>(sizes.checkpoint_reals)),
        decayed_after_(on_gpu<int>(before_ > 0 ? sizes.pairs : 0)) {
    fill_bytes(field_.data(), 0, field_.bytes(), stream);
    if (is_transformed(planes)) {
      plan_transforms(sizes);
      set_data(table, eliminated, sizes, AxisModes(planes.j), AxisModes(planes.k));
    } else {
      products_.emplace(planes, stream, layout_, sizes.planes_at_once);
      set_data(table, eliminated, sizes, products_->modes_j(), products_->modes_k());
    }
  }

  [[nodiscard]] CellSlots<Real> slots() const {
    Box reach = box_of(extents_);
    reach.i0 -= before_;
    reach.i1 -= before_;
    return {first_plane(), layout_.plane_pitch, layout_.row_pitch, folded_j_, folded_k_, reach};
  }

  [[nodiscard]] const EliminationData<Real>& data() const { return data_; }

  // Each begins with the planes that the one before left in the cache.

  void queue_forward() const {
    products_ ? products_->queue_forward(field_.data())
              : transforms_->forward().queue_down(field_.data());
  }

  void queue_back() const {
    products_ ? products_->queue_back(field_.data()) : transforms_->back().queue_up(field_.data());
  }

  /// body(Kind{}) with the kind of modes of the planes.
  template <class Body>
  void with_kind(const Body& body) const {
    if (products_) {
      body(RowModes<true>{});
    } else if (folded_j_ > 0) {
      folded_k_ > 0 ? body(Modes<true, true>{}) : body(Modes<true, false>{});
    } else {
      folded_k_ > 0 ? body(Modes<false, true>{}) : body(Modes<false, false>{});
    }
  }

  /// One thread per pair of columns.
  [[nodiscard]] LaunchShape shape_for_columns() const {
    constexpr int warp = 32;
    // Few columns are spread over all multiprocessors.
    const int threads = data_.pairs < warp * 1024 ? warp : GpuSizes::max_threads;
    return {static_cast<unsigned>((data_.pairs + threads - 1) / threads),
            static_cast<unsigned>(threads)};
  }

 private:
  [[nodiscard]] Real* first_plane() const { return field_.data() + before_ * layout_.plane_pitch; }

  template <class T>
  [[nodiscard]] Buffer<T> on_gpu(std::int64_t count) const {
    select(stream_->device());
    return Buffer<T>(MemorySpace::device, static_cast<std::size_t>(count));
  }

  void plan_transforms(const GpuSizes& sizes) {
    transforms_.emplace(
        *stream_,
        RealPlanes{extents_.nj, extents_.nk, layout_.row_pitch, layout_.plane_pitch, extents_.ni},
        sizes.planes_at_once, sizes.max_transform_bytes);
    work_ = on_gpu<std::byte>(static_cast<std::int64_t>(transforms_->work_bytes()));
    transforms_->work_in(work_.data());
  }

  void set_data(const EliminationTable<Real>& table, const Range& eliminated, const GpuSizes& sizes,
                const AxisModes& j, const AxisModes& k) {
    cells_ = device_copy(cells_of(table, eliminated), *stream_);
    decay_j_ = device_copy(rounded(j.decay), *stream_);
    decay_k_ = device_copy(rounded(k.decay), *stream_);
    twist_j_ = device_copy(rounded(j.twist), *stream_);
    twist_k_ = device_copy(rounded(k.twist), *stream_);
    data_ = {.spectrum = reinterpret_cast<Complex<Real>*>(first_plane()),
             .row_pitch = layout_.row_pitch / 2,
             .plane_pitch = layout_.plane_pitch / 2,
             .cells = cells_.data() + before_,
             .decay_j = decay_j_.data(),
             .decay_k = decay_k_.data(),
             .twist_j = twist_j_.data(),
             .twist_k = twist_k_.data(),
             .checkpoints = checkpoints_.data(),
             .ni = static_cast<int>(eliminated.size()),
             .nj = static_cast<int>(extents_.nj),
             .nk = static_cast<int>(extents_.nk),
             .pairs = static_cast<int>(sizes.pairs),
             .closing = closing_of(table, eliminated),
             .length = table.length,
             .mean_response = table.mean_response,
             .decayed_after = decayed_after_.data()};
  }

  /// Around the table, before its first.
  [[nodiscard]] std::vector<EliminationCell<Real>> cells_of(const EliminationTable<Real>& table,
                                                            const Range& eliminated) const {
    const auto all = static_cast<std::int64_t>(table.cells.size());
    std::vector<EliminationCell<Real>> cells;
    for (std::int64_t n = eliminated.begin - before_; n < eliminated.end; ++n) {
      cells.push_back(table.cells[static_cast<std::size_t>((n + all) % all)]);
    }
    return cells;
  }

  /// The coupling of the first cell to the one below it.
  static Real closing_of(const EliminationTable<Real>& table, const Range& eliminated) {
    return eliminated.begin > 0 ? table.cells[static_cast<std::size_t>(eliminated.begin - 1)].above
                                : table.closing;
  }

  static std::vector<Real> rounded(const std::vector<double>& values) {
    return {values.begin(), values.end()};
  }
  static std::vector<Complex<Real>> rounded(const std::vector<Complex<double>>& values) {
    std::vector<Complex<Real>> result;
    for (const Complex<double>& value : values) {
      result.push_back({static_cast<Real>(value.re), static_cast<Real>(value.im)});
    }
    return result;
  }

  Extents extents_;
  std::int64_t before_;    ///< planes
  std::int64_t folded_j_;  ///< cells, where the axis is transformed and ends at walls
  std::int64_t folded_k_;
  const Stream* stream_;
  SpectrumLayout layout_;
  Buffer<Real> field_;
  Buffer<Real> checkpoints_;
  Buffer<int> decayed_after_;  ///< of a slab
  std::optional<TransformPair<Real>> transforms_;
  Buffer<std::byte> work_;  ///< of the transforms
  std::optional<PlaneProducts<Real>> products_;
  Buffer<EliminationCell<Real>> cells_;
  Buffer<Real> decay_j_;
  Buffer<Real> decay_k_;
  Buffer<Complex<Real>> twist_j_;
  Buffer<Complex<Real>> twist_k_;
  EliminationData<Real> data_{};
};

}  // namespace bankfull::poisson
