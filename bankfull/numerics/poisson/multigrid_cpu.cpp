#include "bankfull/core/base/exact_sum.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/cycle.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/stages.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/window_halo.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/hierarchy.hpp"
#include "bankfull/numerics/poisson/multigrid/progress.hpp"
#include "bankfull/numerics/poisson/multigrid/rank_levels.hpp"
#include "bankfull/numerics/poisson/multigrid/traffic.hpp"
#include "bankfull/numerics/poisson/root_solver.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace bankfull::poisson {
namespace multigrid {
namespace {

/// A domain as schedules of CPUs have it: lines of relaxation run along j, so that rows of them are
/// contiguous and planes follow each other through a pipeline.
struct Turned {
  explicit Turned(const Domain& given)
      : line_axis(line_axis_of_schedules(given)),
        swapped(line_axis == 0),
        domain(swapped ? Domain{given.j, given.i, given.k} : given) {}

  int line_axis;  ///< as given; -1: points are relaxed
  bool swapped;   ///< axes i and j
  Domain domain;

  [[nodiscard]] std::vector<Level> levels() const {
    std::vector<Level> result = make_levels_along(domain, line_axis < 0 ? line_axis : 1);
    set_short_cycle(&result, 1);
    return result;
  }

  /// As lines are not cut, ranks have the same numbers in the turned domain.
  [[nodiscard]] RankLevels levels_of(const Sharing& sharing) const {
    const RankGrid& grid = sharing.grid;
    const RankGrid turned = swapped ? RankGrid{grid.j, grid.i, grid.k} : grid;
    constexpr std::int64_t min_cells = 4096;
    const std::vector<Level> all = levels();
    return rank_levels(all, cut_of(domain, turned), sharing.rank(),
                       sharing.min_cells.value_or(min_cells), halo_widths(all));
  }
};

/// The weights of a mean over the volume.
struct VolumeWeights {
  explicit VolumeWeights(const Domain& domain)
      : i(domain.i.widths), j(domain.j.widths), k(domain.k.widths) {
    double volume = 1.0;
    for (const auto* widths : {&i, &j, &k}) {
      double length = 0.0;
      for (const double width : *widths) {
        length += width;
      }
      volume *= length;
    }
    for (double& width : i) {
      width /= volume;
    }
  }

  std::vector<double> i;
  std::vector<double> j;
  std::vector<double> k;
};

/// What is to be known of a right side before it is solved for.
struct Survey {
  double mean = 0.0;
  double largest = 0.0;
};

template <class Real>
class CpuMultigrid final : public Solver<Real> {
 public:
  CpuMultigrid(const Turned& turned, const RankLevels& levels, const Sharing& sharing,
               Stopping stopping, int threads)
      : ranks_(sharing.is_shared() ? sharing.ranks : nullptr),
        window_{levels.shared.front().i, levels.shared.front().j},
        stopping_(stopping),
        swapped_(turned.swapped),
        team_(threads),
        weights_(turned.domain),
        outer_{CpuAxes<Real>(levels.shared.front().level),
               CpuField<Real>(levels.shared.front().level.extents(), team_),
               CpuField<Real>(levels.shared.front().level.extents(), team_)},
        cycle_(levels, ranks_, team_),
        plane_surveys_(static_cast<std::size_t>(window_[0].own.size())),
        traffic_(cycle_traffic(turned.levels(), sizeof(Real), cycle_.kind_of_turn())) {
    if (ranks_ != nullptr) {
      const RankLevel& finest = levels.shared.front();
      const Layout& layout = outer_.f.layout();
      halo_of_f_ = std::make_unique<WindowHalo<Real>>(*ranks_, finest, layout, 1, team_);
      halo_of_both_ = std::make_unique<WindowHalo<Real>>(*ranks_, finest, layout, 2, team_);
    }
  }

  [[nodiscard]] CellSlots<Real> right_side() const override { return slots(outer_.f); }
  [[nodiscard]] CellSlots<Real> solution() const override { return slots(outer_.p); }

  void solve() override {
    const Survey survey = survey_right_side();
    mean_ = static_cast<Real>(survey.mean);
    scale_ = static_cast<Real>(scale_for(survey.largest));
    if (!cycle_.has_coarse()) {
      outer_.p.clear(team_);
      outcome_ = {0, 0.0, true};
      return;
    }
    Progress progress({residual_bound(stopping_.tolerance, stopping_.factor, survey.largest),
                       stopping_.max_cycles});
    bool cold = std::exchange(forgotten_, false);
    exchange_outer(cold);
    if (!cold) {
      // Whatever p holds; its way down is wanted unless it is worse than nothing, or enough.
      progress.begin(turn({.goes_down = true}));
      cold = !(progress.residual() < survey.largest);
    }
    if (cold) {
      solve_cold(&progress);
    } else {
      iterate(&progress, From::what_is_there);
    }
    outcome_ = progress.outcome();
  }

  void forget() override { forgotten_ = true; }
  void recall() override { forgotten_ = false; }
  [[nodiscard]] Outcome outcome() const override { return outcome_; }
  [[nodiscard]] Traffic traffic() const override { return traffic_; }

 private:
  [[nodiscard]] CellSlots<Real> slots(const CpuField<Real>& field) const {
    const std::int64_t planes = field.layout().plane_pitch();
    const std::int64_t rows = field.layout().row_pitch();
    const auto along = [](const Window& window) {
      return Range{-window.own.begin, window.end - window.begin - window.own.begin};
    };
    const Range i = along(window_[swapped_ ? 1 : 0]);
    const Range j = along(window_[swapped_ ? 0 : 1]);
    return {.data = field.row(window_[0].own.begin, window_[1].own.begin),
            .plane_pitch = swapped_ ? rows : planes,
            .row_pitch = swapped_ ? planes : rows,
            .reach = {i.begin, i.end, j.begin, j.end, 0, field.layout().interior().nk}};
  }

  /// What somebody else has written of f, and of p where it is started from.
  void exchange_outer(bool cold) {
    if (!halo_of_f_) {
      return;
    }
    cold ? halo_of_f_->exchange(outer_.f) : halo_of_both_->exchange(outer_.f, outer_.p);
  }

  /// A power of two, so that fp32 has room for residuals of any unit, and rounds none.
  static double scale_for(double largest) {
    return largest > 0.0 && std::isfinite(largest) ? std::ldexp(1.0, -std::ilogb(largest)) : 1.0;
  }

  [[nodiscard]] Outer<Real> change() const { return {mean_, scale_}; }

  /// The largest over all ranks: a maximum does not depend on their number.
  [[nodiscard]] double largest_residual() {
    const std::int64_t mine = cycle_.take_largest();
    const std::int64_t largest = ranks_ == nullptr ? mine : ranks_->max(mine);
    return static_cast<double>(std::bit_cast<Real>(static_cast<MagnitudeBits<Real>>(largest)));
  }

  Survey survey_right_side() {
    const Range own = window_[0].own;
#pragma omp parallel num_threads(team_.threads())
    {
      const Range mine = my_share(own.size());
      for (std::int64_t plane = mine.begin; plane < mine.end; ++plane) {
        plane_surveys_[static_cast<std::size_t>(plane)] = survey_plane(own.begin + plane);
      }
    }
    PlaneSurvey whole;
    for (const PlaneSurvey& plane : plane_surveys_) {
      whole.add(plane);
    }
    if (ranks_ != nullptr) {
      for (const PlaneSurvey& part : ranks_->all_gather(std::exchange(whole, {}))) {
        whole.add(part);
      }
    }
    return {whole.sum.value(), static_cast<double>(std::bit_cast<Real>(whole.largest))};
  }

  /// The sum and the largest value of one or more rows or planes. The sum is exact, so that its
  /// rounding depends neither on the number of ranks nor on how they divide the rows.
  struct PlaneSurvey {
    ExactSum sum;
    MagnitudeBits<Real> largest = 0;

    void add(const PlaneSurvey& other) {
      sum.add(other.sum);
      largest = std::max(largest, other.largest);
    }
  };

  /// i, as j there, is counted from the window's begin, weights from the domain's.
  [[nodiscard]] PlaneSurvey survey_plane(std::int64_t i) const {
    const Range rows = window_[1].own;
    PlaneSurvey plane;
    for (std::int64_t j = rows.begin; j < rows.end; ++j) {
      const RowSurvey<Real> row =
          survey_row(outer_.f.row(i, j), weights_.k.data(), outer_.f.layout().interior().nk);
      plane.sum.add(at(weights_.i, window_[0].begin + i) * at(weights_.j, window_[1].begin + j) *
                    row.sum);
      plane.largest = std::max(plane.largest, row.largest);
    }
    return plane;
  }

  /// The way up of a cycle on the finest level, if it has not been done; p += factor e, or
  /// p = factor e; the residual, which it returns; and a V-cycle's way down from there.
  struct Step {
    std::optional<From> way_up = std::nullopt;
    Real factor = Real{0};
    From from = From::what_is_there;
    bool goes_down = false;
  };

  double turn(const Step& step) {
    cycle_.turn(
        step.way_up, step.goes_down,
        [&](CpuWorkspace& work) {
          return Correction<Real>(outer_, cycle_.finest(), work, step.factor, step.from);
        },
        [&](CpuWorkspace& work) {
          return Defect<Real>(outer_, cycle_.finest(), work, change(), From::what_is_there);
        });
    return largest_residual();
  }

  void solve_cold(Progress* progress) {
    cycle_.run_on_finest([&](CpuWorkspace& work) {
      return std::tuple(Defect<Real>(outer_, cycle_.finest(), work, change(), From::zero));
    });
    progress->begin(largest_residual());
    if (progress->is_done()) {
      outer_.p.clear(team_);
      return;
    }
    cycle_.full_multigrid_below();
    iterate(progress, From::zero);
  }

  /// V-cycles until done. That from zero is at the way up of full multigrid; that from what was
  /// there has done its way down.
  void iterate(Progress* progress, From from) {
    const Real factor = Real{1} / scale_;
    bool is_down = true;
    while (!progress->is_done()) {
      From way_up = From::what_is_there;
      if (from == From::what_is_there) {
        if (!is_down) {
          cycle_.descend(0);
        }
        cycle_.v_cycle_below();
        way_up = cycle_.start_of_way_up(0);
      }
      // The way down is done with the residual, unless that will be the last.
      is_down = !progress->expects_end();
      progress->add_cycle(turn({way_up, factor, from, is_down}));
      from = From::what_is_there;
    }
  }

  const Communicator* ranks_;     ///< null where there is one only
  std::array<Window, 2> window_;  ///< of the finest level, along i and j as turned
  Stopping stopping_;
  bool swapped_;
  Team team_;
  VolumeWeights weights_;
  CpuOuter<Real> outer_;
  CpuCycle cycle_;
  std::unique_ptr<WindowHalo<Real>> halo_of_f_;  ///< null on one rank
  std::unique_ptr<WindowHalo<Real>> halo_of_both_;
  std::vector<PlaneSurvey> plane_surveys_;
  Traffic traffic_;
  Real mean_ = Real{0};
  Real scale_ = Real{1};
  bool forgotten_ = true;
  Outcome outcome_;
};

}  // namespace
}  // namespace multigrid

template <class Real>
std::unique_ptr<Solver<Real>> make_cpu_multigrid(const Domain& domain, Stopping stopping,
                                                 int threads, const Sharing& sharing) {
  require_cells(domain);
  multigrid::require_sharing(domain, sharing);
  const multigrid::Turned turned(domain);
  const multigrid::RankLevels levels = turned.levels_of(sharing);
  if (levels.shares_nothing()) {
    return std::make_unique<RootSolver<Real>>(
        domain, sharing, [&] { return make_cpu_multigrid<Real>(domain, stopping, threads); });
  }
  return std::make_unique<multigrid::CpuMultigrid<Real>>(turned, levels, sharing, stopping,
                                                         threads);
}

int shared_levels(const Domain& domain, const Sharing& sharing, bool on_gpu) {
  using namespace multigrid;
  const RankLevels levels =
      on_gpu ? cuda::windows_on_gpus(cuda::Hierarchy(domain, cuda::max_bottom_bytes), sharing)
             : Turned(domain).levels_of(sharing);
  return static_cast<int>(levels.shared.size()) - (levels.gathered.empty() ? 0 : 1);
}

std::string gpu_sharing_obstacle(const Domain& domain, const Sharing& sharing) {
  using namespace multigrid::cuda;
  const Turned turned(domain);
  const RankGrid cut = cut_of(turned, sharing).grid();
  if (turned.has_lines && cut.i > 1) {
    return "it relaxes lines along an axis that is cut";
  }
  if (cut.k > 1 || domain.k.cells() == 1) {
    return "rows along the last axis cannot be cut, and must have several cells";
  }
  return shared_levels(domain, sharing, true) > 0 ? "" : "the blocks are too thin for it";
}

int uncut_axis(const Domain& domain) { return multigrid::line_axis_of_schedules(domain); }

bool multigrid_serves(const Domain& domain) {
  return multigrid_fit(domain).limit == MultigridLimit::none;
}

namespace {

std::int64_t bytes_on_gpu(const Domain& domain, std::size_t element_bytes, const Sharing& sharing) {
  using namespace multigrid::cuda;
  const Hierarchy hierarchy(domain, max_bottom_bytes);
  return sharing.is_shared()
             ? bytes_of_windows(hierarchy, windows_on_gpus(hierarchy, sharing), element_bytes)
             : hierarchy.bytes(element_bytes);
}

/// What the root does where no level is shared is one rank's.
std::int64_t bytes_on_cpu(const Domain& domain, std::size_t element_bytes, const Sharing& sharing) {
  const multigrid::Turned turned(domain);
  const multigrid::RankLevels levels = turned.levels_of(sharing);
  const bool is_root = sharing.rank() == 0;
  if (levels.shares_nothing()) {
    const Layout block(cut_of(domain, sharing.grid).block(sharing.rank()).extents(), 1,
                       element_bytes);
    return 2 * block.size() * static_cast<std::int64_t>(element_bytes) +
           (is_root ? bytes_on_cpu(domain, element_bytes, {}) : 0);
  }
  const Layout outer(levels.shared.front().level.extents(), 1, element_bytes);
  return 2 * outer.size() * static_cast<std::int64_t>(element_bytes) +
         multigrid::CpuCycle::bytes(levels, is_root);
}

}  // namespace

std::int64_t multigrid_bytes(const Domain& domain, std::size_t element_bytes, bool on_gpu,
                             const Sharing& sharing) {
  return on_gpu ? bytes_on_gpu(domain, element_bytes, sharing)
                : bytes_on_cpu(domain, element_bytes, sharing);
}

template std::unique_ptr<Solver<float>> make_cpu_multigrid(const Domain&, Stopping, int,
                                                           const Sharing&);
template std::unique_ptr<Solver<double>> make_cpu_multigrid(const Domain&, Stopping, int,
                                                            const Sharing&);

}  // namespace bankfull::poisson
