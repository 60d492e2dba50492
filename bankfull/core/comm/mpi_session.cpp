#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/mpi.hpp"
#include "bankfull/core/comm/parallel_run.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>

namespace bankfull {
namespace {

/// During its lifetime, this process is killed when the process that started it, the launcher or
/// its daemon, dies: MPI_Init and MPI_Finalize wait for a daemon that was killed, and would wait
/// for ever. The setting of a wrapper program is restored afterwards.
class DyingWithLauncher {
 public:
  DyingWithLauncher() {
    prctl(PR_GET_PDEATHSIG, &before_);
    const pid_t parent = getppid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
      raise(SIGKILL);  // it died before the signal was set up
    }
  }
  ~DyingWithLauncher() { prctl(PR_SET_PDEATHSIG, before_); }
  DyingWithLauncher(const DyingWithLauncher&) = delete;
  DyingWithLauncher& operator=(const DyingWithLauncher&) = delete;

 private:
  int before_ = 0;
};

/// MPI_Init to MPI_Finalize.
class Library {
 public:
  Library() {
    const DyingWithLauncher guard;
    int provided = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
      throw RuntimeFailure("MPI does not start");
    }
    if (provided < MPI_THREAD_FUNNELED) {
      throw RuntimeFailure("this MPI library does not support threads");
    }
    mpi_check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "setting up errors");
  }
  ~Library() {
    const DyingWithLauncher guard;
    static_cast<void>(MPI_Finalize());  // nothing to do about a failure
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

/// A number in the shared memory of a node, 0 at first.
class NodeFlag {
 public:
  /// Collective over the world.
  NodeFlag() : node_(ranks_of_node(MPI_COMM_WORLD)) {
    int rank = 0;
    mpi_check(MPI_Comm_rank(node_->get(), &rank), "asking for the rank");
    const MPI_Aint own_bytes = rank == 0 ? sizeof(int) : 0;
    void* own = nullptr;
    mpi_check(MPI_Win_allocate_shared(own_bytes, sizeof(int), MPI_INFO_NULL, node_->get(),
                                      static_cast<void*>(&own), &window_),
              "sharing memory within the node");
    MPI_Aint bytes = 0;
    int unit = 0;
    void* first = nullptr;
    mpi_check(MPI_Win_shared_query(window_, 0, &bytes, &unit, static_cast<void*>(&first)),
              "sharing memory within the node");
    flag_ = static_cast<int*>(first);
    if (rank == 0) {
      std::atomic_ref(*flag_).store(0);
    }
    mpi_check(MPI_Barrier(node_->get()), "waiting for the ranks of this node");
  }
  ~NodeFlag() { static_cast<void>(MPI_Win_free(&window_)); }
  NodeFlag(const NodeFlag&) = delete;
  NodeFlag& operator=(const NodeFlag&) = delete;

  /// Raises the flag; returns whether no other process had.
  [[nodiscard]] bool raise() const { return std::atomic_ref(*flag_).exchange(1) == 0; }

 private:
  std::shared_ptr<const MpiHandle> node_;
  MPI_Win window_ = MPI_WIN_NULL;
  int* flag_ = nullptr;
};

std::unique_ptr<Communicator> duplicate_of_world() {
  MPI_Comm world = MPI_COMM_NULL;
  mpi_check(MPI_Comm_dup(MPI_COMM_WORLD, &world), "duplicating the world");
  return make_mpi_communicator(std::make_shared<const MpiHandle>(world));
}

class RunningSession final : public detail::MpiSession {
 public:
  [[nodiscard]] const Communicator& world() const override { return *world_; }
  [[nodiscard]] bool claim_failure() override { return failed_.raise(); }
  void abort(int code) override {
    static_cast<void>(MPI_Abort(MPI_COMM_WORLD, code));
    std::_Exit(code);
  }

 private:
  Library library_;
  NodeFlag failed_;
  std::unique_ptr<Communicator> world_ = duplicate_of_world();
};

}  // namespace

std::unique_ptr<detail::MpiSession> detail::start_mpi() {
  return std::make_unique<RunningSession>();
}

std::string detail::mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  mpi_check(MPI_Get_library_version(text.data(), &length), "asking for the library's version");
  const std::string version(text.data());  // Open MPI's length counts the end mark
  return version.substr(0, version.find_first_of("\n\r"));
}

std::string detail::mpi_standard() {
  int version = 0;
  int subversion = 0;
  mpi_check(MPI_Get_version(&version, &subversion), "asking for the standard's version");
  return "MPI " + std::to_string(version) + "." + std::to_string(subversion);
}

}  // namespace bankfull
