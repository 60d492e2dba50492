#include "bankfull/workloads/npb/mg/mg.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/exec/run_on_team.hpp"
#include "bankfull/workloads/npb/generator.hpp"
#include "bankfull/workloads/npb/mg/blocks.hpp"
#include "bankfull/workloads/npb/mg/rows.hpp"
#include "bankfull/workloads/npb/mg/traffic.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <utility>

namespace bankfull::npb::mg {
namespace {

constexpr double tolerance = 1e-8;
constexpr std::size_t charge_count = 10;

Weights scaled(Weights weights, double scale) {
  for (double& weight : weights) {
    weight *= scale;
  }
  return weights;
}

struct Candidate {
  double value;
  std::int64_t position;
};

bool is_larger(const Candidate& a, const Candidate& b) { return a.value > b.value; }
bool is_smaller(const Candidate& a, const Candidate& b) { return a.value < b.value; }

using Order = bool (*)(const Candidate&, const Candidate&);

/// The first few of many candidates in an order.
class Leaders {
 public:
  explicit Leaders(Order before) : before_(before) {}

  void offer(const Candidate& candidate) {
    if (best_.size() == charge_count && !before_(candidate, best_.back())) {
      return;
    }
    best_.insert(std::upper_bound(best_.begin(), best_.end(), candidate, before_), candidate);
    best_.resize(std::min(best_.size(), charge_count));
  }

  void offer(const Leaders& others) {
    for (const Candidate& candidate : others.best_) {
      offer(candidate);
    }
  }

  /// Collective: of all ranks.
  void gather(const Communicator& ranks) {
    for (const std::vector<Candidate>& best : ranks.all_gather(std::exchange(best_, {}))) {
      for (const Candidate& candidate : best) {
        offer(candidate);
      }
    }
  }

  [[nodiscard]] std::array<Point, charge_count> points(std::int64_t side) const {
    std::array<Point, charge_count> points{};
    for (std::size_t n = 0; n < charge_count; ++n) {
      const std::int64_t p = best_[n].position;
      points[n] = {p % side, p / side % side, p / (side * side)};
    }
    return points;
  }

 private:
  Order before_;
  std::vector<Candidate> best_;
};

}  // namespace

const Weights& smoother_weights(Class size) {
  static constexpr Weights small{-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0};
  static constexpr Weights large{-3.0 / 17.0, 1.0 / 33.0, -1.0 / 61.0, 0.0};
  return size == Class::s || size == Class::w || size == Class::a ? small : large;
}

Operators operators_of(const Problem& problem) {
  return {scaled(operator_weights, 1.0 + problem.perturbation), smoother_weights(problem.size)};
}

Weights perturbed_smoother(const Problem& problem) {
  return scaled(smoother_weights(problem.size), 1.0 + problem.perturbation);
}

int level_count(Class size) {
  return std::countr_zero(static_cast<std::uint64_t>(mg_parameters(size).side));
}

Charges find_charges(Class size, int threads, const Communicator& ranks) {
  const std::int64_t side = mg_parameters(size).side;
  const Range drawn = share(side * side * side, ranks.rank(), ranks.size());
  std::vector<Leaders> largest_of(static_cast<std::size_t>(threads), Leaders(is_larger));
  std::vector<Leaders> smallest_of(static_cast<std::size_t>(threads), Leaders(is_smaller));
  run_on_team(Team(threads), [&] {
    const Range mine = my_share(drawn.size());
    const std::int64_t first = drawn.begin + mine.begin;
    Generator generator(common_seed, static_cast<std::uint64_t>(first));
    Leaders own_largest(is_larger);
    Leaders own_smallest(is_smaller);
    for (std::int64_t n = first; n < drawn.begin + mine.end; ++n) {
      const Candidate candidate{generator.draw(), n};
      own_largest.offer(candidate);
      own_smallest.offer(candidate);
    }
    const auto own = static_cast<std::size_t>(share_number());
    largest_of[own] = std::move(own_largest);
    smallest_of[own] = std::move(own_smallest);
  });
  Leaders largest(is_larger);
  Leaders smallest(is_smaller);
  for (std::size_t thread = 0; thread < largest_of.size(); ++thread) {
    largest.offer(largest_of[thread]);
    smallest.offer(smallest_of[thread]);
  }
  largest.gather(ranks);
  smallest.gather(ranks);
  return {largest.points(side), smallest.points(side)};
}

std::vector<Check> checks_of(double residual_norm, Class size) {
  return {npb_check(Kernel::mg, size, "norm of the residual", residual_norm,
                    mg_parameters(size).residual_norm, tolerance)};
}

Traffic traffic_of(Class size, std::int64_t points, Turn turn) {
  const int iterations = mg_parameters(size).iterations;
  // The first residual is formed on the way down, of the last one only the norm is needed.
  const Traffic first_norm{.flops = RowFlops::square * static_cast<double>(points)};
  Traffic all = iterations * cycle_traffic(points, level_count(size)) + first_norm +
                residual_norm_traffic(points);
  if (turn == Turn::one_pass) {
    const Traffic one = turn_traffic(points);
    const Traffic two = upward_traffic(points, Start::u) + downward_traffic(points, Start::u);
    all.bytes_read -= (iterations - 1) * (two.bytes_read - one.bytes_read);
  }
  return all;
}

std::string traffic_model(Turn turn) {
  const std::string two_passes =
      "each level: down reads u and v and writes the coarse r, up reads u, v and the coarse u "
      "and writes u; r instead of u and v below the finest; one more reading of u and v; halos "
      "not counted";
  return turn == Turn::two_passes
             ? two_passes
             : two_passes + "; on the finest level up and the next down read u and v once";
}

Facts facts_of(const Problem& problem) {
  const MgParameters& mg = mg_parameters(problem.size);
  constexpr double operations_per_point = 58.0;
  const std::int64_t points = mg.side * mg.side * mg.side;
  return {.size = fmt::format("{0}x{0}x{0}", mg.side),
          .iterations = mg.iterations,
          .operations = operations_per_point * mg.iterations * static_cast<double>(points),
          .operation = "floating point"};
}

WorkBytes work_bytes(const Problem& problem, int ranks) {
  const std::int64_t side = mg_parameters(problem.size).side;
  const std::int64_t points = side * side * side;
  const auto set = static_cast<std::int64_t>(working_set_bytes(points / ranks));
  if constexpr (build::cuda) {
    if (problem.device.is_cuda()) {
      return {.device = cuda_memory_bytes(problem, ranks), .working_set = set};
    }
  }
  if (problem.schedule == Schedule::reference) {
    // v, u and r on all levels, and the zeros that replace u.
    return {.device = (1 + 1) * points * 8 + 2 * points * 8 * 8 / 7};
  }
  return {.device = cpu_memory_bytes(problem.size, problem.threads, ranks), .working_set = set};
}

std::string refusal_of_ranks(const Problem& problem, int ranks) {
  return Blocks::refusal_of(problem.size, ranks);
}

}  // namespace bankfull::npb::mg
