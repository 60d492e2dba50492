#include "bankfull/core/exec/cusparse.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/late_library.hpp"

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

struct CusparseFunctions {
  std::string absent_because;
  decltype(&cusparseCreate) create = nullptr;
  decltype(&cusparseDestroy) destroy = nullptr;
  decltype(&cusparseSetStream) set_stream = nullptr;
  decltype(&cusparseGetErrorString) error_string = nullptr;
  decltype(&cusparseCreateCsr) create_csr = nullptr;
  decltype(&cusparseDestroySpMat) destroy_matrix = nullptr;
  decltype(&cusparseSpMatSetAttribute) set_attribute = nullptr;
  decltype(&cusparseCreateDnVec) create_vector = nullptr;
  decltype(&cusparseDestroyDnVec) destroy_vector = nullptr;
  decltype(&cusparseDnVecSetValues) set_vector = nullptr;
  decltype(&cusparseSpMV_bufferSize) product_bytes = nullptr;
  decltype(&cusparseSpMV_preprocess) prepare_product = nullptr;
  decltype(&cusparseSpMV) multiply = nullptr;
  decltype(&cusparseSpSV_createDescr) create_solve = nullptr;
  decltype(&cusparseSpSV_destroyDescr) destroy_solve = nullptr;
  decltype(&cusparseSpSV_bufferSize) solve_bytes = nullptr;
  decltype(&cusparseSpSV_analysis) analyse = nullptr;
  decltype(&cusparseSpSV_solve) solve = nullptr;
};

/// Opens the version whose header this was compiled with.
CusparseFunctions open_cusparse() {
  LateLibrary library(fmt::format("libcusparse.so.{}", CUSPARSE_VER_MAJOR));
  CusparseFunctions cusparse;
  library.find(cusparse.create, "cusparseCreate");
  library.find(cusparse.destroy, "cusparseDestroy");
  library.find(cusparse.set_stream, "cusparseSetStream");
  library.find(cusparse.error_string, "cusparseGetErrorString");
  library.find(cusparse.create_csr, "cusparseCreateCsr");
  library.find(cusparse.destroy_matrix, "cusparseDestroySpMat");
  library.find(cusparse.set_attribute, "cusparseSpMatSetAttribute");
  library.find(cusparse.create_vector, "cusparseCreateDnVec");
  library.find(cusparse.destroy_vector, "cusparseDestroyDnVec");
  library.find(cusparse.set_vector, "cusparseDnVecSetValues");
  library.find(cusparse.product_bytes, "cusparseSpMV_bufferSize");
  library.find(cusparse.prepare_product, "cusparseSpMV_preprocess");
  library.find(cusparse.multiply, "cusparseSpMV");
  library.find(cusparse.create_solve, "cusparseSpSV_createDescr");
  library.find(cusparse.destroy_solve, "cusparseSpSV_destroyDescr");
  library.find(cusparse.solve_bytes, "cusparseSpSV_bufferSize");
  library.find(cusparse.analyse, "cusparseSpSV_analysis");
  library.find(cusparse.solve, "cusparseSpSV_solve");
  cusparse.absent_because = library.absent_because();
  return cusparse;
}

const CusparseFunctions& cusparse() {
  static const CusparseFunctions functions = open_cusparse();
  return functions;
}

void cusparse_check(cusparseStatus_t status, const char* while_doing) {
  if (status != CUSPARSE_STATUS_SUCCESS) {
    throw RuntimeFailure(std::string("cuSPARSE failed while ") + while_doing + ": " +
                         cusparse().error_string(status));
  }
}

detail::CusparseOwner<cusparseContext> new_handle(const Stream& stream) {
  if (!cusparse_absent_because().empty()) {
    throw RuntimeFailure("cuSPARSE cannot be used: " + cusparse_absent_because());
  }
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

const std::string& cusparse_absent_because() { return cusparse().absent_because; }

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
