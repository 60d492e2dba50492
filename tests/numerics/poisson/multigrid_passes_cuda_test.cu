#include "bankfull/numerics/poisson/multigrid/cuda/defect.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/line_levels.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/point_levels.cuh"
#include "tests/gpu_traffic.cuh"
#include "tests/numerics/poisson/domains.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// The declared traffic of multigrid's passes on a GPU against what they read and write.
namespace bankfull::poisson::multigrid::cuda {
namespace {

/// The cells of a level in a field of it, without padding.
std::vector<std::int64_t> cells_in_field(const Level& level) {
  std::vector<std::int64_t> cells;
  for (std::int64_t i = 0; i < level.i.cells; ++i) {
    for (std::int64_t j = 0; j < level.j.cells; ++j) {
      for (std::int64_t k = 0; k < level.k.cells; ++k) {
        cells.push_back(i * plane_pitch(level) + j * row_pitch(level) + k);
      }
    }
  }
  return cells;
}

/// Numbers that differ, and are floats.
std::vector<double> numbered(std::int64_t count, double step) {
  std::vector<double> numbers;
  for (std::int64_t n = 0; n < count; ++n) {
    numbers.push_back(step * static_cast<double>(n + 1));
  }
  return numbers;
}

/// Fields of a level and of the next one on a GPU, with numbers that differ.
class Passes {
 public:
  explicit Passes(std::vector<Level> levels) : levels_(std::move(levels)) {
    set_short_cycle(&levels_, 0);
    tables_ = uploaded(tables_of(levels_), stream_);
    views_ = views_of(levels_, tables_.data());
    alike_planes_ = show_alike_planes(levels_, views_, stream_);
  }

  [[nodiscard]] const Stream& stream() const { return stream_; }
  [[nodiscard]] const CudaExecutor& gpu() const { return gpu_; }
  [[nodiscard]] const LevelView& view(std::size_t n) const { return views_.at(n); }
  [[nodiscard]] const Level& level(std::size_t n) const { return levels_.at(n); }

  template <class T>
  [[nodiscard]] Buffer<T> field(const Level& level) {
    std::uniform_real_distribution<double> within(0.5, 1.5);
    std::vector<T> values(static_cast<std::size_t>(field_size(level)));
    for (T& value : values) {
      value = static_cast<T>(within(random_));
    }
    return uploaded(values, stream_);
  }

  template <class T>
  [[nodiscard]] static gpu_traffic::Array watched(const Buffer<T>& field, const Level& level) {
    return {field.data(), field_size(level), cells_in_field(level)};
  }

 private:
  Stream stream_{Device::cuda(0)};
  CudaExecutor gpu_{stream_};
  std::vector<Level> levels_;
  Buffer<float> tables_;
  std::vector<LevelView> views_;
  Buffer<float4> alike_planes_;
  std::mt19937_64 random_{1};
};

/// The pass over the outer residual of the finest level.
template <class Real>
class DefectRun {
 public:
  struct Fields {
    const Real* f;
    Real* p;
    float* r;
    float* coarse_r;
  };

  explicit DefectRun(const Passes& passes) : DefectRun(passes, passes.view(0)) {}

  /// `view`: of the finest level.
  DefectRun(const Passes& passes, const LevelView& view)
      : passes_(passes), view_(view), control_(MemorySpace::device, 1) {
    const Level& level = passes.level(0);
    coefficients_ = uploaded(finest_coefficients<Real>(level), passes.stream());
    alike_j_ = first_coefficients<Real>(level.j);
    alike_k_ = first_coefficients<Real>(level.k);
    means_ = uploaded(numbered(level.i.cells, 0.25), passes.stream());
    potentials_ = uploaded(numbered(level.i.cells, 0.5), passes.stream());
  }

  void queue(int gpu_parts, const Fields& fields, int starts_from_zero = 0) const {
    Control start{};
    start.scale = 0.5;
    start.mean = 0.125;
    start.starts_from_zero = starts_from_zero;
    passes_.gpu().from_host(std::vector<Control>{start}, control_.data());
    const Level& level = passes_.level(0);
    queue_defect<Real>(
        passes_.stream(), gpu_parts, has_seams(level),
        {.level = view_,
         .coefficients_i = coefficients_.data(),
         .coefficients_j = coefficients_.data() + level.i.cells,
         .coefficients_k = coefficients_.data() + level.i.cells + level.j.cells,
         .alike_j = alike_j_,
         .alike_k = alike_k_,
         .f = fields.f,
         .p = fields.p,
         .r = fields.r,
         .coarse_r = fields.coarse_r,
         .own = {0, static_cast<int>(level.i.cells), 0, static_cast<int>(level.j.cells)},
         .after = After::cycle,
         .decides = false,
         .limits = {},
         .control = control_.data(),
         .loops = {},
         .start = {.means = means_.data(), .potentials = potentials_.data()},
         .keeps_start = true});
  }

  [[nodiscard]] double largest() const {
    return passes_.gpu().to_host(control_.data(), 1).front().over_ranks[0];
  }

 private:
  const Passes& passes_;
  LevelView view_;
  Buffer<Control> control_;
  Buffer<Pair<Real>> coefficients_;
  Pair<Real> alike_j_{};
  Pair<Real> alike_k_{};
  Buffer<double> means_;
  Buffer<double> potentials_;
};

constexpr int multiprocessors = 4;  // slabs are thick

/// A domain's levels, and fields of the finest two.
class PassesOfDomain : public testing::TestWithParam<NamedDomain> {
 protected:
  Passes passes_{make_levels_along(Turned(GetParam().domain).domain, -1)};
  const Level& fine_ = passes_.level(0);
  const Level& coarse_ = passes_.level(1);
  Buffer<float> r_ = passes_.field<float>(fine_);
  Buffer<float> e_ = passes_.field<float>(fine_);
  Buffer<float> coarse_r_ = passes_.field<float>(coarse_);
};

class MultigridPasses : public PassesOfDomain {
 protected:
  bool seams_ = has_seams(fine_);
};

TEST_P(MultigridPasses, TheWayDown) {
  const gpu_traffic::Watch watch(passes_.gpu(),
                                 {Passes::watched(r_, fine_), Passes::watched(e_, fine_),
                                  Passes::watched(coarse_r_, coarse_)});
  gpu_traffic::expect_equal_bytes(descent_traffic(fine_), watch.traffic_of([&] {
    queue_descent(passes_.stream(), multiprocessors, seams_,
                  {.level = passes_.view(0),
                   .r = r_.data(),
                   .start = nullptr,
                   .e = e_.data(),
                   .coarse_r = coarse_r_.data()});
  }));
}

TEST_P(MultigridPasses, TheWayUp) {
  const Buffer<float> p = passes_.field<float>(fine_);
  const gpu_traffic::Watch watch(passes_.gpu(),
                                 {Passes::watched(r_, fine_), Passes::watched(e_, fine_),
                                  Passes::watched(p, fine_), Passes::watched(coarse_r_, coarse_)});
  gpu_traffic::expect_equal_bytes(ascent_traffic<false, float>(fine_), watch.traffic_of([&] {
    queue_ascent<false, float>(passes_.stream(), multiprocessors, seams_,
                               {.level = passes_.view(0),
                                .coarse = coarse_r_.data(),
                                .r = r_.data(),
                                .e = e_.data(),
                                .p = p.data()});
  }));
}

TEST_P(MultigridPasses, TheWayUpOfTheFinestLevel) {
  const Buffer<double> p = passes_.field<double>(fine_);
  const Buffer<double> scale = uploaded(std::vector<double>{0.5}, passes_.stream());
  const gpu_traffic::Watch watch(
      passes_.gpu(),
      {Passes::watched(r_, fine_), Passes::watched(p, fine_), Passes::watched(coarse_r_, coarse_)});
  gpu_traffic::expect_equal_bytes(ascent_traffic<true, double>(fine_), watch.traffic_of([&] {
    queue_ascent<true, double>(passes_.stream(), multiprocessors, seams_,
                               {.level = passes_.view(0),
                                .coarse = coarse_r_.data(),
                                .r = r_.data(),
                                .p = p.data(),
                                .scale = scale.data()});
  }));
}

TEST_P(MultigridPasses, TheWayUpReadsNoPOfPlanes) {
  const Buffer<double> scale = uploaded(std::vector<double>{0.5}, passes_.stream());
  const std::vector<double> of_planes = numbered(fine_.i.cells, 0.75);
  const Buffer<double> plane_p = uploaded(of_planes, passes_.stream());
  const auto left_in = [&](const std::vector<double>& given, const double* of_each_plane) {
    const Buffer<double> p = uploaded(given, passes_.stream());
    queue_ascent<true, double>(passes_.stream(), multiprocessors, seams_,
                               {.level = passes_.view(0),
                                .coarse = coarse_r_.data(),
                                .r = r_.data(),
                                .p = p.data(),
                                .scale = scale.data(),
                                .plane_p = of_each_plane});
    const std::vector<double> field = passes_.gpu().to_host(p.data(), field_size(fine_));
    std::vector<double> cells;
    for (const std::int64_t place : cells_in_field(fine_)) {
      cells.push_back(field[static_cast<std::size_t>(place)]);
    }
    return cells;
  };
  const auto size = static_cast<std::size_t>(field_size(fine_));
  const auto pitch = static_cast<std::size_t>(plane_pitch(fine_));
  std::vector<double> in_memory;
  for (std::size_t n = 0; n < size; ++n) {
    in_memory.push_back(of_planes.at(n / pitch));
  }
  const std::vector<double> nothing(size, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(left_in(nothing, plane_p.data()), left_in(in_memory, nullptr));
}

TEST_P(MultigridPasses, TheOuterResidual) {
  const Buffer<double> f = passes_.field<double>(fine_);
  const Buffer<double> p = passes_.field<double>(fine_);
  const DefectRun<double> run(passes_);
  const gpu_traffic::Watch watch(passes_.gpu(),
                                 {Passes::watched(f, fine_), Passes::watched(p, fine_),
                                  Passes::watched(r_, fine_), Passes::watched(coarse_r_, coarse_)});
  const auto pass = [&] {
    run.queue(multiprocessors, {f.data(), p.data(), r_.data(), coarse_r_.data()});
  };
  gpu_traffic::expect_equal_bytes(defect_traffic<double>(fine_) + defect_restriction_traffic(fine_),
                                  watch.traffic_of(pass));
}

INSTANTIATE_TEST_SUITE_P(
    Domains, MultigridPasses,
    testing::Values(
        NamedDomain{"even", {uniform_axis(8, true), uniform_axis(6, true), uniform_axis(70, true)}},
        NamedDomain{"odd", {uniform_axis(9, true), uniform_axis(5, true), uniform_axis(33, true)}},
        NamedDomain{"walls",
                    {uniform_axis(7, false), uniform_axis(18, false), uniform_axis(12, false)}},
        NamedDomain{"semi",
                    {uniform_axis(8, true), uniform_axis(8, true), uniform_axis(8, true, 3.0)}},
        NamedDomain{"layer",
                    {uniform_axis(10, false), uniform_axis(8, true), uniform_axis(6, true)}},
        NamedDomain{"flat_layer",
                    {uniform_axis(10, false, 0.5), uniform_axis(6, true), uniform_axis(8, true)}}),
    domain_name);

/// Levels with alike planes, by the kernels that are for them and by those for all levels.
class AlikePasses : public PassesOfDomain {
 protected:
  void SetUp() override {
    ASSERT_TRUE(has_alike_planes(fine_));
    if (passes_.view(0).alike.planes == nullptr) {
      GTEST_SKIP() << "the GPU has no room for the kernels of levels with alike planes";
    }
  }

  /// Parts of the GPU, so that slabs have various numbers of planes and the last one fewer.
  static constexpr int gpu_parts[] = {1, 2, 5, 24, 132};

  template <class T>
  [[nodiscard]] std::vector<T> host(const Buffer<T>& field) const {
    return passes_.gpu().to_host(field.data(), static_cast<std::int64_t>(field.size()));
  }

  /// Expects that `left_by(view, parts)` returns the same for a view of alike planes and for one of
  /// planes of any kind, on parts of the GPU.
  template <class LeftBy>
  void expect_same_of_both(const LeftBy& left_by) {
    LevelView general = passes_.view(0);
    general.alike = {};
    for (const int parts : gpu_parts) {
      SCOPED_TRACE("on " + std::to_string(parts) + " multiprocessors");
      EXPECT_EQ(left_by(passes_.view(0), parts), left_by(general, parts));
    }
  }

  /// The same of what `pass(view, parts, copy)` leaves in copies of a field.
  template <class T, class Pass>
  void expect_same_in_copies(const Buffer<T>& field, const Pass& pass) {
    expect_same_of_both([&](const LevelView& view, int parts) {
      const Buffer<T> copy = uploaded(host(field), passes_.stream());
      pass(view, parts, copy.data());
      return host(copy);
    });
  }

  /// `of_each_plane`: p, or nullptr where it is read.
  template <class Real>
  void expect_same_correction(const double* of_each_plane) {
    const Buffer<double> scale = uploaded(std::vector<double>{0.5}, passes_.stream());
    expect_same_in_copies(passes_.field<Real>(fine_),
                          [&](const LevelView& view, int parts, Real* p) {
                            queue_ascent<true, Real>(passes_.stream(), parts, false,
                                                     {.level = view,
                                                      .coarse = coarse_r_.data(),
                                                      .r = r_.data(),
                                                      .p = p,
                                                      .scale = scale.data(),
                                                      .plane_p = of_each_plane});
                          });
  }

  template <class Real>
  void expect_same_outer_residual(int starts_from_zero) {
    const Buffer<Real> f = passes_.field<Real>(fine_);
    const Buffer<Real> given = passes_.field<Real>(fine_);
    expect_same_of_both([&](const LevelView& view, int parts) {
      const Buffer<Real> p = uploaded(host(given), passes_.stream());
      const Buffer<float> r = uploaded(host(e_), passes_.stream());
      const Buffer<float> coarse_r = uploaded(host(coarse_r_), passes_.stream());
      DefectRun<Real> run(passes_, view);
      run.queue(parts, {f.data(), p.data(), r.data(), coarse_r.data()}, starts_from_zero);
      return std::tuple{host(p), host(r), host(coarse_r), run.largest()};
    });
  }
};

TEST_P(AlikePasses, TheWayDownLeavesTheSame) {
  if (!fine_.j.coarsened) {
    GTEST_SKIP() << "has one kernel";
  }
  expect_same_of_both([&](const LevelView& view, int parts) {
    const Buffer<float> e = uploaded(host(e_), passes_.stream());
    const Buffer<float> coarse_r = uploaded(host(coarse_r_), passes_.stream());
    queue_descent(passes_.stream(), parts, false,
                  {.level = view,
                   .r = r_.data(),
                   .start = nullptr,
                   .e = e.data(),
                   .coarse_r = coarse_r.data()});
    return std::tuple(host(e), host(coarse_r));
  });
}

TEST_P(AlikePasses, TheWayUpLeavesTheSame) {
  if (!fine_.j.coarsened) {
    GTEST_SKIP() << "has one kernel";
  }
  const Buffer<float> p = passes_.field<float>(fine_);
  const float* const starts[] = {e_.data(), nullptr};
  for (const float* const e : starts) {
    SCOPED_TRACE(e == nullptr ? "from 0" : "from the way down");
    expect_same_in_copies(p, [&](const LevelView& view, int parts, float* to) {
      queue_ascent<false, float>(
          passes_.stream(), parts, false,
          {.level = view, .coarse = coarse_r_.data(), .r = r_.data(), .e = e, .p = to});
    });
  }
}

TEST_P(AlikePasses, TheWayUpOfTheFinestLevelLeavesTheSame) {
  const Buffer<double> plane_p = uploaded(numbered(fine_.i.cells, 0.75), passes_.stream());
  const double* const given[] = {nullptr, plane_p.data()};
  for (const double* const of_each_plane : given) {
    expect_same_correction<double>(of_each_plane);
    expect_same_correction<float>(of_each_plane);
  }
}

TEST_P(AlikePasses, TheOuterResidualLeavesTheSame) {
  expect_same_outer_residual<double>(0);
  expect_same_outer_residual<float>(0);
}

TEST_P(AlikePasses, TheFirstResidualLeavesTheSame) {
  expect_same_outer_residual<double>(1);
  expect_same_outer_residual<float>(1);
}

/// Smaller and larger than a region, also of numbers of cells that are no multiples of anything
/// but two; between walls and around.
INSTANTIATE_TEST_SUITE_P(
    Domains, AlikePasses,
    testing::Values(
        NamedDomain{"least", {uniform_axis(8, true), uniform_axis(2, true), uniform_axis(2, true)}},
        NamedDomain{"layer",
                    {uniform_axis(10, false), uniform_axis(6, true), uniform_axis(14, true)}},
        NamedDomain{"flat_layer",
                    {uniform_axis(22, false, 0.5), uniform_axis(6, true), uniform_axis(10, true)}},
        NamedDomain{"around",
                    {uniform_axis(24, true), uniform_axis(58, true), uniform_axis(66, true)}},
        NamedDomain{"flat_around",
                    {uniform_axis(8, true, 0.5), uniform_axis(44, true), uniform_axis(58, true)}},
        NamedDomain{"high_layer",
                    {uniform_axis(38, false), uniform_axis(24, true), uniform_axis(70, true)}},
        NamedDomain{"wide_layer",
                    {uniform_axis(14, false, 1.0), uniform_axis(98, true, 1.1),
                     uniform_axis(130, true, 0.9)}}),
    domain_name);

TEST(Slabs, CoverAllPlanesInAGridOfBlocks) {
  for (const int planes : {1, 2, 3, 32, 33, 512, 2097120, 2097121, 4194240, 4194241, 40000001}) {
    for (const int most : {32, planes}) {
      MarchPlan plan;
      choose_slabs(plan, planes, 2, 264, most);
      SCOPED_TRACE(std::to_string(planes) + " planes, " + std::to_string(most) + " at most");
      EXPECT_GE(std::int64_t{plan.planes} * plan.slabs, planes);
      EXPECT_LT(std::int64_t{plan.planes} * (plan.slabs - 1), planes);
      EXPECT_LE(plan.slabs, 65535);
      EXPECT_EQ(plan.planes % 2, 0);
    }
  }
}

TEST(AlikePlanes, AreThoseOfAxesThatGoRoundEvenlyInCellsOfOneWidth) {
  const auto is_alike = [](const Axis& i, const Axis& j, const Axis& k) {
    return has_alike_planes(make_levels_along({i, j, k}, -1).front());
  };
  const Axis wall = uniform_axis(16, false);
  const Axis around = uniform_axis(16, true);
  EXPECT_TRUE(is_alike(wall, around, around));
  EXPECT_TRUE(is_alike(uniform_axis(16, false, 0.5), around, around)) << "j and k not coarsened";
  EXPECT_TRUE(is_alike(stretched_axis(16, false, 1.01), around, around)) << "i is in a table";
  EXPECT_FALSE(is_alike(around, wall, around));
  EXPECT_FALSE(is_alike(around, around, wall));
  EXPECT_FALSE(is_alike(around, around, uniform_axis(15, true)));
  EXPECT_FALSE(is_alike(around, uniform_axis(15, true), around));
  EXPECT_FALSE(is_alike(uniform_axis(15, false), around, around));
  EXPECT_FALSE(is_alike(uniform_axis(6, false), around, around)) << "too few planes";
  EXPECT_FALSE(is_alike(around, around, uniform_axis(16, true, 3.0))) << "j alone is coarsened";
  EXPECT_FALSE(is_alike(around, around, stretched_axis(16, true, 1.01)));
}

class LinePasses : public testing::TestWithParam<NamedDomain> {
 protected:
  LinePasses() {
    for (std::size_t n = 0; n < 2; ++n) {
      LineLevelView view;
      view.level = passes_.view(n);
      const LineTables tables(passes_.level(n));
      tables_.emplace_back(tables, passes_.stream()).show(tables, view);
      view.r = r_[n].data();
      view.e = e_[n].data();
      views_.push_back(view);
    }
  }

  Passes passes_{make_levels_along(Turned(GetParam().domain).domain, 0)};
  const Level& fine_ = passes_.level(0);
  const Level& coarse_ = passes_.level(1);
  Buffer<float> r_[2] = {passes_.field<float>(fine_), passes_.field<float>(coarse_)};
  Buffer<float> e_[2] = {passes_.field<float>(fine_), passes_.field<float>(coarse_)};
  Buffer<float> particular_ = passes_.field<float>(fine_);
  std::vector<UploadedLineTables> tables_;
  std::vector<LineLevelView> views_;
};

TEST_P(LinePasses, HalfSweeps) {
  const gpu_traffic::Watch watch(passes_.gpu(),
                                 {Passes::watched(r_[0], fine_), Passes::watched(e_[0], fine_),
                                  Passes::watched(particular_, fine_)});
  for (const int colour : {0, 1}) {
    for (const LineSweep sweep :
         {LineSweep{.colour = colour}, LineSweep{.colour = colour, .e_is_zero = true},
          LineSweep{.colour = colour, .neighbours_are_zero = true, .e_is_zero = true}}) {
      SCOPED_TRACE("colour " + std::to_string(colour) + (sweep.e_is_zero ? ", from 0" : ""));
      const Traffic found = watch.traffic_of([&] {
        const LineSweepArguments arguments{views_[0], sweep, particular_.data()};
        with_bool(views_[0].cyclic, [&](auto cyclic) {
          launch(passes_.stream(), line_shape_for(fine_.j.cells * ((fine_.k.cells + 1) / 2)),
                 line_sweep_kernel<cyclic>, arguments);
        });
      });
      // What is read of the particular solution the pass has written itself.
      Traffic declared = half_sweep_traffic(fine_, sweep);
      declared.bytes_read -= declared.bytes_written / 2.0;
      gpu_traffic::expect_equal_bytes(declared, found);
    }
  }
}

TEST_P(LinePasses, Restriction) {
  const gpu_traffic::Watch watch(passes_.gpu(),
                                 {Passes::watched(r_[0], fine_), Passes::watched(e_[0], fine_),
                                  Passes::watched(r_[1], coarse_)});
  gpu_traffic::expect_equal_bytes(line_restriction_traffic(fine_), watch.traffic_of([&] {
    launch(passes_.stream(), line_shape_for(cells_of(views_[1].level)), line_restrict_kernel,
           LineTransferArguments{views_[0], views_[1], false});
  }));
}

TEST_P(LinePasses, Interpolation) {
  const gpu_traffic::Watch watch(passes_.gpu(),
                                 {Passes::watched(e_[0], fine_), Passes::watched(e_[1], coarse_)});
  gpu_traffic::expect_equal_bytes(line_interpolation_traffic(fine_), watch.traffic_of([&] {
    launch(passes_.stream(), line_shape_for(cells_of(views_[0].level)), line_interpolate_kernel,
           LineTransferArguments{views_[0], views_[1], false});
  }));
}

TEST_P(LinePasses, Correction) {
  const Buffer<double> p = passes_.field<double>(fine_);
  const Buffer<double> scale = uploaded(std::vector<double>{0.5}, passes_.stream());
  LevelView level = passes_.view(0);
  level.coarse_at = level.at;  // the next level has the same cells
  const gpu_traffic::Watch watch(passes_.gpu(),
                                 {Passes::watched(e_[0], fine_), Passes::watched(p, fine_)});
  gpu_traffic::expect_equal_bytes(line_correction_traffic<double>(fine_), watch.traffic_of([&] {
    queue_line_correction(passes_.stream(), level, e_[0].data(), p.data(), scale.data());
  }));
}

/// No axis across the lines goes around an odd number of cells.
INSTANTIATE_TEST_SUITE_P(
    Domains, LinePasses,
    testing::Values(NamedDomain{"even",
                                {gathered_axis(9, false, 3.0), uniform_axis(6, true, 0.1),
                                 uniform_axis(10, true, 0.1)}},
                    NamedDomain{"walls",
                                {gathered_axis(11, false, 3.0), uniform_axis(5, false, 0.1),
                                 uniform_axis(7, false, 0.1)}},
                    NamedDomain{"around",
                                {gathered_axis(8, true, 2.0), uniform_axis(4, true, 0.1),
                                 uniform_axis(6, true, 0.1)}}),
    domain_name);

}  // namespace
}  // namespace bankfull::poisson::multigrid::cuda
