#pragma once

namespace bankfull::accept {

/// Where this build and its installation keep the baselines.
struct BaselineFolders {
  const char* from_program;    ///< relative to the folder of the installed program
  const char* in_source_tree;  ///< absolute
};

BaselineFolders baseline_folders();

}  // namespace bankfull::accept
