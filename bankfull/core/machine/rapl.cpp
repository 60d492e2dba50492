#include "bankfull/core/machine/rapl.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace bankfull {
namespace {

constexpr const char* powercap = "sys/class/powercap";
constexpr double micro = 1e-6;

/// "intel-rapl:0" is a socket, "intel-rapl:0:1" a part of one.
bool is_socket(const std::string& zone) { return std::count(zone.begin(), zone.end(), ':') == 1; }

}  // namespace

Rapl::Rapl(SystemFiles files) : files_(std::move(files)) {
  bool is_there = false;
  for (const std::string& zone : files_.names(powercap, "intel-rapl:")) {
    const std::string folder = fmt::format("{}/{}", powercap, zone);
    const std::string name = files_.text(folder + "/name").value_or("");
    // Other zones are parts of these ("core", "uncore") or contain them ("psys").
    if (is_socket(zone) && name.starts_with("package")) {
      add_counter(EnergyDomain::package, folder);
      is_there = true;
    } else if (name == "dram") {
      add_counter(EnergyDomain::dram, folder);
      is_there = true;
    }
  }
  if (counters_.empty()) {
    unknown_because_ = is_there ? "this user may not read the processors' energy counters (RAPL)"
                                : "this machine shows no energy counters of its processors (RAPL)";
  }
}

void Rapl::add_counter(EnergyDomain domain, const std::string& folder) {
  const auto now = files_.number(folder + "/energy_uj");
  const auto range = files_.number(folder + "/max_energy_range_uj");
  if (now && range && *range > 0) {
    counters_.push_back({.domain = domain,
                         .file = folder + "/energy_uj",
                         .range_joules = micro * static_cast<double>(*range),
                         .last_joules = micro * static_cast<double>(*now)});
  }
}

void Rapl::advance(Counter& counter, double seconds_apart) const {
  const double max_watts =
      counter.domain == EnergyDomain::dram ? max_dram_watts : max_package_watts;
  const auto raw = files_.number(counter.file);
  if (!raw || seconds_apart * max_watts > counter.range_joules) {
    ++counter.gaps;
  }
  if (!raw) {
    return;
  }
  const double now = micro * static_cast<double>(*raw);
  const double wrapped = now < counter.last_joules ? counter.range_joules : 0.0;
  counter.used_joules += now - counter.last_joules + wrapped;
  counter.last_joules = now;
}

EnergyCount Rapl::read(double seconds) {
  const double apart = last_seconds_ ? seconds - *last_seconds_ : 0.0;
  last_seconds_ = seconds;
  EnergyCount count;
  for (Counter& counter : counters_) {
    advance(counter, apart);
    std::optional<double>& sum = count[counter.domain];
    sum = sum.value_or(0.0) + counter.used_joules;
    count.gaps.at(static_cast<std::size_t>(counter.domain)) += counter.gaps;
  }
  return count;
}

}  // namespace bankfull
