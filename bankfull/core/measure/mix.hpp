#pragma once

#include "bankfull/core/measure/work.hpp"

#include <optional>
#include <string>

namespace bankfull {

/// The ratio of equally long streams that a kernel reads and writes; memory bandwidth depends on it
/// and on the precision.
struct Mix {
  int reads = 1;   ///< 0 if it only writes
  int writes = 1;  ///< 0 if it only reads

  /// Compares the numbers, not the ratio: 2:2 is not 1:1.
  friend bool operator==(const Mix&, const Mix&) = default;
};

/// Largest number of arrays that a mix can read.
inline constexpr int max_mix_reads = 16;

/// Largest number of arrays that a mix can write.
inline constexpr int max_mix_writes = 4;

/// Largest total number of arrays of a mix that writes several.
inline constexpr int max_mix_arrays = 17;

/// The mix whose share of written bytes is nearest to that of the traffic, among 1:0 (reads only),
/// 0:1 (writes only) and the ratios of up to max_mix_reads to up to max_mix_writes arrays, at
/// most max_mix_arrays in total; ties go to the fewest arrays. A kernel that writes less than 1
/// byte in 34 therefore counts as reading only. None if nothing is moved.
std::optional<Mix> mix_of(const Traffic& traffic);

/// The mix of the ceiling that bounds the work; none if no ceiling does.
std::optional<Mix> ceiling_mix(const Work& work);

/// "4 read : 3 write", "read", "write".
std::string to_string(const Mix& mix);

}  // namespace bankfull
