#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

// cuSPARSE's handles, declared so that headers need no toolkit.
struct cusparseContext;
struct cusparseSpMatDescr;
struct cusparseDnVecDescr;
struct cusparseSpSVDescr;

namespace bankfull {

// Everything here exists in builds with build::cusparse only.

/// Why cuSPARSE, NVIDIA's library of sparse matrices, cannot be used; empty if it can. It is opened
/// at run time, so that programs that do not use it run without it.
const std::string& cusparse_unavailable_reason();

namespace detail {

struct ReleaseCusparse {
  void operator()(cusparseContext* handle) const noexcept;
  void operator()(cusparseSpMatDescr* matrix) const noexcept;
  void operator()(cusparseDnVecDescr* vector) const noexcept;
  void operator()(cusparseSpSVDescr* solve) const noexcept;
};

template <class T>
using CusparseOwner = std::unique_ptr<T, ReleaseCusparse>;

}  // namespace detail

/// A matrix in GPU memory, stored by rows, with 32-bit indices from 0.
struct CusparseMatrix {
  std::int64_t rows = 0;           ///< elements of the product with a vector
  std::int64_t columns = 0;        ///< elements of the vector
  std::int64_t entries = 0;        ///< stored, in all rows together
  std::int32_t* start = nullptr;   ///< rows + 1 of them
  std::int32_t* column = nullptr;  ///< of each entry, not owned
  double* value = nullptr;         ///< of each entry, not owned
};

/// The library, at work on one stream.
class Cusparse {
 public:
  /// Throws RuntimeFailure where the library is missing or does not start. `stream` must outlive
  /// everything that is made with this.
  explicit Cusparse(const Stream& stream);

  /// For cuSPARSE's own functions; owned by this.
  [[nodiscard]] cusparseContext* handle() const { return handle_.get(); }
  /// Where all work is queued; not owned.
  [[nodiscard]] const Stream& stream() const { return *stream_; }

 private:
  const Stream* stream_;
  detail::CusparseOwner<cusparseContext> handle_;
};

/// Products of one matrix with vectors, prepared once. Sums have the same bits every time.
class SparseProduct {
 public:
  /// Library, matrix and its arrays must outlive this; values may change. `x` and `y` are examples
  /// of the vectors, of as many elements as the matrix has columns and rows.
  SparseProduct(const Cusparse& library, const CusparseMatrix& matrix, double* x, double* y);

  /// Queues y = alpha A x + beta y.
  void queue(double alpha, double* x, double beta, double* y) const;

  /// Bytes of GPU memory that the library works in.
  [[nodiscard]] std::size_t bytes() const { return scratch_.bytes(); }

 private:
  const Cusparse* library_;
  detail::CusparseOwner<cusparseSpMatDescr> matrix_;
  detail::CusparseOwner<cusparseDnVecDescr> x_;
  detail::CusparseOwner<cusparseDnVecDescr> y_;
  Buffer<std::byte> scratch_;
};

/// Whether the entries below or above the diagonal count; others are ignored.
enum class Triangle { lower, upper };

/// Solves T x = b, where T is one triangle of a square matrix with its diagonal. Columns must
/// ascend in every row.
class TriangularSolve {
 public:
  /// Analyses the matrix. Library, the matrix's arrays and the vectors, of which `b` is only read,
  /// must outlive this.
  TriangularSolve(const Cusparse& library, const CusparseMatrix& matrix, Triangle triangle,
                  double* b, double* x);

  /// Analyses the matrix again: its values have changed. Waits for the stream.
  void analyse();

  /// Queues one solution.
  void queue() const;

  /// Bytes of GPU memory that the library works in.
  [[nodiscard]] std::size_t bytes() const { return scratch_.bytes(); }

 private:
  const Cusparse* library_;
  detail::CusparseOwner<cusparseSpMatDescr> matrix_;
  detail::CusparseOwner<cusparseDnVecDescr> b_;
  detail::CusparseOwner<cusparseDnVecDescr> x_;
  Buffer<std::byte> scratch_;  // outlives the analysis, which keeps results in it
  detail::CusparseOwner<cusparseSpSVDescr> analysis_;
};

}  // namespace bankfull
