#pragma once

#include "bankfull/core/measure/interruption.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

namespace bankfull {

/// Asks a run to end once there is a file of this name, as `touch` makes it: for who can write to
/// the run's folder, but send no signal to its process. Looks a few times a second, once `counts`
/// says so: what was there before the run is not about it.
class StopFile final : public Interruption {
 public:
  StopFile(std::filesystem::path path, std::function<bool()> counts)
      : path_(std::move(path)), counts_(std::move(counts)) {}

  [[nodiscard]] bool requested() const override;
  [[nodiscard]] std::string cause() const override;

 private:
  std::filesystem::path path_;
  std::function<bool()> counts_;
  mutable bool found_ = false;
  mutable bool has_looked_ = false;
  mutable Stopwatch since_look_;
};

}  // namespace bankfull
