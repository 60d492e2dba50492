#include "bankfull/core/measure/energy_use.hpp"

#include "bankfull/core/base/format.hpp"
#include "bankfull/core/comm/rank_survey.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace bankfull {
namespace {

/// Readings closer together have nothing but the experiment's own steps between them.
constexpr double joined_seconds = 0.01;

/// The domains that count for work on a device: a processor's memory only where it is counted.
struct CountedDomains {
  std::vector<EnergyDomain> needed;
  std::vector<EnergyDomain> others;
  double step = 0.0;
};

CountedDomains domains_of(Device device) {
  if (device.is_cuda()) {
    return {.needed = {EnergyDomain::gpu},
            .others = {EnergyDomain::package, EnergyDomain::dram},
            .step = gpu_counter_seconds};
  }
  return {.needed = {EnergyDomain::package},
          .others = {EnergyDomain::dram},
          .step = processor_counter_seconds};
}

const char* name_of(EnergyDomain domain) {
  switch (domain) {
    case EnergyDomain::gpu:
      return "gpu";
    case EnergyDomain::package:
      return "package";
    default:
      return "dram";
  }
}

/// Why the joules of this rank are no figure; empty: they are one.
std::string unknown_reason(const CounterTally& tally, const std::string& unreadable,
                           const CountedDomains& domains) {
  if (!unreadable.empty()) {
    return unreadable;
  }
  if (tally.windows() == 0 || tally.seconds() <= 0.0) {
    return "the counters were not read";
  }
  if (!is_long_enough(domains.step, tally.windows(), tally.seconds())) {
    return fmt::format("{} in {} window{} are too short for a counter that advances every {}",
                       format_seconds(tally.seconds()), tally.windows(),
                       tally.windows() == 1 ? "" : "s", format_seconds(domains.step));
  }
  for (const EnergyDomain domain : domains.needed) {
    const std::optional<double> joules = tally.joules(domain);
    if (!joules) {
      return "a counter could not be read, was reset, or wrapped around unseen";
    }
    if (*joules <= 0.0) {
      return "the counter did not advance";
    }
  }
  if (tally.timed_seconds() < min_timed_share * tally.seconds()) {
    return fmt::format("only {:.0f} % of the time between the readings was timed",
                       100.0 * tally.timed_seconds() / tally.seconds());
  }
  return {};
}

/// Collective: the reason of the lowest rank that has one.
std::string first_reason(const std::string& mine, const Communicator& ranks) {
  for (const auto& text : ranks.all_gather(std::vector<char>(mine.begin(), mine.end()))) {
    if (!text.empty()) {
      return {text.begin(), text.end()};
    }
  }
  return {};
}

/// Collective: the joules of a domain of all ranks; empty if they are not known on each.
std::optional<double> sum_of_domain(const CounterTally& tally, EnergyDomain domain, double sharers,
                                    const Communicator& ranks) {
  const std::optional<double> mine = tally.joules(domain);
  const bool all_know = ranks.all(mine.has_value());
  const double sum = ranks.sum(mine.value_or(0.0) / sharers);
  return all_know ? std::optional(sum) : std::nullopt;
}

/// Nothing is known of a GPU that was not read.
ThrottleSeconds of_gpu(const CounterReading& reading, std::size_t gpu) {
  return gpu < reading.gpu_throttle.size() ? reading.gpu_throttle[gpu] : ThrottleSeconds{};
}

}  // namespace

void CounterTally::Sum::add(const std::optional<double>& from, const std::optional<double>& to) {
  // A counter that runs backwards was reset.
  is_known = is_known && from && to && *to >= *from;
  value += is_known ? *to - *from : 0.0;
}

void CounterTally::add(const CounterReading& before, const CounterReading& after,
                       double timed_seconds) {
  const bool is_joined = last_ && before.seconds - last_->seconds < joined_seconds;
  const CounterReading& from = is_joined ? *last_ : before;
  windows_ += is_joined ? 0 : 1;
  seconds_ += after.seconds - from.seconds;
  timed_seconds_ += timed_seconds;
  for (std::size_t n = 0; n < energy_.size(); ++n) {
    const bool has_gap = from.energy.gaps.at(n) != after.energy.gaps.at(n);
    energy_.at(n).add(has_gap ? std::nullopt : from.energy.joules.at(n), after.energy.joules.at(n));
  }
  throttle_.resize(std::max(throttle_.size(), after.gpu_throttle.size()));
  for (std::size_t gpu = 0; gpu < throttle_.size(); ++gpu) {
    const ThrottleSeconds begin = of_gpu(from, gpu);
    const ThrottleSeconds end = of_gpu(after, gpu);
    for (std::size_t n = 0; n < throttle_count; ++n) {
      throttle_[gpu].at(n).add(begin.of.at(n), end.of.at(n));
    }
  }
  last_ = after;
}

std::optional<double> CounterTally::joules(EnergyDomain domain) const {
  const Sum& sum = energy_.at(static_cast<std::size_t>(domain));
  return windows_ > 0 && sum.is_known ? std::optional(sum.value) : std::nullopt;
}

std::optional<double> CounterTally::throttled(Throttle reason) const {
  std::optional<double> longest;
  for (const auto& gpu : throttle_) {
    const Sum& sum = gpu.at(static_cast<std::size_t>(reason));
    if (seconds_ > 0.0 && sum.is_known) {
      longest = std::max(longest.value_or(0.0), std::min(1.0, sum.value / seconds_));
    }
  }
  return longest;
}

double energy_uncertainty(double step, int windows, double seconds) {
  return step * std::sqrt(static_cast<double>(windows)) / seconds;
}

bool is_long_enough(double step, int windows, double seconds) {
  return windows > 0 && seconds > 0.0 &&
         energy_uncertainty(step, windows, seconds) <= max_energy_uncertainty;
}

EnergyUse energy_use(const CounterTally& tally, const std::string& unreadable, Device device,
                     const Communicator& ranks) {
  const CountedDomains domains = domains_of(device);
  EnergyUse use{.seconds = ranks.max(tally.seconds()),
                .timed_seconds = ranks.max(tally.timed_seconds()),
                .unknown_because = first_reason(unknown_reason(tally, unreadable, domains), ranks)};
  const double sharers = sharers_of_device(ranks, device);
  const double on_node = ranks.local_size();
  const int windows = static_cast<int>(ranks.max(std::int64_t{tally.windows()}));
  bool has_dram = false;
  for (const EnergyDomain domain : {EnergyDomain::gpu, EnergyDomain::package, EnergyDomain::dram}) {
    const bool on_gpu = domain == EnergyDomain::gpu;
    const auto joules = sum_of_domain(tally, domain, on_gpu ? sharers : on_node, ranks);
    const bool is_needed =
        std::find(domains.needed.begin(), domains.needed.end(), domain) != domains.needed.end();
    const bool counts = joules && (is_needed || (!device.is_cuda() && !on_gpu));
    has_dram = has_dram || (counts && domain == EnergyDomain::dram);
    use.joules += counts ? *joules : 0.0;
    add_known(use.domains, name_of(domain), joules, "J");
  }
  if (!use.is_known()) {
    use.joules = 0.0;
    use.domains.clear();
  }
  use.uncertainty =
      use.seconds > 0.0 ? energy_uncertainty(domains.step, windows, use.seconds) : 0.0;
  use.covers = device.is_cuda() ? "GPU boards"
               : has_dram       ? "processors and their memory"
                                : "processors without their memory";
  return use;
}

std::optional<std::vector<ThrottledShare>> throttled_shares(const CounterTally& tally,
                                                            const Communicator& ranks) {
  std::vector<ThrottledShare> shares;
  for (const Throttle reason : throttle_names.values()) {
    const double largest = ranks.max(tally.throttled(reason).value_or(-1.0));
    if (largest >= 0.0) {
      shares.push_back({.reason = reason, .share = largest});
    }
  }
  return shares.empty() ? std::nullopt : std::optional(shares);
}

}  // namespace bankfull
