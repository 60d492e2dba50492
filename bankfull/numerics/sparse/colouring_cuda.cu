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

struct GreedyRow {
  CsrView matrix;
  Colour* colours;

  __device__ bool operator()(std::int64_t row) const {
    ColourSet taken;
    bool ready = true;
    const std::int64_t last = matrix.start[row + 1];
    for (std::int64_t n = matrix.start[row]; n < last; n += batch) {
      ready = add(row, n, static_cast<int>(min(last - n, std::int64_t{batch})), taken) && ready;
    }
    if (ready) {
      *static_cast<volatile Colour*>(colours + row) = taken.smallest_free();
    }
    return ready;
  }

 private:
  /// Entries whose loads are under way together.
  static constexpr int batch = 9;

  /// Adds the colours of the rows before `row` that entries [first, first + count) connect it to;
  /// returns whether these have one.
  __device__ bool add(std::int64_t row, std::int64_t first, int count, ColourSet& taken) const {
    std::int32_t column[batch] = {};
    Colour colour[batch] = {};
    unrolled<batch>([&](int n) {
      column[n] = n < count ? matrix.column[first + n] : INT32_MAX;
    });
    unrolled<batch>([&](int n) {
      colour[n] = column[n] < row ? load_shared_colour(colours + column[n]) : Colour{0};
    });
    bool ready = true;
    unrolled<batch>([&](int n) {
      if (column[n] < row) {
        ready = ready && colour[n] != no_colour;
        taken.add(colour[n]);
      }
    });
    return ready;
  }
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
  in_row_order(executor.stream(), matrix.rows, RowOrder::ascending, tickets.data(),
               GreedyRow{matrix, colours});
  return detail::checked_colour_count(largest_colour(executor, colours, matrix.rows));
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
