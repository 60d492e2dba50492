#include "bankfull/core/base/printable.hpp"

#include <gtest/gtest.h>
#include <string>

namespace bankfull {
namespace {

TEST(Printable, KeepsWhatCanBePrinted) {
  for (const char* text :
       {"", "plain words, 1e-6 = x\\y", "caf\xc3\xa9 \xe6\xb0\xb4 \xf0\x9f\x8c\x8a"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(one_line(text), text);
  }
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\nb\r\tc"), "a\\nb\\r\\tc");
  EXPECT_EQ(printable("\x1b[31mred\x7f\x01"), "\\x1b[31mred\\x7f\\x01");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("next\xc2\x85line\xe2\x80\xa8turned\xe2\x80\xae!"),
            "next\\u0085line\\u2028turned\\u202e!");
}

TEST(Printable, EscapesBytesThatAreNoText) {
  EXPECT_EQ(printable("ra=\xff"), "ra=\\xff");
  EXPECT_EQ(printable("cut \xc3"), "cut \\xc3");
  EXPECT_EQ(printable("too long \xc0\x80 \xe0\x80\x80"), "too long \\xc0\\x80 \\xe0\\x80\\x80");
  EXPECT_EQ(printable("half \xed\xa0\x80"), "half \\xed\\xa0\\x80");
  EXPECT_EQ(printable("beyond \xf4\x90\x80\x80"), "beyond \\xf4\\x90\\x80\\x80");
}

TEST(Printable, ShortensTheMiddle) {
  const std::string shown = printable("begin" + std::string(30000, 'x') + "end", 100);
  EXPECT_LE(shown.size(), 100U);
  EXPECT_EQ(shown.substr(0, 5), "begin");
  EXPECT_EQ(shown.substr(shown.size() - 3), "end");
  EXPECT_NE(shown.find("x...(29948 characters)...x"), std::string::npos) << shown;
  EXPECT_EQ(printable(std::string(100, 'x'), 100), std::string(100, 'x'));
}

TEST(Printable, CutsBetweenCharacters) {
  std::string many;
  for (int n = 0; n < 1000; ++n) {
    many += "\xc3\xa9";
  }
  const std::string shown = printable(many, 100);
  EXPECT_EQ(printable(shown), shown);
  EXPECT_NE(shown.find("...(940 characters)..."), std::string::npos) << shown;
}

TEST(OneLine, ShortensLongWordsAndLeavesTheOthers) {
  const std::string line = one_line("cannot read " + std::string(900'000, 'a') + ": no such file");
  EXPECT_LT(line.size(), 450U);
  EXPECT_TRUE(line.starts_with("cannot read a")) << line;
  EXPECT_TRUE(line.ends_with("a: no such file")) << line;
}

TEST(OneLine, BoundsManyWords) {
  std::string words;
  for (int n = 0; n < 100'000; ++n) {
    words += "a\n b ";
  }
  const std::string line = one_line(words);
  EXPECT_LE(line.size(), max_message_length);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(one_line(line), line);
}

}  // namespace
}  // namespace bankfull
