#pragma once

#include "bankfull/numerics/sparse/colouring.hpp"
#include "bankfull/workloads/hpcg/cuda/plain_cg.cuh"
#include "bankfull/workloads/hpcg/cuda/variants/permuted.hpp"
#include "bankfull/workloads/hpcg/rows.hpp"

#include <utility>
#include <vector>

namespace bankfull::hpcg::cuda {

/// The paper's colouring, which recolours where more than this many colours result: as many as the
/// operator's rows need on a regular grid.
inline constexpr int target_colours = 8;

/// All levels in the order of the colours that hashes give them.
inline std::vector<PermutedLevel> colour_levels_by_hash(const CudaExecutor& executor,
                                                        const std::vector<Level>& levels) {
  const auto colouring = [](const CudaExecutor& on, const CsrView& matrix, Colour* colours) {
    return colour_by_hash(on, matrix, target_colours, colours);
  };
  return permute_levels(executor, levels, [&](const CudaExecutor& on, const Level& level) {
    return order_by_colours(on, level, colouring);
  });
}

/// Base of the paper's versions: all levels in a new order of rows, and symmetric sweeps during
/// which the columns of other ranks do not change.
class PermutedBackend : public PlainCudaCg {
 public:
  PermutedBackend(const BackendSetup& setup, std::vector<PermutedLevel> orders)
      : PlainCudaCg(setup, plain_levels(orders), orders.front().new_of.data()),
        set_up_(setup.levels),
        orders_(std::move(orders)),
        diagonal_(make_vector(rows_)) {}

  void exaggerate_diagonal(bool exaggerated) override {
    const Level& finest = set_up_.front();
    executor_.each(
        rows_, LoadNewRow{finest.geometry.grid, finest.matrix.view(), finest.right_hand.data(),
                          orders_.front().old_of.data(), diagonal_.data(), b_.data(), exaggerated});
    take_diagonal(diagonal_.data());
  }

 protected:
  [[nodiscard]] const Csr& natural_matrix(std::size_t n) const { return set_up_[n].matrix; }
  [[nodiscard]] const PermutedLevel& order(std::size_t n) const { return orders_[n]; }

 private:
  static std::vector<PlainLevel> plain_levels(const std::vector<PermutedLevel>& orders) {
    std::vector<PlainLevel> plain;
    plain.reserve(orders.size());
    for (const PermutedLevel& order : orders) {
      plain.push_back({.rows = order.rows,
                       .columns = order.columns,
                       .fine_row = order.fine_row.data(),
                       .neighbours = order.neighbours});
    }
    return plain;
  }

  /// Takes a new diagonal of the finest level's matrix, by rows of its order.
  virtual void take_diagonal(const double* diagonal) = 0;

  /// Queues one symmetric sweep; the columns of other ranks have been exchanged.
  virtual void sweep(std::size_t n, const double* r, double* x) = 0;

  void smooth(std::size_t n, const double* r, double* x) override {
    exchange(n, x);
    sweep(n, r, x);
  }

  void smooth_from_zero(std::size_t n, const double* r, double* x) override {
    executor_.fill(x, order(n).columns, 0.0);
    sweep(n, r, x);
  }

  const std::vector<Level>& set_up_;
  std::vector<PermutedLevel> orders_;
  Buffer<double> diagonal_;
};

}  // namespace bankfull::hpcg::cuda
