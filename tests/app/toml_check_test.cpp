#include "bankfull/app/toml_check.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <toml++/toml.h>

namespace bankfull {
namespace {

using testing::HasSubstr;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int n = 0; n < times; ++n) {
    all += text;
  }
  return all;
}

bool is_too_deep(const std::string& text) {
  const auto fault = toml_fault(text);
  return fault && fault->too_deep;
}

/// "2:5 what is wrong" of a text that is wrong, but not too deep.
std::string fault_of(const std::string& text) {
  const auto fault = toml_fault(text);
  if (!fault || fault->too_deep) {
    return "";
  }
  EXPECT_FALSE(fault->remedy.empty()) << text;
  return std::to_string(fault->line) + ":" + std::to_string(fault->column) + " " + fault->problem;
}

TEST(TomlCheck, BoundsPartsOfKeys) {
  const std::string deepest = repeated("a.", deepest_toml - 1) + "a";
  EXPECT_FALSE(toml_fault(deepest + " = 1.5\n[" + deepest + "]\n[[" + deepest + "]]\n"));
  for (const std::string& text :
       {deepest + ".a = 1", "[" + deepest + ".a]", "x = {" + deepest + " .\"a\"=1}"}) {
    EXPECT_TRUE(is_too_deep(text)) << text;
  }
}

TEST(TomlCheck, BoundsLevelsOfBrackets) {
  EXPECT_FALSE(toml_fault("a = " + repeated("[", deepest_toml) + repeated("]", deepest_toml)));
  EXPECT_FALSE(toml_fault(repeated("a = [[1, 2], {b = [3]}]\n", 100)));
  EXPECT_TRUE(is_too_deep("a = " + repeated("[", deepest_toml + 1)));
  EXPECT_TRUE(is_too_deep("a = " + repeated("[{a=", deepest_toml)));
}

TEST(TomlCheck, TextsAndRemarksHaveNoDepth) {
  const std::string dots = repeated(".", 99);
  const std::string deep = dots + repeated("[", 99);
  for (const std::string& text :
       {fmt::format("# {}", deep), fmt::format(R"(a = "{0}\"{0}")", deep),
        fmt::format(R"(a = '{}\')", deep),
        fmt::format("a = {1}{0}\n{2}{0}{3}", deep, R"(""")", R"(\""")", R"(""""")"),
        fmt::format("a = '''\n''{}'''''", deep)}) {
    EXPECT_FALSE(toml_fault(text)) << text;
    const auto fault = toml_fault(fmt::format("{}\n{}", text, dots));
    ASSERT_TRUE(fault) << text;
    EXPECT_TRUE(fault->too_deep) << text;
    EXPECT_EQ(fault->column, deepest_toml) << text;
  }
}

TEST(TomlCheck, OpenTextsEnd) {
  for (const char* text :
       {R"(")", "'", R"(""")", "'''", R"("\)", R"("""\)", R"("")", "''''''''", "]]}", "[", "[[",
        "[ ", "a = \"\"\"\\\n", "a = 2020-01-01 ", "a =\nit's = 1", "\xEF\xBB\xBF"}) {
    EXPECT_FALSE(toml_fault(text)) << text;
  }
}

TEST(TomlCheck, HeadingsHaveNames) {
  EXPECT_EQ(fault_of("[[=]]"), "1:3 the heading '[[=]]' has no name");
  EXPECT_EQ(fault_of("a = 1 # b\n [ .a] # c\n"), "2:4 the heading '[ .a] # c' has no name");
  EXPECT_EQ(fault_of("[[[a]]]"), "1:3 the heading '[[[a]]]' has no name");
  EXPECT_EQ(fault_of("a = [\n1]\n[#]\n"), "3:2 the heading '[#]' has no name");
  EXPECT_EQ(fault_of("[\r\na]"), "1:2 the heading '[' has no name");
  EXPECT_EQ(fault_of("[{]"), "1:2 the heading '[{]' has no name");
  EXPECT_EQ(fault_of("[,a]"), "1:2 the heading '[,a]' has no name");
}

TEST(TomlCheck, ListsEndWithTheirBracket) {
  EXPECT_EQ(fault_of("a = [}"), "1:6 a list ends with '}'");
  EXPECT_EQ(fault_of("a = {b = [1, # ]\n}"), "2:1 a list ends with '}'");
}

TEST(TomlCheck, ValuesAreOfTheirLetters) {
  EXPECT_EQ(fault_of("a = 1\"x\""), "1:5 '1\"x\"' is not a value");
  EXPECT_EQ(fault_of("a = [0,\n it's]"), "2:2 'it's' is not a value");
  EXPECT_EQ(fault_of("a = 2020-01-01 1\nb = 2"), "1:5 '2020-01-01 1' is not a date");
  EXPECT_EQ(fault_of("a = [20_20-01-01 1]"), "1:6 '20_20-01-01 1' is not a date");
  EXPECT_EQ(fault_of("a = 2020-01-01 07:3>"), "1:5 '2020-01-01 07:3>' is not a value");
  EXPECT_EQ(fault_of("a = 2020-01-01tzt-:0:"), "1:5 '2020-01-01tzt-:0:' is not a date");
  EXPECT_EQ(fault_of("a = 2020-01-01T_7:32:00"), "1:5 '2020-01-01T_7:32:00' is not a date");
  EXPECT_THAT(fault_of("a = 2020-01-01" + repeated("_", 115) + " 01:00:00"),
              HasSubstr("not a date"));
}

TEST(TomlCheck, LettersBeyondAsciiStandInQuotes) {
  EXPECT_EQ(fault_of("a = 1\n b\u00E9 = 2"), "2:3 '\u00E9' (U+00E9) stands outside quotes");
  EXPECT_EQ(fault_of("[\u3041]"), "1:2 '\u3041' (U+3041) stands outside quotes");
  EXPECT_EQ(fault_of("a =\u00A0\x31"), "1:4 '\u00A0\x31' is not a value");
  EXPECT_EQ(fault_of("a = \"\"\"\\\u00E9\"\"\""), "1:8 '\\\u00E9' is not an escape sequence");
  EXPECT_EQ(fault_of("a = \"\"\"x\n\\  \u00E9\"\"\""),
            "2:1 '\\  \u00E9' is not an escape sequence");
  EXPECT_FALSE(toml_fault("\xC3 = 1")) << "the parser says that it is no UTF-8";
}

// What looks like a fault, in the places where it is none.
constexpr const char* sound = R"toml(
  [ "a.b]" . '[[=]]' ] # [=]
"é[=]" = "é[=]" # é
'[.a]' = '[.a]'
1.2 = -1.5e-3
2020-01-01 . 3="it's 2020-01-01 1"
bare-_1 = { 'x.y' = [ ], "=" = {}, z = [[], {}], w=0x1F }
text = """
[=]
[[[a]]]
a = [}
2020-01-01 1 é \
[.b]
"quoted" """
raw = '''
[=]
\é'''
escaped = """\\é\"é\u00E9 \\"""
list = [ # [=
[1, 2],
# }
[+inf, 5e1, 1_000, +inf, nan,
true], [2020-01-01 07:32:00.5, 1979-05-27 07:32:00Z, 1979-05-27 ,2020-01-01]  ,
]
[[ c ]]
[[c]]# é
[c.2020-01-01]
	[   c."é" . d	]
day = 2020-01-01
day_and_more = 2020-01-01 # 1
at = 07:32:00
moment = 2020-01-01 07:32:00-07:00)toml";

TEST(TomlCheck, SoundTomlPasses) {
  const std::string text = sound;
  for (const std::string start : {"", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(fault_of(start + text), "");
    EXPECT_FALSE(toml_fault(start + text));
    EXPECT_NO_THROW(static_cast<void>(toml::parse(safe_toml(start + text))));
  }
  std::string with_returns;
  for (const char letter : text) {
    with_returns += letter == '\n' ? "\r\n" : std::string(1, letter);
  }
  EXPECT_EQ(fault_of(with_returns), "");
}

TEST(TomlCheck, LettersBehindABrokenLineAreEscaped) {
  const auto text_in = [](const std::string& text) {
    EXPECT_FALSE(toml_fault(text));
    return toml::parse(safe_toml(text))["a"].value_or<std::string>("");
  };
  EXPECT_EQ(text_in("a = \"\"\"\\\n \u00E9\u00E9\\  \r\n\n\t\U0001F30A\"\"\""),
            "\u00E9\u00E9\U0001F30A");
  EXPECT_EQ(safe_toml("a = \"\"\"\\\n \u00E9\u00E9\"\"\""),
            "a = \"\"\"\\\n \\U000000E9\u00E9\"\"\"");
  for (const std::string text : {"a = \"\"\"\\\n e\u00E9\"\"\"", "a = '''\\\n\u00E9'''",
                                 "a = \"\"\"\\\\\n\u00E9\"\"\"", "a = \"\"\"\\\n\xC3\"\"\""}) {
    EXPECT_EQ(safe_toml(text), text);
  }
}

}  // namespace
}  // namespace bankfull
