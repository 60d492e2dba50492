#include "bankfull/app/accept/run.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "tests/mpi_main.hpp"
#include "tests/temporary_folder.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

// Ranks stand for nodes with a GPU each, whose rates are made up: what `accept --each` says of
// them.

namespace bankfull::accept {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double rate = 100.0;
constexpr double scatter = 0.01;  ///< readings differ by as much, as those of quiet GPUs do

/// A node whose GPU has this part of the rate.
class Node {
 public:
  Node(double part, std::uint64_t seed) : part_(part), seed_(seed) {}

  GaugeRun run(const Gauge& gauge) {
    const double uniform = static_cast<double>(random_bits(seed_, draws_++) >> 11) * 0x1p-53;
    const int rank = test_ranks().rank();
    ++runs_;
    return {.name = {.model = "GPU of a test",
                     .host = fmt::format("node-{}", rank),
                     .device = "cuda:0",
                     .board = fmt::format("GPU-{}", rank)},
            .readings = {{.gauge = gauge.name,
                          .rate = part_ * rate * (1.0 + scatter * (uniform - 0.5)),
                          .unit = "GB/s"}}};
  }

  [[nodiscard]] int runs() const { return runs_; }

 private:
  double part_;
  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  int runs_ = 0;
};

Baseline baseline_of_test() {
  Baseline baseline{.model = "GPU of a test", .from = "a test"};
  for (const Gauge& gauge : gauges_of(Device::cuda(0), 1)) {
    baseline.entries.push_back({.gauge = gauge.name,
                                .unit = "GB/s",
                                .median = rate,
                                .spread = scatter,
                                .boards = 8,
                                .runs = 24});
  }
  return baseline;
}

class AcceptEach : public testing::Test {
 protected:
  /// Collective.
  Acceptance accept_nodes(GaugeRunner run, const std::optional<Baseline>& baseline) {
    return accept({.device = Device::cuda(0),
                   .each = true,
                   .baseline = baseline,
                   .folder = folder_.path(),
                   .run_gauge = std::move(run),
                   .use = [this](Device) { return use_; }},
                  test_ranks(), [](const std::string&) {});
  }

  /// Collective: as above; one rank has a part of the rate.
  Acceptance with_slow(int slow, double part, const std::optional<Baseline>& baseline,
                       std::uint64_t seed = 1) {
    const int rank = test_ranks().rank();
    Node node(rank == slow ? part : 1.0, 1000 * seed + static_cast<std::uint64_t>(rank));
    Acceptance found =
        accept_nodes([&](const Gauge& gauge, auto&) { return node.run(gauge); }, baseline);
    runs_ = node.runs();
    return found;
  }

  /// Hosts of devices that are not good.
  static std::vector<std::string> named(const Acceptance& acceptance) {
    std::vector<std::string> hosts;
    for (const DeviceReport& report : acceptance.devices) {
      if (report.verdict() != Finding::good) {
        hosts.push_back(report.name.host);
      }
    }
    return hosts;
  }

  TemporaryFolder folder_;
  int runs_ = 0;
  double use_ = 0.0;  ///< of this rank's GPU by others
};

TEST_F(AcceptEach, NamesTheSlowNodeAndNoOther) {
  for (std::uint64_t trial = 0; trial < 20; ++trial) {
    const int slow = static_cast<int>(trial) % test_ranks().size();
    const Acceptance found = with_slow(slow, 0.95, baseline_of_test(), trial);
    EXPECT_THAT(named(found), ElementsAre(fmt::format("node-{}", slow)));
    EXPECT_EQ(found.code, ExitCode::below_threshold);
    const DeviceReport& report = found.devices[static_cast<std::size_t>(slow)];
    EXPECT_EQ(report.name.board, fmt::format("GPU-{}", slow));
    for (const Judgement& judgement : report.judgements) {
      EXPECT_EQ(judgement.finding, Finding::slow);
      EXPECT_NEAR(judgement.of_baseline.value_or(0.0), 0.95, scatter);
      EXPECT_NEAR(judgement.of_others.value_or(0.0), 0.95, scatter);
    }
  }
}

TEST_F(AcceptEach, ComparesNodesWhereThereIsNoBaseline) {
  const Acceptance found = with_slow(1, 0.9, std::nullopt);
  EXPECT_THAT(named(found), ElementsAre("node-1"));
  EXPECT_EQ(found.code, ExitCode::below_threshold);
}

TEST_F(AcceptEach, RaisesNoAlarmOnEqualNodes) {
  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    const Acceptance found = with_slow(-1, 1.0, baseline_of_test(), trial);
    EXPECT_THAT(named(found), IsEmpty());
    EXPECT_EQ(found.code, ExitCode::ok);
  }
  EXPECT_EQ(runs_, static_cast<int>(gauges_of(Device::cuda(0), 1).size()));  // nothing again
}

TEST_F(AcceptEach, MeasuresAllAgainWhereOneMisses) {
  with_slow(0, 0.9, baseline_of_test());
  EXPECT_EQ(runs_,
            (1 + confirming_rounds) * static_cast<int>(gauges_of(Device::cuda(0), 1).size()));
}

/// One that was disturbed once only is measured again, and is well.
TEST_F(AcceptEach, TakesNoSingleMissForALoss) {
  const int rank = test_ranks().rank();
  Node quiet(1.0, static_cast<std::uint64_t>(rank));
  Node slowed(rank == 0 ? 0.8 : 1.0, static_cast<std::uint64_t>(rank));
  std::map<std::string, int> runs;
  const Acceptance found = accept_nodes(
      [&](const Gauge& gauge, auto&) {
        return runs[gauge.name]++ == 0 ? slowed.run(gauge) : quiet.run(gauge);
      },
      baseline_of_test());
  EXPECT_THAT(named(found), IsEmpty());
}

/// Another process may take half of a GPU as steadily as a fault.
TEST_F(AcceptEach, DoesNotCallAGpuSlowThatOthersUse) {
  use_ = test_ranks().rank() == 2 ? 0.97 : 0.01;
  const Acceptance found = with_slow(2, 0.5, baseline_of_test());
  EXPECT_THAT(named(found), ElementsAre("node-2"));
  EXPECT_EQ(found.devices[2].verdict(), Finding::disturbed);
  EXPECT_DOUBLE_EQ(found.devices[2].use_before, 0.97);
  EXPECT_EQ(found.code, ExitCode::below_threshold);
}

TEST_F(AcceptEach, TellsOfARunThatFailed) {
  const int rank = test_ranks().rank();
  Node node(1.0, static_cast<std::uint64_t>(rank));
  const Acceptance found = accept_nodes(
      [&](const Gauge& gauge, auto&) {
        return rank == 1 ? GaugeRun{.code = ExitCode::verification_failed,
                                    .message = gauge.name + " failed"}
                         : node.run(gauge);
      },
      baseline_of_test());
  EXPECT_EQ(found.code, ExitCode::verification_failed);
  EXPECT_THAT(found.devices[1].message, testing::HasSubstr("failed"));
}

}  // namespace
}  // namespace bankfull::accept
