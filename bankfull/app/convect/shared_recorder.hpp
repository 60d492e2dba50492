#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/workloads/convection/run.hpp"

#include <cstdint>
#include <functional>

namespace bankfull::convect {

/// The recorder of a run that several ranks share: the root's writes, and where it reads the flow,
/// which takes all ranks, the others read along. Each rank has one; the root's asks for parts, one
/// at a time, until it has what it needs. Cells of checkpoints are written by all ranks, each its
/// own, where all see the file.
class SharedRecorder final : public convection::Recorder {
 public:
  /// `writer`: the root's; null on the others. Both outlive the recorder. `threads`: of each rank
  /// that write what it has of a checkpoint.
  SharedRecorder(const Communicator& ranks, convection::Recorder* writer, int threads)
      : ranks_(ranks), writer_(writer), threads_(threads) {}

  void begin() override;
  void record(const convection::SeriesRow& row) override;
  void snapshot(const convection::SnapshotMoment& moment, const convection::Grid& grid,
                const convection::FlowReader& flow) override;
  [[nodiscard]] bool wants_statistics() override;
  void statistics(const convection::StatisticsSoFar& all) override;
  void probe(const convection::ProbeReading& reading) override;
  void fields(const convection::FieldMoment& moment, const convection::ToldFlow& flow) override;
  void finish_reading() noexcept override;
  void checkpoint(const convection::CheckpointMoment& moment,
                  const std::function<void(convection::StateWriter&)>& save) override;

 private:
  /// write(flow) on the root, where flow.read takes the other ranks along.
  void write_flow(const convection::FlowReader& flow,
                  const std::function<void(const convection::FlowReader&)>& write) const;

  const Communicator& ranks_;
  convection::Recorder* writer_;
  int threads_;
};

}  // namespace bankfull::convect
