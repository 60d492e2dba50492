#include "bankfull/app/folder_lock.hpp"

#include "tests/refusal_text.hpp"
#include "tests/temporary_folder.hpp"

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace bankfull {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class LockedFolders : public testing::Test {
 protected:
  ~LockedFolders() override { end_other(); }

  /// Another process that locks the folder and keeps it until end_other; killed, it leaves what is
  /// there.
  void lock_in_another(Exclusion exclusion = Exclusion::file_lock) {
    std::array<int, 2> ready{};
    ASSERT_EQ(pipe(ready.data()), 0);
    other_ = fork();
    if (other_ == 0) {
      const FolderLock lock(folder(), exclusion);
      const bool told = write(ready[1], "", 1) == 1;
      while (told) {
        pause();
      }
    }
    char letter = 0;
    ASSERT_EQ(read(ready[0], &letter, 1), 1);
    close(ready[0]);
    close(ready[1]);
  }

  void end_other() {
    if (other_ > 0) {
      kill(other_, SIGKILL);
      waitpid(other_, nullptr, 0);
      other_ = 0;
    }
  }

  [[nodiscard]] fs::path folder() const { return place_ / "a" / "b"; }
  [[nodiscard]] fs::path file() const { return folder() / FolderLock::file_name; }

  TemporaryFolder temporary_;
  fs::path place_ = temporary_.path();
  pid_t other_ = 0;
};

TEST_F(LockedFolders, AreMadeAndGoWhereNothingWasWritten) {
  {
    const FolderLock lock(folder());
    EXPECT_TRUE(lock.holds());
    EXPECT_TRUE(fs::is_regular_file(file()));
  }
  EXPECT_TRUE(fs::is_empty(place_));
  {
    const FolderLock lock(folder());
    std::ofstream(folder() / "result") << "x";
  }
  EXPECT_TRUE(fs::exists(folder() / "result"));
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(LockedFolders, AreRefusedToOthersByTheNameOfTheOwner) {
  lock_in_another();
  const std::string owner = "process " + std::to_string(other_) + " on ";
  EXPECT_THAT(refusal_text([&] { FolderLock::require_free(folder()); }), HasSubstr(owner));
  EXPECT_THAT(refusal_text([&] { const FolderLock second(folder()); }), HasSubstr(owner));
  EXPECT_TRUE(fs::exists(file())) << "who is refused changes nothing";
}

TEST_F(LockedFolders, AreTakenOverFromTheDead) {
  lock_in_another();
  end_other();
  EXPECT_TRUE(fs::exists(file()));
  EXPECT_NO_THROW(FolderLock::require_free(folder()));
  { const FolderLock second(folder()); }
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(LockedFolders, AreKeptByTheFileWhereThereAreNoLocks) {
  lock_in_another(Exclusion::new_file);
  end_other();
  EXPECT_THAT(refusal_text([&] { const FolderLock second(folder(), Exclusion::new_file); }),
              HasSubstr("remove " + file().string()));
  fs::remove(file());
  { const FolderLock second(folder(), Exclusion::new_file); }
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(LockedFolders, NoticeThatTheyAreNoLongerThere) {
  std::optional<FolderLock> lock(std::in_place, folder());
  fs::rename(folder(), place_ / "moved");
  EXPECT_FALSE(lock->holds());
  fs::create_directory(folder());
  EXPECT_FALSE(lock->holds()) << "another folder of the same name";
  fs::remove(folder());
  fs::rename(place_ / "moved", folder());
  EXPECT_TRUE(lock->holds());
  fs::remove(file());
  EXPECT_TRUE(lock->is_in_place());
  EXPECT_FALSE(lock->holds()) << "another process could take it";
  std::ofstream(file()) << "process 1 on another";
  EXPECT_FALSE(lock->holds());
  lock.reset();
  EXPECT_TRUE(fs::exists(file())) << "the lock of another";
}

TEST_F(LockedFolders, SayWhyTheyCannotBe) {
  std::ofstream(place_ / "file") << "x";
  EXPECT_THAT(refusal_text([&] { const FolderLock lock(place_ / "file"); }), HasSubstr("file"));
  EXPECT_THAT(refusal_text([&] { const FolderLock lock(place_ / "file" / "below"); }),
              HasSubstr("file"));
  fs::create_directories(folder());
  fs::create_symlink("/dev/null", file());
  EXPECT_THAT(refusal_text([&] { const FolderLock lock(folder()); }),
              HasSubstr(FolderLock::file_name));
  EXPECT_NO_THROW(FolderLock::require_free(folder()));
  fs::remove(file());
  std::ofstream(file()) << "process 7\x1b[2J";
  EXPECT_NO_THROW(FolderLock{folder()});
}

}  // namespace
}  // namespace bankfull
