#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/numerics/poisson/cell_copies.hpp"

namespace bankfull::poisson {

template <class From, class To>
void queue_copy(const Stream& stream, const Box& box, const CopyCells<From, To>& cells) {
  for_each(stream, box, cells);
}

template void queue_copy(const Stream&, const Box&,
                         const CopyCells<FieldView<const float>, CellSlots<float>>&);
template void queue_copy(const Stream&, const Box&,
                         const CopyCells<FieldView<const double>, CellSlots<double>>&);
template void queue_copy(const Stream&, const Box&,
                         const CopyCells<CellSlots<float>, FieldView<float>>&);
template void queue_copy(const Stream&, const Box&,
                         const CopyCells<CellSlots<double>, FieldView<double>>&);

}  // namespace bankfull::poisson
