#include "bankfull/workloads/npb/mg/grid.hpp"
#include "bankfull/workloads/npb/mg/rows.hpp"

#include <array>
#include <cmath>

namespace bankfull::npb::mg {
namespace {

/// Rows of a plane that go through a pipeline together: what it keeps of them fits a core's second
/// cache, and the rows that neighbouring blocks form both are few beside them.
constexpr std::int64_t block_rows = 32;

constexpr std::int64_t line = 8;

/// The last three planes of a field on its way through a pipeline: rows [first, first + count) with
/// ghosts along i1.
class Planes {
 public:
  Planes(std::int64_t side, std::int64_t rows)
      : row_pitch_(side + 2 * line),
        rows_(rows),
        values_(static_cast<std::size_t>(3 * rows * row_pitch_)) {}

  void begin_at(std::int64_t first_row) { first_ = first_row; }

  [[nodiscard]] double* row(std::int64_t plane, std::int64_t row) {
    // Planes count from -2.
    return values_.data() + ((plane + 3) % 3 * rows_ + row - first_) * row_pitch_ + line;
  }

 private:
  std::int64_t row_pitch_;
  std::int64_t rows_;
  std::int64_t first_ = 0;
  std::vector<double> values_;
};

/// Points a side from which on what a pass writes goes past the caches: it is out of them before
/// another pass reads it.
constexpr std::int64_t streamed_side = 128;

/// What a thread works in.
struct Workspace {
  explicit Workspace(std::int64_t side)
      : iterates(side, std::min(side, block_rows) + 4),
        residuals(side, std::min(side, block_rows) + 3),
        faces(static_cast<std::size_t>(side + 2 * line)),
        edges(faces.size()),
        mean(faces.size()),
        result(faces.size()) {}

  [[nodiscard]] RowSums sums() { return {faces.data() + line, edges.data() + line}; }

  Planes iterates;
  Planes residuals;
  std::vector<double> faces;
  std::vector<double> edges;
  std::vector<double> mean;
  std::vector<double> result;
};

template <class RowAt>
RowsAround rows_around(const RowAt& row_at, std::int64_t i3, std::int64_t i2) {
  RowsAround rows{};
  for (int d3 = 0; d3 < 3; ++d3) {
    for (int d2 = 0; d2 < 3; ++d2) {
      rows.of[d3][d2] = row_at(i3 + d3 - 1, i2 + d2 - 1);
    }
  }
  return rows;
}

RowsAround rows_around(Planes& planes, std::int64_t i3, std::int64_t i2) {
  return rows_around([&](std::int64_t p, std::int64_t row) { return planes.row(p, row); }, i3, i2);
}

RowsAround rows_around(const Grid& grid, std::int64_t i3, std::int64_t i2) {
  return rows_around([&](std::int64_t p, std::int64_t row) { return grid.row(p, row); }, i3, i2);
}

CoarseRows coarse_rows(const Grid& coarse, std::int64_t i3, std::int64_t i2) {
  // An odd row lies on a coarse one, an even row between two. Shifts round down below 0 too.
  const auto before = [](std::int64_t i) { return ((i + 1) >> 1) - 1; };
  const auto after = [](std::int64_t i) { return i >> 1; };
  return {{{coarse.row(before(i3), before(i2)), coarse.row(before(i3), after(i2))},
           {coarse.row(after(i3), before(i2)), coarse.row(after(i3), after(i2))}}};
}

/// body(first, end) for the blocks of [0, rows).
template <class Body>
void for_blocks(std::int64_t rows, std::int64_t block, const Body& body) {
  for (std::int64_t first = 0; first < rows; first += block) {
    body(first, std::min(first + block, rows));
  }
}

// Passes over a grid. All threads of a team call them, each for its share of the planes; the caller
// puts barriers between passes.

/// next = w + S (v - A w) with w = u + Q coarse; u may be absent, which stands for 0. One pass:
/// reads u, v and coarse once, writes next.
class UpwardPass {
 public:
  UpwardPass(const Weights& weights, const Grid& coarse, const Grid* u, const Grid& v,
             const Grid& next, Workspace& work)
      : weights_(&weights), coarse_(&coarse), u_(u), v_(&v), next_(&next), work_(&work) {}

  void run() const {
    const Range planes = my_share(v_->side());
    for_blocks(v_->side(), block_rows, [&](std::int64_t first, std::int64_t end) {
      work_->iterates.begin_at(first - 2);
      work_->residuals.begin_at(first - 1);
      for (std::int64_t plane = planes.begin - 2; plane < planes.end + 2; ++plane) {
        form_iterate(plane, first, end);
        if (plane >= planes.begin) {
          form_residual(plane - 1, first, end);
        }
        if (plane >= planes.begin + 2) {
          smooth(plane - 2, first, end);
        }
      }
    });
    stream_store_fence();
  }

 private:
  void form_iterate(std::int64_t i3, std::int64_t first, std::int64_t end) const {
    for (std::int64_t i2 = first - 2; i2 < end + 2; ++i2) {
      interpolated_row(coarse_rows(*coarse_, i3, i2), u_ == nullptr ? nullptr : u_->row(i3, i2),
                       v_->side(), work_->mean.data() + line, work_->iterates.row(i3, i2));
    }
  }

  void form_residual(std::int64_t i3, std::int64_t first, std::int64_t end) const {
    const std::int64_t n = v_->side();
    for (std::int64_t i2 = first - 1; i2 < end + 1; ++i2) {
      double* const r = work_->residuals.row(i3, i2);
      sum_rows(rows_around(work_->iterates, i3, i2), n, work_->sums());
      residual_row(v_->row(i3, i2), work_->iterates.row(i3, i2), work_->sums(), n, r);
      wrap_ghosts(r, n);
    }
  }

  void smooth(std::int64_t i3, std::int64_t first, std::int64_t end) const {
    const std::int64_t n = v_->side();
    const bool streams = n >= streamed_side;
    for (std::int64_t i2 = first; i2 < end; ++i2) {
      double* const result = streams ? work_->result.data() : next_->row(i3, i2);
      sum_rows(rows_around(work_->residuals, i3, i2), n, work_->sums());
      smoothed_row(*weights_, work_->iterates.row(i3, i2), work_->residuals.row(i3, i2),
                   work_->sums(), n, result);
      if (streams) {
        stream_row(result, n, next_->row(i3, i2));
      }
    }
  }

  const Weights* weights_;
  const Grid* coarse_;
  const Grid* u_;
  const Grid* v_;
  const Grid* next_;
  Workspace* work_;
};

/// One row of v - A u.
void form_residual_row(const Grid& u, const Grid& v, std::int64_t i3, std::int64_t i2,
                       Workspace& work, double* r) {
  sum_rows(rows_around(u, i3, i2), v.side(), work.sums());
  residual_row(v.row(i3, i2), u.row(i3, i2), work.sums(), v.side(), r);
}

/// coarse = P r with r = v - A u, or r = v where u is absent; also the sum of squares of r's planes
/// where it is wanted. One pass: reads u and v once.
class DownwardPass {
 public:
  DownwardPass(const Grid* u, const Grid& v, const Grid& coarse, double* squares, Workspace& work)
      : u_(u), v_(&v), coarse_(&coarse), squares_(squares), work_(&work) {}

  void run() const {
    const Range planes = my_share(coarse_->side());
    for_blocks(coarse_->side(), block_rows / 2, [&](std::int64_t first, std::int64_t end) {
      work_->residuals.begin_at(2 * first);
      for (std::int64_t plane = 2 * planes.begin; plane <= 2 * planes.end; ++plane) {
        form_residual(plane, 2 * first, 2 * end);
        if (squares_ != nullptr && plane < 2 * planes.end) {
          add_squares(plane, 2 * first, 2 * end);
        }
        if (plane % 2 == 0 && plane > 2 * planes.begin) {
          restrict_to(plane / 2 - 1, first, end);
        }
      }
    });
  }

 private:
  void form_residual(std::int64_t i3, std::int64_t first, std::int64_t end) const {
    for (std::int64_t i2 = first; i2 <= end; ++i2) {
      double* const r = work_->residuals.row(i3, i2);
      if (u_ == nullptr) {
        std::copy_n(v_->row(i3, i2), v_->side(), r);
      } else {
        form_residual_row(*u_, *v_, i3, i2, *work_, r);
      }
      wrap_ghosts(r, v_->side());
    }
  }

  void add_squares(std::int64_t i3, std::int64_t first, std::int64_t end) const {
    for (std::int64_t i2 = first; i2 < end; ++i2) {
      squares_[i3] += sum_of_squares(work_->residuals.row(i3, i2), v_->side());
    }
  }

  void restrict_to(std::int64_t c3, std::int64_t first, std::int64_t end) const {
    for (std::int64_t c2 = first; c2 < end; ++c2) {
      sum_rows(rows_around(work_->residuals, 2 * c3 + 1, 2 * c2 + 1), v_->side(), work_->sums());
      restricted_row(work_->residuals.row(2 * c3 + 1, 2 * c2 + 1), work_->sums(), v_->side(),
                     coarse_->row(c3, c2));
    }
  }

  const Grid* u_;
  const Grid* v_;
  const Grid* coarse_;
  double* squares_;
  Workspace* work_;
};

/// u = S r on the coarsest grid, by its few points.
void smooth_coarsest(const Weights& weights, const Grid& r, const Grid& u, Workspace& work) {
  const std::int64_t n = r.side();
  for (std::int64_t i3 = 0; i3 < n; ++i3) {
    for (std::int64_t i2 = 0; i2 < n; ++i2) {
      work.residuals.begin_at(0);
      double* const centre = work.residuals.row(0, 0);
      std::copy_n(r.row(i3, i2), n, centre);
      wrap_ghosts(centre, n);
      std::fill_n(work.mean.data(), n, 0.0);
      sum_rows(rows_around(r, i3, i2), n, work.sums());
      smoothed_row(weights, work.mean.data(), centre, work.sums(), n, u.row(i3, i2));
    }
  }
}

/// V-cycles in two passes a level: down with residual and restriction, up with interpolation,
/// residual and smoother. On the finest level no residual is ever stored.
class CpuMultigrid final : public Benchmark {
 public:
  CpuMultigrid(Class size, int threads)
      : size_(size),
        team_(threads),
        v_(mg_parameters(size).side, team_),
        next_(v_.side(), team_),
        squares_(static_cast<std::size_t>(v_.side()), 0.0) {
    for (int level = 1; level <= level_count(size); ++level) {
      u_.emplace_back(std::int64_t{1} << level, team_);
      if (level < level_count(size)) {
        r_.emplace_back(std::int64_t{1} << level, team_);
      }
    }
    const Charges charges = find_charges(size, threads);
    for (const Point& point : charges.positive) {
      v_.row(point.i3, point.i2)[point.i1] = 1.0;
    }
    for (const Point& point : charges.negative) {
      v_.row(point.i3, point.i2)[point.i1] = -1.0;
    }
  }

  void rewind() override { u_.back().clear(team_); }

  void warm_up() override { iterate(1); }

  void run() override { iterate(mg_parameters(size_).iterations); }

  std::vector<Check> checks() override { return checks_of(norm_, size_); }

  [[nodiscard]] Traffic traffic() const override {
    const MgParameters& mg = mg_parameters(size_);
    const auto points = static_cast<double>(mg.side * mg.side * mg.side);
    constexpr double coarse = 1.0 / 8.0;
    constexpr double levels = 1.0 / (1.0 - coarse);
    const double grid = points * 8.0;
    // Finest: down reads u and v, up reads u, v and the coarse u. Coarser: r for both, u is 0.
    const double finest_read = (2.0 + 2.0 + coarse) * grid;
    const double finest_written = (coarse + 1.0) * grid;
    const double coarser_read = (1.0 + 1.0 + coarse) * coarse * levels * grid;
    const double coarser_written = (coarse + 1.0) * coarse * levels * grid;
    return {mg.iterations * (finest_read + coarser_read) + 2.0 * grid,
            mg.iterations * (finest_written + coarser_written),
            facts_of({.size = size_}).operations};
  }

  [[nodiscard]] std::string traffic_model() const override {
    return "each level: down reads u and v and writes the coarse r, up reads u, v and the coarse u "
           "and writes u; r instead of u and v below the finest; one more reading of u and v";
  }

 private:
  void iterate(int iterations) {
    std::fill(squares_.begin(), squares_.end(), 0.0);
#pragma omp parallel num_threads(team_.threads())
    {
      Workspace work(v_.side());
      for (int n = 0; n < iterations; ++n) {
        cycle(work, n == 0);
      }
      // NPB's last residual, of which the norm alone is asked.
      measure_residual(work);
    }
    double sum = 0.0;
    for (const double squares : squares_) {
      sum += squares;
    }
    norm_ = std::sqrt(sum / static_cast<double>(v_.side() * v_.side() * v_.side()));
  }

  // From here on all threads of the team call.

  /// One V-cycle; the first forms the norm of the first residual too, as NPB does.
  void cycle(Workspace& work, bool first) {
    const std::size_t finest = u_.size() - 1;
    DownwardPass(&u_[finest], v_, r_[finest - 1], first ? squares_.data() : nullptr, work).run();
#pragma omp barrier
    for (std::size_t level = finest - 1; level > 0; --level) {
      DownwardPass(nullptr, r_[level], r_[level - 1], nullptr, work).run();
#pragma omp barrier
    }
#pragma omp single
    smooth_coarsest(smoother_weights(size_), r_[0], u_[0], work);
    for (std::size_t level = 1; level < finest; ++level) {
      UpwardPass(smoother_weights(size_), u_[level - 1], nullptr, r_[level], u_[level], work).run();
#pragma omp barrier
    }
    UpwardPass(smoother_weights(size_), u_[finest - 1], &u_[finest], v_, next_, work).run();
#pragma omp barrier
#pragma omp single
    u_[finest].swap(next_);
  }

  void measure_residual(Workspace& work) {
    const Range planes = my_share(v_.side());
    work.residuals.begin_at(0);
    double* const r = work.residuals.row(0, 0);
    for (std::int64_t i3 = planes.begin; i3 < planes.end; ++i3) {
      double sum = 0.0;
      for (std::int64_t i2 = 0; i2 < v_.side(); ++i2) {
        form_residual_row(u_.back(), v_, i3, i2, work, r);
        sum += sum_of_squares(r, v_.side());
      }
      squares_[static_cast<std::size_t>(i3)] = sum;
    }
  }

  Class size_;
  Team team_;
  Grid v_;
  Grid next_;                    ///< the finest u of the next cycle
  std::vector<Grid> u_;          ///< the coarsest first
  std::vector<Grid> r_;          ///< of all levels but the finest
  std::vector<double> squares_;  ///< of the residual's planes
  double norm_ = 0.0;
};

}  // namespace

std::unique_ptr<Benchmark> make_cpu(Class size, int threads) {
  return std::make_unique<CpuMultigrid>(size, threads);
}

}  // namespace bankfull::npb::mg
