#pragma once

#include "bankfull/app/convect/run_directory.hpp"
#include "bankfull/core/measure/interruption.hpp"
#include "bankfull/core/measure/progress.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::convect {

/// The pictures of a slice, in their order, and the movie that they make.
struct SliceMovie {
  std::filesystem::path file;
  std::vector<std::filesystem::path> pictures;

  /// 25 per second; fewer where the movie would be shorter than ten seconds, but at least one.
  [[nodiscard]] double pictures_per_second() const;
};

/// One for each slice of a run. Throws UsageError where there are no pictures, or no ffmpeg: with
/// the command that makes the first movie elsewhere.
std::vector<SliceMovie> movies_of(const RunDirectory& run);

/// Writes a movie, in place of an earlier one. Returns false where it was interrupted, and left
/// nothing then. Throws UsageError naming a picture that cannot be read or differs in size,
/// RuntimeFailure where the movie cannot be written.
bool make_movie(const SliceMovie& movie, Progress& progress, const Interruption& interruption);

}  // namespace bankfull::convect
