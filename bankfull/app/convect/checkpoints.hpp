#pragma once

#include "bankfull/workloads/convection/problem.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::convect {

/// So many are kept: the last one and, should it be damaged, the one before.
inline constexpr std::size_t kept_checkpoints = 2;

/// "step-0000001200.h5": names in order are steps in order.
std::string checkpoint_name(std::int64_t step);

/// Whether a name is that of a checkpoint, or of one that was being written.
bool is_checkpoint_name(const std::string& name);
bool is_temporary_checkpoint(const std::string& name);

/// The checkpoints in a folder, the last step first; none where the folder is not there.
std::vector<std::filesystem::path> checkpoints_in(const std::filesystem::path& folder);

/// Threads that convert the values of a checkpoint and form its checksums: as many as keep up with
/// a disk, for the run waits.
int threads_of_checkpoints(const convection::Problem& problem);

/// Takes away all but the last ones, and what killed runs left. What cannot be removed stays.
void remove_old_checkpoints(const std::filesystem::path& folder);

/// Throws UsageError where this program was built without what checkpoints need: "<what> needs
/// HDF5, ...".
void require_checkpoints(const std::string& what);

}  // namespace bankfull::convect
