#pragma once

#include "bankfull/numerics/fft/line_powers.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/profile_sample.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace bankfull::convection {

/// Which lines of a box spectra are of: all along one axis or, across another axis, those of one
/// plane of values.
struct SpectrumLines {
  int along = 0;                  ///< storage axis, periodic
  int across = 1;                 ///< another one: means over planes across it are kept, too
  std::optional<double> at = {};  ///< the plane nearest to this place on it; nothing: all
};

/// The plane of a field's values that is nearest to a place on an axis, and where it lies.
std::int64_t nearest_plane(const Grid& grid, int field, int axis, double at);
double place_of_plane(const Grid& grid, int field, int axis, std::int64_t plane);

/// Spectra of a field along lines, averaged by the parts of the box that belong to its values:
/// LinePowers' parts of the mean square, then the means over each plane across the other axis, of
/// one plane or of all.
class SpectrumSampler {
 public:
  /// The plan outlives it.
  SpectrumSampler(const Plan& plan, const SpectrumLines& lines);

  [[nodiscard]] std::size_t wavenumbers() const {
    return static_cast<std::size_t>(powers_.wavenumbers());
  }
  /// How many means follow.
  [[nodiscard]] std::size_t planes() const;

  /// Scalars less their references. Lines that a plane of the flow holds are read at a time.
  [[nodiscard]] std::vector<double> sample(const Integrator& flow, int field) const;

  /// What averages of samples say: the variance that belongs to each wavenumber, of what differs
  /// from the averages over planes and time. All together they are the variance of the profiles.
  [[nodiscard]] std::vector<double> variances(const double* averages, int field) const;

 private:
  /// Lines along the axis that lie side by side in a plane of the flow.
  struct LinesOfPlane {
    Box box;
    std::size_t step = 1;               ///< between elements of a line, in the order of reading
    std::size_t apart = 1;              ///< and between lines
    std::vector<double> parts;          ///< of the box, or of the plane, that belong to each line
    std::vector<double> parts_of_mean;  ///< of the line's plane across the other axis
    std::vector<std::size_t> planes;    ///< that one's number
  };

  [[nodiscard]] LinesOfPlane plane_across(int axis, std::int64_t at, int field) const;
  void add_plane(const Integrator& flow, int field, const LinesOfPlane& lines,
                 std::vector<double>& sums) const;
  void add_lines(const std::vector<double>& values, const LinesOfPlane& lines, std::size_t first,
                 double* sums) const;
  [[nodiscard]] const std::vector<double>& parts_along(int axis, int field) const {
    return (axis == field ? parts_.faces : parts_.cells)[static_cast<std::size_t>(axis)];
  }
  [[nodiscard]] double reference_of(int field) const {
    return field < 3 ? 0.0 : plan_.stepped().scalars[static_cast<std::size_t>(field - 3)].reference;
  }

  const Plan& plan_;
  SpectrumLines lines_;
  AxisParts parts_;
  LinePowers powers_;
};

}  // namespace bankfull::convection
