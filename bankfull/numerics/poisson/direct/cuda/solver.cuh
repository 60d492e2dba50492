#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/direct/cuda/chunks.hpp"
#include "bankfull/numerics/poisson/direct/cuda/eliminate.cuh"
#include "bankfull/numerics/poisson/direct/cuda/products.cuh"
#include "bankfull/numerics/poisson/direct/sizes.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace bankfull::poisson {

/// The direct solver on a GPU. Where j or k is stretched both are taken to modes by products with
/// eigenvectors.
template <class Real>
class CudaDirect final : public Solver<Real> {
 public:
  CudaDirect(const Domain& domain, const Stream& stream, const GpuSizes& sizes)
      : extents_(domain.extents()),
        folded_j_(is_transformed(domain) && !domain.j.periodic ? extents_.nj : 0),
        folded_k_(is_transformed(domain) && !domain.k.periodic ? extents_.nk : 0),
        cyclic_(domain.i.periodic),
        stream_(&stream),
        layout_(extents_, sizeof(Real), spare_rows(extents_.nj)),
        field_(on_gpu<Real>(layout_.size)),
        checkpoints_(on_gpu<Real>(sizes.checkpoint_reals)),
        traffic_(gpu_direct_traffic(domain, sizeof(Real))) {
    expects(direct_unavailable(stream.device(), domain).empty(), "this build serves the domain");
    fill_bytes(field_.data(), 0, field_.bytes(), stream);
    if (is_transformed(domain)) {
      plan_transforms(sizes);
      set_data(domain, sizes, AxisModes(domain.j), AxisModes(domain.k));
    } else {
      products_.emplace(domain, stream, layout_, sizes.planes_at_once);
      set_data(domain, sizes, products_->modes_j(), products_->modes_k());
    }
  }

  [[nodiscard]] CellSlots<Real> right_side() const override {
    return {field_.data(), layout_.plane_pitch, layout_.row_pitch, folded_j_, folded_k_};
  }
  [[nodiscard]] CellSlots<Real> solution() const override { return right_side(); }

  void solve() override {
    queue_forward();
    queue_elimination();
    queue_back();
  }

  [[nodiscard]] Traffic traffic() const override { return traffic_; }

  // The parts of solve(). Each begins with the planes that the one before left in the cache.

  void queue_forward() const {
    products_ ? products_->queue_forward(field_.data())
              : transforms_->forward().queue_down(field_.data());
  }

  void queue_elimination() const {
    if (products_) {
      eliminate<RowModes<true>>();
    } else if (folded_j_ > 0) {
      folded_k_ > 0 ? eliminate<Modes<true, true>>() : eliminate<Modes<true, false>>();
    } else {
      folded_k_ > 0 ? eliminate<Modes<false, true>>() : eliminate<Modes<false, false>>();
    }
  }

  void queue_back() const {
    products_ ? products_->queue_back(field_.data()) : transforms_->back().queue_up(field_.data());
  }

 private:
  template <class T>
  [[nodiscard]] Buffer<T> on_gpu(std::int64_t count) const {
    select(stream_->device());
    return Buffer<T>(MemorySpace::device, static_cast<std::size_t>(count));
  }

  template <class T>
  [[nodiscard]] Buffer<T> on_gpu(const std::vector<T>& values) const {
    Buffer<T> buffer = on_gpu<T>(static_cast<std::int64_t>(values.size()));
    copy_bytes(buffer.data(), values.data(), buffer.bytes(), *stream_);
    stream_->synchronize();
    return buffer;
  }

  void plan_transforms(const GpuSizes& sizes) {
    transforms_.emplace(
        *stream_,
        RealPlanes{extents_.nj, extents_.nk, layout_.row_pitch, layout_.plane_pitch, extents_.ni},
        sizes.planes_at_once, sizes.max_transform_bytes);
    work_ = on_gpu<std::byte>(static_cast<std::int64_t>(transforms_->work_bytes()));
    transforms_->work_in(work_.data());
  }

  void set_data(const Domain& domain, const GpuSizes& sizes, const AxisModes& j,
                const AxisModes& k) {
    const EliminationTable<Real> table(domain, products_ ? 1.0 : length_of_transforms(domain));
    cells_ = on_gpu(table.cells);
    decay_j_ = on_gpu(rounded(j.decay));
    decay_k_ = on_gpu(rounded(k.decay));
    twist_j_ = on_gpu(rounded(j.twist));
    twist_k_ = on_gpu(rounded(k.twist));
    data_ = {.spectrum = reinterpret_cast<Complex<Real>*>(field_.data()),
             .row_pitch = layout_.row_pitch / 2,
             .plane_pitch = layout_.plane_pitch / 2,
             .cells = cells_.data(),
             .decay_j = decay_j_.data(),
             .decay_k = decay_k_.data(),
             .twist_j = twist_j_.data(),
             .twist_k = twist_k_.data(),
             .checkpoints = checkpoints_.data(),
             .ni = static_cast<int>(extents_.ni),
             .nj = static_cast<int>(extents_.nj),
             .nk = static_cast<int>(extents_.nk),
             .pairs = static_cast<int>(sizes.pairs),
             .closing = table.closing,
             .length = table.length,
             .mean_response = table.mean_response};
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

  template <class Kind>
  void eliminate() const {
    const int warps = 32;
    // Few columns are spread over all multiprocessors.
    const int threads = data_.pairs < warps * 1024 ? warps : GpuSizes::max_threads;
    const LaunchShape shape{static_cast<unsigned>((data_.pairs + threads - 1) / threads),
                            static_cast<unsigned>(threads)};
    launch(*stream_, shape,
           cyclic_ ? eliminate_columns<Real, Kind, true> : eliminate_columns<Real, Kind, false>,
           data_);
  }

  Extents extents_;
  std::int64_t folded_j_;  ///< cells, where the axis is transformed and ends at walls
  std::int64_t folded_k_;
  bool cyclic_;
  const Stream* stream_;
  SpectrumLayout layout_;
  Buffer<Real> field_;
  Buffer<Real> checkpoints_;
  std::optional<TransformPair<Real>> transforms_;
  Buffer<std::byte> work_;  ///< of the transforms
  std::optional<PlaneProducts<Real>> products_;
  Traffic traffic_;
  Buffer<EliminationCell<Real>> cells_;
  Buffer<Real> decay_j_;
  Buffer<Real> decay_k_;
  Buffer<Complex<Real>> twist_j_;
  Buffer<Complex<Real>> twist_k_;
  EliminationData<Real> data_{};
};

}  // namespace bankfull::poisson
