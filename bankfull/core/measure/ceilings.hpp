#pragma once

#include "bankfull/core/measure/cache.hpp"
#include "bankfull/core/measure/ceiling.hpp"
#include "bankfull/core/measure/run_context.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace bankfull {

/// What the memory of a run's devices sustains for each mix of reads and writes that its work has:
/// all ranks measure at once, and their rates add up. A ceiling that is measured again is the best
/// of its measurements, for a busy machine drifts, and no rate may be divided by a slow moment.
///
/// Time and memory are bounded by what the run itself takes: see `measure`.
class Ceilings {
 public:
  /// `context` must outlive it.
  Ceilings(Device device, int threads, const RunContext& context);

  /// Collective: measures the ceiling of a mix, once more if it is known. Takes about `seconds`,
  /// and per device no more memory than the larger of `problem_bytes` and 1 GiB (4 on GPUs), unless
  /// every ceiling was asked for (CeilingRule::always), when the working set is as large as the
  /// caches demand. The memory is kept for the next until `release`.
  void measure(const Mix& mix, Precision precision, double seconds, std::int64_t problem_bytes);

  /// Gives the memory back.
  void release();

  /// The same on all ranks; empty if it was neither measured nor read from the file.
  [[nodiscard]] std::optional<Ceiling> find(const Mix& mix, Precision precision) const;

 private:
  Device device_;
  int threads_;
  int sharing_;
  const RunContext& context_;
  std::unique_ptr<CeilingProbe> probe_;
  std::map<std::string, Ceiling> known_;
};

/// Whether a run measures the ceilings of work that fits a cache so.
bool measures_ceiling(CeilingRule rule, CacheFit fit);

/// Bytes that measuring ceilings takes on a device, by all ranks that share it: `threads` in all.
/// The work has `problem_bytes` there.
std::int64_t ceilings_bytes(Device device, int threads, CeilingRule rule,
                            std::int64_t problem_bytes);

/// By which ceilings are found again: "4 read : 3 write, fp64".
std::string ceiling_key(const Mix& mix, Precision precision);

}  // namespace bankfull
