#pragma once

#include "bankfull/core/measure/benchmark.hpp"

#include <functional>
#include <string>
#include <vector>

namespace bankfull {

/// What a FunctionBenchmark calls. All of them are collective.
struct BenchmarkFunctions {
  std::function<void()> run;                        ///< the timed region; complete when it returns
  std::function<void()> rewind = {};                ///< restores what `run` starts from; not timed
  std::function<std::vector<Check>()> checks = {};  ///< of the last run, the same on all ranks
};

/// A benchmark made of functions, for work that needs no class of its own. On a GPU `run` must end
/// with synchronize(stream).
class FunctionBenchmark final : public Benchmark {
 public:
  /// `work` is that of one run on this rank. Throws UsageError without a function to run.
  FunctionBenchmark(std::string name, Work work, BenchmarkFunctions functions);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Work work() const override { return work_; }
  void run() override { functions_.run(); }
  void rewind() override;
  [[nodiscard]] std::vector<Check> checks() override;

 private:
  std::string name_;
  Work work_;
  BenchmarkFunctions functions_;
};

}  // namespace bankfull
