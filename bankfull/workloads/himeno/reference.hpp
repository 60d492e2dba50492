#pragma once

#include "bankfull/workloads/himeno/fields.hpp"

namespace bankfull::himeno {

/// One serial sweep over `part` with plain loops, from the present to the next iterate; returns
/// its part of gosa. Every other schedule is compared with it.
template <class T>
double reference_sweep(Fields<T>& fields, const Box& part);

extern template double reference_sweep<float>(Fields<float>&, const Box&);
extern template double reference_sweep<double>(Fields<double>&, const Box&);

}  // namespace bankfull::himeno
