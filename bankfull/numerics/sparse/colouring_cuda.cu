#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/numerics/sparse/colouring.hpp"
#include "bankfull/numerics/sparse/greedy_step.hpp"
#include "bankfull/numerics/sparse/row_order.cuh"

#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <vector>

namespace bankfull {
namespace {

__device__ __forceinline__ Colour load_shared_colour(const Colour* at) {
  return *static_cast<const volatile Colour*>(at);
}

__device__ __forceinline__ void prefetch(const void* from) {
  asm volatile("prefetch.global.L1 [%0];" ::"l"(from));
}

/// The smallest colour that no lane has in its set; no_colour where there is none.
__device__ __forceinline__ Colour smallest_free_of_warp(const ColourSet& taken) {
  for (int n = 0; n < 4; ++n) {
    const unsigned low = __reduce_or_sync(~0U, static_cast<unsigned>(taken.word[n]));
    const unsigned high = __reduce_or_sync(~0U, static_cast<unsigned>(taken.word[n] >> 32U));
    const std::uint64_t free = ~(std::uint64_t{high} << 32U | low);
    if (free != 0) {
      return static_cast<Colour>(64 * n + __ffsll(static_cast<long long>(free)) - 1);
    }
  }
  return no_colour;
}

struct Greedy {
  CsrView matrix;
  Colour* colours;
  Colour* too_many;  ///< set to 1 where no colour is left; the row takes any, or others would wait
                     ///< for ever

  /// A row's choice; a lane has every 32nd of its entries.
  class Row {
   public:
    __device__ __forceinline__ void read(const Greedy& greedy, std::int64_t row) {
      row_ = row;
      next_ = greedy.matrix.start[row];
      last_ = greedy.matrix.start[row + 1];
      read_column(greedy);
    }

    __device__ __forceinline__ void tell(std::int64_t row, Colour colour) {
      colour_ = column_ == row ? colour : colour_;
    }

    __device__ __forceinline__ Colour complete(const Greedy& greedy) {
      ColourSet taken;
      take_awaited(greedy.colours, taken);
      while (next_ < last_) {
        read_column(greedy);
        take_awaited(greedy.colours, taken);
      }
      const Colour free = smallest_free_of_warp(taken);
      const Colour chosen = free == no_colour ? Colour{0} : free;
      if (order_lane() == 0) {
        if (free == no_colour) {
          *greedy.too_many = 1;
        }
        *static_cast<volatile Colour*>(greedy.colours + row_) = chosen;
      }
      return chosen;
    }

   private:
    /// Asks for the colour at once: mostly it is there, and arrives while the row before is done.
    __device__ __forceinline__ void read_column(const Greedy& greedy) {
      const CsrView& matrix = greedy.matrix;
      const std::int64_t entry = next_ + order_lane();
      column_ = entry < last_ ? matrix.column[entry] : INT32_MAX;
      next_ += order_lanes;
      if (entry + ahead < matrix.start[matrix.rows]) {
        prefetch(matrix.column + entry + ahead);
      }
      colour_ = column_ < row_ ? load_shared_colour(greedy.colours + column_) : no_colour;
    }

    __device__ __forceinline__ void take_awaited(const Colour* colours, ColourSet& taken) {
      const bool earlier = column_ < row_;
      while (on_any_lane(earlier && colour_ == no_colour)) {
        if (earlier && colour_ == no_colour) {
          colour_ = load_shared_colour(colours + column_);
        }
      }
      if (earlier) {
        taken.add(colour_);
      }
    }

    /// Entries from one to another whose column is brought nearer: those of a few rows.
    static constexpr int ahead = 128;

    std::int64_t row_ = 0;
    std::int64_t next_ = 0;  ///< of the entries to read
    std::int64_t last_ = 0;
    std::int32_t column_ = INT32_MAX;
    Colour colour_ = no_colour;
  };
};

__device__ __forceinline__ std::uint64_t hash(std::int64_t row) {
  return random_bits(0, static_cast<std::uint64_t>(row));
}

/// One round of the colouring by hashes: two colours.
struct HashRound {
  CsrView matrix;
  Colour* colours;
  int first;  ///< colour of the largest hashes; the smallest take the next one

  /// Whether the row was without a colour when the round began.
  __device__ bool contends(Colour colour) const {
    return colour == no_colour || colour == first || colour == first + 1;
  }

  __device__ void operator()(std::int64_t row) const {
    if (colours[row] != no_colour) {
      return;
    }
    bool largest = true;
    bool smallest = true;
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
      const std::int32_t column = matrix.column[n];
      if (column == row || column >= matrix.rows ||
          !contends(load_shared_colour(colours + column))) {
        continue;
      }
      largest = largest && hash(column) < hash(row);
      smallest = smallest && hash(column) > hash(row);
    }
    if (largest || smallest) {
      *static_cast<volatile Colour*>(colours + row) =
          static_cast<Colour>(largest ? first : first + 1);
    }
  }
};

/// Gives the rows of one colour the smallest free one. Rows of a colour are not connected.
struct Recolour {
  CsrView matrix;
  Colour* colours;
  int colour;

  __device__ void operator()(std::int64_t row) const {
    if (colours[row] != colour) {
      return;
    }
    ColourSet taken;
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
      if (matrix.column[n] != row && matrix.column[n] < matrix.rows) {
        taken.add(colours[matrix.column[n]]);
      }
    }
    colours[row] = static_cast<Colour>(min(colour, int{taken.smallest_free()}));
  }
};

/// Queues *largest = the largest colour.
void queue_largest(const CudaExecutor& executor, const Colour* colours, std::int64_t rows,
                   Colour* largest) {
  std::size_t bytes = 0;
  const auto reduce = [&](void* scratch) {
    return cub::DeviceReduce::Max(scratch, bytes, colours, largest, rows,
                                  executor.stream().handle());
  };
  cuda_check(reduce(nullptr), "planning a reduction");
  const Buffer<std::byte> scratch = executor.make<std::byte>(static_cast<std::int64_t>(bytes));
  cuda_check(reduce(scratch.data()), "queueing a reduction");
}

Colour largest_colour(const CudaExecutor& executor, const Colour* colours, std::int64_t rows) {
  const Buffer<Colour> largest = executor.make<Colour>(1);
  queue_largest(executor, colours, rows, largest.data());
  return executor.to_host(largest.data(), 1).front();
}

}  // namespace

int colour_greedily(const CudaExecutor& executor, const CsrView& matrix, Colour* colours) {
  executor.fill(colours, matrix.rows, no_colour);
  const Buffer<unsigned> tickets = executor.make<unsigned>(1);
  const RowRuns runs = find_runs_of_warps(executor, matrix);
  const Buffer<Colour> found = executor.make<Colour>(2);  // the largest, and whether it is too many
  executor.fill(found.data(), 2, Colour{0});
  in_row_order(executor.stream(), runs, RowOrder::ascending, tickets.data(),
               Greedy{matrix, colours, found.data() + 1});
  queue_largest(executor, colours, matrix.rows, found.data());
  const std::vector<Colour> on_host = executor.to_host(found.data(), 2);
  return detail::checked_colour_count(on_host[1] == 0 ? on_host[0] : no_colour);
}

int colour_by_hash(const CudaExecutor& executor, const CsrView& matrix, int target,
                   Colour* colours) {
  executor.fill(colours, matrix.rows, no_colour);
  int colour = 0;
  for (; largest_colour(executor, colours, matrix.rows) == no_colour; colour += 2) {
    if (colour + 1 >= no_colour) {
      throw RuntimeFailure("the matrix needs more than 254 colours");
    }
    executor.each(matrix.rows, HashRound{matrix, colours, colour});
  }
  for (int n = colour - 1; colour > target && n > 0; --n) {
    executor.each(matrix.rows, Recolour{matrix, colours, n});
  }
  return detail::checked_colour_count(largest_colour(executor, colours, matrix.rows));
}

}  // namespace bankfull
