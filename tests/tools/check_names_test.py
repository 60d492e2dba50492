#!/usr/bin/env python3
"""Tests of tools/check_names: what it finds, and what it leaves alone."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "tools" / "check_names"


def checked(text):
    """Exit status and output for a source with this text."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "source.cpp"
        file.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, CHECK, file], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


class CheckNames(unittest.TestCase):
    def finds(self, text, *words):
        status, said = checked(text)
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

    def test_the_sources_of_the_project(self):
        done = subprocess.run([sys.executable, CHECK], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
