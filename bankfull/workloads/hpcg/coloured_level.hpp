#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/base/unrolled.hpp"
#include "bankfull/core/exec/side_by_side.hpp"
#include "bankfull/numerics/sparse/colouring.hpp"
#include "bankfull/numerics/sparse/row_classes.hpp"
#include "bankfull/numerics/sparse/sliced.hpp"
#include "bankfull/workloads/hpcg/class_order.hpp"
#include "bankfull/workloads/hpcg/level.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bankfull::hpcg {

/// Some slots of a slice.
struct SlotRange {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  [[nodiscard]] constexpr std::int32_t size() const { return end - begin; }
};

/// One level as the tuned solver stores it: rows in the order of their colours, entries split into
/// lower, upper and outer part.
///
/// Vectors have `vector_size` elements: the rows, the columns of other ranks, and a last one.
struct ColouredLevel {
  RowClasses order = {};
  Sliced lower = {};             ///< entries to classes before the row's own
  Sliced upper = {};             ///< to classes after it
  Sliced outer = {};             ///< to other ranks
  Buffer<double> diagonal = {};  ///< 1 for empty rows
  std::int64_t outer_columns = 0;
  std::vector<ListNeighbour> neighbours = {};

  Range coarse_classes = {};  ///< which hold all rows of the coarser level
  /// The coarser level's row of each row of these classes; -1 where there is none.
  Buffer<std::int32_t> coarse_row = {};
  /// For each slice, the slots of `upper` with columns of these classes: its last ones.
  Buffer<SlotRange> coarse_slots = {};
  /// These slots once more, for the sweep that reads no others of `upper`: in one stream. On CPUs
  /// where there are any, on GPUs where sweeps are pipelined.
  Sliced coarse_upper = {};

  [[nodiscard]] std::int64_t rows() const { return order.rows; }
  [[nodiscard]] std::int64_t vector_size() const { return order.rows + outer_columns; }

  /// The rows of the classes that hold coarse rows, up to the next class: whole slices.
  [[nodiscard]] Range coarse_range() const {
    if (coarse_classes.size() == 0) {
      return {};
    }
    const auto begin = static_cast<std::size_t>(coarse_classes.begin);
    const auto end = static_cast<std::size_t>(coarse_classes.end);
    return {order.classes[begin].interior.begin,
            end < order.classes.size() ? order.classes[end].interior.begin : order.rows};
  }

  /// The slices of each class, together all of them; classes begin with slices.
  [[nodiscard]] std::vector<Range> classes_of_slices(int height) const {
    std::vector<Range> classes;
    for (std::size_t n = 0; n < order.classes.size(); ++n) {
      const Range rows = order.padded(n);
      classes.push_back({rows.begin / height, rows.end / height});
    }
    return classes;
  }

  /// Bytes of the data that this level adds.
  [[nodiscard]] std::int64_t bytes() const {
    return lower.bytes() + upper.bytes() + outer.bytes() + coarse_upper.bytes() +
           static_cast<std::int64_t>(diagonal.bytes() + coarse_row.bytes() + coarse_slots.bytes() +
                                     order.new_of.bytes() + order.old_of.bytes() +
                                     order.side_of.bytes());
  }
};

inline std::int64_t bytes_of(const std::vector<ColouredLevel>& levels) {
  return std::accumulate(
      levels.begin(), levels.end(), std::int64_t{0},
      [](std::int64_t bytes, const ColouredLevel& level) { return bytes + level.bytes(); });
}

namespace detail {

/// Classes of rows, at most.
inline constexpr std::size_t max_classes = 32;

/// Where a class's slots begin within a slice's part. Rows of a slice may be connected to different
/// classes: each class has as many slots as the row with most entries to it.
using FirstSlot = std::uint16_t;
static_assert((max_classes + 1) * max_entries <= std::numeric_limits<FirstSlot>::max(),
              "the slots of a slice can be numbered");

/// The entries of one row in the new order, by the classes of their columns.
struct NewEntries {
  int count = 0;
  std::int64_t first = 0;  ///< entry of the matrix
  std::int32_t column[max_entries] = {};
  std::uint8_t group[max_entries] = {};  ///< a column's class; the next number for other ranks'
};

struct ReadRow {
  CsrView matrix = {};
  const std::int32_t* new_of = {};
  const Side* side_of = {};
  std::int64_t new_rows = {};
  int classes = {};

  BANKFULL_HOST_DEVICE NewEntries operator()(std::int64_t row) const {
    NewEntries result;
    result.first = matrix.start[row];
    result.count = static_cast<int>(matrix.start[row + 1] - result.first);
    unrolled<max_entries>([&](int n) {
      if (n < result.count) {
        const std::int32_t column = matrix.column[result.first + n];
        const bool own = column < matrix.rows;
        result.column[n] =
            own ? new_of[column] : static_cast<std::int32_t>(new_rows + column - matrix.rows);
        result.group[n] = static_cast<std::uint8_t>(own ? side_of[column] / 2 : classes);
      }
    });
    return result;
  }
};

/// The classes by their first rows; plain data for kernels.
struct ClassBegins {
  int count = 0;
  std::int32_t begin[max_classes + 1] = {};  ///< and the end of the last one

  [[nodiscard]] BANKFULL_HOST_DEVICE int class_of(std::int64_t row) const {
    int number = 0;
    for (int n = 1; n < count; ++n) {
      number += row >= begin[n] ? 1 : 0;
    }
    return number;
  }
};

inline ClassBegins begins_of(const RowClasses& order) {
  if (order.classes.size() > max_classes) {
    throw RuntimeFailure("the matrix needs " + std::to_string(order.classes.size()) +
                         " colours; this solver takes " + std::to_string(max_classes));
  }
  ClassBegins result = {};
  for (const RowClass& rows : order.classes) {
    result.begin[result.count++] = static_cast<std::int32_t>(rows.interior.begin);
  }
  result.begin[result.count] = static_cast<std::int32_t>(order.rows);
  return result;
}

/// Entries of each new row by the class of their column; those to other ranks come last.
struct CountByClass {
  ReadRow read = {};
  const std::int32_t* old_of = {};
  std::uint8_t* count = {};  ///< classes + 1 of each row

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    std::uint8_t* const mine = count + row * (read.classes + 1);
    for (int n = 0; n <= read.classes; ++n) {
      mine[n] = 0;
    }
    if (old_of[row] < 0) {
      return;
    }
    const NewEntries entries = read(old_of[row]);
    for (int n = 0; n < entries.count; ++n) {
      if (entries.column[n] != row) {
        ++mine[entries.group[n]];
      }
    }
  }
};

/// Places the slots of slices: entries to one class lie in the same slots for all rows, so that
/// what neighbouring rows read lies side by side.
struct PlaceSlots {
  ClassBegins classes = {};
  Range coarse_classes = {};
  FirstSlot* first = {};  ///< classes + 1 of each slice: a class's first slot in its part
  std::int32_t* lower = {};
  std::int32_t* upper = {};
  std::int32_t* outer = {};
  SlotRange* coarse_slots = {};
  std::uint8_t* fullest = {};  ///< the lane of each slice with the most entries

  /// `own` is the class of the slice; `widest` has for each class, and for other ranks, the most
  /// entries to it that a row of the slice has.
  BANKFULL_HOST_DEVICE void operator()(std::int64_t slice, int own, const int* widest,
                                       int fullest_lane) const {
    const int groups = classes.count + 1;
    fullest[slice] = static_cast<std::uint8_t>(fullest_lane);
    lower[slice] = place(slice, 0, own, widest);
    upper[slice] = place(slice, own + 1, classes.count, widest);
    outer[slice] = place(slice, classes.count, groups, widest);
    first[slice * groups + own] = 0;
    const auto after = [](std::int64_t a, std::int64_t b) { return a > b ? a : b; };
    const std::int64_t begin = after(own + 1, coarse_classes.begin);
    const std::int64_t end = after(begin, coarse_classes.end);
    const auto slot_of = [&](std::int64_t group) {
      return group >= classes.count ? upper[slice] : std::int32_t{first[slice * groups + group]};
    };
    coarse_slots[slice] = {slot_of(begin), slot_of(end)};
  }

 private:
  BANKFULL_HOST_DEVICE int place(std::int64_t slice, int begin, int end, const int* widest) const {
    int slots = 0;
    for (int n = begin; n < end; ++n) {
      first[slice * (classes.count + 1) + n] = static_cast<FirstSlot>(slots);
      slots += widest[n];
    }
    return slots;
  }
};

/// Plans the slots of each slice from the entries of its rows, on a CPU.
template <int Height>
struct PlanSlices {
  const std::uint8_t* count = {};  ///< see CountByClass
  PlaceSlots place = {};

  void operator()(std::int64_t slice) const {
    const int groups = place.classes.count + 1;
    std::array<int, max_classes + 1> widest = {};
    int most = -1;
    int fullest = 0;
    for (int lane = 0; lane < Height; ++lane) {
      const std::uint8_t* const mine = count + (slice * Height + lane) * groups;
      int entries = 0;
      for (int n = 0; n < groups; ++n) {
        const auto group = static_cast<std::size_t>(n);
        widest[group] = std::max(widest[group], int{mine[n]});
        entries += mine[n];
      }
      if (entries > most) {
        most = entries;
        fullest = lane;
      }
    }
    place(slice, place.classes.class_of(slice * Height), widest.data(), fullest);
  }
};

/// From slots counted within a slice to slots of the part.
struct ShiftSlots {
  const std::int64_t* slot = {};
  SlotRange* range = {};
  BANKFULL_HOST_DEVICE void operator()(std::int64_t slice) const {
    range[slice].begin += static_cast<std::int32_t>(slot[slice]);
    range[slice].end += static_cast<std::int32_t>(slot[slice]);
  }
};

/// Where a part's entries go.
struct PartEntries {
  const std::int64_t* slot = {};
  std::int32_t* column = {};
  double* value = {};
  const ValuePlace* place = {};  ///< where values lie by halves: on GPUs

  static PartEntries of(const Sliced& part) {
    const bool plain = part.place.size() == 0;
    return {part.slot.data(), part.column.data(),
            plain ? part.value.data() : reinterpret_cast<double*>(part.halved.view().memory),
            plain ? nullptr : part.place.data()};
  }
};

/// The parts of a level's rows.
struct LevelParts {
  PartEntries lower = {};
  PartEntries upper = {};
  PartEntries outer = {};
};

/// The columns of the fullest row of a slice, which tell shorter rows their slots: what lies beside
/// an entry of that row goes into the same slot. Otherwise a row at the end of a line of a grid,
/// say, would have in each slot columns far from its neighbours' ones.
struct FullestRow {
  bool known = false;
  std::int64_t row = 0;
  NewEntries entries = {};
  std::uint8_t count[max_classes + 1] = {};

  /// The slot, from `slot` on, for a column of another row, of which `left` entries of the group
  /// are still without a slot.
  [[nodiscard]] BANKFULL_HOST_DEVICE int slot_for(std::int32_t column, std::int64_t of_row,
                                                  int group, int slot, int left) const {
    std::int64_t distance = INT64_MAX;
    int place = 0;
    int best = slot;
    for (int n = 0; n < entries.count; ++n) {
      if (entries.group[n] != group || entries.column[n] == row) {
        continue;
      }
      const std::int64_t beside = entries.column[n] + of_row - row;
      const std::int64_t away = column > beside ? column - beside : beside - column;
      if (place >= slot && place + left <= count[group] && away < distance) {
        distance = away;
        best = place;
      }
      ++place;
    }
    return best;
  }
};

/// Puts the entries of a row into its parts; those to one class keep the matrix's order.
template <int Height>
struct FillParts {
  ReadRow read = {};
  const std::int32_t* old_of = {};
  const std::uint8_t* fullest = {};
  const FirstSlot* first = {};
  LevelParts parts = {};
  double* diagonal = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    if (old_of[row] < 0) {
      diagonal[row] = 1.0;
      return;
    }
    const NewEntries entries = read(old_of[row]);
    std::uint8_t left[max_classes + 1] = {};
    count_groups(entries, row, left);
    const FullestRow model = model_of(row, entries.count);
    std::uint8_t next[max_classes + 1] = {};
    for (int n = 0; n < entries.count; ++n) {
      const double value = read.matrix.value[entries.first + n];
      if (entries.column[n] == row) {
        diagonal[row] = value;
        continue;
      }
      const std::uint8_t group = entries.group[n];
      int slot = next[group];
      if (model.known && slot + left[group] < model.count[group]) {
        slot = model.slot_for(entries.column[n], row, group, slot, left[group]);
      }
      put(row, group, slot, entries.column[n], value);
      next[group] = static_cast<std::uint8_t>(slot + 1);
      --left[group];
    }
  }

 private:
  static BANKFULL_HOST_DEVICE void count_groups(const NewEntries& entries, std::int64_t row,
                                                std::uint8_t* count) {
    for (int n = 0; n < entries.count; ++n) {
      count[entries.group[n]] += entries.column[n] == row ? 0 : 1;
    }
  }

  /// The fullest row of the slice if a row of so many entries is shorter.
  [[nodiscard]] BANKFULL_HOST_DEVICE FullestRow model_of(std::int64_t row, int count) const {
    FullestRow model;
    model.row = row / Height * Height + fullest[row / Height];
    const std::int64_t old = old_of[model.row];
    model.known = read.matrix.start[old + 1] - read.matrix.start[old] > count;
    if (model.known) {
      model.entries = read(old);
      count_groups(model.entries, model.row, model.count);
    }
    return model;
  }

  /// An entry into a slot of its group.
  BANKFULL_HOST_DEVICE void put(std::int64_t row, int group, int slot, std::int32_t column,
                                double value) const {
    const std::int64_t slice = row / Height;
    const int place = first[slice * (read.classes + 1) + group] + slot;
    const PartEntries& part = group == read.classes ? parts.outer
                              : column < row        ? parts.lower
                                                    : parts.upper;
    const std::int64_t at = (part.slot[slice] + place) * Height + row % Height;
    part.column[at] = column;
    part.value[at] = value;
  }
};

/// The coarser level's row of a fine row, both in their new orders.
struct MapCoarse {
  const std::int32_t* fine_row = {};
  const std::int32_t* fine_new_of = {};
  const std::int32_t* coarse_new_of = {};
  std::int64_t begin = {};  ///< of the rows that coarse_row is about
  std::int32_t* coarse_row = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    coarse_row[fine_new_of[fine_row[row]] - begin] = coarse_new_of[row];
  }
};

struct GatherColours {
  const Colour* colours = {};
  const std::int32_t* rows = {};
  Colour* gathered = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t n) const { gathered[n] = colours[rows[n]]; }
};

/// For each colour, rows of the coarser level that have it.
template <class Executor>
std::vector<std::int64_t> coarse_rows_of(const Executor& executor, const Colour* colours, int count,
                                         const Level* coarser) {
  if (coarser == nullptr) {
    return std::vector<std::int64_t>(static_cast<std::size_t>(count), 0);
  }
  const std::int64_t rows = coarser->matrix.rows;
  const auto gathered = executor.template make<Colour>(rows);
  executor.each(rows, GatherColours{colours, coarser->fine_row.data(), gathered.data()});
  return executor.histogram(gathered.data(), rows, count);
}

}  // namespace detail

namespace detail {

// On a GPU a warp has a row; the same on a CPU is FillParts and what it goes by.

/// Queues PlaceSlots for all slices, of 32 rows.
void plan_slices(const CudaExecutor& executor, const ReadRow& read, const std::int32_t* old_of,
                 const PlaceSlots& place);

/// Queues the filling of all slices, with columns for their empty entries.
void fill_slices(const CudaExecutor& executor, const ReadRow& read, const std::int32_t* old_of,
                 const PlaceSlots& place, const LevelParts& parts, double* diagonal);

}  // namespace detail

/// The number of the part with the columns of other ranks, after the lower and the upper one.
inline constexpr std::size_t outer_part = 2;

/// Splits the rows of a level that is in order. make_values(executor, part, number) makes the room
/// for the values of a part.
template <int Height, class Executor, class MakeValues = PlainValues<Height>>
void split_entries(const Executor& executor, const Level& level, ColouredLevel& result,
                   const MakeValues& make_values = {}) {
  constexpr bool by_warps = Executor::space == MemorySpace::device;
  static_assert(!by_warps || Height == 32, "a warp has a slice");
  const std::int64_t rows = result.order.rows;
  const std::int64_t slices = rows / Height;
  const detail::ClassBegins classes = detail::begins_of(result.order);
  const detail::ReadRow read{level.matrix.view(), result.order.new_of.data(),
                             result.order.side_of.data(), rows, classes.count};
  const std::int32_t* const old_of = result.order.old_of.data();
  const auto first = executor.template make<detail::FirstSlot>(slices * (classes.count + 1));
  const auto fullest = executor.template make<std::uint8_t>(slices);
  const auto width = executor.template make<std::int32_t>(3 * (slices + 1));
  result.coarse_slots = executor.template make<SlotRange>(slices);
  const detail::PlaceSlots place{classes,
                                 result.coarse_classes,
                                 first.data(),
                                 width.data(),
                                 width.data() + slices + 1,
                                 width.data() + 2 * (slices + 1),
                                 result.coarse_slots.data(),
                                 fullest.data()};
  if constexpr (by_warps) {
    detail::plan_slices(executor, read, old_of, place);
  } else {
    const auto count = executor.template make<std::uint8_t>(rows * (classes.count + 1));
    executor.each(rows, detail::CountByClass{read, old_of, count.data()});
    executor.each(slices, detail::PlanSlices<Height>{count.data(), place});
  }
  auto made = make_all_sliced<Height, 3>(executor, width.data(), slices, make_values);
  result.lower = std::move(made[0]);
  result.upper = std::move(made[1]);
  result.outer = std::move(made[2]);
  if (result.upper.slots > INT32_MAX) {
    throw RuntimeFailure("a level has too many rows for one rank's sweeps: use more ranks");
  }
  executor.each(slices, detail::ShiftSlots{result.upper.slot.data(), result.coarse_slots.data()});
  result.diagonal = executor.template make<double>(rows);
  using detail::PartEntries;
  const detail::LevelParts parts{PartEntries::of(result.lower), PartEntries::of(result.upper),
                                 PartEntries::of(result.outer)};
  if constexpr (by_warps) {
    detail::fill_slices(executor, read, old_of, place, parts, result.diagonal.data());
  } else {
    fill_sliced<Height>(executor, std::array{&result.lower, &result.upper, &result.outer},
                        result.classes_of_slices(Height),
                        detail::FillParts<Height>{read, old_of, fullest.data(), first.data(), parts,
                                                  result.diagonal.data()});
  }
}

/// A level in the order of its greedy colours, in slices of `Height` rows; classes begin with
/// multiples of `alignment`. Of coarse rows it says that there are none. See split_entries for
/// `make_values`.
template <int Height, class Executor, class MakeValues>
ColouredLevel colour_level(const Executor& executor, const std::vector<Level>& levels,
                           std::size_t number, std::int64_t alignment, Boundary boundary,
                           const MakeValues& make_values) {
  const Level& level = levels[number];
  const Level* coarser = number + 1 < levels.size() ? &levels[number + 1] : nullptr;
  const CsrView matrix = level.matrix.view();
  const auto colours = executor.template make<Colour>(matrix.rows);
  const int count = colour_greedily(executor, matrix, colours.data());
  const auto coarse_rows = detail::coarse_rows_of(executor, colours.data(), count, coarser);
  const std::vector<Colour> order = class_order(number, coarse_rows);
  ColouredLevel result = {};
  result.order = order_by_colour(executor, matrix, colours.data(), order, alignment, boundary);
  result.outer_columns = matrix.columns - matrix.rows;
  result.coarse_classes = coarse_classes(order, coarse_rows);
  expects(result.coarse_classes.size() == 0 || result.coarse_classes.end == count,
          "the classes with coarse rows are the last ones");
  split_entries<Height>(executor, level, result, make_values);
  if (coarser != nullptr) {
    result.coarse_row = executor.template make<std::int32_t>(result.coarse_range().size());
    executor.fill(result.coarse_row.data(), result.coarse_range().size(), std::int32_t{-1});
  }
  result.neighbours = renumbered(executor, level.geometry.neighbours, result.order.new_of.data());
  for (ListNeighbour& neighbour : result.neighbours) {
    neighbour.received_begin += result.order.rows - matrix.rows;
  }
  return result;
}

/// Collective: makes the columns of both halves of all levels slim, or of none if they do not fit
/// everywhere, on all ranks alike; returns whether they did. Columns of other ranks keep their full
/// size: they are few, and far apart at edges.
template <int Height, class Executor>
bool make_slim(const Executor& executor, const Communicator& ranks,
               std::vector<ColouredLevel>& levels) {
  std::vector<Sliced*> parts = {};
  for (ColouredLevel& level : levels) {
    parts.insert(parts.end(), {&level.lower, &level.upper});
  }
  const bool fit = ranks.all(std::all_of(
      parts.begin(), parts.end(), [&](const Sliced* part) { return fits_slim(executor, *part); }));
  for (Sliced* part : parts) {
    if (fit) {
      bankfull::make_slim<Height>(executor, *part);
    }
  }
  return fit;
}

/// Packs the columns of both halves of these levels.
template <int Height, class Executor>
void pack(const Executor& executor, std::span<ColouredLevel> levels) {
  for (ColouredLevel& level : levels) {
    for (Sliced* const part : {&level.lower, &level.upper, &level.coarse_upper}) {
      if (part->slices > 0) {
        bankfull::pack<Height>(executor, *part);
      }
    }
  }
}

/// A part by its columns.
template <class Columns>
SlicedView<Columns> sliced_view(const Sliced& part) {
  if constexpr (std::is_same_v<Columns, FullColumns>) {
    return part.full_view();
  } else if constexpr (std::is_same_v<Columns, SlimColumns>) {
    return part.slim_view();
  } else {
    return {part.slot.data(),
            {part.base.data(), part.code.data(), part.escaped.data()},
            part.value.data()};
  }
}

/// The same whose values lie by halves.
template <class Columns>
SlicedView<Halved<Columns>> halved_view(const Sliced& part) {
  const SlicedView<Columns> view = sliced_view<Columns>(part);
  return {view.slot,
          {view.columns, part.place.data()},
          reinterpret_cast<const double*>(part.halved.view().memory)};
}

/// The storage of such columns in a backend.
template <class Columns>
inline constexpr ColumnIndices column_indices_of =
    std::is_same_v<Columns, FullColumns> ? ColumnIndices::full : ColumnIndices::slim;

/// How a solver by half sweeps keeps columns, if not as was wanted or not in full.
template <class Columns>
std::string columns_note(ColumnIndices wanted) {
  constexpr const char* unsettled =
      "without loss; whether an official run may do so is not settled";
  if constexpr (std::is_same_v<Columns, FullColumns>) {
    return wanted == ColumnIndices::full ? ""
                                         : "the columns do not fit 16-bit offsets, on some rank at "
                                           "least: they are kept as 32 bits";
  } else if constexpr (std::is_same_v<Columns, SlimColumns>) {
    return std::string("column indices are kept as 16-bit offsets, ") + unsettled;
  } else {
    return "column indices are kept as codes of " + std::to_string(Columns::bits) +
           " bits, and as 32 bits in slices that these do not suffice for, " + unsettled;
  }
}

/// Notes for results of half sweeps.
template <class Columns>
std::vector<std::string> half_sweep_notes(ColumnIndices wanted) {
  std::vector<std::string> notes{
      "dot products are computed in SpMV, MG and the vector updates: DDOT covers only the rest, "
      "sums over blocks and ranks where these are left and count as no other part",
      "sweeps keep U x and read half of the matrix: the preconditioner is the benchmark's, only "
      "rounding errors differ",
      "residuals are formed where the restriction takes them"};
  if (std::string note = columns_note<Columns>(wanted); !note.empty()) {
    notes.push_back(std::move(note));
  }
  return notes;
}

namespace detail {

/// Off-diagonal entries of a level's slices, empty ones included, at most where the matrix is that
/// of a grid and without the slots of other ranks' columns. Rows at faces are shorter than others
/// of their slices: 1 % of the entries are empty at 104^3, 4 % at 16^3.
inline std::int64_t sliced_entries(const Csr& matrix) {
  const std::int64_t stored = matrix.entries - matrix.rows;
  const std::int64_t most = (max_entries - 1) * matrix.rows;
  return std::min(most, stored + stored / 4);
}

/// About the bytes of a coloured level: off-diagonal entries with their columns, the diagonal and
/// orders of each row, and what is needed until these are complete.
inline std::int64_t coloured_bytes(const Level& level, ColumnIndices columns) {
  constexpr std::int64_t entry_bytes = sizeof(double) + sizeof(std::int32_t);
  constexpr std::int64_t row_bytes = sizeof(double) + 2 * sizeof(std::int32_t) + sizeof(Side);
  constexpr std::int64_t more_bytes = 4;
  constexpr std::int64_t ends_of_classes = 1 << 19;
  const std::int64_t of_rows = level.matrix.rows * (row_bytes + more_bytes) + ends_of_classes;
  // Full columns that are to be packed go back to the system.
  return of_rows +
         (columns == ColumnIndices::full ? sliced_entries(level.matrix) * entry_bytes : 0);
}

}  // namespace detail

/// What is done with each level, beside the others, once it is coloured: nothing.
template <int Height>
struct NothingMore {
  /// That it needs in the region of level n.
  [[nodiscard]] static std::int64_t bytes(std::size_t /*n*/) { return 0; }
  /// What makes the room for the values of level n; see split_entries.
  [[nodiscard]] static PlainValues<Height> values_of(std::size_t /*n*/) { return {}; }
  /// With the executor of level n. Other levels may not be complete yet.
  template <class Executor>
  void operator()(const Executor& /*executor*/, const std::vector<ColouredLevel>& /*levels*/,
                  std::size_t /*n*/) const {}
};

/// All levels, the finest first; alignment_of(level) is what a level's classes are aligned to, and
/// `columns` how they are to be kept in the end. `more` is done with each; see NothingMore.
template <int Height, class Executor, class AlignmentOf, class More = NothingMore<Height>>
std::vector<ColouredLevel> colour_levels(const Executor& executor, const std::vector<Level>& levels,
                                         const AlignmentOf& alignment_of, Boundary boundary,
                                         ColumnIndices columns = ColumnIndices::full,
                                         More&& more = {}) {
  std::vector<ColouredLevel> result(levels.size());
  std::vector<std::int64_t> bytes;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    bytes.push_back(detail::coloured_bytes(levels[n], columns) + more.bytes(n));
  }
  side_by_side(executor, bytes, [&](const Executor& own, std::size_t n) {
    result[n] =
        colour_level<Height>(own, levels, n, alignment_of(levels[n]), boundary, more.values_of(n));
    more(own, result, n);
  });
  for (std::size_t n = 0; n + 1 < levels.size(); ++n) {
    executor.each(levels[n + 1].matrix.rows,
                  detail::MapCoarse{levels[n + 1].fine_row.data(), result[n].order.new_of.data(),
                                    result[n + 1].order.new_of.data(),
                                    result[n].coarse_range().begin, result[n].coarse_row.data()});
  }
  return result;
}

}  // namespace bankfull::hpcg
