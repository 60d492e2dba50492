#include "bankfull/core/exec/team_waits.hpp"

#include "bankfull/core/exec/team_binding.hpp"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <latch>
#include <omp.h>
#include <system_error>
#include <thread>
#include <utility>

namespace bankfull {
namespace {

constexpr double min_seconds_between_looks = 0.25;
constexpr double max_share_of_looking = 1e-3;

/// Less load of others than this many processors does not stop a team often.
constexpr double tolerated_processors = 0.5;

/// What is below this share of the tolerated load ends short waits, so that they do not come and
/// go.
constexpr double share_to_end = 0.5;

/// What the calling thread has computed: on a busy machine it waits for longer than it reads.
double seconds_of_this_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

/// A team of a thread of its own, which waits.
class ShortWaits::IdleTeam {
 public:
  explicit IdleTeam(int threads) : ready_(2) {
    const UnboundStart unbound;
    thread_ = std::jthread([this, threads] { run(threads); });
    ready_.arrive_and_wait();
  }
  ~IdleTeam() {
    ended_ = true;
    ended_.notify_all();
  }
  IdleTeam(const IdleTeam&) = delete;
  IdleTeam& operator=(const IdleTeam&) = delete;

 private:
  void run(int threads) {
    std::atomic<int> begun{0};  // a region without effects would be left out
#pragma omp parallel num_threads(threads)
    ++begun;
    ready_.count_down();
    ended_.wait(false);
  }

  LiftedBinding lifted_;  ///< a thread that wakes may find its core taken and another one free
  std::latch ready_;
  std::atomic<bool> ended_{false};
  std::jthread thread_;  ///< last: it needs all of the above
};

ShortWaits::ShortWaits(int threads, int processors)
    : idle_(std::make_unique<IdleTeam>(std::max(2, processors - threads + 2))) {}

ShortWaits::~ShortWaits() = default;

TeamWaits::TeamWaits(SystemFiles files, std::vector<int> processors, int threads)
    : threads_(threads),
      processors_(static_cast<int>(processors.size())),
      is_free_to_choose_(threads > 1 && threads <= processors_),
      load_(std::move(files), std::move(processors)),
      next_(omp_get_wtime() + min_seconds_between_looks) {}

void TeamWaits::adapt() {
  if (!is_free_to_choose_ || omp_get_wtime() < next_) {
    return;
  }
  const double begin = seconds_of_this_thread();
  if (const auto taken = load_.take()) {
    const double room = processors_ - threads_;
    const double factor = short_ ? share_to_end : 1.0;
    const bool are_to_be_short = *taken > room + factor * tolerated_processors;
    if (are_to_be_short && !short_) {
      shorten();
    } else if (!are_to_be_short) {
      short_.reset();
    }
    most_taken_ = short_ ? std::max(most_taken_, *taken) : most_taken_;
  }
  const double cost = seconds_of_this_thread() - begin;
  next_ = omp_get_wtime() + std::max(min_seconds_between_looks, cost / max_share_of_looking);
}

void TeamWaits::shorten() {
  try {
    // OpenMP compares its threads with all that the process may use, of which ranks use a part.
    const auto of_process = static_cast<int>(process_processors().size());
    short_ = std::make_unique<ShortWaits>(threads_, std::max(processors_, of_process));
  } catch (const std::system_error&) {
    is_free_to_choose_ = false;  // no more threads for this process: a slow run, not the end of it
  }
}

}  // namespace bankfull
