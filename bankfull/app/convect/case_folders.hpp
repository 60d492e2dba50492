#pragma once

namespace bankfull::convect {

/// Where this build and its installation keep the ready cases.
struct CaseFolders {
  const char* from_program;    ///< relative to the folder of the installed program
  const char* in_source_tree;  ///< absolute
};

CaseFolders case_folders();

}  // namespace bankfull::convect
