#include "bankfull/core/machine/system_files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fstream>
#include <string_view>
#include <system_error>

namespace bankfull {
namespace {

std::optional<std::int64_t> leading_number(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return std::nullopt;
  }
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + first, end, number);
  const bool is_whole = error == std::errc{} && (rest == end || std::isspace(*rest) != 0);
  return is_whole ? std::optional(number) : std::nullopt;
}

/// Names whose numbers differ are as long as their numbers.
bool in_natural_order(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

std::optional<std::string> SystemFiles::text(const std::string& path) const {
  std::ifstream file(root_ / path, std::ios::binary);
  if (!file) {
    return std::nullopt;
  }
  std::string all;
  std::array<char, 4096> block{};
  while (file.read(block.data(), block.size()), file.gcount() > 0) {
    all.append(block.data(), static_cast<std::size_t>(file.gcount()));
  }
  // Folders can be opened, and some attributes of the kernel fail only when they are read.
  if (file.bad()) {
    return std::nullopt;
  }
  while (!all.empty() && std::isspace(static_cast<unsigned char>(all.back())) != 0) {
    all.pop_back();
  }
  return all;
}

std::optional<std::int64_t> SystemFiles::number(const std::string& path) const {
  const std::optional<std::string> all = text(path);
  return all ? leading_number(*all) : std::nullopt;
}

std::optional<std::int64_t> SystemFiles::number_after(const std::string& path,
                                                      const std::string& key) const {
  const std::optional<std::string> all = text(path);
  for (std::size_t begin = 0; all && begin < all->size();) {
    const std::size_t end = std::min(all->find('\n', begin), all->size());
    const std::string_view line = std::string_view(*all).substr(begin, end - begin);
    if (line.starts_with(key) && line.size() > key.size()) {
      const char next = line[key.size()];
      if (next == ':' || next == ' ' || next == '\t') {
        return leading_number(line.substr(key.size() + 1));
      }
    }
    begin = end + 1;
  }
  return std::nullopt;
}

std::vector<std::string> SystemFiles::names(const std::string& folder,
                                            const std::string& prefix) const {
  std::vector<std::string> found;
  std::error_code error;
  std::filesystem::directory_iterator entry(root_ / folder, error);
  while (!error && entry != std::filesystem::directory_iterator{}) {
    std::string name = entry->path().filename().string();
    if (name.starts_with(prefix)) {
      found.push_back(std::move(name));
    }
    entry.increment(error);
  }
  std::sort(found.begin(), found.end(), in_natural_order);
  return found;
}

bool SystemFiles::exists(const std::string& path) const {
  std::error_code error;
  return std::filesystem::exists(root_ / path, error);
}

}  // namespace bankfull
