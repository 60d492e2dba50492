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
#include <vector>

namespace bankfull {

/// The bandwidth that a run's devices sustain for each mix of reads and writes of its work: all
/// ranks measure at once, and their rates are added; those on one device begin every pass together,
/// and the slowest one's time counts for all of them. Of repeated measurements of a ceiling the
/// best counts, because busy machines drift and a slow moment must not inflate a percentage.
///
/// Memory is bounded by what the run itself takes (see `allocate`), and so is time:
/// `seconds_spent` includes all allocation, warm-up, passes and release, and `seconds_left` is
/// the rest of what MeasurePolicy allows. Callers that ask for no more than that, and repeat only
/// what fits, stay within it, except for the minimum per mix: one allocation, a warm-up and the
/// minimum number of passes (CeilingProbe::repeats_within). Waiting for a GPU that is clearing
/// memory does not count, because the work before causes it.
class Ceilings {
 public:
  /// `context` must outlive it.
  Ceilings(Device device, int threads, const RunContext& context);

  /// Collective: allocates the arrays for measuring ceilings, unless allocated since the last
  /// `release`: per device no more memory than the larger of `problem_bytes` and 1 GiB (4 on GPUs),
  /// unless every ceiling was asked for (CeilingRule::always): then the working set is as large as
  /// the caches demand.
  void allocate(std::int64_t problem_bytes);

  /// Collective: measures the ceiling of a mix in the allocated memory, again if it is known.
  /// Takes `seconds`, including a warm-up for a mix that is new to this memory, or the minimum
  /// time if that is more.
  void measure(const Mix& mix, Precision precision, double seconds);

  /// Collective: frees the memory.
  void release();

  /// Seconds that repeating the measurement of a mix takes at least, including an allocation and
  /// a warm-up if needed; the same on all ranks.
  [[nodiscard]] double min_seconds(const Mix& mix, Precision precision) const;

  /// Maximum over the ranks; the same on all.
  [[nodiscard]] double seconds_spent() const { return seconds_spent_; }

  /// For a run that has taken `run_seconds`, including its ceilings.
  [[nodiscard]] double seconds_left(double run_seconds) const;

  /// The same on all ranks; empty if neither measured nor read from the file.
  [[nodiscard]] std::optional<Ceiling> find(const Mix& mix, Precision precision) const;

 private:
  void spend_on(const std::function<void()>& body);

  Device device_;
  int threads_;
  std::vector<int> on_device_;  ///< the ranks on this rank's device
  const RunContext& context_;
  std::unique_ptr<CeilingProbe> probe_;
  std::map<std::string, Ceiling> known_;
  std::map<std::string, double> pass_seconds_;  ///< of one pass of all variants
  std::set<std::string> warm_;                  ///< since the allocation
  double allocation_seconds_ = 0.0;             ///< of the last allocation
  double seconds_spent_ = 0.0;
};

/// Collective: the joint ceiling of all ranks from what each measured at the same time. Rates and
/// working sets are added. The best variant and its time may differ between ranks: name and
/// seconds are those of the rank with the lowest rate.
Ceiling sum_of(const Ceiling& mine, const Communicator& ranks);

/// What ranks do around each pass of a ceiling: begin together; of those in `on_device`, which
/// share the memory, the slowest one's time counts.
SharedPass shared_pass(const Communicator& ranks, std::vector<int> on_device);

/// Collective: the total traffic and operations of all ranks.
Traffic sum_over(const Communicator& ranks, const Traffic& mine);

/// Whether a run measures a ceiling for work whose data fit the last-level cache like this.
bool measures_ceiling(CeilingRule rule, CacheFit fit);

/// Bytes that measuring ceilings takes on a device, for all ranks that share it, with `threads` in
/// total. The work takes `problem_bytes` there.
std::int64_t ceilings_bytes(Device device, int threads, CeilingRule rule,
                            std::int64_t problem_bytes);

/// The key of a ceiling: "4 read : 3 write, fp64".
std::string ceiling_key(const Mix& mix, Precision precision);

}  // namespace bankfull
