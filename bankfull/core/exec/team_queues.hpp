#pragma once

#include "bankfull/core/exec/team.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull {

/// Work of one parallel region in which members that are done help the others: where other
/// processes or guests take a core for a while, equal shares would have the whole team wait for it.
///
/// Each member has items of its own, numbered from 0, which it does in order; so a quiet team works
/// as by `share`, each thread on the memory that it touched first. A member that finds its own
/// items claimed goes on to those of the members after it.
class TeamQueues {
 public:
  /// `items_of(member)` is how many items a member has. To be called outside the region.
  template <class ItemsOf>
  TeamQueues(int members, const ItemsOf& items_of) : queues_(static_cast<std::size_t>(members)) {
    for (int member = 0; member < members; ++member) {
      queues_[static_cast<std::size_t>(member)].items = items_of(member);
    }
  }

  /// By each member of the team: calls work(owner, items) for what it claims, up to `at_once` items
  /// of one member at a time, until none is left. A claim costs an atomic addition, so a few
  /// microseconds of work should be in it. `work` must not throw.
  template <class Work>
  void run(int member, std::int64_t at_once, const Work& work) {
    const int members = static_cast<int>(queues_.size());
    for (int n = 0; n < members; ++n) {
      const int owner = (member + n) % members;
      Queue& queue = queues_[static_cast<std::size_t>(owner)];
      for (Range items = claim(queue, at_once); items.size() > 0; items = claim(queue, at_once)) {
        work(owner, items);
      }
    }
  }

 private:
  /// Alone in two lines, because processors fetch lines in pairs.
  struct alignas(128) Queue {
    std::atomic<std::int64_t> claimed{0};
    std::int64_t items = 0;
  };

  /// Empty if no item is left.
  static Range claim(Queue& queue, std::int64_t at_once) {
    // Looked at first: members that find nothing can all read a line, but not all write to it.
    if (queue.claimed.load(std::memory_order_relaxed) >= queue.items) {
      return {};
    }
    const std::int64_t begin = queue.claimed.fetch_add(at_once, std::memory_order_relaxed);
    return {begin, std::min(begin + at_once, queue.items)};
  }

  std::vector<Queue> queues_;
};

}  // namespace bankfull
