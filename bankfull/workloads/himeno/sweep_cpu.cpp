#include "bankfull/core/exec/for_each.hpp"
#include "bankfull/workloads/himeno/cpu/fused.hpp"
#include "bankfull/workloads/himeno/cpu/plan.hpp"
#include "bankfull/workloads/himeno/cpu/row_sums.hpp"
#include "bankfull/workloads/himeno/cpu/tiles.hpp"
#include "bankfull/workloads/himeno/fields.hpp"
#include "bankfull/workloads/himeno/reference.hpp"
#include "bankfull/workloads/himeno/sweep.hpp"

#include <fmt/format.h>
#include <optional>

namespace bankfull::himeno {
namespace {

/// One row with plain loops, vectorised as far as the compiler does it by itself.
template <class T>
double plain_row(const SweepView<T>& view, std::int64_t i, std::int64_t j) {
  const T* coefficients = view.coefficients.first.row(i, j);
  const T* pressure = view.pressure.row(i, j);
  T* next = view.next.row(i, j);
  const T relaxation = static_cast<T>(omega);
  const std::int64_t stride = view.coefficients.stride;
  const std::int64_t plane = view.pressure.plane_pitch;
  const std::int64_t row = view.pressure.row_pitch;
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t k = 0; k < view.updated.nk; ++k) {
    const CoefficientsAt<T> q{coefficients + k, stride};
    const PressuresAt<T> p{pressure + k, plane, row};
    const T ss = residual(q, p);
    next[k] = relaxed(p(0, 0, 0), ss, relaxation);
    sum += static_cast<double>(ss) * static_cast<double>(ss);
  }
  return sum;
}

/// The part of a view, as a view of its own.
template <class T>
SweepView<T> part_of(const SweepView<T>& whole, const Box& part) {
  return {part.extents(), whole.coefficients.from(part.i0, part.j0, part.k0),
          whole.pressure.from(part.i0, part.j0, part.k0),
          whole.next.from(part.i0, part.j0, part.k0), whole.whole_rows};
}

template <class T>
class CpuSolver final : public Solver {
 public:
  CpuSolver(const Problem& problem, const Domain& domain, const Communicator& ranks)
      : Solver(ranks),
        precision_(problem.precision),
        team_(problem.threads),
        perturbation_(problem.perturbation),
        fields_(domain, Device::cpu()),
        fused_(fields_.layout(), domain.updated(domain.ghosts - 1),
               plan_fused_here(domain.ghosts, fields_.layout(), sizeof(T), problem.threads)),
        l2_(cache_share(problem.threads).l2),
        sums_(domain.interior(), fused_.plan().sweeps),
        single_(make_runner(problem, domain,
                            plan_pass(problem.overlap, domain, thickness, problem.split),
                            halo_shape(1))) {
    if (domain.ghosts > 1) {
      several_.emplace(make_runner(problem, domain,
                                   plan_pass(Overlap::none, domain, thickness, problem.split),
                                   halo_shape(domain.ghosts)));
    }
  }

  void prepare(Schedule schedule, std::int64_t /*iterations*/, Halos halos) override {
    PassRunner<T>& runner = runner_of(schedule);
    if (&runner != &single_ && halos == Halos::exchanged) {
      runner.refresh(fields_.pressure().origin);  // another schedule may have left thinner halos
    }
  }

  [[nodiscard]] ScheduleFacts facts(Schedule schedule) override {
    const PassRunner<T>& runner = runner_of(schedule);
    return {.iterations_per_pass = iterations_per_pass(schedule),
            .iterations_per_batch = iterations_per_pass(schedule),
            .description = describe(schedule),
            .transport = runner.transport(),
            .sent_bytes = ranks().max(runner.sent_bytes()),
            .sent_bytes_single = ranks().max(single_.sent_bytes())};
  }

  [[nodiscard]] Work work(Schedule schedule, std::int64_t iterations) const override {
    return work_of(domain(), precision_, iterations_per_pass(schedule), iterations);
  }

  [[nodiscard]] std::vector<double> pressure() const override {
    return assemble(ranks(), domain(), pressure_in(owned_box(domain())));
  }

  [[nodiscard]] std::vector<double> pressure_in(const Box& part) const override {
    std::vector<T> packed(static_cast<std::size_t>(part.extents().count()));
    for_each(team_, part, copy_pressures(fields_, part, packed.data()));
    return {packed.begin(), packed.end()};
  }

  [[nodiscard]] const Domain& domain() const override { return fields_.domain(); }

 private:
  /// Whole rows of planes suit the hardware's prefetchers; along k two cache lines keep stores
  /// aligned.
  static constexpr BoundaryThickness thickness{.i = 1, .j = 1, .k = 32};

  PassRunner<T> make_runner(const Problem& problem, const Domain& domain, PassPlan plan,
                            const HaloShape& shape) {
    return PassRunner<T>(
        ranks(), domain, fields_.layout(), shape, problem.transport, std::move(plan),
        [&](const HaloSetup& setup) { return make_halo_exchange<T>(setup, team_); });
  }

  [[nodiscard]] int iterations_per_pass(Schedule schedule) const {
    return schedule == Schedule::fused ? fused_.plan().sweeps : 1;
  }

  void fill(const InitialState& state) override {
    for_each(team_, fields_.whole(), initialise(fields_, state, perturbation_));
  }

  double sweep(Schedule schedule, std::int64_t iterations, Halos halos) override {
    PassRunner<T>& runner = runner_of(schedule);
    const Team summing(threads_of(schedule));
    double gosa = 0.0;
    const std::int64_t per_pass = iterations_per_pass(schedule);
    for (std::int64_t done = 0; done < iterations;) {
      // Iterations that do not fill a fused pass are done one by one.
      const bool whole_pass = iterations - done >= per_pass;
      gosa = whole_pass ? pass(schedule, runner, summing, halos)
                        : pass(Schedule::tuned, single_, summing, halos);
      done += whole_pass ? per_pass : 1;
    }
    runner.complete();
    single_.complete();
    return gosa;
  }

  PassRunner<T>& runner_of(Schedule schedule) {
    return schedule == Schedule::fused && several_ ? *several_ : single_;
  }

  [[nodiscard]] TeamGrid rows_grid(const Extents& part) const {
    return {1, static_cast<int>(std::min<std::int64_t>(team_.threads(), part.nj))};
  }

  /// Of blocks of a part.
  [[nodiscard]] TilePlan tiles(const Extents& part) const {
    const TeamGrid grid = split_team(part, team_.threads());
    return plan_tiles((part.nj + grid.j - 1) / grid.j,
                      part.nk * static_cast<std::int64_t>(sizeof(T)), l2_);
  }

  static std::string shape(const TeamGrid& grid) {
    return fmt::format("team {} x {} in i x j", grid.i, grid.j);
  }

  static std::string describe_fused(const FusedPassPlan& plan) {
    return fmt::format("{}, strips of {} rows{}", shape(plan.grid), plan.strip_rows,
                       plan.row_by_row ? ", row by row" : "");
  }

  [[nodiscard]] std::string describe(Schedule schedule) const {
    const Extents n = domain().interior();
    switch (schedule) {
      case Schedule::reference:
        return "serial";
      case Schedule::direct:
        return shape(split_team(n, team_.threads()));
      case Schedule::marching:
        return shape(rows_grid(n));
      case Schedule::tuned:
        return fmt::format("{}, tiles of up to {} rows, streaming stores",
                           shape(split_team(n, team_.threads())), tiles(n).rows);
      case Schedule::fused:
        return describe_fused(fused_.plan());
    }
    return {};
  }

  /// Of the threads that sweep the interior: in small grids not all of the team. Where parallel
  /// regions of different sizes take turns, OpenMP ends and starts threads each time.
  [[nodiscard]] int threads_of(Schedule schedule) const {
    const Extents n = domain().interior();
    switch (schedule) {
      case Schedule::reference:
        return 1;
      case Schedule::direct:
      case Schedule::tuned:
        return split_team(n, team_.threads()).threads();
      case Schedule::marching:
        return rows_grid(n).threads();
      case Schedule::fused:
        return fused_.plan().threads();
    }
    return 1;
  }

  /// One pass over the coefficients from the present pressure to the next; this rank's part of gosa
  /// of its last iteration.
  double pass(Schedule schedule, PassRunner<T>& runner, const Team& summing, Halos halos) {
    const SweepView<T> view = this->view();
    const int last = iterations_per_pass(schedule) - 1;
    double gosa = 0.0;
    if (schedule == Schedule::reference || !whole_rows()) {
      sums_.clear(last);
    }
    runner.run(
        view.next.origin, halos,
        [&](const PassStep& step) { sweep_part(schedule, part_of(view, step.part), step.part); },
        [&] { gosa = sums_.total(summing, last); });
    fields_.advance();
    return gosa;
  }

  void sweep_part(Schedule schedule, const SweepView<T>& view, const Box& part) {
    switch (schedule) {
      case Schedule::reference:
        sums_.at(0, part.i0, part.j0) += reference_sweep(fields_, part);
        break;
      case Schedule::direct:
        sweep_rows(view, part, split_team(view.updated, team_.threads()), plain_row<T>);
        break;
      case Schedule::marching:
        sweep_rows(view, part, rows_grid(view.updated),
                   [&](const SweepView<T>& v, std::int64_t i, std::int64_t j) {
                     return sweep_row_of(v, i, j, {.store = StoreKind::ordinary});
                   });
        break;
      case Schedule::tuned:
        sweep_in_tiles(view, split_team(view.updated, team_.threads()), tiles(view.updated),
                       [&](std::int64_t i, std::int64_t j, double sum) {
                         take_sum(part.i0 + i, part.j0 + j, sum);
                       });
        break;
      case Schedule::fused:
        fused_(view, sums_);
        break;
    }
  }

  /// Calls sweep_row(view, i, j), which returns the sum of a row, for every row, each thread
  /// marching along i through its block.
  template <class SweepRow>
  void sweep_rows(const SweepView<T>& view, const Box& part, const TeamGrid& grid,
                  const SweepRow& sweep_row) {
#pragma omp parallel num_threads(grid.threads())
    {
      const Block block = grid.block(view.updated, share_number());
      for (std::int64_t i = block.planes.begin; i < block.planes.end; ++i) {
        for (std::int64_t j = block.rows.begin; j < block.rows.end; ++j) {
          take_sum(part.i0 + i, part.j0 + j, sweep_row(view, i, j));
        }
      }
    }
  }

  /// Of a row, or where ranks cut rows of a part of it.
  void take_sum(std::int64_t i, std::int64_t j, double sum) {
    double& of_row = sums_.at(0, i, j);
    of_row = whole_rows() ? sum : of_row + sum;
  }

  /// Whether ranks cut none.
  [[nodiscard]] bool whole_rows() const { return domain().decomposition.grid().k == 1; }

  [[nodiscard]] SweepView<T> view() {
    const Fields<T>& present = fields_;
    return {present.layout().interior(), present.all(), present.pressure(), fields_.next(),
            whole_rows()};
  }

  Precision precision_;
  Team team_;
  double perturbation_;
  Fields<T> fields_;
  FusedSweep<T> fused_;
  std::int64_t l2_;  ///< bytes of a core
  RowSums sums_;
  PassRunner<T> single_;                  ///< passes of one iteration
  std::optional<PassRunner<T>> several_;  ///< fused passes, where there are several ranks
};

}  // namespace

std::unique_ptr<Solver> detail::make_cpu_solver(const Plan& plan, const Communicator& ranks) {
  if (plan.problem.precision == Precision::fp32) {
    return std::make_unique<CpuSolver<float>>(plan.problem, plan.domain, ranks);
  }
  return std::make_unique<CpuSolver<double>>(plan.problem, plan.domain, ranks);
}

}  // namespace bankfull::himeno
