#pragma once

#include "bankfull/app/fed_program.hpp"
#include "bankfull/app/png_file.hpp"
#include "bankfull/core/io/staged_path.hpp"

#include <cstdint>
#include <filesystem>

namespace bankfull {

/// A movie of pictures of one size: MP4 with H.264, which ffmpeg encodes as they come, written
/// under a temporary name.
class MovieFile {
 public:
  /// What it is to hold.
  struct Shape {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    double pictures_per_second = 0.0;
  };

  /// Throws RuntimeFailure, as all that follows does.
  MovieFile(const std::filesystem::path& ffmpeg, const std::filesystem::path& target,
            const Shape& shape);

  void add(const Picture& picture);

  /// Waits for ffmpeg and gives the file its name.
  void finish();

 private:
  StagedPath file_;
  FedProgram ffmpeg_;
};

/// What ffmpeg does to each picture: H.264 halves both sides for its colours, so they must be even.
extern const char* const movie_filter;

}  // namespace bankfull
