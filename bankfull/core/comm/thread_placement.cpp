#include "bankfull/core/comm/thread_placement.hpp"

#include "bankfull/core/base/format.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/exec/team_binding.hpp"
#include "bankfull/core/machine/processor_load.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <thread>

namespace bankfull {
namespace {

constexpr std::array binding_variables{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY",
                                       "KMP_AFFINITY"};
constexpr std::array waiting_variables{"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"};

/// The first of these variables that is set, or an empty text.
template <class Names>
std::string first_that_is_set(const Names& names, const ReadVariable& variable) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const char* name) { return variable(name).has_value(); });
  return found == names.end() ? "" : *found;
}

/// The cores `begin` to `end` of these processors.
std::vector<Processor> cores_of(const std::vector<Processor>& ordered, Range range) {
  std::vector<Processor> some;
  std::int64_t core = -1;
  for (std::size_t n = 0; n < ordered.size(); ++n) {
    core += n == 0 || ordered[n].core != ordered[n - 1].core ? 1 : 0;
    if (range.holds(core)) {
      some.push_back(ordered[n]);
    }
  }
  return some;
}

/// Collective: why this rank has no processors of its own; else empty, and they are put in `place`.
std::string divide_processors(const Communicator& ranks, const SystemFiles& files,
                              ThreadPlacement& place) {
  const Sharers sharers = sharers_on_node(ranks, usable_processors());
  const std::vector<Processor> all = in_order_of_caches(files, process_processors());
  place.processors = all;
  if (all.empty()) {
    return "the system does not tell where this process may run";
  }
  if (!sharers.are_alike) {
    return "ranks may run on some of the same processors";
  }
  if (sharers.count > core_count(all)) {
    return "the node has more ranks than cores";
  }
  place.processors = cores_of(all, share(core_count(all), sharers.place, sharers.count));
  return {};
}

std::string why_unbound(const PlacementRequest& request, const ThreadPlacement& place,
                        const std::string& undivided, const std::string& variable) {
  if (request.pinning == Pinning::none) {
    return "--pin none";
  }
  if (request.pinning == Pinning::automatic && !request.on_cpu) {
    return "the work is the GPU's";
  }
  if (!variable.empty()) {
    return variable + " is set";
  }
  if (!undivided.empty()) {
    return undivided;
  }
  if (place.threads > static_cast<int>(place.processors.size())) {
    return fmt::format("more threads ({}) than processors ({})", place.threads,
                       place.processors.size());
  }
  if (!can_bind_threads()) {
    return "the system does not let threads choose their processors";
  }
  const bool may_roam = place.width == PlaceWidth::share && place.threads == 1;
  return may_roam ? "a single thread may use any core" : "";
}

}  // namespace

std::vector<int> ThreadPlacement::numbers() const {
  std::vector<int> all;
  all.reserve(processors.size());
  for (const Processor& processor : processors) {
    all.push_back(processor.number);
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string ThreadPlacement::description() const {
  if (!is_bound()) {
    return "no: " + unbound_because;
  }
  const int cores = core_count(processors);
  const int widest = width == PlaceWidth::core ? 1 : (cores + threads - 1) / threads;
  const int least = width == PlaceWidth::core ? 1 : cores / threads;
  const std::string each = threads > cores  ? "1 hardware thread"
                           : least < widest ? fmt::format("{} or {} cores", least, widest)
                           : widest == 1    ? "1 core"
                                            : fmt::format("{} cores", widest);
  const std::vector<int> own = numbers();
  return fmt::format("{} thread{}, {} each, on processors {}", threads, threads == 1 ? "" : "s",
                     each, ranges_text({own.begin(), own.end()}));
}

ThreadPlacement place_threads(const Communicator& ranks, const PlacementRequest& request,
                              const SystemFiles& files, const ReadVariable& variable) {
  ThreadPlacement place{
      .threads = request.threads,
      .width = request.pinning == Pinning::cores ? PlaceWidth::core : PlaceWidth::share,
      .waits_are_set = !first_that_is_set(waiting_variables, variable).empty(),
      .openmp_binds = !first_that_is_set(binding_variables, variable).empty()};
  const std::string undivided = divide_processors(ranks, files, place);
  place.unbound_because =
      why_unbound(request, place, undivided, first_that_is_set(binding_variables, variable));
  ranks.agree([&] {
    if (request.pinning == Pinning::cores && !place.is_bound()) {
      throw UsageError(
          "--pin cores cannot be followed: " + place.unbound_because,
          "use --pin auto, which then leaves the threads unbound, or remove the cause");
    }
  });
  return place;
}

FreeCores find_free_cores(const Communicator& ranks, const SystemFiles& files,
                          const ReadVariable& variable) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds sample{250};
  ThreadPlacement place;
  const bool is_divided = divide_processors(ranks, files, place).empty();
  const Sharers sharers = sharers_on_node(ranks, usable_processors());
  const Clock::time_point begin = Clock::now();
  const std::map<int, double> before = busy_seconds(files, place.numbers());
  std::this_thread::sleep_for(sample);
  const std::map<int, double> after = busy_seconds(files, place.numbers());
  const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
  ranks.agree([&] {
    if (const std::string set = first_that_is_set(binding_variables, variable); !set.empty()) {
      throw UsageError("--threads free: " + set + " is set, so that this process sees one place",
                       "give a number of threads, or unset it");
    }
    if (place.processors.empty() || after.size() < place.processors.size()) {
      throw UsageError("--threads free: /proc/stat does not tell how busy the processors are",
                       "give a number of threads");
    }
  });
  const auto shares = busy_shares(before, after, elapsed);
  const int free = free_cores(place.processors, shares);
  return {.free = is_divided ? free : std::max(1, free / sharers.count),
          .all = core_count(place.processors),
          .busy = busy_cores(place.processors, shares)};
}

}  // namespace bankfull
