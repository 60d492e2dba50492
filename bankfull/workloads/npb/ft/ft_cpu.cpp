#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"
#include "bankfull/workloads/npb/ft/slabs.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <algorithm>
#include <array>

namespace bankfull::npb::ft {
namespace {

/// Blocks along x whose transforms along z are made together: lines of memory that lie together are
/// read together.
constexpr std::int64_t group_blocks = 4;

void copy_blocks(const double* from, std::int64_t from_step, std::int64_t count, double* to,
                 std::int64_t to_step) {
  for (std::int64_t n = 0; n < count; ++n) {
    std::copy_n(from + n * from_step, block, to + n * to_step);
  }
}

/// Eight blocks that lie side by side to eight that are `to_step` apart, lanes and blocks
/// exchanged: what was lane l of block n becomes lane n of block l.
void transpose_blocks(const double* __restrict from, double* __restrict to, std::int64_t to_step) {
  for (std::int64_t l = 0; l < lanes; ++l) {
#pragma omp simd
    for (std::int64_t n = 0; n < lanes; ++n) {
      to[l * to_step + n] = from[n * block + l];
      to[l * to_step + lanes + n] = from[n * block + lanes + l];
    }
  }
}

/// What a thread works in: room for the transforms of a group, and for one plane.
struct Workspace {
  explicit Workspace(const FtParameters& ft)
      : data(static_cast<std::size_t>(group_blocks * longest(ft) * block)),
        other(static_cast<std::size_t>(longest(ft) * block)),
        plane(MemorySpace::host, static_cast<std::size_t>(2 * ft.nx * ft.ny)) {}

  static std::int64_t bytes(const FtParameters& ft) {
    return ((group_blocks + 1) * longest(ft) * block + 2 * ft.nx * ft.ny) *
           static_cast<std::int64_t>(sizeof(double));
  }

  static std::int64_t longest(const FtParameters& ft) { return std::max({ft.nx, ft.ny, ft.nz}); }

  std::vector<double> data;
  std::vector<double> other;
  Buffer<double> plane;
};

/// One term of a checksum.
struct Sample {
  std::int64_t x;
  std::int64_t y;
};

/// The points of a checksum in each plane, ascending in y.
std::vector<std::vector<Sample>> samples_of(const FtParameters& ft) {
  std::vector<std::vector<Sample>> samples(static_cast<std::size_t>(ft.nz));
  for (std::int64_t j = 1; j <= checksum_points; ++j) {
    samples[static_cast<std::size_t>(checksum_step_z * j % ft.nz)].push_back(
        {checksum_step_x * j % ft.nx, checksum_step_y * j % ft.ny});
  }
  for (std::vector<Sample>& plane : samples) {
    std::stable_sort(plane.begin(), plane.end(),
                     [](const Sample& a, const Sample& b) { return a.y < b.y; });
  }
  return samples;
}

/// exp(-4 alpha pi^2 k^2 t) by axis; `scale` multiplies their products.
struct Decay {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> z;

  Decay(const FtParameters& ft, int t, double scale)
      : x(decay(ft.nx, t)), y(decay(ft.ny, t)), z(decay(ft.nz, t, scale)) {}
};

/// Two passes over memory an iteration: along z, with the decay on the way; then plane by plane
/// along y and x, where the checksum is taken. The field is not written a second time: nobody reads
/// it. Between the two ranks exchange what they have of each other's planes.
class CpuTransforms final : public Benchmark {
 public:
  CpuTransforms(const Problem& problem, const Communicator& ranks)
      : size_(problem.size),
        decay_scale_(1.0 + problem.perturbation),
        ft_(ft_parameters(size_)),
        ranks_(ranks),
        team_(problem.threads),
        slabs_(ft_, ranks.rank(), ranks.size()),
        spectrum_(slabs_, team_),
        evolved_(slabs_, team_),
        foreign_(slabs_, team_),
        forward_(rows_to_slabs(ranks, slabs_, foreign_, spectrum_)),
        back_(slabs_to_rows(ranks, slabs_, evolved_, foreign_)) {
    for (int n = 0; n < problem.threads; ++n) {
      work_.emplace_back(ft_);
    }
  }

  void rewind() override { checksums_.clear(); }

  /// All of it: touches both fields.
  void warm_up() override {
    iterate(1);
    checksums_.clear();
  }

  void run() override { iterate(ft_.iterations); }

  std::vector<Check> checks() override { return checks_of(checksums_, size_); }

  [[nodiscard]] Traffic traffic() const override {
    const auto points = static_cast<double>(ft_.nx * slabs_.rows().size() * ft_.nz);
    const double field = 16.0 * points;
    // Set-up: plane pass writes, z pass reads and writes. Iteration: z pass reads one field and
    // writes the other, plane pass reads.
    return {(1.0 + 2.0 * ft_.iterations) * field, (2.0 + ft_.iterations) * field,
            facts_of({.size = size_}).operations / ranks_.size()};
  }

  [[nodiscard]] std::string traffic_model() const override {
    return "the initial field: written, read and written; an iteration: the spectrum read, the "
           "half-transformed field written and read; messages between ranks not counted";
  }

 private:
  /// Roots and samples are formed here, for NPB times them.
  void iterate(int iterations) {
    fft_x_ = std::make_unique<LaneFft>(ft_.nx);
    fft_y_ = std::make_unique<LaneFft>(ft_.ny);
    fft_z_ = std::make_unique<LaneFft>(ft_.nz);
    samples_ = samples_of(ft_);
    terms_.clear();
    form_spectrum();
    for (int t = 1; t <= iterations; ++t) {
      invert(Decay(ft_, t, decay_scale_));
    }
    checksums_ = checksums_of(ranks_.all_gather(terms_), iterations, ft_.points());
  }

  void form_spectrum() {
    const PlanePieces pieces(slabs_, spectrum_, foreign_);
#pragma omp parallel num_threads(team_.threads())
    {
      const Range planes = my_share(slabs_.planes().size());
      for (std::int64_t z = planes.begin; z < planes.end; ++z) {
        form_plane(z, pieces, my_work());
      }
    }
    forward_->start();
    forward_->finish();
#pragma omp parallel num_threads(team_.threads())
    transform_z(LaneFft::Sign::plus, nullptr, spectrum_, my_work());
  }

  void invert(const Decay& decay) {
#pragma omp parallel num_threads(team_.threads())
    transform_z(LaneFft::Sign::minus, &decay, evolved_, my_work());
    back_->start();
    back_->finish();
    const PlanePieces pieces(slabs_, evolved_, foreign_);
    const std::size_t first = terms_.size();
    terms_.resize(first + static_cast<std::size_t>(slabs_.planes().size()));
#pragma omp parallel num_threads(team_.threads())
    {
      const Range planes = my_share(slabs_.planes().size());
      for (std::int64_t z = planes.begin; z < planes.end; ++z) {
        terms_[first + static_cast<std::size_t>(z)] = invert_plane(z, pieces, my_work());
      }
    }
  }

  // From here on each thread calls for its share.

  Workspace& my_work() { return work_[static_cast<std::size_t>(share_number())]; }

  /// Random values of one of this rank's planes, transformed along x and y.
  void form_plane(std::int64_t z, const PlanePieces& pieces, Workspace& work) {
    double* const columns = work.plane.data();
    for (std::int64_t y = 0; y < ft_.ny; y += lanes) {
      draw_rows(y, slabs_.planes().begin + z, work.data.data());
      const double* const rows =
          fft_x_->transform(LaneFft::Sign::plus, work.data.data(), work.other.data());
      for (std::int64_t x = 0; x < ft_.nx; x += lanes) {
        transpose_blocks(rows + x * block, columns + (x / lanes * ft_.ny + y) * block, block);
      }
    }
    for (std::int64_t block_x = 0; block_x < ft_.nx / lanes; ++block_x) {
      const double* const result = fft_y_->transform(
          LaneFft::Sign::plus, columns + block_x * ft_.ny * block, work.other.data());
      for (const PlanePiece& piece : pieces) {
        copy_blocks(result + piece.rows.begin * block, block, piece.rows.size(),
                    piece.at(block_x, z), pieces.row());
      }
    }
  }

  /// Eight rows from y on, one in each lane, each from its place in the sequence.
  void draw_rows(std::int64_t y, std::int64_t z, double* blocks) const {
    std::array<std::uint64_t, static_cast<std::size_t>(lanes)> state{};
    const std::int64_t numbers_a_row = 2 * ft_.nx;
    for (std::int64_t l = 0; l < lanes; ++l) {
      const std::int64_t first = numbers_a_row * (z * ft_.ny + y + l);
      state[static_cast<std::size_t>(l)] =
          Generator(common_seed, static_cast<std::uint64_t>(first)).state();
    }
    for (std::int64_t n = 0; n < numbers_a_row; ++n) {
#pragma omp simd
      for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); ++l) {
        state[l] = multiply_modulo(state[l], generator_factor);
        blocks[n * lanes + static_cast<std::int64_t>(l)] = unit_value(state[l]);
      }
    }
  }

  /// The spectrum, decayed where that is asked for, transformed along z into `to`, which may be the
  /// spectrum itself.
  void transform_z(LaneFft::Sign sign, const Decay* decay, const Slab& to, Workspace& work) {
    const Range rows = my_share(slabs_.rows().size());
    const std::int64_t blocks = ft_.nx / lanes;
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      for (std::int64_t first = 0; first < blocks; first += group_blocks) {
        const std::int64_t group = std::min(group_blocks, blocks - first);
        load_group(decay, first, group, y, work.data.data());
        for (std::int64_t n = 0; n < group; ++n) {
          const double* const result =
              fft_z_->transform(sign, work.data.data() + n * ft_.nz * block, work.other.data());
          copy_blocks(result, block, ft_.nz, to.at(first + n, y, 0), to.plane());
        }
      }
    }
  }

  void load_group(const Decay* decay, std::int64_t first, std::int64_t group, std::int64_t y,
                  double* data) const {
    for (std::int64_t z = 0; z < ft_.nz; ++z) {
      for (std::int64_t n = 0; n < group; ++n) {
        const double* const from = spectrum_.at(first + n, y, z);
        double* const to = data + (n * ft_.nz + z) * block;
        if (decay == nullptr) {
          std::copy_n(from, block, to);
        } else {
          const double factor = decay->y[static_cast<std::size_t>(slabs_.rows().begin + y)] *
                                decay->z[static_cast<std::size_t>(z)];
          copy_decayed(from, decay->x.data() + (first + n) * lanes, factor, to);
        }
      }
    }
  }

  static void copy_decayed(const double* __restrict from, const double* __restrict factors,
                           double factor, double* __restrict to) {
#pragma omp simd
    for (std::int64_t l = 0; l < lanes; ++l) {
      const double product = factors[l] * factor;
      to[l] = product * from[l];
      to[lanes + l] = product * from[lanes + l];
    }
  }

  /// Transforms one of this rank's planes along y and x; returns its part of the checksum.
  Complex invert_plane(std::int64_t z, const PlanePieces& pieces, Workspace& work) {
    double* const plane = work.plane.data();
    const std::int64_t rows_step = ft_.nx * block;  // of eight rows in lanes
    for (std::int64_t block_x = 0; block_x < ft_.nx / lanes; ++block_x) {
      for (const PlanePiece& piece : pieces) {
        copy_blocks(piece.at(block_x, z), pieces.row(), piece.rows.size(),
                    work.data.data() + piece.rows.begin * block, block);
      }
      const double* const column =
          fft_y_->transform(LaneFft::Sign::minus, work.data.data(), work.other.data());
      for (std::int64_t y = 0; y < ft_.ny; y += lanes) {
        transpose_blocks(column + y * block,
                         plane + y / lanes * rows_step + block_x * lanes * block, block);
      }
    }
    const std::vector<Sample>& samples =
        samples_[static_cast<std::size_t>(slabs_.planes().begin + z)];
    auto sample = samples.begin();
    Complex sum = 0.0;
    for (std::int64_t y = 0; y < ft_.ny; y += lanes) {
      const double* const rows =
          fft_x_->transform(LaneFft::Sign::minus, plane + y / lanes * rows_step, work.other.data());
      for (; sample != samples.end() && sample->y < y + lanes; ++sample) {
        const double* const at = rows + sample->x * block + (sample->y - y);
        sum += Complex(at[0], at[lanes]);
      }
    }
    return sum;
  }

  Class size_;
  double decay_scale_;  ///< 1, but where the verification is checked
  FtParameters ft_;
  const Communicator& ranks_;
  Team team_;
  Slabs slabs_;
  Slab spectrum_;
  Slab evolved_;  ///< and transformed along z
  ForeignRows foreign_;
  std::unique_ptr<MessageExchange> forward_;
  std::unique_ptr<MessageExchange> back_;
  std::vector<Workspace> work_;
  std::unique_ptr<LaneFft> fft_x_;
  std::unique_ptr<LaneFft> fft_y_;
  std::unique_ptr<LaneFft> fft_z_;
  std::vector<std::vector<Sample>> samples_;
  std::vector<Complex> terms_;  ///< of the checksums, by iteration and plane of this rank
  std::vector<Complex> checksums_;
};

}  // namespace

std::int64_t cpu_memory_bytes(Class size, int threads, int ranks) {
  const FtParameters& ft = ft_parameters(size);
  const Slabs largest(ft, 0, ranks);
  return 2 * Slab::bytes(largest) + ForeignRows::bytes(largest) + threads * Workspace::bytes(ft);
}

std::unique_ptr<Benchmark> make_cpu(const Problem& problem, const Communicator& ranks) {
  return std::make_unique<CpuTransforms>(problem, ranks);
}

}  // namespace bankfull::npb::ft
