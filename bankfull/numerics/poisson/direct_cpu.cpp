#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/exec/helped_shares.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/direct/cpu/columns.hpp"
#include "bankfull/numerics/poisson/direct/cpu/divergence_rows.hpp"
#include "bankfull/numerics/poisson/direct/cpu/plane_memory.hpp"
#include "bankfull/numerics/poisson/direct/cpu/planes.hpp"
#include "bankfull/numerics/poisson/direct/lanes.hpp"
#include "bankfull/numerics/poisson/direct/own_basis.hpp"
#include "bankfull/numerics/poisson/direct/sizes.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace bankfull::poisson {
namespace {

template <class Real>
class CpuDirect final : public Solver<Real> {
 public:
  CpuDirect(const Domain& domain, int threads, const OwnBases& bases, bool past_caches)
      : cyclic_(domain.i.periodic),
        team_(threads),
        table_(domain, length_of_transforms(domain)),
        lanes_(domain, sizeof(Real)),
        memory_(SpectrumLayout(domain.extents(), sizeof(Real)), 0,
                work_reals(domain, sizeof(Real), lanes_, past_caches), team_),
        planes_(domain, bases, memory_.layout()),
        columns_(domain, bases),
        divergence_(domain),
        past_caches_(past_caches),
        traffic_(cpu_direct_traffic(domain, sizeof(Real))),
        traffic_after_divergence_(cpu_traffic_after_divergence(domain, sizeof(Real))) {}

  [[nodiscard]] CellSlots<Real> right_side() const override { return memory_.slots(); }
  [[nodiscard]] CellSlots<Real> solution() const override { return memory_.slots(); }

  void solve() override {
    const bool begins = !std::exchange(has_taken_divergence_, false);
    HelpedItems forward = groups();
    HelpedItems tiles(team_.threads(), columns_.tiles(lanes_.lanes), tiles_at_once());
    HelpedItems back = groups();
#pragma omp parallel num_threads(team_.threads())
    {
      if (begins) {
        forward.each([this](std::int64_t number) { take_forward(planes_of(number)); });
#pragma omp barrier
      }
      columns_.with_kind([&]<class Kind>(Kind /*kind*/) {
        tiles.each([this](std::int64_t number) {
          cyclic_ ? eliminate<Kind, true>(number) : eliminate<Kind, false>(number);
        });
      });
#pragma omp barrier
      back.each([this](std::int64_t number) {
        const Range planes = planes_of(number);
        planes_.back(memory_.plane(planes.begin), planes.size(), memory_.my_work());
      });
    }
  }

  [[nodiscard]] bool takes_divergence() const override { return true; }

  /// Planes are transformed while they are in the cache that their divergence was formed in.
  void take_divergence(const FaceVelocity<Real>& velocity) override {
    HelpedItems all = groups();
#pragma omp parallel num_threads(team_.threads())
    {
      all.each([&](std::int64_t number) {
        const Range planes = planes_of(number);
        past_caches_ ? stream_planes(velocity, planes) : form_planes(velocity, planes);
      });
      stream_store_fence();
    }
    has_taken_divergence_ = true;
  }

  [[nodiscard]] Traffic traffic() const override { return traffic_; }
  [[nodiscard]] Traffic traffic_after_divergence() const override {
    return traffic_after_divergence_;
  }

 private:
  // Work for a claim: some 40 microseconds.
  static constexpr std::int64_t cells_at_once = 8192;      ///< of planes
  static constexpr std::int64_t elements_at_once = 16384;  ///< of columns in tiles, in reals

  [[nodiscard]] HelpedItems groups() const {
    const std::int64_t cells = planes_.planes_of_group() * memory_.layout().plane_pitch;
    return {team_.threads(), planes_.groups(memory_.planes()), claim(cells_at_once, cells)};
  }

  [[nodiscard]] Range planes_of(std::int64_t group) const {
    return planes_.group(group, memory_.planes());
  }

  void take_forward(const Range& planes) const {
    planes_.forward(memory_.plane(planes.begin), planes.size(), memory_.my_work());
  }

  void form_planes(const FaceVelocity<Real>& velocity, const Range& planes) const {
    for (std::int64_t i = planes.begin; i < planes.end; ++i) {
      divergence_.form_plane(velocity, i, memory_.plane(i), memory_.layout().row_pitch);
    }
    take_forward(planes);
  }

  void stream_planes(const FaceVelocity<Real>& velocity, const Range& planes) const {
    for (std::int64_t i = planes.begin; i < planes.end; ++i) {
      const auto form = [&](const Range& rows, Real* plane) {
        divergence_.form_rows(velocity, i, rows, plane, memory_.layout().row_pitch);
        return divergence_.requests_from(velocity, i, rows.end,
                                         PlaneTransforms<Real>::rows_at_once());
      };
      planes_.form_and_stream(form, memory_.plane(i), memory_.my_work());
    }
  }

  /// Of two rows of complex elements.
  [[nodiscard]] std::int64_t tiles_at_once() const {
    return claim(elements_at_once, memory_.planes() * 4 * columns_.tile(0, lanes_.lanes).count);
  }

  /// How many items of this size are at least so much.
  static std::int64_t claim(std::int64_t least, std::int64_t size) {
    return (least + size - 1) / size;
  }

  template <class Kind, bool Cyclic>
  void eliminate(std::int64_t number) const {
    const LaneTile tile = columns_.tile(number, lanes_.lanes);
    const LaneElimination<Real, Kind, Cyclic> lanes(memory_.my_work(), lanes_, tile.count);
    columns_.prepare(lanes, tile);
    if (tile.has_constant_mode()) {
      remove_mean();
    }
    eliminate_tile(lanes, tile);
    if (tile.has_constant_mode()) {
      remove_mean();
    }
  }

  template <class Elimination>
  void eliminate_tile(const Elimination& lanes, const LaneTile& tile) const {
    const std::int64_t row_pitch = memory_.layout().row_pitch;
    const std::int64_t pitch = memory_.layout().plane_pitch;
    Real* const a = memory_.plane(0) + tile.j * row_pitch + 2 * tile.k;
    Real* const b = memory_.plane(0) + columns_.mirror_row(tile.j) * row_pitch + 2 * tile.k;
    const std::int64_t root = memory_.planes() - 1;
    lanes.begin(table_.closing);
    for (std::int64_t i = 0; i < root; ++i) {
      const std::int64_t later = std::min(i + Elimination::cells_ahead, root) * pitch;
      lanes.prefetch(a + later, b + later);
      lanes.forward(i, cell(i), a + i * pitch, b + i * pitch);
    }
    lanes.turn(cell(root), a + root * pitch, b + root * pitch);
    for (std::int64_t i = root - 1; i >= 0; --i) {
      lanes.back(i, a + i * pitch, b + i * pitch);
    }
  }

  [[nodiscard]] const EliminationCell<Real>& cell(std::int64_t i) const {
    return table_.cells[static_cast<std::size_t>(i)];
  }

  /// Subtracts the mean over the volume: the planes' means, of which element (0, 0) of their
  /// spectra is a multiple, weighted by width.
  void remove_mean() const {
    double sum = 0.0;
    double whole = 0.0;
    for (std::int64_t i = 0; i < memory_.planes(); ++i) {
      sum += static_cast<double>(cell(i).width) * static_cast<double>(*memory_.plane(i));
      whole += static_cast<double>(cell(i).width);
    }
    const Real mean = static_cast<Real>(sum / whole);
    for (std::int64_t i = 0; i < memory_.planes(); ++i) {
      *memory_.plane(i) -= mean;
    }
  }

  bool cyclic_;
  Team team_;
  EliminationTable<Real> table_;
  LaneShape lanes_;
  CpuPlaneMemory<Real> memory_;
  CpuPlanes<Real> planes_;
  CpuColumns<Real> columns_;
  DivergenceRows<Real> divergence_;
  bool past_caches_;
  Traffic traffic_;
  Traffic traffic_after_divergence_;
  bool has_taken_divergence_ = false;
};

}  // namespace

template <class Real>
std::unique_ptr<Solver<Real>> make_cpu_direct(const Domain& domain, int threads,
                                              std::int64_t second_level_bytes) {
  require_direct(domain);
  return std::make_unique<CpuDirect<Real>>(
      domain, threads, OwnBases(domain),
      goes_past_caches(domain, sizeof(Real), second_level_bytes));
}

template <class Real>
std::unique_ptr<Solver<Real>> make_cpu_direct(const Domain& domain, int threads) {
  return make_cpu_direct<Real>(domain, threads, second_level_cache_of_core());
}

template std::unique_ptr<Solver<float>> make_cpu_direct<float>(const Domain&, int);
template std::unique_ptr<Solver<double>> make_cpu_direct<double>(const Domain&, int);
template std::unique_ptr<Solver<float>> make_cpu_direct<float>(const Domain&, int, std::int64_t);
template std::unique_ptr<Solver<double>> make_cpu_direct<double>(const Domain&, int, std::int64_t);

}  // namespace bankfull::poisson
