#include "bankfull/core/comm/device_copy.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/direct/cuda/three_pass/columns.cuh"
#include "bankfull/numerics/poisson/direct/cuda/three_pass/passes.cuh"
#include "bankfull/numerics/poisson/direct/cuda/three_pass/solver.hpp"

#include <cstddef>
#include <string>

namespace bankfull::poisson {
namespace three_pass {
namespace {

template <class Real, int OwnParts, int Blocks = cluster_blocks>
Pass<Real> column_pass(const Sizes& sizes) {
  using Shape = ColumnShape<Real, OwnParts, Blocks>;
  const int sets = Tiles<Real>(sizes.columns, sizes.radix_j).count() * Shape::sets_per_tile;
  return {columns_of_cluster<Real, OwnParts, Blocks>,
          {.grid = static_cast<unsigned>(sets * Shape::blocks),
           .block = Shape::threads,
           .shared_bytes = sizeof(typename Shape::Memory),
           .cluster_blocks = Shape::blocks}};
}

template <class Real>
Pass<Real> column_pass_of_one_part(const Sizes& sizes) {
  switch (sizes.blocks) {
    case quarter_of_cluster:
      return column_pass<Real, 1, quarter_of_cluster>(sizes);
    case half_of_cluster:
      return column_pass<Real, 1, half_of_cluster>(sizes);
    case three_quarters_of_cluster:
      return column_pass<Real, 1, three_quarters_of_cluster>(sizes);
    default:
      return column_pass<Real, 1>(sizes);
  }
}

template <class Real>
Pass<Real> column_pass(const Sizes& sizes) {
  return sizes.own_parts == 1   ? column_pass_of_one_part<Real>(sizes)
         : sizes.own_parts == 2 ? (sizes.blocks == cluster_blocks
                                       ? column_pass<Real, 2>(sizes)
                                       : column_pass<Real, 2, three_quarters_of_cluster>(sizes))
         : sizes.own_parts == 3 ? column_pass<Real, 3>(sizes)
                                : column_pass<Real, 4>(sizes);
}

/// On the current GPU.
template <class Real>
bool can_run(const Pass<Real>& columns) {
  if (compiled_capability_of(columns.kernel) < cluster_capability) {
    return false;
  }
  allow_shared_bytes(columns.kernel, columns.shape.shared_bytes);
  return max_active_clusters(columns.kernel, columns.shape) > 0;
}

template <class Real>
class ThreePassDirect final : public Solver<Real> {
 public:
  ThreePassDirect(const Domain& domain, const Stream& stream)
      : extents_(domain.extents()),
        stream_(&stream),
        rows_(row_passes<Real>(Sizes(extents_))),
        columns_(column_pass<Real>(Sizes(extents_))),
        traffic_(three_pass_traffic(domain, sizeof(Real))),
        traffic_after_divergence_(traffic_after_first_pass(domain, sizeof(Real))) {
    allow_shared_bytes(rows_.forward.kernel, rows_.forward.shape.shared_bytes);
    allow_shared_bytes(rows_.forward_of_velocity.kernel,
                       rows_.forward_of_velocity.shape.shared_bytes);
    allow_shared_bytes(columns_.kernel, columns_.shape.shared_bytes);
    allow_shared_bytes(rows_.back.kernel, rows_.back.shape.shared_bytes);
    allocate(Sizes(extents_));
    fill_tables(Tables<Real>(domain));
  }

  [[nodiscard]] CellSlots<Real> right_side() const override { return slots(); }
  [[nodiscard]] CellSlots<Real> solution() const override { return slots(); }

  void solve() override {
    if (!has_taken_divergence_) {
      const StoredSide<Real> side{field_.data(), data_.plane_pitch, data_.row_pitch};
      launch(*stream_, rows_.forward.shape, rows_.forward.kernel, data_, side);
    }
    has_taken_divergence_ = false;
    queue(columns_);
    queue(rows_.back);
  }

  [[nodiscard]] bool takes_divergence() const override { return true; }
  void take_divergence(const FaceVelocity<Real>& velocity) override {
    DivergenceSide<Real> side = divergence_;
    side.velocity = velocity;
    launch(*stream_, rows_.forward_of_velocity.shape, rows_.forward_of_velocity.kernel, data_,
           side);
    has_taken_divergence_ = true;
  }

  [[nodiscard]] std::string way() const override { return "in three passes over memory"; }
  [[nodiscard]] Traffic traffic() const override { return traffic_; }
  [[nodiscard]] Traffic traffic_after_divergence() const override {
    return traffic_after_divergence_;
  }

 private:
  [[nodiscard]] CellSlots<Real> slots() const {
    return {.data = field_.data(),
            .plane_pitch = data_.plane_pitch,
            .row_pitch = data_.row_pitch,
            .reach = box_of(extents_)};
  }

  void queue(const Pass<Real>& pass) const { launch(*stream_, pass.shape, pass.kernel, data_); }

  /// Columns of the spectrum that hold nothing have to be numbers all the same.
  void allocate(const Sizes& sizes) {
    const Tiles<Real> tiles(sizes.columns, sizes.radix_j);
    const std::int64_t tile_pitch = Tiles<Real>::pitch(sizes.planes);
    field_ = Buffer<Real>(MemorySpace::device, static_cast<std::size_t>(extents_.count()));
    spectrum_ = Buffer<Complex<Real>>(MemorySpace::device,
                                      static_cast<std::size_t>(tiles.count() * tile_pitch));
    fill_bytes(field_.data(), 0, field_.bytes(), *stream_);
    fill_bytes(spectrum_.data(), 0, spectrum_.bytes(), *stream_);
    data_.field = field_.data();
    data_.row_pitch = extents_.nk;
    data_.plane_pitch = extents_.nj * extents_.nk;
    data_.spectrum = spectrum_.data();
    data_.tile_pitch = tile_pitch;
    data_.tiles = tiles;
    data_.planes = sizes.planes;
  }

  void fill_tables(const Tables<Real>& tables) {
    cells_ = device_copy(tables.cells, *stream_);
    side_scale_ = device_copy(tables.side_scale, *stream_);
    decay_j_ = device_copy(tables.decay_j, *stream_);
    decay_k_ = device_copy(tables.decay_k, *stream_);
    roots_j_ = device_copy(tables.roots_j, *stream_);
    roots_k_ = device_copy(tables.roots_k, *stream_);
    per_width_i_ = device_copy(tables.per_width_i, *stream_);
    data_.cells = cells_.data();
    data_.side_scale = side_scale_.data();
    data_.decay_j = decay_j_.data();
    data_.decay_k = decay_k_.data();
    data_.roots_j = roots_j_.data();
    data_.roots_k = roots_k_.data();
    data_.inverse_length = tables.inverse_length;
    divergence_.per_width_i = per_width_i_.data();
    divergence_.per_width_j = tables.per_width_j;
    divergence_.per_width_k = tables.per_width_k;
    divergence_.planes = static_cast<int>(extents_.ni);
    divergence_.rows = static_cast<int>(extents_.nj);
  }

  Extents extents_;
  const Stream* stream_;
  RowPasses<Real> rows_;
  Pass<Real> columns_;
  Traffic traffic_;
  Traffic traffic_after_divergence_;
  Buffer<Real> field_;
  Buffer<Complex<Real>> spectrum_;
  Buffer<PartCell<Real>> cells_;
  Buffer<Real> side_scale_;
  Buffer<Real> decay_j_;
  Buffer<Real> decay_k_;
  Buffer<Complex<Real>> roots_j_;
  Buffer<Complex<Real>> roots_k_;
  Buffer<Real> per_width_i_;
  Data<Real> data_{};
  DivergenceSide<Real> divergence_{};  ///< but for the velocity
  bool has_taken_divergence_ = false;
};

}  // namespace
}  // namespace three_pass

template <class Real>
std::unique_ptr<Solver<Real>> make_three_pass_direct(const Domain& domain, const Stream& stream) {
  using three_pass::Sizes;
  select(stream.device());
  if (!three_passes_serve(domain) ||
      !three_pass::can_run(three_pass::column_pass<Real>(Sizes(domain.extents())))) {
    return nullptr;
  }
  return std::make_unique<three_pass::ThreePassDirect<Real>>(domain, stream);
}

template std::unique_ptr<Solver<float>> make_three_pass_direct<float>(const Domain&, const Stream&);
template std::unique_ptr<Solver<double>> make_three_pass_direct<double>(const Domain&,
                                                                        const Stream&);

}  // namespace bankfull::poisson
