#pragma once

#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/himeno/fields.hpp"

namespace bankfull::himeno {

/// One serial sweep over `part` with plain loops, from the present to the next iterate; returns
/// its part of gosa. Every other schedule is compared with it.
template <class T>
double reference_sweep(Fields<T>& fields, const Box& part) {
  const Layout& layout = fields.layout();
  const T* coefficients = fields.coefficient(0).origin;
  const FieldView<const T> present = fields.pressure();
  const FieldView<T> next = fields.next();
  double gosa = 0.0;
  for_cells(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const CoefficientsAt<T> q{coefficients + layout.offset(i, j, k), fields.stride()};
    const PressuresAt<T> p{&present(i, j, k), layout.plane_pitch(), layout.row_pitch()};
    const T ss = residual(q, p);
    next(i, j, k) = relaxed(p(0, 0, 0), ss, static_cast<T>(omega));
    gosa += static_cast<double>(ss) * static_cast<double>(ss);
  });
  return gosa;
}

}  // namespace bankfull::himeno
