#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/core/memory/memory.hpp"
#include "bankfull/numerics/poisson/direct/eigen_basis.hpp"
#include "bankfull/numerics/poisson/direct/sizes.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::poisson {

/// The matrices that take a plane's cells to modes along j and k, and back, as CPUs have them: rows
/// of modes along j in order, places of modes along k where place_of_mode says. Of uniform axes
/// too: one matrix more is simpler than transforms along one axis alone.
struct PlaneBases {
  EigenBasis j;
  EigenBasis k;
  std::int64_t places = 0;        ///< in a row of modes along k
  std::vector<double> forward_k;  ///< [cell * places + place]
  std::vector<double> back_k;     ///< [place * cells + cell]

  explicit PlaneBases(const Domain& domain)
      : j(eigen_basis(domain.j)),
        k(eigen_basis(domain.k)),
        places(2 * half_spectrum(domain.k.cells())) {
    const std::int64_t cells = domain.k.cells();
    // One or two places have no mode: nothing goes there, and nothing comes from there.
    forward_k.assign(static_cast<std::size_t>(cells * places), 0.0);
    back_k.assign(static_cast<std::size_t>(places * cells), 0.0);
    for (std::int64_t mode = 0; mode < cells; ++mode) {
      const std::int64_t place = place_of_mode(mode, cells);
      for (std::int64_t cell = 0; cell < cells; ++cell) {
        forward_k[static_cast<std::size_t>(cell * places + place)] =
            k.forward[static_cast<std::size_t>(mode * cells + cell)];
        back_k[static_cast<std::size_t>(place * cells + cell)] =
            k.back[static_cast<std::size_t>(cell * cells + mode)];
      }
    }
  }
};

/// One factor of a product for each of many planes.
template <class Real>
struct PlaneFactor {
  Real* data = nullptr;
  std::int64_t row_pitch = 0;
  std::int64_t plane_pitch = 0;  ///< 0: all planes have the same
};

/// to = a b in each plane. `to` is neither a nor b.
template <class Real>
struct PlaneProduct {
  PlaneFactor<const Real> a;  ///< rows x depth
  PlaneFactor<const Real> b;  ///< depth x columns
  PlaneFactor<Real> to;       ///< rows x columns
  int rows = 0;
  int depth = 0;
  int columns = 0;
};

namespace detail {

/// A block of 16 x 16 threads forms 64 x 64 elements of a product, each thread 4 x 4 of them that
/// are 16 apart, from slices of 16 columns of a and rows of b in shared memory.
struct ProductTile {
  static constexpr int threads = 16;  ///< along each side
  static constexpr int each = 4;      ///< elements of a thread along each side
  static constexpr int side = threads * each;
  static constexpr int depth = 16;
};

/// A slice of a, transposed, and of b; zeros beyond the matrices.
template <class Real>
struct ProductSlice {
  using Tile = ProductTile;

  Real a[Tile::depth][Tile::side + 1];  // columns of a are written: not all to one bank
  Real b[Tile::depth][Tile::side];

  __device__ void load(const PlaneProduct<Real>& product, const Real* from_a, const Real* from_b,
                       int row, int column, int depth) {
    constexpr int count = Tile::side * Tile::depth;
    const int thread =
        static_cast<int>(threadIdx.y) * Tile::threads + static_cast<int>(threadIdx.x);
#pragma unroll
    for (int n = thread; n < count; n += Tile::threads * Tile::threads) {
      const int r = n / Tile::depth;
      const int d = n % Tile::depth;
      const bool inside = row + r < product.rows && depth + d < product.depth;
      a[d][r] = inside ? from_a[(row + r) * product.a.row_pitch + depth + d] : Real(0);
    }
#pragma unroll
    for (int n = thread; n < count; n += Tile::threads * Tile::threads) {
      const int d = n / Tile::side;
      const int c = n % Tile::side;
      const bool inside = depth + d < product.depth && column + c < product.columns;
      b[d][c] = inside ? from_b[(depth + d) * product.b.row_pitch + column + c] : Real(0);
    }
  }

  __device__ void add_to(Real (&sums)[Tile::each][Tile::each]) const {
    using std::fma;
    const int y = static_cast<int>(threadIdx.y);
    const int x = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int d = 0; d < Tile::depth; ++d) {
      Real along_row[Tile::each];
#pragma unroll
      for (int n = 0; n < Tile::each; ++n) {
        along_row[n] = b[d][x + n * Tile::threads];
      }
#pragma unroll
      for (int m = 0; m < Tile::each; ++m) {
        const Real factor = a[d][y + m * Tile::threads];
#pragma unroll
        for (int n = 0; n < Tile::each; ++n) {
          sums[m][n] = fma(factor, along_row[n], sums[m][n]);
        }
      }
    }
  }
};

/// blockIdx: the plane, the tile's place among the rows, among the columns. Sums are in the order
/// of the depth, as on a CPU.
template <class Real>
__global__ void __launch_bounds__(ProductTile::threads* ProductTile::threads)
    product_kernel(const __grid_constant__ PlaneProduct<Real> product) {
  using Tile = ProductTile;
  __shared__ ProductSlice<Real> slice;
  const auto plane = static_cast<std::int64_t>(blockIdx.x);
  const Real* const a = product.a.data + plane * product.a.plane_pitch;
  const Real* const b = product.b.data + plane * product.b.plane_pitch;
  const int row = static_cast<int>(blockIdx.y) * Tile::side;
  const int column = static_cast<int>(blockIdx.z) * Tile::side;
  Real sums[Tile::each][Tile::each] = {};
  for (int depth = 0; depth < product.depth; depth += Tile::depth) {
    slice.load(product, a, b, row, column, depth);
    __syncthreads();
    slice.add_to(sums);
    __syncthreads();
  }
  Real* const to = product.to.data + plane * product.to.plane_pitch;
#pragma unroll
  for (int m = 0; m < Tile::each; ++m) {
    const int r = row + static_cast<int>(threadIdx.y) + m * Tile::threads;
#pragma unroll
    for (int n = 0; n < Tile::each; ++n) {
      const int c = column + static_cast<int>(threadIdx.x) + n * Tile::threads;
      if (r < product.rows && c < product.columns) {
        to[r * product.to.row_pitch + c] = sums[m][n];
      }
    }
  }
}

}  // namespace detail

template <class Real>
void queue_product(const Stream& stream, std::int64_t planes, const PlaneProduct<Real>& product) {
  using detail::ProductTile;
  const auto tiles = [](int count) {
    return static_cast<unsigned>((count + ProductTile::side - 1) / ProductTile::side);
  };
  launch(stream,
         {dim3(static_cast<unsigned>(planes), tiles(product.rows), tiles(product.columns)),
          dim3(ProductTile::threads, ProductTile::threads)},
         detail::product_kernel<Real>, product);
}

/// Takes planes of cells to amplitudes of modes, and back, in place of transforms; some planes at a
/// time, by way of memory of its own.
template <class Real>
class PlaneProducts {
 public:
  PlaneProducts(const Domain& domain, const Stream& stream, const SpectrumLayout& layout,
                std::int64_t planes_at_once)
      : PlaneProducts(PlaneBases(domain), domain.extents(), stream, layout, planes_at_once) {}

  [[nodiscard]] const AxisModes& modes_j() const { return modes_j_; }
  [[nodiscard]] const AxisModes& modes_k() const { return modes_k_; }

  /// From the last planes to the first.
  void queue_forward(Real* field) const {
    for (std::int64_t end = extents_.ni; end > 0; end -= std::min(end, planes_at_once_)) {
      const std::int64_t count = std::min(end, planes_at_once_);
      forward(field + (end - count) * plane_pitch_, count);
    }
  }

  /// From the first planes to the last.
  void queue_back(Real* field) const {
    for (std::int64_t first = 0; first < extents_.ni; first += planes_at_once_) {
      back(field + first * plane_pitch_, std::min(planes_at_once_, extents_.ni - first));
    }
  }

 private:
  PlaneProducts(const PlaneBases& bases, const Extents& extents, const Stream& stream,
                const SpectrumLayout& layout, std::int64_t planes_at_once)
      : extents_(extents),
        row_pitch_(layout.row_pitch),
        plane_pitch_(layout.plane_pitch),
        planes_at_once_(planes_at_once),
        places_(bases.places),
        stream_(&stream),
        modes_j_(bases.j),
        modes_k_(bases.k),
        forward_j_(on_gpu(bases.j.forward)),
        back_j_(on_gpu(bases.j.back)),
        forward_k_(on_gpu(bases.forward_k)),
        back_k_(on_gpu(bases.back_k)),
        room_(MemorySpace::device, static_cast<std::size_t>(planes_at_once * layout.plane_pitch)) {}

  [[nodiscard]] Buffer<Real> on_gpu(const std::vector<double>& values) const {
    select(stream_->device());
    const std::vector<Real> rounded(values.begin(), values.end());
    Buffer<Real> buffer(MemorySpace::device, rounded.size());
    copy_bytes(buffer.data(), rounded.data(), buffer.bytes(), *stream_);
    stream_->synchronize();
    return buffer;
  }

  /// A matrix that rows are multiplied by.
  struct AlongK {
    const Real* matrix;
    std::int64_t depth;
    std::int64_t columns;
  };

  void forward(Real* planes, std::int64_t count) const {
    multiply(planes, AlongK{forward_k_.data(), extents_.nk, places_}, room_.data(), count);
    multiply(forward_j_.data(), room_.data(), planes, count);
  }

  void back(Real* planes, std::int64_t count) const {
    multiply(back_j_.data(), planes, room_.data(), count);
    multiply(room_.data(), AlongK{back_k_.data(), places_, extents_.nk}, planes, count);
  }

  void multiply(const Real* from, const AlongK& along, Real* to, std::int64_t count) const {
    queue_product(*stream_, count,
                  PlaneProduct<Real>{.a = {from, row_pitch_, plane_pitch_},
                                     .b = {along.matrix, along.columns, 0},
                                     .to = {to, row_pitch_, plane_pitch_},
                                     .rows = static_cast<int>(extents_.nj),
                                     .depth = static_cast<int>(along.depth),
                                     .columns = static_cast<int>(along.columns)});
  }

  void multiply(const Real* along_j, const Real* from, Real* to, std::int64_t count) const {
    queue_product(*stream_, count,
                  PlaneProduct<Real>{.a = {along_j, extents_.nj, 0},
                                     .b = {from, row_pitch_, plane_pitch_},
                                     .to = {to, row_pitch_, plane_pitch_},
                                     .rows = static_cast<int>(extents_.nj),
                                     .depth = static_cast<int>(extents_.nj),
                                     .columns = static_cast<int>(places_)});
  }

  Extents extents_;
  std::int64_t row_pitch_;
  std::int64_t plane_pitch_;
  std::int64_t planes_at_once_;
  std::int64_t places_;
  const Stream* stream_;
  AxisModes modes_j_;
  AxisModes modes_k_;
  Buffer<Real> forward_j_;
  Buffer<Real> back_j_;
  Buffer<Real> forward_k_;
  Buffer<Real> back_k_;
  Buffer<Real> room_;
};

}  // namespace bankfull::poisson
