#include "bankfull/workloads/convection/profile_table.hpp"

#include <algorithm>

namespace bankfull::convection {
namespace {

constexpr std::array<const char*, 3> velocity_names{"u", "v", "w"};

/// <a b> - <a> <b> and the like of one quantity, by the means of its powers.
struct CentralMoments {
  double variance;
  double third;
};

CentralMoments central(double mean, double square, double cube) {
  return {square - mean * mean, cube - mean * (3.0 * square - 2.0 * mean * mean)};
}

class TableOfAverages {
 public:
  TableOfAverages(const Plan& plan, int axis, const std::vector<double>& averages,
                  const std::vector<double>& references)
      : plan_(plan),
        grid_(plan.grid()),
        axis_(grid_.axis(axis)),
        averages_(averages),
        references_(references),
        planes_(axis_.count()),
        across_(axis),
        b_((axis + 1) % 3),
        c_((axis + 2) % 3) {}

  [[nodiscard]] ProfileTable at_centres() {
    start(false);
    in_each("width", "length", [this](std::int64_t n) { return axis_.width(n); });
    add_velocity(b_, 3);
    add_velocity(c_, 6);
    in_each(stress_name(b_, c_), speed_squared, [this](std::int64_t n) {
      return mean(sum_of_products + 2, n) - mean(3, n) * mean(6, n);
    });
    in_each("dissipation", "length^2/time^3", [this](std::int64_t n) {
      return mean(sum_of_strain, n) + mean(sum_of_strain + 2, n) + mean(sum_of_strain + 3, n) +
             0.5 * (on_face(sum_of_strain + 1, n) + on_face(sum_of_strain + 1, n + 1));
    });
    for (int s = 0; s < scalars(); ++s) {
      add_scalar_at_centres(s);
    }
    return std::move(table_);
  }

  [[nodiscard]] ProfileTable on_faces() {
    start(true);
    const std::string w = name(across_);
    in_each(w + "_mean", "length/time", [this](std::int64_t n) { return on_face(0, n); });
    in_each(w + "_variance", speed_squared,
            [this](std::int64_t n) { return velocity_moments(n).variance; });
    in_each(w + "_third_moment", "length^3/time^3",
            [this](std::int64_t n) { return velocity_moments(n).third; });
    add_stress(b_, 0);
    add_stress(c_, 1);
    for (int s = 0; s < scalars(); ++s) {
      add_scalar_on_faces(s);
    }
    return std::move(table_);
  }

 private:
  static constexpr const char* speed_squared = "length^2/time^2";

  [[nodiscard]] int scalars() const { return plan_.fields() - 3; }
  [[nodiscard]] std::string name(int axis) const {
    return velocity_names[static_cast<std::size_t>(grid_.physical(axis))];
  }
  [[nodiscard]] const Scalar& scalar(int s) const {
    return plan_.problem().scalars[static_cast<std::size_t>(s)];
  }
  [[nodiscard]] std::string stress_name(int a, int b) const {
    return std::min(name(a), name(b)) + std::max(name(a), name(b)) + "_stress";
  }

  [[nodiscard]] double mean(int sum, std::int64_t n) const {
    return averages_[static_cast<std::size_t>(sum * planes_ + n)];
  }

  /// The mean of a quantity on faces across the axis: 0 on walls, through which nothing moves.
  [[nodiscard]] double on_face(int sum, std::int64_t n) const {
    const bool is_end = n == 0 || n == planes_;
    return is_end && !axis_.cells.periodic ? 0.0 : mean(sum, n % planes_);
  }

  /// A mean at centres or, at -1 and `planes`, beyond the ends. `number`: of u_B, u_C, scalars.
  [[nodiscard]] double around(int sum, int number, std::int64_t n) const {
    if (n >= 0 && n < planes_) {
      return mean(sum, n);
    }
    const std::int64_t first = (sums_of_velocity + sums_of_scalar * scalars()) * planes_;
    return averages_[static_cast<std::size_t>(first + std::int64_t{2} * number + (n < 0 ? 0 : 1))];
  }
  [[nodiscard]] double to_face(int sum, int number, std::int64_t n) const {
    return 0.5 * (around(sum, number, n - 1) + around(sum, number, n));
  }
  [[nodiscard]] double gradient(int sum, int number, std::int64_t n) const {
    return (around(sum, number, n) - around(sum, number, n - 1)) / axis_.cells.distance(n);
  }

  [[nodiscard]] CentralMoments velocity_moments(std::int64_t face) const {
    return central(on_face(0, face), on_face(1, face), on_face(2, face));
  }

  void start(bool on_faces) {
    table_ = {.on_faces = on_faces, .places = {}, .columns = {}};
    for (std::int64_t n = 0; n < planes_ + (on_faces ? 1 : 0); ++n) {
      table_.places.push_back(on_faces ? axis_.faces[static_cast<std::size_t>(n)]
                                       : axis_.centre(n));
    }
  }

  template <class Body>
  void in_each(const std::string& column, const std::string& unit, const Body& body) {
    ProfileColumn& added = table_.columns.emplace_back();
    added.name = column;
    added.unit = unit;
    for (std::size_t n = 0; n < table_.places.size(); ++n) {
      added.values.push_back(body(static_cast<std::int64_t>(n)));
    }
  }

  void add_velocity(int field, int sum) {
    const auto moments = [this, sum](std::int64_t n) {
      return central(mean(sum, n), mean(sum + 1, n), mean(sum + 2, n));
    };
    in_each(name(field) + "_mean", "length/time",
            [this, sum](std::int64_t n) { return mean(sum, n); });
    in_each(name(field) + "_variance", speed_squared,
            [&](std::int64_t n) { return moments(n).variance; });
    in_each(name(field) + "_third_moment", "length^3/time^3",
            [&](std::int64_t n) { return moments(n).third; });
  }

  void add_scalar_at_centres(int s) {
    const int first = sums_before(s);
    const std::string& what = scalar(s).name;
    const double reference = references_[static_cast<std::size_t>(s)];
    const auto moments = [this, first](std::int64_t n) {
      return central(mean(first, n), mean(first + 1, n), mean(first + 2, n));
    };
    in_each(what + "_mean", what, [&](std::int64_t n) { return mean(first, n) + reference; });
    in_each(what + "_variance", what + "^2", [&](std::int64_t n) { return moments(n).variance; });
    in_each(what + "_third_moment", what + "^3", [&](std::int64_t n) { return moments(n).third; });
    in_each(what + "_dissipation", what + "^2/time",
            [&](std::int64_t n) { return mean(first + sum_of_scalar_dissipation, n); });
    add_flux_within(s, b_, 0);
    add_flux_within(s, c_, 1);
  }

  /// <u_B' T'> or <u_C' T'>. `number`: of B and C.
  void add_flux_within(int s, int axis, int number) {
    const int first = sums_before(s);
    const int velocity = 3 + 3 * number;
    const std::string& what = scalar(s).name;
    const auto along = static_cast<std::size_t>(grid_.physical(axis));
    in_each(what + "_turbulent_flux_" + axis_names[along], what + " length/time",
            [this, first, velocity, number](std::int64_t n) {
              return mean(first + sum_of_transport_within + number, n) -
                     mean(velocity, n) * mean(first, n);
            });
  }

  void add_stress(int field, int number) {
    const int sum = 3 + 3 * number;
    in_each(stress_name(across_, field), speed_squared, [&](std::int64_t n) {
      return on_face(sum_of_products + number, n) - on_face(0, n) * to_face(sum, number, n);
    });
    in_each(name(field) + "_viscous_flux", speed_squared,
            [&](std::int64_t n) { return -plan_.problem().viscosity * gradient(sum, number, n); });
  }

  void add_scalar_on_faces(int s) {
    const int first = sums_before(s);
    const std::string& what = scalar(s).name;
    const std::string unit = what + " length/time";
    const double reference = references_[static_cast<std::size_t>(s)];
    const auto diffusive = [this, first, s](std::int64_t n) {
      return -scalar(s).diffusivity * gradient(first, 2 + s, n);
    };
    const auto carried = [this, first](std::int64_t n) {
      return on_face(first + sum_of_transport, n);
    };
    in_each(what + "_turbulent_flux", unit,
            [&](std::int64_t n) { return carried(n) - on_face(0, n) * to_face(first, 2 + s, n); });
    in_each(what + "_diffusive_flux", unit, diffusive);
    in_each(what + "_flux", unit,
            [&](std::int64_t n) { return carried(n) + reference * on_face(0, n) + diffusive(n); });
  }

  const Plan& plan_;
  const Grid& grid_;
  const GridAxis& axis_;
  const std::vector<double>& averages_;
  const std::vector<double>& references_;
  std::int64_t planes_;
  int across_;
  int b_;
  int c_;
  ProfileTable table_;
};

}  // namespace

std::array<ProfileTable, 2> profile_tables(const Plan& plan, int axis,
                                           const std::vector<double>& averages,
                                           const std::vector<double>& references) {
  TableOfAverages tables(plan, axis, averages, references);
  return {tables.at_centres(), tables.on_faces()};
}

}  // namespace bankfull::convection
