#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/npb/classes.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::npb::cg {

/// Sparse vectors x_0, x_1, ... of random elements: vector i has the elements [starts[i],
/// starts[i + 1]) and one half at i.
struct SparseVectors {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> indices;
  std::vector<double> values;
};

/// The elements of a class's vectors in some rows or columns, as NPB's order prescribes them.
///
/// Which numbers belong to a vector depends on how many were rejected before. Most are rejected
/// because their index is too large, which a thread sees by itself, from any place of the sequence
/// on. The rest repeat an index of the same vector: these are so few, about `vector_nonzeros`
/// squared in all, that one thread goes through those that may do so.
SparseVectors draw_elements(Class size, const Range& rows, const Range& columns, const Team& team);

/// All of them, drawn one by one as NPB's program does. For the reference and for tests.
SparseVectors draw_vectors(Class size);

}  // namespace bankfull::npb::cg
