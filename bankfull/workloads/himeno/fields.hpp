#pragma once

#include "bankfull/core/field/field_set.hpp"
#include "bankfull/workloads/himeno/domain.hpp"
#include "bankfull/workloads/himeno/initial.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <vector>

namespace bankfull::himeno {

/// All fields of one rank: the coefficients in their order, then two pressures
/// that take turns being the present and the next iterate.
template <class T>
class Fields {
 public:
  Fields(const Domain& domain, Device device)
      : domain_(domain),
        set_(Layout(domain.interior(), domain.ghosts, sizeof(T)), field_count, device) {}

  [[nodiscard]] const Domain& domain() const { return domain_; }
  [[nodiscard]] const Layout& layout() const { return set_.layout(); }
  [[nodiscard]] Box interior() const { return box_of(layout().interior()); }
  [[nodiscard]] Box whole() const { return grown(interior(), domain_.ghosts); }

  /// Elements between the starts of neighbouring coefficient fields.
  [[nodiscard]] std::int64_t stride() const { return set_.stride(); }

  [[nodiscard]] FieldView<T> coefficient(int field) const { return set_[field]; }
  [[nodiscard]] FieldView<T> pressure() const { return set_[coefficient_count + present_]; }
  [[nodiscard]] FieldView<T> next() const { return set_[coefficient_count + 1 - present_]; }

  /// The next iterate becomes the present one: pointers are swapped, nothing is copied.
  void advance() { present_ = 1 - present_; }

 private:
  Domain domain_;
  FieldSet<T> set_;
  int present_ = 0;
};

/// Sets all fields of one cell; a for_each body.
template <class T>
struct Initialise {
  InitialValue value;
  Box block = {};       ///< the cells of the rank in the numbering of the whole grid
  T* origin = nullptr;  ///< interior cell (0, 0, 0) of the first coefficient
  std::int64_t stride = 0;
  std::int64_t row_pitch = 0;
  std::int64_t plane_pitch = 0;

  BANKFULL_HOST_DEVICE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    T* cell = origin + i * plane_pitch + j * row_pitch + k;
    for (int field = 0; field < coefficient_count; ++field) {
      cell[field * stride] =
          static_cast<T>(value.coefficient(field, block.i0 + i, block.j0 + j, block.k0 + k));
    }
    const T pressure = static_cast<T>(value.pressure(block.i0 + i, block.j0 + j, block.k0 + k));
    cell[coefficient_count * stride] = pressure;
    cell[(coefficient_count + 1) * stride] = pressure;
  }
};

template <class T>
Initialise<T> initialise(const Fields<T>& fields, const InitialState& state) {
  return {.value = InitialValue(state, fields.domain().grid),
          .block = fields.domain().block(),
          .origin = fields.coefficient(0).origin,
          .stride = fields.stride(),
          .row_pitch = fields.layout().row_pitch(),
          .plane_pitch = fields.layout().plane_pitch()};
}

/// The rank's pressures (see owned_box), k fastest, read from memory that the host can address and
/// that holds the present iterate at `origin`.
template <class T>
std::vector<double> gather(const Fields<T>& fields, const T* origin) {
  const Box box = owned_box(fields.domain());
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(box.extents().count()));
  for (std::int64_t i = box.i0; i < box.i1; ++i) {
    for (std::int64_t j = box.j0; j < box.j1; ++j) {
      const T* row = origin + fields.layout().offset(i, j, 0);
      for (std::int64_t k = box.k0; k < box.k1; ++k) {
        values.push_back(static_cast<double>(row[k]));
      }
    }
  }
  return values;
}

template <class T>
std::vector<double> gather(const Fields<T>& fields) {
  return gather(fields, static_cast<const T*>(fields.pressure().origin));
}

}  // namespace bankfull::himeno
