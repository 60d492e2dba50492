#pragma once

#include "bankfull/workloads/himeno/fields.hpp"

namespace bankfull::himeno {

/// One serial sweep with plain loops, from the present to the next iterate; returns gosa. Every
/// other schedule is compared with it.
template <class T>
double reference_sweep(const Fields<T>& fields);

extern template double reference_sweep<float>(const Fields<float>&);
extern template double reference_sweep<double>(const Fields<double>&);

}  // namespace bankfull::himeno
