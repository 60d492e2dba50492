#include "bankfull/core/base/unrolled.hpp"
#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/numerics/sparse/colouring.hpp"
#include "bankfull/numerics/sparse/greedy_step.hpp"
#include "bankfull/numerics/sparse/row_order.cuh"

#include <algorithm>
#include <cub/device/device_reduce.cuh>

namespace bankfull {
namespace {

__device__ __forceinline__ Colour load_shared_colour(const Colour* at) {
  return *static_cast<const volatile Colour*>(at);
}

struct Greedy {
  CsrView matrix;
  Colour* colours;
  int* too_many;  ///< set where no colour is left; the row takes any, or others would wait for ever

  /// A row's choice; its entries are looked at in windows.
  class Row {
   public:
    __device__ __forceinline__ void begin(const Greedy& greedy, std::int64_t row) {
      row_ = row;
      taken_ = {};
      next_ = greedy.matrix.start[row];
      last_ = greedy.matrix.start[row + 1];
      open_window(greedy.matrix);
    }

    __device__ __forceinline__ bool attempt(const Greedy& greedy) {
      // One load while waiting, or those who wait would slow down those they wait for.
      if (!awaited_.empty() &&
          load_shared_colour(greedy.colours + column(awaited_.last())) == no_colour) {
        return false;
      }
      look(greedy.colours);
      if (!awaited_.empty()) {
        return false;
      }
      if (next_ < last_) {
        open_window(greedy.matrix);
        return false;
      }
      const Colour free = taken_.smallest_free();
      if (free == no_colour) {
        *greedy.too_many = 1;
      }
      *static_cast<volatile Colour*>(greedy.colours + row_) = free == no_colour ? Colour{0} : free;
      return true;
    }

   private:
    static constexpr int window = 27;

    __device__ __forceinline__ void open_window(const CsrView& matrix) {
      const int count = static_cast<int>(min(last_ - next_, std::int64_t{window}));
      unrolled<window>(
          [&](int n) { column_[n] = n < count ? matrix.column[next_ + n] : INT32_MAX; });
      unrolled<window>([&](int n) {
        if (column_[n] < row_) {
          awaited_.add(n);
        }
      });
      next_ += count;
    }

    [[nodiscard]] __device__ __forceinline__ std::int32_t column(int entry) const {
      std::int32_t found = 0;
      unrolled<window>([&](int n) { found = n == entry ? column_[n] : found; });
      return found;
    }

    __device__ __forceinline__ void look(const Colour* colours) {
      Colour found[window];
      unrolled<window>([&](int n) {
        found[n] = awaited_.holds(n) ? load_shared_colour(colours + column_[n]) : no_colour;
      });
      unrolled<window>([&](int n) {
        if (found[n] != no_colour) {
          taken_.add(found[n]);
          awaited_.remove(n);
        }
      });
    }

    std::int64_t row_ = 0;
    std::int64_t next_ = 0;
    std::int64_t last_ = 0;
    std::int32_t column_[window] = {};
    AwaitedEntries awaited_;
    ColourSet taken_;
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

Colour largest_colour(const CudaExecutor& executor, const Colour* colours, std::int64_t rows) {
  const Buffer<Colour> largest = executor.make<Colour>(1);
  std::size_t bytes = 0;
  const auto reduce = [&](void* scratch) {
    return cub::DeviceReduce::Max(scratch, bytes, colours, largest.data(), rows,
                                  executor.stream().handle());
  };
  cuda_check(reduce(nullptr), "planning a reduction");
  const Buffer<std::byte> scratch = executor.make<std::byte>(static_cast<std::int64_t>(bytes));
  cuda_check(reduce(scratch.data()), "queueing a reduction");
  return executor.to_host(largest.data(), 1).front();
}

}  // namespace

int colour_greedily(const CudaExecutor& executor, const CsrView& matrix, Colour* colours) {
  executor.fill(colours, matrix.rows, no_colour);
  const Buffer<unsigned> tickets = executor.make<unsigned>(1);
  const RowRuns runs = find_row_runs(executor, matrix);
  const Buffer<int> too_many = executor.make<int>(1);
  executor.fill(too_many.data(), 1, 0);
  in_row_order(executor.stream(), runs, RowOrder::ascending, tickets.data(),
               Greedy{matrix, colours, too_many.data()});
  const Colour largest = largest_colour(executor, colours, matrix.rows);
  const bool enough = executor.to_host(too_many.data(), 1).front() == 0;
  return detail::checked_colour_count(enough ? largest : no_colour);
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
