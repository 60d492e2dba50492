#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/workloads/npb/cg/cuda/bank_order.cuh"
#include "bankfull/workloads/npb/cg/cuda/shared_sort.cuh"
#include "bankfull/workloads/npb/cg/cuda/tiles.cuh"
#include "bankfull/workloads/npb/cg/cuda/vectors.cuh"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace bankfull::npb::cg::cuda {

/// The input of the assembly of a block's rows: the vectors, and for each row the slots of vectors
/// that are in it, in any order. Rows and columns count from where the block begins.
struct RowSources {
  std::int64_t first_row;
  std::int64_t rows;
  std::int64_t first_column;
  std::int64_t columns;
  int stride;
  const std::int32_t* indices;
  const double* values;
  const std::int64_t* member_starts;
  const std::int32_t* members;
  double log_ratio;  ///< of the weights of a vector and the one before
  double diagonal_shift;
  double scale;  ///< of all entries: 1, but where the verification is checked
};

struct CountMembers {
  Range rows;
  const std::int32_t* indices;
  std::int32_t* counts;
  __device__ void operator()(std::int64_t slot) const {
    const std::int64_t row = indices[slot];
    if (row >= rows.begin && row < rows.end) {
      atomicAdd(counts + row - rows.begin, 1);
    }
  }
};

struct WriteMembers {
  Range rows;
  const std::int32_t* indices;
  const std::int64_t* starts;
  std::int32_t* counts;
  std::int32_t* members;
  __device__ void operator()(std::int64_t slot) const {
    const std::int64_t row = indices[slot];
    if (row >= rows.begin && row < rows.end) {
      const std::int64_t n = row - rows.begin;
      members[starts[n] + atomicSub(counts + n, 1) - 1] = static_cast<std::int32_t>(slot);
    }
  }
};

struct LargestCount {
  const std::int32_t* counts;
  std::int32_t* largest;
  __device__ void operator()(std::int64_t row) const { atomicMax(largest, counts[row]); }
};

/// A product of two elements of a vector that goes to one row, in the order in which products are
/// added: by column, then by vector.
struct ProductKey {
  static constexpr int place_bits = 16;
  static constexpr int vector_bits = 24;
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  static constexpr std::uint64_t shift_vector = (1U << vector_bits) - 1;  ///< the diagonal's shift

  /// `place`: of the product among those of the row as they are found.
  __device__ static std::uint64_t make(std::int32_t column, std::uint64_t vector, int place) {
    return static_cast<std::uint64_t>(column) << (vector_bits + place_bits) | vector << place_bits |
           static_cast<std::uint64_t>(place);
  }
  __device__ static std::int32_t column(std::uint64_t key) {
    return static_cast<std::int32_t>(key >> (vector_bits + place_bits));
  }
  __device__ static std::uint64_t vector(std::uint64_t key) {
    return key >> place_bits & shift_vector;
  }
  __device__ static int place(std::uint64_t key) {
    return static_cast<int>(key & ((1U << place_bits) - 1));
  }
};

/// Shared memory of a warp that forms rows.
struct RowWorkspace {
  int products;  ///< of the fullest row, rounded up to a power of two
  int members;
  int panels;

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::size_t bytes() const {
    return static_cast<std::size_t>(products) * 8 + static_cast<std::size_t>(members) * 8 +
           static_cast<std::size_t>(panels + panels % 2) * 4;
  }
};

/// A row as one warp forms it; all functions are called by all its threads.
class WarpRow {
 public:
  __device__ WarpRow(const RowSources& sources, const RowWorkspace& workspace, std::byte* shared)
      : sources_(sources),
        keys_(reinterpret_cast<std::uint64_t*>(shared)),
        scales_(reinterpret_cast<double*>(keys_ + workspace.products)),
        of_panel_(reinterpret_cast<int*>(scales_ + workspace.members)),
        lane_(static_cast<int>(threadIdx.x) % warp_threads) {}

  /// Finds the products of a row and sorts them.
  __device__ void form(std::int64_t row) {
    const std::int64_t begin = sources_.member_starts[row];
    const auto members = static_cast<int>(sources_.member_starts[row + 1] - begin);
    const int products = members * sources_.stride;
    size_ = 2;
    while (size_ < products + 1) {
      size_ *= 2;
    }
    for (int place = lane_; place < size_; place += warp_threads) {
      keys_[place] = place < products ? product(begin, place) : ProductKey::none;
    }
    for (int n = lane_; n < members; n += warp_threads) {
      const std::int64_t slot = sources_.members[begin + n];
      const std::int64_t vector = slot / sources_.stride;
      scales_[n] = sources_.values[slot] * exp(sources_.log_ratio * static_cast<double>(vector));
    }
    __syncwarp();
    if (lane_ == 0) {
      keys_[products] = key(sources_.first_row + row, ProductKey::shift_vector, 0);
    }
    __syncwarp();
    sort_shared(keys_, size_, lane_, warp_threads, [] { __syncwarp(); });
  }

  /// use(column, place of its first key, number of the column in the row) for each column, by one
  /// thread each; the effects are visible to all threads of the warp on return.
  template <class Use>
  __device__ void each_column(const Use& use) {
    int before = 0;
    for (int first = 0; first < size_; first += warp_threads) {
      const int place = first + lane_;
      const bool begins = begins_column(place);
      const unsigned all = __ballot_sync(~0U, begins);
      if (begins) {
        use(ProductKey::column(keys_[place]), place, before + __popc(all & ((1U << lane_) - 1)));
      }
      before += __popc(all);
    }
    __syncwarp();
  }

  /// The value of the entry whose first key stands at `place`, times the scale.
  [[nodiscard]] __device__ double value(int place) const {
    const std::int32_t column = ProductKey::column(keys_[place]);
    double sum = 0.0;
    for (int n = place; n < size_ && ProductKey::column(keys_[n]) == column; ++n) {
      sum += term(keys_[n]);
    }
    return sources_.scale * sum;
  }

  /// A number for each panel.
  [[nodiscard]] __device__ int* of_panel() const { return of_panel_; }
  [[nodiscard]] __device__ int lane() const { return lane_; }

  /// Whether the entry whose first key stands at `place` is the first of its panel.
  [[nodiscard]] __device__ bool begins_panel(int place, int panel_columns) const {
    return place == 0 || ProductKey::column(keys_[place - 1]) / panel_columns !=
                             ProductKey::column(keys_[place]) / panel_columns;
  }

 private:
  [[nodiscard]] __device__ std::uint64_t product(std::int64_t begin, int place) const {
    const std::int64_t vector = sources_.members[begin + place / sources_.stride] / sources_.stride;
    const std::int32_t column =
        sources_.indices[vector * sources_.stride + place % sources_.stride];
    return key(column, static_cast<std::uint64_t>(vector), place);
  }

  /// None for a column of the matrix that the block has not, and for an unused slot's.
  [[nodiscard]] __device__ std::uint64_t key(std::int64_t column, std::uint64_t vector,
                                             int place) const {
    const std::int64_t in_block = column - sources_.first_column;
    return in_block < 0 || in_block >= sources_.columns
               ? ProductKey::none
               : ProductKey::make(static_cast<std::int32_t>(in_block), vector, place);
  }

  [[nodiscard]] __device__ bool begins_column(int place) const {
    return place < size_ && keys_[place] != ProductKey::none &&
           (place == 0 || ProductKey::column(keys_[place - 1]) != ProductKey::column(keys_[place]));
  }

  [[nodiscard]] __device__ double term(std::uint64_t key) const {
    const std::uint64_t vector = ProductKey::vector(key);
    if (vector == ProductKey::shift_vector) {
      return sources_.diagonal_shift;
    }
    const int place = ProductKey::place(key);
    const std::int64_t slot =
        static_cast<std::int64_t>(vector) * sources_.stride + place % sources_.stride;
    return sources_.values[slot] * scales_[place / sources_.stride];
  }

  const RowSources& sources_;
  std::uint64_t* keys_;
  double* scales_;
  int* of_panel_;
  int lane_;
  int size_ = 0;
};

inline constexpr unsigned row_threads = 128;

/// Lengths of the pieces of each row, panel by panel.
struct MeasureRow {
  Tiling tiling;
  std::uint16_t* lengths;
  __device__ void operator()(WarpRow& row, std::int64_t number) const {
    int* const counts = row.of_panel();
    for (int panel = row.lane(); panel < tiling.panels; panel += warp_threads) {
      counts[panel] = 0;
    }
    __syncwarp();
    row.each_column([&](std::int32_t column, int /*place*/, int /*number*/) {
      atomicAdd(counts + column / tiling.panel_columns, 1);
    });
    for (int panel = row.lane(); panel < tiling.panels; panel += warp_threads) {
      lengths[number * tiling.panels + panel] = static_cast<std::uint16_t>(counts[panel]);
    }
    __syncwarp();
  }
};

/// Lengths of pieces.
struct PieceLengths {
  unsigned long long sum;
  unsigned longest;
};

struct CountEntries {
  const std::uint16_t* lengths;
  int panels;
  PieceLengths* found;
  __device__ void operator()(std::int64_t row) const {
    unsigned long long sum = 0;
    unsigned longest = 0;
    for (int panel = 0; panel < panels; ++panel) {
      const unsigned length = lengths[row * panels + panel];
      sum += length;
      longest = max(longest, length);
    }
    atomicAdd(&found->sum, sum);
    atomicMax(&found->longest, longest);
  }
};

/// Entries of each row, to where the order of rows puts them.
struct WriteRow {
  const std::uint16_t* places;  ///< of rows within their tiles
  TilesView tiles;
  __device__ void operator()(WarpRow& row, std::int64_t number) const {
    const Tiling& tiling = tiles.tiling;
    int* const firsts = row.of_panel();
    row.each_column([&](std::int32_t column, int place, int rank) {
      if (row.begins_panel(place, tiling.panel_columns)) {
        firsts[column / tiling.panel_columns] = rank;
      }
    });
    row.each_column([&](std::int32_t column, int place, int rank) {
      const int panel = column / tiling.panel_columns;
      const Destination to = entry_of(number, panel, rank - firsts[panel]);
      entries_of<std::uint16_t>(tiles.columns, to.slot, to.word)[to.thread] =
          static_cast<std::uint16_t>(column - panel * tiling.panel_columns);
      entries_of<double>(tiles.values, to.slot, to.word)[to.thread] = row.value(place);
    });
  }

 private:
  struct Destination {
    std::uint32_t slot;
    std::uint32_t word;
    int thread;  ///< of the warp
  };

  /// Of entry `n` of a piece.
  [[nodiscard]] __device__ Destination entry_of(std::int64_t row, int panel, int n) const {
    const Tiling& tiling = tiles.tiling;
    const auto group = static_cast<int>(row / tiling.group_rows);
    const int place = places[row * tiling.panels + panel];
    const SlicePlace slice =
        tiles
            .slices[tiling.tile(group, panel) * tiling.tile_slices() + place / tiling.slice_rows()];
    const std::uint32_t slot = slot_layout(tiling).slot(
        slice.first_slot, static_cast<std::uint32_t>(SlicePlace::slots(slice.word)),
        static_cast<std::uint32_t>(n / tiling.row_lanes));
    return {slot, slice.word,
            place % tiling.slice_rows() * tiling.row_lanes + n % tiling.row_lanes};
  }
};

/// Lays the slices of a tile one behind the other, from a block's first slot on.
struct LayTile {
  Tiling tiling;
  const std::int32_t* widths;  ///< slots of each slice
  std::uint32_t* firsts;       ///< from the tile's first one on
  std::int32_t* blocks;        ///< of each tile

  __device__ void operator()(std::int64_t tile) const {
    const SlotLayout layout = slot_layout(tiling);
    std::uint32_t free = 0;
    const std::int64_t end = (tile + 1) * tiling.tile_slices();
    for (std::int64_t slice = end - tiling.tile_slices(); slice < end; ++slice) {
      const auto slots = static_cast<std::uint32_t>(widths[slice]);
      firsts[slice] = layout.place(free, slots);
      free = layout.slot(firsts[slice], slots, slots);
    }
    blocks[tile] =
        static_cast<std::int32_t>((free + block_slots<double> - 1) / block_slots<double>);
  }
};

/// Places of slices in memory.
struct PlaceSlices {
  Tiling tiling;
  const std::int32_t* widths;
  const std::uint32_t* firsts;        ///< as LayTile found them
  const std::int64_t* blocks_before;  ///< blocks before each tile, those of both halves
  HalvedView columns;
  HalvedView values;
  SlicePlace* slices;

  __device__ void operator()(std::int64_t n) const {
    const std::int64_t first_half = tiling.first_half_tiles();
    const std::int64_t tile = n / tiling.tile_slices();
    const std::uint32_t half = tile < first_half ? 0 : 1;
    const std::int64_t block = blocks_before[tile] - (half == 0 ? 0 : blocks_before[first_half]);
    const auto slots = static_cast<std::uint32_t>(widths[n]);
    const std::uint32_t first = static_cast<std::uint32_t>(block) * block_slots<double> + firsts[n];
    slices[n] = {first, slots | bits<std::uint16_t>(columns, half, first, slots) |
                            bits<double>(values, half, first, slots)};
  }

 private:
  /// Of all blocks that have some of the slots.
  template <class Entry>
  [[nodiscard]] __device__ std::uint32_t bits(const HalvedView& view, std::uint32_t half,
                                              std::uint32_t first, std::uint32_t slots) const {
    if (slots == 0) {
      return 0;
    }
    std::uint32_t bits = 0;
    const std::uint32_t last = slot_layout(tiling).slot(first, slots, slots - 1);
    for (std::uint32_t n = first / block_slots<Entry>; n <= last / block_slots<Entry>; ++n) {
      bits |= (view.is_swapped(n) ^ half) << SlicePlace::bit<Entry>(n);
    }
    return bits;
  }
};

template <class Task>
__global__ void __launch_bounds__(row_threads)
    each_row_kernel(const __grid_constant__ RowSources sources, RowWorkspace workspace, Task task) {
  extern __shared__ __align__(128) unsigned char row_workspace[];
  constexpr unsigned warps = row_threads / warp_threads;
  const unsigned warp = threadIdx.x / warp_threads;
  WarpRow row(sources, workspace,
              reinterpret_cast<std::byte*>(row_workspace) + warp * workspace.bytes());
  const std::int64_t number = std::int64_t{blockIdx.x} * warps + warp;
  if (number < sources.rows) {
    row.form(number);
    task(row, number);
  }
}

/// Orders the rows of each tile, the longest pieces first; one block per tile. Overwrites the
/// lengths by the rows' places.
static __global__ void __launch_bounds__(1024)
    order_rows_kernel(const __grid_constant__ Tiling tiling, int sorted_size,
                      std::uint16_t* lengths, std::uint16_t* row_order, std::int32_t* widths) {
  extern __shared__ __align__(128) unsigned char row_keys[];
  auto* const keys = reinterpret_cast<std::uint32_t*>(row_keys);
  constexpr std::uint32_t max_length = 0xffff;
  const std::int64_t tile = blockIdx.x;
  const std::int64_t first_row = tile / tiling.panels * tiling.group_rows;
  const std::int64_t panel = tile % tiling.panels;
  const int rows = static_cast<int>(min(std::int64_t{tiling.group_rows}, tiling.rows - first_row));
  const auto threads = static_cast<int>(blockDim.x);
  const auto thread = static_cast<int>(threadIdx.x);
  for (int n = thread; n < sorted_size; n += threads) {
    const std::uint32_t length =
        n < rows ? lengths[(first_row + n) * tiling.panels + panel] : std::uint32_t{0};
    keys[n] = n < rows ? (max_length - length) << 16 | static_cast<std::uint32_t>(n)
                       : max_length << 16 | TilesView::no_row;
  }
  __syncthreads();
  sort_shared(keys, sorted_size, thread, threads, [] { __syncthreads(); });
  for (int n = thread; n < tiling.tile_rows(); n += threads) {
    const bool row_there = n < rows;
    const auto row = row_there ? static_cast<std::uint16_t>(keys[n]) : TilesView::no_row;
    row_order[tile * tiling.tile_rows() + n] = row;
    if (row_there) {
      lengths[(first_row + row) * tiling.panels + panel] = static_cast<std::uint16_t>(n);
    }
    if (n % tiling.slice_rows() == 0) {
      const auto longest = row_there ? static_cast<std::int32_t>(max_length - (keys[n] >> 16)) : 0;
      widths[tile * tiling.tile_slices() + n / tiling.slice_rows()] =
          (longest + tiling.row_lanes - 1) / tiling.row_lanes;
    }
  }
}

/// Builds a block of the matrix of a class in tiles.
class TileAssembly {
 public:
  /// The whole matrix, times `scale`.
  TileAssembly(const CudaExecutor& executor, Class size, const Tiling& tiling, double scale = 1.0)
      : TileAssembly(executor, size, tiling, {0, tiling.rows}, {0, tiling.columns}, scale) {}

  /// Some of its rows and columns, as many as the tiling has.
  TileAssembly(const CudaExecutor& executor, Class size, const Tiling& tiling, const Range& rows,
               const Range& columns, double scale = 1.0)
      : executor_(executor),
        tiling_(tiling),
        rows_(rows),
        vectors_(VectorDraw(executor, size).draw()) {
    find_members();
    sources_ = {.first_row = rows.begin,
                .rows = rows.size(),
                .first_column = columns.begin,
                .columns = columns.size(),
                .stride = vectors_.stride,
                .indices = vectors_.indices.data(),
                .values = vectors_.values.data(),
                .member_starts = member_starts_.data(),
                .members = members_.data(),
                .log_ratio = std::log(reciprocal_condition) / static_cast<double>(vectors_.count),
                .diagonal_shift = diagonal_shift(size),
                .scale = scale};
  }

  [[nodiscard]] Tiles build(const L2Halves& halves) {
    return build_in(
        [&](std::int64_t blocks) { return HalvedMemory(halves, blocks, executor_.stream()); });
  }

  /// In what `memory_of(blocks)` makes, twice.
  template <class MemoryOf>
  [[nodiscard]] Tiles build_in(const MemoryOf& memory_of) {
    const auto lengths = executor_.make<std::uint16_t>(tiling_.rows * tiling_.panels);
    each_row(MeasureRow{tiling_, lengths.data()});
    const PieceLengths found = count_entries(lengths.data());
    share_pieces_of(static_cast<int>(found.longest));
    Tiles tiles{.tiling = tiling_,
                .nonzeros = static_cast<std::int64_t>(found.sum),
                .row_order = executor_.make<std::uint16_t>(tiling_.tiles() * tiling_.tile_rows()),
                .slices = executor_.make<SlicePlace>(tiling_.slices()),
                .columns = {},
                .values = {}};
    place_slices(order_rows(lengths.data(), tiles.row_order.data()), memory_of, tiles);
    each_row(WriteRow{lengths.data(), tiles.view()});
    order_by_banks(tiles.view());
    executor_.synchronize();
    return tiles;
  }

 private:
  void find_members() {
    const std::int64_t slots = vectors_.count * vectors_.stride;
    const auto counts = executor_.make<std::int32_t>(tiling_.rows + 1);
    const auto largest = executor_.make<std::int32_t>(1);
    member_starts_ = executor_.make<std::int64_t>(tiling_.rows + 1);
    executor_.fill(counts.data(), tiling_.rows + 1, 0);
    executor_.fill(largest.data(), 1, 0);
    executor_.each(slots, CountMembers{rows_, vectors_.indices.data(), counts.data()});
    executor_.each(tiling_.rows, LargestCount{counts.data(), largest.data()});
    const std::int64_t count =
        executor_.exclusive_sum(counts.data(), tiling_.rows, member_starts_.data());
    members_ = executor_.make<std::int32_t>(count);
    executor_.each(slots, WriteMembers{rows_, vectors_.indices.data(), member_starts_.data(),
                                       counts.data(), members_.data()});
    workspace_.members = executor_.to_host(largest.data(), 1).front();
    workspace_.products = static_cast<int>(
        std::bit_ceil(static_cast<unsigned>(workspace_.members * vectors_.stride + 1)));
    workspace_.panels = tiling_.panels;
  }

  template <class Task>
  void each_row(const Task& task) const {
    constexpr std::int64_t warps = row_threads / warp_threads;
    const std::size_t bytes = workspace_.bytes() * warps;
    allow_shared_bytes(each_row_kernel<Task>, bytes);
    const auto blocks = static_cast<unsigned>((tiling_.rows + warps - 1) / warps);
    launch(executor_.stream(), {dim3(blocks), dim3(row_threads), bytes}, each_row_kernel<Task>,
           sources_, workspace_, task);
  }

  [[nodiscard]] PieceLengths count_entries(const std::uint16_t* lengths) const {
    const auto found = executor_.make<PieceLengths>(1);
    executor_.fill(found.data(), 1, PieceLengths{});
    executor_.each(tiling_.rows, CountEntries{lengths, tiling_.panels, found.data()});
    return executor_.to_host(found.data(), 1).front();
  }

  /// Lets threads share pieces until no slice has more slots than its place can tell of; few are as
  /// long as that.
  void share_pieces_of(int longest) {
    const auto max_slots = static_cast<int>(slot_layout(tiling_).max_slots());
    while (longest > max_slots * tiling_.row_lanes) {
      tiling_.row_lanes *= 2;
    }
    expects(tiling_.row_lanes <= warp_threads, "a warp has threads for the longest piece");
  }

  /// Slots of each slice.
  [[nodiscard]] Buffer<std::int32_t> order_rows(std::uint16_t* lengths,
                                                std::uint16_t* row_order) const {
    const std::int64_t slices = tiling_.slices();
    auto widths = executor_.make<std::int32_t>(slices);
    const auto sorted = static_cast<int>(
        std::bit_ceil(static_cast<unsigned>(tiling_.tile_rows() + tiling_.tile_rows() % 2)));
    const std::size_t bytes = static_cast<std::size_t>(sorted) * sizeof(std::uint32_t);
    allow_shared_bytes(order_rows_kernel, bytes);
    launch(executor_.stream(), {dim3(static_cast<unsigned>(tiling_.tiles())), dim3(1024), bytes},
           order_rows_kernel, tiling_, sorted, lengths, row_order, widths.data());
    return widths;
  }

  template <class MemoryOf>
  void place_slices(const Buffer<std::int32_t>& widths, const MemoryOf& memory_of,
                    Tiles& tiles) const {
    const std::int64_t slices = tiling_.slices();
    const std::int64_t first_half = tiling_.first_half_tiles();
    const auto firsts = executor_.make<std::uint32_t>(slices);
    const auto of_tiles = executor_.make<std::int32_t>(tiling_.tiles() + 1);
    const auto before = executor_.make<std::int64_t>(tiling_.tiles() + 1);
    executor_.fill(of_tiles.data(), tiling_.tiles() + 1, 0);
    executor_.each(tiling_.tiles(),
                   LayTile{tiling_, widths.data(), firsts.data(), of_tiles.data()});
    const std::int64_t blocks =
        executor_.exclusive_sum(of_tiles.data(), tiling_.tiles(), before.data());
    const std::int64_t of_first = executor_.to_host(before.data() + first_half, 1).front();
    const std::int64_t of_each = std::max(of_first, blocks - of_first);
    constexpr std::int64_t columns_of = block_slots<std::uint16_t> / block_slots<double>;
    tiles.columns = memory_of(of_each / columns_of + 1);
    tiles.values = memory_of(of_each + 1);
    executor_.each(slices,
                   PlaceSlices{tiling_, widths.data(), firsts.data(), before.data(),
                               tiles.columns.view(), tiles.values.view(), tiles.slices.data()});
    executor_.synchronize();
  }

  void order_by_banks(const TilesView& tiles) const {
    constexpr std::int64_t warps = bank_order_threads / warp_threads;
    const auto blocks = static_cast<unsigned>((tiling_.slices() + warps - 1) / warps);
    launch(executor_.stream(), {dim3(blocks), dim3(bank_order_threads)}, order_by_banks_kernel,
           tiles);
  }

  const CudaExecutor& executor_;
  Tiling tiling_;
  Range rows_;
  DrawnVectors vectors_;
  Buffer<std::int64_t> member_starts_;
  Buffer<std::int32_t> members_;
  RowWorkspace workspace_{};
  RowSources sources_{};
};

}  // namespace bankfull::npb::cg::cuda
