#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/alike_ascend.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/alike_descend.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/alike_tables.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/ascend.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/bottom.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/corrector.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/descend.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/level_tables.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/restrict.cuh"

#include <algorithm>
#include <vector>

namespace bankfull::poisson::multigrid::cuda {

// Kernels on one level. What a cell of the next level has lies in its fields where the parents of
// the level's, or the window's, cells are counted from its first one.

inline void queue_restriction(const Stream& stream, const LevelView& level, bool seams,
                              const float* r, float* coarse_r) {
  constexpr int planes = 4;  // few cells: rather many blocks
  const RestrictArguments arguments{.level = level, .r = r, .coarse_r = coarse_r, .planes = planes};
  const dim3 grid(static_cast<unsigned>(parts_of(level.k.cells, region_columns)),
                  static_cast<unsigned>(parts_of(level.j.cells, 2 * restrict_warps)),
                  static_cast<unsigned>(parts_of(level.planes(), planes)));
  with_bool(seams, [&](auto has_seams) {
    launch(stream, {grid, dim3(32, restrict_warps)}, restrict_kernel<has_seams>, arguments);
  });
}

inline void queue_alike_descent(const Stream& stream, int multiprocessors,
                                DescendArguments fields) {
  const MarchPlan plan =
      plan_march(fields.level, descend_reach(From::zero), alike_descent_rows * alike_descent_warps,
                 multiprocessors * alike_descent_blocks);
  fields.planes = plan.planes;
  constexpr std::size_t bytes = sizeof(AlikeDescentShared);
  allow_shared_bytes(alike_descend_kernel, bytes);
  launch(stream, {plan.grid(), dim3(32, alike_descent_warps), bytes}, alike_descend_kernel, fields);
}

/// From 0 where `fields.start` is null. Sets the number of planes.
inline void queue_descent(const Stream& stream, int multiprocessors, bool seams,
                          DescendArguments fields) {
  const From from = fields.start == nullptr ? From::zero : From::what_is_there;
  const LevelView& level = fields.level;
  if (level.alike.planes != nullptr && level.j.coarsened && from == From::zero) {
    queue_alike_descent(stream, multiprocessors, fields);
    return;
  }
  const MarchPlan plan = plan_march(level, descend_reach(from), region_rows, multiprocessors);
  fields.planes = plan.planes;
  with_bool(seams, [&](auto has_seams) {
    with_bool(from == From::zero, [&](auto from_zero) {
      constexpr From start = from_zero ? From::zero : From::what_is_there;
      constexpr std::size_t bytes = sizeof(DescendShared<has_seams>);
      allow_shared_bytes(descend_kernel<start, has_seams>, bytes);
      launch(stream, {plan.grid(), dim3(32, warps), bytes}, descend_kernel<start, has_seams>,
             fields);
    });
  });
}

template <class Ascent>
MarchPlan plan_ascent(const LevelView& level, int multiprocessors) {
  return plan_march(level, ascend_reach, Ascent::region_rows, multiprocessors);
}

template <class Ascent>
void launch_alike_ascent(const Stream& stream, const MarchPlan& plan,
                         AscendArguments<typename Ascent::Real> fields) {
  fields.planes = plan.planes;
  constexpr std::size_t bytes = sizeof(AlikeAscentShared<Ascent>);
  allow_shared_bytes(alike_ascend_kernel<Ascent>, bytes);
  launch(stream, {plan.grid(), dim3(32, Ascent::warps), bytes}, alike_ascend_kernel<Ascent>,
         fields);
}

/// On the finest level.
template <class Real>
void queue_alike_correction(const Stream& stream, int multiprocessors,
                            const AscendArguments<Real>& fields) {
  with_bool(fields.level.j.coarsened, [&](auto coarsened) {
    using Ascent = AlikeCorrection<Real, coarsened>;
    launch_alike_ascent<Ascent>(stream, plan_ascent<Ascent>(fields.level, multiprocessors), fields);
  });
}

/// Below it: the time of a step is that of its warps and of two more.
inline void queue_alike_ascent(const Stream& stream, int multiprocessors,
                               const AscendArguments<float>& fields) {
  with_bool(fields.e != nullptr, [&](auto has_e) {
    using Small = SmallAlikeAscent<has_e>;
    using Large = LargeAlikeAscent<has_e>;
    const auto time_of = [](const MarchPlan& plan, int warps_of_step) {
      return plan.steps * (warps_of_step + 2);
    };
    const MarchPlan small = plan_ascent<Small>(fields.level, multiprocessors);
    const MarchPlan large = plan_ascent<Large>(fields.level, multiprocessors);
    if (time_of(small, Small::warps) <= time_of(large, Large::warps)) {
      launch_alike_ascent<Small>(stream, small, fields);
    } else {
      launch_alike_ascent<Large>(stream, large, fields);
    }
  });
}

/// Sets the number of planes.
template <bool Adds, class Real>
void queue_ascent(const Stream& stream, int multiprocessors, bool seams,
                  AscendArguments<Real> fields) {
  if (fields.level.alike.planes != nullptr) {
    if constexpr (Adds) {
      queue_alike_correction(stream, multiprocessors, fields);
      return;
    } else if (fields.level.j.coarsened) {
      queue_alike_ascent(stream, multiprocessors, fields);
      return;
    }
  }
  const MarchPlan plan = plan_march(fields.level, ascend_reach, region_rows, multiprocessors);
  fields.planes = plan.planes;
  with_bool(seams, [&](auto has_seams) {
    constexpr std::size_t bytes = sizeof(AscendShared<Real, has_seams>);
    allow_shared_bytes(ascend_kernel<Real, Adds, has_seams>, bytes);
    launch(stream, {plan.grid(), dim3(32, warps), bytes}, ascend_kernel<Real, Adds, has_seams>,
           fields);
  });
}

/// The levels of one GPU from `first` on, not the finest, by relaxation of points.
class CoarseLevels final : public Corrector {
 public:
  CoarseLevels(const Hierarchy& hierarchy, int first, const Stream& stream)
      : hierarchy_(hierarchy),
        first_(first),
        multiprocessors_(multiprocessors_of(stream.device())),
        tables_(uploaded(tables_of(hierarchy.levels()), stream)),
        views_(views_of(hierarchy.levels(), tables_.data())),
        alike_planes_(show_alike_planes(hierarchy.levels(), views_, stream)) {
    for (int n = first; n <= hierarchy.bottom(); ++n) {
      const std::int64_t size = hierarchy.field_size(n);
      const bool is_bottom = n == hierarchy.bottom();
      fields_.push_back({zeros<float>(size, stream), zeros<float>(size, stream),
                         is_bottom ? Buffer<float>() : zeros<float>(size, stream)});
    }
    set_bottom();
    allow_shared_bytes(bottom_kernel, bottom_shared_bytes());
  }

  [[nodiscard]] const LevelView& view(int n) const { return views_[static_cast<std::size_t>(n)]; }
  [[nodiscard]] const LevelView& finest() const override { return view(0); }
  [[nodiscard]] float* residual() const override { return fields(first_).r.data(); }
  [[nodiscard]] const float* correction() const override { return correction_of(first_); }

  void queue_cycle(const Stream& stream) const override { queue_cycle(stream, first_, From::zero); }

  /// The correction by full multigrid: on each level from the coarsest on a V-cycle from what the
  /// next coarser one found.
  void queue_full_multigrid(const Stream& stream) const override {
    for (int n = first_; n < hierarchy_.bottom(); ++n) {
      queue_restriction(stream, view(n), hierarchy_.has_seams(n), fields(n).r.data(),
                        fields(n + 1).r.data());
    }
    queue_bottom(stream);
    for (int n = hierarchy_.bottom() - 1; n >= first_; --n) {
      queue_ascent(stream, n, From::zero);
      queue_cycle(stream, n, From::what_is_there);
    }
  }

  [[nodiscard]] Traffic cycle_traffic() const override {
    Traffic sum;
    for (int n = first_; n < hierarchy_.bottom(); ++n) {
      sum = sum + descent_traffic(hierarchy_.level(n)) +
            ascent_traffic<false, float>(hierarchy_.level(n));
    }
    return sum;
  }

 private:
  [[nodiscard]] const LevelFields& fields(int n) const {
    return fields_[static_cast<std::size_t>(n - first_)];
  }
  [[nodiscard]] const float* correction_of(int n) const {
    return n == hierarchy_.bottom() ? fields(n).down.data() : fields(n).up.data();
  }

  void set_bottom() {
    const int first = hierarchy_.bottom();
    bottom_.levels = hierarchy_.count() - first;
    // All tables lie behind that of the first axis of the first level.
    bottom_.tables = reinterpret_cast<const float*>(view(first).i.coefficients);
    for (int n = first; n < hierarchy_.count(); ++n) {
      const LevelView& level = view(n);
      BottomLevel& bottom = bottom_.level[n - first];
      bottom = {.i = level.i,
                .j = level.j,
                .k = level.k,
                .cells = static_cast<int>(hierarchy_.level(n).extents().count()),
                .seams = hierarchy_.has_seams(n),
                .offset = bottom_.floats};
      std::ranges::copy(level.omega_before, bottom.omega_before);
      std::ranges::copy(level.omega_after, bottom.omega_after);
      bottom_.floats += static_cast<int>(hierarchy_.bottom_floats(n));
      bottom_.table_count += static_cast<int>(table_floats(hierarchy_.level(n)));
    }
    bottom_.at = view(first).at;
    bottom_.r = fields(first).r.data();
    bottom_.e = fields(first).down.data();
  }

  [[nodiscard]] std::size_t bottom_shared_bytes() const {
    return static_cast<std::size_t>(bottom_.floats + bottom_.table_count) * sizeof(float);
  }

  /// A V-cycle on a level, from 0 or from its correction.
  void queue_cycle(const Stream& stream, int first, From from) const {
    for (int n = first; n < hierarchy_.bottom(); ++n) {
      queue_descent(stream, n, n == first ? from : From::zero);
    }
    queue_bottom(stream);
    for (int n = hierarchy_.bottom() - 1; n >= first; --n) {
      queue_ascent(stream, n, From::what_is_there);
    }
  }

  void queue_bottom(const Stream& stream) const {
    launch(stream, {dim3(1), dim3(bottom_threads), bottom_shared_bytes()}, bottom_kernel, bottom_);
  }

  /// From 0, or from the correction on the way up.
  void queue_descent(const Stream& stream, int n, From from) const {
    cuda::queue_descent(stream, multiprocessors_, hierarchy_.has_seams(n),
                        {.level = view(n),
                         .r = fields(n).r.data(),
                         .start = from == From::zero ? nullptr : fields(n).up.data(),
                         .e = fields(n).down.data(),
                         .coarse_r = fields(n + 1).r.data()});
  }

  /// From 0, or from the correction on the way down.
  void queue_ascent(const Stream& stream, int n, From from) const {
    cuda::queue_ascent<false, float>(stream, multiprocessors_, hierarchy_.has_seams(n),
                                     {.level = view(n),
                                      .coarse = correction_of(n + 1),
                                      .r = fields(n).r.data(),
                                      .e = from == From::zero ? nullptr : fields(n).down.data(),
                                      .p = fields(n).up.data()});
  }

  const Hierarchy& hierarchy_;
  int first_;
  int multiprocessors_;
  Buffer<float> tables_;
  std::vector<LevelView> views_;
  Buffer<float4> alike_planes_;
  std::vector<LevelFields> fields_;  ///< from the first level to the bottom's first
  BottomArguments bottom_{};
};

}  // namespace bankfull::poisson::multigrid::cuda
