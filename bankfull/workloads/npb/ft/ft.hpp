#pragma once

#include "bankfull/workloads/npb/benchmark.hpp"

#include <complex>
#include <cstdint>
#include <vector>

namespace bankfull::npb::ft {

using Complex = std::complex<double>;

/// Diffusivity of the equation that is solved.
inline constexpr double alpha = 1e-6;

/// Points whose values a checksum adds, and their steps along x, y and z.
inline constexpr std::int64_t checksum_points = 1024;
inline constexpr std::int64_t checksum_step_x = 1;
inline constexpr std::int64_t checksum_step_y = 3;
inline constexpr std::int64_t checksum_step_z = 5;

/// Frequency of index i among n: from -n/2 to n/2 - 1.
constexpr std::int64_t frequency(std::int64_t i, std::int64_t n) { return i < n / 2 ? i : i - n; }

/// exp(-4 alpha pi^2 k^2 t) for all frequencies k of an axis of n points. The factor of a point is
/// the product of those of its three axes. All are multiplied by `scale`.
std::vector<double> decay(std::int64_t n, int t, double scale = 1.0);

/// All checksums, from sums of their terms on all ranks: a rank has as many sums for each
/// iteration, in the order of its planes. They are added in the order of planes.
std::vector<Complex> checksums_of(const std::vector<std::vector<Complex>>& sums_of_ranks,
                                  int iterations, std::int64_t points);

/// Against the class's checksums, one check for all iterations: NPB's criterion is the worst.
std::vector<Check> checks_of(const std::vector<Complex>& checksums, Class size);

Facts facts_of(const Problem& problem);
WorkBytes work_bytes(const Problem& problem, int ranks);
std::string refusal_of_ranks(const Problem& problem, int ranks);

/// Serial, as RNR-94-007 has it.
std::unique_ptr<Benchmark> make_reference(Class size);
/// Collective.
std::unique_ptr<Benchmark> make_cpu(const Problem& problem, const Communicator& ranks);
std::int64_t cpu_memory_bytes(Class size, int threads, int ranks);

// Defined in ft_cuda.cu, which exists in builds with CUDA only.
std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& ranks);

}  // namespace bankfull::npb::ft
