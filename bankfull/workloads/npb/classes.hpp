#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Problem classes and verification values of NASA's NPB 3.4
// (https://www.nas.nasa.gov/software/npb.html), where a comment names no other source.

namespace bankfull::npb {

enum class Kernel { cg, ep, ft, is, mg };
enum class Class { s, w, a, b, c, d, e };

inline constexpr std::array all_kernels{Kernel::cg, Kernel::ep, Kernel::ft, Kernel::is, Kernel::mg};
inline constexpr std::array all_classes{Class::s, Class::w, Class::a, Class::b,
                                        Class::c, Class::d, Class::e};

std::string to_string(Kernel kernel);
std::string to_string(Class size);

/// "cg" to "mg", or "all" for all of them. Throws UsageError for anything else.
std::vector<Kernel> parse_kernels(const std::string& text);

/// "S" to "E", upper case. Throws UsageError for anything else.
Class parse_class(const std::string& text);

/// Smallest eigenvalue of a sparse matrix by inverse iteration.
struct CgParameters {
  std::int64_t rows;
  int vector_nonzeros;  ///< of each of the sparse vectors whose outer products make the matrix
  int iterations;
  double shift;
  double zeta;            ///< the eigenvalue's estimate after the last iteration
  std::int64_t nonzeros;  ///< of the matrix; of class E by a formula that is a little too large
};
const CgParameters& cg_parameters(Class size);

/// Gaussian deviates by acceptance and rejection.
struct EpParameters {
  int log2_pairs;
  // NPB to 3.4.1 verifies the sums of the deviates, NPB from 3.4.2 those of their absolute values
  // and the number of pairs. Both sets of values describe the same deviates.
  std::array<double, 2> sums;
  std::array<double, 2> absolute_sums;
  std::int64_t accepted;
};
const EpParameters& ep_parameters(Class size);

/// A diffusion equation by 3-D Fourier transforms.
struct FtParameters {
  std::int64_t nx;
  std::int64_t ny;
  std::int64_t nz;
  int iterations;

  [[nodiscard]] constexpr std::int64_t points() const { return nx * ny * nz; }
};
const FtParameters& ft_parameters(Class size);

/// One checksum per iteration.
std::span<const std::complex<double>> ft_checksums(Class size);

inline constexpr int is_iterations = 10;
inline constexpr int is_tests = 5;  ///< keys whose rank each iteration checks

/// Ranks of random integers.
struct IsParameters {
  int log2_keys;
  int log2_values;  ///< keys lie below 2 to this
  std::array<std::int64_t, is_tests> positions;
  std::array<std::int64_t, is_tests> ranks;  ///< base values of `expected_rank`
};
const IsParameters& is_parameters(Class size);

/// The rank that test `test` of iteration `iteration`, from 1, must find.
std::int64_t expected_rank(Class size, int test, int iteration);

/// Multigrid V-cycles for a Poisson equation.
struct MgParameters {
  std::int64_t side;
  int iterations;
  double residual_norm;  ///< root mean square after the last iteration
};
const MgParameters& mg_parameters(Class size);

}  // namespace bankfull::npb
