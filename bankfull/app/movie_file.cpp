#include "bankfull/app/movie_file.hpp"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace bankfull {
namespace {

std::vector<std::string> arguments_of(const StagedPath& file, const MovieFile::Shape& shape) {
  return {"-loglevel", "error", "-y",
          // What it reads,
          "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size",
          fmt::format("{}x{}", shape.width, shape.height), "-framerate",
          fmt::format("{}", shape.pictures_per_second), "-i", "pipe:0",
          // and what it writes, in the colours that players take it to have.
          "-vf", std::string(movie_filter) + ",scale=out_color_matrix=bt709", "-c:v", "libx264",
          "-crf", "18", "-pix_fmt", "yuv420p", "-colorspace", "bt709", "-color_primaries", "bt709",
          "-color_trc", "bt709", "-movflags", "+faststart", "-f", "mp4",
          "file:" + file.temporary()};
}

}  // namespace

const char* const movie_filter = "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white";

MovieFile::MovieFile(const std::filesystem::path& ffmpeg, const std::filesystem::path& target,
                     const Shape& shape)
    : file_(target), ffmpeg_(ffmpeg, arguments_of(file_, shape)) {}

void MovieFile::add(const Picture& picture) {
  ffmpeg_.feed(picture.pixels.data(), picture.pixels.size() * sizeof(Colour));
}

void MovieFile::finish() {
  ffmpeg_.finish();
  file_.replace();
}

}  // namespace bankfull
