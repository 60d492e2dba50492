#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/npb/benchmark.hpp"
#include "bankfull/workloads/npb/cg/blocks.hpp"
#include "bankfull/workloads/npb/cg/sparse_vectors.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::npb::cg {

inline constexpr int steps_per_iteration = 25;

/// Condition number of the random part: its weights fall from 1 to this.
inline constexpr double reciprocal_condition = 0.1;

/// Element i of each sparse vector x_i.
inline constexpr double own_element = 0.5;

/// Weight of x_i x_i' in the matrix.
double vector_weight(Class size, std::int64_t i);

/// The number that is added to the diagonal.
double diagonal_shift(Class size);

/// A matrix or a block of one in compressed rows, columns ascending.
struct Matrix {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> columns;
  std::vector<double> values;

  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(starts.size()) - 1; }
  [[nodiscard]] std::int64_t nonzeros() const { return starts.back(); }
};

/// What the entries of A = sum of weight_i x_i x_i' + (rcond - shift) I in a block are assembled
/// from, beside the diagonal.
class OuterProducts {
 public:
  /// Entries are multiplied by `scale`.
  OuterProducts(Class size, const Block& block, const Team& team, double scale);

  /// The entries of a part of the block, by the thread that calls; rows and columns counted from
  /// where the part begins.
  [[nodiscard]] Matrix assemble(const Block& part) const;

 private:
  [[nodiscard]] std::size_t room_for_entries(const Block& part) const;

  Class size_;
  Range rows_;
  double scale_;
  SparseVectors vectors_;
  SparseVectors members_;  ///< of each row, times their vectors' weights
};

/// The entries of a whole block, rows and columns counted from where it begins.
Matrix assemble(Class size, const Block& block, const Team& team, double scale = 1.0);

/// The diagonal of A in some rows, times `scale`, each thread of the team writing its share.
void form_diagonal(Class size, const Range& rows, const Team& team, double scale, double* diagonal);

std::vector<double> diagonal_of(Class size, const Range& rows, double scale = 1.0);

std::vector<Check> checks_of(double zeta, Class size);

/// The description of the order of operations in results.
Figure order_parameter(CgOrder order);

Facts facts_of(const Problem& problem);
WorkBytes work_bytes(const Problem& problem, int ranks);
std::string refusal_of_ranks(const Problem& problem, int ranks);

/// Serial, as RNR-94-007 has it.
std::unique_ptr<Benchmark> make_reference(Class size);
std::int64_t reference_memory_bytes(Class size);

std::unique_ptr<Benchmark> make_cpu(const Problem& problem, const Communicator& ranks);

// Defined in cg_cuda.cu, which exists in builds with CUDA only.
std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& ranks);
std::int64_t cuda_memory_bytes(const Problem& problem, int ranks);

}  // namespace bankfull::npb::cg
