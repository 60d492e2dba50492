#include "bankfull/workloads/probe/node_pairs.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/pinned_threads.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/probe/latency.hpp"
#include "bankfull/workloads/probe/pair_matrix.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <span>

namespace bankfull::probe {
namespace {

constexpr std::int64_t max_node_bytes = std::int64_t{1} << 30;
constexpr std::int64_t quick_node_bytes = std::int64_t{256} << 20;
constexpr std::int64_t max_node_chain = std::int64_t{1} << 21;  // nodes: more take long to permute
constexpr std::uint64_t node_period = 8;

/// Element n of what is read: a small integer.
constexpr std::uint64_t node_element(std::int64_t n) {
  return static_cast<std::uint64_t>(n) % node_period;
}

/// Independent sums of vectors: a single one would measure the latency of the adder.
std::uint64_t sum_of_part(std::span<const std::uint64_t> part) {
  constexpr std::size_t width = 32;
  std::uint64_t sums[width] = {};
  const std::size_t whole = part.size() / width * width;
  for (std::size_t n = 0; n < whole; n += width) {
#pragma omp simd
    for (std::size_t lane = 0; lane < width; ++lane) {
      sums[lane] += part[n + lane];
    }
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t lane : sums) {
    sum += lane;
  }
  for (std::size_t n = whole; n < part.size(); ++n) {
    sum += part[n];
  }
  return sum;
}

std::uint64_t known_sum_of(const Range& range) {
  std::uint64_t sum = 0;
  constexpr auto period = static_cast<std::int64_t>(node_period);
  const std::int64_t whole = range.size() / period;
  for (std::int64_t n = 0; n < range.size() % period; ++n) {
    sum += node_element(range.begin + whole * period + n);
  }
  return sum + static_cast<std::uint64_t>(whole) * (node_period * (node_period - 1) / 2);
}

/// Memory that will lie on a node once it is touched.
Memory memory_on(int node, std::int64_t bytes) {
  Memory memory(MemorySpace::host, static_cast<std::size_t>(bytes));
  ask_for_pages(memory, HostPages::huge);
  if (!bind_to_node(memory, node)) {
    throw RuntimeFailure("the system does not bind memory to NUMA node " + std::to_string(node));
  }
  return memory;
}

/// One node of the threads with all nodes of the memory.
void measure_row(const Problem& problem, const NumaNode& threads,
                 const std::vector<NumaNode>& nodes, std::vector<PairMatrix>& matrices,
                 std::int64_t& wrong, int& misplaced) {
  const std::int64_t bytes = node_bytes(problem);
  for (const NumaNode& memory : nodes) {
    NodeReads reads = read_node(threads, memory.number, bytes, std::min(problem.repeats, 10));
    wrong += reads.wrong_sums;
    misplaced += reads.lies_there ? 0 : 1;
    matrices[0].pairs.push_back({threads.number, memory.number, std::move(reads.seconds)});
    matrices[1].pairs.push_back(
        {threads.number, memory.number,
         node_latency(threads, memory.number, bytes, std::min(problem.repeats, 5))});
  }
}

std::vector<PairMatrix> empty_matrices(std::int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  return {{.name = "NUMA read",
           .first_name = "threads_on_node",
           .second_name = "memory_on_node",
           .bytes = size,
           .model = "the array once, by all cores of the node",
           .working_set_bytes = size},
          {.name = "NUMA latency",
           .first_name = "threads_on_node",
           .second_name = "memory_on_node",
           .model = "one dependent load",
           .working_set_bytes = size}};
}

}  // namespace

NodeReads read_node(const NumaNode& threads, int memory_node, std::int64_t bytes, int repeats) {
  const Memory memory = memory_on(memory_node, bytes);
  const auto count = bytes / static_cast<std::int64_t>(sizeof(std::uint64_t));
  const std::span<std::uint64_t> all(static_cast<std::uint64_t*>(memory.data()),
                                     static_cast<std::size_t>(count));
  const auto members = static_cast<int>(threads.processors.size());
  std::barrier together(members);
  std::atomic<std::int64_t> wrong{0};
  NodeReads reads;
  run_pinned(threads.processors, [&](int thread) {
    const Range range = share(count, thread, members);
    const auto part =
        all.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
    for (std::int64_t n = range.begin; n < range.end; ++n) {
      all[static_cast<std::size_t>(n)] = node_element(n);
    }
    for (int pass = 0; pass <= repeats; ++pass) {
      together.arrive_and_wait();
      const Stopwatch watch;
      const std::uint64_t sum = sum_of_part(part);
      wrong += sum == known_sum_of(range) ? 0 : 1;
      together.arrive_and_wait();
      if (thread == 0 && pass > 0) {
        reads.seconds.push_back(watch.seconds());
      }
    }
  });
  reads.wrong_sums = wrong;
  reads.lies_there = lies_on_node(memory, memory_node);
  return reads;
}

std::vector<double> node_latency(const NumaNode& threads, int memory_node, std::int64_t bytes,
                                 int repeats) {
  std::vector<double> seconds;
  run_pinned({threads.processors.front()}, [&](int) {
    const auto chase = make_chase_in(memory_on(memory_node, bytes));
    const std::int64_t line = line_bytes(Device::cpu());
    const ChainLayout layout = make_layout(bytes, line, line, max_node_chain);
    chase->build(layout, random_cycle(layout.nodes, 2008));
    constexpr std::int64_t loads = std::int64_t{1} << 15;
    chase->seconds(loads);
    for (int n = 0; n < repeats; ++n) {
      seconds.push_back(chase->seconds(loads) / static_cast<double>(loads));
    }
  });
  return seconds;
}

std::int64_t node_bytes(const Problem& problem) {
  const std::int64_t most = problem.quick ? quick_node_bytes : max_node_bytes;
  return std::min(problem.footprint_to, most) / 64 * 64;
}

void measure_node_pairs(const Problem& problem, const RunContext& context,
                        const Experiment& experiment, RunResult& result) {
  const std::vector<NumaNode> nodes = survey_numa_nodes();
  if (nodes.empty()) {
    result.notes.emplace_back("NUMA nodes not measured: the program was built without hwloc");
    return;
  }
  std::vector<PairMatrix> matrices = empty_matrices(node_bytes(problem));
  std::int64_t wrong = 0;
  int misplaced = 0;
  try {
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      context.begin("NUMA nodes", static_cast<double>(n), static_cast<double>(nodes.size()));
      measure_row(problem, nodes[n], nodes, matrices, wrong, misplaced);
    }
  } catch (const RuntimeFailure& failure) {
    // Containers may forbid it; the other parts do not need it.
    result.notes.push_back(std::string("NUMA nodes not measured: ") + failure.what());
    return;
  }
  for (const PairMatrix& matrix : matrices) {
    publish_matrix(matrix, experiment, result);
  }
  if (misplaced > 0) {
    result.notes.push_back("NUMA nodes: for " + std::to_string(misplaced) +
                           " pairs the system does not confirm that the memory lies on its node");
  }
  result.checks.push_back({.name = "NUMA reads: wrong sums",
                           .value = static_cast<double>(wrong),
                           .source = "small integers, summed exactly"});
}

}  // namespace bankfull::probe
