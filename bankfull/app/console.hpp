#pragma once

#include <filesystem>
#include <string>

namespace bankfull {

// What the program says goes through these functions. None of them throws but where it says so: a
// result is worth more than those who listen, and a reader that has gone, or a full disk under
// standard output, must not take it away. What could not be said is asked for in the end.

/// The first thing that a process does. Gives closed standard streams a place of their own, so that
/// no file takes it; makes writes to a broken pipe and beyond the largest file size fail instead of
/// ending the process; and passes on each line of standard output at once, to whatever it leads.
void prepare_console();

/// Text of whole lines to standard output. Of control characters only the ends of lines pass.
void write_out(const std::string& text);

/// "bankfull: message" to standard error, in one line. Nobody may be there to read it.
void write_error(const std::string& message);

/// From now on what goes to standard output goes to standard error, but for the document.
void keep_output_for_document();

/// One document for other programs to standard output, as it is. Throws RuntimeFailure where it
/// cannot be delivered.
void write_document(const std::string& text);

/// For as long as it lives, what goes to standard output is added to a file instead: what a step of
/// a suite says. A file that cannot be written takes nothing else away.
class OutputToFile {
 public:
  explicit OutputToFile(const std::filesystem::path& file);
  ~OutputToFile();
  OutputToFile(const OutputToFile&) = delete;
  OutputToFile& operator=(const OutputToFile&) = delete;

 private:
  int before_;  ///< standard output until then
};

/// Whether all of standard output was delivered until now.
bool all_was_written();

}  // namespace bankfull
