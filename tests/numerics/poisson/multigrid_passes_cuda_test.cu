#include "bankfull/numerics/poisson/multigrid/cuda/defect.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/line_levels.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/point_levels.cuh"
#include "tests/gpu_traffic.cuh"
#include "tests/numerics/poisson/domains.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>
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

/// Fields of a level and of the next one on a GPU, with numbers that differ.
class Passes {
 public:
  explicit Passes(const std::vector<Level>& levels)
      : levels_(levels), tables_(uploaded(tables_of(levels), stream_)) {
    views_ = views_of(levels, tables_.data());
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
  std::mt19937_64 random_{1};
};

constexpr int multiprocessors = 4;  // slabs are thick

class MultigridPasses : public testing::TestWithParam<NamedDomain> {
 protected:
  Passes passes_{make_levels_along(Turned(GetParam().domain).domain, -1)};
  const Level& fine_ = passes_.level(0);
  const Level& coarse_ = passes_.level(1);
  Buffer<float> r_ = passes_.field<float>(fine_);
  Buffer<float> e_ = passes_.field<float>(fine_);
  Buffer<float> coarse_r_ = passes_.field<float>(coarse_);
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

TEST_P(MultigridPasses, TheOuterResidual) {
  const Buffer<double> f = passes_.field<double>(fine_);
  const Buffer<double> p = passes_.field<double>(fine_);
  const Buffer<Pair<double>> coefficients =
      uploaded(std::vector<Pair<double>>(
                   static_cast<std::size_t>(fine_.i.cells + fine_.j.cells + fine_.k.cells),
                   Pair<double>{1.25, 0.75}),
               passes_.stream());
  const Buffer<Control> control(MemorySpace::device, 1);
  const gpu_traffic::Watch watch(passes_.gpu(),
                                 {Passes::watched(f, fine_), Passes::watched(p, fine_),
                                  Passes::watched(r_, fine_), Passes::watched(coarse_r_, coarse_)});
  const int tiles_k = parts_of(passes_.view(0).k.cells, region_columns);
  const int tiles_j = parts_of(passes_.view(0).j.cells, 2 * defect_warps);
  constexpr int planes = 4;
  const auto pass = [&] {
    Control start{};
    start.scale = 0.5;
    passes_.gpu().from_host(std::vector<Control>{start}, control.data());
    const DefectArguments<double> arguments{
        .level = passes_.view(0),
        .coefficients_i = coefficients.data(),
        .coefficients_j = coefficients.data() + fine_.i.cells,
        .coefficients_k = coefficients.data() + fine_.i.cells + fine_.j.cells,
        .f = f.data(),
        .p = p.data(),
        .r = r_.data(),
        .coarse_r = coarse_r_.data(),
        .planes = planes,
        .own = {0, static_cast<int>(fine_.i.cells), 0, static_cast<int>(fine_.j.cells)},
        .after = After::cycle,
        .decides = false,
        .limits = {},
        .control = control.data(),
        .loops = {}};
    with_bool(seams_, [&](auto seams) {
      launch(passes_.stream(),
             {dim3(static_cast<unsigned>(tiles_k), static_cast<unsigned>(tiles_j),
                   static_cast<unsigned>(parts_of(passes_.view(0).planes(), planes))),
              dim3(32, defect_warps)},
             defect_kernel<double, seams>, arguments);
    });
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
                    {uniform_axis(8, true), uniform_axis(8, true), uniform_axis(8, true, 3.0)}}),
    domain_name);

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
