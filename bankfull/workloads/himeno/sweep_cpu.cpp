#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/exec/for_each.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/himeno/cpu/fused.hpp"
#include "bankfull/workloads/himeno/cpu/plan.hpp"
#include "bankfull/workloads/himeno/cpu/row_sums.hpp"
#include "bankfull/workloads/himeno/fields.hpp"
#include "bankfull/workloads/himeno/reference.hpp"
#include "bankfull/workloads/himeno/sweep.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <optional>

namespace bankfull::himeno {
namespace {

/// One row with plain loops, vectorised as far as the compiler does it by itself.
template <class T>
double plain_row(const SweepView<T>& view, std::int64_t i, std::int64_t j) {
  const T* coefficients = view.coefficients + view.offset(i, j);
  const T* pressure = view.pressure + view.offset(i, j);
  T* next = view.next + view.offset(i, j);
  const T relaxation = static_cast<T>(omega);
  const std::int64_t stride = view.field_stride;
  const std::int64_t plane = view.plane_pitch;
  const std::int64_t row = view.row_pitch;
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t k = 0; k < view.interior.nk; ++k) {
    const CoefficientsAt<T> q{coefficients + k, stride};
    const PressuresAt<T> p{pressure + k, plane, row};
    const T ss = residual(q, p);
    next[k] = relaxed(p(0, 0, 0), ss, relaxation);
    sum += static_cast<double>(ss) * static_cast<double>(ss);
  }
  return sum;
}

/// Calls sweep_row(i, j) for every row, each thread marching along i through its block.
template <class SweepRow>
void for_each_row(const Extents& interior, const TeamGrid& grid, const SweepRow& sweep_row) {
#pragma omp parallel num_threads(grid.threads())
  {
    const Block block = grid.block(interior, omp_get_thread_num());
    for (std::int64_t i = block.planes.begin; i < block.planes.end; ++i) {
      for (std::int64_t j = block.rows.begin; j < block.rows.end; ++j) {
        sweep_row(i, j);
      }
    }
    stream_store_fence();
  }
}

template <class T>
class CpuSolver final : public Solver {
 public:
  CpuSolver(const GridSize& grid, int threads)
      : team_(threads),
        fields_(grid, Device::cpu()),
        planes_grid_(split_team(grid.interior(), threads)),
        rows_grid_{1, static_cast<int>(std::min<std::int64_t>(threads, grid.interior().nj))},
        fused_(fields_.layout(),
               plan_fused(fields_.layout(), sizeof(T), threads, cache_share(threads))),
        sums_(grid.interior(), fused_.plan().sweeps) {}

  void load(const InitialState& state) override {
    for_each(team_, fields_.whole(), initialise(fields_, state));
  }

  Sweeps iterate(Schedule schedule, std::int64_t iterations) override {
    const Stopwatch watch;
    double gosa = 0.0;
    const std::int64_t per_pass = facts(schedule).iterations_per_pass;
    for (std::int64_t done = 0; done < iterations;) {
      // What does not fill a fused pass is done one by one.
      const bool whole_pass = iterations - done >= per_pass;
      gosa = pass(whole_pass ? schedule : Schedule::tuned);
      fields_.advance();
      done += whole_pass ? per_pass : 1;
    }
    return {.seconds = watch.seconds(), .gosa = gosa};
  }

  [[nodiscard]] ScheduleFacts facts(Schedule schedule) const override {
    const auto shape = [](const TeamGrid& grid) {
      return fmt::format("team {} x {} in i x j", grid.i, grid.j);
    };
    switch (schedule) {
      case Schedule::reference:
        return {.iterations_per_pass = 1, .description = "serial"};
      case Schedule::direct:
        return {.iterations_per_pass = 1, .description = shape(planes_grid_)};
      case Schedule::marching:
        return {.iterations_per_pass = 1, .description = shape(rows_grid_)};
      case Schedule::tuned:
        return {.iterations_per_pass = 1,
                .description = shape(planes_grid_) + ", streaming stores"};
      case Schedule::fused:
        return {.iterations_per_pass = fused_.plan().sweeps,
                .description = fmt::format("{}, strips of {} rows", shape(fused_.plan().grid),
                                           fused_.plan().strip_rows)};
    }
    return {};
  }

  [[nodiscard]] std::vector<double> pressure() const override { return gather(fields_); }

 private:
  /// One pass over the coefficients from the present pressure to the next; gosa of its last
  /// iteration.
  double pass(Schedule schedule) {
    const SweepView<T> view = this->view();
    switch (schedule) {
      case Schedule::reference:
        return reference_sweep(fields_);
      case Schedule::direct:
        for_each_row(view.interior, planes_grid_, [&](std::int64_t i, std::int64_t j) {
          sums_.at(0, i, j) = plain_row(view, i, j);
        });
        return sums_.total(0);
      case Schedule::marching:
        sweep_packed(view, rows_grid_, {.store = Store::ordinary});
        return sums_.total(0);
      case Schedule::tuned:
        sweep_packed(view, planes_grid_, {.store = Store::streaming, .prefetch_elements = 64});
        return sums_.total(0);
      case Schedule::fused:
        fused_(view, sums_);
        return sums_.total(fused_.plan().sweeps - 1);
    }
    return 0.0;
  }

  void sweep_packed(const SweepView<T>& view, const TeamGrid& grid, const RowAccess& access) {
    for_each_row(view.interior, grid, [&](std::int64_t i, std::int64_t j) {
      sums_.at(0, i, j) =
          sweep_row_with(access, coefficient_rows(view, i, j), pressure_rows(view, i, j),
                         view.next + view.offset(i, j), view.interior.nk, static_cast<T>(omega));
    });
  }

  [[nodiscard]] SweepView<T> view() const {
    return {.interior = fields_.layout().interior(),
            .row_pitch = fields_.layout().row_pitch(),
            .plane_pitch = fields_.layout().plane_pitch(),
            .field_stride = fields_.stride(),
            .coefficients = fields_.coefficient(0).origin,
            .pressure = fields_.pressure().origin,
            .next = fields_.next().origin};
  }

  Team team_;
  Fields<T> fields_;
  TeamGrid planes_grid_;
  TeamGrid rows_grid_;
  FusedSweep<T> fused_;
  RowSums sums_;
};

}  // namespace

template <class T>
std::unique_ptr<Solver> detail::make_cpu_solver(const GridSize& grid, int threads) {
  return std::make_unique<CpuSolver<T>>(grid, threads);
}

template std::unique_ptr<Solver> detail::make_cpu_solver<float>(const GridSize&, int);
template std::unique_ptr<Solver> detail::make_cpu_solver<double>(const GridSize&, int);

}  // namespace bankfull::himeno
