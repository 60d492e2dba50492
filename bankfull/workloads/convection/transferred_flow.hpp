#pragma once

#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/state.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace bankfull::convection {

/// The flow that another run was saved with, on the grid of a problem that begins with it: straight
/// between the places of the other grid's values, of each field its own, and beyond the last of
/// them to what the other run's walls prescribed. So it is of second order, keeps scalars within
/// their bounds, is the same numbers where both have a place, and is free of divergence once an
/// integrator has loaded it. Scalars are matched by name; those that the other run has not begin as
/// the problem says. Its noise is added to velocities.
///
/// Holds one field of the other run at a time, and it twice while it is read. One thread may read.
class TransferredFlow final : public FlowReader {
 public:
  /// All but `other`, the problem of the other run, must outlive it. Throws UsageError about
  /// "initial.from" where the boxes do not fit: they have the same lengths and periodic axes.
  TransferredFlow(const Problem& problem, const Grid& grid, const Problem& other,
                  const StateReader& saved);

  void read(int field, const Box& part, double* values) const override;

  /// Bytes that it holds at most.
  [[nodiscard]] static std::int64_t held_bytes(const Problem& other);

 private:
  /// The values of a field with a layer of ghosts around them.
  struct Padded {
    int field = -1;
    std::array<std::vector<double>, 3> places;  ///< along the storage axes of the other grid
    std::vector<double> values;
  };

  /// Two neighbouring places along an axis of the other grid, the share of the second.
  struct Between {
    std::size_t first = 0;
    double share = 0.0;
  };

  [[nodiscard]] std::optional<int> other_field(int field) const;

  /// Makes it the field that is held.
  void keep(int other_field) const;

  /// From the field that is held to one of this flow, on top of the noise that is there.
  void interpolate(int field, const Box& part, double* values) const;
  [[nodiscard]] Padded padded(int other_field) const;
  [[nodiscard]] std::vector<double> places_along(int other_field, int other_axis) const;
  [[nodiscard]] std::array<std::vector<Between>, 3> between(int field, const Padded& from) const;
  [[nodiscard]] double value_at(const Padded& from, const std::array<Between, 3>& place) const;

  const Problem& problem_;
  const Grid& grid_;
  const StateReader& saved_;
  Problem other_;  ///< as it is stepped
  Grid other_grid_;
  std::vector<Continuations> other_ghosts_;
  mutable Padded kept_;
};

}  // namespace bankfull::convection
