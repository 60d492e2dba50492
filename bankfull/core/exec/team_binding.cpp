#include "bankfull/core/exec/team_binding.hpp"

#include "bankfull/core/base/expects.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <omp.h>
#include <sched.h>
#include <utility>

namespace bankfull {
namespace {

/// The places of all teams of the process, as OpenMP has one pool of threads for them.
struct BindingInForce {
  std::unique_ptr<const TeamPlaces> places;  ///< null: nothing is bound
  bool is_lifted = false;
  int threads = 1;  ///< of the team of which the initial thread is bound as the first
  std::atomic<unsigned> version{0};  ///< counts changes, which happen between regions
};

BindingInForce& binding_in_force() {
  static BindingInForce state;
  return state;
}

/// What the calling thread was bound for. A new one runs where the thread that started it was
/// bound.
struct Bound {
  unsigned version = 0;  ///< never
  int member = 0;
  int members = 0;
  bool is_narrow = true;  ///< not all processors of this process
};

thread_local Bound own_binding;

/// Whether the system did so. If it did not, it places the thread itself.
bool let_this_thread_run_on(const std::vector<int>& processors) {
  if (processors.empty() || process_processors().empty()) {
    return false;
  }
  const auto size = static_cast<std::size_t>(process_processors().back()) + 1;
  std::vector<unsigned char> storage(CPU_ALLOC_SIZE(size), 0);
  auto* const set = reinterpret_cast<cpu_set_t*>(storage.data());
  for (const int processor : processors) {
    CPU_SET_S(static_cast<std::size_t>(processor), storage.size(), set);
  }
  return sched_setaffinity(0, storage.size(), set) == 0;
}

void bind_this_thread(int member, int members) {
  const BindingInForce& now = binding_in_force();
  const std::vector<int> processors = !now.places     ? process_processors()
                                      : now.is_lifted ? now.places->all()
                                                      : now.places->of_member(member, members);
  const bool is_narrow = processors.size() < process_processors().size();
  if (is_narrow || own_binding.is_narrow) {
    // Whether the system lets us was asked beforehand; processors may have been taken since.
    static_cast<void>(let_this_thread_run_on(processors));
  }
  own_binding = {.version = now.version.load(std::memory_order_relaxed),
                 .member = member,
                 .members = members,
                 .is_narrow = is_narrow};
}

void set_lifted(bool is_lifted) {
  BindingInForce& now = binding_in_force();
  now.is_lifted = is_lifted;
  if (now.places) {
    ++now.version;
    bind_this_thread(0, now.threads);
  }
}

}  // namespace

TeamBinding::TeamBinding(TeamPlaces places, int threads) {
  expects(!binding_in_force().places, "one binding at a time");
  static_cast<void>(process_processors());  // while no thread is bound
  binding_in_force().places = std::make_unique<const TeamPlaces>(std::move(places));
  binding_in_force().threads = threads;
  ++binding_in_force().version;
  bind_this_thread(0, threads);
}

TeamBinding::~TeamBinding() {
  binding_in_force().places.reset();
  ++binding_in_force().version;
  bind_this_thread(0, 1);
}

LiftedBinding::LiftedBinding() { set_lifted(true); }

LiftedBinding::~LiftedBinding() { set_lifted(false); }

UnboundStart::UnboundStart() {
  if (binding_in_force().version != 0 && own_binding.is_narrow) {
    before_ = processors_of_this_thread();
    static_cast<void>(let_this_thread_run_on(process_processors()));
  }
}

UnboundStart::~UnboundStart() {
  if (!before_.empty()) {
    static_cast<void>(let_this_thread_run_on(before_));
  }
}

bool can_bind_threads() { return let_this_thread_run_on(processors_of_this_thread()); }

namespace detail {

void bind_member() {
  const int member = omp_get_thread_num();
  const int members = omp_get_num_threads();
  const unsigned version = binding_in_force().version.load(std::memory_order_relaxed);
  if (version != 0 && members > 1 &&
      (own_binding.version != version || own_binding.member != member ||
       own_binding.members != members)) {
    bind_this_thread(member, members);
  }
}

}  // namespace detail
}  // namespace bankfull
