#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/core/exec/run_on_team.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/measure/cache.hpp"
#include "bankfull/core/memory/resident.hpp"
#include "bankfull/workloads/npb/ft/cpu_passes.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"
#include "bankfull/workloads/npb/ft/slabs.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <algorithm>
#include <array>

namespace bankfull::npb::ft {
namespace {

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

/// Two passes over memory per iteration: along z, including the decay; then plane by plane along y
/// and x, where the checksum is summed. The transformed field is not stored, because nothing reads
/// it. Between the two passes ranks exchange their parts of each other's planes.
class CpuTransforms final : public Benchmark {
 public:
  CpuTransforms(const Problem& problem, const Communicator& ranks)
      : Benchmark(Kernel::ft, problem.size),
        decay_scale_(1.0 + problem.perturbation),
        ft_(ft_parameters(size())),
        ranks_(ranks),
        executor_(problem.threads),
        slabs_(ft_, ranks.rank(), ranks.size()),
        spectrum_(slabs_, executor_.team()),
        evolved_(slabs_, executor_.team()),
        evolved_stores_(stores_beside(2.0 * static_cast<double>(Slab::bytes(slabs_)))),
        foreign_(slabs_, executor_.team()),
        forward_(ranks.prepare(messages_of(slabs_, foreign_), messages_of(slabs_, spectrum_))),
        back_(ranks.prepare(messages_of(slabs_, evolved_), messages_of(slabs_, foreign_))),
        work_(static_cast<std::size_t>(problem.threads)) {
    // By the thread that uses it, which touches it first.
    run_on_team(executor_.team(), [this] {
      work_[static_cast<std::size_t>(share_number())] = std::make_unique<Workspace<double>>(ft_);
    });
  }

  void rewind() override { checksums_.clear(); }

  /// All of it: touches both fields.
  void warm_up() override {
    iterate(1);
    checksums_.clear();
  }

  void run() override { iterate(ft_.iterations); }

  std::vector<Check> checks() override { return checks_of(checksums_, size()); }

  [[nodiscard]] Work work() const override {
    const double fields = 2.0 * sizeof(Complex);
    const auto points = static_cast<double>(ft_.nx * slabs_.rows().size() * ft_.nz);
    return {.traffic = cpu_traffic(ft_, points),  // its flops are those done, not NPB's count
            .model = traffic_model(),
            .working_set_bytes = fields * points};
  }

 private:
  /// Of a field that the next pass reads, where all fields have so many bytes: streaming stores
  /// save what the caches read before they write.
  static Stores stores_beside(double bytes) {
    const bool beyond = cache_fit(bytes, last_level_cache_bytes()) == CacheFit::beyond;
    return beyond ? Stores::streaming : Stores::cached;
  }

  [[nodiscard]] static std::string traffic_model() {
    return "the initial field: written, read and written; an iteration: the spectrum read, the "
           "half-transformed field written and read; messages between ranks not counted";
  }

  /// Roots and samples are computed here, because NPB times them.
  void iterate(int iterations) {
    fft_ = std::make_unique<AxisTransforms>(ft_);
    samples_ = samples_of(ft_);
    terms_.clear();
    form_spectrum();
    in_units(pauses(), iterations,
             [&](std::int64_t n) { invert(Decay(ft_, static_cast<int>(n) + 1, decay_scale_)); });
    checksums_ = checksums_of(ranks_.all_gather(terms_), iterations, ft_.points());
  }

  void form_spectrum() {
    const PlanePieces pieces(slabs_, spectrum_, foreign_);
    executor_.each(slabs_.planes().size(), [&](std::int64_t z) {
      form_plane(ft_, *fft_, z, pieces, my_work(), [&](std::int64_t y, double* blocks) {
        draw_rows(y, slabs_.planes().begin + z, blocks);
      });
    });
    forward_->exchange();
#pragma omp parallel num_threads(executor_.team().threads())
    transform_my_rows<LaneFft::Sign::plus>(nullptr, spectrum_, Stores::cached);
  }

  void invert(const Decay& decay) {
#pragma omp parallel num_threads(executor_.team().threads())
    transform_my_rows<LaneFft::Sign::minus>(&decay, evolved_, evolved_stores_);
    back_->exchange();
    const PlanePieces pieces(slabs_, evolved_, foreign_);
    const std::size_t first = terms_.size();
    terms_.resize(first + static_cast<std::size_t>(slabs_.planes().size()));
    executor_.each(slabs_.planes().size(), [&](std::int64_t z) {
      terms_[first + static_cast<std::size_t>(z)] = sum_of_plane(z, pieces, my_work());
    });
  }

  // From here on each thread calls for its share.

  Workspace<double>& my_work() { return *work_[static_cast<std::size_t>(share_number())]; }

  /// Eight rows from y on, one in each lane, each from its place in the sequence.
  void draw_rows(std::int64_t y, std::int64_t z, double* blocks) const {
    std::array<std::uint64_t, static_cast<std::size_t>(lanes)> state{};
    const std::int64_t numbers_per_row = 2 * ft_.nx;
    for (std::int64_t l = 0; l < lanes; ++l) {
      const std::int64_t first = numbers_per_row * (z * ft_.ny + y + l);
      state[static_cast<std::size_t>(l)] =
          Generator(common_seed, static_cast<std::uint64_t>(first)).state();
    }
    for (std::int64_t n = 0; n < numbers_per_row; ++n) {
#pragma omp simd
      for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); ++l) {
        state[l] = multiply_modulo(state[l], generator_factor);
        blocks[n * lanes + static_cast<std::int64_t>(l)] = unit_value(state[l]);
      }
    }
  }

  /// The spectrum, with the decay if requested, transformed along z into `to`, which may be the
  /// spectrum itself.
  template <LaneFft::Sign Sign>
  void transform_my_rows(const Decay* decay, const Slab& to, Stores stores) {
    transform_z<Sign>(ft_, *fft_, decay, slabs_.rows().begin, my_share(slabs_.rows().size()),
                      spectrum_, to, stores, my_work());
  }

  /// Transforms one of this rank's planes along y and x; returns its part of the checksum.
  Complex sum_of_plane(std::int64_t z, const PlanePieces& pieces, Workspace<double>& work) {
    const std::vector<Sample>& samples =
        samples_[static_cast<std::size_t>(slabs_.planes().begin + z)];
    auto sample = samples.begin();
    Complex sum = 0.0;
    invert_plane(ft_, *fft_, z, pieces, work, [&](std::int64_t y, const double* rows) {
      for (; sample != samples.end() && sample->y < y + lanes; ++sample) {
        const double* const at = rows + sample->x * block + (sample->y - y);
        sum += Complex(at[0], at[lanes]);
      }
    });
    return sum;
  }

  double decay_scale_;  ///< 1, but where the verification is checked
  FtParameters ft_;
  const Communicator& ranks_;
  CpuExecutor executor_;
  Slabs slabs_;
  Slab spectrum_;
  Slab evolved_;  ///< and transformed along z
  Stores evolved_stores_;
  ForeignRows foreign_;
  std::unique_ptr<MessageExchange> forward_;
  std::unique_ptr<MessageExchange> back_;
  std::vector<std::unique_ptr<Workspace<double>>> work_;  ///< of each thread
  std::unique_ptr<AxisTransforms> fft_;
  std::vector<std::vector<Sample>> samples_;
  std::vector<Complex> terms_;  ///< of the checksums, by iteration and plane of this rank
  std::vector<Complex> checksums_;
};

}  // namespace

std::int64_t cpu_memory_bytes(Class size, int threads, int ranks) {
  const FtParameters& ft = ft_parameters(size);
  const Slabs largest(ft, 0, ranks);
  return 2 * resident_bytes(Slab::bytes(largest)) + ForeignRows::bytes(largest) +
         threads * Workspace<double>::bytes(ft);
}

std::unique_ptr<Benchmark> make_cpu(const Problem& problem, const Communicator& ranks) {
  return std::make_unique<CpuTransforms>(problem, ranks);
}

}  // namespace bankfull::npb::ft
