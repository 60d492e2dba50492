#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/grid.cuh"

namespace bankfull::poisson::multigrid::cuda {

/// What a level has in GPU memory: levels of one block lack `up`, and all but the first all of it.
struct LevelFields {
  Buffer<float> r;
  Buffer<float> down;  ///< the correction on the way down
  Buffer<float> up;    ///< and on the way up
};

/// Where a level's correction begins.
enum class From {
  zero,
  what_is_there,
};

/// The correction for a residual, as a solver of all but the finest level's outer residual has it.
class Corrector {
 public:
  virtual ~Corrector() = default;

  /// The finest level, without its fields.
  [[nodiscard]] virtual const LevelView& finest() const = 0;

  /// The residual of the first of these levels.
  [[nodiscard]] virtual float* residual() const = 0;

  /// What follows leaves: of that level.
  [[nodiscard]] virtual const float* correction() const = 0;

  /// The correction by one V-cycle, and by full multigrid.
  virtual void queue_cycle(const Stream& stream) const = 0;
  virtual void queue_full_multigrid(const Stream& stream) const = 0;

  /// The traffic of a V-cycle, of all ranks together, without the levels that one block does.
  [[nodiscard]] virtual Traffic cycle_traffic() const = 0;
};

}  // namespace bankfull::poisson::multigrid::cuda
