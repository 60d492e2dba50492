#include "bankfull/numerics/poisson/direct/slabs.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

#include <cstddef>
#include <vector>

namespace bankfull::poisson {

RootBlocks::RootBlocks(const Domain& domain, int of_ranks, Constant constant)
    : ranks(of_ranks),
      pairs(half_spectrum(domain.j.cells()) * half_spectrum(domain.k.cells())),
      pitch(share_of(0).size()),
      behind(constant == Constant::column ? slab_of(domain, 0, ranks).size() : 1) {
  expects(ranks >= 1 && ranks <= domain.i.cells(), "each rank has a plane");
}

Domain ring_of_slab(const Domain& domain, const Range& planes) {
  const std::vector<double>& all = domain.i.widths;
  Axis axis{{planes.begin > 0 ? all[static_cast<std::size_t>(planes.begin - 1)] : all.back()},
            true};
  axis.widths.insert(axis.widths.end(), all.begin() + planes.begin, all.begin() + planes.end);
  return {axis, domain.j, domain.k};
}

}  // namespace bankfull::poisson
