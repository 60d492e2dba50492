#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/exec/team.hpp"

namespace bankfull::hpcg::cuda {

/// What a block processes of DealtRanges: its part, of so many rows as it has threads, of every
/// `step`-th range.
struct DealtPart {
  unsigned part = 0;
  unsigned first = 0;  ///< range
  unsigned step = 1;
};

/// Ranges of rows and how blocks share them. A block takes its part of every range, so that its
/// rows are close together on the grid and share the x that they read. That makes blocks long: a
/// last round of few of them would leave most of a GPU idle. Parts after the `whole` first ones are
/// therefore divided among as many blocks as there are ranges.
struct DealtRanges {
  const Range* ranges = nullptr;  ///< in the memory of those who read them
  unsigned count = 0;
  unsigned parts = 0;  ///< of the longest range
  unsigned whole = 0;

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr unsigned blocks() const {
    return whole + (parts - whole) * count;
  }

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr DealtPart of_block(unsigned number) const {
    if (number < whole) {
      return {number, 0, 1};
    }
    const unsigned divided = number - whole;
    return {whole + divided / count, divided % count, count};
  }
};

/// As many of the parts as whole rounds of `at_once` blocks take.
constexpr unsigned parts_of_whole_rounds(unsigned parts, unsigned at_once) {
  return parts / at_once * at_once;
}

}  // namespace bankfull::hpcg::cuda
