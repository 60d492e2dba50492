#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/for_each.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/himeno/fields.hpp"
#include "bankfull/workloads/himeno/reference.hpp"
#include "bankfull/workloads/himeno/sweep.hpp"

namespace bankfull::himeno {
namespace {

template <class T>
class CpuSolver final : public Solver {
 public:
  CpuSolver(const GridSize& grid, int threads) : team_(threads), fields_(grid, Device::cpu()) {}

  void load(const InitialState& state) override {
    for_each(team_, fields_.whole(), initialise(fields_, state));
  }

  Sweeps iterate(Schedule schedule, std::int64_t iterations) override {
    const Stopwatch watch;
    double gosa = 0.0;
    for (std::int64_t n = 0; n < iterations; ++n) {
      gosa = reference_sweep(fields_);
      fields_.advance();
    }
    return {.seconds = watch.seconds(), .gosa = gosa};
  }

  [[nodiscard]] ScheduleFacts facts(Schedule /*schedule*/) const override { return {}; }

  [[nodiscard]] std::vector<double> pressure() const override { return gather(fields_); }

 private:
  Team team_;
  Fields<T> fields_;
};

}  // namespace

template <class T>
std::unique_ptr<Solver> detail::make_cpu_solver(const GridSize& grid, int threads) {
  return std::make_unique<CpuSolver<T>>(grid, threads);
}

template std::unique_ptr<Solver> detail::make_cpu_solver<float>(const GridSize&, int);
template std::unique_ptr<Solver> detail::make_cpu_solver<double>(const GridSize&, int);

}  // namespace bankfull::himeno
