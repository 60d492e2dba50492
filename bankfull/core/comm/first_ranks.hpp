#pragma once

#include "bankfull/core/comm/communicator.hpp"

#include <memory>

namespace bankfull {

/// The first ranks of a run, so that one run can do the same work on different numbers of ranks
/// in turn. The world must outlive it.
class FirstRanks {
 public:
  /// Collective over the world, which must have at least `count` ranks.
  FirstRanks(const Communicator& world, int count)
      : world_(&world), count_(count), members_(world.first(count)) {}

  /// The number of ranks that run the work, on the others too.
  [[nodiscard]] int count() const { return count_; }

  /// Collective over the world: runs `body(ranks)` on the first ranks while the others sleep. An
  /// exception from `body` must end the run, because the others still wait.
  template <class Body>
  void run(const Body& body) const {
    if (members_) {
      body(static_cast<const Communicator&>(*members_));
    }
    world_->patient_barrier();
  }

 private:
  const Communicator* world_;
  int count_;
  std::unique_ptr<Communicator> members_;  ///< null on the others
};

}  // namespace bankfull
