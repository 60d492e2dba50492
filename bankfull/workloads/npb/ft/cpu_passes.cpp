#include "bankfull/workloads/npb/ft/cpu_passes.hpp"

#include "bankfull/workloads/npb/ft/ft.hpp"

namespace bankfull::npb::ft {
namespace {

constexpr double point_bytes = 2.0 * sizeof(double);

double flops_per_point(std::int64_t n) { return LaneFft(n).flops() / static_cast<double>(n); }

/// The product of the axes' factors, of which those of y and z serve a block, and its product with
/// both parts.
constexpr double decay_flops = 1.0 + 1.0 / lanes + 2.0;

}  // namespace

Decay::Decay(const FtParameters& ft, int t, double scale)
    : x(decay(ft.nx, t)), y(decay(ft.ny, t)), z(decay(ft.nz, t, scale)) {}

Traffic plane_forming_traffic(const FtParameters& ft, double points) {
  return points * Traffic{.bytes_written = point_bytes,
                          .flops = flops_per_point(ft.nx) + flops_per_point(ft.ny)};
}

Traffic z_traffic(const FtParameters& ft, double points, bool decays) {
  return points * Traffic{.bytes_read = point_bytes,
                          .bytes_written = point_bytes,
                          .flops = flops_per_point(ft.nz) + (decays ? decay_flops : 0.0)};
}

Traffic plane_inversion_traffic(const FtParameters& ft, double points) {
  return points * Traffic{.bytes_read = point_bytes,
                          .flops = flops_per_point(ft.nx) + flops_per_point(ft.ny)};
}

Traffic cpu_traffic(const FtParameters& ft, double points) {
  const Traffic iteration = z_traffic(ft, points, true) + plane_inversion_traffic(ft, points);
  return plane_forming_traffic(ft, points) + z_traffic(ft, points, false) +
         ft.iterations * iteration;
}

}  // namespace bankfull::npb::ft
