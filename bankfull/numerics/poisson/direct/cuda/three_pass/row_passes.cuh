#pragma once

#include "bankfull/numerics/poisson/direct/cuda/three_pass/passes.cuh"
#include "bankfull/numerics/poisson/direct/cuda/three_pass/rows.cuh"

namespace bankfull::poisson::three_pass {

namespace detail {

template <class Real, int N, int Radix>
RowPasses<Real> row_passes_of(const Sizes& sizes) {
  using Shape = RowShape<Real, N, Radix>;
  const auto blocks = static_cast<unsigned>(sizes.planes * Shape::Rows::blocks_per_plane);
  const auto shape = [blocks](unsigned threads) {
    return LaunchShape{blocks, threads, sizeof(typename Shape::Memory)};
  };
  return {{rows_forward<Real, N, Radix, StoredSide<Real>>, shape(Shape::forward_threads)},
          {rows_forward<Real, N, Radix, DivergenceSide<Real>>, shape(Shape::forward_threads)},
          {rows_back<Real, N, Radix>, shape(Shape::threads)}};
}

template <class Real, int N>
RowPasses<Real> row_passes_of_rows(const Sizes& sizes) {
  return sizes.radix_j == 2    ? row_passes_of<Real, N, 2>(sizes)
         : sizes.radix_j == 3  ? row_passes_of<Real, N, 3>(sizes)
         : sizes.radix_j == 4  ? row_passes_of<Real, N, 4>(sizes)
         : sizes.radix_j == 6  ? row_passes_of<Real, N, 6>(sizes)
         : sizes.radix_j == 8  ? row_passes_of<Real, N, 8>(sizes)
         : sizes.radix_j == 12 ? row_passes_of<Real, N, 12>(sizes)
                               : row_passes_of<Real, N, 16>(sizes);
}

}  // namespace detail

template <class Real>
RowPasses<Real> row_passes(const Sizes& sizes) {
  return sizes.columns == 64    ? detail::row_passes_of_rows<Real, 64>(sizes)
         : sizes.columns == 96  ? detail::row_passes_of_rows<Real, 96>(sizes)
         : sizes.columns == 128 ? detail::row_passes_of_rows<Real, 128>(sizes)
         : sizes.columns == 192 ? detail::row_passes_of_rows<Real, 192>(sizes)
         : sizes.columns == 256 ? detail::row_passes_of_rows<Real, 256>(sizes)
         : sizes.columns == 384 ? detail::row_passes_of_rows<Real, 384>(sizes)
                                : detail::row_passes_of_rows<Real, 512>(sizes);
}

}  // namespace bankfull::poisson::three_pass
