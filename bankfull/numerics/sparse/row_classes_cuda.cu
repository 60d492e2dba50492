#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/numerics/sparse/row_classes.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <vector>

namespace bankfull {
namespace {

struct NumberRows {
  std::int32_t* row;

  __device__ void operator()(std::int64_t n) const { row[n] = static_cast<std::int32_t>(n); }
};

/// Rows by their sides, those of a side in the matrix's own order.
struct RowsBySide {
  Buffer<Side> side;
  Buffer<std::int32_t> row;
};

RowsBySide sort_by_side(const CudaExecutor& executor, const Buffer<Side>& side_of, int sides) {
  const auto rows = static_cast<std::int64_t>(side_of.size());
  const auto unsorted = executor.make<std::int32_t>(rows);
  executor.each(rows, NumberRows{unsorted.data()});
  RowsBySide sorted{executor.make<Side>(rows), executor.make<std::int32_t>(rows)};
  const auto bits = static_cast<int>(std::bit_width(static_cast<unsigned>(sides - 1)));
  std::size_t bytes = 0;
  const auto sort = [&](void* scratch) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, side_of.data(), sorted.side.data(),
                                           unsorted.data(), sorted.row.data(), rows, 0, bits,
                                           executor.stream().handle());
  };
  cuda_check(sort(nullptr), "planning a sort");
  const auto scratch = executor.make<std::byte>(static_cast<std::int64_t>(bytes));
  cuda_check(sort(scratch.data()), "queueing a sort");
  return sorted;
}

/// Where each side begins among sorted rows; `first` holds the number of rows before.
struct FindFirstRows {
  const Side* side;
  std::int32_t* first;

  __device__ void operator()(std::int64_t n) const {
    const int before = n == 0 ? -1 : side[n - 1];
    for (int k = before + 1; k <= side[n]; ++k) {
      first[k] = static_cast<std::int32_t>(n);
    }
  }
};

/// Sides of as many classes as there are colours.
constexpr int most_sides = 2 * no_colour;

struct PlaceRows {
  const Side* side;  ///< of sorted rows
  const std::int32_t* row;
  std::int32_t* new_of;
  std::int32_t* old_of;
  std::int32_t shift[most_sides];  ///< of each side, from sorted rows to new ones

  __device__ void operator()(std::int64_t n) const {
    const auto place = static_cast<std::int32_t>(n) + shift[side[n]];
    new_of[row[n]] = place;
    old_of[place] = row[n];
  }
};

}  // namespace

std::vector<Range> detail::place_sides(const CudaExecutor& executor, int sides,
                                       std::int64_t alignment, RowClasses& result) {
  const auto rows = static_cast<std::int64_t>(result.side_of.size());
  const RowsBySide sorted = sort_by_side(executor, result.side_of, sides);
  const auto first_row = executor.make<std::int32_t>(sides + 1);
  executor.fill(first_row.data(), sides + 1, static_cast<std::int32_t>(rows));
  executor.each(rows, FindFirstRows{sorted.side.data(), first_row.data()});
  const std::vector<std::int32_t> first = executor.to_host(first_row.data(), sides + 1);
  expects(sides <= most_sides, "each colour has a class");
  PlaceRows place{.side = sorted.side.data(),
                  .row = sorted.row.data(),
                  .new_of = result.new_of.data(),
                  .old_of = result.old_of.data(),
                  .shift = {}};
  std::vector<Range> ranges;
  for (std::size_t side = 0; side < static_cast<std::size_t>(sides); ++side) {
    const std::int64_t count = first[side + 1] - first[side];
    const std::int64_t begin = result.rows;
    place.shift[side] = static_cast<std::int32_t>(begin - first[side]);
    ranges.push_back({begin, begin + count});
    result.rows = round_up(begin + count, alignment);
  }
  executor.each(rows, place);
  return ranges;
}

}  // namespace bankfull
