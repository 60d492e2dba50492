#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/turns.cuh"
#include "bankfull/core/memory/buffer.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

constexpr int threads = 64;

/// Each slab of a tile is one more than the slab before.
__global__ void __launch_bounds__(threads)
    count_slabs_kernel(const __grid_constant__ TileTurns turns, int* values) {
  const TileTurn turn = take_turn(turns);
  await_slab_before(turns, turn);
  const int tile = turn.row * turns.tiles.columns + turn.column;
  const int stride = turns.tiles.count() * threads;
  int* const here = values + turn.slab * stride + tile * threads + static_cast<int>(threadIdx.x);
  *here = 1 + (turn.slab == 0 ? 0 : __ldcg(here - stride));
  pass_slab(turns, turn);
}

/// Values of all slabs after some launches of as many tiles as are asked for.
std::vector<int> counted(const TileTurns::Tiles& tiles, int slabs, int launches) {
  const Stream stream(Device::cuda(0));
  const Buffer<TileTurns::Count> counts(MemorySpace::device,
                                        static_cast<std::size_t>(TileTurns::size(tiles)));
  fill_bytes(counts.data(), 0, counts.bytes(), stream);
  std::vector<int> got(static_cast<std::size_t>(tiles.count()) * static_cast<std::size_t>(slabs) *
                       threads);
  const Buffer<int> values(MemorySpace::device, got.size());
  for (int n = 0; n < launches; ++n) {
    fill_bytes(values.data(), 0, values.bytes(), stream);
    launch(stream, {dim3(static_cast<unsigned>(tiles.count() * slabs)), dim3(threads)},
           count_slabs_kernel, TileTurns{tiles, slabs, counts.data()}, values.data());
  }
  copy_bytes(got.data(), values.data(), values.bytes(), stream);
  stream.synchronize();
  return got;
}

TEST(TileTurns, ASlabFindsWhatTheOneBeforeLeft) {
  // One tile makes each block wait for the last; many are more than a GPU has room for at a time.
  for (const TileTurns::Tiles& tiles :
       {TileTurns::Tiles{1, 1}, TileTurns::Tiles{3, 5}, TileTurns::Tiles{64, 100}}) {
    constexpr int slabs = 9;
    const std::vector<int> got = counted(tiles, slabs, 3);
    const std::size_t of_slab = static_cast<std::size_t>(tiles.count()) * threads;
    for (std::size_t n = 0; n < got.size(); ++n) {
      ASSERT_EQ(got[n], 1 + static_cast<int>(n / of_slab))
          << n << " of " << tiles.count() << " tiles";
    }
  }
}

}  // namespace
}  // namespace bankfull
