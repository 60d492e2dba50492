#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/direct/slabs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bankfull::poisson {

/// The blocks that travel between slabs and the ranks that solve for their roots, in host memory.
template <class Real>
class RootExchange {
 public:
  /// `ranks` must outlive it.
  RootExchange(const Communicator& ranks, const RootBlocks& blocks)
      : blocks_(blocks), of_slab_(zeros(blocks)), of_share_(zeros(blocks)) {
    const std::vector<Message> sides = messages(of_slab_, blocks.size());
    const std::vector<Message> received_sides = messages(of_share_, blocks.size());
    sides_ = ranks.prepare_all_to_all(sides, received_sides);
    const std::vector<Message> solutions = messages(of_share_, blocks.column());
    const std::vector<Message> received_solutions = messages(of_slab_, blocks.column());
    solutions_ = ranks.prepare_all_to_all(solutions, received_solutions);
  }

  /// Reals that one takes.
  static std::int64_t size(const RootBlocks& blocks) { return blocks.size() * blocks.ranks * 2; }

  /// What goes from this slab to that rank, and comes back from it.
  [[nodiscard]] Real* of_slab(int rank) const { return of_slab_.data() + rank * blocks_.size(); }

  /// The blocks of all slabs for this rank's share of the pairs.
  [[nodiscard]] Real* of_share() const { return of_share_.data(); }
  [[nodiscard]] Real* of_share(int slab) const { return of_share() + slab * blocks_.size(); }

  /// Calls body(at, lane, count) for runs of the pairs [first, first + lanes) that one rank solves
  /// for: `at` is the place of the run's first pair among those of the first amplitude, rows of a
  /// block being pitch apart, `lane` counts from `first`.
  template <class Body>
  void for_runs(std::int64_t first, std::int64_t lanes, const Body& body) const {
    for (std::int64_t lane = 0; lane < lanes;) {
      const int owner = blocks_.owner_of(first + lane);
      const Range share = blocks_.share_of(owner);
      const std::int64_t count = std::min(lanes - lane, share.end - (first + lane));
      body(of_slab(owner) + (first + lane - share.begin), lane, count);
      lane += count;
    }
  }

  // Collective, in turn.
  void send_sides() const { sides_->exchange(); }
  void return_solutions() const { solutions_->exchange(); }

 private:
  static Buffer<Real> zeros(const RootBlocks& blocks) {
    Buffer<Real> buffer(MemorySpace::host, static_cast<std::size_t>(blocks.ranks * blocks.size()));
    std::fill_n(buffer.data(), buffer.size(), Real{0});
    return buffer;
  }

  /// So many reals of each block.
  [[nodiscard]] std::vector<Message> messages(const Buffer<Real>& buffer,
                                              std::int64_t reals) const {
    std::vector<Message> result;
    result.reserve(static_cast<std::size_t>(blocks_.ranks));
    for (int rank = 0; rank < blocks_.ranks; ++rank) {
      result.push_back({rank, buffer.data() + rank * blocks_.size(),
                        static_cast<std::size_t>(reals) * sizeof(Real)});
    }
    return result;
  }

  RootBlocks blocks_;
  Buffer<Real> of_slab_;
  Buffer<Real> of_share_;
  std::unique_ptr<MessageExchange> sides_;
  std::unique_ptr<MessageExchange> solutions_;
};

}  // namespace bankfull::poisson
