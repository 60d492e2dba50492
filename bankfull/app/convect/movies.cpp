#include "bankfull/app/convect/movies.hpp"

#include "bankfull/app/convect/picture_list.hpp"
#include "bankfull/app/fed_program.hpp"
#include "bankfull/app/movie_file.hpp"
#include "bankfull/app/png_file.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::convect {
namespace {

namespace fs = std::filesystem;

constexpr const char* encoder = "ffmpeg";

/// As one word of a shell.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char letter : text) {
    word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  return word + "'";
}

/// What makes a movie where ffmpeg is; a percent sign in a name stands for itself.
std::string command_for(const RunDirectory& run, const SliceMovie& movie) {
  std::string pattern;
  for (const char letter : (run.slices() / movie.file.stem()).string()) {
    pattern += letter == '%' ? std::string("%%") : std::string(1, letter);
  }
  return fmt::format("{} -framerate {} -i {} -vf '{}' -pix_fmt yuv420p {}", encoder,
                     movie.pictures_per_second(), quoted(pattern + "-%04d.png"), movie_filter,
                     movie.file.filename().string());
}

fs::path find_encoder(const RunDirectory& run, const SliceMovie& first) {
  const std::optional<fs::path> program = program_in_path(encoder);
  if (!program) {
    throw UsageError(fmt::format("--movie needs {}, which is not in PATH", encoder),
                     fmt::format("install it with apt-get install {0}, or where there is one: {1}",
                                 encoder, command_for(run, first)));
  }
  return *program;
}

/// The next picture of a movie.
Picture read_next(const fs::path& file, const Picture* before) {
  Picture picture;
  try {
    picture = read_png(file);
  } catch (const RuntimeFailure& failure) {
    throw UsageError(fmt::format("--movie: {}", failure.what()),
                     "put the picture back, or run the case again");
  }
  if (before != nullptr && (picture.width != before->width || picture.height != before->height)) {
    throw UsageError(
        fmt::format("--movie: {} is {} x {} pixels, and those before it {} x {}", file.string(),
                    picture.width, picture.height, before->width, before->height),
        "a movie takes pictures of one size: run the case again, with output.frame as it was");
  }
  return picture;
}

}  // namespace

double SliceMovie::pictures_per_second() const {
  constexpr double usual = 25.0;
  constexpr double shortest = 10.0;  // seconds
  return std::clamp(static_cast<double>(pictures.size()) / shortest, 1.0, usual);
}

std::vector<SliceMovie> movies_of(const RunDirectory& run) {
  std::vector<SliceMovie> movies;
  for (const ListedPicture& picture : listed_pictures(run.slice_list())) {
    const fs::path file = run.movies() / movie_name(slice_of(picture.file));
    auto movie = std::find_if(movies.begin(), movies.end(),
                              [&](const SliceMovie& other) { return other.file == file; });
    if (movie == movies.end()) {
      movie = movies.insert(movie, {.file = file, .pictures = {}});
    }
    movie->pictures.push_back(run.path() / picture.file);
  }
  if (movies.empty()) {
    throw UsageError(fmt::format("--movie {}: the run has no pictures", run.path().string()),
                     "run its case with output.snapshots = 100, or as many as you like");
  }
  static_cast<void>(find_encoder(run, movies.front()));
  return movies;
}

bool make_movie(const SliceMovie& movie, Progress& progress, const Interruption& interruption) {
  const std::optional<fs::path> program = program_in_path(encoder);
  if (!program) {
    throw RuntimeFailure(fmt::format("{} is no longer in PATH", encoder));
  }
  Picture picture = read_next(movie.pictures.front(), nullptr);
  const auto count = static_cast<double>(movie.pictures.size());
  MovieFile file(*program, movie.file,
                 {.width = picture.width,
                  .height = picture.height,
                  .pictures_per_second = movie.pictures_per_second()});
  for (std::size_t n = 0; n < movie.pictures.size(); ++n) {
    if (interruption.requested()) {
      return false;
    }
    progress.update("making " + movie.file.filename().string(), static_cast<double>(n), count);
    picture = n == 0 ? std::move(picture) : read_next(movie.pictures[n], &picture);
    file.add(picture);
  }
  file.finish();
  return true;
}

}  // namespace bankfull::convect
