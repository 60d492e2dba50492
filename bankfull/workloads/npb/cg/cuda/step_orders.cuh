#pragma once

#include "bankfull/workloads/npb/cg/cuda/block_product.cuh"

namespace bankfull::npb::cg::cuda {

// The two orders of operations of a solve. Both begin with the gathered x and end with the gathered
// z.

/// As NPB's program has it: two sums over ranks per step.
class NasaSteps {
 public:
  static constexpr CgOrder order = CgOrder::nasa;

  /// `z` is a piece, like all vectors.
  NasaSteps(BlockProduct& matrix, PiecePasses& pieces, double* z, const CudaExecutor& executor)
      : matrix_(matrix),
        pieces_(pieces),
        z_(z),
        r_(zero_vector(executor, pieces.piece())),
        q_(zero_vector(executor, pieces.piece())),
        steps_(executor.make<NasaScalars>(steps_per_iteration + 1)) {}

  /// z with A z = x, nearly.
  void queue_solve() {
    pieces_.sum(StartSolve{matrix_.multiplied(), r_.data(), z_}, &steps_.data()->rr);
    for (int number = 0; number < steps_per_iteration; ++number) {
      queue_step(number);
    }
  }

  /// The vectors' traffic in a step: not that of its product, but reading the result.
  [[nodiscard]] Traffic vector_traffic() const {
    const auto piece = static_cast<double>(r_.bytes());
    return {7.0 * piece, 5.0 * piece, 0.0};
  }
  [[nodiscard]] std::size_t vector_bytes() const { return r_.bytes() + q_.bytes(); }

 private:
  void queue_step(int number) {
    NasaScalars* const step = steps_.data() + number;
    matrix_.queue();
    pieces_.sum(TakeDirectionProduct{matrix_.product(), matrix_.multiplied(), q_.data()},
                &step->pq);
    pieces_.sum(UpdateSolution{step, matrix_.multiplied(), q_.data(), r_.data(), z_}, &step[1].rr);
    pieces_.each(UpdateDirection{.step = step,
                                 .next = step + 1,
                                 .last = number + 1 == steps_per_iteration,
                                 .r = r_.data(),
                                 .z = z_,
                                 .p = matrix_.multiplied()});
    matrix_.gather();
  }

  BlockProduct& matrix_;
  PiecePasses& pieces_;
  double* z_;
  Buffer<double> r_;
  Buffer<double> q_;
  Buffer<NasaScalars> steps_;
};

/// After Chronopoulos and Gear: one sum over ranks per step.
class ChronopoulosGearSteps {
 public:
  static constexpr CgOrder order = CgOrder::chronopoulos_gear;

  ChronopoulosGearSteps(BlockProduct& matrix, PiecePasses& pieces, double* z,
                        const CudaExecutor& executor)
      : matrix_(matrix),
        pieces_(pieces),
        z_(z),
        p_(zero_vector(executor, pieces.piece())),
        q_(zero_vector(executor, pieces.piece())),
        w_(zero_vector(executor, pieces.piece())),
        steps_(executor.make<StepScalars>(steps_per_iteration)) {}

  void queue_solve() {
    for (int number = 0; number < steps_per_iteration; ++number) {
      queue_step(number);
    }
  }

  [[nodiscard]] Traffic vector_traffic() const {
    const auto piece = static_cast<double>(p_.bytes());
    return {6.0 * piece, 6.0 * piece, 0.0};
  }
  [[nodiscard]] std::size_t vector_bytes() const { return p_.bytes() + q_.bytes() + w_.bytes(); }

 private:
  void queue_step(int number) {
    StepScalars* const step = steps_.data() + number;
    matrix_.queue();
    pieces_.sum(TakeStepProduct{matrix_.product(), matrix_.multiplied(), w_.data()}, &step->rr);
    pieces_.each(Advance{.step = step,
                         .before = number == 0 ? nullptr : step - 1,
                         .last = number + 1 == steps_per_iteration,
                         .r = matrix_.multiplied(),
                         .w = w_.data(),
                         .z = z_,
                         .p = p_.data(),
                         .q = q_.data()});
    matrix_.gather();
  }

  BlockProduct& matrix_;
  PiecePasses& pieces_;
  double* z_;
  Buffer<double> p_;
  Buffer<double> q_;
  Buffer<double> w_;
  Buffer<StepScalars> steps_;
};

}  // namespace bankfull::npb::cg::cuda
