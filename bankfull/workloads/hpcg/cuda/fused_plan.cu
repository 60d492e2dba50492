#include "bankfull/workloads/hpcg/cuda/fused_plan.cuh"

#include <algorithm>
#include <array>
#include <limits>

namespace bankfull::hpcg::cuda::fused {
namespace {

constexpr std::uint8_t no_slot = std::numeric_limits<std::uint8_t>::max();

/// What a plan must know about a slice.
struct SliceFacts {
  std::uint32_t rows;
  std::int32_t lower_slot;
  std::int32_t upper_slot;
  SlotRange coarse;
  std::uint16_t lower_slots;
  std::uint16_t upper_slots;
  std::uint8_t early_lower;
  std::uint8_t early_upper;
};

struct FindFacts {
  hpcg::detail::ClassBegins classes;
  const std::int32_t* old_of;
  SlicedView<FullColumns> lower;
  SlicedView<FullColumns> upper;
  const SlotRange* coarse_slots;
  SliceFacts* facts;

  __device__ void operator()(std::int64_t slice) const {
    SliceFacts found{};
    for (int lane = 0; lane < slice_height; ++lane) {
      found.rows |= old_of[slice * slice_height + lane] >= 0 ? 1U << lane : 0U;
    }
    found.lower_slot = static_cast<std::int32_t>(lower.slot[slice]);
    found.upper_slot = static_cast<std::int32_t>(upper.slot[slice]);
    found.lower_slots = static_cast<std::uint16_t>(lower.slot[slice + 1] - lower.slot[slice]);
    found.upper_slots = static_cast<std::uint16_t>(upper.slot[slice + 1] - upper.slot[slice]);
    found.coarse = coarse_slots[slice];
    // Forward sweeps come to the classes of the last slots last, backward ones to those of the
    // first.
    found.early_lower = early(lower, found.lower_slot, found.lower_slots, -1);
    found.early_upper = early(upper, found.upper_slot, found.upper_slots, 1);
    facts[slice] = found;
  }

 private:
  /// The first slot of another class than that of the slot at the end which is swept last.
  __device__ std::uint8_t early(const SlicedView<FullColumns>& part, std::int64_t first, int slots,
                                int direction) const {
    const auto class_at = [&](int n) {
      return classes.class_of(part.columns.column[(first + n) * slice_height]);
    };
    const int last = direction > 0 ? 0 : slots - 1;
    for (int n = last; n >= 0 && n < slots && slots < no_slot; n += direction) {
      if (class_at(n) != class_at(last)) {
        return static_cast<std::uint8_t>(n);
      }
    }
    return no_slot;
  }
};

/// A level as the planner sees it.
struct LevelSlices {
  std::vector<Range> classes;  ///< of slices that are not empty
  Range coarse_classes;
  std::vector<SliceFacts> facts;
};

LevelSlices read_level(const CudaExecutor& executor, const ColouredLevel& level) {
  const std::int64_t slices = level.rows() / slice_height;
  const auto facts = executor.make<SliceFacts>(slices);
  executor.each(slices, FindFacts{hpcg::detail::begins_of(level.order), level.order.old_of.data(),
                                  sliced_view<FullColumns>(level.lower),
                                  sliced_view<FullColumns>(level.upper), level.coarse_slots.data(),
                                  facts.data()});
  LevelSlices result{.classes = {},
                     .coarse_classes = level.coarse_classes,
                     .facts = executor.to_host(facts.data(), slices)};
  for (const RowClass& rows : level.order.classes) {
    const Range all = rows.all();
    result.classes.push_back(
        {all.begin / slice_height, (all.end + slice_height - 1) / slice_height});
  }
  return result;
}

/// Where the items of a warp go in its ring, one after the other.
class RingPlaces {
 public:
  explicit RingPlaces(unsigned ring_bytes) : ring_bytes_(ring_bytes) {}

  void place(Item& item, unsigned bytes) {
    const unsigned begin = head_ + bytes > ring_bytes_ ? 0U : head_;
    const auto in_the_way = [&](std::int64_t number) {
      const Held& held = held_[static_cast<std::size_t>(number % max_ahead)];
      return held.begin < begin + bytes && begin < held.end;
    };
    std::int64_t needed = std::max(oldest_, number_ - max_ahead + 1);
    for (std::int64_t n = needed; n < number_; ++n) {
      needed = in_the_way(n) ? n + 1 : needed;
    }
    oldest_ = needed;
    held_[static_cast<std::size_t>(number_ % max_ahead)] = {begin, begin + bytes};
    item.offset = begin;
    item.distance = static_cast<std::uint8_t>(number_ + 1 - oldest_);
    head_ = begin + bytes;
    ++number_;
  }

 private:
  struct Held {
    unsigned begin;
    unsigned end;
  };

  unsigned ring_bytes_;
  unsigned head_ = 0;
  std::int64_t number_ = 0;
  std::int64_t oldest_ = 0;  ///< the first item that may still hold its bytes
  std::array<Held, max_ahead> held_ = {};
};

class Planner {
 public:
  Planner(const std::vector<LevelSlices>& levels, std::size_t first, int blocks,
          unsigned ring_bytes)
      : levels_(levels), first_(first), blocks_(blocks), ring_bytes_(ring_bytes) {}

  void run() {
    for (block_ = 0; block_ < blocks_; ++block_) {
      places_.assign(warps, RingPlaces(ring_bytes_));
      for (auto& list : lists_) {
        list.clear();
      }
      add_cycle(first_);
      for (const auto& list : lists_) {
        begin.push_back(static_cast<std::int32_t>(items.size()));
        items.insert(items.end(), list.begin(), list.end());
      }
    }
    begin.push_back(static_cast<std::int32_t>(items.size()));
  }

  std::vector<Item> items;
  std::vector<std::int32_t> begin;
  bool fits = true;

 private:
  void add_cycle(std::size_t level) {
    add(level, Step::from_zero);
    add(level, Step::after_zero);
    if (level + 1 < levels_.size()) {
      add(level, Step::restriction);
      add_cycle(level + 1);
      add(level, Step::prolongation);
      add(level, Step::again);
      add(level, Step::back_again);
    }
  }

  /// The block's part of a class. Where classes cannot be divided evenly, they give more of their
  /// slices to different blocks.
  [[nodiscard]] Range share(const LevelSlices& level, std::int64_t number) const {
    const Range& slices = level.classes[static_cast<std::size_t>(number)];
    const auto classes = static_cast<std::int64_t>(level.classes.size());
    const auto bound = [&](std::int64_t block) {
      return block == blocks_
                 ? slices.end
                 : slices.begin +
                       (slices.size() * block * classes + number * blocks_) / (blocks_ * classes);
    };
    return {bound(block_), bound(block_ + 1)};
  }

  /// Slices keep their warp in all steps: what only their own rows read needs no waiting.
  void add(std::size_t number, Step step) {
    const LevelSlices& level = levels_[number];
    const auto classes = static_cast<std::int64_t>(level.classes.size());
    const bool between = step == Step::restriction || step == Step::prolongation;
    const Range wanted = between ? level.coarse_classes : Range{0, classes};
    const bool backward = step == Step::after_zero || step == Step::back_again;
    std::array<std::int64_t, hpcg::detail::max_classes + 1> before = {};
    for (std::int64_t n = 0; n < classes; ++n) {
      const auto at = static_cast<std::size_t>(n);
      before.at(at + 1) = before.at(at) + share(level, n).size();
    }
    for (std::int64_t place = wanted.begin; place < wanted.end; ++place) {
      const std::int64_t n = backward ? classes - 1 - place : place;
      const Range mine = share(level, n);
      for (std::int64_t slice = mine.begin; slice < mine.end; ++slice) {
        const auto warp = static_cast<std::size_t>(
            (before.at(static_cast<std::size_t>(n)) + slice - mine.begin) % warps);
        Item item = item_of(number, step, slice);
        const unsigned bytes = bytes_of(item);
        fits = fits && bytes <= ring_bytes_ && item.slots < no_slot;
        places_[warp].place(item, bytes);
        lists_.at(warp).push_back(item);
      }
    }
  }

  [[nodiscard]] Item item_of(std::size_t number, Step step, std::int64_t slice) const {
    const SliceFacts& facts = levels_[number].facts[static_cast<std::size_t>(slice)];
    Item item{};
    item.slice = static_cast<std::int32_t>(slice);
    item.rows = facts.rows;
    item.step = step;
    item.level = static_cast<std::uint8_t>(number);
    item.early = no_slot;
    if (step == Step::prolongation) {
      return item;
    }
    const bool lower = reads_lower(step);
    item.slot = lower ? facts.lower_slot : facts.upper_slot;
    item.slots = lower ? facts.lower_slots : facts.upper_slots;
    item.coarse_begin = item.coarse_end = static_cast<std::uint8_t>(item.slots);
    item.has_diagonal = true;
    item.has_right_side = number == first_ && lower;
    if (step == Step::restriction) {
      item.second_slot = facts.upper_slot;
      item.second_slots = facts.upper_slots;
      return item;
    }
    item.early = lower ? facts.early_lower : facts.early_upper;
    if (step == Step::again) {
      item.second_slot = facts.coarse.begin;
      item.second_slots = static_cast<std::uint16_t>(facts.coarse.end - facts.coarse.begin);
    } else if (step == Step::after_zero) {
      item.coarse_begin = static_cast<std::uint8_t>(facts.coarse.begin - facts.upper_slot);
      item.coarse_end = static_cast<std::uint8_t>(facts.coarse.end - facts.upper_slot);
    }
    return item;
  }

  [[nodiscard]] unsigned bytes_of(const Item& item) const {
    const unsigned vectors = (item.has_diagonal ? 1U : 0U) + (item.has_right_side ? 1U : 0U);
    return (static_cast<unsigned>(item.slots) + item.second_slots) * (slice_bytes + column_bytes) +
           vectors * slice_bytes;
  }

  const std::vector<LevelSlices>& levels_;
  std::size_t first_;
  int blocks_;
  unsigned ring_bytes_;
  int block_ = 0;
  std::array<std::vector<Item>, warps> lists_ = {};
  std::vector<RingPlaces> places_ = {};
};

template <class T>
Buffer<T> on_device(const CudaExecutor& executor, const std::vector<T>& values) {
  auto buffer = executor.make<T>(static_cast<std::int64_t>(values.size()));
  executor.from_host(values, buffer.data());
  return buffer;
}

}  // namespace

std::size_t first_small_level(const std::vector<ColouredLevel>& levels, int multiprocessors) {
  std::size_t first = 1;
  while (first < levels.size() && levels[first].rows() > max_rows_each * multiprocessors) {
    ++first;
  }
  return first;
}

Plan plan_cycle(const CudaExecutor& executor, const std::vector<ColouredLevel>& levels,
                std::size_t first, int blocks, unsigned ring_bytes) {
  Plan plan{.first = first, .blocks = blocks, .ring_bytes = ring_bytes};
  if (plan.first == levels.size()) {
    return plan;
  }
  std::vector<LevelSlices> slices(levels.size());
  for (std::size_t n = plan.first; n < levels.size(); ++n) {
    slices[n] = read_level(executor, levels[n]);
  }
  Planner planner(slices, plan.first, plan.blocks, ring_bytes);
  planner.run();
  if (!planner.fits) {
    plan.first = levels.size();
    return plan;
  }
  plan.items = on_device(executor, planner.items);
  plan.begin = on_device(executor, planner.begin);
  return plan;
}

}  // namespace bankfull::hpcg::cuda::fused
