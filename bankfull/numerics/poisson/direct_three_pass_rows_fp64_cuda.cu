#include "bankfull/numerics/poisson/direct/cuda/three_pass/row_passes.cuh"

namespace bankfull::poisson::three_pass {

template RowPasses<double> row_passes<double>(const Sizes&);

}  // namespace bankfull::poisson::three_pass
