#include "bankfull/core/exec/team_places.hpp"

#include "bankfull/core/base/expects.hpp"

#include <cstdint>
#include <utility>

namespace bankfull {
namespace {

/// Where part `part` of `parts` begins in [0, count).
int begin_of_part(int count, int part, int parts) {
  return static_cast<int>(std::int64_t{count} * part / parts);
}

}  // namespace

TeamPlaces::TeamPlaces(std::vector<Processor> ordered, PlaceWidth width)
    : ordered_(std::move(ordered)), width_(width) {
  expects(!ordered_.empty(), "a process runs on a processor");
  for (std::size_t n = 0; n < ordered_.size(); ++n) {
    if (n == 0 || ordered_[n].core != ordered_[n - 1].core) {
      first_of_core_.push_back(n);
    }
  }
}

std::vector<int> TeamPlaces::of_member(int member, int members) const {
  if (members > processors()) {
    return all();
  }
  if (members > cores()) {
    const int index = begin_of_part(processors(), member, members);
    return {ordered_[static_cast<std::size_t>(index)].number};
  }
  const int begin = begin_of_part(cores(), member, members);
  const int end = begin_of_part(cores(), member + 1, members);
  return of_cores(begin, width_ == PlaceWidth::core ? begin + 1 : end);
}

std::vector<int> TeamPlaces::all() const { return of_cores(0, cores()); }

std::vector<int> TeamPlaces::of_cores(int begin, int end) const {
  const std::size_t first = first_of_core_[static_cast<std::size_t>(begin)];
  const std::size_t last =
      end == cores() ? ordered_.size() : first_of_core_[static_cast<std::size_t>(end)];
  std::vector<int> numbers;
  for (std::size_t n = first; n < last; ++n) {
    numbers.push_back(ordered_[n].number);
  }
  return numbers;
}

}  // namespace bankfull
