#include "bankfull/workloads/npb/ft/cuda/transforms.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/workloads/npb/ft/cuda/passes.cuh"

#include <string>
#include <utility>

namespace bankfull::npb::ft::cuda {
namespace {

template <int Value>
using Length = std::integral_constant<int, Value>;

/// Calls `body` with the one of `Lengths` that equals `length`, as a constant.
template <int... Lengths, class Body>
void with_one_of(int length, const Body& body) {
  const bool found = ((length == Lengths ? (body(Length<Lengths>{}), true) : false) || ...);
  if (!found) {
    throw UsageError("npb ft has no transforms of " + std::to_string(length) + " points for GPUs",
                     "choose a smaller class");
  }
}

/// Depths and sides of the classes S to D.
template <class Body>
void with_depth(int depth, const Body& body) {
  with_one_of<32, 64, 128, 512, 2048>(depth, body);
}
template <class Body>
void with_side(int side, const Body& body) {
  with_one_of<64, 128, 256, 512, 1024>(side, body);
}

double2* values(const Buffer<Complex>& buffer) { return reinterpret_cast<double2*>(buffer.data()); }

Buffer<Complex> complex_buffer(std::int64_t size) {
  return {MemorySpace::device, static_cast<std::size_t>(size)};
}

/// Launches a pass over all tiles of a field.
template <class Fft, class... Parameters, class... Arguments>
void launch_pass(const Stream& stream, const Shape& shape, void (*kernel)(Parameters...),
                 Arguments... arguments) {
  constexpr std::size_t shared_bytes = Fft::shared_points * sizeof(double2);
  allow_shared_bytes(kernel, shared_bytes);
  launch(stream,
         {dim3(static_cast<unsigned>(shape.points() / tile_points<Fft>)), dim3(Fft::threads),
          shared_bytes},
         kernel, arguments...);
}

/// So large a share of the tiles that a GPU works on at once.
template <class Fft>
unsigned tiles_ahead(double share, int multiprocessors) {
  return static_cast<unsigned>(share * multiprocessors * blocks_a_multiprocessor<Fft>);
}

}  // namespace

Transforms::Transforms(const Plan& plan, const Stream& stream)
    : plan_(plan),
      stream_(stream),
      lines_(complex_buffer(plan.shape.points())),
      planes_(complex_buffer(plan.shape.points())),
      roots_(complex_buffer(plan.table_size())),
      decay_(MemorySpace::device, static_cast<std::size_t>(plan.decay_factors())),
      terms_(complex_buffer(plan.terms())),
      checksums_(complex_buffer(plan.iterations)),
      multiprocessors_(multiprocessors_of(stream.device())) {}

void Transforms::queue_tables() const {
  const CudaExecutor executor(stream_);
  const int depth = plan_.shape.depth;
  const int side = plan_.shape.side;
  const int pitch = depth + side;
  executor.each(depth, FormRoots{values(roots_), depth});
  executor.each(side, FormRoots{values(roots_) + depth, side});
  executor.each(std::int64_t{plan_.iterations} * depth, FormDecay{decay_.data(), depth, pitch});
  executor.each(std::int64_t{plan_.iterations} * side,
                FormDecay{decay_.data() + depth, side, pitch});
}

void Transforms::queue_first_rows() const {
  with_side(plan_.shape.side, [&](auto side) {
    using Fft = RowFft<side()>;
    const auto numbers =
        static_cast<std::uint64_t>(2 * Fft::threads_a_column * plan_.shape.along_column.stride);
    launch_pass<Fft>(stream_, plan_.shape, draw_rows<side()>, plan_.shape,
                     values(roots_) + plan_.shape.depth, generator_jump(numbers), values(planes_));
  });
}

void Transforms::queue_first_columns() const {
  with_side(plan_.shape.side, [&](auto side) {
    launch_pass<ColumnFft<side()>>(stream_, plan_.shape, columns_to_lines<side()>, plan_.shape,
                                   values(roots_) + plan_.shape.depth, values(planes_),
                                   values(lines_));
  });
}

void Transforms::queue_first_lines() const {
  with_depth(plan_.shape.depth, [&](auto depth) {
    launch_pass<LineFft<depth()>>(stream_, plan_.shape, transform_lines<depth()>, values(roots_),
                                  values(lines_));
  });
}

void Transforms::queue_spectrum() const {
  queue_first_rows();
  queue_first_columns();
  queue_first_lines();
}

void Transforms::queue_lines(int t) const {
  with_depth(plan_.shape.depth, [&](auto depth) {
    const double* const factors = decay_.data() + (t - 1) * plan_.table_size();
    launch_pass<LineFft<depth()>>(
        stream_, plan_.shape, lines_to_planes<depth()>, plan_.shape, values(roots_),
        Decay{factors, factors + depth()},
        tiles_ahead<LineFft<depth()>>(plan_.lines_ahead, multiprocessors_), values(lines_),
        values(planes_));
  });
}

void Transforms::queue_columns() const {
  with_side(plan_.shape.side, [&](auto side) {
    launch_pass<ColumnFft<side()>>(
        stream_, plan_.shape, transform_columns<side()>, values(roots_) + plan_.shape.depth,
        tiles_ahead<ColumnFft<side()>>(plan_.columns_ahead, multiprocessors_), values(planes_));
  });
}

void Transforms::queue_rows(int t) const {
  with_side(plan_.shape.side, [&](auto side) {
    launch_pass<RowFft<side()>>(stream_, plan_.shape, sample_rows<side()>, plan_.shape,
                                Samples(plan_.shape), values(roots_) + plan_.shape.depth,
                                values(planes_), values(terms_) + (t - 1) * checksum_points);
  });
}

void Transforms::queue_iteration(int t) const {
  queue_lines(t);
  queue_columns();
  queue_rows(t);
}

void Transforms::queue_checksums(int iterations) const {
  launch(stream_,
         {dim3(static_cast<unsigned>(iterations)), dim3(static_cast<unsigned>(checksum_points))},
         add_terms, values(terms_), static_cast<double>(plan_.shape.points()), values(checksums_));
}

std::vector<Complex> Transforms::checksums(int iterations) const {
  return CudaExecutor(stream_).to_host(checksums_.data(), iterations);
}

}  // namespace bankfull::npb::ft::cuda
