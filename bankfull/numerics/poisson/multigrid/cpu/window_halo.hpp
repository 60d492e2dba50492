#pragma once

#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/level.hpp"
#include "bankfull/numerics/poisson/multigrid/rank_levels.hpp"

#include <array>
#include <cstdint>
#include <memory>

namespace bankfull::poisson::multigrid {

/// The exchange of the halo of fields whose rows are those of a level's window.
template <class T>
class WindowHalo {
 public:
  /// Collective. `layout`: of all such fields.
  WindowHalo(const Communicator& ranks, const RankLevel& level, const Layout& layout, int fields,
             const Team& team)
      : first_i_(level.i.own.begin), first_j_(level.j.own.begin) {
    const RankGrid& grid = level.cut.grid();
    const bool both = grid.i > 1 && grid.j > 1;
    exchange_ = make_halo_exchange<T>(
        HaloSetup{.ranks = ranks,
                  .decomposition = level.cut.with_rows(layout.interior().nk),
                  .layout = layout,
                  .shape = {level.halo, both ? HaloShape::Reach::edges : HaloShape::Reach::faces},
                  .fields = fields,
                  .in_window = true},
        team);
  }

  /// Collective. The fields' rows are asked for by row(i, j).
  template <class... Fields>
  void exchange(const Fields&... fields) {
    const std::array<T*, sizeof...(Fields)> firsts{first_of(fields)...};
    exchange_->exchange(firsts);
  }

 private:
  [[nodiscard]] T* first_of(const CpuField<T>& field) const {
    return field.row(first_i_, first_j_);
  }
  [[nodiscard]] T* first_of(const SplitField<T>& field) const {
    return field.row(first_i_, first_j_).even;
  }

  std::int64_t first_i_;
  std::int64_t first_j_;
  std::unique_ptr<HaloExchange<T>> exchange_;
};

}  // namespace bankfull::poisson::multigrid
