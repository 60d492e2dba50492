#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/measure/benchmark.hpp"

#include "jacobi/problem.hpp"
#include <string>
#include <vector>

namespace bankfull::jacobi {

/// Sweeps of the smoother over a sine wave, which every sweep multiplies by a known factor.
class Smoother final : public Benchmark {
 public:
  explicit Smoother(const Problem& problem);

  [[nodiscard]] std::string name() const override;
  void rewind() override;
  void run() override;
  [[nodiscard]] Work work() const override;
  [[nodiscard]] std::vector<Check> checks() override;
  [[nodiscard]] std::vector<Figure> parameters() const override;

 private:
  [[nodiscard]] double wave(std::int64_t i, std::int64_t j, std::int64_t k) const;

  Problem problem_;
  Team team_;
  FieldSet<double> fields_;  ///< u, the next u, and h^2 f
  int current_ = 0;          ///< which of the first two is u
};

}  // namespace bankfull::jacobi
