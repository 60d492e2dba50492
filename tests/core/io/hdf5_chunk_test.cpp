#include "bankfull/core/io/hdf5_chunk.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace bankfull::hdf5 {
namespace {

/// By the definition, word by word.
std::uint32_t checksum_by_words(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t sum = 0;
  std::uint64_t sum_of_sums = 0;
  for (std::size_t n = 0; n < bytes.size(); n += 2) {
    const unsigned low = n + 1 < bytes.size() ? bytes[n + 1] : 0U;
    sum += bytes[n] * 256U + low;
    sum = sum > 65535 ? sum - 65535 : sum;
    sum_of_sums += sum;
    sum_of_sums = sum_of_sums > 65535 ? sum_of_sums - 65535 : sum_of_sums;
  }
  return static_cast<std::uint32_t>(sum_of_sums << 16 | sum);
}

std::uint32_t checksum_of(const std::vector<std::uint8_t>& bytes) {
  return fletcher32(bytes.data(), bytes.size());
}

TEST(FletchersChecksum, IsThatOfTheDefinition) {
  std::mt19937 random(7);
  for (const std::size_t count :
       std::vector<std::size_t>{0, 1, 2, 3, 511, 512, 513, 1024, 100001}) {
    std::vector<std::uint8_t> bytes(count);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
    EXPECT_EQ(checksum_of(bytes), checksum_by_words(bytes)) << count << " bytes";
  }
}

TEST(FletchersChecksum, DistinguishesAllBitsSetFromNone) {
  for (const std::size_t count : std::vector<std::size_t>{2, 512, 4096}) {
    EXPECT_EQ(checksum_of(std::vector<std::uint8_t>(count, 0)), 0U);
    EXPECT_EQ(checksum_of(std::vector<std::uint8_t>(count, 0xff)), 0xffffffffU);
  }
}

std::vector<std::uint8_t> noise_bytes() {
  std::mt19937 random(7);
  std::vector<std::uint8_t> noise(4096);
  std::generate(noise.begin(), noise.end(), [&] { return static_cast<std::uint8_t>(random()); });
  return noise;
}

TEST(StoredChunks, AreAsTheyWereWhereTheyDoNotBecomeSmaller) {
  ChunkFilters filters(8, 9);
  std::ranges::copy(noise_bytes(), filters.elements(4096).begin());
  const StoredChunk& kept = filters.apply();
  EXPECT_EQ(kept.bytes.size(), noise_bytes().size() + 4);
  EXPECT_EQ(kept.skipped_filters, 2U);
}

TEST(StoredChunks, DoNotDependOnThoseBefore) {
  for (const int level : {0, 1, 9}) {
    ChunkFilters filters(8, level);
    std::ranges::copy(noise_bytes(), filters.elements(4096).begin());
    static_cast<void>(filters.apply());
    std::ranges::fill(filters.elements(4096), std::uint8_t{1});
    const StoredChunk& second = filters.apply();
    ChunkFilters others(8, level);
    std::ranges::fill(others.elements(4096), std::uint8_t{1});
    EXPECT_EQ(second.bytes, others.apply().bytes) << "level " << level;
    EXPECT_EQ(second.skipped_filters, 0U);
    EXPECT_EQ(second.bytes.size() < 100, level > 0);
  }
}

}  // namespace
}  // namespace bankfull::hdf5
