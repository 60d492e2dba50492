#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/profile_sample.hpp"

namespace bankfull::convection {
namespace {

using Place = std::array<std::int64_t, 3>;

/// Sums in planes by their definitions.
class ReferenceProfiles {
 public:
  ReferenceProfiles(const Plan& plan, int axis, const ValueAt& value)
      : grid_(plan.grid()), axis_(static_cast<std::size_t>(axis)), parts_(grid_), value_(value) {}

  /// Adds the means of what lies on faces along the axes in `on_faces`.
  template <class Body>
  void add(const std::array<bool, 3>& on_faces, const Body& body) {
    const auto first = means_.size();
    means_.resize(first + static_cast<std::size_t>(grid_.axis(static_cast<int>(axis_)).count()));
    for_cells(box_of(grid_.extents()), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const Place at{i, j, k};
      double part = 1.0;
      for (std::size_t other = 0; other < 3; ++other) {
        const auto n = static_cast<std::size_t>(at[other]);
        if (other != axis_) {
          part *= on_faces[other] ? parts_.faces[other][n] : parts_.cells[other][n];
        }
      }
      means_[first + static_cast<std::size_t>(at[axis_])] += part * body(at);
    });
  }

  void add_powers(std::size_t field) {
    for (const int power : {1, 2, 3}) {
      add(faces_of(field), [&](const Place& at) {
        const double here = value(field, at);
        return power == 1 ? here : power == 2 ? here * here : here * here * here;
      });
    }
  }

  void add_product(std::size_t a, std::size_t b) {
    std::array<bool, 3> both{};
    both[a] = both[b] = true;
    add(both, [&](const Place& at) {
      const double first = 0.5 * (value(a, at) + value(a, moved(at, b, -1)));
      const double second = 0.5 * (value(b, at) + value(b, moved(at, a, -1)));
      return first * second;
    });
  }

  void add_strain(double viscosity) {
    add({}, [&](const Place& at) {
      double sum = 0.0;
      for (std::size_t a = 0; a < 3; ++a) {
        const double gradient = (value(a, moved(at, a, 1)) - value(a, at)) / width(a, at);
        sum += viscosity * gradient * gradient;
      }
      return sum;
    });
  }

  /// diffusivity |grad field|^2, but along the field's own axis if it is a velocity.
  void add_dissipation(std::size_t field, double diffusivity) {
    add(faces_of(field), [&](const Place& at) {
      double sum = 0.0;
      for (std::size_t b = 0; b < 3; ++b) {
        if (b == field) {
          continue;
        }
        const poisson::Axis& cells = grid_.axis(static_cast<int>(b)).cells;
        const double below =
            (value(field, at) - value(field, moved(at, b, -1))) / cells.distance(at[b]);
        const double above =
            (value(field, moved(at, b, 1)) - value(field, at)) / cells.distance(at[b] + 1);
        sum += 0.5 * diffusivity * (below * below + above * above);
      }
      return sum;
    });
  }

  /// What the velocity along an axis carries of a scalar.
  void add_transport(std::size_t field, std::size_t velocity) {
    add(faces_of(velocity), [&](const Place& at) {
      return value(velocity, at) * 0.5 * (value(field, moved(at, velocity, -1)) + value(field, at));
    });
  }

  [[nodiscard]] std::vector<double> means() { return std::move(means_); }

 private:
  static std::array<bool, 3> faces_of(std::size_t field) {
    return {field == 0, field == 1, field == 2};
  }
  static Place moved(Place at, std::size_t axis, std::int64_t by) {
    at[axis] += by;
    return at;
  }
  [[nodiscard]] double value(std::size_t field, const Place& at) const {
    return value_(static_cast<int>(field), at[0], at[1], at[2]);
  }
  [[nodiscard]] double width(std::size_t axis, const Place& at) const {
    return grid_.axis(static_cast<int>(axis)).width(at[axis]);
  }

  const Grid& grid_;
  std::size_t axis_;
  AxisParts parts_;
  const ValueAt& value_;
  std::vector<double> means_;
};

}  // namespace

std::vector<double> reference_profile_means(const Plan& plan, int axis, const ValueAt& value) {
  const auto p = static_cast<std::size_t>(axis);
  const std::array<std::size_t, 3> velocities{p, (p + 1) % 3, (p + 2) % 3};
  ReferenceProfiles sums(plan, axis, value);
  for (const std::size_t field : velocities) {
    sums.add_powers(field);
  }
  sums.add_product(velocities[0], velocities[1]);
  sums.add_product(velocities[0], velocities[2]);
  sums.add_product(velocities[1], velocities[2]);
  sums.add_strain(plan.problem().viscosity);
  for (const std::size_t field : velocities) {
    sums.add_dissipation(field, plan.problem().viscosity);
  }
  for (std::size_t s = 0; s < plan.problem().scalars.size(); ++s) {
    sums.add_powers(3 + s);
    sums.add_transport(3 + s, velocities[0]);
    sums.add_dissipation(3 + s, plan.problem().scalars[s].diffusivity);
    sums.add_transport(3 + s, velocities[1]);
    sums.add_transport(3 + s, velocities[2]);
  }
  return sums.means();
}

}  // namespace bankfull::convection
