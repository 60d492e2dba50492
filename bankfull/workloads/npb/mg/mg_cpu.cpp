#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/memory/resident.hpp"
#include "bankfull/workloads/npb/mg/coarse_grids.hpp"

#include <cmath>
#include <numeric>
#include <span>

namespace bankfull::npb::mg {
namespace {

double count_as_double(const Extents& points) { return static_cast<double>(points.count()); }

/// V-cycles in two passes per level: down with residual and restriction, up with interpolation,
/// residual and smoother. On the finest level no residual is ever stored.
class CpuMultigrid final : public Benchmark {
 public:
  CpuMultigrid(const Problem& problem, const Communicator& ranks, const Blocks& blocks)
      : Benchmark(Kernel::mg, problem.size),
        operators_(operators_of(problem)),
        ranks_(ranks),
        team_(problem.threads),
        blocks_(blocks),
        finest_(blocks_.at(blocks_.finest())),
        workspaces_(team_, blocks_.longest_sides()),
        v_(block(), blocks_.cuts(), team_),
        u_(block(), blocks_.cuts(), team_),
        next_(block(), blocks_.cuts(), team_),
        coarse_(ranks, blocks_, team_),
        u_halo_(ranks, finest_, u_, Grid::ghosts, team_),
        squares_(static_cast<std::size_t>(v_.planes() * v_.rows()), 0.0) {
    const Charges charges = find_charges(size(), problem.threads, ranks);
    place(charges.positive, 1.0);
    place(charges.negative, -1.0);
    Halo(ranks, finest_, v_, 1, team_).exchange(v_);
  }

  void rewind() override { u_.clear(team_); }

  void warm_up() override { iterate(1); }

  void run() override { iterate(mg_parameters(size()).iterations); }

  std::vector<Check> checks() override { return checks_of(norm_, size()); }

  [[nodiscard]] Work work() const override {
    return {.traffic = traffic_of(size(), block().count()),
            .model = traffic_model(),
            .working_set_bytes = working_set_bytes(block().count())};
  }

 private:
  [[nodiscard]] Extents block() const { return blocks_.block(blocks_.finest()); }

  void place(std::span<const Point> points, double charge) const {
    const Box mine = finest_.block(ranks_.rank());
    for (const Point& point : points) {
      if (point.i3 >= mine.i0 && point.i3 < mine.i1 && point.i2 >= mine.j0 && point.i2 < mine.j1 &&
          point.i1 >= mine.k0 && point.i1 < mine.k1) {
        v_.row(point.i3 - mine.i0, point.i2 - mine.j0)[point.i1 - mine.k0] = charge;
      }
    }
  }

  void iterate(int iterations) {
    in_units(pauses(), iterations, [&](std::int64_t n) { cycle(n == 0); });
    // NPB's last residual, of which only the norm is needed.
    workspaces_.run([this](Workspace& work) { measure_residual(work); });
    norm_ = norm();
  }

  /// One V-cycle; the first forms the norm of the first residual too, as NPB does.
  void cycle(bool first) {
    workspaces_.run([&](Workspace& work) {
      DownwardPass(operators_, &u_, v_, coarse_.residual(), first ? squares_.data() : nullptr, work)
          .run();
    });
    if (first) {
      norm_ = norm();
    }
    coarse_.solve(operators_, workspaces_);
    workspaces_.run([&](Workspace& work) {
      UpwardPass(operators_, coarse_.correction(), &u_, v_, next_, work).run();
    });
    u_.swap(next_);
    u_halo_.exchange(u_);
  }

  /// By all threads.
  void measure_residual(Workspace& work) {
    constexpr std::int64_t beyond = 2;  // planes of u
    const std::int64_t block = block_rows(v_.columns());
    const PassShare mine = my_pass_share({v_.planes(), v_.rows(), block, beyond});
    for_blocks(mine.rows, block, [&](std::int64_t first, std::int64_t end) {
      work.residuals.begin_at(first);
      for (std::int64_t i3 = mine.planes.begin; i3 < mine.planes.end; ++i3) {
        form_residual_rows(operators_.difference, u_, v_, i3, {first, end}, 0, work);
        for (std::int64_t i2 = first; i2 < end; ++i2) {
          squares_[static_cast<std::size_t>(i3 * v_.rows() + i2)] =
              sum_of_squares(work.residuals.row(i3, i2), v_.columns());
        }
      }
    });
  }

  /// Collective. Rows are added plane by plane, in the same order on any number of threads.
  [[nodiscard]] double norm() const {
    double sum = 0.0;
    for (auto plane = squares_.begin(); plane != squares_.end(); plane += v_.rows()) {
      sum += std::accumulate(plane, plane + v_.rows(), 0.0);
    }
    return std::sqrt(ranks_.sum(sum) / count_as_double(finest_.cells()));
  }

  Operators operators_;
  const Communicator& ranks_;
  Team team_;
  Blocks blocks_;
  Decomposition finest_;
  ThreadWorkspaces workspaces_;
  Grid v_;
  Grid u_;
  Grid next_;  ///< the u of the next cycle
  CoarseGrids coarse_;
  Halo u_halo_;
  std::vector<double> squares_;  ///< of the residual's rows
  double norm_ = 0.0;
};

}  // namespace

std::int64_t cpu_memory_bytes(Class size, int threads, int ranks) {
  const Blocks blocks(size, ranks);
  const Extents finest = blocks.block(blocks.finest());
  // Outgoing and incoming messages of u and a coarse r, which are small compared with the grids.
  const std::int64_t halo =
      blocks.is_cut() ? busiest_halo_cells(blocks.at(blocks.finest()), halo_shape(Grid::ghosts))
                      : 0;
  constexpr std::int64_t messages = 4;
  return 3 * resident_bytes(Grid::bytes(finest)) + CoarseGrids::bytes(blocks) +
         messages * halo * static_cast<std::int64_t>(sizeof(double)) +
         threads * Workspace::bytes(blocks.longest_sides());
}

std::unique_ptr<Benchmark> make_cpu(const Problem& problem, const Communicator& ranks) {
  return make_cpu(problem, ranks, Blocks(problem.size, ranks.size()));
}

std::unique_ptr<Benchmark> make_cpu(const Problem& problem, const Communicator& ranks,
                                    const Blocks& blocks) {
  return std::make_unique<CpuMultigrid>(problem, ranks, blocks);
}

}  // namespace bankfull::npb::mg
