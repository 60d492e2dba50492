#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/sparse/csr.hpp"
#include "bankfull/numerics/sparse/halved_values.hpp"
#include "bankfull/numerics/sparse/row_classes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bankfull {

class CudaExecutor;

// Sliced ELLPACK: `Height` consecutive rows make a slice, as wide as its longest row. Of a slice's
// entries slot 0 of all its rows comes first, then slot 1, and so on, so that as many lanes read
// side by side. Where a row has no entry in a slot, one of value 0 repeats the column of the
// nearest row that has one, of rows before it if there are any.

/// Column indices as they are.
struct FullColumns {
  const std::int32_t* column = nullptr;  ///< of each entry

  /// The column of an entry, which is slot * Height + lane.
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int32_t at(std::int64_t slot, std::int64_t entry) const {
    static_cast<void>(slot);
    return column[entry];
  }

  /// Where it is kept, for prefetches.
  [[nodiscard]] const void* place(std::int64_t entry) const { return column + entry; }
};

/// Column indices as 16 bits beyond the smallest of each slot of a slice.
struct SlimColumns {
  const std::int32_t* base = nullptr;     ///< of each slot
  const std::uint16_t* offset = nullptr;  ///< of each entry

  /// The column of an entry, which is slot * Height + lane.
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int32_t at(std::int64_t slot, std::int64_t entry) const {
    return base[slot] + offset[entry];
  }

  /// Where its offset is kept, for prefetches.
  [[nodiscard]] const void* place(std::int64_t entry) const { return offset + entry; }
};

/// Bits of a code of PackedColumns.
inline constexpr int packed_bits = 2;

/// Column indices as codes of few bits beyond a base of each slot and the lane, because rows side
/// by side tend to have columns side by side. The columns of a slice that codes do not hold are
/// kept as they are: it escapes.
template <int Height>
struct PackedColumns {
  static constexpr int bits = packed_bits;    ///< of a code
  static constexpr int per_word = 32 / bits;  ///< codes in a word
  /// The bits of the first code of a word.
  static constexpr std::uint32_t mask = (1U << static_cast<unsigned>(bits)) - 1U;
  /// What bases are raised by, so that none is negative.
  static constexpr std::int32_t raised = Height - 1;

  /// Of each slot; where its slice escapes -1 - its place in `escaped`, those of a slice following
  /// each other.
  const std::int32_t* base = nullptr;
  const std::uint32_t* code = nullptr;    ///< a word of each lane and `per_word` slots
  const std::int32_t* escaped = nullptr;  ///< columns as they are, Height to a slot

  /// The column of an entry, which is slot * Height + lane.
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int32_t at(std::int64_t slot, std::int64_t entry) const {
    const std::int64_t lane = entry - slot * Height;
    const std::int32_t first = base[slot];
    if (first < 0) {
      return escaped[(-1 - std::int64_t{first}) * Height + lane];
    }
    const std::uint32_t word = code[slot / per_word * Height + lane];
    return first - raised + static_cast<std::int32_t>(lane) +
           static_cast<std::int32_t>(word >> static_cast<unsigned>(slot % per_word * bits) & mask);
  }
};

/// A sliced matrix, by value.
template <class Columns>
struct SlicedView {
  const std::int64_t* slot = nullptr;  ///< first slot of each slice; slices + 1
  Columns columns = {};                ///< FullColumns, SlimColumns or PackedColumns
  const double* value = nullptr;       ///< of each entry
};

/// Owns a sliced matrix. Its columns are full, slim or packed.
struct Sliced {
  bool slim = false;                 ///< after make_slim
  bool packed = false;               ///< after pack
  std::int64_t slices = 0;           ///< of Height rows
  std::int64_t slots = 0;            ///< of all slices, Height entries each
  Buffer<std::int64_t> slot = {};    ///< first slot of each slice; slices + 1
  Buffer<std::int32_t> column = {};  ///< full ones
  /// Of each slot: on CPUs, unless packed, the smallest column; or see PackedColumns.
  Buffer<std::int32_t> base = {};
  /// On CPUs: one number, 0 where 16 bits do not hold the columns.
  Buffer<std::int32_t> fits_slim = {};
  Buffer<std::uint16_t> offset = {};  ///< slim ones: see SlimColumns
  Buffer<std::uint32_t> code = {};    ///< packed ones: see PackedColumns
  Buffer<std::int32_t> escaped = {};  ///< packed ones: see PackedColumns
  Buffer<double> value = {};          ///< of each entry; none where values lie by halves
  HalvedMemory halved = {};           ///< these then
  Buffer<ValuePlace> place = {};      ///< alike: of each slice
  std::size_t halved_entries = 0;     ///< alike

  /// Until the columns are made slim or packed.
  [[nodiscard]] SlicedView<FullColumns> full_view() const {
    return {slot.data(), {column.data()}, value.data()};
  }
  /// Once they are slim.
  [[nodiscard]] SlicedView<SlimColumns> slim_view() const {
    return {slot.data(), {base.data(), offset.data()}, value.data()};
  }
  /// Wherever their values lie.
  [[nodiscard]] std::size_t entries() const { return value.size() + halved_entries; }
  /// Bytes that one pass over it reads.
  [[nodiscard]] std::int64_t bytes() const {
    const std::size_t columns = packed ? base.bytes() + code.bytes() + escaped.bytes()
                                : slim ? base.bytes() + offset.bytes()
                                       : column.bytes();
    return static_cast<std::int64_t>(slot.bytes() + place.bytes() + entries() * sizeof(double) +
                                     columns);
  }
};

namespace detail {

inline constexpr std::int32_t empty_entry = -1;

/// The smallest column of each slot, and whether the others lie within 16 bits of it; columns for
/// empty entries.
template <int Height>
struct FindBases {
  std::int32_t* column = {};
  std::int32_t* base = {};
  std::int32_t* fits_slim = {};  ///< set to 0 where some slot does not fit

  void operator()(std::int64_t slot) const {
    std::int32_t* const mine = column + slot * Height;
    std::int32_t least = INT32_MAX;
    std::int32_t most = 0;
    std::int32_t nearest = empty_entry;
    for (int lane = Height - 1; lane >= 0; --lane) {
      if (mine[lane] != empty_entry) {
        nearest = mine[lane];
        least = nearest < least ? nearest : least;
        most = nearest > most ? nearest : most;
      }
    }
    base[slot] = least;
    if (most - least > UINT16_MAX) {
      *fits_slim = 0;
    }
    for (int lane = 0; lane < Height; ++lane) {
      if (mine[lane] == empty_entry) {
        mine[lane] = nearest;
      }
      nearest = mine[lane];
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

/// The base of each slot, or -1 where codes do not hold its columns.
template <int Height>
struct FindPackedBases {
  const std::int32_t* column = {};
  std::int32_t* base = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t slot) const {
    using Packed = PackedColumns<Height>;
    const std::int32_t* const mine = column + slot * Height;
    std::int32_t least = mine[0];
    std::int32_t most = mine[0];
    for (int lane = 1; lane < Height; ++lane) {
      const std::int32_t beyond = mine[lane] - lane;
      least = beyond < least ? beyond : least;
      most = beyond > most ? beyond : most;
    }
    const bool holds = most - least <= static_cast<std::int32_t>(Packed::mask);
    base[slot] = holds ? least + Packed::raised : -1;
  }
};

/// Slots of each slice that escapes; 0 for others.
struct CountEscaped {
  const std::int64_t* slot = {};
  const std::int32_t* base = {};
  std::int32_t* count = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t slice) const {
    bool escapes = false;
    for (std::int64_t n = slot[slice]; n < slot[slice + 1]; ++n) {
      escapes = escapes || base[n] < 0;
    }
    count[slice] = escapes ? static_cast<std::int32_t>(slot[slice + 1] - slot[slice]) : 0;
  }
};

/// Keeps the columns of slices that escape, lane by lane.
template <int Height>
struct KeepEscaped {
  const std::int64_t* slot = {};
  const std::int64_t* place = {};  ///< of the first slot of each slice
  const std::int32_t* column = {};
  std::int32_t* base = {};
  std::int32_t* escaped = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    const std::int64_t slice = row / Height;
    const std::int64_t lane = row % Height;
    const std::int64_t first = slot[slice];
    for (std::int64_t n = 0; n < place[slice + 1] - place[slice]; ++n) {
      escaped[(place[slice] + n) * Height + lane] = column[(first + n) * Height + lane];
      if (lane == 0) {
        base[first + n] = static_cast<std::int32_t>(-1 - place[slice] - n);
      }
    }
  }
};

/// Words of codes; 0 beyond the last slot and where slices escape.
template <int Height>
struct FillCodes {
  std::int64_t slots = {};
  const std::int32_t* column = {};
  const std::int32_t* base = {};
  std::uint32_t* code = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t word) const {
    using Packed = PackedColumns<Height>;
    const std::int64_t lane = word % Height;
    const std::int64_t first = word / Height * Packed::per_word;
    std::uint32_t codes = 0;
    for (int n = 0; n < Packed::per_word && first + n < slots; ++n) {
      const std::int32_t from = base[first + n];
      if (from >= 0) {
        const std::int64_t beyond =
            column[(first + n) * Height + lane] - lane - (from - Packed::raised);
        codes |= static_cast<std::uint32_t>(beyond) << static_cast<unsigned>(n * Packed::bits);
      }
    }
    code[word] = codes;
  }
};

}  // namespace detail

/// Makes room for the values of a matrix whose slots are known, slot after slot.
template <int Height>
struct PlainValues {
  /// In the executor's memory.
  template <class Executor>
  void operator()(const Executor& executor, Sliced& matrix, std::size_t /*number*/) const {
    matrix.value = executor.template make<double>(matrix.slots * Height);
  }
};

/// Room for slices of these widths, of several matrices of as many slices. `width` has slices + 1
/// elements for each matrix, one matrix after the other. make_values(executor, matrix, number)
/// makes the room for values.
template <int Height, std::size_t Matrices, class Executor, class MakeValues = PlainValues<Height>>
std::array<Sliced, Matrices> make_all_sliced(const Executor& executor, const std::int32_t* width,
                                             std::int64_t slices,
                                             const MakeValues& make_values = {}) {
  std::array<Sliced, Matrices> matrices = {};
  std::array<std::int64_t*, Matrices> slot = {};
  for (std::size_t n = 0; n < Matrices; ++n) {
    matrices[n].slices = slices;
    matrices[n].slot = executor.template make<std::int64_t>(slices + 1);
    slot[n] = matrices[n].slot.data();
  }
  const auto slots = executor.exclusive_sums(width, slices, slot);
  const auto make_columns = [&](std::size_t n) {
    Sliced& matrix = matrices[n];
    matrix.slots = slots[n];
    matrix.column = executor.template make<std::int32_t>(matrix.slots * Height);
    if constexpr (Executor::space == MemorySpace::host) {
      matrix.base = executor.template make<std::int32_t>(matrix.slots);
      matrix.fits_slim = executor.template make<std::int32_t>(1);
    }
  };
  // What finds no room in a region has memory of its own: rather values, which may lie elsewhere in
  // any case, than columns, and rather all of the last matrix, which estimates leave out, than
  // parts of the others.
  for (std::size_t n = 0; n + 1 < Matrices; ++n) {
    make_columns(n);
  }
  for (std::size_t n = 0; n + 1 < Matrices; ++n) {
    make_values(executor, matrices[n], n);
  }
  make_columns(Matrices - 1);
  make_values(executor, matrices[Matrices - 1], Matrices - 1);
  return matrices;
}

/// The same for one matrix.
template <int Height, class Executor, class MakeValues = PlainValues<Height>>
Sliced make_sliced(const Executor& executor, const std::int32_t* width, std::int64_t slices,
                   const MakeValues& make_values = {}) {
  return std::move(make_all_sliced<Height, 1>(executor, width, slices, make_values).front());
}

/// Fills matrices of as many slices that hold parts of the same rows, on CPUs: fill_row(row) puts a
/// row's entries into them, and the others are then given a column. `classes` of slices are worked
/// on one after the other: a thread fills its share of each, so that pages lie on its NUMA node.
template <int Height, std::size_t Parts, class Executor, class FillRow>
void fill_sliced(const Executor& executor, const std::array<Sliced*, Parts>& matrices,
                 const std::vector<Range>& classes, const FillRow& fill_row) {
  static_assert(Executor::space == MemorySpace::host);
  for (const Sliced* matrix : matrices) {
    executor.fill(matrix->fits_slim.data(), 1, std::int32_t{1});
  }
  executor.each_in(classes, detail::FillSlice<Height, Parts, FillRow>{matrices, fill_row});
}

/// Whether 16 bits hold the columns of a filled matrix; on CPUs.
template <class Executor>
bool fits_slim(const Executor& executor, const Sliced& matrix) {
  static_assert(Executor::space == MemorySpace::host);
  return executor.to_host(matrix.fits_slim.data(), 1).front() != 0;
}

/// Makes the columns of a filled matrix slim; they fit. On CPUs.
template <int Height, class Executor>
void make_slim(const Executor& executor, Sliced& matrix) {
  static_assert(Executor::space == MemorySpace::host);
  const std::int64_t entries = matrix.slots * Height;
  matrix.offset = executor.template make<std::uint16_t>(entries);
  executor.each(entries, detail::FillOffsets<Height>{matrix.column.data(), matrix.base.data(),
                                                     matrix.offset.data()});
  executor.synchronize();
  matrix.column = {};
  matrix.slim = true;
}

/// Packs the columns of a filled matrix.
template <int Height, class Executor>
void pack(const Executor& executor, Sliced& matrix) {
  using Packed = PackedColumns<Height>;
  // Bases are copied by fours, and a word more of each lane is loaded than the last slots need.
  matrix.base = executor.template make<std::int32_t>(matrix.slots + 3);
  executor.fill(matrix.base.data(), matrix.slots + 3, std::int32_t{0});
  const std::int32_t* const column = matrix.column.data();
  std::int32_t* const base = matrix.base.data();
  executor.each(matrix.slots, detail::FindPackedBases<Height>{column, base});
  const auto count = executor.template make<std::int32_t>(matrix.slices + 1);
  const auto place = executor.template make<std::int64_t>(matrix.slices + 1);
  executor.each(matrix.slices, detail::CountEscaped{matrix.slot.data(), base, count.data()});
  const std::int64_t escaped = executor.exclusive_sum(count.data(), matrix.slices, place.data());
  matrix.escaped = executor.template make<std::int32_t>(escaped * Height);
  executor.each(matrix.slices * Height,
                detail::KeepEscaped<Height>{matrix.slot.data(), place.data(), column, base,
                                            matrix.escaped.data()});
  const std::int64_t words = (matrix.slots / Packed::per_word + 2) * Height;
  matrix.code = executor.template make<std::uint32_t>(words);
  executor.each(words, detail::FillCodes<Height>{matrix.slots, column, base, matrix.code.data()});
  executor.synchronize();
  matrix.column = {};
  matrix.packed = true;
}

}  // namespace bankfull
