#!/usr/bin/env python3
"""Tests of tools/check_names: what it finds, and what it leaves alone."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "tools" / "check_names"


def checked(*texts, suffix=".cpp"):
    """Exit status and output for sources with these texts."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"source{n}{suffix}" for n in range(len(texts))]
        for file, text in zip(files, texts):
            file.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, CHECK, *files], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


class CheckNames(unittest.TestCase):
    def finds(self, text, *words):
        self.finds_one(checked(text), *words)

    def finds_one(self, outcome, *words):
        status, said = outcome
        self.assertEqual(status, 1, said)
        self.assertEqual(len(said.splitlines()), 1, said)
        for word in words:
            self.assertIn(word, said)

    def accepts(self, text):
        status, said = checked(text)
        self.assertEqual(status, 0, said)

    def test_letters_that_look_alike(self):
        self.finds("int x1;\nint xl;\n", ":2: 'xl' looks like 'x1' of line 1")
        self.finds("int xI, xl;\n", "'xl' looks like 'xI'")
        self.finds("int sO = s0;\n", "'s0' looks like 'sO'")
        self.finds("int modern, modem;\n", "'modem' looks like 'modern'")

    def test_letters_beyond_ascii(self):
        self.finds("int s\u0441ale;\n", ":1: '\u0441' (U+0441) in code")
        self.finds('const char* a = "\u00b5s";\nint \u00b5;\n', ":2: '\u00b5' (U+00B5)")
        self.finds("int n = 1'000; int \u0455;\n", "U+0455")

    def test_names_after_quotes_and_comments_count(self):
        self.finds("char c = '\"'; int a1; /* \" */ int al;  // \"\n", "'al' looks like 'a1'")
        self.finds('auto r = R"x(")" // )x"; int b1, bl;\n', "'bl' looks like 'b1'")

    def test_comments_and_literals_are_free(self):
        self.accepts("int x1;  // xl, \u00b5s and na\u00efve\n/* xl\n xl */\n")
        self.accepts('int x1; auto a = "xl \u00b5s \\" xl"; auto b = R"(xl " xl)"; char c = \'\\\'\';\n')

    def test_other_names_differ_enough(self):
        self.accepts("int x1, x2, l, m, O; for (int i1 = 0x1F; i1 < 10; ++i1) {}\n")

    def test_types_that_two_headers_define(self):
        one = "namespace a::b {\n\n/// x\nstruct Part {\n  struct Inner {};\n};\n}\n"
        other = "namespace a::b {\ntemplate <class T>\nclass Part final : public Base<T> {\n  enum class Inner { x };\n};\n}\n"
        self.finds_one(checked(one, other, suffix=".hpp"), "source1.hpp:3: type 'Part' of namespace a::b", "source0.hpp:4 too")
        self.finds_one(checked(one, "namespace a::b {\nenum class Part { x };\n}\n", suffix=".cuh"), "source1.cuh:2: type 'Part'")
        for fine in (other.replace("a::b", "a"), other.replace("Part", "Whole"), "namespace a::b {\nstruct Part;\nclass Part;\n}\n"):
            self.assertEqual(checked(one, fine, suffix=".hpp")[0], 0, fine)
        self.assertEqual(checked(one, other)[0], 0, "sources have anonymous namespaces")

    def test_the_sources_of_the_project(self):
        done = subprocess.run([sys.executable, CHECK], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
