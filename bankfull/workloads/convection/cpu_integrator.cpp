#include "bankfull/workloads/convection/cpu_integrator.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/cpu/ghost_rows.hpp"
#include "bankfull/workloads/convection/cpu/rows.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/pressure.hpp"
#include "bankfull/workloads/convection/tally.hpp"
#include "bankfull/workloads/convection/traffic.hpp"

#include <algorithm>
#include <array>

namespace bankfull::convection {
namespace {

/// Of the three planes of all fields that a block of rows reads.
constexpr std::int64_t block_bytes = mib;

/// The planes and rows that a member of a team works on.
struct Portion {
  Range planes;
  Range rows;
};

/// Inside a parallel region: planes are shared, or rows where there are too few planes.
Portion my_portion(const Extents& n, int threads) {
  if (n.ni >= threads) {
    return {my_share(n.ni), {0, n.nj}};
  }
  return {{0, n.ni}, my_share(n.nj)};
}

template <class Real>
class CpuIntegrator final : public Integrator {
 public:
  explicit CpuIntegrator(const Problem& problem)
      : problem_(problem),
        grid_(problem.axes),
        n_(grid_.extents()),
        team_(problem.threads),
        count_(3 + static_cast<int>(problem.scalars.size())),
        medium_(medium_of<Real>(problem, grid_)),
        walls_(wall_faces_of(grid_)),
        layout_(n_, 1, sizeof(Real)),
        sides_{FieldSet<Real>(layout_, count_, Device::cpu()),
               FieldSet<Real>(layout_, count_, Device::cpu())},
        tendencies_(layout_, count_, Device::cpu()),
        pressure_(make_cpu_pressure<Real>(problem, grid_)) {
    for (const int axis : storage_axes) {
      metrics_[static_cast<std::size_t>(axis)] = metrics_of<Real>(grid_.axis(axis));
    }
    for (const Continuations& rules : continuations_of(problem, grid_)) {
      ghosts_.emplace_back(rules, grid_);
    }
    touch(sides_[0]);
    touch(sides_[1]);
    touch(tendencies_);
    copy_sources();
  }

  void advance(const Stage& stage) override { advance_timed(stage); }

  StageSeconds advance_timed(const Stage& stage) override {
    StageSeconds seconds{};
    const auto clocked = [&](StagePart part, const auto& work) {
      const Stopwatch watch;
      work();
      seconds[static_cast<std::size_t>(part)] = watch.seconds();
    };
    clocked(StagePart::advance, [&] { advance_fields(stage); });
    std::swap(sides_[0], sides_[1]);
    clocked(StagePart::divergence, [&] { find_divergence(); });
    clocked(StagePart::pressure, [&] { pressure_->solve(); });
    clocked(StagePart::projection, [&] { project(); });
    clocked(StagePart::ghosts, [&] { fill_ghost_rows(); });
    return seconds;
  }

  void load(const FlowState& state) override {
    for (int field = 0; field < count_; ++field) {
      const std::vector<double>& values = state.fields[static_cast<std::size_t>(field)];
      const FieldView<Real> view = flow()[field];
      each_row([&](std::int64_t i, std::int64_t j) {
        const double* const from = values.data() + (i * n_.nj + j) * n_.nk;
        std::transform(from, from + n_.nk, view.row(i, j),
                       [](double value) { return static_cast<Real>(value); });
      });
    }
    std::fill_n(tendencies_.data(), tendencies_.size(), Real(0));
    pressure_->forget();
    find_divergence();
    pressure_->solve();
    project();
    fill_ghost_rows();
  }

  [[nodiscard]] FlowState state() const override {
    FlowState state;
    for (int field = 0; field < count_; ++field) {
      std::vector<double>& values = state.fields.emplace_back();
      values.reserve(static_cast<std::size_t>(n_.count()));
      const FieldView<Real> view = flow()[field];
      for (std::int64_t i = 0; i < n_.ni; ++i) {
        for (std::int64_t j = 0; j < n_.nj; ++j) {
          values.insert(values.end(), view.row(i, j), view.row(i, j) + n_.nk);
        }
      }
    }
    return state;
  }

  [[nodiscard]] Diagnosis diagnose() override {
    const auto flow_tally =
        tallied<FlowTally>([&](const Near<Real>& near, double part, const WallSides& /*sides*/,
                               FlowTally& tally) { count(near, part, tally); });
    std::vector<ScalarTally> scalars;
    for (int s = 0; s < count_ - 3; ++s) {
      const double kappa = problem_.scalars[static_cast<std::size_t>(s)].diffusivity;
      scalars.push_back(tallied<ScalarTally>(
          [&](const Near<Real>& near, double part, const WallSides& sides, ScalarTally& tally) {
            count(near, s, kappa, part, sides, tally);
          }));
    }
    return diagnosis_of(grid_, flow_tally, scalars);
  }

  [[nodiscard]] poisson::Outcome pressure_outcome() const override { return pressure_->outcome(); }

  void forget_pressure() override { pressure_->forget(); }

  [[nodiscard]] StageTraffic traffic() const override {
    const double solves = std::max(1, pressure_->outcome().cycles);
    return stage_traffic(problem_, solves * pressure_->traffic());
  }

  void finish() override {}

 private:
  [[nodiscard]] const FieldSet<Real>& flow() const { return sides_[0]; }

  /// body(i, j) for all rows, by the team. It may store past the caches.
  template <class Body>
  void each_row(const Body& body) const {
#pragma omp parallel num_threads(team_.threads())
    {
      const Portion mine = my_portion(n_, team_.threads());
      for (std::int64_t i = mine.planes.begin; i < mine.planes.end; ++i) {
        for (std::int64_t j = mine.rows.begin; j < mine.rows.end; ++j) {
          body(i, j);
        }
      }
      stream_store_fence();
    }
  }

  /// Zeros, each row written by the thread that works on it later.
  void touch(const FieldSet<Real>& set) const {
    for (int field = 0; field < count_; ++field) {
      const FieldView<Real> view = set[field];
      each_row([&](std::int64_t i, std::int64_t j) {
        std::fill_n(view.row(i, j), layout_.row_pitch(), Real(0));
      });
    }
    std::fill_n(set.data(), set.size(), Real(0));
  }

  void copy_sources() {
    const std::vector<std::vector<double>> sources = steady_sources(problem_, grid_);
    if (std::all_of(sources.begin(), sources.end(), [](const auto& s) { return s.empty(); })) {
      return;
    }
    sources_ = std::make_unique<FieldSet<Real>>(layout_, count_, Device::cpu());
    touch(*sources_);
    for (int field = 0; field < count_; ++field) {
      const std::vector<double>& values = sources[static_cast<std::size_t>(field)];
      if (values.empty()) {
        continue;
      }
      const FieldView<Real> view = (*sources_)[field];
      each_row([&](std::int64_t i, std::int64_t j) {
        for (std::int64_t k = 0; k < n_.nk; ++k) {
          view(i, j, k) =
              static_cast<Real>(values[static_cast<std::size_t>((i * n_.nj + j) * n_.nk + k)]);
        }
      });
    }
  }

  template <class Value>
  [[nodiscard]] Near<Real, Value> near_row(std::int64_t i, std::int64_t j) const {
    const auto metric = [&](std::size_t axis, std::int64_t at) {
      return metrics_[axis][static_cast<std::size_t>(at)];
    };
    return {.here = flow()[0].row(i, j),
            .strides = {flow().stride(), layout_.plane_pitch(), layout_.row_pitch()},
            .axis = {metric(0, i), metric(1, j), metric(2, 0)}};
  }

  void advance_fields(const Stage& stage) const {
    const StageFactors<Real> factors{static_cast<Real>(stage.fresh),
                                     static_cast<Real>(stage.previous), stage.keeps};
    const std::int64_t row_bytes =
        std::int64_t{3} * count_ * layout_.row_pitch() * static_cast<std::int64_t>(sizeof(Real));
    const std::int64_t block = std::max<std::int64_t>(4, block_bytes / row_bytes);
#pragma omp parallel num_threads(team_.threads())
    {
      const Portion mine = my_portion(n_, team_.threads());
      for (std::int64_t j0 = mine.rows.begin; j0 < mine.rows.end; j0 += block) {
        const std::int64_t j1 = std::min(mine.rows.end, j0 + block);
        for (std::int64_t i = mine.planes.begin; i < mine.planes.end; ++i) {
          for (std::int64_t j = j0; j < j1; ++j) {
            advance_one_row(i, j, factors);
          }
        }
      }
      stream_store_fence();
    }
  }

  void advance_one_row(std::int64_t i, std::int64_t j, const StageFactors<Real>& factors) const {
    const RowToAdvance<Real> row{.near = near_row<Pack<Real>>(i, j),
                                 .source = sources_ ? (*sources_)[0].row(i, j) : nullptr,
                                 .tendency = tendencies_[0].row(i, j),
                                 .next = sides_[1][0].row(i, j),
                                 .cells = n_.nk};
    if (terms_of(medium_, sources_ != nullptr) == Terms::usual) {
      advance_row<Terms::usual>(row, medium_, factors);
    } else {
      advance_row<Terms::all>(row, medium_, factors);
    }
    if (walls_.holds<0>(i)) {
      std::fill_n(sides_[1][0].row(i, j), n_.nk, Real(0));
    }
    if (walls_.holds<1>(j)) {
      std::fill_n(sides_[1][1].row(i, j), n_.nk, Real(0));
    }
    if (walls_.holds<2>(0)) {
      sides_[1][2](i, j, 0) = Real(0);
    }
  }

  /// Ghosts are not yet in place: upper faces are those of the next cell around, and beyond a wall
  /// lies the ghost, which is zero for good.
  void find_divergence() const {
    const poisson::CellSlots<Real> right_side = pressure_->right_side();
    each_row([&](std::int64_t i, std::int64_t j) {
      const std::int64_t next_i = walls_.walled[0] ? i + 1 : (i + 1) % n_.ni;
      const std::int64_t next_j = walls_.walled[1] ? j + 1 : (j + 1) % n_.nj;
      const Near<Real> near = near_row<Real>(i, j);
      const Real* const along = flow()[2].row(i, j);
      const RowToDiverge<Real> row{
          .below = {flow()[0].row(i, j), flow()[1].row(i, j), along},
          .above = {flow()[0].row(next_i, j), flow()[1].row(i, next_j)},
          .last_face = walls_.walled[2] ? Real(0) : along[0],
          .per_cell = {near.axis[0].per_cell, near.axis[1].per_cell, near.axis[2].per_cell},
          .cells = n_.nk};
      divergence_row(row, &right_side(i, j, 0));
    });
  }

  void project() const {
    const poisson::CellSlots<Real> pressure = pressure_->solution();
    each_row([&](std::int64_t i, std::int64_t j) {
      const Near<Real> near = near_row<Real>(i, j);
      const Real* const here = &pressure(i, j, 0);
      if (!walls_.holds<0>(i)) {
        project_row(here, &pressure((i + n_.ni - 1) % n_.ni, j, 0), near.axis[0].per_face, n_.nk,
                    flow()[0].row(i, j));
      }
      if (!walls_.holds<1>(j)) {
        project_row(here, &pressure(i, (j + n_.nj - 1) % n_.nj, 0), near.axis[1].per_face, n_.nk,
                    flow()[1].row(i, j));
      }
      project_along_row(here, !walls_.walled[2], near.axis[2].per_face, n_.nk, flow()[2].row(i, j));
      for (int field = 0; field < count_; ++field) {
        ghosts_[static_cast<std::size_t>(field)].close(flow()[field], i, j);
      }
    });
  }

  void fill_ghost_rows() const {
#pragma omp parallel num_threads(team_.threads())
    {
      const Range mine = my_share(n_.ni + 2);
      for (std::int64_t i = mine.begin - 1; i < mine.end - 1; ++i) {
        const bool beyond = i < 0 || i == n_.ni;
        for (std::int64_t j = -1; j <= n_.nj; j += beyond ? 1 : n_.nj + 1) {
          for (int field = 0; field < count_; ++field) {
            ghosts_[static_cast<std::size_t>(field)].fill(flow()[field], i, j);
          }
        }
      }
    }
  }

  /// Planes are tallied one by one and merged in order, whatever the team.
  template <class AnyTally, class Count>
  [[nodiscard]] AnyTally tallied(const Count& count_cell) const {
    std::vector<AnyTally> planes(static_cast<std::size_t>(n_.ni), empty_tally<AnyTally>());
    const double box = grid_.volume();
    const auto width = [&](int axis, std::int64_t at) {
      return grid_.axis(axis).cells.widths[static_cast<std::size_t>(at)];
    };
    const double area = width(1, 0) * width(2, 0);
#pragma omp parallel num_threads(team_.threads())
    {
      const Range mine = my_share(n_.ni);
      for (std::int64_t i = mine.begin; i < mine.end; ++i) {
        const double part = area * width(0, i) / box;
        AnyTally& plane = planes[static_cast<std::size_t>(i)];
        for (std::int64_t j = 0; j < n_.nj; ++j) {
          Near<Real> near = near_row<Real>(i, j);
          for (std::int64_t k = 0; k < n_.nk; ++k, ++near.here) {
            count_cell(near, part, sides_at(i, j, k), plane);
          }
        }
      }
    }
    auto all = empty_tally<AnyTally>();
    for (const AnyTally& plane : planes) {
      merge(all, plane);
    }
    return all;
  }

  [[nodiscard]] WallSides sides_at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const std::int64_t index[3] = {i, j, k};
    WallSides sides;
    for (const int axis : storage_axes) {
      sides.lower[axis] = walls_.walled[axis] && index[axis] == 0;
      sides.upper[axis] = walls_.walled[axis] && index[axis] == grid_.axis(axis).count() - 1;
      sides.length[axis] = grid_.axis(axis).length();
    }
    return sides;
  }

  Problem problem_;
  Grid grid_;
  Extents n_;
  Team team_;
  int count_;
  Medium<Real> medium_;
  WallFaces walls_;
  Layout layout_;
  std::array<FieldSet<Real>, 2> sides_;  ///< the flow, and room for the next
  FieldSet<Real> tendencies_;
  std::unique_ptr<FieldSet<Real>> sources_;
  std::unique_ptr<poisson::Solver<Real>> pressure_;
  std::array<std::vector<AxisMetric<Real>>, 3> metrics_;
  std::vector<GhostRows<Real>> ghosts_;
};

}  // namespace

template <class Real>
std::unique_ptr<Integrator> make_cpu_integrator(const Problem& problem) {
  return std::make_unique<CpuIntegrator<Real>>(problem);
}

template std::unique_ptr<Integrator> make_cpu_integrator<float>(const Problem&);
template std::unique_ptr<Integrator> make_cpu_integrator<double>(const Problem&);

}  // namespace bankfull::convection
