#pragma once

#include "bankfull/core/measure/experiment.hpp"

#include <string>
#include <vector>

namespace bankfull::probe {

/// The samples of one ordered pair of places: GPUs, NUMA nodes, cores.
struct PairSamples {
  int first = 0;
  int second = 0;
  std::vector<double> seconds;
};

/// One quantity of all pairs.
struct PairMatrix {
  std::string name;         ///< "peer copy, one way"
  std::string first_name;   ///< what the first place is: "from_gpu"
  std::string second_name;  ///< likewise: "to_gpu"
  double bytes = 0.0;       ///< that a sample moves; 0: samples are latencies
  std::string model;        ///< what is counted, in words
  double working_set_bytes = 0.0;
  std::vector<PairSamples> pairs = {};

  /// Of the median sample: B/s, or ns for latencies.
  [[nodiscard]] double value(const PairSamples& samples) const;
};

/// The name of a row's series. Its parameter "matrix" is the name of the matrix.
std::string matrix_row_name(const PairMatrix& matrix, int first);

/// Appends a series for each first place over the second one, and a measurement of the slowest
/// pair, for which others have to wait, with the least, the median and the largest of all pairs.
/// Nothing where there are no pairs.
void publish_matrix(const PairMatrix& matrix, const Experiment& experiment, RunResult& result);

}  // namespace bankfull::probe
