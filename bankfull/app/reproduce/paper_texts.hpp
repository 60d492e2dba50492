#pragma once

#include <string>
#include <vector>

namespace bankfull::reproduce {

struct PaperText {
  std::string file;
  std::string text;
};

/// The files of papers/, as they were when the program was built.
std::vector<PaperText> paper_texts();

}  // namespace bankfull::reproduce
