#include "bankfull/app/convect/picture_list.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <optional>

namespace bankfull::convect {
namespace {

namespace fs = std::filesystem;

/// The number that ends a line, or what is left of one; taken away with the comma before it.
std::optional<double> take_last_number(std::string& line) {
  const std::size_t comma = line.rfind(',');
  if (comma == std::string::npos) {
    return std::nullopt;
  }
  double number = 0.0;
  const char* const end = line.data() + line.size();
  const auto read = std::from_chars(line.data() + comma + 1, end, number);
  const bool is_whole = read.ec == std::errc() && read.ptr == end;
  line.resize(comma);
  return is_whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<ListedPicture> listed_pictures(const fs::path& list) {
  std::vector<ListedPicture> pictures;
  std::error_code error;
  if (fs::symlink_status(list, error).type() != fs::file_type::regular) {
    return pictures;
  }
  std::ifstream file(list);
  std::string line;
  std::getline(file, line);  // the heading
  while (std::getline(file, line)) {
    const fs::path picture = line.substr(0, line.find(','));
    if (picture.parent_path() == "slices" && picture.extension() == ".png") {
      const std::optional<double> most = take_last_number(line);
      const std::optional<double> least = take_last_number(line);
      pictures.push_back({.file = picture.string(),
                          .range = {least.value_or(no_range.least), most.value_or(no_range.most)}});
    }
  }
  return pictures;
}

fs::path data_beside(fs::path picture) { return picture.replace_extension(".h5"); }

std::string picture_name(const std::string& slice, std::int64_t number) {
  return fmt::format("{}-{:04}.png", slice, number);
}

std::int64_t number_of_picture(const std::string& slice, const std::string& file) {
  const fs::path path = file;
  const std::string stem = path.stem().string();
  if (slice_of(file) != slice || stem.size() <= slice.size() + 1 ||
      (path.extension() != ".png" && path.extension() != ".h5")) {
    return -1;
  }
  std::int64_t number = -1;
  const char* const end = stem.data() + stem.size();
  const auto read = std::from_chars(stem.data() + slice.size() + 1, end, number);
  return read.ec == std::errc() && read.ptr == end ? number : -1;
}

std::string movie_name(const std::string& slice) { return slice + ".mp4"; }

std::string slice_of(const std::string& picture) {
  const std::string stem = fs::path(picture).stem().string();
  return stem.substr(0, stem.rfind('-'));
}

std::vector<std::string> slice_names(const std::vector<SliceRequest>& slices) {
  std::vector<std::string> names;
  for (const SliceRequest& slice : slices) {
    const char* normal = convection::axis_names[static_cast<std::size_t>(slice.normal)];
    std::string name = fmt::format("{}-{}", slice.field, normal);
    for (int n = 2; std::find(names.begin(), names.end(), name) != names.end(); ++n) {
      name = fmt::format("{}-{}-{}", slice.field, n, normal);
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace bankfull::convect
