#include "bankfull/numerics/poisson/direct/slabs.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

namespace bankfull::poisson {
namespace {

std::int64_t largest_share(std::int64_t count, int ranks) { return share(count, 0, ranks).size(); }

}  // namespace

RootBlocks::RootBlocks(const Domain& domain, int ranks_)
    : ranks(ranks_),
      pairs(half_spectrum(domain.j.cells()) * half_spectrum(domain.k.cells())),
      pitch(largest_share(pairs, ranks)),
      planes(largest_share(domain.i.cells(), ranks)) {
  expects(ranks >= 1 && ranks <= domain.i.cells(), "each rank has a plane");
}

int RootBlocks::owner_of(std::int64_t pair) const {
  const std::int64_t smaller = pairs / ranks;
  const std::int64_t in_larger = pairs % ranks * (smaller + 1);
  return static_cast<int>(pair < in_larger ? pair / (smaller + 1)
                                           : pairs % ranks + (pair - in_larger) / smaller);
}

}  // namespace bankfull::poisson
