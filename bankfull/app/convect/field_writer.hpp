#pragma once

#include "bankfull/app/background_work.hpp"
#include "bankfull/app/convect/field_file.hpp"
#include "bankfull/app/convect/field_index.hpp"
#include "bankfull/app/line_file.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace bankfull::convect {

/// Through what fields go to their files: so many buffers of so many planes each.
struct FieldBuffers {
  std::int64_t planes = 0;
  std::int64_t count = 0;
  std::int64_t bytes = 0;  ///< of one of them
};

/// As few as hold the fields of one time, but no more than the case allows, and two at least.
FieldBuffers buffers_of(const Case& run, const convection::Grid& grid);

/// What a writer of fields needs, on the mean of so many ranks of a node: the first one writes, and
/// the others read a buffer of fields at a time. Nothing where the case asks for no fields.
convection::OutputNeeds field_output_needs(const Case& run, int ranks_of_node = 1);

/// A fixed number of buffers that go round. One that is taken comes back when nobody holds it.
class BufferPool {
 public:
  using Held = std::shared_ptr<const Buffer<double>>;

  BufferPool(MemorySpace space, const FieldBuffers& buffers);

  /// Waits for one.
  Held take();

 private:
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<Buffer<double>> buffers_;
  std::vector<const Buffer<double>*> free_;
};

/// Writes fields while the run continues: it copies them, piece by piece, and a thread compresses
/// and writes. Where the disk is full the fields of that time are left out, and the run continues;
/// whatever else fails is thrown by the next call.
class FieldWriter {
 public:
  struct Places {
    std::filesystem::path files;  ///< their folder
    std::filesystem::path list;
    std::filesystem::path index;
  };

  /// Goes on with a list of so many bytes; 0: begins it. `run` must outlive it.
  FieldWriter(const Case& run, Places places, std::int64_t list_bytes);

  /// Returns when all has been copied or, of a flow that stays, at once.
  void write(const convection::FieldMoment& moment, const convection::ToldFlow& flow);

  /// Waits until the flow that stays is no longer read.
  void finish_reading() noexcept;

  /// Waits until all is on disk.
  void finish();

  /// What went wrong and did no harm since this was asked last, a line each.
  std::vector<std::string> take_messages();

  /// Why the first file that was left out could not be written; empty if none was.
  std::string missing();

  // Size of the list; call only after finish().
  [[nodiscard]] std::int64_t list_bytes() const { return list_.size(); }
  [[nodiscard]] std::int64_t list_lines() const;
  void flush_list() const { list_.flush(); }

 private:
  struct Output;
  struct EndOfReading;

  void add(const std::shared_ptr<Output>& output, std::function<void(Output&)> work);
  void copy_by_pieces(const std::shared_ptr<Output>& output, const convection::ToldFlow& flow);
  void read_in_background(const std::shared_ptr<Output>& output,
                          const convection::FlowReader& flow);
  void publish(Output& output);
  void write_index();

  const Case& run_;
  Places places_;
  convection::Grid grid_;
  FieldFileLayout layout_;
  FieldBuffers shape_;
  LineFile list_;
  std::vector<ListedFields> listed_;
  std::mutex messages_mutex_;
  std::vector<std::string> messages_;
  std::string missing_;  ///< guarded by the same mutex
  BufferPool pool_;
  std::future<void> reading_;  ///< valid once a flow that stays has been read
  BackgroundWork work_;        ///< last: what it does needs all of the above
};

}  // namespace bankfull::convect
