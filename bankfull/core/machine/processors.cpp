#include "bankfull/core/machine/processors.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <sched.h>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace bankfull {
namespace {

const std::string folder_of_processors = "sys/devices/system/cpu";

/// The number at the head of a text, which is cut off.
bool take_number(std::string_view& text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc{} && number >= 0;
}

/// The least processor in a list of the kernel's, which names the set; else the default.
int first_in_list(const SystemFiles& files, const std::string& path, int by_default) {
  const std::vector<int> list = processors_in_list(files.text(path).value_or(""));
  return list.empty() ? by_default : list.front();
}

/// The file of the last-level cache that this processor uses, or an empty path.
std::string last_cache_list(const SystemFiles& files, const std::string& processor) {
  std::string list;
  std::int64_t largest = 0;
  for (const std::string& name : files.names(processor + "/cache", "index")) {
    const std::string folder = fmt::format("{}/cache/{}", processor, name);
    const std::int64_t level = files.number(folder + "/level").value_or(0);
    if (level > largest) {
      largest = level;
      list = folder + "/shared_cpu_list";
    }
  }
  return list;
}

std::map<int, int> nodes_of_processors(const SystemFiles& files) {
  std::map<int, int> nodes;
  const std::string folder = "sys/devices/system/node";
  int number = 0;
  for (const std::string& name : files.names(folder, "node")) {
    const auto list = files.text(fmt::format("{}/{}/cpulist", folder, name));
    for (const int processor : processors_in_list(list.value_or(""))) {
      nodes[processor] = number;
    }
    ++number;
  }
  return nodes;
}

}  // namespace

std::vector<int> processors_of_this_thread() {
  std::vector<int> found;
  // Larger than any machine's: the system refuses sets that are too small for it.
  constexpr std::size_t most = std::size_t{1} << 16;
  std::vector<unsigned char> storage(CPU_ALLOC_SIZE(most));
  auto* const set = reinterpret_cast<cpu_set_t*>(storage.data());
  if (sched_getaffinity(0, storage.size(), set) == 0) {
    for (std::size_t n = 0; n < most; ++n) {
      if (CPU_ISSET_S(n, storage.size(), set)) {
        found.push_back(static_cast<int>(n));
      }
    }
  }
  return found;
}

const std::vector<int>& process_processors() {
  static const std::vector<int> found = processors_of_this_thread();
  return found;
}

std::vector<Processor> in_order_of_caches(const SystemFiles& files,
                                          const std::vector<int>& processors) {
  using Place = std::tuple<std::int64_t, int, int, int, int>;
  const std::map<int, int> nodes = nodes_of_processors(files);
  std::vector<Place> places;
  for (const int number : processors) {
    const std::string folder = fmt::format("{}/cpu{}", folder_of_processors, number);
    const std::string cache = last_cache_list(files, folder);
    const auto node = nodes.find(number);
    places.emplace_back(
        files.number(folder + "/topology/physical_package_id").value_or(0),
        node == nodes.end() ? 0 : node->second, cache.empty() ? 0 : first_in_list(files, cache, 0),
        first_in_list(files, folder + "/topology/thread_siblings_list", number), number);
  }
  std::sort(places.begin(), places.end());
  std::vector<Processor> ordered;
  ordered.reserve(places.size());
  for (const Place& place : places) {
    ordered.push_back({.number = std::get<4>(place), .core = std::get<3>(place)});
  }
  return ordered;
}

int core_count(const std::vector<Processor>& ordered) {
  int count = 0;
  for (std::size_t n = 0; n < ordered.size(); ++n) {
    count += n == 0 || ordered[n].core != ordered[n - 1].core ? 1 : 0;
  }
  return count;
}

int numa_node_count(const SystemFiles& files, const std::vector<int>& processors) {
  const std::map<int, int> all = nodes_of_processors(files);
  std::set<int> nodes;
  for (const int processor : processors) {
    if (const auto node = all.find(processor); node != all.end()) {
      nodes.insert(node->second);
    }
  }
  return std::max(1, static_cast<int>(nodes.size()));
}

std::vector<int> processors_in_list(const std::string& list) {
  std::vector<int> all;
  std::string_view rest = list;
  while (!rest.empty()) {
    int first = 0;
    if (!take_number(rest, first)) {
      return {};
    }
    int last = first;
    if (rest.starts_with('-')) {
      rest.remove_prefix(1);
      if (!take_number(rest, last) || last < first) {
        return {};
      }
    }
    for (int number = first; number <= last; ++number) {
      all.push_back(number);
    }
    if (!rest.empty() && rest.front() != ',') {
      return {};
    }
    rest.remove_prefix(rest.empty() ? 0 : 1);
  }
  return all;
}

}  // namespace bankfull
