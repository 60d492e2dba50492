#include "bankfull/workloads/npb/ft/cuda/transforms.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/workloads/npb/ft/cuda/passes.cuh"

#include <algorithm>
#include <bit>
#include <string>

namespace bankfull::npb::ft::cuda {
namespace {

/// Calls `body` with the one of `Ffts` that transforms `together` sequences of `length` points side
/// by side, as the type of a null pointer.
template <class... Ffts, class Body>
void with_one_of(int length, int together, const Body& body) {
  const auto try_one = [&]<class Fft>(const Fft* fft) {
    const bool found = Fft::length == length && Fft::columns == together;
    if (found) {
      body(fft);
    }
    return found;
  };
  if (!(try_one(static_cast<const Ffts*>(nullptr)) || ...)) {
    throw UsageError("npb ft has no transforms of " + std::to_string(length) + " points for GPUs",
                     "choose another class");
  }
}

// Depths and sides of all classes.

template <class Body>
void with_lines(const Shape& shape, const Body& body) {
  with_one_of<LineFft<32>, LineFft<64>, LineFft<128>, LineFft<512>, LineFft<2048>,
              LargeLineFft<2048>, LineFft<4096>>(shape.depth, shape.lines_of_tile(), body);
}
template <class Body>
void with_columns(const Shape& shape, const Body& body) {
  with_one_of<ColumnFft<64>, ColumnFft<128>, ColumnFft<256>, ColumnFft<512>, ColumnFft<1024>,
              LargeColumnFft<1024>, ColumnFft<2048>>(shape.side, shape.columns_of_tile(), body);
}
template <class Body>
void with_rows(const Shape& shape, const Body& body) {
  with_one_of<RowFft<64>, RowFft<128>, RowFft<256>, RowFft<512>, RowFft<1024>, RowFft<2048>>(
      shape.side, rows_together(shape.side), body);
}

double2* values(const Buffer<Complex>& buffer) { return reinterpret_cast<double2*>(buffer.data()); }

Buffer<Complex> complex_buffer(std::int64_t size) {
  return {MemorySpace::device, static_cast<std::size_t>(size)};
}

template <class Fft, class... Parameters, class... Arguments>
void launch_blocks(const LaunchSite& site, unsigned blocks, void (*kernel)(Parameters...),
                   Arguments... arguments) {
  constexpr std::size_t shared_bytes = Fft::shared_points * sizeof(double2);
  allow_shared_bytes(kernel, shared_bytes);
  launch(site, {dim3(blocks), dim3(Fft::threads), shared_bytes}, kernel, arguments...);
}

template <class Fft>
unsigned tiles_of(const Shape& shape) {
  return static_cast<unsigned>(shape.points() / tile_points<Fft>);
}

/// This share of the tiles that a GPU processes at once.
template <class Fft>
unsigned tiles_ahead(double share, int multiprocessors) {
  return static_cast<unsigned>(share * multiprocessors * blocks_per_multiprocessor<Fft>);
}

WholeField whole(const Buffer<Complex>& buffer) { return {values(buffer)}; }

FieldPieces pieces(Complex* const* of_rank, const Shape& piece) {
  const auto log2 = [](std::int64_t power) {
    return std::countr_zero(static_cast<std::uint64_t>(power));
  };
  return {.of_rank = of_rank,
          .log2_planes = log2(piece.depth),
          .log2_columns = log2(piece.columns),
          .log2_points = log2(piece.points())};
}

}  // namespace

Tiles tiles_for(Device gpu, int ranks) {
  if (ranks > 1) {
    return Tiles::small;
  }
  using Fft = LargeLineFft<2048>;  // of the most shared memory
  const auto kernel = lines_to_planes<Fft>;
  const bool prefetches = compiled_capability_of(kernel) >= bulk_copy_capability;
  const bool fit = max_shared_bytes(gpu, kernel) >= Fft::shared_points * sizeof(double2);
  return prefetches && fit ? Tiles::large : Tiles::small;
}

Transforms::Transforms(const Plan& plan, const Stream& stream, const Communicator& ranks,
                       Transport transport)
    : plan_(plan),
      stream_(stream),
      lines_(complex_buffer(plan.own_lines().points())),
      roots_(complex_buffer(plan.table_size())),
      decay_(MemorySpace::device, static_cast<std::size_t>(plan.decay_factors())),
      terms_(complex_buffer(plan.terms())),
      sums_(complex_buffer(plan.sums())),
      beside_(stream.device(), StreamPriority::high),
      multiprocessors_(multiprocessors_of(stream.device())) {
  expects(ranks.rank() == plan.rank && ranks.size() == plan.ranks, "the plan of this rank");
  if (plan.ranks == 1) {
    planes_ = complex_buffer(plan.shape.points());
  } else {
    exchange_.emplace(ranks, transport, plan.piece().points(), stream);
  }
}

void Transforms::queue_tables() const {
  const CudaExecutor executor(stream_);
  const int depth = plan_.shape.depth;
  const int side = plan_.shape.side;
  const int pitch = depth + side;
  executor.each(depth, FormRoots{values(roots_), depth});
  executor.each(side, FormRoots{values(roots_) + depth, side});
  executor.each(std::int64_t{plan_.iterations} * depth,
                FormDecay{decay_.data(), depth, pitch, plan_.decay_scale});
  executor.each(std::int64_t{plan_.iterations} * side,
                FormDecay{decay_.data() + depth, side, pitch, 1.0});
}

/// On several ranks the random planes are generated in the spectrum's memory.
void Transforms::queue_first_rows() const {
  const Shape shape = plan_.own_planes();
  const auto before =
      2 * static_cast<std::uint64_t>(plan_.shape.in_order(plan_.first_plane(), 0, 0));
  const std::uint64_t seed = multiply_modulo(common_seed, generator_jump(before));
  with_rows(shape, [&]<class Fft>(const Fft*) {
    const auto numbers =
        static_cast<std::uint64_t>(2 * Fft::threads_per_column * shape.along_column.stride);
    launch_blocks<Fft>(stream_, tiles_of<Fft>(shape), draw_rows<Fft>, shape,
                       values(roots_) + plan_.shape.depth, seed, generator_jump(numbers),
                       values(exchange_ ? lines_ : planes_));
  });
}

void Transforms::queue_first_columns() const {
  const Shape shape = plan_.own_planes();
  with_columns(shape, [&]<class Fft>(const Fft*) {
    const double2* const roots = values(roots_) + plan_.shape.depth;
    const unsigned tiles = tiles_of<Fft>(shape);
    if (exchange_) {
      const FieldPieces lines = pieces(exchange_->outgoing(), plan_.piece());
      launch_blocks<Fft>(stream_, tiles, columns_to_lines<Fft, FieldPieces>, shape, roots,
                         values(lines_), lines);
    } else {
      launch_blocks<Fft>(stream_, tiles, columns_to_lines<Fft, WholeField>, shape, roots,
                         values(planes_), whole(lines_));
    }
  });
}

void Transforms::queue_first_lines() const {
  const Shape shape = plan_.own_lines();
  with_lines(shape, [&]<class Fft>(const Fft*) {
    const unsigned tiles = tiles_of<Fft>(shape);
    if (exchange_) {
      launch_blocks<Fft>(stream_, tiles, gather_lines<Fft>, values(roots_),
                         pieces(exchange_->incoming(), plan_.piece()), values(lines_));
    } else {
      launch_blocks<Fft>(stream_, tiles, transform_lines<Fft>, values(roots_), values(lines_));
    }
  });
}

void Transforms::queue_spectrum() const {
  queue_first_rows();
  queue_first_columns();
  queue_exchange();
  queue_first_lines();
}

void Transforms::queue_lines(int t) const {
  with_lines(plan_.shape, [&]<class Fft>(const Fft*) {
    queue_lines(t, stream_, blocks_per_multiprocessor<Fft>);
  });
}

/// On one rank a block has one tile and there are as many blocks as tiles.
void Transforms::queue_lines(int t, const Stream& stream, double blocks) const {
  const Shape shape = plan_.own_lines();
  const double* const factors = decay_.data() + (t - 1) * plan_.table_size();
  const double* const of_side = factors + shape.depth;
  const Decay decay{factors, of_side, of_side + plan_.first_column()};
  with_lines(shape, [&]<class Fft>(const Fft*) {
    const unsigned tiles = tiles_of<Fft>(shape);
    if (exchange_) {
      const auto most = static_cast<unsigned>(blocks * multiprocessors_);
      launch_blocks<Fft>(stream, std::min(tiles, most), scatter_lines<Fft>, plan_.piece(),
                         values(roots_), decay, tiles, whole(lines_),
                         pieces(exchange_->outgoing(), plan_.piece()));
    } else {
      launch_blocks<Fft>(stream, tiles, lines_to_planes<Fft>, shape, values(roots_), decay,
                         tiles_ahead<Fft>(plan_.lines_ahead, multiprocessors_), whole(lines_),
                         whole(planes_));
    }
  });
}

void Transforms::queue_columns() const {
  const Shape shape = plan_.own_planes();
  with_columns(shape, [&]<class Fft>(const Fft*) {
    const double2* const roots = values(roots_) + plan_.shape.depth;
    const unsigned tiles = tiles_of<Fft>(shape);
    const unsigned ahead = tiles_ahead<Fft>(plan_.columns_ahead, multiprocessors_);
    if (exchange_) {
      launch_blocks<Fft>(stream_, tiles, transform_columns<Fft, FieldPieces>, roots,
                         exchange_->on_gpus() ? ahead : 0U,
                         pieces(exchange_->incoming(), plan_.piece()));
    } else {
      launch_blocks<Fft>(stream_, tiles, transform_columns<Fft, WholeField>, roots, ahead,
                         whole(planes_));
    }
  });
}

void Transforms::queue_rows(int t) const {
  const Samples samples(plan_.shape, plan_.first_plane());
  double2* const terms = values(terms_) + (t - 1) * checksum_points;
  with_rows(plan_.shape, [&]<class Fft>(const Fft*) {
    const double2* const roots = values(roots_) + plan_.shape.depth;
    const unsigned tiles = tiles_of<Fft>(plan_.own_planes());
    if (exchange_) {
      launch_blocks<Fft>(stream_, tiles, sample_rows<Fft, FieldPieces>, plan_.piece(), samples,
                         roots, pieces(exchange_->incoming(), plan_.piece()), terms);
    } else {
      launch_blocks<Fft>(stream_, tiles, sample_rows<Fft, WholeField>, plan_.shape, samples, roots,
                         whole(planes_), terms);
    }
  });
}

void Transforms::queue_exchange() const {
  if (exchange_) {
    exchange_->queue();
  }
}

void Transforms::queue_iterations(int count) {
  if (plan_.lines_beside > 0.0 && exchange_ && exchange_->is_double_buffered()) {
    queue_side_by_side(count);
    return;
  }
  for (int t = 1; t <= count; ++t) {
    queue_lines(t);
    queue_exchange();
    queue_columns();
    queue_rows(t);
  }
}

/// Lines depend only on the spectrum, not on the previous iteration, and the link that they write
/// to is slower than memory: few blocks suffice to saturate it.
void Transforms::queue_side_by_side(int count) {
  queue_lines(1);
  for (int t = 1; t <= count; ++t) {
    queue_exchange();
    if (t < count) {
      parted_.record(stream_);
      beside_.wait_for(parted_);
      queue_lines(t + 1, beside_, plan_.lines_beside);
      joined_.record(beside_);
    }
    queue_columns();
    queue_rows(t);
    if (t < count) {
      stream_.wait_for(joined_);
    }
  }
}

void Transforms::queue_sums(int count) const {
  const auto warps = static_cast<unsigned>(plan_.own_groups());
  launch(stream_, {dim3(static_cast<unsigned>(count)), dim3(32 * warps)}, add_terms,
         Samples(plan_.shape, plan_.first_plane()), plan_.planes_per_group(), values(terms_),
         values(sums_));
}

Traffic Transforms::traffic(int count) const {
  const Traffic spectrum = draw_rows_traffic + columns_to_lines_traffic + transform_lines_traffic;
  const Traffic iteration =
      lines_to_planes_traffic + transform_columns_traffic + sample_rows_traffic;
  return static_cast<double>(plan_.own_lines().points()) * (spectrum + count * iteration);
}

std::vector<Complex> Transforms::sums(int count) const {
  return CudaExecutor(stream_).to_host(sums_.data(), std::int64_t{count} * plan_.own_groups());
}

}  // namespace bankfull::npb::ft::cuda
