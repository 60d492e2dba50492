#include "bankfull/app/convect/shared_recorder.hpp"

#include "bankfull/app/convect/written_cells.hpp"
#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"

#include <iterator>
#include <string>
#include <vector>

namespace bankfull::convect {
namespace {

using convection::CellReader;
using convection::FlowReader;
using convection::SharedCells;
using convection::StateWriter;

/// What the root asks the others to do next.
struct Request {
  enum class Kind : int {
    read,   ///< a part of a field, or of what is being saved
    write,  ///< own cells of what is being saved
    save,   ///< begins with the state
    next,   ///< nothing more of these cells
    end,
  };
  Kind kind = Kind::end;
  int field = 0;
  Box part;

  // The array to write; its path follows.
  std::int64_t offset = 0;
  Extents extents = {};
  Precision precision = Precision::fp64;
  std::int64_t path_bytes = 0;
};

Request heard(const Communicator& ranks) {
  Request request;
  ranks.broadcast(&request, sizeof(request), 0);
  return request;
}

void ask(const Communicator& ranks, Request request) {
  ranks.broadcast(&request, sizeof(request), 0);
}

void ask_to_write(const Communicator& ranks, const SharedArray& array) {
  ask(ranks, {.kind = Request::Kind::write,
              .offset = array.offset,
              .extents = array.extents,
              .precision = array.precision,
              .path_bytes = std::ssize(array.path)});
  std::string path = array.path;
  ranks.broadcast(path.data(), path.size(), 0);
}

SharedArray heard_array(const Communicator& ranks, const Request& request) {
  std::string path(static_cast<std::size_t>(request.path_bytes), '\0');
  ranks.broadcast(path.data(), path.size(), 0);
  return {path, request.offset, request.extents, request.precision};
}

/// Lets the others continue, whatever the root ended by.
class EndOfRequests {
 public:
  explicit EndOfRequests(const Communicator& ranks) : ranks_(ranks) {}
  ~EndOfRequests() { ask(ranks_, {}); }
  EndOfRequests(const EndOfRequests&) = delete;
  EndOfRequests& operator=(const EndOfRequests&) = delete;

 private:
  const Communicator& ranks_;
};

/// The root's flow.
class AskingFlow final : public FlowReader {
 public:
  AskingFlow(const Communicator& ranks, const FlowReader& flow) : ranks_(ranks), flow_(flow) {}

  void read(int field, const Box& part, double* values) const override {
    ask(ranks_, {Request::Kind::read, field, part});
    flow_.read(field, part, values);
  }

 private:
  const Communicator& ranks_;
  const FlowReader& flow_;
};

/// The root's: writes what cells hold as another one does.
class AskingWriter final : public StateWriter {
 public:
  AskingWriter(const Communicator& ranks, StateWriter& writer, int threads)
      : ranks_(ranks), writer_(writer), threads_(threads) {}

  void numbers(const std::string& name, const std::vector<double>& values) override {
    writer_.numbers(name, values);
  }
  void counts(const std::string& name, const std::vector<std::int64_t>& values) override {
    writer_.counts(name, values);
  }
  void cells(const std::string& name, const Extents& box, Precision precision,
             const CellReader& values) override {
    writer_.cells(name, box, precision, asking(values));
    ask(ranks_, {.kind = Request::Kind::next});
  }
  void shared_cells(const std::string& name, const Extents& box, Precision precision,
                    const SharedCells& cells) override {
    if constexpr (build::hdf5) {
      const auto write = [&](const SharedArray& array) {
        ask_to_write(ranks_, array);
        const auto crc = write_together(ranks_, cells, array, threads_);
        return crc ? *crc : write_alone(box, cells, array);
      };
      if (writer_.array(name, box, precision, write)) {
        ask(ranks_, {.kind = Request::Kind::next});
        return;
      }
    }
    this->cells(name, box, precision, cells.all);
  }

 private:
  /// Asks the others to read along.
  [[nodiscard]] CellReader asking(const CellReader& values) const {
    return [this, &values](const Box& part, double* to) {
      ask(ranks_, {.kind = Request::Kind::read, .part = part});
      values(part, to);
    };
  }

  [[nodiscard]] std::uint32_t write_alone(const Extents& box, const SharedCells& cells,
                                          const SharedArray& array) const {
    SharedArrayWriter writer(array, threads_);
    write_cells(box_of(box), asking(cells.all), threads_, writer);
    return crc_of(writer.pieces());
  }

  const Communicator& ranks_;
  StateWriter& writer_;
  int threads_;
};

/// The root has given up in the middle of a state.
struct GivenUp {};

/// The other ranks' writer: answers the root's requests for cells, and writes own cells where it is
/// asked to.
class AnsweringWriter final : public StateWriter {
 public:
  AnsweringWriter(const Communicator& ranks, int threads) : ranks_(ranks), threads_(threads) {}

  void numbers(const std::string& /*name*/, const std::vector<double>& /*values*/) override {}
  void counts(const std::string& /*name*/, const std::vector<std::int64_t>& /*values*/) override {}
  void cells(const std::string& /*name*/, const Extents& /*box*/, Precision /*precision*/,
             const CellReader& values) override {
    answer({.all = values});
  }
  void shared_cells(const std::string& /*name*/, const Extents& /*box*/, Precision /*precision*/,
                    const SharedCells& cells) override {
    answer(cells);
  }

 private:
  void answer(const SharedCells& cells) {
    for (Request request = heard(ranks_); request.kind != Request::Kind::next;
         request = heard(ranks_)) {
      if (request.kind == Request::Kind::end) {
        throw GivenUp();
      }
      if (request.kind == Request::Kind::write) {
        write(cells, heard_array(ranks_, request));
        continue;
      }
      cells.all(request.part, nullptr);
    }
  }

  void write(const SharedCells& cells, const SharedArray& array) const {
    if constexpr (build::hdf5) {
      try {
        static_cast<void>(write_together(ranks_, cells, array, threads_));
      } catch (const RuntimeFailure&) {
        // The root has the same, reports it and ends the requests.
      }
    }
  }

  const Communicator& ranks_;
  int threads_;
};

void answer(const Communicator& ranks, const FlowReader& flow) {
  for (Request request = heard(ranks); request.kind == Request::Kind::read;
       request = heard(ranks)) {
    flow.read(request.field, request.part, nullptr);
  }
}

}  // namespace

void SharedRecorder::begin() {
  ranks_.on_root([this] { writer_->begin(); });
}

void SharedRecorder::record(const convection::SeriesRow& row) {
  if (writer_ != nullptr) {
    writer_->record(row);
  }
}

bool SharedRecorder::wants_statistics() {
  bool wants = writer_ != nullptr && writer_->wants_statistics();
  ranks_.broadcast(&wants, sizeof(wants), 0);
  return wants;
}

void SharedRecorder::statistics(const convection::StatisticsSoFar& all) {
  if (writer_ != nullptr) {
    writer_->statistics(all);
  }
}

void SharedRecorder::probe(const convection::ProbeReading& reading) {
  if (writer_ != nullptr) {
    writer_->probe(reading);
  }
}

void SharedRecorder::write_flow(const FlowReader& flow,
                                const std::function<void(const FlowReader&)>& write) const {
  if (writer_ == nullptr) {
    answer(ranks_, flow);
    return;
  }
  const EndOfRequests end(ranks_);
  write(AskingFlow(ranks_, flow));
}

void SharedRecorder::snapshot(const convection::SnapshotMoment& moment,
                              const convection::Grid& grid, const FlowReader& flow) {
  write_flow(flow, [&](const FlowReader& asking) { writer_->snapshot(moment, grid, asking); });
}

void SharedRecorder::fields(const convection::FieldMoment& moment,
                            const convection::ToldFlow& flow) {
  write_flow(flow.flow, [&](const FlowReader& asking) {
    writer_->fields(moment, {.grid = flow.grid, .flow = asking});
  });
}

void SharedRecorder::finish_reading() noexcept {
  if (writer_ != nullptr) {
    writer_->finish_reading();
  }
}

void SharedRecorder::checkpoint(const convection::CheckpointMoment& moment,
                                const std::function<void(StateWriter&)>& save) {
  if (writer_ != nullptr) {
    const EndOfRequests end(ranks_);
    writer_->checkpoint(moment, [&](StateWriter& to) {
      ask(ranks_, {.kind = Request::Kind::save});
      AskingWriter asking(ranks_, to, threads_);
      save(asking);
    });
    return;
  }
  while (heard(ranks_).kind == Request::Kind::save) {
    try {
      AnsweringWriter answering(ranks_, threads_);
      save(answering);
    } catch (const GivenUp&) {
      return;
    }
  }
}

}  // namespace bankfull::convect
