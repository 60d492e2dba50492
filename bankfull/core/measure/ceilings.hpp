#pragma once

#include "bankfull/core/measure/cache.hpp"
#include "bankfull/core/measure/ceiling.hpp"
#include "bankfull/core/measure/run_context.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace bankfull {

/// What the memory of a run's devices sustains for each mix of reads and writes that its work has:
/// all ranks measure at once, and their rates add up. A ceiling that is measured again is the best
/// of its measurements, for a busy machine drifts, and no rate may be divided by a slow moment.
///
/// Memory is bounded by what the run itself takes: see `allocate`. So is time, of which an account
/// is kept: `seconds_spent` has all allocation, warm-up, passes and release, and `seconds_left` is
/// the rest of what MeasurePolicy allows. Who asks for no more than that, and measures nothing
/// again that takes more, stays within it, but for what no ceiling can do without: of each mix once
/// an allocation, a warm-up and the least number of passes (CeilingProbe::repeats_within). Only the
/// wait for a GPU that clears memory does not count: the work before causes it.
class Ceilings {
 public:
  /// `context` must outlive it.
  Ceilings(Device device, int threads, const RunContext& context);

  /// Collective: allocates what ceilings are measured in, if that has not been done since the last
  /// `release`: per device no more memory than the larger of `problem_bytes` and 1 GiB (4 on GPUs),
  /// unless every ceiling was asked for (CeilingRule::always), when the working set is as large as
  /// the caches demand.
  void allocate(std::int64_t problem_bytes);

  /// Collective: measures the ceiling of a mix in the allocated memory, once more if it is known.
  /// Takes `seconds`, a warm-up where the memory has not seen the mix included, or the least that
  /// it can take if that is more.
  void measure(const Mix& mix, Precision precision, double seconds);

  /// Collective: gives the memory back.
  void release();

  /// What the least measurement of a mix that was measured before takes now, with an allocation and
  /// a warm-up where these are needed; the same on all ranks.
  [[nodiscard]] double least_seconds(const Mix& mix, Precision precision) const;

  /// By the slowest rank; the same on all.
  [[nodiscard]] double seconds_spent() const { return seconds_spent_; }

  /// Of a run that has taken `run_seconds`, its ceilings included.
  [[nodiscard]] double seconds_left(double run_seconds) const;

  /// The same on all ranks; empty if it was neither measured nor read from the file.
  [[nodiscard]] std::optional<Ceiling> find(const Mix& mix, Precision precision) const;

 private:
  void spend_on(const std::function<void()>& body);

  Device device_;
  int threads_;
  int sharing_;
  const RunContext& context_;
  std::unique_ptr<CeilingProbe> probe_;
  std::map<std::string, Ceiling> known_;
  std::map<std::string, double> pass_seconds_;  ///< of one pass in each way
  std::set<std::string> warm_;                  ///< since the allocation
  double allocation_seconds_ = 0.0;             ///< of the last
  double seconds_spent_ = 0.0;
};

/// Collective: the ceiling of all ranks together of what each measured at the same time. Rates and
/// working sets add up. Ranks may have reached theirs in different ways and times, on different
/// devices: name and seconds are those of the rank with the lowest rate.
Ceiling sum_of(const Ceiling& mine, const Communicator& ranks);

/// Collective: what all ranks move and compute.
Traffic sum_over(const Communicator& ranks, const Traffic& mine);

/// Whether a run measures the ceiling of work, by how its data fit the last cache.
bool measures_ceiling(CeilingRule rule, CacheFit fit);

/// Bytes that measuring ceilings takes on a device, by all ranks that share it: `threads` in all.
/// The work has `problem_bytes` there.
std::int64_t ceilings_bytes(Device device, int threads, CeilingRule rule,
                            std::int64_t problem_bytes);

/// By which ceilings are found again: "4 read : 3 write, fp64".
std::string ceiling_key(const Mix& mix, Precision precision);

}  // namespace bankfull
