#include "bankfull/build_config.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/direct/fftw.hpp"
#include "bankfull/numerics/poisson/direct/lanes.hpp"
#include "bankfull/numerics/poisson/direct/own_basis.hpp"
#include "bankfull/numerics/poisson/direct/sizes.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace bankfull::poisson {
namespace {

AxisModes modes_of(const std::optional<EigenBasis>& basis, const Axis& axis) {
  return basis ? AxisModes(*basis) : AxisModes(axis);
}

/// Walls along uniform j and k are folded on the way into the transforms and unfolded on the way
/// back: both cost a pass over a plane in the cache, and complex transforms, which FFTW vectorises,
/// take half the time of its real cosine transforms.
template <class Real>
class CpuDirect final : public Solver<Real> {
 public:
  CpuDirect(const Domain& domain, int threads, const OwnBases& bases)
      : extents_(domain.extents()),
        folded_j_(is_folded(domain.j) ? extents_.nj : 0),
        folded_k_(is_folded(domain.k) ? extents_.nk : 0),
        two_along_k_(two_in_an_element(domain.k)),
        cyclic_(domain.i.periodic),
        team_(threads),
        layout_(extents_, sizeof(Real)),
        table_(domain, length_of_transforms(domain)),
        modes_j_(modes_of(bases.j, domain.j)),
        modes_k_(modes_of(bases.k, domain.k)),
        basis_j_(bases.j),
        basis_k_(bases.k, layout_.row_pitch),
        lanes_(domain, sizeof(Real)),
        transforms_(extents_.nj, extents_.nk, layout_.row_pitch / 2),
        field_(MemorySpace::host, static_cast<std::size_t>(layout_.size)),
        work_reals_(work_reals(domain, sizeof(Real))),
        work_(MemorySpace::host, static_cast<std::size_t>(threads * work_reals_)),
        traffic_(cpu_direct_traffic(domain, sizeof(Real))) {
    expects(direct_unavailable(Device::cpu(), domain).empty(), "this build serves the domain");
#pragma omp parallel num_threads(team_.threads())
    {
      const Range planes = my_share(extents_.ni);
      std::fill(plane(planes.begin), plane(planes.end), Real{0});
      std::fill_n(my_work(), work_reals_, Real{0});
    }
  }

  [[nodiscard]] CellSlots<Real> right_side() const override {
    return {field_.data(), layout_.plane_pitch, layout_.row_pitch, 0, 0};
  }
  [[nodiscard]] CellSlots<Real> solution() const override { return right_side(); }

  void solve() override {
#pragma omp parallel num_threads(team_.threads())
    {
      const Range planes = my_share(extents_.ni);
      for (std::int64_t i = planes.begin; i < planes.end; ++i) {
        transform_forward(plane(i));
      }
#pragma omp barrier
      eliminate_by_kind();
#pragma omp barrier
      for (std::int64_t i = planes.begin; i < planes.end; ++i) {
        transform_back(plane(i));
      }
    }
  }

  [[nodiscard]] Traffic traffic() const override { return traffic_; }

 private:
  [[nodiscard]] Real* plane(std::int64_t i) const {
    return field_.data() + i * layout_.plane_pitch;
  }
  [[nodiscard]] Real* my_work() const { return work_.data() + share_number() * work_reals_; }
  [[nodiscard]] Real* my_line() const { return my_work() + layout_.plane_pitch; }

  static bool is_folded(const Axis& axis) { return !axis.periodic && !has_own_basis(axis); }

  /// Of the plane that begins here.
  template <class Value>
  [[nodiscard]] MatrixRows<Value> rows_of(Value& plane, std::int64_t folded = 0) const {
    return {&plane, layout_.row_pitch, folded};
  }

  [[nodiscard]] std::int64_t places_in_row() const { return 2 * half_spectrum(extents_.nk); }

  static Complex<Real>* spectrum(Real* at) { return reinterpret_cast<Complex<Real>*>(at); }

  void transform_forward(Real* plane) const {
    Real* const work = my_work();
    rows_forward(plane, work);
    if (basis_j_.exists()) {
      basis_j_.forward(rows_of(std::as_const(*work)), places_in_row(), rows_of(*plane));
    } else {
      transforms_.columns_forward(spectrum(work), spectrum(plane));
    }
  }

  void transform_back(Real* plane) const {
    Real* const work = my_work();
    if (basis_j_.exists()) {
      basis_j_.back(rows_of(std::as_const(*plane)), places_in_row(), rows_of(*work));
    } else {
      transforms_.columns_back(spectrum(plane), spectrum(work));
    }
    rows_back(work, plane);
  }

  /// Rows of `work` are in the order of a transform along j.
  void rows_forward(const Real* plane, Real* work) const {
    if (basis_k_.exists()) {
      basis_k_.forward(extents_.nj, rows_of(*plane), rows_of(*work, folded_j_));
      return;
    }
    Real* const line = my_line();
    for (std::int64_t j = 0; j < extents_.nj; ++j) {
      const Real* row = plane + j * layout_.row_pitch;
      if (folded_k_ > 0) {
        fold(row, line);
        row = line;
      }
      transforms_.row_forward(row, spectrum(work + slot_of(j, folded_j_) * layout_.row_pitch));
    }
  }

  void rows_back(Real* work, Real* plane) const {
    if (basis_k_.exists()) {
      basis_k_.back(extents_.nj, rows_of(std::as_const(*work), folded_j_), rows_of(*plane));
      return;
    }
    Real* const line = my_line();
    for (std::int64_t j = 0; j < extents_.nj; ++j) {
      Real* const row = plane + j * layout_.row_pitch;
      Real* const from = work + slot_of(j, folded_j_) * layout_.row_pitch;
      if (folded_k_ > 0) {
        transforms_.row_back(spectrum(from), line);
        unfold(line, row);
      } else {
        transforms_.row_back(spectrum(from), row);
      }
    }
  }

  /// See slot_of.
  void fold(const Real* row, Real* folded) const {
    const std::int64_t even = (extents_.nk + 1) / 2;
    for (std::int64_t n = 0; n < even; ++n) {
      folded[n] = row[2 * n];
    }
    for (std::int64_t n = 0; n < extents_.nk / 2; ++n) {
      folded[extents_.nk - 1 - n] = row[2 * n + 1];
    }
  }

  void unfold(const Real* folded, Real* row) const {
    const std::int64_t even = (extents_.nk + 1) / 2;
    for (std::int64_t n = 0; n < even; ++n) {
      row[2 * n] = folded[n];
    }
    for (std::int64_t n = 0; n < extents_.nk / 2; ++n) {
      row[2 * n + 1] = folded[extents_.nk - 1 - n];
    }
  }

  void eliminate_by_kind() const {
    const auto with_cyclic = [this]<class Kind>(Kind /*kind*/) {
      cyclic_ ? eliminate<Kind, true>() : eliminate<Kind, false>();
    };
    if (basis_j_.exists()) {
      two_along_k_ ? with_cyclic(RowModes<true>{}) : with_cyclic(RowModes<false>{});
    } else if (folded_j_ > 0) {
      two_along_k_ ? with_cyclic(Modes<true, true>{}) : with_cyclic(Modes<true, false>{});
    } else {
      two_along_k_ ? with_cyclic(Modes<false, true>{}) : with_cyclic(Modes<false, false>{});
    }
  }

  /// The calling thread's share of pairs of rows (j, j'), tile by tile of lanes.
  template <class Kind, bool Cyclic>
  void eliminate() const {
    const std::int64_t half = half_spectrum(extents_.nk);
    const std::int64_t tiles = (half + lanes_.lanes - 1) / lanes_.lanes;
    const Range mine = my_share(half_spectrum(extents_.nj) * tiles);
    for (std::int64_t unit = mine.begin; unit < mine.end; ++unit) {
      const std::int64_t j = unit / tiles;
      const std::int64_t k = unit % tiles * lanes_.lanes;
      const LaneElimination<Real, Kind, Cyclic> lanes(my_work(), lanes_,
                                                      std::min(lanes_.lanes, half - k));
      if (j == 0 && k == 0) {
        remove_mean();
      }
      eliminate_tile(lanes, j, k, std::min(lanes_.lanes, half - k));
      if (j == 0 && k == 0) {
        remove_mean();
      }
    }
  }

  template <class Elimination>
  void eliminate_tile(const Elimination& lanes, std::int64_t j, std::int64_t k,
                      std::int64_t count) const {
    prepare(lanes, j, k, count);
    Real* const a = field_.data() + j * layout_.row_pitch + 2 * k;
    Real* const b = field_.data() + (extents_.nj - j) % extents_.nj * layout_.row_pitch + 2 * k;
    const std::int64_t pitch = layout_.plane_pitch;
    const std::int64_t root = extents_.ni - 1;
    for (std::int64_t i = 0; i < root; ++i) {
      lanes.forward(i, cell(i), a + i * pitch, b + i * pitch);
    }
    lanes.turn(cell(root), a + root * pitch, b + root * pitch);
    for (std::int64_t i = root - 1; i >= 0; --i) {
      lanes.back(i, a + i * pitch, b + i * pitch);
    }
  }

  template <class Kind, bool Cyclic>
  void prepare(const LaneElimination<Real, Kind, Cyclic>& lanes, std::int64_t j, std::int64_t k,
               std::int64_t count) const {
    const auto nth = [](const auto& values, std::int64_t n) {
      return values[static_cast<std::size_t>(n)];
    };
    for (std::int64_t lane = 0; lane < count; ++lane) {
      const std::int64_t at = k + lane;
      for (int mode = 0; mode < Kind::count; ++mode) {
        const std::int64_t mode_j = Kind::mirrors_j(mode) ? extents_.nj - j : j;
        const std::int64_t mode_k = Kind::mirrors_k(mode) ? extents_.nk - at : at;
        lanes.decay(mode)[lane] =
            static_cast<Real>(nth(modes_j_.decay, mode_j) + nth(modes_k_.decay, mode_k));
      }
      const Complex<double> along_k = nth(modes_k_.twist, at);
      const Complex<double> a = times(nth(modes_j_.twist, j), along_k);
      const Complex<double> b = times(nth(modes_j_.twist, extents_.nj - j), along_k);
      lanes.set_twists(lane, {static_cast<Real>(a.re), static_cast<Real>(a.im)},
                       {static_cast<Real>(b.re), static_cast<Real>(b.im)});
    }
    lanes.begin(table_.closing);
  }

  [[nodiscard]] const EliminationCell<Real>& cell(std::int64_t i) const {
    return table_.cells[static_cast<std::size_t>(i)];
  }

  /// Subtracts the mean over the volume: the planes' means, of which element (0, 0) of their
  /// spectra is a multiple, weighted by width.
  void remove_mean() const {
    double sum = 0.0;
    double whole = 0.0;
    for (std::int64_t i = 0; i < extents_.ni; ++i) {
      sum += static_cast<double>(cell(i).width) * static_cast<double>(*plane(i));
      whole += static_cast<double>(cell(i).width);
    }
    const Real mean = static_cast<Real>(sum / whole);
    for (std::int64_t i = 0; i < extents_.ni; ++i) {
      *plane(i) -= mean;
    }
  }

  Extents extents_;
  std::int64_t folded_j_;  ///< cells, where the axis is transformed and ends at walls
  std::int64_t folded_k_;
  bool two_along_k_;
  bool cyclic_;
  Team team_;
  SpectrumLayout layout_;
  EliminationTable<Real> table_;
  AxisModes modes_j_;
  AxisModes modes_k_;
  BasisAlongJ<Real> basis_j_;
  BasisAlongK<Real> basis_k_;
  LaneShape lanes_;
  PlaneTransforms<Real> transforms_;
  Buffer<Real> field_;
  std::int64_t work_reals_;
  Buffer<Real> work_;
  Traffic traffic_;
};

}  // namespace

template <class Real>
std::unique_ptr<Solver<Real>> make_cpu_direct(const Domain& domain, int threads) {
  return std::make_unique<CpuDirect<Real>>(domain, threads, OwnBases(domain));
}

template std::unique_ptr<Solver<float>> make_cpu_direct<float>(const Domain&, int);
template std::unique_ptr<Solver<double>> make_cpu_direct<double>(const Domain&, int);

}  // namespace bankfull::poisson
