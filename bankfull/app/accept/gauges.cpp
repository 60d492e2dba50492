#include "bankfull/app/accept/gauges.hpp"

#include <fmt/format.h>

namespace bankfull::accept {
namespace {

using Arguments = std::vector<std::string>;

Gauge on(const std::string& device, int threads, const std::string& name, Arguments arguments) {
  arguments.insert(arguments.end(), {"--device", device});
  if (device == "cpu") {
    arguments.insert(arguments.end(), {"--threads", fmt::format("{}", threads)});
  }
  return {.name = name, .arguments = std::move(arguments)};
}

}  // namespace

std::vector<Gauge> gauges_of(Device device, int threads) {
  const std::string where = to_string(device);
  const char* const npb_class = device.is_cuda() ? "C" : "A";
  return {on(where, threads, "memory",
             {"probe", "bandwidth", "--operation", "read,copy,triad", "--precision", "fp64",
              "--stores", device.is_cuda() ? "ordinary" : "streaming", "--quick"}),
          on(where, threads, "himeno",
             {"himeno", "--size", "L", "--schedule", "tuned", "--target-seconds", "1", "--ceiling",
              "none"}),
          on(where, threads, "cg", {"npb", "cg", "--class", npb_class, "--ceiling", "none"}),
          on(where, threads, "ep", {"npb", "ep", "--class", npb_class, "--ceiling", "none"})};
}

std::vector<Gauge> joint_gauges(Device device, int threads) {
  const std::string where = device.is_cuda() ? "cuda" : "cpu";
  return {on(where, threads, "link", {"probe", "link", "--quick"}),
          on(where, threads, "himeno",
             {"himeno", "--size", "L", "--schedule", "tuned", "--target-seconds", "1", "--ceiling",
              "none"})};
}

}  // namespace bankfull::accept
