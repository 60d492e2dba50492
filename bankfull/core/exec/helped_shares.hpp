#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/exec/team_queues.hpp"

#include <cstdint>
#include <optional>

namespace bankfull {

/// Work of one parallel region, each member's own items first: by TeamQueues, so that members that
/// are done help others, unless there is so little of it that shares are done before help would
/// come.
///
/// `ItemsOf`: items_of(member) is how many items a member has.
template <class ItemsOf>
class HelpedShares {
 public:
  /// `at_once`: as many items as take some 30 microseconds, which is long for a claim. To be called
  /// outside the region.
  HelpedShares(int members, std::int64_t at_once, const ItemsOf& items_of)
      : at_once_(at_once), items_of_(items_of) {
    std::int64_t items = 0;
    for (int member = 0; member < members; ++member) {
      items += items_of(member);
    }
    if (members > 1 && items > few_claims * members * at_once) {
      queues_.emplace(members, items_of);
    }
  }

  /// By each member of the team: work(owner, items), as TeamQueues calls it, or once with all items
  /// of its own. `work` must not throw.
  template <class Work>
  void run(const Work& work) {
    const int member = share_number();
    if (queues_) {
      queues_->run(member, at_once_, work);
    } else {
      work(member, Range{0, items_of_(member)});
    }
  }

 private:
  /// Of a member: no more, and it works by shares.
  static constexpr std::int64_t few_claims = 4;

  std::int64_t at_once_;
  ItemsOf items_of_;
  std::optional<TeamQueues> queues_;
};

/// The same for [0, count), of which each member has its `share`.
class HelpedItems {
 public:
  /// See HelpedShares.
  HelpedItems(int members, std::int64_t count, std::int64_t at_once)
      : sizes_{count, members}, shares_(members, at_once, sizes_) {}

  /// By each member of the team: body(n) for what it does. `body` must not throw.
  template <class Body>
  void each(const Body& body) {
    shares_.run([&](int owner, const Range& items) {
      const std::int64_t first = share(sizes_.count, owner, sizes_.members).begin;
      for (std::int64_t n = items.begin; n < items.end; ++n) {
        body(first + n);
      }
    });
  }

 private:
  struct Sizes {
    std::int64_t count;
    int members;
    std::int64_t operator()(int member) const { return share(count, member, members).size(); }
  };

  Sizes sizes_;
  HelpedShares<Sizes> shares_;
};

}  // namespace bankfull
