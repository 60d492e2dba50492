#include "bankfull/core/measure/ceilings.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/memory/clearing.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>

namespace bankfull {
namespace {

/// Collective: waits until the GPUs of all ranks have cleared what the ranks freed.
void wait_until_cleared(const Communicator& ranks) {
  const double seconds = ranks.max(seconds_until_cleared());
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// What a ceiling's arrays may take however small the problem is. On a GPU passes over 1 GiB take a
/// quarter of a millisecond, and starting and ending them costs 1 % of the rate (docs/adr/0013).
std::int64_t smallest_bound(Device device) { return device.is_cuda() ? 4 * gib : gib; }

/// The better of two measurements of one ceiling, with the rates of both.
Ceiling better_of(const Ceiling& before, const Ceiling& now) {
  Ceiling best = now.bytes_per_second > before.bytes_per_second ? now : before;
  best.rates = before.rates;
  best.rates.insert(best.rates.end(), now.rates.begin(), now.rates.end());
  return best;
}

/// Collective: of all ranks' devices together.
Ceiling sum_of(Ceiling mine, const Communicator& ranks) {
  mine.bytes_per_second = ranks.sum(mine.bytes_per_second);
  mine.working_set_bytes = ranks.sum(mine.working_set_bytes);
  mine.rates = {mine.bytes_per_second};
  if (ranks.size() > 1) {
    mine.name += fmt::format(", on {} ranks at once", ranks.size());
  }
  return mine;
}

}  // namespace

bool measures_ceiling(CeilingRule rule, CacheFit fit) {
  switch (rule) {
    case CeilingRule::automatic:
      return fit != CacheFit::inside;
    case CeilingRule::always:
      return true;
    case CeilingRule::none:
    case CeilingRule::file:
      break;
  }
  return false;
}

std::int64_t ceilings_bytes(Device device, int threads, CeilingRule rule,
                            std::int64_t problem_bytes) {
  const bool bounded = rule != CeilingRule::always;
  const std::int64_t at_most = bounded ? std::max(problem_bytes, smallest_bound(device)) : 0;
  return ceiling_working_set(device, threads, at_most);
}

std::string ceiling_key(const Mix& mix, Precision precision) {
  return to_string(mix) + ", " + to_string(precision);
}

Ceilings::Ceilings(Device device, int threads, const RunContext& context)
    : device_(device),
      threads_(threads),
      sharing_(sharers_of_device(context.ranks, device)),
      context_(context) {
  for (const Ceiling& ceiling : context.policy.known_ceilings) {
    known_.emplace(ceiling.key, ceiling);
  }
}

void Ceilings::measure(const Mix& mix, Precision precision, double seconds,
                       std::int64_t problem_bytes) {
  const Communicator& ranks = context_.ranks;
  const std::string key = ceiling_key(mix, precision);
  context_.progress.update("measuring the ceiling: " + key, 0.0, 1.0);
  if (!probe_) {
    wait_until_cleared(ranks);
    ranks.agree([&] {
      const std::int64_t bytes =
          ceilings_bytes(device_, threads_ * sharing_, context_.policy.ceiling, problem_bytes);
      probe_ = std::make_unique<CeilingProbe>(device_, threads_, bytes, sharing_);
    });
  }
  ranks.barrier();
  const double pass = ranks.max(probe_->warm_up(mix, precision));
  ranks.barrier();
  Ceiling now = probe_->measure(CeilingProbe::repeats_within(seconds, pass));
  now.key = key;
  now = sum_of(std::move(now), ranks);
  const auto before = known_.find(key);
  known_[key] = before == known_.end() ? now : better_of(before->second, now);
}

void Ceilings::release() { probe_.reset(); }

std::optional<Ceiling> Ceilings::find(const Mix& mix, Precision precision) const {
  const auto found = known_.find(ceiling_key(mix, precision));
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace bankfull
