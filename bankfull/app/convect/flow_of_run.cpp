#include "bankfull/app/convect/flow_of_run.hpp"

#include "bankfull/app/convect/case_file.hpp"
#include "bankfull/app/convect/checkpoint_file.hpp"
#include "bankfull/app/convect/checkpoints.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/printable.hpp"
#include "bankfull/workloads/convection/transferred_flow.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <vector>

namespace bankfull::convect {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_path_length = 300;

std::vector<fs::path> checkpoints_of(const std::string& run) {
  std::error_code error;
  const fs::path path = run;
  if (fs::is_regular_file(path, error)) {
    return {path};
  }
  std::vector<fs::path> files = checkpoints_in(path / "checkpoint");
  require(!files.empty(), "there is no checkpoint in " + (path / "checkpoint").string(),
          "name the folder of a run that had [checkpoint], or a file in its checkpoint/");
  return files;
}

std::unique_ptr<CheckpointReader> newest(const std::vector<fs::path>& files,
                                         const std::function<void(const std::string&)>& warn) {
  std::string why;
  for (const fs::path& file : files) {
    try {
      return std::make_unique<CheckpointReader>(file);
    } catch (const RuntimeFailure& failure) {
      why = failure.what();
      if (file != files.back()) {
        warn(why + "; the one before is tried");
      }
    }
  }
  throw UsageError("there is no checkpoint to begin with: " + why, "name another run");
}

Case case_of(const CheckpointReader& saved) {
  try {
    return parse_case(saved.header().resolved_case, saved.path().string(), {});
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("the case of that run cannot be read: {}", error.what()),
                     "name another run");
  }
}

bool has(const convection::Problem& problem, const std::string& scalar) {
  return std::ranges::find(problem.scalars, scalar, &convection::Scalar::name) !=
         problem.scalars.end();
}

void require_begun(const Case& wanted, const convection::Problem& other) {
  for (const convection::Scalar& scalar : wanted.problem.scalars) {
    require(has(other, scalar.name) || wanted.own_initial.contains(scalar.name),
            "that run has no " + scalar.name,
            fmt::format("give initial.{}, if only 0", scalar.name));
  }
}

/// What a case says of scalars that come from another run: ", in place of initial.temperature".
std::string replaced_values(const Case& wanted, const convection::Problem& other) {
  std::string replaced;
  for (const std::string& scalar : wanted.own_initial) {
    if (has(other, scalar)) {
      replaced += (replaced.empty() ? ", in place of initial." : ", initial.") + scalar;
    }
  }
  return replaced;
}

class SavedFlow final : public FlowOfRun {
 public:
  SavedFlow(const Case& wanted, const std::function<void(const std::string&)>& warn);

  [[nodiscard]] std::int64_t host_bytes() const override {
    return convection::TransferredFlow::held_bytes(other_.problem);
  }

  void begin(const convection::Plan& plan) override {
    flow_ = std::make_unique<convection::TransferredFlow>(plan.problem(), plan.grid(),
                                                          other_.problem, *saved_);
  }

  [[nodiscard]] const convection::FlowReader& flow() const override { return *flow_; }
  [[nodiscard]] std::string told() const override;

 private:
  std::unique_ptr<CheckpointReader> saved_;
  Case other_;
  std::string replaced_;  ///< initial values of the case, as the end of a message
  std::unique_ptr<convection::TransferredFlow> flow_;
};

SavedFlow::SavedFlow(const Case& wanted, const std::function<void(const std::string&)>& warn) {
  about("initial.from", [&] {
    saved_ = newest(checkpoints_of(wanted.from), warn);
    other_ = case_of(*saved_);
    require_begun(wanted, other_.problem);
    replaced_ = replaced_values(wanted, other_.problem);
    try {
      saved_->require_fields(other_.problem, convection::Grid(other_.problem.axes));
    } catch (const RuntimeFailure& failure) {
      throw UsageError(failure.what(), "name another run");
    }
  });
}

std::string SavedFlow::told() const {
  const CheckpointHeader& header = saved_->header();
  const auto& axes = other_.problem.axes;
  return fmt::format("begins with step {}, time {:.6g}, of {}, on {}x{}x{} cells{}", header.step,
                     header.time, printable(saved_->path().string(), max_path_length),
                     axes[0].cells, axes[1].cells, axes[2].cells, replaced_);
}

}  // namespace

std::unique_ptr<FlowOfRun> flow_of_run(const Case& wanted,
                                       const std::function<void(const std::string&)>& warn) {
  return std::make_unique<SavedFlow>(wanted, warn);
}

}  // namespace bankfull::convect
