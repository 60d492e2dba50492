#pragma once

#include "bankfull/numerics/sparse/csr.hpp"

#include <cstdint>

namespace bankfull {

class CpuExecutor;
class CudaExecutor;

/// A row's colour; no_colour where it has none yet.
using Colour = std::uint8_t;
/// Of a row that is not coloured yet.
inline constexpr Colour no_colour = 0xff;

/// Colours the rows so that no two of a colour are connected by an entry between own rows: each row
/// in turn takes the smallest colour that no connected row before it has. The matrix's pattern is
/// symmetric. Returns the number of colours; throws RuntimeFailure where more than 254 are needed.
///
/// Both devices find the same colours: rows wait for the rows before them.
int colour_greedily(const CpuExecutor& executor, const CsrView& matrix, Colour* colours);
/// The same on a GPU.
int colour_greedily(const CudaExecutor& executor, const CsrView& matrix, Colour* colours);

/// Colours by hashes: in every round, rows whose hash is larger, or smaller, than those of all
/// uncoloured connected rows take one of two new colours; where more than `target` colours result,
/// every row of each colour, from the last to the first, takes the smallest free one
/// (E. Phillips and M. Fatica, "A CUDA implementation of the High Performance Conjugate Gradient
/// benchmark", PMBS 2014, section 4.2, after J. Cohen and P. Castonguay).
int colour_by_hash(const CudaExecutor& executor, const CsrView& matrix, int target,
                   Colour* colours);

}  // namespace bankfull
