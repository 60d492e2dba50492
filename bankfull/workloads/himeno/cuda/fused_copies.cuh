#pragma once

#include "bankfull/workloads/himeno/cuda/fused_memory.cuh"
#include "bankfull/workloads/himeno/cuda/in_step.cuh"

namespace bankfull::himeno {

/// The warp that requests the planes of a block's items, ahead of the warps that compute, and keeps
/// the block in step with its neighbours. It runs on into the next item, whose first planes thus
/// arrive during the last steps of the one before.
template <class T, bool Strips>
class FusedCopies {
 public:
  __device__ __forceinline__ FusedCopies(const FusedArguments<T>& arguments, const FusedMaps& maps,
                                         const FusedMemory<T>& memory)
      : f_(arguments), maps_(maps), memory_(memory), lane_(static_cast<int>(threadIdx.x) % 32) {}

  __device__ __forceinline__ void run() {
    in_step_.start(f_.progress, f_.plan.items.tiles.tiles_k, lane_);
    const int block = static_cast<int>(blockIdx.x);
    Tile tile = f_.plan.items.template item<Strips>(block, 0);
    for (int n = 1; tile.first < tile.last; ++n) {
      march(tile);
      tile = f_.plan.items.template item<Strips>(block, n);
    }
    if (lane_ == 0) {
      in_step_.finish();
    }
  }

 private:
  static constexpr FusedShape shape = fused_shape(sizeof(T));

  __device__ __forceinline__ void march(const Tile& tile) {
    const int last = tile.last + fused_iterations;
#pragma unroll 1
    for (int above = tile.first - fused_iterations; above < last; ++above) {
      pressure(tile, above);
      const int plane = above - 1;
      if (plane >= tile.first - fused_layers) {
        if (f_.plan.window > 0) {
          in_step_.advance(lane_, f_.plan.window);
        }
        coefficients(tile, plane);
      }
    }
  }

  /// How a plane of a tile is copied: the strips that it has, and their boxes.
  struct Boxes {
    const FusedBoxes& maps;
    int region_rows;
    int strips;
    int pressure_pitch;     ///< elements from one strip to the next
    int coefficient_pitch;  ///< likewise
  };

  __device__ __forceinline__ Boxes boxes_of(const Tile& tile) const {
    if constexpr (Strips) {
      const FusedStrips& strips = f_.plan.items.strips;
      if (strips.have(tile)) {
        return {maps_.strips, strips.region_rows(), strips.of_tile,
                strips.pressure_pitch(sizeof(T)), strips.coefficient_pitch(sizeof(T))};
      }
    }
    return {maps_.tiles, f_.plan.region_rows, 1, 0, 0};
  }

  __device__ __forceinline__ void pressure(const Tile& tile, int plane) {
    const int slot = pressure_.slot;
    memory_.pressure_free(slot).wait(pressure_.parity ^ 1U);
    if (lane_ == 0) {
      const Boxes boxes = boxes_of(tile);
      const CopyBarrier full = memory_.pressure_full(slot);
      const int elements = shape.pressure_width() * (boxes.region_rows + 2) * boxes.strips;
      full.expect(static_cast<unsigned>(elements) * sizeof(T));
#pragma unroll 1
      for (int strip = 0; strip < boxes.strips; ++strip) {
        copy_box(memory_.pressure(slot) + strip * boxes.pressure_pitch, &boxes.maps.pressure,
                 {tile.k + strip * shape.columns + f_.lead - shape.edge - shape.group,
                  tile.j + f_.ghosts - fused_iterations, plane + f_.ghosts, f_.pressure_field},
                 full);
      }
    }
    pressure_.advance(fused_pressure_slots);
  }

  /// Of each strip the aligned columns of all fields, then their edges.
  __device__ __forceinline__ void coefficients(const Tile& tile, int plane) {
    const int slot = coefficients_.slot;
    memory_.coefficients_free(slot).wait(coefficients_.parity ^ 1U);
    if (lane_ == 0) {
      const Boxes boxes = boxes_of(tile);
      const int rows = coefficient_count * boxes.region_rows;
      const int j = tile.j + f_.ghosts - fused_layers;
      const CopyBarrier full = memory_.coefficients_full(slot);
      full.expect(static_cast<unsigned>(shape.width() * rows * boxes.strips) * sizeof(T));
#pragma unroll 1
      for (int strip = 0; strip < boxes.strips; ++strip) {
        const int k = tile.k + strip * shape.columns + f_.lead;
        T* const to = memory_.coefficients(slot) + strip * boxes.coefficient_pitch;
        copy_box(to, &boxes.maps.body, {k, j, plane + f_.ghosts, 0}, full);
        copy_box(to + rows * shape.columns, &boxes.maps.edge,
                 {k - shape.edge, j, plane + f_.ghosts, 0}, full);
      }
    }
    coefficients_.advance(f_.plan.coefficient_slots);
  }

  const FusedArguments<T>& f_;
  const FusedMaps& maps_;
  FusedMemory<T> memory_;
  int lane_;
  RingCursor pressure_;
  RingCursor coefficients_;
  InStep in_step_;
};

}  // namespace bankfull::himeno
