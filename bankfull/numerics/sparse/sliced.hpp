#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/sparse/csr.hpp"
#include "bankfull/numerics/sparse/row_classes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull {

// Sliced ELLPACK: `Height` consecutive rows make a slice, as wide as its longest row. Of a slice's
// entries slot 0 of all its rows comes first, then slot 1, and so on, so that as many lanes read
// side by side. Shorter rows end in entries of value 0 whose columns repeat another row's.

/// Column indices as they are.
struct FullColumns {
  const std::int32_t* column = nullptr;

  [[nodiscard]] BANKFULL_HOST_DEVICE std::int32_t at(std::int64_t slot, std::int64_t entry) const {
    static_cast<void>(slot);
    return column[entry];
  }

  /// Where it is kept, for prefetches.
  [[nodiscard]] const void* place(std::int64_t entry) const { return column + entry; }
};

/// Column indices as 16 bits beyond the smallest of each slot of a slice.
struct SlimColumns {
  const std::int32_t* base = nullptr;  ///< of each slot
  const std::uint16_t* offset = nullptr;

  [[nodiscard]] BANKFULL_HOST_DEVICE std::int32_t at(std::int64_t slot, std::int64_t entry) const {
    return base[slot] + offset[entry];
  }

  [[nodiscard]] const void* place(std::int64_t entry) const { return offset + entry; }
};

/// A sliced matrix, by value.
template <class Columns>
struct SlicedView {
  const std::int64_t* slot = nullptr;  ///< first slot of each slice; slices + 1
  Columns columns = {};
  const double* value = nullptr;
};

/// Owns a sliced matrix. It has either full or slim columns.
struct Sliced {
  bool slim = false;
  std::int64_t slices = 0;
  std::int64_t slots = 0;
  Buffer<std::int64_t> slot = {};
  Buffer<std::int32_t> column = {};     ///< full ones
  Buffer<std::int32_t> base = {};       ///< of each slot, the smallest column
  Buffer<std::int32_t> fits_slim = {};  ///< one number, 0 where 16 bits do not hold the columns
  Buffer<std::uint16_t> offset = {};
  Buffer<double> value = {};

  [[nodiscard]] SlicedView<FullColumns> full_view() const {
    return {slot.data(), {column.data()}, value.data()};
  }
  [[nodiscard]] SlicedView<SlimColumns> slim_view() const {
    return {slot.data(), {base.data(), offset.data()}, value.data()};
  }

  /// Bytes that one pass over it reads.
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(slot.bytes() + value.bytes() +
                                     (slim ? base.bytes() + offset.bytes() : column.bytes()));
  }
};

namespace detail {

inline constexpr std::int32_t empty_entry = -1;

/// The smallest column of each slot, which empty entries repeat; and whether the others lie within
/// 16 bits of it.
template <int Height>
struct FindBases {
  std::int32_t* column = {};
  std::int32_t* base = {};
  std::int32_t* fits_slim = {};  ///< set to 0 where some slot does not fit

  BANKFULL_HOST_DEVICE void operator()(std::int64_t slot) const {
    std::int32_t* const mine = column + slot * Height;
    std::int32_t least = INT32_MAX;
    std::int32_t most = 0;
    for (int lane = 0; lane < Height; ++lane) {
      if (mine[lane] != empty_entry) {
        least = mine[lane] < least ? mine[lane] : least;
        most = mine[lane] > most ? mine[lane] : most;
      }
    }
    base[slot] = least;
    if (most - least > UINT16_MAX) {
      *fits_slim = 0;
    }
    for (int lane = 0; lane < Height; ++lane) {
      if (mine[lane] == empty_entry) {
        mine[lane] = least;
      }
    }
  }
};

template <int Height>
FindBases<Height> bases_of(const Sliced& matrix) {
  return {matrix.column.data(), matrix.base.data(), matrix.fits_slim.data()};
}

/// All that happens to a slice, for executors on a CPU: it is written while it is in the cache.
template <int Height, std::size_t Parts, class FillRow>
struct FillSlice {
  std::array<Sliced*, Parts> matrices = {};
  FillRow fill_row = {};

  void operator()(std::int64_t slice) const {
    for (const Sliced* matrix : matrices) {
      const Range mine = slots_of(*matrix, slice);
      std::fill_n(matrix->column.data() + mine.begin * Height, mine.size() * Height, empty_entry);
      std::fill_n(matrix->value.data() + mine.begin * Height, mine.size() * Height, 0.0);
    }
    for (int lane = 0; lane < Height; ++lane) {
      fill_row(slice * Height + lane);
    }
    for (const Sliced* matrix : matrices) {
      const Range mine = slots_of(*matrix, slice);
      const FindBases<Height> find_base = bases_of<Height>(*matrix);
      for (std::int64_t slot = mine.begin; slot < mine.end; ++slot) {
        find_base(slot);
      }
    }
  }

 private:
  static Range slots_of(const Sliced& matrix, std::int64_t slice) {
    return {matrix.slot.data()[slice], matrix.slot.data()[slice + 1]};
  }
};

template <int Height>
struct FillOffsets {
  const std::int32_t* column = {};
  const std::int32_t* base = {};
  std::uint16_t* offset = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t entry) const {
    offset[entry] = static_cast<std::uint16_t>(column[entry] - base[entry / Height]);
  }
};

}  // namespace detail

/// Room for slices of these widths. `width` has slices + 1 elements.
template <int Height, class Executor>
Sliced make_sliced(const Executor& executor, const std::int32_t* width, std::int64_t slices) {
  Sliced matrix = {};
  matrix.slices = slices;
  matrix.slot = executor.template make<std::int64_t>(slices + 1);
  matrix.slots = executor.exclusive_sum(width, slices, matrix.slot.data());
  matrix.column = executor.template make<std::int32_t>(matrix.slots * Height);
  matrix.value = executor.template make<double>(matrix.slots * Height);
  matrix.base = executor.template make<std::int32_t>(matrix.slots);
  matrix.fits_slim = executor.template make<std::int32_t>(1);
  return matrix;
}

/// Fills matrices of as many slices that hold parts of the same rows: fill_row(row) puts a row's
/// entries into them, and the others are then given a column. `classes` of slices are worked on one
/// after the other: on a CPU a thread fills its share of each, so that pages lie on its NUMA node.
template <int Height, std::size_t Parts, class Executor, class FillRow>
void fill_sliced(const Executor& executor, const std::array<Sliced*, Parts>& matrices,
                 const std::vector<Range>& classes, const FillRow& fill_row) {
  for (const Sliced* matrix : matrices) {
    executor.fill(matrix->fits_slim.data(), 1, std::int32_t{1});
  }
  if constexpr (Executor::space == MemorySpace::host) {
    executor.each_in(classes, detail::FillSlice<Height, Parts, FillRow>{matrices, fill_row});
  } else {
    for (const Sliced* matrix : matrices) {
      executor.fill(matrix->column.data(), matrix->slots * Height, detail::empty_entry);
      executor.fill(matrix->value.data(), matrix->slots * Height, 0.0);
    }
    executor.each(matrices.front()->slices * Height, fill_row);
    for (const Sliced* matrix : matrices) {
      executor.each(matrix->slots, detail::bases_of<Height>(*matrix));
    }
  }
}

/// Whether 16 bits hold the columns of a filled matrix.
template <class Executor>
bool fits_slim(const Executor& executor, const Sliced& matrix) {
  return executor.to_host(matrix.fits_slim.data(), 1).front() != 0;
}

/// Makes the columns of a filled matrix slim; they fit.
template <int Height, class Executor>
void make_slim(const Executor& executor, Sliced& matrix) {
  const std::int64_t entries = matrix.slots * Height;
  matrix.offset = executor.template make<std::uint16_t>(entries);
  executor.each(entries, detail::FillOffsets<Height>{matrix.column.data(), matrix.base.data(),
                                                     matrix.offset.data()});
  executor.synchronize();
  matrix.column = {};
  matrix.slim = true;
}

}  // namespace bankfull
