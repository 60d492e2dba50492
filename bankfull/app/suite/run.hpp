#pragma once

#include "bankfull/app/suite/record.hpp"
#include "bankfull/core/comm/communicator.hpp"

#include <filesystem>
#include <functional>

namespace bankfull::suite {

/// What a run of a suite tells while it goes on; on the root.
struct Listener {
  std::function<void(const RecordedStep&)> begins = {};
  std::function<void(const RecordedStep&)> ended = {};
};

/// Collective: does the steps of `record` that are left, each with its result and what it printed
/// in `folder`, and keeps suite.json there up to date. No step begins after `seconds`. A step that
/// a signal ends is the last one. Returns the gravest code of all steps, also of an earlier call's:
/// interrupted, or verification_failed, or runtime_failure, or ok.
ExitCode run(Record& record, const std::filesystem::path& folder, double seconds,
             const Communicator& ranks, const Listener& listener);

}  // namespace bankfull::suite
