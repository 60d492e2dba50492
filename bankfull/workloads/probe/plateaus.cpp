#include "bankfull/workloads/probe/plateaus.hpp"

#include "bankfull/core/base/format.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/measure/cache.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace bankfull::probe {
namespace {

constexpr double min_noise = 0.02;     // relative; no timing is better
constexpr double segment_price = 8.0;  // in squared deviations by the noise
constexpr double min_octaves = 0.6;    // of a plateau
constexpr std::size_t min_points = 3;  // of a plateau
constexpr double steepest = 0.08;      // change of a plateau per octave, beyond its noise
constexpr double same_level = 0.2;     // neighbours that differ less are one plateau

/// The curve on logarithmic axes: octaves of size, natural logarithm of the value.
struct Curve {
  std::vector<double> x;
  std::vector<double> y;
};

/// Points [begin, end).
struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] std::size_t points() const { return end - begin; }
};

Curve logarithms(const std::vector<std::pair<double, double>>& points) {
  Curve curve;
  for (const auto& [size, value] : points) {
    curve.x.push_back(std::log2(size));
    curve.y.push_back(std::log(value));
  }
  return curve;
}

double mean(const std::vector<double>& values, Segment segment) {
  double sum = 0.0;
  for (std::size_t n = segment.begin; n < segment.end; ++n) {
    sum += values[n];
  }
  return sum / static_cast<double>(segment.points());
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Standard deviation of one point from the curve, by second differences: they are blind to slopes,
/// and their median is blind to the few steps and outliers.
double noise_of(const Curve& curve) {
  std::vector<double> bends;
  for (std::size_t n = 1; n + 1 < curve.y.size(); ++n) {
    bends.push_back(std::abs(curve.y[n - 1] - 2.0 * curve.y[n] + curve.y[n + 1]));
  }
  if (bends.empty()) {
    return min_noise;
  }
  constexpr double median_to_deviation = 1.4826;
  return std::max(min_noise, median(bends) * median_to_deviation / std::sqrt(6.0));
}

/// Optimal partitioning (B. Jackson et al., "An algorithm for optimal partitioning of data on an
/// interval", 2005), in O(n^2).
std::vector<Segment> partition(const std::vector<double>& y, double noise) {
  const std::size_t count = y.size();
  std::vector<double> best(count + 1, std::numeric_limits<double>::max());
  std::vector<std::size_t> begin_of(count + 1, 0);
  best[0] = 0.0;
  for (std::size_t end = 1; end <= count; ++end) {
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t begin = end; begin-- > 0;) {
      sum += y[begin];
      squares += y[begin] * y[begin];
      const double deviations = squares - sum * sum / static_cast<double>(end - begin);
      const double cost = best[begin] + segment_price + deviations / (noise * noise);
      if (cost < best[end]) {
        best[end] = cost;
        begin_of[end] = begin;
      }
    }
  }
  std::vector<Segment> segments;
  for (std::size_t end = count; end > 0; end = begin_of[end]) {
    segments.push_back({begin_of[end], end});
  }
  std::reverse(segments.begin(), segments.end());
  return segments;
}

/// Whether the fitted slope is small, or too uncertain to tell from none.
bool is_level(const Curve& curve, Segment segment, double noise) {
  const double x_mean = mean(curve.x, segment);
  const double y_mean = mean(curve.y, segment);
  double xx = 0.0;
  double xy = 0.0;
  for (std::size_t n = segment.begin; n < segment.end; ++n) {
    xx += (curve.x[n] - x_mean) * (curve.x[n] - x_mean);
    xy += (curve.x[n] - x_mean) * (curve.y[n] - y_mean);
  }
  return std::abs(xy / xx) <= steepest + 2.0 * noise / std::sqrt(xx);
}

bool is_plateau(const Curve& curve, Segment segment, double noise) {
  return segment.points() >= min_points &&
         curve.x[segment.end - 1] - curve.x[segment.begin] >= min_octaves &&
         is_level(curve, segment, noise);
}

/// Joins neighbouring segments of one value, also across a few outliers between them.
std::vector<Segment> joined(const Curve& curve, const std::vector<Segment>& segments,
                            double noise) {
  std::vector<Segment> plateaus;
  for (const Segment& segment : segments) {
    if (!is_plateau(curve, segment, noise)) {
      continue;
    }
    const bool same = !plateaus.empty() && std::abs(mean(curve.y, plateaus.back()) -
                                                    mean(curve.y, segment)) < same_level;
    if (same && is_level(curve, {plateaus.back().begin, segment.end}, noise)) {
      plateaus.back().end = segment.end;
    } else {
      plateaus.push_back(segment);
    }
  }
  return plateaus;
}

}  // namespace

std::vector<Plateau> find_plateaus(const std::vector<std::pair<double, double>>& points) {
  const Curve curve = logarithms(points);
  const double noise = noise_of(curve);
  std::vector<Plateau> plateaus;
  for (const Segment& segment : joined(curve, partition(curve.y, noise), noise)) {
    const std::vector<double> values(curve.y.begin() + static_cast<std::ptrdiff_t>(segment.begin),
                                     curve.y.begin() + static_cast<std::ptrdiff_t>(segment.end));
    plateaus.push_back({.level = static_cast<int>(plateaus.size()) + 1,
                        .from = points[segment.begin].first,
                        .to = points[segment.end - 1].first,
                        .value = std::exp(median(values))});
  }
  return plateaus;
}

std::string level_name(const std::vector<CacheLevel>& caches, double to) {
  if (caches.empty()) {
    return "unknown level";
  }
  const auto name = [](const CacheLevel& cache) {
    return std::string("L").append(std::to_string(cache.level));
  };
  for (const CacheLevel& cache : caches) {
    if (1.5 * static_cast<double>(cache.bytes) >= to) {
      return name(cache);
    }
  }
  const CacheFit fit = cache_fit(to, caches.back().bytes);
  return fit == CacheFit::beyond ? "memory" : name(caches.back()) + " and memory";
}

void add_plateaus(
    const Series& series,
    const std::function<std::pair<std::string, std::string>(const Plateau&)>& described,
    Measurement& measurement) {
  std::vector<std::string> sentences;
  for (const Plateau& plateau : find_plateaus(series.points)) {
    const auto [name, value] = described(plateau);
    const std::string key = fmt::format("plateau_{}", plateau.level);
    measurement.figures.push_back({key, name});
    measurement.figures.push_back({key + "_from", plateau.from, "B"});
    measurement.figures.push_back({key + "_to", plateau.to, "B"});
    measurement.figures.push_back({key + "_" + series.y_name, plateau.value, series.y_unit});
    sentences.push_back(fmt::format("{} up to {} {}", name, format_bytes(plateau.to), value));
  }
  if (!sentences.empty()) {
    measurement.notes.push_back(
        fmt::format("{}: {}", measurement.name, fmt::join(sentences, ", ")));
  }
}

std::vector<CacheLevel> caches_of_one_thread(Device device) {
  if (!device.is_cuda()) {
    return survey_cpu().data_caches;
  }
  const GpuInfo& gpu = survey_gpus().gpus.at(static_cast<std::size_t>(device.index));
  return {{.level = 1, .bytes = gpu.shared_bytes, .count = gpu.multiprocessors},
          {.level = 2, .bytes = gpu.l2_bytes}};
}

std::vector<CacheLevel> caches_of_all(Device device, int threads) {
  std::vector<CacheLevel> caches = caches_of_one_thread(device);
  for (CacheLevel& cache : caches) {
    cache.bytes *= device.is_cuda() ? cache.count : std::min(cache.count, threads);
  }
  return caches;
}

}  // namespace bankfull::probe
