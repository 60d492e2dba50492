#include "bankfull/numerics/poisson/multigrid.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/cycle.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/stages.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/hierarchy.hpp"
#include "bankfull/numerics/poisson/multigrid/progress.hpp"
#include "bankfull/numerics/poisson/multigrid/traffic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
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
    return make_levels_along(domain, line_axis < 0 ? line_axis : 1);
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
  CpuMultigrid(const Turned& turned, const std::vector<Level>& levels, Stopping stopping,
               int threads)
      : stopping_(stopping),
        swapped_(turned.swapped),
        team_(threads),
        weights_(turned.domain),
        outer_{CpuAxes<Real>(levels.front()), CpuField<Real>(turned.domain.extents(), team_),
               CpuField<Real>(turned.domain.extents(), team_)},
        cycle_(levels, team_),
        plane_surveys_(static_cast<std::size_t>(turned.domain.extents().ni)),
        traffic_(cycle_traffic(levels, sizeof(Real))) {}

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
    if (!cold) {
      // Whatever p holds; its way down is wanted unless it is worse than nothing, or enough.
      progress.begin(defect_and_down(Real{0}, From::what_is_there));
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
    return {field.row(0, 0), swapped_ ? rows : planes, swapped_ ? planes : rows};
  }

  /// A power of two, so that fp32 has room for residuals of any unit, and rounds none.
  static double scale_for(double largest) {
    return largest > 0.0 && std::isfinite(largest) ? std::ldexp(1.0, -std::ilogb(largest)) : 1.0;
  }

  [[nodiscard]] Outer<Real> change() const { return {mean_, scale_}; }

  [[nodiscard]] double largest_residual() {
    const auto bits = static_cast<MagnitudeBits<Real>>(cycle_.take_largest());
    return static_cast<double>(std::bit_cast<Real>(bits));
  }

  Survey survey_right_side() {
    const Extents n = outer_.f.layout().interior();
#pragma omp parallel num_threads(team_.threads())
    {
      const Range mine = my_share(n.ni);
      for (std::int64_t i = mine.begin; i < mine.end; ++i) {
        plane_surveys_[static_cast<std::size_t>(i)] = survey_plane(i);
      }
    }
    RowSurvey<Real> whole;
    for (const RowSurvey<Real>& plane : plane_surveys_) {
      whole.sum += plane.sum;
      whole.largest = std::max(whole.largest, plane.largest);
    }
    return {whole.sum, static_cast<double>(std::bit_cast<Real>(whole.largest))};
  }

  [[nodiscard]] RowSurvey<Real> survey_plane(std::int64_t i) const {
    const Extents n = outer_.f.layout().interior();
    RowSurvey<Real> plane;
    for (std::int64_t j = 0; j < n.nj; ++j) {
      const RowSurvey<Real> row = survey_row(outer_.f.row(i, j), weights_.k.data(), n.nk);
      plane.sum += weights_.i[static_cast<std::size_t>(i)] *
                   weights_.j[static_cast<std::size_t>(j)] * row.sum;
      plane.largest = std::max(plane.largest, row.largest);
    }
    return plane;
  }

  /// p += factor e, or p = factor e; then the residual, which it returns.
  double defect(Real factor, From from) {
    cycle_.run_on_finest([&](CpuWorkspace& work) {
      return std::tuple(Correction<Real>(outer_, cycle_.finest(), work, factor, from),
                        Defect<Real>(outer_, cycle_.finest(), work, change(), From::what_is_there));
    });
    return largest_residual();
  }

  /// The same, and a V-cycle's way down from there.
  double defect_and_down(Real factor, From from) {
    const auto first = [&](auto smoother, CpuWorkspace& work) {
      const CpuLevel& level = cycle_.finest();
      return std::tuple_cat(
          std::tuple(Correction<Real>(outer_, level, work, factor, from)),
          smoother.joined(Defect<Real>(outer_, level, work, change(), From::what_is_there),
                          smoother.half_sweep(level, work, Colour::red, From::zero)));
    };
    cycle_.with_way_down(0, first, [&](const auto& make) { cycle_.run_on_finest(make); });
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
    cycle_.full_multigrid();
    iterate(progress, From::zero);
  }

  /// V-cycles until done. The correction from zero is in e already; that from what was there has
  /// gone half its way.
  void iterate(Progress* progress, From from) {
    const Real factor = Real{1} / scale_;
    bool is_down = from == From::what_is_there;
    bool has_correction = from == From::zero;
    while (!progress->is_done()) {
      if (!has_correction) {
        is_down ? cycle_.v_cycle_from_below() : cycle_.v_cycle();
      }
      // The way down is done with the residual, unless that will be the last.
      is_down = !progress->expects_end();
      progress->add_cycle(is_down ? defect_and_down(factor, from) : defect(factor, from));
      from = From::what_is_there;
      has_correction = false;
    }
  }

  Stopping stopping_;
  bool swapped_;
  Team team_;
  VolumeWeights weights_;
  CpuOuter<Real> outer_;
  CpuCycle cycle_;
  std::vector<RowSurvey<Real>> plane_surveys_;
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
                                                 int threads) {
  const multigrid::Turned turned(domain);
  return std::make_unique<multigrid::CpuMultigrid<Real>>(turned, turned.levels(), stopping,
                                                         threads);
}

bool multigrid_serves(const Domain& domain) {
  return multigrid_fit(domain).limit == MultigridLimit::none;
}

std::int64_t multigrid_bytes(const Domain& domain, std::size_t element_bytes, bool on_gpu) {
  if (on_gpu) {
    using namespace multigrid::cuda;
    return Hierarchy(domain, max_bottom_bytes).bytes(element_bytes);
  }
  const multigrid::Turned turned(domain);
  const Layout outer(turned.domain.extents(), 1, element_bytes);
  return 2 * outer.size() * static_cast<std::int64_t>(element_bytes) +
         multigrid::CpuCycle::bytes(turned.levels());
}

template std::unique_ptr<Solver<float>> make_cpu_multigrid(const Domain&, Stopping, int);
template std::unique_ptr<Solver<double>> make_cpu_multigrid(const Domain&, Stopping, int);

}  // namespace bankfull::poisson
