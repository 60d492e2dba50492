#pragma once

#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/comm/list_exchange.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/line_levels.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/point_levels.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/row_copies.cuh"

#include <array>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace bankfull::poisson::multigrid::cuda {

// Levels on the GPUs of several ranks. Each has a window of a level (see rank_levels.hpp), on which
// the kernels of one GPU run as on a whole level. Halos are so wide (halos_on_gpus) that r alone
// travels, once per level and cycle. From the first level on that is too small to be shared all
// ranks have all of it and do the same; so they do with all levels whose lines are relaxed.

/// The exchange of the halos of fields that lie as a window of a level does.
template <class T>
class WindowExchange {
 public:
  /// Collective. `alone`: see HaloSetup.
  WindowExchange(const Communicator& ranks, const RankLevel& level, int halo, int fields,
                 bool alone, Transport transport, const Stream& work)
      : own_(level.i.own.begin * plane_pitch(level.level) +
             level.j.own.begin * row_pitch(level.level)) {
    const RankGrid& grid = level.cut.grid();
    const bool both = grid.i > 1 && grid.j > 1;
    exchange_ = make_halo_exchange<T>(
        HaloSetup{.ranks = ranks,
                  .decomposition = level.cut,
                  .layout = Layout::with_pitches(level.level.extents(), row_pitch(level.level),
                                                 plane_pitch(level.level)),
                  .shape = {halo, both ? HaloShape::Reach::edges : HaloShape::Reach::faces},
                  .fields = fields,
                  .transport = transport,
                  .alone = alone,
                  .in_window = true},
        work);
  }

  /// Fields from the window's first cell on. Between both nothing may change what is sent.
  template <class... Fields>
  void start(Fields*... fields) const {
    const std::array<T*, sizeof...(Fields)> blocks{fields + own_...};
    exchange_->start(blocks);
  }
  void finish() const { exchange_->finish(); }

  template <class... Fields>
  void exchange(Fields*... fields) const {
    start(fields...);
    finish();
  }

  /// Whether it may be part of a loop in a graph.
  [[nodiscard]] bool loops() const { return loops_on_gpu(exchange_->transport()); }

  static bool loops_on_gpu(Transport transport) {
    return transport == Transport::peer || transport == Transport::local;
  }

 private:
  std::int64_t own_;  ///< offset of the first own cell
  std::unique_ptr<HaloExchange<T>> exchange_;
};

/// A level that all ranks have all of, and each a window of.
class GatheredLevel {
 public:
  /// Collective. r and e of the window and of the whole level.
  GatheredLevel(const RankLevel& level, const Level& whole, const Communicator& ranks,
                Transport transport, const LevelFields& window, float* r, const float* e,
                const Stream& stream, const Stream& work)
      : own_rank_(ranks.rank()), packed_(zeros<float>(whole.extents().count(), stream)) {
    std::vector<RowCopy> unpacked;
    ListSetup setup{.ranks = ranks, .transport = transport};
    std::vector<std::int32_t> sent;
    std::int64_t begin = 0;
    for (int rank = 0; rank < ranks.size(); ++rank) {
      const Box block = level.cut.block(rank);
      unpacked.push_back(unpacking(block, begin, whole, r));
      const std::int64_t cells = block.extents().count();
      if (rank == own_rank_) {
        packing_.emplace(std::vector{packing(level, block, begin, window.r.data())}, stream);
        sent.resize(static_cast<std::size_t>(cells));
        std::iota(sent.begin(), sent.end(), static_cast<std::int32_t>(begin));
      } else {
        setup.neighbours.push_back(
            {.rank = rank, .sent = {}, .received_begin = begin, .received = cells});
      }
      begin += cells;
    }
    for (ListNeighbour& neighbour : setup.neighbours) {
      neighbour.sent = sent;
    }
    unpacking_.emplace(unpacked, stream);
    window_.emplace(std::vector{window_of(level, whole, e, window.down.data())}, stream);
    exchange_ = make_list_exchange<float>(setup, work);
  }

  /// r of all ranks' own cells.
  void gather(const Stream& stream) const {
    packing_->queue(stream);
    exchange_->exchange(packed_.data());
    unpacking_->queue(stream);
  }

  /// e of the window.
  void take(const Stream& stream) const { window_->queue(stream); }

  [[nodiscard]] bool loops() const {
    return WindowExchange<float>::loops_on_gpu(exchange_->transport());
  }

 private:
  static int number(std::int64_t n) { return static_cast<int>(n); }

  static Pitches packed_at(const Extents& cells) { return {number(cells.nk), cells.nj * cells.nk}; }

  [[nodiscard]] RowCopy packing(const RankLevel& level, const Box& block, std::int64_t begin,
                                const float* r) const {
    const Extents n = block.extents();
    return {.from = r,
            .from_at = pitches_of(level.level),
            .first_i = number(level.i.own.begin),
            .first_j = number(level.j.own.begin),
            .period_i = number(level.level.i.cells),
            .period_j = number(level.level.j.cells),
            .to = packed_.data() + begin,
            .to_at = packed_at(n),
            .planes = number(n.ni),
            .rows = number(n.nj),
            .columns = number(n.nk)};
  }

  [[nodiscard]] RowCopy unpacking(const Box& block, std::int64_t begin, const Level& whole,
                                  float* r) const {
    const Extents n = block.extents();
    return {.from = packed_.data() + begin,
            .from_at = packed_at(n),
            .period_i = number(n.ni),
            .period_j = number(n.nj),
            .to = r + block.i0 * plane_pitch(whole) + block.j0 * row_pitch(whole),
            .to_at = pitches_of(whole),
            .planes = number(n.ni),
            .rows = number(n.nj),
            .columns = number(n.nk)};
  }

  static RowCopy window_of(const RankLevel& level, const Level& whole, const float* e, float* to) {
    const Extents n = level.level.extents();
    return {.from = e,
            .from_at = pitches_of(whole),
            .first_i = number(level.i.begin),
            .first_j = number(level.j.begin),
            .period_i = number(whole.i.cells),
            .period_j = number(whole.j.cells),
            .to = to,
            .to_at = pitches_of(level.level),
            .planes = number(n.ni),
            .rows = number(n.nj),
            .columns = number(n.nk)};
  }

  int own_rank_;
  Buffer<float> packed_;  ///< r of one block after another
  std::optional<RowCopies> packing_;
  std::optional<RowCopies> unpacking_;
  std::optional<RowCopies> window_;
  std::unique_ptr<ListExchange<float>> exchange_;
};

/// All levels but the finest of several ranks.
class SharedLevels final : public Corrector {
 public:
  /// Collective. Work is queued on `work` alone.
  SharedLevels(const Hierarchy& hierarchy, const RankLevels& windows, const Communicator& ranks,
               Transport transport, const Stream& stream, const Stream& work)
      : hierarchy_(hierarchy),
        ranks_(ranks.size()),
        windows_(windows.shared),
        last_(static_cast<int>(windows_.size()) - 1),
        multiprocessors_(multiprocessors_of(stream.device())),
        levels_(levels_of(windows_)),
        tables_(uploaded(tables_of(levels_), stream)),
        views_(views_of(levels_, tables_.data())),
        whole_(all_from(hierarchy, last_, stream)) {
    for (std::size_t n = 0; n < views_.size(); ++n) {
      // In which planes cells have other coefficients than those in the middle of the whole level.
      views_[n].middle = middle_of(hierarchy.levels()[n].i);
    }
    limit_finest();
    for (int n = 1; n <= last_; ++n) {
      const std::int64_t size = field_size(level(n));
      fields_.push_back({zeros<float>(size, stream), zeros<float>(size, stream),
                         n == last_ ? Buffer<float>() : zeros<float>(size, stream)});
      if (n < last_) {
        halos_.push_back(std::make_unique<WindowExchange<float>>(ranks, window(n), window(n).halo,
                                                                 1, true, transport, work));
      }
    }
    gathered_ = std::make_unique<GatheredLevel>(window(last_), hierarchy.level(last_), ranks,
                                                transport, fields(last_), whole_->residual(),
                                                whole_->correction(), stream, work);
  }

  [[nodiscard]] const LevelView& finest() const override { return views_.front(); }
  [[nodiscard]] float* residual() const override { return seen_from_finer(1, fields(1).r); }
  [[nodiscard]] const float* correction() const override {
    return seen_from_finer(1, correction_of(1));
  }

  /// Whether cycles may be loops in a graph.
  [[nodiscard]] bool loops() const {
    return gathered_->loops() &&
           std::ranges::all_of(halos_, [](const auto& halo) { return halo->loops(); });
  }

  void queue_cycle(const Stream& stream) const override {
    share_residual(stream, 1);
    queue_cycle(stream, 1, From::zero);
  }

  void queue_full_multigrid(const Stream& stream) const override {
    share_residual(stream, 1);
    for (int n = 1; n < last_; ++n) {
      queue_restriction(stream, view(n), has_seams(level(n)), fields(n).r.data(),
                        seen_from_finer(n + 1, fields(n + 1).r));
      share_residual(stream, n + 1);
    }
    whole_->queue_full_multigrid(stream);
    gathered_->take(stream);
    for (int n = last_ - 1; n > 0; --n) {
      queue_ascent(stream, n, From::zero);
      halo(n).exchange(fields(n).up.data());
      queue_cycle(stream, n, From::what_is_there);
    }
  }

  [[nodiscard]] Traffic cycle_traffic() const override {
    Traffic sum = static_cast<double>(ranks_) * whole_->cycle_traffic();
    for (int n = 1; n < last_; ++n) {
      const Level& whole = hierarchy_.level(n);
      sum = sum + descent_traffic(whole) + ascent_traffic<false, float>(whole);
    }
    return sum;
  }

 private:
  static std::unique_ptr<Corrector> all_from(const Hierarchy& hierarchy, int first,
                                             const Stream& stream) {
    if (!hierarchy.has_lines()) {
      return std::make_unique<CoarseLevels>(hierarchy, first, stream);
    }
    expects(first == 1, "lines are relaxed from the first coarse level on");
    return std::make_unique<LineLevels>(hierarchy, stream);
  }

  [[nodiscard]] const RankLevel& window(int n) const {
    return windows_[static_cast<std::size_t>(n)];
  }
  [[nodiscard]] const Level& level(int n) const { return window(n).level; }
  [[nodiscard]] const LevelView& view(int n) const { return views_[static_cast<std::size_t>(n)]; }
  [[nodiscard]] const LevelFields& fields(int n) const {
    return fields_[static_cast<std::size_t>(n) - 1];
  }
  [[nodiscard]] const WindowExchange<float>& halo(int n) const {
    return *halos_[static_cast<std::size_t>(n) - 1];
  }
  [[nodiscard]] const Buffer<float>& correction_of(int n) const {
    return n == last_ ? fields(n).down : fields(n).up;
  }

  /// A level's field from where the parent of the finer window's first cell lies.
  [[nodiscard]] float* seen_from_finer(int n, const Buffer<float>& field) const {
    const Level& finer = level(n - 1);
    return field.data() + finer.i.part.first_parent * plane_pitch(level(n)) +
           finer.j.part.first_parent * row_pitch(level(n));
  }

  /// Kernels on the finest level leave out planes whose values nobody reads.
  void limit_finest() {
    LevelView& finest = views_.front();
    const Range own = window(0).i.own;
    if (window(0).cut.grid().i > 1) {
      finest.first_plane = std::max(static_cast<int>(own.begin - corrected_halo) & ~1, 0);
      finest.end_plane =
          std::min(static_cast<int>(own.end + corrected_halo + 1) & ~1, finest.i.cells);
    }
  }

  /// What a kernel has left of own cells' r.
  void share_residual(const Stream& stream, int n) const {
    if (n == last_) {
      gathered_->gather(stream);
    } else {
      halo(n).exchange(fields(n).r.data());
    }
  }

  /// A V-cycle on a level whose r is shared, from 0 or from its correction.
  void queue_cycle(const Stream& stream, int first, From from) const {
    for (int n = first; n < last_; ++n) {
      const From start = n == first ? from : From::zero;
      queue_descent(stream, multiprocessors_, has_seams(level(n)),
                    {.level = view(n),
                     .r = fields(n).r.data(),
                     .start = start == From::zero ? nullptr : fields(n).up.data(),
                     .e = fields(n).down.data(),
                     .coarse_r = seen_from_finer(n + 1, fields(n + 1).r)});
      share_residual(stream, n + 1);
    }
    whole_->queue_cycle(stream);
    gathered_->take(stream);
    for (int n = last_ - 1; n >= first; --n) {
      queue_ascent(stream, n, From::what_is_there);
    }
  }

  void queue_ascent(const Stream& stream, int n, From from) const {
    cuda::queue_ascent<false, float>(stream, multiprocessors_, has_seams(level(n)),
                                     {.level = view(n),
                                      .coarse = seen_from_finer(n + 1, correction_of(n + 1)),
                                      .r = fields(n).r.data(),
                                      .e = from == From::zero ? nullptr : fields(n).down.data(),
                                      .p = fields(n).up.data()});
  }

  const Hierarchy& hierarchy_;
  int ranks_;
  std::vector<RankLevel> windows_;  ///< from the finest on to that which is gathered
  int last_;
  int multiprocessors_;
  std::vector<Level> levels_;  ///< of the windows
  Buffer<float> tables_;
  std::vector<LevelView> views_;
  std::vector<LevelFields> fields_;  ///< from level 1 on
  std::vector<std::unique_ptr<WindowExchange<float>>> halos_;
  std::unique_ptr<Corrector> whole_;
  std::unique_ptr<GatheredLevel> gathered_;
};

}  // namespace bankfull::poisson::multigrid::cuda
