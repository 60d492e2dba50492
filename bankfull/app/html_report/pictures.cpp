#include "bankfull/app/html_report/pictures.hpp"

#include "bankfull/app/convect/picture_list.hpp"
#include "bankfull/app/html_report/base64.hpp"
#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>

namespace bankfull::html_report {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_picture_bytes = std::uintmax_t{4} << 20;
constexpr std::size_t max_pictures = 24;
constexpr const char* png_signature = "\x89PNG\r\n\x1a\n";

/// The cells of a row of slices.csv: file, time, field, normal, at, least, most.
constexpr std::size_t columns = 7;

/// Empty where it is no picture right in the folder: a list can name any file of the machine.
std::string picture_bytes(const fs::path& folder, const std::string& name) {
  const fs::path file = folder / "slices" / fs::path(name).filename();
  std::error_code error;
  if (fs::path(name) != fs::path("slices") / file.filename() ||
      !fs::is_regular_file(fs::symlink_status(file, error)) ||
      fs::file_size(file, error) > max_picture_bytes) {
    return {};
  }
  std::ifstream in(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  return bytes.starts_with(png_signature) ? bytes : std::string();
}

/// The last row of each slice, in the order in which slices appear.
std::vector<std::vector<std::string>> last_rows(const fs::path& list) {
  std::ifstream in(list);
  std::map<std::string, std::size_t> places;
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> cells = parts_of(line, ',');
    if (cells.size() != columns || cells[0] == "file") {
      continue;
    }
    const auto [place, is_new] = places.emplace(convect::slice_of(cells[0]), rows.size());
    if (is_new) {
      rows.emplace_back();
    }
    rows[place->second] = std::move(cells);
  }
  return rows;
}

}  // namespace

std::vector<Picture> last_pictures(const fs::path& result) {
  std::vector<Picture> pictures;
  if (result.filename() != "run.json") {
    return pictures;
  }
  const fs::path folder = result.parent_path();
  for (const auto& cells : last_rows(folder / "slices.csv")) {
    const std::string bytes = picture_bytes(folder, cells[0]);
    if (!bytes.empty() && pictures.size() < max_pictures) {
      pictures.push_back({.slice = fs::path(convect::slice_of(cells[0])).filename().string(),
                          .time = cells[1],
                          .place = fmt::format("{} = {}", cells[3], cells[4]),
                          .least = cells[5],
                          .most = cells[6],
                          .data_url = "data:image/png;base64," + base64(bytes)});
    }
  }
  return pictures;
}

}  // namespace bankfull::html_report
