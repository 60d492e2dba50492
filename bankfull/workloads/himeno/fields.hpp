#pragma once

#include "bankfull/core/field/field_set.hpp"
#include "bankfull/workloads/himeno/domain.hpp"
#include "bankfull/workloads/himeno/initial.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

namespace bankfull::himeno {

/// All fields of one rank: the coefficients in their order, then two pressures that alternate as
/// the present and the next iterate.
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

  /// The coefficients, then the two pressures.
  [[nodiscard]] FieldSetView<T> all() { return set_.views(); }
  [[nodiscard]] FieldSetView<const T> all() const { return set_.views(); }

  [[nodiscard]] FieldView<T> coefficient(int field) { return set_[field]; }
  [[nodiscard]] FieldView<const T> coefficient(int field) const { return set_[field]; }
  [[nodiscard]] FieldView<T> pressure() { return set_[coefficient_count + present_]; }
  [[nodiscard]] FieldView<const T> pressure() const { return set_[coefficient_count + present_]; }
  [[nodiscard]] FieldView<T> next() { return set_[coefficient_count + 1 - present_]; }

  /// The next iterate becomes the present one: pointers are swapped, nothing is copied.
  void advance() { present_ = 1 - present_; }

 private:
  Domain domain_;
  FieldSet<T> set_;
  int present_ = 0;
};

/// The coefficients that multiply pressures: all but the source and the flag.
constexpr bool is_of_operator(int field) { return field != wrk1 && field != bnd; }

/// Sets all fields of one cell; a for_each body.
template <class T>
struct Initialise {
  InitialValue value;
  double operator_factor = 1.0;  ///< of the coefficients that multiply pressures
  Box block = {};                ///< the cells of the rank in the numbering of the whole grid
  FieldSetView<T> fields = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    for (int field = 0; field < coefficient_count; ++field) {
      const double factor = is_of_operator(field) ? operator_factor : 1.0;
      fields[field](i, j, k) = static_cast<T>(
          factor * value.coefficient(field, block.i0 + i, block.j0 + j, block.k0 + k));
    }
    const T pressure = static_cast<T>(value.pressure(block.i0 + i, block.j0 + j, block.k0 + k));
    fields[coefficient_count](i, j, k) = pressure;
    fields[coefficient_count + 1](i, j, k) = pressure;
  }
};

/// `perturbation` as in Problem.
template <class T>
Initialise<T> initialise(Fields<T>& fields, const InitialState& state, double perturbation = 0.0) {
  return {.value = InitialValue(state, fields.domain().grid),
          .operator_factor = 1.0 + perturbation,
          .block = fields.domain().block(),
          .fields = fields.all()};
}

/// Copies one pressure of `part` to where its points lie one after another, k fastest; a for_each
/// body.
template <class T>
struct CopyPressures {
  FieldView<const T> pressure = {};
  Box part = {};
  T* packed = nullptr;

  BANKFULL_HOST_DEVICE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const Extents n = part.extents();
    packed[((i - part.i0) * n.nj + j - part.j0) * n.nk + k - part.k0] = pressure(i, j, k);
  }
};

/// Into memory of the fields' device with room for all points of `part`, in the rank's numbering.
template <class T>
CopyPressures<T> copy_pressures(const Fields<T>& fields, const Box& part, T* packed) {
  return {.pressure = fields.pressure(), .part = part, .packed = packed};
}

}  // namespace bankfull::himeno
