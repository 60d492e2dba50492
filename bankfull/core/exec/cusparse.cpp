#include "bankfull/core/exec/cusparse.hpp"

#include "bankfull/core/base/dynamic_library.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <cusparse.h>
#include <fmt/format.h>

namespace bankfull {
namespace {

constexpr cusparseOperation_t as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr cudaDataType number = CUDA_R_64F;
constexpr cusparseSpSVAlg_t solve_algorithm = CUSPARSE_SPSV_ALG_DEFAULT;
/// The one whose results do not differ between runs.
constexpr cusparseSpMVAlg_t product_algorithm = CUSPARSE_SPMV_CSR_ALG2;

/// The functions of the version whose header this was compiled with.
struct CusparseFunctions : DynamicLibrary {
  CusparseFunctions() : DynamicLibrary(fmt::format("libcusparse.so.{}", CUSPARSE_VER_MAJOR)) {}

  DynamicFunction<decltype(cusparseCreate)> create{*this, "cusparseCreate"};
  DynamicFunction<decltype(cusparseDestroy)> destroy{*this, "cusparseDestroy"};
  DynamicFunction<decltype(cusparseSetStream)> set_stream{*this, "cusparseSetStream"};
  DynamicFunction<decltype(cusparseGetErrorString)> error_string{*this, "cusparseGetErrorString"};
  DynamicFunction<decltype(cusparseCreateCsr)> create_csr{*this, "cusparseCreateCsr"};
  DynamicFunction<decltype(cusparseDestroySpMat)> destroy_matrix{*this, "cusparseDestroySpMat"};
  DynamicFunction<decltype(cusparseSpMatSetAttribute)> set_attribute{*this,
                                                                     "cusparseSpMatSetAttribute"};
  DynamicFunction<decltype(cusparseCreateDnVec)> create_vector{*this, "cusparseCreateDnVec"};
  DynamicFunction<decltype(cusparseDestroyDnVec)> destroy_vector{*this, "cusparseDestroyDnVec"};
  DynamicFunction<decltype(cusparseDnVecSetValues)> set_vector{*this, "cusparseDnVecSetValues"};
  DynamicFunction<decltype(cusparseSpMV_bufferSize)> product_bytes{*this,
                                                                   "cusparseSpMV_bufferSize"};
  DynamicFunction<decltype(cusparseSpMV_preprocess)> prepare_product{*this,
                                                                     "cusparseSpMV_preprocess"};
  DynamicFunction<decltype(cusparseSpMV)> multiply{*this, "cusparseSpMV"};
  DynamicFunction<decltype(cusparseSpSV_createDescr)> create_solve{*this,
                                                                   "cusparseSpSV_createDescr"};
  DynamicFunction<decltype(cusparseSpSV_destroyDescr)> destroy_solve{*this,
                                                                     "cusparseSpSV_destroyDescr"};
  DynamicFunction<decltype(cusparseSpSV_bufferSize)> solve_bytes{*this, "cusparseSpSV_bufferSize"};
  DynamicFunction<decltype(cusparseSpSV_analysis)> analyse{*this, "cusparseSpSV_analysis"};
  DynamicFunction<decltype(cusparseSpSV_solve)> solve{*this, "cusparseSpSV_solve"};
};

const CusparseFunctions& cusparse() {
  static const CusparseFunctions functions;
  return functions;
}

void cusparse_check(cusparseStatus_t status, const char* while_doing) {
  if (status != CUSPARSE_STATUS_SUCCESS) {
    throw RuntimeFailure(std::string("cuSPARSE failed while ") + while_doing + ": " +
                         cusparse().error_string(status));
  }
}

detail::CusparseOwner<cusparseContext> new_handle(const Stream& stream) {
  cusparse().require("cuSPARSE");
  select(stream.device());
  cusparseContext* handle = nullptr;
  cusparse_check(cusparse().create(&handle), "starting");
  detail::CusparseOwner<cusparseContext> owner(handle);
  cusparse_check(cusparse().set_stream(handle, stream.handle()), "taking a stream");
  return owner;
}

detail::CusparseOwner<cusparseSpMatDescr> describe(const CusparseMatrix& matrix) {
  cusparseSpMatDescr* descriptor = nullptr;
  cusparse_check(
      cusparse().create_csr(&descriptor, matrix.rows, matrix.columns, matrix.entries, matrix.start,
                            matrix.column, matrix.value, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, number),
      "describing a matrix");
  return detail::CusparseOwner<cusparseSpMatDescr>(descriptor);
}

detail::CusparseOwner<cusparseSpMatDescr> describe(const CusparseMatrix& matrix,
                                                   Triangle triangle) {
  auto descriptor = describe(matrix);
  cusparseFillMode_t fill =
      triangle == Triangle::lower ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparse_check(
      cusparse().set_attribute(descriptor.get(), CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill)),
      "choosing a triangle");
  cusparse_check(cusparse().set_attribute(descriptor.get(), CUSPARSE_SPMAT_DIAG_TYPE, &diagonal,
                                          sizeof(diagonal)),
                 "choosing a diagonal");
  return descriptor;
}

detail::CusparseOwner<cusparseDnVecDescr> describe(double* vector, std::int64_t size) {
  cusparseDnVecDescr* descriptor = nullptr;
  cusparse_check(cusparse().create_vector(&descriptor, size, vector, number),
                 "describing a vector");
  return detail::CusparseOwner<cusparseDnVecDescr>(descriptor);
}

/// Never empty: the library may refuse no memory at all.
Buffer<std::byte> scratch_of(std::size_t bytes) {
  return Buffer<std::byte>(MemorySpace::device, std::max<std::size_t>(bytes, 1));
}

}  // namespace

const std::string& cusparse_unavailable_reason() { return cusparse().unavailable_reason(); }

void detail::ReleaseCusparse::operator()(cusparseContext* handle) const noexcept {
  static_cast<void>(cusparse().destroy(handle));
}

void detail::ReleaseCusparse::operator()(cusparseSpMatDescr* matrix) const noexcept {
  static_cast<void>(cusparse().destroy_matrix(matrix));
}

void detail::ReleaseCusparse::operator()(cusparseDnVecDescr* vector) const noexcept {
  static_cast<void>(cusparse().destroy_vector(vector));
}

void detail::ReleaseCusparse::operator()(cusparseSpSVDescr* solve) const noexcept {
  static_cast<void>(cusparse().destroy_solve(solve));
}

Cusparse::Cusparse(const Stream& stream) : stream_(&stream), handle_(new_handle(stream)) {}

SparseProduct::SparseProduct(const Cusparse& library, const CusparseMatrix& matrix, double* x,
                             double* y)
    : library_(&library),
      matrix_(describe(matrix)),
      x_(describe(x, matrix.columns)),
      y_(describe(y, matrix.rows)) {
  const double one = 1.0;
  std::size_t bytes = 0;
  cusparse_check(
      cusparse().product_bytes(library_->handle(), as_it_is, &one, matrix_.get(), x_.get(), &one,
                               y_.get(), number, product_algorithm, &bytes),
      "planning a product");
  scratch_ = scratch_of(bytes);
  cusparse_check(
      cusparse().prepare_product(library_->handle(), as_it_is, &one, matrix_.get(), x_.get(), &one,
                                 y_.get(), number, product_algorithm, scratch_.data()),
      "preparing a product");
}

void SparseProduct::queue(double alpha, double* x, double beta, double* y) const {
  cusparse_check(cusparse().set_vector(x_.get(), x), "taking a vector");
  cusparse_check(cusparse().set_vector(y_.get(), y), "taking a vector");
  cusparse_check(cusparse().multiply(library_->handle(), as_it_is, &alpha, matrix_.get(), x_.get(),
                                     &beta, y_.get(), number, product_algorithm, scratch_.data()),
                 "queueing a product");
}

TriangularSolve::TriangularSolve(const Cusparse& library, const CusparseMatrix& matrix,
                                 Triangle triangle, double* b, double* x)
    : library_(&library),
      matrix_(describe(matrix, triangle)),
      b_(describe(b, matrix.rows)),
      x_(describe(x, matrix.rows)) {
  analyse();
}

void TriangularSolve::analyse() {
  // What is queued still needs the previous analysis.
  library_->stream().synchronize();
  const double one = 1.0;
  cusparseSpSVDescr* descriptor = nullptr;
  cusparse_check(cusparse().create_solve(&descriptor), "describing a triangular solve");
  analysis_.reset(descriptor);
  std::size_t bytes = 0;
  cusparse_check(cusparse().solve_bytes(library_->handle(), as_it_is, &one, matrix_.get(), b_.get(),
                                        x_.get(), number, solve_algorithm, descriptor, &bytes),
                 "planning a triangular solve");
  scratch_ = scratch_of(bytes);
  cusparse_check(cusparse().analyse(library_->handle(), as_it_is, &one, matrix_.get(), b_.get(),
                                    x_.get(), number, solve_algorithm, descriptor, scratch_.data()),
                 "analysing a triangle");
}

void TriangularSolve::queue() const {
  const double one = 1.0;
  cusparse_check(cusparse().solve(library_->handle(), as_it_is, &one, matrix_.get(), b_.get(),
                                  x_.get(), number, solve_algorithm, analysis_.get()),
                 "queueing a triangular solve");
}

}  // namespace bankfull
