#pragma once

#include "bankfull/core/machine/processors.hpp"

#include <cstddef>
#include <vector>

namespace bankfull {

/// How much of the processors a thread of a team may use.
enum class PlaceWidth {
  share,  ///< its share of the cores: one, if the team has as many threads
  core,   ///< one core
};

/// Where the threads of teams run: spread evenly over some cores, in the order of the caches, so
/// that neighbours in a team are neighbours on the chip and a small team uses all caches and
/// channels of memory.
class TeamPlaces {
 public:
  /// `ordered` as by in_order_of_caches.
  TeamPlaces(std::vector<Processor> ordered, PlaceWidth width);

  /// Numbers of the processors of a member of a team: those of whole cores, or a single one where
  /// the team has more threads than there are cores. All where it has more threads than there are
  /// processors: then no thread has a place of its own.
  [[nodiscard]] std::vector<int> of_member(int member, int members) const;

  /// Of all members together.
  [[nodiscard]] std::vector<int> all() const;

  /// Number of physical cores, at least 1.
  [[nodiscard]] int cores() const { return static_cast<int>(first_of_core_.size()); }
  /// Number of hardware threads of these cores that may be used.
  [[nodiscard]] int processors() const { return static_cast<int>(ordered_.size()); }

 private:
  [[nodiscard]] std::vector<int> of_cores(int begin, int end) const;

  std::vector<Processor> ordered_;
  std::vector<std::size_t> first_of_core_;  ///< indices
  PlaceWidth width_;
};

}  // namespace bankfull
