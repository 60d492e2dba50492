#include "bankfull/core/measure/percentage.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/measure/cache.hpp"
#include "bankfull/core/measure/ceilings.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace bankfull {
namespace {

/// Percentages of work that lies in a cache, even in part, are not of memory.
void require_beyond_cache(const std::string& needs, const WorkingSet& set, Device device) {
  if (set.fit == CacheFit::beyond) {
    return;
  }
  const auto cache = static_cast<double>(last_cache_bytes(device));
  throw UsageError(fmt::format("{}, but the last cache, {}, holds {} of its {}", needs,
                               format_bytes(cache), set.fit == CacheFit::inside ? "all" : "a part",
                               format_bytes(static_cast<double>(set.bytes))),
                   fmt::format("choose a problem of at least {} on each device",
                               format_bytes(smallest_beyond(last_cache_bytes(device)))));
}

}  // namespace

void require_percentage(const std::string& option, const Work& work, Device device,
                        const Communicator& ranks, const MeasurePolicy& policy) {
  const std::string needs = option + " needs a percentage of bankfull";
  Work all = work;
  all.traffic = sum_over(ranks, work.traffic);
  const std::optional<Mix> mix = ceiling_mix(all);
  if (!mix) {
    throw UsageError(needs + ", but this work moves nothing that memory bounds", "leave it out");
  }
  if (policy.ceiling == CeilingRule::none) {
    throw UsageError(needs + ", which --ceiling none forbids",
                     "use --ceiling auto, or a file of ceilings");
  }
  require_beyond_cache(needs, working_set(ranks, device, work.working_set_bytes), device);
  const std::string key = ceiling_key(*mix, work.precision);
  const auto is_known = [&](const Ceiling& ceiling) { return ceiling.key == key; };
  if (policy.ceiling == CeilingRule::file &&
      std::none_of(policy.known_ceilings.begin(), policy.known_ceilings.end(), is_known)) {
    throw UsageError(needs + ", but the file of ceilings has none for " + key,
                     "use a file of the same workload, or --ceiling auto");
  }
}

}  // namespace bankfull
