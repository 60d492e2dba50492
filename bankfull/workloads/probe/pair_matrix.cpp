#include "bankfull/workloads/probe/pair_matrix.hpp"

#include "bankfull/core/measure/statistics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace bankfull::probe {
namespace {

double median_seconds(const PairSamples& samples) { return summarise(samples.seconds).median; }

std::string unit_of(const PairMatrix& matrix) { return matrix.bytes > 0.0 ? "B/s" : "ns"; }

Measurement slowest_pair(const PairMatrix& matrix, const Experiment& experiment) {
  std::vector<double> values;
  values.reserve(matrix.pairs.size());
  for (const PairSamples& samples : matrix.pairs) {
    values.push_back(matrix.value(samples));
  }
  const Statistics all = summarise(values);
  const auto slowest = std::ranges::max_element(matrix.pairs, {}, median_seconds);
  Measurement m = experiment.measurement(matrix.name + ", slowest pair", slowest->seconds,
                                         {.traffic = {.bytes_read = matrix.bytes},
                                          .model = matrix.model,
                                          .working_set_bytes = matrix.working_set_bytes,
                                          .is_bound_by_memory = false});
  // Not a parameter: another run of the same machine may find another pair.
  const std::string pair = fmt::format("{} {}, {} {}", matrix.first_name, slowest->first,
                                       matrix.second_name, slowest->second);
  m.parameters = {{"operation", matrix.name},
                  {"pairs", static_cast<std::int64_t>(matrix.pairs.size())}};
  m.figures = {{"least", all.min, unit_of(matrix)},
               {"median", all.median, unit_of(matrix)},
               {"largest", all.max, unit_of(matrix)},
               {"slowest", pair}};
  return m;
}

}  // namespace

double PairMatrix::value(const PairSamples& samples) const {
  const double seconds = median_seconds(samples);
  return bytes > 0.0 ? bytes / seconds : seconds * 1e9;
}

std::string matrix_row_name(const PairMatrix& matrix, int first) {
  return fmt::format("{}, {} {}", matrix.name, matrix.first_name, first);
}

void publish_matrix(const PairMatrix& matrix, const Experiment& experiment, RunResult& result) {
  if (matrix.pairs.empty()) {
    return;
  }
  std::map<int, Series> rows;
  for (const PairSamples& samples : matrix.pairs) {
    Series& row = rows[samples.first];
    row.name = matrix_row_name(matrix, samples.first);
    row.x_name = matrix.second_name;
    row.y_name = matrix.bytes > 0.0 ? "bandwidth" : "latency";
    row.y_unit = unit_of(matrix);
    row.points.emplace_back(samples.second, matrix.value(samples));
  }
  for (auto& [first, row] : rows) {
    row.parameters = {{"matrix", matrix.name}, {matrix.first_name, std::int64_t{first}}};
    result.series.push_back(std::move(row));
  }
  result.measurements.push_back(slowest_pair(matrix, experiment));
}

}  // namespace bankfull::probe
