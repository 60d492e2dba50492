#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/workloads/convection/cpu/flow.hpp"
#include "bankfull/workloads/convection/profile_sample.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace bankfull::convection {

/// Sums of a row, or of all rows so far, for each of its cells.
struct ProfileLines {
  double* sums = nullptr;  ///< one line after the other
  std::int64_t pitch = 0;
};

/// Adds the terms of a row of cells. `parts`: of what is the same along the row. Arguments come by
/// value: compilers see that no store changes them.
template <int P, class Real, class Cells>
void add_velocity_row(PointStencil<Real> row, Cells along, std::int64_t cells, double viscosity,
                      PlaneParts parts, ProfileLines lines) {
  double* __restrict const sums = lines.sums;
#pragma omp simd
  for (std::int64_t k = 0; k < cells; ++k) {
    PointStencil<Real> stencil = row;
    stencil.here += k;
    stencil.axis[2] = along.around(k);
    double terms[sums_of_velocity];
    velocity_terms<P>(stencil, viscosity, terms);
    for (int s = 0; s < sums_of_velocity; ++s) {
      const int place = places_of_velocity_sums[static_cast<std::size_t>(s)];
      sums[s * lines.pitch + k] += parts.at(place) * terms[s];
    }
  }
}

template <int P, class Real, class Cells>
void add_scalar_row(PointStencil<Real> row, Cells along, std::int64_t cells, int scalar,
                    double diffusivity, PlaneParts parts, ProfileLines lines) {
  double* __restrict const sums = lines.sums;
#pragma omp simd
  for (std::int64_t k = 0; k < cells; ++k) {
    PointStencil<Real> stencil = row;
    stencil.here += k;
    stencil.axis[2] = along.around(k);
    double terms[sums_of_scalar];
    scalar_terms<P>(stencil, scalar, diffusivity, terms);
    for (int s = 0; s < sums_of_scalar; ++s) {
      sums[s * lines.pitch + k] +=
          parts.at(places_of_scalar_sums[static_cast<std::size_t>(s)]) * terms[s];
    }
  }
}

/// Means in the planes across P: see ProfileSample. Rows go in pieces that depend on the grid and
/// its cut alone, whose sums are added in order, whatever the team, and those of ranks after them.
/// Collective.
template <int P, class Real>
class ProfilesOnCpu {
 public:
  ProfilesOnCpu(const FlowOnCpu<Real>& flow, const FieldSet<Real>& fields, const Plan& plan)
      : flow_(flow),
        fields_(fields),
        plan_(plan),
        parts_(plan.grid()),
        sums_(sums_of(plan)),
        planes_(plan.grid().axis(P).count()) {}

  [[nodiscard]] std::vector<double> means() const {
    const std::int64_t pieces = std::min<std::int64_t>(flow_.n.ni, max_pieces);
    const auto size = static_cast<std::size_t>(sums_ * planes_);
    std::vector<std::vector<double>> found(static_cast<std::size_t>(pieces));
    flow_.executor.each(pieces, [&](std::int64_t piece) {
      std::vector<double>& sums = found[static_cast<std::size_t>(piece)];
      sums.assign(size, 0.0);
      add_planes(flow_.n.ni * piece / pieces, flow_.n.ni * (piece + 1) / pieces, sums);
    });
    std::vector<double> means(size, 0.0);
    for (const std::vector<double>& sums : found) {
      std::ranges::transform(means, sums, means.begin(), std::plus<>());
    }
    return added_by_ranks(plan_.ranks(), means);
  }

 private:
  static constexpr std::int64_t max_pieces = 32;
  static constexpr int b = (P + 1) % 3;
  static constexpr int c = (P + 2) % 3;

  void add_planes(std::int64_t begin, std::int64_t end, std::vector<double>& sums) const {
    std::vector<double> storage(static_cast<std::size_t>(sums_ * flow_.n.nk), 0.0);
    const ProfileLines lines{storage.data(), flow_.n.nk};
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = 0; j < flow_.n.nj; ++j) {
        add_row(i, j, lines);
        if (P == 1) {
          add_up(storage, flow_.first[1] + j, sums);
        }
      }
      if (P == 0) {
        add_up(storage, flow_.first[0] + i, sums);
      }
    }
    if (P == 2) {
      sums = storage;
    }
  }

  void add_row(std::int64_t i, std::int64_t j, ProfileLines lines) const {
    const PointStencil<Real> row = flow_.template stencil_of_row<Real>(fields_, i, j);
    const PlaneParts parts = parts_of_row(i, j);
    const Problem& problem = plan_.problem();
    flow_.with_cells_along_rows([&](const auto& along) {
      add_velocity_row<P>(row, along, flow_.n.nk, problem.viscosity, parts, lines);
      for (int scalar = 0; scalar < flow_.count - 3; ++scalar) {
        add_scalar_row<P>(row, along, flow_.n.nk, scalar,
                          problem.scalars[static_cast<std::size_t>(scalar)].diffusivity, parts,
                          {lines.sums + sums_before(scalar) * lines.pitch, lines.pitch});
      }
    });
  }

  /// Along B and C, but for the cells of the row itself.
  [[nodiscard]] PlaneParts parts_of_row(std::int64_t i, std::int64_t j) const {
    const std::array<std::int64_t, 2> at{flow_.first[0] + i, flow_.first[1] + j};
    PlaneParts found{{1.0, 1.0, 1.0, 1.0}};
    for (int place = 0; place < 4; ++place) {
      for (const int axis : {b, c}) {
        if (axis < 2) {
          const bool on_face = (place & (axis == b ? 1 : 2)) != 0;
          found.of[place] *= part(axis, at[static_cast<std::size_t>(axis)], on_face);
        }
      }
    }
    return found;
  }

  [[nodiscard]] double part(int axis, std::int64_t at, bool on_face) const {
    const auto n = static_cast<std::size_t>(axis);
    return (on_face ? parts_.faces : parts_.cells)[n][static_cast<std::size_t>(at)];
  }

  /// Adds up a plane of the grid whose rows are along axis 2, and clears the lines.
  void add_up(std::vector<double>& lines, std::int64_t plane, std::vector<double>& sums) const {
    constexpr int on_rows = b == 2 ? on_b : on_c;
    for (int s = 0; s < sums_; ++s) {
      const int place = s < sums_of_velocity ? places_of_velocity_sums[static_cast<std::size_t>(s)]
                                             : places_of_scalar_sums[static_cast<std::size_t>(
                                                   (s - sums_of_velocity) % sums_of_scalar)];
      const std::vector<double>& weights =
          ((place & on_rows) != 0 ? parts_.faces : parts_.cells)[2];
      double* const line = lines.data() + s * flow_.n.nk;
      double sum = 0.0;
#pragma omp simd reduction(+ : sum)
      for (std::int64_t k = 0; k < flow_.n.nk; ++k) {
        sum += weights[static_cast<std::size_t>(k)] * line[k];
      }
      std::fill_n(line, flow_.n.nk, 0.0);
      sums[static_cast<std::size_t>(s * planes_ + plane)] += sum;
    }
  }

  const FlowOnCpu<Real>& flow_;
  const FieldSet<Real>& fields_;
  const Plan& plan_;
  AxisParts parts_;
  int sums_;
  std::int64_t planes_;
};

template <class Real>
std::vector<double> profile_means(const FlowOnCpu<Real>& flow, const FieldSet<Real>& fields,
                                  const Plan& plan, int axis) {
  switch (axis) {
    case 0:
      return ProfilesOnCpu<0, Real>(flow, fields, plan).means();
    case 1:
      return ProfilesOnCpu<1, Real>(flow, fields, plan).means();
    default:
      return ProfilesOnCpu<2, Real>(flow, fields, plan).means();
  }
}

}  // namespace bankfull::convection
