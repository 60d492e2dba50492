#include "bankfull/workloads/convection/plan.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/memory/resident.hpp"
#include "bankfull/workloads/convection/cut.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/point.hpp"
#include "bankfull/workloads/convection/pressure.hpp"
#include "bankfull/workloads/convection/pressure_start.hpp"
#include "bankfull/workloads/convection/scalar_reference.hpp"
#include "bankfull/workloads/convection/scheme.hpp"
#include "bankfull/workloads/convection/staged_integrator.hpp"
#include "bankfull/workloads/convection/step_ahead.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace bankfull::convection {
namespace {

/// This process alone where ranks share nothing.
const Communicator& everybody(const poisson::Sharing& sharing) {
  static const std::unique_ptr<const Communicator> alone = make_self_communicator();
  return sharing.is_shared() ? *sharing.ranks : *alone;
}

Problem validated(Problem problem) {
  problem.validate();
  return problem;
}

/// Beside the pressure that stages know of: on a CPU a plane of all fields for the way up the
/// columns, on a GPU tables of factors.
template <class Real>
std::int64_t line_bytes(const Plan& plan) {
  const Extents n = plan.block().extents();
  if (plan.problem().device.is_cuda()) {
    const auto places = static_cast<std::size_t>(n.ni + n.nj + n.nk);
    const auto fields = static_cast<std::size_t>(plan.fields());
    return static_cast<std::int64_t>(places * (factor_slots * fields * sizeof(LineFactors<Real>) +
                                               2 * sizeof(NeighbourWeights<double>)));
  }
  const Layout plane({1, n.nj, n.nk}, 1, sizeof(Real));
  return resident_bytes(field_set_bytes<Real>(plane, plan.fields()));
}

template <class Real>
std::int64_t implicit_bytes(const Plan& plan, const Layout& layout) {
  return resident_bytes(field_set_bytes<Real>(layout, 1)) + line_bytes<Real>(plan);
}

/// Kept fluxes of each bounded scalar, and for one at a time what its faces and cells have room
/// for.
template <class Real>
std::int64_t bounded_bytes(const Plan& plan, const Layout& layout) {
  const auto bounded = static_cast<int>(bounded_scalars(plan.problem()).size());
  return bounded == 0 ? 0
                      : resident_bytes(field_set_bytes<Real>(layout, 3 * bounded)) +
                            resident_bytes(field_set_bytes<Real>(layout, 3)) +
                            resident_bytes(field_set_bytes<Real>(layout, 2));
}

/// Messages of the exchanges of all fields, of two and of one: from both sides of each cut axis, in
/// two slots, and as many that leave where they cannot be stored into another GPU.
std::int64_t halo_bytes(const Plan& plan) {
  constexpr std::int64_t buffers_of_a_side = 3;
  const Extents n = plan.block().extents();
  const RankGrid cut = plan.cut().grid();
  const std::int64_t cells = (cut.i > 1 ? n.nj * n.nk : 0) + (cut.j > 1 ? n.ni * n.nk : 0);
  return 2 * buffers_of_a_side * (plan.fields() + 3) * cells * bytes_of(plan.problem().precision);
}

template <class Real>
std::int64_t tuned_field_bytes(const Plan& plan) {
  const Layout layout(plan.block().extents(), 1, sizeof(Real));
  // The flow twice, and its tendencies.
  const int sets =
      3 + (has_sources(plan.problem()) ? 1 : 0) + (keeps_both_tendencies(plan) ? 1 : 0);
  return sets * resident_bytes(field_set_bytes<Real>(layout, plan.fields())) +
         (plan.problem().implicit_anywhere() ? implicit_bytes<Real>(plan, layout) : 0) +
         bounded_bytes<Real>(plan, layout) + bytes_of_past_pressure(plan) + halo_bytes(plan);
}

/// A flow is loaded and read by pieces.
std::int64_t bytes_of_a_piece(const Plan& plan) {
  const Extents n = plan.grid().extents();
  return planes_of_a_piece(n) * n.nj * n.nk * static_cast<std::int64_t>(sizeof(double));
}

/// On the host. The reference holds all of a flow at once.
std::int64_t loading_bytes(const Plan& plan) {
  if (plan.problem().schedule == Schedule::reference) {
    return plan.problem().cells() * plan.fields() * static_cast<std::int64_t>(sizeof(double));
  }
  return (plan.problem().device.is_cuda() ? 2 : 1) * bytes_of_a_piece(plan);
}

template <class Real>
std::int64_t copied_bytes(const Plan& plan) {
  const auto count = static_cast<int>(plan.copied_fields().size());
  const Layout layout(plan.grid().extents(), 1, sizeof(Real));
  return count == 0 ? 0
                    : resident_bytes(field_set_bytes<Real>(layout, count)) + bytes_of_a_piece(plan);
}

std::int64_t copied_bytes(const Plan& plan) {
  return plan.problem().precision == Precision::fp32 ? copied_bytes<float>(plan)
                                                     : copied_bytes<double>(plan);
}

std::int64_t integrator_bytes(const Plan& plan) {
  if (plan.problem().schedule == Schedule::reference) {
    return reference_integrator_bytes(plan);
  }
  const bool single = plan.problem().precision == Precision::fp32;
  return (single ? tuned_field_bytes<float>(plan) : tuned_field_bytes<double>(plan)) +
         pressure_bytes(plan) + (plan.problem().device.is_cuda() ? bytes_of_a_piece(plan) : 0);
}

/// What formulas, the planning of transforms and pictures take on the host.
constexpr std::int64_t library_bytes = 6 * mib;

WorkBytes bytes_of_run(const Plan& plan) {
  const Problem& problem = plan.problem();
  const bool tuned = problem.schedule != Schedule::reference;
  return {.device = plan.device_bytes() + copied_bytes(plan) + plan.output().device,
          .host = loading_bytes(plan) + library_bytes + plan.output().host,
          .working_set = tuned ? plan.device_bytes() : 0};
}

}  // namespace

Plan::Plan(Problem problem, CeilingRule ceilings, const OutputNeeds& output,
           const poisson::Sharing& sharing)
    : problem_(validated(std::move(problem))),
      stepped_(stepped_problem(problem_)),
      grid_(problem_.axes),
      solver_(chosen_solver(problem_, grid_, sharing)),
      sharing_(sharing_of(problem_, grid_, solver_, sharing)),
      block_(cut().block(sharing_.rank())),
      stages_(stages_of(problem_.scheme, 1.0, 1.0).count),
      ghosts_(continuations_of(stepped_, grid_)),
      leaves_projections_(can_leave_projections(*this)),
      device_bytes_(integrator_bytes(*this)),
      output_(output),
      footprints_(problem_.device, problem_.threads, everybody(sharing_), ceilings),
      footprint_(footprints_.of(bytes_of_run(*this))) {
  const bool has_copies = copy_where_there_is_room(output.fields);
  if (keeps_both_tendencies(*this) && !(has_copies && footprints_.fits(footprint_))) {
    project_at_once();
    copy_where_there_is_room(output.fields);
  }
}

bool Plan::tells_pressure() const {
  return std::ranges::find(output_.fields, pressure_field()) != output_.fields.end();
}

void Plan::project_at_once() {
  leaves_projections_ = false;
  device_bytes_ = integrator_bytes(*this);
  footprint_ = footprints_.of(bytes_of_run(*this));
}

bool Plan::copy_where_there_is_room(const std::vector<int>& fields) {
  if (!problem_.device.is_cuda() || fields.empty() || tells_pressure() || is_shared()) {
    return true;
  }
  copied_fields_ = fields;
  const Footprint with_copies = footprints_.of(bytes_of_run(*this));
  if (!footprints_.fits(with_copies)) {
    copied_fields_.clear();
    return false;
  }
  footprint_ = with_copies;
  return true;
}

void Plan::require_memory() const {
  about("domain.cells", [&] { static_cast<void>(judge_memory(Shortage::refused)); });
}

std::string Plan::memory_shortage() const { return judge_memory(Shortage::reported); }

std::string Plan::judge_memory(Shortage shortage) const {
  return footprints_.require(
      everybody(sharing_), footprint_,
      fmt::format("a flow on {} x {} x {} cells", problem_.axes[0].cells, problem_.axes[1].cells,
                  problem_.axes[2].cells),
      [] { return "use fewer cells, --set cells=..., or --set precision=fp32"; }, shortage);
}

}  // namespace bankfull::convection
