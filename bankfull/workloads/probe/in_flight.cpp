#include "bankfull/workloads/probe/in_flight.hpp"

#include <algorithm>

namespace bankfull::probe {

std::vector<FlightShape> flight_shapes(int loads, int most_blocks) {
  constexpr int warp = 32;
  constexpr int block = 256;
  std::vector<FlightShape> shapes;
  for (int threads = warp; threads <= most_blocks * block; threads *= 2) {
    shapes.push_back({.loads = loads,
                      .blocks = std::max(1, threads / block),
                      .threads = std::min(threads, block)});
  }
  return shapes;
}

double x_at_part_of_largest(std::span<const std::pair<double, double>> points, double part) {
  double largest = 0.0;
  for (const auto& [x, y] : points) {
    largest = std::max(largest, y);
  }
  double least = 0.0;
  for (const auto& [x, y] : points) {
    if (y >= part * largest && (least == 0.0 || x < least)) {
      least = x;
    }
  }
  return least;
}

}  // namespace bankfull::probe
