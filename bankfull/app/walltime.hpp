#pragma once

#include "bankfull/core/measure/interruption.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <string>

namespace bankfull {

/// Asks a run to end before the time that a batch system gives it is over, with time left to save
/// its state; and earlier where another interruption does. Counts from its construction.
class Walltime final : public Interruption {
 public:
  /// "HH:MM:SS", as batch systems write it. Throws UsageError for anything else.
  explicit Walltime(const std::string& text);

  /// To be asked too, from now on; it must outlive the run.
  void join(const Interruption& other) { other_ = &other; }

  /// Saving the state of the run took `seconds`; the maximum of all calls counts.
  void expect_saving(double seconds);

  [[nodiscard]] bool requested() const override;
  [[nodiscard]] std::string cause() const override;

  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  [[nodiscard]] double margin() const;

  std::string text_;
  double seconds_;
  const Interruption* other_ = nullptr;
  Stopwatch since_start_;
  double saving_ = 0.0;
  // A run asks at each of its steps: by that it is known how long these take.
  mutable double last_asked_ = 0.0;
  mutable double longest_gap_ = 0.0;
};

}  // namespace bankfull
