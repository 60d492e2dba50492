#include "bankfull/workloads/probe/timed_pass.hpp"

#include <optional>

namespace bankfull::probe {
namespace {

class PassBenchmark final : public Benchmark {
 public:
  explicit PassBenchmark(const TimedPass& pass) : pass_(pass) {}

  [[nodiscard]] std::string name() const override { return pass_.name; }
  void run() override { seconds_ = pass_.seconds(); }
  [[nodiscard]] std::optional<double> own_seconds() const override { return seconds_; }
  [[nodiscard]] Work work() const override { return pass_.work; }
  [[nodiscard]] std::vector<Figure> parameters() const override { return pass_.parameters; }

 private:
  const TimedPass& pass_;
  double seconds_ = 0.0;
};

}  // namespace

std::vector<Measurement> measure_in_turn(Experiment& experiment,
                                         const std::vector<TimedPass>& passes, int repeats) {
  std::vector<PassBenchmark> benchmarks(passes.begin(), passes.end());
  std::vector<Benchmark*> all;
  all.reserve(benchmarks.size());
  for (PassBenchmark& benchmark : benchmarks) {
    all.push_back(&benchmark);
  }
  std::vector<Check> none;  // contents are checked elsewhere
  return experiment.measure_in_turn(all, repeats, none);
}

}  // namespace bankfull::probe
