#pragma once

#include "bankfull/core/comm/root_rows.hpp"
#include "bankfull/core/field/layout.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/sharing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace bankfull::poisson {

/// A solver of one process for a domain that ranks share: the root solves, and the others wait. For
/// domains that are too small to be shared. All solves are collective.
template <class Real>
class RootSolver final : public Solver<Real> {
 public:
  /// `make()` makes the root's solver.
  template <class Make>
  RootSolver(const Domain& domain, const Sharing& sharing, const Make& make)
      : ranks_(*sharing.ranks),
        cells_(domain.extents()),
        cut_(cut_of(domain, sharing.grid)),
        block_(cut_.block(sharing.rank())),
        layout_(block_.extents(), 1, sizeof(Real)),
        f_(zeros()),
        p_(zeros()),
        blocks_(ranks_, parts(false), cells_.nk),
        grown_(ranks_, parts(true), cells_.nk) {
    if (ranks_.is_root()) {
      whole_ = make();
      traffic_ = whole_->traffic();
    }
    ranks_.broadcast(&traffic_, sizeof(traffic_), 0);
  }

  [[nodiscard]] CellSlots<Real> right_side() const override { return slots(f_); }
  /// On every rank that of its cells and, along axes that are cut, of the cells before them.
  [[nodiscard]] CellSlots<Real> solution() const override { return slots(p_); }

  void solve() override {
    blocks_.gather(own(f_), whole(&Solver<Real>::right_side));
    if (!forgotten_) {
      blocks_.gather(own(p_), whole(&Solver<Real>::solution));
    }
    if (whole_) {
      whole_->solve();
      outcome_ = whole_->outcome();
    }
    forgotten_ = false;
    grown_.scatter(whole(&Solver<Real>::solution), own(p_));
    ranks_.broadcast(&outcome_, sizeof(outcome_), 0);
  }

  void forget() override {
    forgotten_ = true;
    if (whole_) {
      whole_->forget();
    }
  }
  void recall() override {
    forgotten_ = false;
    if (whole_) {
      whole_->recall();
    }
  }
  [[nodiscard]] Outcome outcome() const override { return outcome_; }
  [[nodiscard]] Traffic traffic() const override { return traffic_; }

 private:
  [[nodiscard]] Buffer<Real> zeros() const {
    Buffer<Real> buffer(MemorySpace::host, static_cast<std::size_t>(layout_.size()));
    std::fill_n(buffer.data(), layout_.size(), Real(0));
    return buffer;
  }

  [[nodiscard]] CellSlots<Real> slots(const Buffer<Real>& field) const {
    return {.data = field.data() + layout_.origin(),
            .plane_pitch = layout_.plane_pitch(),
            .row_pitch = layout_.row_pitch(),
            .reach = grown(box_of(layout_.interior()), layout_.ghosts())};
  }

  /// Planes and rows of all ranks; with those beside them, whose numbers wrap around.
  [[nodiscard]] std::vector<Box> parts(bool grown) const {
    const auto& wraps = cut_.periodic();
    std::vector<Box> all;
    for (int rank = 0; rank < cut_.ranks(); ++rank) {
      Box part = cut_.block(rank);
      if (grown) {
        part.i0 -= part.i0 > 0 || wraps.i ? 1 : 0;
        part.j0 -= part.j0 > 0 || wraps.j ? 1 : 0;
      }
      all.push_back(part);
    }
    return all;
  }

  [[nodiscard]] auto own(const Buffer<Real>& field) const {
    return [this, to = slots(field)](std::int64_t i, std::int64_t j) {
      return &to(i - block_.i0, j - block_.j0, 0);
    };
  }

  /// Rows of the root's solver, which has them in one piece.
  [[nodiscard]] auto whole(CellSlots<Real> (Solver<Real>::*of)() const) const {
    const CellSlots<Real> slots = whole_ ? ((*whole_).*of)() : CellSlots<Real>{};
    return [this, slots](std::int64_t i, std::int64_t j) {
      return &slots((i + cells_.ni) % cells_.ni, (j + cells_.nj) % cells_.nj, 0);
    };
  }

  const Communicator& ranks_;
  Extents cells_;
  Decomposition cut_;
  Box block_;
  Layout layout_;
  Buffer<Real> f_;
  Buffer<Real> p_;
  RootRows<Real> blocks_;
  RootRows<Real> grown_;
  std::unique_ptr<Solver<Real>> whole_;
  Traffic traffic_;
  bool forgotten_ = true;
  Outcome outcome_;
};

}  // namespace bankfull::poisson
