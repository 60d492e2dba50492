#pragma once

#include "bankfull/core/base/gpu_arch.hpp"
#include "bankfull/core/exec/cluster.cuh"
#include "bankfull/core/exec/dynamic_shared.cuh"
#include "bankfull/numerics/poisson/direct/cuda/three_pass/data.cuh"
#include "bankfull/numerics/poisson/direct/three_pass/parts.hpp"
#include "bankfull/numerics/poisson/direct/three_pass/rest.hpp"

#include <algorithm>
#include <bit>

namespace bankfull::poisson::three_pass {

/// A cluster of blocks of pass 2, each with `OwnParts` parts of 16 planes, takes half of the
/// columns of a tile: so portable clusters serve, and in fp64 two blocks fit a multiprocessor.
/// Clusters of the same tile meet in L2.
template <class Real, int OwnParts, int Blocks>
struct ColumnShape {
  static constexpr int blocks = Blocks;
  static constexpr int columns = Tiles<Real>::group / 2;
  static constexpr int sets_per_tile = Tiles<Real>::group / columns;
  static constexpr int own_parts = OwnParts;
  static constexpr int planes = OwnParts * radix;                     ///< of a block
  static constexpr int parts = OwnParts * blocks;                     ///< of a mode
  static constexpr int modes = RestTransform<Real>::count * columns;  ///< of a cluster
  static constexpr int own_modes = (modes + blocks - 1) / blocks;  ///< whose chains a block solves
  static constexpr int threads = planes * modes / radix;           ///< of a block
  /// With fp32 twice as many as others: on an H100 it spills, and takes 0.58 ms in place of 0.67.
  static constexpr int blocks_per_multiprocessor =
      std::max(1, threads_per_multiprocessor * 8 / static_cast<int>(sizeof(Real)) / threads);

  /// Lanes that solve a chain.
  static constexpr int links = static_cast<int>(std::bit_ceil(static_cast<unsigned>(parts)));
  static constexpr int chains_at_a_time = threads / links;

  /// A plane in shared memory: threads that store at the same time must meet in no bank. They
  /// differ in column, in parity and, as these are not enough, in plane.
  static constexpr int side_by_side = columns * RestTransform<Real>::threads;
  static constexpr int pitch = modes + side_by_side;

  static_assert(threads % 32 == 0 && links <= 32);
  static_assert(own_modes * (blocks - 1) < modes);

  /// The last block may have fewer than others.
  __device__ static constexpr int own_modes_of(int rank) {
    if constexpr (own_modes * blocks == modes) {
      return own_modes;
    } else {
      const int left = modes - rank * own_modes;
      return left < own_modes ? left : own_modes;
    }
  }

  struct Memory {
    static constexpr int inbox_pitch = own_modes | 1;  ///< odd: parts meet in no bank
    static constexpr int message = 7;                  ///< reals

    Complex<Real> tile[static_cast<unsigned>(planes * pitch)];
    Complex<Real>
        separators[static_cast<unsigned>((own_parts + 1) * modes)];  ///< of the part below first
    PartCell<Real> cells[static_cast<unsigned>(planes + 1)];         ///< one below first
    Real inbox[message][static_cast<unsigned>(parts * inbox_pitch)];
    Real sums[3][static_cast<unsigned>(blocks)];  ///< see remove_mean
    unsigned long long inbox_full;
    unsigned long long separators_full;
  };
};

/// One block's share of the transforms and eliminations of a set, a cluster's columns. A thread has
/// three roles in turn: it transforms points m of one plane and column, eliminates 16 planes of one
/// mode, and holds one separator of the chain of one of the modes that its block solves for the
/// cluster. What depends on couplings alone, with its long chain of reciprocals, is eliminated
/// while loads are under way.
///
/// Messages are stored into the memory of the block that reads them, and counted there; no block
/// ends before all of its own have come.
template <class Real, class Shape>
class ColumnsOfCluster {
 public:
  using Memory = typename Shape::Memory;

  __device__ __forceinline__ explicit ColumnsOfCluster(const Data<Real>& data)
      : data_(data),
        set_(static_cast<int>(blockIdx.x) / Shape::blocks),
        memory_(dynamic_shared<Memory>()) {}

  __device__ __forceinline__ void solve() const {
    prepare();
    const Real decay = own_decay();
    __syncthreads();  // the table of cells is there
    cluster_wait();   // all blocks run
    Line x = eliminate(decay);
    leave_column(x);
    __syncthreads();
    if (set_ == 0) {
      remove_mean<Quantity::solution>();
    }
    x = take_plane();
    exchange_parts<Real, radix>(x);
    transform_rest(x);
    exchange_parts<Real, radix>(x);
    store(x);
  }

 private:
  using Line = Points<Real>;
  using Steps = RestTransform<Real>;

  /// One that transforms.
  struct Transformer {
    int thread = thread_now();
    [[nodiscard]] __device__ __forceinline__ int column() const { return thread % Shape::columns; }
    [[nodiscard]] __device__ __forceinline__ int parity() const {
      return thread / Shape::columns % Steps::threads;
    }
    [[nodiscard]] __device__ __forceinline__ int plane() const {
      return thread / Shape::side_by_side;
    }
    [[nodiscard]] __device__ __forceinline__ int mode(int s) const {
      return s * Shape::columns + column();
    }
  };

  /// One that eliminates.
  struct Eliminator {
    int thread = thread_now();
    [[nodiscard]] __device__ __forceinline__ int mode() const { return thread % Shape::modes; }
    [[nodiscard]] __device__ __forceinline__ int part() const { return thread / Shape::modes; }
  };

  /// One that solves chains.
  struct Linker {
    int thread = thread_now();
    [[nodiscard]] __device__ __forceinline__ int chain() const { return thread / Shape::links; }
    /// From the first chain that its warp solves at the same time.
    [[nodiscard]] __device__ __forceinline__ int chain_of_warp() const {
      return chain() % (32 / Shape::links);
    }
    [[nodiscard]] __device__ __forceinline__ int link() const { return thread % Shape::links; }
  };

  [[nodiscard]] static __device__ __forceinline__ int rank() {
    return static_cast<int>(cluster_rank());
  }
  [[nodiscard]] __device__ __forceinline__ int tile() const { return set_ / Shape::sets_per_tile; }
  /// The set's first column of its tile.
  [[nodiscard]] __device__ __forceinline__ int first_column() const {
    return set_ % Shape::sets_per_tile * Shape::columns;
  }

  [[nodiscard]] __device__ __forceinline__ CopyBarrier inbox_full() const {
    return {shared_address(&memory_.inbox_full)};
  }
  [[nodiscard]] __device__ __forceinline__ CopyBarrier separators_full() const {
    return {shared_address(&memory_.separators_full)};
  }

  __device__ __forceinline__ void prepare() const {
    const int thread = thread_now();
    if (thread == 0) {
      const unsigned inbox_bytes = static_cast<unsigned>(Shape::own_modes_of(rank())) *
                                   Shape::parts * Memory::message * sizeof(Real);
      const int separators = Shape::own_parts + (rank() > 0 ? 1 : 0);
      inbox_full().initialise();
      separators_full().initialise();
      publish_copy_barriers();
      inbox_full().expect(inbox_bytes);
      separators_full().expect(static_cast<unsigned>(separators) * Shape::modes *
                               static_cast<unsigned>(sizeof(Complex<Real>)));
    }
    if (thread <= Shape::planes) {
      memory_.cells[thread] = data_.cells[rank() * Shape::planes + thread];
    }
    cluster_arrive();  // before anything is stored there, all blocks have to run
  }

  /// The solution of the thread's part.
  [[nodiscard]] __device__ __forceinline__ Line eliminate(Real decay) const {
    Part<Real> part;
    Line x = load();
    send(couplings_left(part, decay));
    transform_rest(x);
    leave_plane(x);
    __syncthreads();
    if (set_ == 0) {
      remove_mean<Quantity::side>();
      remove_mean<Quantity::rest_of_side>();
    }
    x = take_column();
    send(part.eliminate_sides(own_cells(), x));
    inbox_full().wait_for_cluster(0);
    __syncwarp();
    solve_chains();
    separators_full().wait_for_cluster(0);
    __syncwarp();
    part.substitute(own_cells(), own_separator(), separator_below(), x);
    return x;
  }

  // Points

  /// Of point m = 0 in global memory; that of m is m groups further.
  [[nodiscard]] __device__ __forceinline__ Complex<Real>* line_of(const Transformer& role) const {
    return data_.spectrum + tile() * data_.tile_pitch +
           Tiles<Real>::within(plane_of(role), 0, first_column() + role.column());
  }
  [[nodiscard]] static __device__ __forceinline__ int plane_of(const Transformer& role) {
    return rank() * Shape::planes + role.plane();
  }

  /// Planes that fill up parts have no place in memory.
  [[nodiscard]] __device__ __forceinline__ Line load() const {
    const Transformer role;
    const Complex<Real>* const line = line_of(role);
    const bool exists = plane_of(role) < data_.planes;
    Line x{};
    if (exists) {
#pragma unroll
      for (int n = 0; n < radix; ++n) {
        x[n] = line[Steps::source(n, role.parity()) * Tiles<Real>::group];
      }
    }
    return x;
  }
  __device__ __forceinline__ void store(const Line& x) const {
    const Transformer role;
    Complex<Real>* const line = line_of(role);
    if (plane_of(role) < data_.planes) {
#pragma unroll
      for (int n = 0; n < radix; ++n) {
        line[Steps::target(n, role.parity()) * Tiles<Real>::group] = x[n];
      }
    }
  }

  [[nodiscard]] __device__ __forceinline__ Complex<Real>& in_tile(int plane, int mode) const {
    return memory_.tile[plane * Shape::pitch + mode];
  }
  __device__ __forceinline__ void leave_plane(const Line& x) const {
    const Transformer role;
#pragma unroll
    for (int n = 0; n < radix; ++n) {
      in_tile(role.plane(), role.mode(Steps::target(n, role.parity()))) = x[n];
    }
  }
  [[nodiscard]] __device__ __forceinline__ Line take_plane() const {
    const Transformer role;
    Line x;
#pragma unroll
    for (int n = 0; n < radix; ++n) {
      x[n] = in_tile(role.plane(), role.mode(Steps::source(n, role.parity())));
    }
    return x;
  }
  [[nodiscard]] __device__ __forceinline__ Line take_column() const {
    const Eliminator role;
    Line x;
#pragma unroll
    for (int n = 0; n < radix; ++n) {
      x[n] = in_tile(role.part() * radix + n, role.mode());
    }
    return x;
  }
  __device__ __forceinline__ void leave_column(const Line& x) const {
    const Eliminator role;
#pragma unroll
    for (int n = 0; n < radix; ++n) {
      in_tile(role.part() * radix + n, role.mode()) = x[n];
    }
  }

  static __device__ __forceinline__ void transform_rest(Line& x) {
    const int parity = Transformer().parity();
    const Sums<Real> sums = Steps::sums(parity, x);
    x = sums_in_order<Real>(parity, sums.kept, from_partner<Shape::columns, Real>(sums.given));
    Steps::finish(parity, x);
  }

  // The constant mode

  /// What the mean of right sides leaves, of rounding, would all flow to the ground, out of one
  /// cell: it is taken out as well.
  enum class Quantity { side, rest_of_side, solution };

  /// Takes the mean over the planes of all blocks out of what the tile holds of mode 0, right sides
  /// times widths or solutions. For the cluster that has the constant mode.
  template <Quantity Of>
  __device__ __forceinline__ void remove_mean() const {
    constexpr bool weighted = Of == Quantity::solution;
    Real(&sums)[Shape::blocks] = memory_.sums[static_cast<int>(Of)];
    const int thread = thread_now();
    if (thread < 32) {
      const Real sum = sum_of_planes<weighted>(thread);
      if (thread < Shape::blocks) {
        store_in_cluster(address_in_block(shared_address(&sums[rank()]), thread), sum);
      }
    }
    cluster_barrier();
    Real total{0};
#pragma unroll
    for (int block = 0; block < Shape::blocks; ++block) {
      total += sums[block];
    }
    if (thread < Shape::planes) {
      const Real mean = total * data_.inverse_length;
      in_tile(thread, 0).re -= weighted ? mean : mean * memory_.cells[thread + 1].width;
    }
    __syncthreads();
  }

  /// Of this block, for all lanes of a warp.
  template <bool Weighted>
  [[nodiscard]] __device__ __forceinline__ Real sum_of_planes(int lane) const {
    Real sum{0};
    for (int plane = lane; plane < Shape::planes; plane += 32) {
      const Real value = in_tile(plane, 0).re;
      sum += Weighted ? value * memory_.cells[plane + 1].width : value;
    }
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
      sum += __shfl_xor_sync(all_lanes, sum, apart);
    }
    return sum;
  }

  // Parts

  [[nodiscard]] __device__ __forceinline__ Real own_decay() const {
    const Eliminator role;
    const ColumnModes modes =
        data_.tiles.modes(tile(), first_column() + role.mode() % Shape::columns);
    const int mode_j = modes.r + role.mode() / Shape::columns * data_.tiles.radix_j;
    return __ldg(data_.decay_k + modes.k) + __ldg(data_.decay_j + mode_j);
  }

  /// The first one of the thread's part.
  [[nodiscard]] __device__ __forceinline__ const PartCell<Real>* own_cells() const {
    return memory_.cells + 1 + Eliminator().part() * radix;
  }

  [[nodiscard]] __device__ __forceinline__ PartCouplings<Real> couplings_left(Part<Real>& part,
                                                                              Real decay) const {
    PartCouplings<Real> couplings = part.eliminate_couplings(own_cells(), decay);
    const bool last = rank() == Shape::blocks - 1 && Eliminator().part() == Shape::own_parts - 1;
    if (decay == Real{0} && last) {
      couplings.dominance += coupling_to_ground(own_cells() + radix - 1);
    }
    return couplings;
  }

  // Messages

  /// The shared address of this block's memory as it lies in another one's.
  [[nodiscard]] __device__ __forceinline__ unsigned base_of(int block) const {
    return address_in_block(shared_address(&memory_), static_cast<unsigned>(block));
  }
  [[nodiscard]] __device__ __forceinline__ unsigned at(unsigned base, const void* place) const {
    return base + (shared_address(place) - shared_address(&memory_));
  }
  template <class Value>
  __device__ __forceinline__ void store_at(unsigned base, const void* place, const Value& value,
                                           const unsigned long long& full) const {
    store_counted(at(base, place), value, CopyBarrier{at(base, &full)});
  }

  /// Where messages to the block that solves the mode's chain go; what the separator below gains
  /// goes to its place.
  struct Addressee {
    unsigned base;
    int own_slot;
    int below_slot;
  };

  [[nodiscard]] __device__ __forceinline__ Addressee addressee() const {
    const Eliminator role;
    const int mode = role.mode() % Shape::own_modes;
    const int part = rank() * Shape::own_parts + role.part();
    const int below = (part + Shape::parts - 1) % Shape::parts;
    return {base_of(role.mode() / Shape::own_modes), part * Memory::inbox_pitch + mode,
            below * Memory::inbox_pitch + mode};
  }

  __device__ __forceinline__ void send(const PartCouplings<Real>& couplings) const {
    const Addressee to = addressee();
    store_at(to.base, &memory_.inbox[0][to.own_slot], couplings.dominance, memory_.inbox_full);
    store_at(to.base, &memory_.inbox[1][to.own_slot], couplings.below, memory_.inbox_full);
    store_at(to.base, &memory_.inbox[4][to.below_slot], couplings.below_dominance,
             memory_.inbox_full);
  }
  __device__ __forceinline__ void send(const PartSides<Real>& sides) const {
    const Addressee to = addressee();
    store_at(to.base, &memory_.inbox[2][to.own_slot], sides.own.re, memory_.inbox_full);
    store_at(to.base, &memory_.inbox[3][to.own_slot], sides.own.im, memory_.inbox_full);
    store_at(to.base, &memory_.inbox[5][to.below_slot], sides.below.re, memory_.inbox_full);
    store_at(to.base, &memory_.inbox[6][to.below_slot], sides.below.im, memory_.inbox_full);
  }

  /// To the block of the separator's part and, where that is its last one, to the block above.
  __device__ __forceinline__ void reply(int chain, int link, const Complex<Real>& solution) const {
    const int mode = rank() * Shape::own_modes + chain;
    const int block = link / Shape::own_parts;
    const int part = link % Shape::own_parts;
    store_at(base_of(block), &memory_.separators[(part + 1) * Shape::modes + mode], solution,
             memory_.separators_full);
    if (part == Shape::own_parts - 1 && block + 1 < Shape::blocks) {
      store_at(base_of(block + 1), &memory_.separators[mode], solution, memory_.separators_full);
    }
  }

  [[nodiscard]] __device__ __forceinline__ Complex<Real> own_separator() const {
    const Eliminator role;
    return memory_.separators[(role.part() + 1) * Shape::modes + role.mode()];
  }
  /// 0 where no part is below.
  [[nodiscard]] __device__ __forceinline__ Complex<Real> separator_below() const {
    const Eliminator role;
    return rank() == 0 && role.part() == 0
               ? Complex<Real>{}
               : memory_.separators[role.part() * Shape::modes + role.mode()];
  }

  // Chains

  __device__ __forceinline__ void solve_chains() const {
    const Linker role;
    if constexpr (Shape::chains_at_a_time == Shape::own_modes) {
      solve_chain(role.chain(), role.link());
    } else {
#pragma unroll 1
      for (int chain = role.chain(); chain - role.chain_of_warp() < Shape::own_modes;
           chain += Shape::chains_at_a_time) {
        solve_chain(chain, role.link());
      }
    }
  }

  /// All lanes of a warp, as they exchange what they have.
  __device__ __forceinline__ void solve_chain(int chain, int link) const {
    const bool exists = has_link(chain, link);
    const Complex<Real> solution = chain_solution(exists, chain, link);
    if (exists) {
      reply(chain, link, solution);
    }
  }
  [[nodiscard]] static __device__ __forceinline__ bool has_link(int chain, int link) {
    constexpr bool all_chains = Shape::own_modes * Shape::blocks == Shape::modes &&
                                Shape::own_modes % (32 / Shape::links) == 0;
    return (Shape::links == Shape::parts || link < Shape::parts) &&
           (all_chains || chain < Shape::own_modes_of(rank()));
  }

  [[nodiscard]] __device__ __forceinline__ Complex<Real> chain_solution(bool exists, int chain,
                                                                        int link) const {
    ChainRow<Real> row = received(exists, chain, link);
    const Real next = __shfl_down_sync(all_lanes, row.below, 1, Shape::links);
    row.above = link + 1 < Shape::parts ? next : Real{0};
#pragma unroll
    for (int apart = 1; apart < Shape::parts; apart *= 2) {
      const ChainRow<Real> before = row;
      const Real inverse = before.inverse();
      row.take_below(from_below(before.upwards(inverse), link, apart));
      row.take_above(from_above(before.downwards(inverse), link, apart));
    }
    return row.solution();
  }

  /// But for the coupling above. Lanes without a separator have a row of their own.
  [[nodiscard]] __device__ __forceinline__ ChainRow<Real> received(bool exists, int chain,
                                                                   int link) const {
    const auto& inbox = memory_.inbox;
    const int slot = link * Memory::inbox_pitch + chain;
    if (exists) {
      return {.below = inbox[1][slot],
              .above = Real{0},
              .dominance = inbox[0][slot] + inbox[4][slot],
              .side = {inbox[2][slot] + inbox[5][slot], inbox[3][slot] + inbox[6][slot]}};
    }
    return {.below = Real{0}, .above = Real{0}, .dominance = Real{1}, .side = {}};
  }

  [[nodiscard]] __device__ __forceinline__ Share<Real> from_below(const Share<Real>& share,
                                                                  int link, int apart) const {
    const Share<Real> got{__shfl_up_sync(all_lanes, share.coupling, apart, Shape::links),
                          __shfl_up_sync(all_lanes, share.dominance, apart, Shape::links),
                          {__shfl_up_sync(all_lanes, share.side.re, apart, Shape::links),
                           __shfl_up_sync(all_lanes, share.side.im, apart, Shape::links)}};
    return link >= apart ? got : Share<Real>::nothing();
  }
  [[nodiscard]] __device__ __forceinline__ Share<Real> from_above(const Share<Real>& share,
                                                                  int link, int apart) const {
    const Share<Real> got{__shfl_down_sync(all_lanes, share.coupling, apart, Shape::links),
                          __shfl_down_sync(all_lanes, share.dominance, apart, Shape::links),
                          {__shfl_down_sync(all_lanes, share.side.re, apart, Shape::links),
                           __shfl_down_sync(all_lanes, share.side.im, apart, Shape::links)}};
    return link + apart < Shape::parts ? got : Share<Real>::nothing();
  }

  const Data<Real>& data_;
  int set_;
  Memory& memory_;
};

template <class Real, int OwnParts, int Blocks>
__global__ void __launch_bounds__(ColumnShape<Real, OwnParts, Blocks>::threads,
                                  ColumnShape<Real, OwnParts, Blocks>::blocks_per_multiprocessor)
    columns_of_cluster(const __grid_constant__ Data<Real> data) {
  if constexpr (compiled_capability >= cluster_capability) {
    ColumnsOfCluster<Real, ColumnShape<Real, OwnParts, Blocks>>(data).solve();
  }
}

}  // namespace bankfull::poisson::three_pass
