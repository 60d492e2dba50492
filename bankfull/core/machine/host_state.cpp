#include "bankfull/core/machine/host_state.hpp"

#include "bankfull/core/machine/memory_modules.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>

namespace bankfull {
namespace {

const std::string all_processors = "sys/devices/system/cpu";

/// Folders cpu0, cpu1, ... without others such as cpufreq.
std::vector<std::string> processor_folders(const SystemFiles& files) {
  std::vector<std::string> folders;
  for (const std::string& name : files.names(all_processors, "cpu")) {
    if (name.find_first_not_of("0123456789", 3) == std::string::npos && name.size() > 3) {
      folders.push_back(fmt::format("{}/{}", all_processors, name));
    }
  }
  return folders;
}

void add_processor_frequencies(std::vector<Figure>& all, const SystemFiles& files) {
  constexpr std::size_t most = 16;
  const std::vector<std::string> folders = processor_folders(files);
  const std::size_t step = std::max<std::size_t>(1, (folders.size() + most - 1) / most);
  std::vector<std::int64_t> megahertz;
  for (std::size_t n = 0; n < folders.size(); n += step) {
    if (const auto kilohertz = files.number(folders[n] + "/cpufreq/scaling_cur_freq")) {
      megahertz.push_back(*kilohertz / 1000);
    }
  }
  if (!megahertz.empty()) {
    const auto [least, most_found] = std::minmax_element(megahertz.begin(), megahertz.end());
    all.push_back({.name = "slowest_processor", .value = *least, .unit = "MHz"});
    all.push_back({.name = "fastest_processor", .value = *most_found, .unit = "MHz"});
  }
}

/// The hottest of the processors' sensors: Intel's coretemp, AMD's k10temp.
std::optional<double> processor_temperature(const SystemFiles& files) {
  std::optional<double> hottest;
  const std::string sensors = "sys/class/hwmon";
  for (const std::string& name : files.names(sensors, "hwmon")) {
    const std::string folder = fmt::format("{}/{}", sensors, name);
    const std::string driver = files.text(folder + "/name").value_or("");
    if (driver != "coretemp" && driver != "k10temp" && driver != "zenpower") {
      continue;
    }
    for (const std::string& sensor : files.names(folder, "temp")) {
      const auto thousandths = sensor.ends_with("_input")
                                   ? files.number(fmt::format("{}/{}", folder, sensor))
                                   : std::nullopt;
      if (thousandths) {
        const double celsius = 1e-3 * static_cast<double>(*thousandths);
        hottest = std::max(hottest.value_or(celsius), celsius);
      }
    }
  }
  return hottest;
}

std::optional<double> load_average(const SystemFiles& files) {
  double load = 0.0;
  std::istringstream text(files.text("proc/loadavg").value_or(""));
  return text >> load ? std::optional(load) : std::nullopt;
}

void add_memory(std::vector<Figure>& all, const SystemFiles& files) {
  constexpr std::array entries{std::pair{"memory_available", "MemAvailable"},
                               std::pair{"memory_in_transparent_huge_pages", "AnonHugePages"},
                               std::pair{"swap_free", "SwapFree"}};
  for (const auto& [name, key] : entries) {
    if (const auto kibibytes = files.number_after("proc/meminfo", key)) {
      all.push_back({.name = name, .value = *kibibytes * 1024, .unit = "B"});
    }
  }
  add_known(all, "huge_pages_free", files.number_after("proc/meminfo", "HugePages_Free"));
}

/// Milliseconds of all sockets' own throttling, the largest; every processor of a socket shows the
/// same.
std::optional<double> socket_throttle_seconds(const SystemFiles& files) {
  std::optional<double> longest;
  for (const std::string& folder : processor_folders(files)) {
    const auto milliseconds =
        files.number(folder + "/thermal_throttle/package_throttle_total_time_ms");
    if (milliseconds) {
      const double seconds = 1e-3 * static_cast<double>(*milliseconds);
      longest = std::max(longest.value_or(seconds), seconds);
    }
  }
  return longest;
}

}  // namespace

std::vector<Figure> host_state(const SystemFiles& files) {
  std::vector<Figure> all;
  add_known(all, "load_average", load_average(files));
  add_processor_frequencies(all, files);
  add_known(all, "temperature", processor_temperature(files), "C");
  add_memory(all, files);
  return all;
}

std::vector<Figure> process_memory(const SystemFiles& files) {
  const std::string rollup = "proc/self/smaps_rollup";
  const auto all = files.number_after(rollup, "Anonymous");
  const auto huge = files.number_after(rollup, "AnonHugePages");
  if (!all || !huge || *all <= 0) {
    return {};
  }
  const double share = static_cast<double>(*huge) / static_cast<double>(*all);
  return {{.name = "process_memory", .value = *all * 1024, .unit = "B"},
          {.name = "process_memory_in_huge_pages", .value = 100.0 * share, .unit = "%"}};
}

std::vector<Figure> host_counts(const SystemFiles& files) {
  std::vector<Figure> all = memory_errors(files);
  std::istringstream line(files.text("proc/stat").value_or(""));
  std::string label;
  // user nice system idle iowait irq softirq steal, in ticks of all processors
  std::array<double, 8> ticks{};
  line >> label;
  for (double& each : ticks) {
    line >> each;
  }
  if (line) {
    const auto per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
    const double busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
    all.push_back({.name = "processor_time", .value = busy / per_second, .unit = "s"});
    all.push_back({.name = "steal", .value = ticks[7] / per_second, .unit = "s"});
  }
  return all;
}

ThrottleSeconds host_throttle_seconds(const SystemFiles& files) {
  ThrottleSeconds seconds;
  seconds[Throttle::thermal] = socket_throttle_seconds(files);
  return seconds;
}

}  // namespace bankfull
