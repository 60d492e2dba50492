#pragma once

#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/workloads/convection/plan.hpp"
#include "bankfull/workloads/convection/profile_point.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace bankfull::convection {

/// Parts of the box's length that belong to cells and to faces along each storage axis; a face on a
/// wall has none.
struct AxisParts {
  explicit AxisParts(const Grid& grid);

  std::array<std::vector<double>, 3> cells;
  std::array<std::vector<double>, 3> faces;
};

/// What a flow adds up to in the planes across one storage axis: `planes` means of each sum of
/// profile_point.hpp, those of the velocity and then of each scalar, and, beyond both ends, means
/// of what lies there: of u_B, u_C and each scalar. Scalars are those of the stepped problem.
struct ProfileSample {
  std::int64_t planes = 0;
  std::vector<double> means;   ///< of sum s in plane n at s planes + n
  std::vector<double> beyond;  ///< below and above: u_B, u_C, scalars

  [[nodiscard]] double mean(int sum, std::int64_t plane) const {
    return means[static_cast<std::size_t>(sum * planes + plane)];
  }
};

inline int sums_of(const Plan& plan) {
  return sums_of_velocity + sums_of_scalar * (plan.fields() - 3);
}

/// The first sum of a scalar.
inline int sums_before(int scalar) { return sums_of_velocity + sums_of_scalar * scalar; }

/// Adds what lies beyond both ends to the means: ghosts are linear in what lies beside them.
ProfileSample with_ends(const Plan& plan, int axis, double time, std::vector<double> means);

/// The sums of all ranks, in their order. Collective over `ranks`, which are null where there is
/// one only.
std::vector<double> added_by_ranks(const Communicator* ranks, const std::vector<double>& mine);

/// By the definitions, one loop each: see Integrator::sample. `value` gives what lies at any cell
/// or ghost of a field: value(field, i, j, k).
using ValueAt = std::function<double(int, std::int64_t, std::int64_t, std::int64_t)>;
std::vector<double> reference_profile_means(const Plan& plan, int axis, const ValueAt& value);

/// What a sample moves: a pass over the velocities, and one over these and the scalar for each
/// scalar. On a CPU the second of these finds velocities in its caches: both take a row at a time.
Traffic sample_traffic(const Plan& plan);

/// Enough partial sums of planes for any GPU.
inline constexpr std::int64_t max_partial_sums = 65536;

}  // namespace bankfull::convection
