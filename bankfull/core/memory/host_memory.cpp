#include "bankfull/core/memory/host_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace bankfull {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// A hierarchy of control groups where it is mounted.
struct GroupMount {
  int version = 2;
  fs::path point;         ///< folder of its uppermost group that can be seen
  std::string top = "/";  ///< name of that group
};

/// The files in which a version of control groups reports memory.
struct GroupFiles {
  const char* limit;
  const char* usage;
  const char* cached;  ///< in memory.stat: bytes of cached files that are reclaimed first
};

constexpr GroupFiles files_of(int version) {
  return version == 2
             ? GroupFiles{"memory.max", "memory.current", "inactive_file"}
             : GroupFiles{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
}

/// Nothing if there is no such file or no number in it; "max" is not one.
std::optional<std::int64_t> number_in_file(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// The number after a key that begins a line.
std::optional<std::int64_t> number_of_key(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) {
      std::istringstream rest(line.substr(key.size()));
      std::int64_t number = 0;
      return rest >> number ? std::optional(number) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

/// Whether a comma-separated list contains the word.
bool lists(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// mountinfo writes a space as \040, and others alike.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const std::string digits = text.substr(n + 1, 3);
    const bool escape = text[n] == '\\' && digits.size() == 3 &&
                        digits.find_first_not_of("01234567") == std::string::npos;
    plain += escape ? static_cast<char>(std::stoi(digits, nullptr, 8)) : text[n];
    n += escape ? 3 : 0;
  }
  return plain;
}

/// "32 31 0:29 / /sys/fs/cgroup/memory rw,relatime shared:1 - cgroup cgroup rw,memory"
std::optional<GroupMount> group_mount(const std::string& line) {
  const std::vector<std::string> words = words_of(line);
  const auto separator = std::find(words.begin(), words.end(), "-");
  if (words.size() < 5 || words.end() - separator < 4) {
    return std::nullopt;
  }
  const std::string& kind = separator[1];
  const bool of_memory = kind == "cgroup" && lists(separator[3], "memory");
  if (kind != "cgroup2" && !of_memory) {
    return std::nullopt;
  }
  return GroupMount{
      .version = of_memory ? 1 : 2, .point = unescaped(words[4]), .top = unescaped(words[3])};
}

std::vector<GroupMount> group_mounts(const fs::path& mountinfo) {
  std::ifstream file(mountinfo);
  if (!file) {
    return {{.version = 2, .point = "/sys/fs/cgroup"}};
  }
  std::vector<GroupMount> mounts;
  for (std::string line; std::getline(file, line);) {
    if (auto mount = group_mount(line)) {
      mounts.push_back(std::move(*mount));
    }
  }
  return mounts;
}

/// The group of this process in a hierarchy of version 1 with memory, or in that of version 2: "/"
/// where it cannot be known.
std::string own_group(const fs::path& groups, int version) {
  std::ifstream file(groups);
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version == 2 ? controllers.empty() : lists(controllers, "memory")) {
      return line.substr(second + 1);
    }
  }
  return "/";
}

/// The folder of a group below its mount: the mount itself where the group lies outside, as one may
/// see it from within a container.
fs::path folder_of(const std::string& group, const GroupMount& mount) {
  const std::string top = mount.top == "/" ? "" : mount.top;
  const bool inside = group.starts_with(top + "/") && group.find("/..") == std::string::npos;
  return inside ? fs::path(group.substr(top.size() + 1)) : fs::path();
}

/// What is left in a single group.
std::int64_t left_in_group(const fs::path& folder, int version) {
  const GroupFiles names = files_of(version);
  const auto limit = number_in_file(folder / names.limit);
  const auto usage = number_in_file(folder / names.usage);
  if (!limit || !usage) {
    return unlimited;
  }
  const std::int64_t cached = number_of_key(folder / "memory.stat", names.cached).value_or(0);
  const std::int64_t used = std::max<std::int64_t>(0, *usage - std::max<std::int64_t>(0, cached));
  return std::max<std::int64_t>(0, *limit - used);
}

/// Groups of version 1 may not count those below them.
bool counts_those_below(const fs::path& folder, int version) {
  return version == 2 || number_in_file(folder / "memory.use_hierarchy").value_or(1) != 0;
}

std::int64_t left_in_groups(const fs::path& root, const GroupMount& mount) {
  const fs::path top = root / mount.point.relative_path();
  fs::path below = folder_of(own_group(root / "proc/self/cgroup", mount.version), mount);
  std::int64_t least = left_in_group(top / below, mount.version);
  while (!below.empty()) {
    below = below.parent_path();
    if (counts_those_below(top / below, mount.version)) {
      least = std::min(least, left_in_group(top / below, mount.version));
    }
  }
  return least;
}

std::int64_t available_to_machine(const fs::path& root) {
  constexpr std::int64_t kib = 1024;
  const auto available = number_of_key(root / "proc/meminfo", "MemAvailable:");
  return available ? *available * kib
                   : static_cast<std::int64_t>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

/// A limit of the process minus its usage according to its status, in KiB.
std::int64_t left_of_limit(const fs::path& root, const std::string& limit,
                           const std::string& taken) {
  constexpr std::int64_t kib = 1024;
  const auto most = number_of_key(root / "proc/self/limits", limit);
  const auto now = number_of_key(root / "proc/self/status", taken);
  return most ? std::max<std::int64_t>(0, *most - now.value_or(0) * kib) : unlimited;
}

}  // namespace

std::int64_t HostMemory::available() const {
  std::int64_t least = available_to_machine(root_);
  for (const GroupMount& mount : group_mounts(root_ / "proc/self/mountinfo")) {
    least = std::min(least, left_in_groups(root_, mount));
  }
  return least;
}

std::int64_t HostMemory::left_to_process() const {
  return std::min(left_of_limit(root_, "Max address space", "VmSize:"),
                  left_of_limit(root_, "Max data size", "VmData:"));
}

}  // namespace bankfull
