#include "bankfull/workloads/convection/sample_memory.hpp"

#include <algorithm>
#include <iterator>

namespace bankfull::convection {
namespace {

constexpr std::int64_t word_bytes = sizeof(double);
constexpr auto batch_count = static_cast<std::int64_t>(BatchAverages::max_batches);

/// The number of values of all samples together, and of the largest one.
struct SampleSizes {
  std::int64_t all = 0;
  std::int64_t largest = 0;

  void add(std::int64_t values) {
    all += values;
    largest = std::max(largest, values);
  }
};

std::int64_t values_of_spectrum(const Problem& problem, const SpectrumRequest& request) {
  const std::int64_t powers = problem.axes[request.along].cells / 2 + 1;
  const std::int64_t planes = request.at.empty() ? problem.axes[request.across].cells : 1;
  const std::int64_t places = std::max<std::int64_t>(1, std::ssize(request.at));
  return places * (3 + std::ssize(problem.scalars)) * (powers + planes);
}

/// As a spectrum reads it.
std::int64_t values_of_largest_plane(const Problem& problem) {
  const auto least =
      std::min_element(problem.axes.begin(), problem.axes.end(),
                       [](const AxisCells& a, const AxisCells& b) { return a.cells < b.cells; });
  return problem.cells() / least->cells;
}

void add_profiles(const Problem& problem, const std::vector<StatisticsRequest>& requests,
                  SampleSizes& sizes, OutputNeeds& bytes) {
  const std::int64_t sums = sums_of_velocity + sums_of_scalar * std::ssize(problem.scalars);
  for (const StatisticsRequest& request : requests) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t planes = problem.axes[axis].cells;
      if (request.along[axis]) {
        sizes.add(sums * planes);
        const std::int64_t pieces = sums_of_velocity * std::max(max_partial_sums, planes);
        bytes.device = std::max(bytes.device, (sums * planes + pieces) * word_bytes);
      }
    }
  }
}

void add_probes(const std::vector<ProbeRequest>& requests, OutputNeeds& bytes) {
  constexpr std::int64_t around = 8;  // elements of a value
  for (const ProbeRequest& request : requests) {
    const std::int64_t values = std::ssize(request.points) * std::ssize(request.fields);
    bytes.host +=
        values * static_cast<std::int64_t>(sizeof(Neighbourhood) + around * sizeof(FieldElement) +
                                           around * word_bytes);
    bytes.device += values * around * static_cast<std::int64_t>(sizeof(std::int64_t) + word_bytes);
  }
}

}  // namespace

OutputNeeds sample_bytes(const Problem& problem, const Cadence& cadence) {
  OutputNeeds bytes;
  SampleSizes sizes;
  add_profiles(problem, cadence.statistics, sizes, bytes);
  for (const SpectrumRequest& request : cadence.spectra) {
    sizes.add(values_of_spectrum(problem, request));
  }
  if (!cadence.spectra.empty()) {
    // A plane beside the sums of its lines; on a GPU as it is gathered.
    bytes.host += 2 * values_of_largest_plane(problem) * word_bytes;
    bytes.device += values_of_largest_plane(problem) * word_bytes;
  }
  // Beside batches, one after the other: pieces that a sample is added up from, and what is found
  // with each batch left out, with the text of files and a report beside it.
  bytes.host += batch_count * (sizes.all + sizes.largest * 3 / 2) * word_bytes;
  add_probes(cadence.probes, bytes);
  if (!problem.device.is_cuda()) {
    bytes.device = 0;
  }
  return bytes;
}

}  // namespace bankfull::convection
