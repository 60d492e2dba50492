#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <memory>

namespace bankfull::poisson {

/// The direct solver in three passes, see three_pass/sizes.hpp; nullptr where they do not serve the
/// domain, or where the stream's GPU, or this program's code for it, has no clusters.
template <class Real>
std::unique_ptr<Solver<Real>> make_three_pass_direct(const Domain& domain, const Stream& stream);

}  // namespace bankfull::poisson
