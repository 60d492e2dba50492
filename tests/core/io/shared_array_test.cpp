#include "bankfull/core/io/shared_array.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/core/io/crc32.hpp"
#include "tests/temporary_folder.hpp"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace bankfull {
namespace {

constexpr std::int64_t offset = 24;

double value_at(std::int64_t i, std::int64_t j, std::int64_t k) {
  return static_cast<double>(100 * i + 10 * j + k) + 0.25;
}

std::vector<double> values_of(const Box& part) {
  std::vector<double> values;
  for_cells(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    values.push_back(value_at(i, j, k));
  });
  return values;
}

/// As they lie in a file.
template <class Real>
std::string bytes_of_all(const Extents& extents) {
  const std::vector<double> values = values_of(box_of(extents));
  const std::vector<Real> stored(values.begin(), values.end());
  std::string bytes(stored.size() * sizeof(Real), '\0');
  std::memcpy(bytes.data(), stored.data(), bytes.size());
  return bytes;
}

class SharedArrays : public testing::TestWithParam<Precision> {
 protected:
  SharedArrays() { std::ofstream(array_.path) << std::string(offset, 'x'); }

  [[nodiscard]] std::string expected() const {
    return array_.precision == Precision::fp32 ? bytes_of_all<float>(array_.extents)
                                               : bytes_of_all<double>(array_.extents);
  }

  [[nodiscard]] std::string contents() const {
    std::ifstream file(array_.path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  /// Each part by a writer of its own, as ranks do it.
  std::vector<CheckedPiece> write(const std::vector<std::vector<Box>>& parts_of_writers) {
    std::vector<CheckedPiece> pieces;
    for (const std::vector<Box>& parts : parts_of_writers) {
      SharedArrayWriter writer(array_, 2);
      for (const Box& part : parts) {
        writer.write(part, values_of(part).data());
      }
      writer.flush();
      pieces.insert(pieces.end(), writer.pieces().begin(), writer.pieces().end());
    }
    return pieces;
  }

  void expect_written(const std::vector<CheckedPiece>& pieces) const {
    EXPECT_TRUE(contents() == std::string(offset, 'x') + expected());
    Crc32 crc;
    crc.add(expected().data(), expected().size());
    EXPECT_EQ(crc_of(pieces), crc.value());
  }

  TemporaryFolder folder_;
  SharedArray array_{(folder_.path() / "array").string(), offset, {4, 6, 5}, GetParam()};
};

TEST_P(SharedArrays, AreWrittenByOne) {
  const std::vector<CheckedPiece> pieces = write({{{0, 3, 0, 6, 0, 5}, {3, 4, 0, 6, 0, 5}}});
  EXPECT_EQ(pieces.size(), 1U);
  expect_written(pieces);
}

TEST_P(SharedArrays, AreWrittenInPlanes) {
  expect_written(write({{{2, 4, 0, 6, 0, 5}}, {{0, 1, 0, 6, 0, 5}, {1, 2, 0, 6, 0, 5}}}));
}

TEST_P(SharedArrays, AreWrittenInBlocks) {
  expect_written(write({{{2, 4, 4, 6, 0, 5}},
                        {{0, 1, 0, 4, 0, 5}, {1, 2, 0, 4, 0, 5}},
                        {{0, 2, 4, 6, 0, 5}},
                        {{2, 4, 0, 4, 0, 5}}}));
}

TEST_P(SharedArrays, RefusesGapsAndOverlaps) {
  EXPECT_THROW(crc_of(write({{{0, 1, 0, 6, 0, 5}, {2, 4, 0, 6, 0, 5}}})), RuntimeFailure);
  EXPECT_THROW(crc_of(write({{{0, 3, 0, 6, 0, 5}}, {{2, 4, 0, 6, 0, 5}}})), RuntimeFailure);
}

TEST_P(SharedArrays, NamesTheFileThatItDoesNotSee) {
  array_.path = (folder_.path() / "checkpoint.h5.part-abcdef").string();
  try {
    const SharedArrayWriter writer(array_, 1);
    ADD_FAILURE() << "there is no such file";
  } catch (const RuntimeFailure& failure) {
    EXPECT_EQ(failure.what(), "cannot write " + (folder_.path() / "checkpoint.h5").string() +
                                  ": No such file or directory");
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, SharedArrays,
                         testing::Values(Precision::fp32, Precision::fp64),
                         [](const testing::TestParamInfo<Precision>& tested) {
                           return to_string(tested.param);
                         });

}  // namespace
}  // namespace bankfull
