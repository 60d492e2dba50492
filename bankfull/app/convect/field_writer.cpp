#include "bankfull/app/convect/field_writer.hpp"

#include "bankfull/app/output_file.hpp"
#include "bankfull/build_config.hpp"
#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/io/hdf5_file.hpp"

#include <algorithm>
#include <set>
#include <unistd.h>
#include <utility>

namespace bankfull::convect {
namespace {

constexpr std::int64_t max_buffer_bytes = 32 * mib;

std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// A multiple of the chunk size, so that no chunk is compressed twice.
std::int64_t planes_of_a_chunk(const FieldRequest& request,
                               const std::array<std::int64_t, 3>& cells) {
  if constexpr (build::hdf5) {
    if (request.format == FieldFormat::hdf5) {
      const auto [nx, ny, nz] = cells;
      return hdf5::chunk_of({nz, ny, nx}, bytes_of(request.precision)).front();
    }
  }
  return 1;
}

LineFile list_at(const std::filesystem::path& path, std::int64_t bytes) {
  return bytes > 0 ? LineFile(path, bytes) : LineFile(path, field_list_heading);
}

}  // namespace

FieldBuffers buffers_of(const Case& run, const convection::Grid& grid) {
  const std::array<std::int64_t, 3> cells = cells_along_xyz(grid);
  const std::int64_t plane_bytes = cells[0] * cells[1] * static_cast<std::int64_t>(sizeof(double));
  const std::int64_t chunk = planes_of_a_chunk(run.fields, cells);
  const std::int64_t chunks = std::max<std::int64_t>(1, max_buffer_bytes / (chunk * plane_bytes));
  FieldBuffers buffers;
  buffers.planes = std::min(chunks * chunk, cells[2]);
  buffers.bytes = buffers.planes * plane_bytes;
  const auto arrays = static_cast<std::int64_t>(arrays_of(run.fields, run.problem, grid).size());
  const std::int64_t of_one_time = arrays * quotient_up(cells[2], buffers.planes);
  const std::int64_t allowed = run.fields.buffer_bytes / buffers.bytes;
  buffers.count = std::max<std::int64_t>(2, std::min(of_one_time, allowed));
  return buffers;
}

convection::OutputNeeds field_output_needs(const Case& run, int ranks_of_node) {
  convection::OutputNeeds needs;
  if (!run.cadence.fields.any()) {
    return needs;
  }
  // Beside the buffers what a reader puts in order, and chunks before and behind a filter.
  constexpr std::int64_t largest_chunk = 4 * mib;
  const std::int64_t bytes_of_chunks = 2 * largest_chunk * threads_of_field_files(run.problem);
  const convection::Grid grid(run.problem.axes);
  const FieldBuffers buffers = buffers_of(run, grid);
  const std::int64_t of_writer = (buffers.count + 1) * buffers.bytes + bytes_of_chunks;
  const std::int64_t of_others = (ranks_of_node - 1) * buffers.bytes;
  needs.host = quotient_up(of_writer + of_others, ranks_of_node);
  std::set<int> fields;
  for (const FieldArray& array : arrays_of(run.fields, run.problem, grid)) {
    fields.insert(array.field);
  }
  needs.fields.assign(fields.begin(), fields.end());
  const auto beyond_scalars = 3 + static_cast<int>(run.problem.scalars.size());
  if (fields.contains(beyond_scalars) && !run.problem.implicit_anywhere()) {
    // The pressure that a run begins with, and what it is added from.
    needs.host += 2 * run.problem.cells() * static_cast<std::int64_t>(sizeof(double));
  }
  return needs;
}

BufferPool::BufferPool(MemorySpace space, const FieldBuffers& buffers) {
  for (std::int64_t n = 0; n < buffers.count; ++n) {
    buffers_.emplace_back(space, static_cast<std::size_t>(buffers.bytes) / sizeof(double));
  }
  for (const Buffer<double>& buffer : buffers_) {
    free_.push_back(&buffer);
  }
}

BufferPool::Held BufferPool::take() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [this] { return !free_.empty(); });
  const Buffer<double>* const taken = free_.back();
  free_.pop_back();
  return {taken, [this](const Buffer<double>* buffer) {
            const std::lock_guard guard(mutex_);
            free_.push_back(buffer);  // which has room for all of them: it never throws
            returned_.notify_one();
          }};
}

/// The file of one time while it is being written.
struct FieldWriter::Output {
  std::string name;
  convection::FieldMoment moment;
  std::unique_ptr<FieldFile> file;
  bool given_up = false;
};

/// Goes with the work that reads, done, given up or dropped: then nobody reads any more.
struct FieldWriter::EndOfReading {
  EndOfReading() = default;
  EndOfReading(const EndOfReading&) = delete;
  EndOfReading& operator=(const EndOfReading&) = delete;
  ~EndOfReading() { promise.set_value(); }

  std::promise<void> promise;
};

FieldWriter::FieldWriter(const Case& run, Places places, std::int64_t list_bytes)
    : run_(run),
      places_(std::move(places)),
      grid_(run.problem.axes),
      layout_(layout_of(run, grid_)),
      shape_(buffers_of(run, grid_)),
      list_(list_at(places_.list, list_bytes)),
      listed_(listed_fields(places_.list)),
      pool_(run.problem.device.is_cuda() ? MemorySpace::pinned : MemorySpace::host, shape_) {
  write_index();
}

std::int64_t FieldWriter::list_lines() const {
  return static_cast<std::int64_t>(listed_.size()) + 1;
}

void FieldWriter::write(const convection::FieldMoment& moment, const convection::ToldFlow& flow) {
  const auto output = std::make_shared<Output>();
  output->name = field_file_name(layout_, moment.number);
  output->moment = moment;
  add(output, [this](Output& begun) {
    begun.file = make_field_file(places_.files / begun.name, layout_, begun.moment);
  });
  flow.stays ? read_in_background(output, flow.flow) : copy_by_pieces(output, flow);
  add(output, [this](Output& done) { publish(done); });
}

void FieldWriter::copy_by_pieces(const std::shared_ptr<Output>& output,
                                 const convection::ToldFlow& flow) {
  PlaneReader planes(flow.grid, flow.flow);
  for (std::size_t array = 0; array < layout_.arrays.size(); ++array) {
    for (std::int64_t z0 = 0; z0 < layout_.cells[2]; z0 += shape_.planes) {
      const std::int64_t z1 = std::min(z0 + shape_.planes, layout_.cells[2]);
      const BufferPool::Held buffer = pool_.take();
      planes.read(layout_.arrays[array], z0, z1, buffer->data());
      add(output, [=](Output& begun) { begun.file->write(array, z0, z1, buffer->data()); });
    }
  }
}

void FieldWriter::read_in_background(const std::shared_ptr<Output>& output,
                                     const convection::FlowReader& flow) {
  const auto end = std::make_shared<EndOfReading>();
  reading_ = end->promise.get_future();
  add(output, [this, end, &flow](Output& begun) {
    const BufferPool::Held buffer = pool_.take();
    PlaneReader planes(grid_, flow);
    for (std::size_t array = 0; array < layout_.arrays.size(); ++array) {
      for (std::int64_t z0 = 0; z0 < layout_.cells[2]; z0 += shape_.planes) {
        const std::int64_t z1 = std::min(z0 + shape_.planes, layout_.cells[2]);
        planes.read(layout_.arrays[array], z0, z1, buffer->data());
        begun.file->write(array, z0, z1, buffer->data());
      }
    }
  });
}

void FieldWriter::finish_reading() noexcept {
  if (reading_.valid()) {
    reading_.wait();
  }
}

/// Work on a file that there may be no room for.
void FieldWriter::add(const std::shared_ptr<Output>& output, std::function<void(Output&)> work) {
  work_.add([this, output, work = std::move(work)] {
    if (output->given_up) {
      return;
    }
    try {
      work(*output);
    } catch (const NoRoom& failure) {
      output->given_up = true;
      output->file.reset();
      const std::lock_guard lock(messages_mutex_);
      missing_ = missing_.empty() ? failure.what() : missing_;
      messages_.push_back(std::string(failure.what()) +
                          "; the run continues without the fields of step " +
                          std::to_string(output->moment.step));
    }
  });
}

/// A file that is not listed is none of the run's.
void FieldWriter::publish(Output& output) {
  output.file->commit();
  output.file.reset();
  const std::string file = (places_.files.filename() / output.name).string();
  const std::string line = line_of(file, output.moment);
  try {
    list_.append(line);
  } catch (const NoRoom&) {
    unlink((places_.files / output.name).c_str());
    throw;
  }
  listed_.push_back({file, line.substr(line.rfind(',') + 1)});
  try {
    write_index();
  } catch (const NoRoom& failure) {  // the next one has all of them
    const std::lock_guard lock(messages_mutex_);
    messages_.push_back(std::string(failure.what()) + "; it does not have the last fields yet");
  }
}

void FieldWriter::write_index() {
  StagedFile(places_.index, index_text(layout_, listed_)).replace();
}

void FieldWriter::finish() { work_.finish(); }

std::vector<std::string> FieldWriter::take_messages() {
  const std::lock_guard lock(messages_mutex_);
  return std::exchange(messages_, {});
}

std::string FieldWriter::missing() {
  const std::lock_guard lock(messages_mutex_);
  return missing_;
}

}  // namespace bankfull::convect
