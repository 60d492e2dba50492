#include "bankfull/workloads/hpcg/cuda/fused_plan.cuh"

#include "bankfull/core/base/expects.hpp"

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

/// A level as its planner sees it; plain data for kernels.
struct LevelSlices {
  int classes = 0;
  Range slices[hpcg::detail::max_classes] = {};  ///< of each class, those that are not empty
  Range coarse_classes = {};
  const SliceFacts* facts = nullptr;  ///< of each slice
};

LevelSlices slices_of(const ColouredLevel& level, const SliceFacts* facts) {
  LevelSlices result{.classes = hpcg::detail::begins_of(level.order).count,
                     .coarse_classes = level.coarse_classes,
                     .facts = facts};
  for (int n = 0; n < result.classes; ++n) {
    const Range all = level.order.classes[static_cast<std::size_t>(n)].all();
    result.slices[n] = {all.begin / slice_height, (all.end + slice_height - 1) / slice_height};
  }
  return result;
}

Buffer<SliceFacts> find_facts(const CudaExecutor& executor, const ColouredLevel& level) {
  const std::int64_t slices = level.rows() / slice_height;
  auto facts = executor.make<SliceFacts>(slices);
  executor.each(slices, FindFacts{hpcg::detail::begins_of(level.order), level.order.old_of.data(),
                                  sliced_view<FullColumns>(level.lower),
                                  sliced_view<FullColumns>(level.upper), level.coarse_slots.data(),
                                  facts.data()});
  return facts;
}

/// Where the items of a warp go in its ring, one after the other.
class RingPlaces {
 public:
  __device__ explicit RingPlaces(unsigned ring_bytes) : ring_bytes_(ring_bytes) {}

  __device__ void place(Item& item, unsigned bytes) {
    const unsigned begin = head_ + bytes > ring_bytes_ ? 0U : head_;
    const auto in_the_way = [&](int number) {
      const Held& held = held_[number % max_ahead];
      return held.begin < begin + bytes && begin < held.end;
    };
    int needed = max(oldest_, number_ - max_ahead + 1);
    for (int n = needed; n < number_; ++n) {
      needed = in_the_way(n) ? n + 1 : needed;
    }
    oldest_ = needed;
    held_[number_ % max_ahead] = {begin, begin + bytes};
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
  int number_ = 0;
  int oldest_ = 0;  ///< the first item that may still hold its bytes
  Held held_[max_ahead] = {};
};

/// Deals the slices of a cycle's steps to the warps of its blocks; plain data for kernels.
struct Dealer {
  LevelSlices level[level_count] = {};
  int first = 0;
  int levels = 0;
  int blocks = 0;

  /// visit(level, step, slice) for all that a warp does, in its order.
  template <class Visit>
  __device__ void for_each_item(int block, int warp, const Visit& visit) const {
    const auto add = [&](int n, Step step) { add_step(block, warp, n, step, visit); };
    for (int n = first; n < levels; ++n) {
      add(n, Step::from_zero);
      add(n, Step::after_zero);
      if (n + 1 < levels) {
        add(n, Step::restriction);
      }
    }
    for (int n = levels - 2; n >= first; --n) {
      add(n, Step::prolongation);
      add(n, Step::again);
      add(n, Step::back_again);
    }
  }

 private:
  /// The block's part of a class. Where classes cannot be divided evenly, they give more of their
  /// slices to different blocks.
  [[nodiscard]] __device__ Range share(const LevelSlices& of, std::int64_t number,
                                       std::int64_t block) const {
    const Range& slices = of.slices[number];
    const std::int64_t classes = of.classes;
    const auto bound = [&](std::int64_t n) {
      return n == blocks ? slices.end
                         : slices.begin +
                               (slices.size() * n * classes + number * blocks) / (blocks * classes);
    };
    return {bound(block), bound(block + 1)};
  }

  /// Slices keep their warp in all steps: what only their own rows read needs no waiting.
  template <class Visit>
  __device__ void add_step(int block, int warp, int number, Step step, const Visit& visit) const {
    const LevelSlices& of = level[number];
    const bool between = step == Step::restriction || step == Step::prolongation;
    const Range wanted = between ? of.coarse_classes : Range{0, of.classes};
    const bool backward = step == Step::after_zero || step == Step::back_again;
    std::int64_t before = 0;  // slices of the block in the classes before
    for (std::int64_t n = 0; n < (backward ? wanted.end : wanted.begin); ++n) {
      before += share(of, n, block).size();
    }
    for (std::int64_t place = 0; place < wanted.size(); ++place) {
      const std::int64_t n = backward ? wanted.end - 1 - place : wanted.begin + place;
      const Range mine = share(of, n, block);
      before -= backward ? mine.size() : 0;
      for (std::int64_t slice = mine.begin + (warp + warps - before % warps) % warps;
           slice < mine.end; slice += warps) {
        visit(number, step, slice);
      }
      before += backward ? 0 : mine.size();
    }
  }
};

/// A warp's place among those of all blocks.
struct WarpNumber {
  int block;
  int warp;

  __device__ explicit WarpNumber(std::int64_t number)
      : block(static_cast<int>(number / warps)), warp(static_cast<int>(number % warps)) {}
};

struct CountItems {
  Dealer dealer;
  std::int32_t* count;  ///< of each warp

  __device__ void operator()(std::int64_t number) const {
    const WarpNumber mine(number);
    int items = 0;
    dealer.for_each_item(mine.block, mine.warp,
                         [&](int /*level*/, Step /*step*/, std::int64_t /*slice*/) { ++items; });
    count[number] = items;
  }
};

/// Writes the items of a warp.
struct WriteItems {
  Dealer dealer;
  unsigned ring_bytes;
  const std::int64_t* start;  ///< of each warp
  Item* items;
  std::int32_t* begin;
  int* fits;  ///< set to 0 where an item does not fit a ring

  __device__ void operator()(std::int64_t number) const {
    const WarpNumber mine(number);
    begin[number] = static_cast<std::int32_t>(start[number]);
    if (number + 1 == std::int64_t{dealer.blocks} * warps) {
      begin[number + 1] = static_cast<std::int32_t>(start[number + 1]);
    }
    RingPlaces places(ring_bytes);
    Item* next = items + start[number];
    dealer.for_each_item(mine.block, mine.warp, [&](int level, Step step, std::int64_t slice) {
      Item item = item_of(level, step, slice);
      const unsigned bytes = bytes_of(item);
      if (bytes > ring_bytes || item.slots >= no_slot) {
        *fits = 0;
      }
      places.place(item, bytes);
      *next++ = item;
    });
  }

 private:
  [[nodiscard]] __device__ Item item_of(int number, Step step, std::int64_t slice) const {
    const SliceFacts facts = dealer.level[number].facts[slice];
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
    item.has_right_side = number == dealer.first && lower;
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

  [[nodiscard]] static __device__ unsigned bytes_of(const Item& item) {
    const unsigned vectors = (item.has_diagonal ? 1U : 0U) + (item.has_right_side ? 1U : 0U);
    return (static_cast<unsigned>(item.slots) + item.second_slots) * (slice_bytes + column_bytes) +
           vectors * slice_bytes;
  }
};

}  // namespace

std::size_t first_small_level(const std::vector<Level>& levels, int multiprocessors) {
  std::size_t first = 1;
  while (first < levels.size() && levels[first].matrix.rows > max_rows_each * multiprocessors) {
    ++first;
  }
  return first;
}

std::int64_t plan_bytes(const std::vector<Level>& levels, std::size_t first) {
  // Four sweeps take every slice, two more steps the coarse ones.
  constexpr std::int64_t slice_items = 5;
  constexpr std::int64_t bytes_of_slice = slice_items * sizeof(Item) + sizeof(SliceFacts);
  constexpr std::int64_t ends_and_lists = 1 << 18;
  std::int64_t rows = 0;
  for (std::size_t n = first; n < levels.size(); ++n) {
    rows += levels[n].matrix.rows;
  }
  return rows / slice_height * bytes_of_slice + ends_and_lists;
}

Plan plan_cycle(const CudaExecutor& executor, const std::vector<ColouredLevel>& levels,
                std::size_t first, int blocks, unsigned ring_bytes) {
  Plan plan{.first = first, .blocks = blocks, .ring_bytes = ring_bytes};
  if (plan.first == levels.size()) {
    return plan;
  }
  Dealer dealer{.first = static_cast<int>(first),
                .levels = static_cast<int>(levels.size()),
                .blocks = blocks};
  expects(levels.size() <= level_count, "a dealer holds all levels");
  std::vector<Buffer<SliceFacts>> facts;
  for (std::size_t n = first; n < levels.size(); ++n) {
    facts.push_back(find_facts(executor, levels[n]));
    dealer.level[n] = slices_of(levels[n], facts.back().data());
  }
  const std::int64_t lists = std::int64_t{blocks} * warps;
  const auto count = executor.make<std::int32_t>(lists + 1);
  const auto start = executor.make<std::int64_t>(lists + 1);
  executor.each(lists, CountItems{dealer, count.data()});
  plan.items = executor.make<Item>(executor.exclusive_sum(count.data(), lists, start.data()));
  plan.begin = executor.make<std::int32_t>(lists + 1);
  const auto fits = executor.make<int>(1);
  executor.fill(fits.data(), 1, 1);
  executor.each(lists, WriteItems{dealer, ring_bytes, start.data(), plan.items.data(),
                                  plan.begin.data(), fits.data()});
  if (executor.to_host(fits.data(), 1).front() == 0) {
    return {.first = levels.size(), .blocks = blocks, .ring_bytes = ring_bytes};
  }
  return plan;
}

}  // namespace bankfull::hpcg::cuda::fused
