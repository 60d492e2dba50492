#include "bankfull/numerics/poisson/direct/cuda/three_pass/row_passes.cuh"

namespace bankfull::poisson::three_pass {

template RowPasses<float> row_passes<float>(const Sizes&);

}  // namespace bankfull::poisson::three_pass
