#pragma once

#include "bankfull/app/accept/baseline.hpp"
#include "bankfull/app/accept/reading.hpp"
#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/base/error.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::accept {

/// What is said of a device by one gauge. See docs/adr/0033.
enum class Finding {
  good,       ///< within the tolerance of the baseline, or of the other devices
  slow,       ///< below it, steadily, and again when measured again
  disturbed,  ///< below it, but readings scatter, or something else used the machine
  unknown,    ///< there is nothing to compare with
};

inline constexpr auto finding_names = enum_names<Finding>({{Finding::good, "good"},
                                                           {Finding::slow, "slow"},
                                                           {Finding::disturbed, "disturbed"},
                                                           {Finding::unknown, "unknown"}});

/// The rates that one gauge read on one device, round by round.
struct GaugeReadings {
  std::string gauge;
  std::string unit;
  std::vector<double> rates;
  bool noisy = false;  ///< any of them

  [[nodiscard]] double median() const;
  [[nodiscard]] double spread() const;  ///< (largest - smallest) / median, a fraction
};

/// How far below the baseline a device may be, as a fraction: its boards' spread or half of what
/// must be caught, whichever is more, but always less than the 5 % that must be.
double tolerance_of(const BaselineEntry& entry);

/// How far below the median of all devices of its model one may be.
inline constexpr double tolerance_among_devices = 0.03;

struct Judgement {
  std::string gauge;
  std::string unit;
  double rate = 0.0;
  double spread = 0.0;
  std::optional<double> of_baseline = {};  ///< rate / baseline's
  std::optional<double> of_others = {};    ///< rate / median of the other devices' of its model
  Finding finding = Finding::unknown;
  std::string reason = {};  ///< why it is slow or disturbed
};

/// Whether readings miss what the baseline or the other devices promise, so that they must be
/// repeated before that counts. `others`: the medians of the other devices of the model.
bool misses(const GaugeReadings& readings, const BaselineEntry* entry,
            const std::vector<double>& others);

Judgement judge(const GaugeReadings& readings, const BaselineEntry* entry,
                const std::vector<double>& others);

/// How many rounds more a device whose readings miss is measured before that counts.
inline constexpr int confirming_rounds = 2;

/// The medians of the other devices of the model by one gauge.
using OthersBy = std::function<std::vector<double>(const std::string& gauge)>;

/// Whether any gauge of a device misses, so that the device must be measured again. `baseline` may
/// be null.
bool any_misses(const std::vector<GaugeReadings>& gauges, const Baseline* baseline,
                const OthersBy& others);

/// Of all gauges of a device.
std::vector<Judgement> judge_all(const std::vector<GaugeReadings>& gauges, const Baseline* baseline,
                                 const OthersBy& others);

/// The verdict on a device: slow, if anything is; else disturbed; unknown, if all is; else good.
Finding verdict_of(const std::vector<Judgement>& judgements);

}  // namespace bankfull::accept
