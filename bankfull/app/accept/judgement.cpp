#include "bankfull/app/accept/judgement.hpp"

#include "bankfull/core/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace bankfull::accept {
namespace {

constexpr double must_be_caught = 0.05;

/// Readings of a quiet device agree to a fraction of the tolerance.
constexpr double steady_spread = 0.02;

std::optional<double> ratio_to_baseline(const GaugeReadings& readings, const BaselineEntry* entry) {
  return entry == nullptr ? std::nullopt : std::optional(readings.median() / entry->median);
}

std::optional<double> ratio_to_others(const GaugeReadings& readings,
                                      const std::vector<double>& others) {
  return others.empty() ? std::nullopt
                        : std::optional(readings.median() / summarise(others).median);
}

/// How far the others are apart themselves: where they scatter, to be below them means little. The
/// median of their deviations bears a device among them that is slow, too.
double scatter_of(const std::vector<double>& others) {
  const double middle = summarise(others).median;
  std::vector<double> deviations;
  deviations.reserve(others.size());
  for (const double rate : others) {
    deviations.push_back(std::abs(rate / middle - 1.0));
  }
  constexpr double sigmas = 4.0;
  constexpr double sigma_of_median_deviation = 1.4826;
  return sigmas * sigma_of_median_deviation * summarise(deviations).median;
}

double tolerance_among(const std::vector<double>& others) {
  return std::max(tolerance_among_devices, scatter_of(others));
}

std::string below(const char* what, double ratio, double tolerance) {
  return fmt::format("{:.1f} % below {}, allowed {:.1f} %", 100.0 * (1.0 - ratio), what,
                     100.0 * tolerance);
}

const BaselineEntry* looked_up(const Baseline* baseline, const std::string& gauge) {
  return baseline == nullptr ? nullptr : baseline->find(gauge);
}

/// Why readings miss; empty: they do not.
std::string miss_of(const GaugeReadings& readings, const BaselineEntry* entry,
                    const std::vector<double>& others) {
  if (const auto ratio = ratio_to_baseline(readings, entry);
      ratio && *ratio < 1.0 - tolerance_of(*entry)) {
    return below("the baseline", *ratio, tolerance_of(*entry));
  }
  if (const auto ratio = ratio_to_others(readings, others);
      ratio && *ratio < 1.0 - tolerance_among(others)) {
    return below("the other devices", *ratio, tolerance_among(others));
  }
  return {};
}

}  // namespace

double GaugeReadings::median() const { return summarise(rates).median; }

double GaugeReadings::spread() const { return summarise(rates).spread(); }

double tolerance_of(const BaselineEntry& entry) {
  constexpr double least = 0.5 * must_be_caught;
  constexpr double most = 0.9 * must_be_caught;
  return std::clamp(entry.spread, least, most);
}

bool misses(const GaugeReadings& readings, const BaselineEntry* entry,
            const std::vector<double>& others) {
  return !miss_of(readings, entry, others).empty();
}

Judgement judge(const GaugeReadings& readings, const BaselineEntry* entry,
                const std::vector<double>& others) {
  Judgement judgement{.gauge = readings.gauge,
                      .unit = readings.unit,
                      .rate = readings.median(),
                      .spread = readings.spread(),
                      .of_baseline = ratio_to_baseline(readings, entry),
                      .of_others = ratio_to_others(readings, others)};
  judgement.reason = miss_of(readings, entry, others);
  if (judgement.reason.empty()) {
    const bool is_known = entry != nullptr || !others.empty();
    judgement.finding = is_known ? Finding::good : Finding::unknown;
    return judgement;
  }
  const bool steady = readings.spread() <= steady_spread && !readings.noisy;
  judgement.finding = steady ? Finding::slow : Finding::disturbed;
  if (!steady) {
    judgement.reason += readings.noisy
                            ? "; the machine was noisy"
                            : fmt::format("; readings {:.1f} % apart", 100.0 * readings.spread());
  }
  return judgement;
}

bool any_misses(const std::vector<GaugeReadings>& gauges, const Baseline* baseline,
                const OthersBy& others) {
  return std::ranges::any_of(gauges, [&](const GaugeReadings& readings) {
    return misses(readings, looked_up(baseline, readings.gauge), others(readings.gauge));
  });
}

std::vector<Judgement> judge_all(const std::vector<GaugeReadings>& gauges, const Baseline* baseline,
                                 const OthersBy& others) {
  std::vector<Judgement> judgements;
  judgements.reserve(gauges.size());
  for (const GaugeReadings& readings : gauges) {
    judgements.push_back(
        judge(readings, looked_up(baseline, readings.gauge), others(readings.gauge)));
  }
  return judgements;
}

Finding verdict_of(const std::vector<Judgement>& judgements) {
  const auto any = [&](Finding finding) {
    return std::ranges::any_of(
        judgements, [&](const Judgement& judgement) { return judgement.finding == finding; });
  };
  for (const Finding finding : {Finding::slow, Finding::disturbed, Finding::good}) {
    if (any(finding)) {
      return finding;
    }
  }
  return Finding::unknown;
}

}  // namespace bankfull::accept
