#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/tickets.cuh"
#include "bankfull/core/memory/buffer.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

constexpr int threads = 64;

/// Sets each slab of a tile to one more than the previous slab.
__global__ void __launch_bounds__(threads)
    count_slabs_kernel(const __grid_constant__ TileTickets tickets, int* values) {
  const TileTicket ticket = take_ticket(tickets);
  wait_for_previous_slab(tickets, ticket);
  const int tile = ticket.row * tickets.tiles.columns + ticket.column;
  const int stride = tickets.tiles.count() * threads;
  int* const here = values + ticket.slab * stride + tile * threads + static_cast<int>(threadIdx.x);
  *here = 1 + (ticket.slab == 0 ? 0 : __ldcg(here - stride));
  complete_slab(tickets, ticket);
}

/// The values of all slabs after `launches` launches.
std::vector<int> counted(const TileTickets::Tiles& tiles, int slabs, int launches) {
  const Stream stream(Device::cuda(0));
  const Buffer<TileTickets::Count> counts(MemorySpace::device,
                                          static_cast<std::size_t>(TileTickets::size(tiles)));
  fill_bytes(counts.data(), 0, counts.bytes(), stream);
  std::vector<int> got(static_cast<std::size_t>(tiles.count()) * static_cast<std::size_t>(slabs) *
                       threads);
  const Buffer<int> values(MemorySpace::device, got.size());
  for (int n = 0; n < launches; ++n) {
    fill_bytes(values.data(), 0, values.bytes(), stream);
    launch(stream, {dim3(static_cast<unsigned>(tiles.count() * slabs)), dim3(threads)},
           count_slabs_kernel, TileTickets{tiles, slabs, counts.data()}, values.data());
  }
  copy_bytes(got.data(), values.data(), values.bytes(), stream);
  stream.synchronize();
  return got;
}

TEST(TileTickets, ASlabFindsWhatTheOneBeforeLeft) {
  // With one tile each block waits for the previous one; the largest case has more blocks than can
  // be resident on a GPU at once.
  for (const TileTickets::Tiles& tiles :
       {TileTickets::Tiles{1, 1}, TileTickets::Tiles{3, 5}, TileTickets::Tiles{64, 100}}) {
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
