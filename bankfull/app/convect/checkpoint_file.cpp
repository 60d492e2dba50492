#include "bankfull/app/convect/checkpoint_file.hpp"

#include "bankfull/app/convect/checkpoint_contents.hpp"
#include "bankfull/app/convect/written_cells.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <sstream>

namespace bankfull::convect {
namespace {

using convection::CellReader;

constexpr const char* format_name = "bankfull checkpoint of convection";
constexpr std::int64_t format_version = 3;
constexpr std::int64_t version_without_contents = 2;

std::vector<std::int64_t> list_of(const Extents& n) { return {n.ni, n.nj, n.nk}; }

hdf5::Part part_of(const Box& box) { return {{box.i0, box.j0, box.k0}, list_of(box.extents())}; }

/// Names in the file of what runs call by theirs.
std::string name_in_file(const std::string& name) { return "state/" + name; }

class FileWriter final : public convection::StateWriter {
 public:
  FileWriter(ListedFile& file, int threads) : file_(file), threads_(threads) {}

  void numbers(const std::string& name, const std::vector<double>& values) override {
    file_.add(name_in_file(name), values);
  }
  void counts(const std::string& name, const std::vector<std::int64_t>& values) override {
    file_.add(name_in_file(name), values);
  }

  void cells(const std::string& name, const Extents& box, Precision precision,
             const CellReader& values) override {
    array(name, box, precision, [&](const SharedArray& array) {
      SharedArrayWriter writer(array, threads_);
      write_cells(box_of(box), values, threads_, writer);
      return crc_of(writer.pieces());
    });
  }

  bool array(const std::string& name, const Extents& box, Precision precision,
             const convection::ArrayWriting& write) override {
    file_.add_array(name_in_file(name), box, precision, write);
    return true;
  }

 private:
  ListedFile& file_;
  int threads_;
};

[[noreturn]] void refuse_file(const std::filesystem::path& path, const std::string& why) {
  throw RuntimeFailure(fmt::format("cannot read the checkpoint {}: {}", path.string(), why));
}

void require_known(const hdf5::OldFile& file) {
  if (!file.has_attribute("format") || file.text_attribute("format") != format_name) {
    refuse_file(file.path(), "bankfull convect did not write it");
  }
  const std::int64_t version = file.has_attribute("version") ? file.count_attribute("version") : 0;
  if (version != format_version && version != version_without_contents) {
    refuse_file(file.path(),
                fmt::format("it has version {} of the format, and this program knows versions {} "
                            "and {}",
                            version, version_without_contents, format_version));
  }
}

/// For a file that does not list its contents: what every state has. The run checks the rest.
void require_parts_of_state(const hdf5::OldFile& file) {
  for (const char* name :
       {"clock/steps", "clock/progress", "flow/u", "flow/v", "flow/w", "tendency/u", "tendency/v",
        "tendency/w", "references", "run/steps", "run/history", "run/until", "run/end"}) {
    if (!file.has(name_in_file(name))) {
      refuse_file(file.path(),
                  fmt::format("it is not complete, for it has no {}", name_in_file(name)));
    }
  }
}

/// Reads all of the file.
void require_whole(const hdf5::OldFile& file) {
  require_known(file);
  const bool is_older = file.count_attribute("version") == version_without_contents;
  if (is_older && lists_contents(file)) {
    refuse_file(file.path(), "its version was changed: files of that version list no contents");
  }
  if (is_older) {
    file.verify();
    require_parts_of_state(file);
  } else {
    require_contents(file);
  }
}

constexpr const char* seconds_taken = "taken/seconds";
constexpr const char* processes_taken = "taken/processes";

void add_taken(const convection::TimeTaken& taken, ListedFile& file) {
  file.add(seconds_taken, std::vector<double>{taken.seconds});
  file.add(processes_taken, std::vector<std::int64_t>{taken.processes});
}

/// Nothing of a run by an earlier program.
convection::TimeTaken time_taken(const hdf5::OldFile& file) {
  if (!file.has(seconds_taken) || !file.has(processes_taken)) {
    return {};
  }
  const std::vector<double> seconds = file.dataset(seconds_taken).numbers();
  const std::vector<std::int64_t> processes = file.dataset(processes_taken).counts();
  if (seconds.size() != 1 || processes.size() != 1) {
    refuse_file(file.path(), "it does not state how long the run took");
  }
  return {seconds.front(), processes.front()};
}

constexpr const char* told_of_probes = "told_of_probes";

void add_told(const ToldSoFar& told, ListedFile& file) {
  file.add("told", std::vector<std::int64_t>{told.series_bytes, told.series_lines,
                                             told.slice_list_bytes, told.slice_list_lines,
                                             told.field_list_bytes, told.field_list_lines});
  std::string names;
  std::vector<std::int64_t> sizes;
  for (const ToldFile& probe : told.probes) {
    names += probe.name + "\n";
    sizes.insert(sizes.end(), {probe.bytes, probe.lines});
  }
  if (!told.probes.empty()) {
    file.add(std::string(told_of_probes) + "/files", names);
    file.add(std::string(told_of_probes) + "/sizes", sizes);
  }
}

std::vector<ToldFile> told_probes(const hdf5::OldFile& file) {
  const std::string names = std::string(told_of_probes) + "/files";
  std::vector<ToldFile> probes;
  if (!file.has(names)) {
    return probes;
  }
  const std::vector<std::int64_t> sizes =
      file.dataset(std::string(told_of_probes) + "/sizes").counts();
  std::istringstream lines(file.dataset(names).text());
  std::string name;
  while (std::getline(lines, name)) {
    if (sizes.size() < 2 * (probes.size() + 1)) {
      refuse_file(file.path(), "it does not say how far its probes were");
    }
    const auto size = sizes.begin() + 2 * std::ssize(probes);
    probes.push_back({name, size[0], size[1]});
  }
  return probes;
}

}  // namespace

std::int64_t bytes_to_write_checkpoint(const Extents& cells, Precision precision, int threads) {
  const std::int64_t values = planes_to_write(cells, threads) * cells.nj * cells.nk;
  const std::int64_t converted = precision == Precision::fp32 ? bytes_of(precision) : 0;
  return values * (static_cast<std::int64_t>(sizeof(double)) + converted);
}

void write_checkpoint(const CheckpointWriting& writing, const CheckpointHeader& header,
                      const std::function<void(convection::StateWriter&)>& save) {
  ListedFile file(writing.path, writing.threads);
  file.file().set_attribute("format", format_name);
  file.file().set_attribute("version", format_version);
  file.file().set_attribute("written_by", "bankfull " + build_facts().version);
  file.add("case", header.resolved_case);
  add_told(header.told, file);
  file.add("time", std::vector<double>{header.time});
  file.add("step", std::vector<std::int64_t>{header.step});
  add_taken(header.taken, file);
  FileWriter writer(file, writing.threads);
  save(writer);
  file.commit();
}

CheckpointReader::CheckpointReader(const std::filesystem::path& path) : file_(path) {
  require_whole(file_);
  const std::vector<std::int64_t> told = file_.dataset("told").counts();
  const std::vector<std::int64_t> step = file_.dataset("step").counts();
  const std::vector<double> time = file_.dataset("time").numbers();
  if (told.size() != 6 || step.size() != 1 || time.size() != 1) {
    refuse_file(path, "it does not say where the run was");
  }
  header_ = {.step = step[0],
             .time = time[0],
             .resolved_case = file_.dataset("case").text(),
             .told = {told[0], told[1], told[2], told[3], told[4], told[5], told_probes(file_)},
             .taken = time_taken(file_)};
}

void CheckpointReader::require_fields(const convection::Problem& problem,
                                      const convection::Grid& grid) const {
  const std::string beginning = name_in_file("flow/");
  const std::vector<std::string> names = file_.datasets();
  const auto fields = static_cast<std::size_t>(
      std::ranges::count_if(names, [&](const auto& name) { return name.starts_with(beginning); }));
  const std::size_t wanted = 3 + problem.scalars.size();
  for (std::size_t field = 0; field < wanted; ++field) {
    const std::string name = convection::name_of_field(problem, grid, static_cast<int>(field));
    if (fields != wanted || !has("flow/" + name)) {
      refuse_file(path(), fmt::format("it has {} fields, and the case has {}, {} among them",
                                      fields, wanted, name));
    }
    if (file_.dataset(beginning + name).extents() != list_of(grid.extents())) {
      refuse_file(path(), "it is of another grid than the case");
    }
  }
}

bool CheckpointReader::has(const std::string& name) const { return file_.has(name_in_file(name)); }

std::vector<double> CheckpointReader::numbers(const std::string& name) const {
  return file_.dataset(name_in_file(name)).numbers();
}

std::vector<std::int64_t> CheckpointReader::counts(const std::string& name) const {
  return file_.dataset(name_in_file(name)).counts();
}

void CheckpointReader::cells(const std::string& name, const Box& part, double* values) const {
  file_.dataset(name_in_file(name)).read(part_of(part), values);
}

}  // namespace bankfull::convect
