#include "bankfull/core/machine/host_settings.hpp"

#include "bankfull/core/machine/cgroup.hpp"
#include "bankfull/core/machine/memory_modules.hpp"

#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace bankfull {
namespace {

const std::string processors_folder = "sys/devices/system/cpu";
const std::string nodes_folder = "sys/devices/system/node";

void add_text(std::vector<Figure>& all, std::string name, const std::optional<std::string>& text) {
  if (text && !text->empty()) {
    all.push_back({.name = std::move(name), .value = *text});
  }
}

/// The different texts that the processors have in this file, such as their governors.
std::string texts_of_processors(const SystemFiles& files, const std::string& file) {
  std::set<std::string> texts;
  for (const std::string& name : files.names(processors_folder, "cpu")) {
    const auto text = files.text(fmt::format("{}/{}/{}", processors_folder, name, file));
    if (text && !text->empty()) {
      texts.insert(*text);
    }
  }
  std::string all;
  for (const std::string& text : texts) {
    all += (all.empty() ? "" : ", ") + text;
  }
  return all;
}

/// The choice in brackets: "always [madvise] never".
std::optional<std::string> chosen_in(const std::optional<std::string>& text) {
  if (!text) {
    return std::nullopt;
  }
  const std::size_t open = text->find('[');
  const std::size_t close = text->find(']', open == std::string::npos ? 0 : open);
  return open == std::string::npos || close == std::string::npos
             ? text
             : std::optional(text->substr(open + 1, close - open - 1));
}

std::optional<bool> turbo(const SystemFiles& files) {
  if (const auto off = files.number(processors_folder + "/intel_pstate/no_turbo")) {
    return *off == 0;
  }
  const auto boost = files.number(processors_folder + "/cpufreq/boost");
  return boost ? std::optional(*boost != 0) : std::nullopt;
}

void add_frequencies(std::vector<Figure>& all, const SystemFiles& files) {
  add_text(all, "governor", texts_of_processors(files, "cpufreq/scaling_governor"));
  add_text(all, "frequency_driver", texts_of_processors(files, "cpufreq/scaling_driver"));
  add_text(all, "energy_preference",
           texts_of_processors(files, "cpufreq/energy_performance_preference"));
  for (const auto& [name, file] : {std::pair{"frequency_min", "/cpu0/cpufreq/scaling_min_freq"},
                                   std::pair{"frequency_max", "/cpu0/cpufreq/scaling_max_freq"}}) {
    if (const auto kilohertz = files.number(processors_folder + file)) {
      all.push_back({.name = name, .value = *kilohertz / 1000, .unit = "MHz"});
    }
  }
  add_known(all, "turbo", turbo(files));
}

/// "spectre_v2: Mitigation: Retpolines; ...": only what the processor has.
std::string mitigations(const SystemFiles& files) {
  const std::string folder = processors_folder + "/vulnerabilities";
  std::string all;
  for (const std::string& bug : files.names(folder)) {
    const auto text = files.text(fmt::format("{}/{}", folder, bug));
    if (text && *text != "Not affected") {
      all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", bug, *text);
    }
  }
  return all;
}

/// Distances between the NUMA nodes, a row each: "10 21; 21 10".
std::string numa_distances(const SystemFiles& files) {
  std::string rows;
  for (const std::string& node : files.names(nodes_folder, "node")) {
    if (const auto row = files.text(fmt::format("{}/{}/distance", nodes_folder, node))) {
      rows += (rows.empty() ? "" : "; ") + *row;
    }
  }
  return rows;
}

/// The pages of a size that were set aside: 1048576 kB each, 512 of them.
void add_huge_pages(std::vector<Figure>& all, const SystemFiles& files) {
  const std::string sizes = "sys/kernel/mm/hugepages";
  for (const std::string& name : files.names(sizes, "hugepages-")) {
    const auto count = files.number(fmt::format("{}/{}/nr_hugepages", sizes, name));
    const std::string size = name.substr(std::string("hugepages-").size());
    add_known(all, "huge_pages_of_" + size, count);
  }
  const std::string transparent = "sys/kernel/mm/transparent_hugepage";
  add_text(all, "transparent_huge_pages", chosen_in(files.text(transparent + "/enabled")));
  add_text(all, "transparent_huge_page_defrag", chosen_in(files.text(transparent + "/defrag")));
}

/// "0x2b000603" of the first processor.
std::string microcode(const SystemFiles& files) {
  const std::string text = files.text("proc/cpuinfo").value_or("");
  const std::size_t key = text.find("\nmicrocode");
  const std::size_t colon = key == std::string::npos ? key : text.find(": ", key);
  if (colon == std::string::npos) {
    return {};
  }
  return text.substr(colon + 2, text.find('\n', colon) - colon - 2);
}

}  // namespace

std::vector<Figure> host_settings(const SystemFiles& files) {
  std::vector<Figure> all;
  add_frequencies(all, files);
  add_text(all, "smt", files.text(processors_folder + "/smt/control"));
  add_text(all, "processors_online", files.text(processors_folder + "/online"));
  add_text(all, "processors_isolated", files.text(processors_folder + "/isolated"));
  add_text(all, "microcode", microcode(files));
  add_text(all, "mitigations", mitigations(files));
  add_text(all, "numa_nodes", files.text(nodes_folder + "/online"));
  add_text(all, "numa_distances", numa_distances(files));
  if (const auto balancing = files.number("proc/sys/kernel/numa_balancing")) {
    all.push_back({.name = "numa_balancing", .value = *balancing != 0});
  }
  add_huge_pages(all, files);
  for (Figure& figure : Cgroup(files).settings()) {
    all.push_back(std::move(figure));
  }
  add_text(all, "memory_modules", describe_memory_modules(files));
  return all;
}

}  // namespace bankfull
