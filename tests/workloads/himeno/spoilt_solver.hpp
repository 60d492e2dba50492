#pragma once

#include "bankfull/workloads/himeno/sweep.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace bankfull::himeno {

/// A correct solver, parts of which tests spoil.
class SpoiltSolver : public Solver {
 public:
  explicit SpoiltSolver(std::unique_ptr<Solver> good)
      : Solver(good->ranks()), good_(std::move(good)) {}
  void prepare(Schedule schedule, std::int64_t iterations, Halos halos) override {
    good_->prepare(schedule, iterations, halos);
  }
  [[nodiscard]] std::optional<double> event_seconds() const override {
    return good_->event_seconds();
  }
  [[nodiscard]] ScheduleFacts facts(Schedule schedule) override { return good_->facts(schedule); }
  [[nodiscard]] Work work(Schedule schedule, std::int64_t iterations) const override {
    return good_->work(schedule, iterations);
  }
  [[nodiscard]] std::vector<double> pressure() const override { return good_->pressure(); }
  [[nodiscard]] std::vector<double> pressure_in(const Box& part) const override {
    return good_->pressure_in(part);
  }
  [[nodiscard]] const Domain& domain() const override { return good_->domain(); }

 protected:
  void fill(const InitialState& state) override { good_->load(state); }
  double sweep(Schedule schedule, std::int64_t iterations, Halos halos) override {
    return good_->run(schedule, iterations, halos);
  }

 private:
  std::unique_ptr<Solver> good_;
};

}  // namespace bankfull::himeno
