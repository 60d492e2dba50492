#include "bankfull/core/io/crc32.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull {
namespace {

std::uint32_t crc_of(const std::string& bytes) {
  Crc32 crc;
  crc.add(bytes.data(), bytes.size());
  return crc.value();
}

/// Bit by bit, as the standard defines it.
std::uint32_t reference_of(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t value = ~0U;
  for (const std::uint8_t byte : bytes) {
    value ^= byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1) ^ ((value & 1) != 0 ? 0xedb88320U : 0U);
    }
  }
  return ~value;
}

std::vector<std::uint8_t> example_bytes(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

TEST(Crc32, IsThatOfTheStandard) {
  EXPECT_EQ(crc_of(""), 0U);
  EXPECT_EQ(crc_of("123456789"), 0xcbf43926U);  // its check value
}

TEST(Crc32, TellsWordsOfOnesFromWordsOfZeros) {
  EXPECT_NE(crc_of(std::string(8, '\0')), crc_of(std::string(8, '\xff')));
}

TEST(Crc32, DependsNeitherOnPiecesNorOnThreads) {
  const std::vector<std::uint8_t> bytes = example_bytes(2'000'003);
  const std::uint32_t expected = reference_of(bytes);
  for (const int threads : {1, 2, 3, 7}) {
    for (const std::size_t piece : {std::size_t{999'983}, bytes.size()}) {
      Crc32 crc;
      for (std::size_t begin = 0; begin < bytes.size(); begin += piece) {
        crc.add(bytes.data() + begin, std::min(piece, bytes.size() - begin), threads);
      }
      EXPECT_EQ(crc.value(), expected) << threads << " threads, pieces of " << piece;
    }
  }
}

}  // namespace
}  // namespace bankfull
