#include "bankfull/core/base/error.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/drive.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/point.hpp"
#include "bankfull/workloads/convection/reference_bounded.hpp"
#include "bankfull/workloads/convection/reference_budget.hpp"
#include "bankfull/workloads/convection/reference_diffusion.hpp"
#include "bankfull/workloads/convection/reference_pressure.hpp"
#include "bankfull/workloads/convection/state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bankfull::convection {
namespace {

class ReferenceIntegrator final : public Integrator {
 public:
  explicit ReferenceIntegrator(const Plan& plan)
      : plan_(plan),
        count_(plan.fields()),
        medium_(medium_of<double>(plan.stepped(), plan.grid())),
        walls_(wall_faces_of(plan_.grid())),
        sources_(steady_sources(plan.problem(), plan.grid())),
        layout_(plan_.grid().extents(), 1, sizeof(double)),
        fields_(layout_, count_, Device::cpu()),
        before_(layout_, count_, Device::cpu()),
        tendencies_(layout_, count_, Device::cpu()),
        changes_(layout_, 1, Device::cpu()),
        pressure_(plan_.grid().domain()),
        diffusion_(plan_.problem(), plan_.grid()),
        bounded_(plan_.problem(), plan_.grid()),
        known_pressure_(static_cast<std::size_t>(plan_.grid().extents().count())) {
    for (const int n : storage_axes) {
      metrics_[static_cast<std::size_t>(n)] = metrics_of<double>(plan_.grid().axis(n));
    }
    for (FieldSet<double>* set : {&fields_, &before_, &tendencies_}) {
      std::fill_n(set->data(), set->size(), 0.0);
    }
    fill_ghosts(0.0);
  }

  void set_rule(const StepRule& rule) override { rule_ = rule; }

  void step(bool /*another_follows*/) override {
    const double from = progress_.time;
    progress_ = next_step(rule_, progress_, rates_);
    rates_ = {};
    const Stages stages = stages_of(rule_.scheme, progress_.dt, progress_.dt_before);
    for (int n = 0; n < stages.count; ++n) {
      advance_in(stages.at[n], times_of(stages, n, from, progress_.time));
    }
    note_end_of_step(progress_, rates_);
  }

  [[nodiscard]] StepState upcoming() override { return next_step(rule_, progress_, rates_); }
  [[nodiscard]] StepState progress() const override { return progress_; }
  void restart_clock() override { progress_ = {}; }

  void advance(const Stage& stage) override { advance_in(stage, {progress_.time, progress_.time}); }

  void advance_in(const Stage& stage, const StageTimes& times) {
    note_buoyancy();
    find_tendencies(times.begin);
    bounded_.find_corrections(fields_, stage);
    for (int field = 0; field < count_; ++field) {
      advance_field(field, stage, times);
    }
    project(times.end);
    keep_pressure(stage);
    record_pressure(stage);
  }

  StageSeconds advance_timed(const Stage& stage) override {
    advance(stage);
    return {};
  }
  [[nodiscard]] StageWork work_with(double /*cycles*/) const override {
    StageWork work;
    work.fill({.working_set_bytes = static_cast<double>(plan_.device_bytes())});
    return work;
  }

  [[nodiscard]] const Plan& plan() const override { return plan_; }

  void load_stepped(const FlowReader& flow) override {
    set_fields(flow.whole(plan_.grid(), count_));
    std::fill_n(before_.data(), before_.size(), 0.0);
    bounded_.restart();
    project(0.0);
    find_first_pressure();
    rates_ = {};
    note_rates();
    restart_clock();
  }

  void save(StateWriter& to) const override {
    convection::save(
        {.rule = {}, .progress = progress_, .next = {}, .of_flow = rates_, .noted = {}}, to);
    save_references(plan_.stepped(), to);
    for (int field = 0; field < count_; ++field) {
      const std::string name = name_of_field(plan_.problem(), plan_.grid(), field);
      save_cells("flow/" + name, fields_[field], to);
      save_cells("tendency/" + name, before_[field], to);
    }
    if (diffusion_.any()) {
      const Extents n = plan_.grid().extents();
      to.cells("pressure", n, Precision::fp64, [&](const Box& part, double* values) {
        for_cells(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
          *values++ = known_pressure(i, j, k);
        });
      });
    }
    bounded_.save(to);
    if (plan_.tells_pressure() && !diffusion_.any()) {
      to.cells(name_of_recorded_pressure, plan_.grid().extents(), Precision::fp64,
               [this](const Box& part, double* values) { read_pressure(part, values); });
    }
  }

  void restore(const StateReader& from) override {
    const StepClock clock = saved_clock(from);
    progress_ = clock.progress;
    rates_ = {.advection = std::max(clock.of_flow.advection, clock.noted.advection),
              .buoyancy = std::max(clock.of_flow.buoyancy, clock.noted.buoyancy),
              .exchange = std::max(clock.of_flow.exchange, clock.noted.exchange)};
    for (int field = 0; field < count_; ++field) {
      const std::string name = name_of_field(plan_.problem(), plan_.grid(), field);
      restore_cells(saved_field(plan_.stepped(), plan_.grid(), field, from), fields_[field]);
      restore_cells(from.cells("tendency/" + name), before_[field]);
    }
    if (diffusion_.any()) {
      from.cells("pressure", box_of(plan_.grid().extents()), known_pressure_.data());
    }
    bounded_.restore(from);
    fill_ghosts(progress_.time);
    restore_recorded_pressure(from);
  }

  void read_pressure(const Box& part, double* values) const override {
    const std::vector<double>& pressure = diffusion_.any() ? known_pressure_ : recorded_pressure_;
    for_cells(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      *values++ = around(pressure, i, j, k);
    });
  }

  void read_stepped(int field, const Box& part, double* values) const override {
    const FieldView<const double> view = fields_[field];
    for_cells(part,
              [&](std::int64_t i, std::int64_t j, std::int64_t k) { *values++ = view(i, j, k); });
  }

  void prepare_to_gather(const std::vector<std::vector<FieldElement>>& /*lists*/) override {}

  [[nodiscard]] std::vector<double> gathered_stepped(
      std::size_t /*number*/, const std::vector<FieldElement>& list) const override {
    return elements_of(fields_, list);
  }

  [[nodiscard]] ProfileSample sample(int storage_axis) override {
    return with_ends(
        plan_, storage_axis, progress_.time,
        reference_profile_means(plan_, storage_axis,
                                [this](int field, std::int64_t i, std::int64_t j, std::int64_t k) {
                                  return fields_[field](i, j, k);
                                }));
  }

  [[nodiscard]] Diagnosis diagnose_stepped() override;
  [[nodiscard]] poisson::Outcome pressure_outcome() const override { return {}; }
  void forget_pressure() override {}
  void finish() override {}

 private:
  [[nodiscard]] FlowState stepped_state() const {
    const Box all = box_of(plan_.grid().extents());
    FlowState state;
    for (int field = 0; field < count_; ++field) {
      state.fields.emplace_back(static_cast<std::size_t>(all.extents().count()));
      read_stepped(field, all, state.fields.back().data());
    }
    return state;
  }

  void save_cells(const std::string& name, const FieldView<const double>& view,
                  StateWriter& to) const {
    to.cells(name, plan_.grid().extents(), Precision::fp64, [&](const Box& part, double* values) {
      for_cells(part,
                [&](std::int64_t i, std::int64_t j, std::int64_t k) { *values++ = view(i, j, k); });
    });
  }

  void restore_cells(const CellReader& saved, const FieldView<double>& view) const {
    const Extents n = plan_.grid().extents();
    std::vector<double> values(static_cast<std::size_t>(n.count()));
    saved(box_of(n), values.data());
    const double* next = values.data();
    for_cells(box_of(n),
              [&](std::int64_t i, std::int64_t j, std::int64_t k) { view(i, j, k) = *next++; });
  }

  [[nodiscard]] PointStencil<double> stencil(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const auto metric = [&](std::size_t n, std::int64_t at) {
      return metrics_[n][static_cast<std::size_t>(at)];
    };
    return {.here = fields_[0].origin + layout_.offset(i, j, k),
            .strides = {fields_.stride(), layout_.plane_pitch(), layout_.row_pitch()},
            .axis = {metric(0, i), metric(1, j), metric(2, k)}};
  }

  [[nodiscard]] double tendency(int field, const PointStencil<double>& stencil) const {
    switch (field) {
      case 0:
        return momentum_tendency<0, Terms::all, Diffusion::explicit_axes>(stencil, medium_);
      case 1:
        return momentum_tendency<1, Terms::all, Diffusion::explicit_axes>(stencil, medium_);
      case 2:
        return momentum_tendency<2, Terms::all, Diffusion::explicit_axes>(stencil, medium_);
      default:
        break;
    }
    return explicit_scalar_tendency<Diffusion::explicit_axes>(stencil, field - 3, medium_);
  }

  [[nodiscard]] double source_factor(int field, double time) const {
    const Problem& problem = plan_.problem();
    return field < 3
               ? value_at(
                     problem.force_factor[static_cast<std::size_t>(plan_.grid().physical(field))],
                     time, 1.0)
               : value_at(problem.scalars[static_cast<std::size_t>(field - 3)].source_factor, time,
                          1.0);
  }

  void find_tendencies(double time) {
    const Extents n = plan_.grid().extents();
    for (int field = 0; field < count_; ++field) {
      const std::vector<double>& source = sources_[static_cast<std::size_t>(field)];
      const double factor = source_factor(field, time);
      const FieldView<double> now = tendencies_[field];
      for_cells(box_of(n), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        const auto element = static_cast<std::size_t>((i * n.nj + j) * n.nk + k);
        now(i, j, k) =
            tendency(field, stencil(i, j, k)) + (source.empty() ? 0.0 : factor * source[element]);
      });
    }
  }

  /// See Stage.
  void advance_field(int field, const Stage& stage, const StageTimes& times) {
    const FieldView<double> values = fields_[field];
    const FieldView<double> now = tendencies_[field];
    const FieldView<double> before = before_[field];
    const FieldView<double> change = changes_[0];
    const Box cells = box_of(plan_.grid().extents());
    for_cells(cells, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const double start = diffusion_.any() ? 0.0 : values(i, j, k);
      change(i, j, k) = start;
      if (!lies_on_wall(plan_.grid(), field, i, j, k)) {
        change(i, j, k) = advanced(start, stage.gamma, now(i, j, k), stage.zeta, before(i, j, k)) +
                          stage.length() * (diffusion_.rate(field, values, i, j, k) -
                                            gradient_of_known_pressure(field, i, j, k));
      }
      if (stage.store_tendency) {
        before(i, j, k) = now(i, j, k);
      }
    });
    if (diffusion_.any()) {
      diffusion_.solve(field, stage.implicit_time(), times, change);
    }
    if (field > 2) {
      bounded_.correct(field - 3, values, change);
    }
    for_cells(cells, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      values(i, j, k) = change(i, j, k) + (diffusion_.any() ? values(i, j, k) : 0.0);
    });
  }

  /// At velocity `field`; 0 where only projections know of the pressure.
  [[nodiscard]] double gradient_of_known_pressure(int field, std::int64_t i, std::int64_t j,
                                                  std::int64_t k) const {
    if (!diffusion_.any() || field > 2) {
      return 0.0;
    }
    const double below = known_pressure(i - (field == 0), j - (field == 1), k - (field == 2));
    return (known_pressure(i, j, k) - below) * stencil(i, j, k).axis[field].per_face;
  }

  [[nodiscard]] double known_pressure(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return around(known_pressure_, i, j, k);
  }

  /// p += phi - theta tau nu D phi, with phi the change of pressure that the projection found.
  void keep_pressure(const Stage& stage) {
    if (!diffusion_.any()) {
      return;
    }
    std::size_t cell = 0;
    for_cells(box_of(plan_.grid().extents()), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const double change = potential_[cell] - stage.implicit_time() * diffusion_.rate_of_potential(
                                                                           potential_, i, j, k);
      known_pressure_[cell] += stage.pressure_per_potential() * change;
      ++cell;
    });
  }

  /// What tendencies leave of divergence, which the pressure takes away; the flow stays as it is.
  void find_first_pressure() {
    std::fill(known_pressure_.begin(), known_pressure_.end(), 0.0);
    if (diffusion_.any() || plan_.tells_pressure()) {
      const FlowState flow = stepped_state();
      advance_in(stage_of_first_pressure, {});
      set_fields(flow);
      fill_ghosts(0.0);
      bounded_.restart();
    }
  }

  /// After an explicit stage. Heun's second one, of length 0, corrects the pressure of the first.
  void record_pressure(const Stage& stage) {
    if (stage.length() != 0.0) {
      recorded_pressure_.assign(potential_.size(), 0.0);
    }
    std::transform(potential_.begin(), potential_.end(), recorded_pressure_.begin(),
                   recorded_pressure_.begin(), [&stage](double potential, double before) {
                     return before + stage.pressure_per_potential() * potential;
                   });
  }

  void restore_recorded_pressure(const StateReader& from) {
    if (!plan_.tells_pressure() || diffusion_.any()) {
      return;
    }
    if (!from.has(name_of_recorded_pressure)) {
      throw RuntimeFailure("the reference cannot continue a run that recorded no pressure");
    }
    const Box all = box_of(plan_.grid().extents());
    recorded_pressure_.resize(static_cast<std::size_t>(all.extents().count()));
    from.cells(name_of_recorded_pressure, all, recorded_pressure_.data());
  }

  void set_fields(const FlowState& state) {
    const Extents n = plan_.grid().extents();
    for (int field = 0; field < count_; ++field) {
      const std::vector<double>& values = state.fields[static_cast<std::size_t>(field)];
      const FieldView<double> view = fields_[field];
      for_cells(box_of(n), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        view(i, j, k) = values[static_cast<std::size_t>((i * n.nj + j) * n.nk + k)];
      });
    }
  }

  /// A value of all cells, around periodic ends.
  [[nodiscard]] double around(const std::vector<double>& values, std::int64_t i, std::int64_t j,
                              std::int64_t k) const {
    const Extents n = plan_.grid().extents();
    const auto inner = [](std::int64_t at, std::int64_t count) { return (at + count) % count; };
    return values[static_cast<std::size_t>((inner(i, n.ni) * n.nj + inner(j, n.nj)) * n.nk +
                                           inner(k, n.nk))];
  }

  /// Ghosts first: the divergence reads the face beyond the last cell.
  void project(double time) {
    fill_ghosts(time);
    const auto n = plan_.grid().extents();
    std::vector<double> right_side;
    for_cells(box_of(n), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      right_side.push_back(divergence(stencil(i, j, k)));
    });
    potential_ = pressure_.solve(right_side);
    const auto pressure = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      return around(potential_, i, j, k);
    };
    for (const int axis : storage_axes) {
      const FieldView<double> u = fields_[axis];
      for_cells(box_of(n), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        if (!lies_on_wall(plan_.grid(), axis, i, j, k)) {
          const double below = pressure(i - (axis == 0), j - (axis == 1), k - (axis == 2));
          u(i, j, k) -= (pressure(i, j, k) - below) * stencil(i, j, k).axis[axis].per_face;
        }
      });
    }
    fill_ghosts(time);
    note_advection();
  }

  void note_rates() {
    note_advection();
    note_buoyancy();
  }

  void note_advection() {
    for_cells(box_of(plan_.grid().extents()), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      rates_.advection = std::max(rates_.advection, advective_rate_at(i, j, k));
      rates_.exchange = std::max(rates_.exchange, bounded_.exchange_rate(fields_, i, j, k));
    });
  }

  void note_buoyancy() {
    const Extents n = plan_.grid().extents();
    for_cells(box_of(n), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const CellOnWalls walls = walls_.around<std::int64_t>({i, j, k}, {n.ni, n.nj, n.nk});
      const double rate = buoyancy_rate<Terms::all>(stencil(i, j, k), medium_, walls);
      rates_.buoyancy = std::max(rates_.buoyancy, rate);
    });
  }

  /// The sum of |u| / h over the lower faces of a cell, h of the narrower cell beside each.
  [[nodiscard]] double advective_rate_at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const std::array<std::int64_t, 3> index{i, j, k};
    double rate = 0.0;
    for (const int axis : storage_axes) {
      const std::vector<double>& widths = plan_.grid().axis(axis).cells.widths;
      const auto at = static_cast<std::size_t>(index[static_cast<std::size_t>(axis)]);
      const std::size_t around = plan_.grid().axis(axis).cells.periodic ? widths.size() - 1 : 0;
      const double narrower = std::min(widths[at], widths[at == 0 ? around : at - 1]);
      rate += std::abs(fields_[axis](i, j, k)) / narrower;
    }
    return rate;
  }

  void fill_ghosts(double time) {
    const std::vector<Continuations> all = continuations_of(plan_.stepped(), plan_.grid(), time);
    const Extents n = plan_.grid().extents();
    const std::int64_t cells[3] = {n.ni, n.nj, n.nk};
    const CentreLines centres{plan_.grid().axis(0).centres.data(),
                              plan_.grid().axis(1).centres.data(),
                              plan_.grid().axis(2).centres.data()};
    for (int field = 0; field < count_; ++field) {
      const FieldView<double> view = fields_[field];
      const Continuations& rules = all[static_cast<std::size_t>(field)];
      for_cells(grown(box_of(n), 1), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        const std::int64_t index[3] = {i, j, k};
        view(i, j, k) = continued(rules, centres, cells, index, view);
      });
    }
  }

  Plan plan_;
  int count_;
  Medium<double> medium_;
  WallFaces walls_;
  std::vector<std::vector<double>> sources_;
  Layout layout_;
  FieldSet<double> fields_;
  FieldSet<double> before_;
  FieldSet<double> tendencies_;
  FieldSet<double> changes_;  ///< of one field in a stage
  ReferencePressure pressure_;
  ReferenceDiffusion diffusion_;
  ReferenceBounded bounded_;
  std::vector<double> potential_;          ///< that the last projection found
  std::vector<double> known_pressure_;     ///< of stages with implicit diffusion
  std::vector<double> recorded_pressure_;  ///< of explicit ones
  std::array<std::vector<AxisMetric<double>>, 3> metrics_;
  StepRule rule_;
  StepState progress_;
  FlowRates rates_;  ///< since the last choice of a step
};

/// Sums and extremes by their definitions, one loop each: no schedule shares this code.
Diagnosis ReferenceIntegrator::diagnose_stepped() {
  Diagnosis found;
  const Extents n = plan_.grid().extents();
  const double box = plan_.grid().volume();
  const auto width = [&](int axis, std::int64_t at) {
    return plan_.grid().axis(axis).cells.widths[static_cast<std::size_t>(at)];
  };
  const auto volume = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return width(0, i) * width(1, j) * width(2, k);
  };
  for_cells(box_of(n), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const double part = volume(i, j, k) / box;
    for (const int axis : storage_axes) {
      const double below = fields_[axis](i, j, k);
      const double above = fields_[axis](i + (axis == 0), j + (axis == 1), k + (axis == 2));
      const auto along = static_cast<std::size_t>(plan_.grid().physical(axis));
      found.fastest_along[along] = std::max(found.fastest_along[along], std::abs(below));
      found.kinetic_energy += part * 0.25 * (below * below + above * above);
    }
    found.courant_rate = std::max(found.courant_rate, advective_rate_at(i, j, k));
    found.divergence = std::max(found.divergence, std::abs(divergence(stencil(i, j, k))));
  });
  found.fastest = *std::max_element(found.fastest_along.begin(), found.fastest_along.end());
  for (int s = 0; s < count_ - 3; ++s) {
    Diagnosis::OfScalar scalar;
    const FieldView<double> values = fields_[3 + s];
    const double kappa = medium_.scalars[s].diffusivity;
    scalar.min = std::numeric_limits<double>::infinity();
    scalar.max = -scalar.min;
    for_cells(box_of(n), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const double value = values(i, j, k);
      const double part = volume(i, j, k) / box;
      scalar.mean += part * value;
      scalar.mean_square += part * value * value;
      scalar.min = std::min(scalar.min, value);
      scalar.max = std::max(scalar.max, value);
      const std::array<std::int64_t, 3> index{i, j, k};
      for (const int axis : storage_axes) {
        const std::int64_t at = index[static_cast<std::size_t>(axis)];
        const std::int64_t last = plan_.grid().axis(axis).count() - 1;
        const auto along = static_cast<std::size_t>(plan_.grid().physical(axis));
        const double flow = fields_[axis](i, j, k);
        const double before = values(i - (axis == 0), j - (axis == 1), k - (axis == 2));
        const double after = values(i + (axis == 0), j + (axis == 1), k + (axis == 2));
        const double distance = plan_.grid().axis(axis).cells.distance(at);
        scalar.transport[along] +=
            part / width(axis, at) * distance * flow * 0.5 * (before + value);
        if (plan_.grid().axis(axis).cells.periodic) {
          continue;
        }
        const double area_part = part / width(axis, at) * plan_.grid().axis(axis).length();
        if (at == 0) {
          scalar.on_wall[along][0] += area_part * 0.5 * (before + value);
          scalar.inflow[along][0] += area_part * kappa * (before - value) / distance;
        }
        if (at == last) {
          scalar.on_wall[along][1] += area_part * 0.5 * (value + after);
          scalar.inflow[along][1] +=
              area_part * kappa * (after - value) / plan_.grid().axis(axis).cells.distance(at + 1);
        }
      }
    });
    scalar.corrected_variance = bounded_.corrected_variance(s);
    found.scalars.push_back(scalar);
  }
  add_reference_budgets(plan_.stepped(), plan_.grid(), {stepped_state(), progress_.time}, found);
  return found;
}

}  // namespace

std::unique_ptr<Integrator> make_reference_integrator(const Plan& plan) {
  return std::make_unique<ReferenceIntegrator>(plan);
}

std::int64_t reference_integrator_bytes(const Plan& plan) {
  const Extents cells = plan.grid().extents();
  const Layout layout(cells, 1, sizeof(double));
  const bool bounded = !bounded_scalars(plan.problem()).empty();
  // Fluxes of both orders, limits and results of one scalar at a time; kept fluxes and corrections.
  const std::int64_t bounded_vectors =
      bounded ? 12 + 4 * static_cast<std::int64_t>(plan.problem().scalars.size()) : 0;
  constexpr std::int64_t pressure_vectors = 10;
  return field_set_bytes<double>(layout, 3 * plan.fields() + 1) +
         (pressure_vectors + bounded_vectors) * cells.count() *
             static_cast<std::int64_t>(sizeof(double));
}

}  // namespace bankfull::convection
