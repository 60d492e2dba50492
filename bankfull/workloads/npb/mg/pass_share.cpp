#include "bankfull/workloads/npb/mg/pass_share.hpp"

#include <algorithm>

namespace bankfull::npb::mg {
namespace {

std::int64_t quotient_up(std::int64_t n, std::int64_t divisor) {
  return (n + divisor - 1) / divisor;
}

/// Planes of a block that the busiest thread forms, where groups have so many threads.
double planes_formed(const PassShape& shape, int group, int members) {
  const std::int64_t blocks = quotient_up(shape.rows, shape.block);
  const std::int64_t planes = quotient_up(shape.planes, members / group) + shape.beyond;
  return static_cast<double>(planes * quotient_up(blocks, group));
}

/// The size of groups that saves most; small groups where more would save hardly anything.
int group_of(const PassShape& shape, int members) {
  constexpr double worthwhile = 0.95;
  int best = 1;
  double least = planes_formed(shape, 1, members);
  for (int group = 2; group <= members; ++group) {
    const double formed = planes_formed(shape, group, members);
    if (members % group == 0 && formed < worthwhile * least) {
      best = group;
      least = formed;
    }
  }
  return best;
}

}  // namespace

PassShare pass_share(const PassShape& shape, int member, int members) {
  const int group = group_of(shape, members);
  const Range planes = share(shape.planes, member / group, members / group);
  if (planes.size() == 0) {
    return {};
  }
  const Range blocks = share(quotient_up(shape.rows, shape.block), member % group, group);
  return {.planes = planes,
          .rows = {std::min(blocks.begin * shape.block, shape.rows),
                   std::min(blocks.end * shape.block, shape.rows)}};
}

}  // namespace bankfull::npb::mg
