#include "bankfull/core/measure/quietness.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace bankfull {
namespace {

std::string text_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

double load_of_last_minute() {
  double load = 0.0;
  std::istringstream(text_of("/proc/loadavg")) >> load;
  // The load is that of the whole machine: divide by all processors, not by those allowed to us.
  return load / static_cast<double>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

ProcessorTimes processor_times() {
  ProcessorTimes times =
      ProcessorTimes::parse(text_of("/proc/stat"), static_cast<double>(sysconf(_SC_CLK_TCK)));
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    times.own_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  }
  return times;
}

}  // namespace

ProcessorTimes ProcessorTimes::parse(const std::string& text, double ticks_per_second) {
  // cpu user nice system idle iowait irq softirq steal guest ...: user includes guest.
  std::istringstream line(text.substr(0, text.find('\n')));
  std::string label;
  double user = 0.0;
  double nice = 0.0;
  double system = 0.0;
  double idle = 0.0;
  double waiting = 0.0;
  double interrupts = 0.0;
  double soft_interrupts = 0.0;
  double stolen = 0.0;
  if (!(line >> label >> user >> nice >> system >> idle >> waiting >> interrupts >>
        soft_interrupts >> stolen)) {
    return {};
  }
  const double busy = user + nice + system + interrupts + soft_interrupts;
  return {.capacity_seconds = (busy + idle + waiting + stolen) / ticks_per_second,
          .busy_seconds = busy / ticks_per_second,
          .stolen_seconds = stolen / ticks_per_second};
}

Quietness ProcessorTimes::load() const {
  constexpr double min_capacity = 1.0;
  if (capacity_seconds < min_capacity) {
    return {};
  }
  return {.foreign_load = std::max(0.0, busy_seconds - own_seconds) / capacity_seconds,
          .steal = stolen_seconds / capacity_seconds};
}

std::vector<std::string> Quietness::disturbances() const {
  std::vector<std::string> found;
  const auto judge = [&](const char* what, double value, double bound) {
    if (value > bound) {
      found.push_back(
          fmt::format("{} {:.3g} %, quiet up to {:.3g} %", what, 100.0 * value, 100.0 * bound));
    }
  };
  judge("repeats spread by", spread, max_quiet_spread);
  judge("the ceiling drifted by", ceiling_drift, max_quiet_drift);
  if (on_cpu) {
    judge("other processes used", foreign_load, max_quiet_foreign_load);
    judge("the hypervisor withheld", steal, max_quiet_steal);
  }
  return found;
}

LoadWatch::LoadWatch() : load_before_(load_of_last_minute()), start_(processor_times()) {}

Quietness LoadWatch::so_far(const Communicator& ranks) const {
  const ProcessorTimes now = processor_times();
  // Every rank sees its whole node, so a sum over ranks counts each node as often as it has ranks:
  // shares of the node are weighted with that, and the ranks' own time is summed per node.
  const double per_node = 1.0 / ranks.local_size();
  const auto of_nodes = [&](double so_far, double start) {
    return ranks.sum(per_node * (so_far - start));
  };
  const ProcessorTimes used{
      .capacity_seconds = of_nodes(now.capacity_seconds, start_.capacity_seconds),
      .busy_seconds = of_nodes(now.busy_seconds, start_.busy_seconds),
      .stolen_seconds = of_nodes(now.stolen_seconds, start_.stolen_seconds),
      .own_seconds = ranks.sum(now.own_seconds - start_.own_seconds)};
  Quietness load = used.load();
  load.load_before = ranks.max(load_before_);
  return load;
}

}  // namespace bankfull
