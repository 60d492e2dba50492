#include "bankfull/core/measure/ceilings.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/core/memory/clearing.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>
#include <utility>

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

}  // namespace

Ceiling sum_of(const Ceiling& mine, const Communicator& ranks) {
  if (ranks.size() == 1) {
    return mine;
  }
  const std::vector<double> rates = ranks.all_gather(mine.bytes_per_second);
  const auto slowest =
      static_cast<std::size_t>(std::min_element(rates.begin(), rates.end()) - rates.begin());
  const auto names = ranks.all_gather(std::vector<char>(mine.name.begin(), mine.name.end()));
  const std::string way(names[slowest].begin(), names[slowest].end());
  const double sum = ranks.sum(mine.bytes_per_second);
  return {.name = way + fmt::format(", on {} ranks at once", ranks.size()),
          .bytes_per_second = sum,
          .working_set_bytes = ranks.sum(mine.working_set_bytes),
          .seconds = summarise(ranks.all_gather(mine.seconds.samples)[slowest]),
          .rates = {sum}};
}

SharedPass shared_pass(const Communicator& ranks, std::vector<int> on_device) {
  if (ranks.size() == 1) {
    return {};
  }
  return {.begin = [&ranks] { ranks.barrier(); },
          .slowest =
              [&ranks, on_device = std::move(on_device)](double seconds) {
                const std::vector<double> all = ranks.all_gather(seconds);
                double slowest = 0.0;
                for (const int rank : on_device) {
                  slowest = std::max(slowest, all[static_cast<std::size_t>(rank)]);
                }
                return slowest;
              }};
}

Traffic sum_over(const Communicator& ranks, const Traffic& mine) {
  return {.bytes_read = ranks.sum(mine.bytes_read),
          .bytes_written = ranks.sum(mine.bytes_written),
          .flops = ranks.sum(mine.flops)};
}

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
      on_device_(ranks_on_device(context.ranks, device)),
      context_(context) {
  for (const Ceiling& ceiling : context.policy.known_ceilings) {
    known_.emplace(ceiling.key, ceiling);
  }
}

void Ceilings::spend_on(const std::function<void()>& body) {
  const Stopwatch watch;
  body();
  seconds_spent_ += context_.ranks.max(watch.seconds());
}

void Ceilings::allocate(std::int64_t problem_bytes) {
  if (probe_) {
    return;
  }
  const Communicator& ranks = context_.ranks;
  wait_until_cleared(ranks);
  const double spent_before = seconds_spent_;
  spend_on([&] {
    ranks.agree([&] {
      const MeasurePolicy& policy = context_.policy;
      const auto sharing = static_cast<int>(on_device_.size());
      const std::int64_t wanted =
          ceilings_bytes(device_, threads_ * sharing, policy.ceiling, problem_bytes);
      const std::int64_t bytes =
          policy.ceiling_bytes > 0 ? std::min(wanted, policy.ceiling_bytes) : wanted;
      probe_ = std::make_unique<CeilingProbe>(device_, threads_, bytes, sharing);
    });
  });
  allocation_seconds_ = seconds_spent_ - spent_before;
}

void Ceilings::measure(const Mix& mix, Precision precision, double seconds) {
  const Communicator& ranks = context_.ranks;
  const std::string key = ceiling_key(mix, precision);
  context_.progress.update("measuring the ceiling: " + key, 0.0, 1.0);
  spend_on([&] {
    const Stopwatch watch;
    ranks.agree([&] { probe_->choose(mix, precision); });
    if (warm_.insert(key).second) {
      pass_seconds_[key] = ranks.max(probe_->warm_up());
    }
    const double left = seconds - ranks.max(watch.seconds());
    const int repeats = CeilingProbe::repeats_within(left, pass_seconds_.at(key));
    Ceiling now = sum_of(probe_->measure(repeats, shared_pass(ranks, on_device_)), ranks);
    now.key = key;
    const auto before = known_.find(key);
    known_[key] = before == known_.end() ? now : better_of(before->second, now);
  });
}

void Ceilings::release() {
  spend_on([&] { probe_.reset(); });
  warm_.clear();
}

double Ceilings::min_seconds(const Mix& mix, Precision precision) const {
  const std::string key = ceiling_key(mix, precision);
  const double pass = pass_seconds_.at(key);
  const int warm_ups = warm_.contains(key) ? 0 : 1;
  const double allocation = probe_ ? 0.0 : allocation_seconds_;
  return allocation + (warm_ups + CeilingProbe::repeats_within(0.0, pass)) * pass;
}

double Ceilings::seconds_left(double run_seconds) const {
  const MeasurePolicy& policy = context_.policy;
  const double allowed =
      std::max(policy.ceiling_seconds, policy.ceiling_share * (run_seconds - seconds_spent_));
  return std::max(0.0, allowed - seconds_spent_);
}

std::optional<Ceiling> Ceilings::find(const Mix& mix, Precision precision) const {
  const auto found = known_.find(ceiling_key(mix, precision));
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace bankfull
