#!/usr/bin/env python3
"""Tests tools/docs_site, tools/api_coverage, tools/layer_diagram and tools/reference_pages without Sphinx, Doxygen and the program."""

import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
site, coverage, diagram, reference = (SourceFileLoader(name, str(ROOT / "tools" / name)).load_module() for name in ("docs_site", "api_coverage", "layer_diagram", "reference_pages"))


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()

    def write(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Stage(Folder):
    def setUp(self):
        super().setUp()
        self.write("README.md", "# Top\n[guide](docs/guide.md#part) [docs](docs) [data](results) `[code](docs/guide.md)`\n")
        self.write("docs/README.md", "# Documentation\n## Tutorials\n- [Guide](guide.md): how\n\n## Reference\n- [Decisions](adr/README.md)\n")
        self.write("docs/guide.md", '# Guide\n## Part\n<img alt="a" src="a.png"> [up](../README.md) [source](../x.cpp)\n```\n[a](guide.md)\n```\n')
        self.write("docs/adr/README.md", "# Decisions\n")
        self.write("docs/adr/0001-one.md", "# One\n")
        for name in ("docs/a.png", "x.cpp", "results/one.json"):
            self.write(name)

    def stage(self):
        site.stage(self.root, self.root / "out")

    def read(self, name):
        return (self.root / "out" / name).read_text()

    def test_leads_links_to_pages_files_and_folders(self):
        self.stage()
        self.assertIn("[guide](docs/guide.html#part) [docs](docs/index.html) [data](results/listing.html) `[code](docs/guide.md)`", self.read("site-pages/index.md"))
        self.assertIn('src="a.png"> [up](../index.html) [source](../x.cpp)\n```\n[a](guide.md)\n', self.read("site-pages/docs/guide.md"))

    def test_takes_what_pages_link_to(self):
        self.stage()
        for name in ("docs/a.png", "x.cpp", "results/one.json"):
            self.assertTrue((self.root / "out/site-files" / name).is_file(), name)
        self.assertIn('<a href="one.json">', self.read("site-files/results/listing.html"))

    def test_navigates_by_the_index(self):
        self.stage()
        text = self.read("site-pages/index.md")
        self.assertLess(text.index(":caption: Tutorials\n\n/docs/guide\n"), text.index(":caption: Reference\n\n/docs/adr/index\n"))
        self.assertIn("/docs/adr/0001-one\n", self.read("site-pages/docs/adr/index.md"))

    def test_refuses_a_page_without_a_place(self):
        self.write("docs/lost.md", "# Lost\n")
        with self.assertRaisesRegex(SystemExit, "docs/lost.md: has no place in the navigation"):
            self.stage()


class Check(Folder):
    def broken(self, text):
        self.write("index.html", text)
        self.write("other.html", '<h1 id="there">x</h1>')
        return [problem.rpartition(": ")[2] for problem in site.broken(self.root)]

    def test_finds_links_that_lead_nowhere(self):
        self.assertEqual(self.broken('<a href="other.html#there">a</a><a href="https://example.org/x#y">b</a><img src="index.html">'), [])
        for text in ('<a href="none.html">a</a>', '<img src="none.png">', '<source srcset="none.svg 2x">'):
            self.assertEqual(self.broken(text), ["there is no such file"], text)
        self.assertEqual(self.broken('<a href="other.html#here">a</a>'), ["the page has no such anchor"])


class Coverage(unittest.TestCase):
    LOG = "bankfull/core/a/x.hpp:3: warning: Member f() (function) of class X is not documented.\n" * 2 + f"{ROOT}/bankfull/core/a/y.hpp:4: warning: Compound Y is not documented.\n"

    def test_counts_each_name_once(self):
        names, others = coverage.read_log(self.LOG)
        self.assertEqual((coverage.by_folder(names), others), ({"bankfull/core/a": 2}, []))

    def test_other_warnings_are_errors(self):
        _, others = coverage.read_log("x.hpp:1: warning: Found unknown command '\\x1b'\n")
        self.assertEqual(len(list(coverage.problems({}, {}, others))), 1)

    def test_numbers_may_only_fall(self):
        self.assertEqual(list(coverage.problems({"a": 2}, {"a": 2}, [])), [])
        self.assertRegex(next(coverage.problems({"a": 3}, {"a": 2}, [])), "describe the new ones")
        self.assertRegex(next(coverage.problems({"b": 1}, {}, [])), "describe the new ones")
        self.assertRegex(next(coverage.problems({"a": 1}, {"a": 2}, [])), "--lower")
        self.assertEqual(coverage.read_record(coverage.lowered({"a": 1, "b": 9, "d": 4}, {"a": 2, "b": 3, "c": 5})), {"a": 1, "b": 3})


class Diagram(unittest.TestCase):
    def test_shows_all_layers_with_the_highest_on_top(self):
        text = diagram.picture(diagram.THEMES["light"])
        places = [text.index(f">{layer}</text>") for layer in reversed(diagram.LAYERS)]
        self.assertEqual(places, sorted(places))
        self.assertIn(">himeno</text>", text)


class Reference(unittest.TestCase):
    PAGE = ".TH x\n.SH NAME\nbankfull\\-x \\- Does x\n.SH SYNOPSIS\n\\fBbankfull x\\fR\n.SH OPTIONS\n.TP\n\\fB\\-\\-size\\fR \\fIA|B\\fR\nthe size\\(aqs name.\nDefault: M.\nEnvironment: \\fBBANKFULL_SIZE\\fR.\n"

    def test_options_of_a_manual_page(self):
        text = reference.options_page([reference.Command(["x"], self.PAGE)])
        self.assertIn("| `--size A\\|B` | the size's name. | M | `BANKFULL_SIZE` |", text)

    def test_characters_that_a_manual_page_names(self):
        self.assertEqual(reference.plain("a \\(dqb\\(dq \\(ti/c it\\(aqs \\(gad\\(ga \\(ha"), 'a "b" ~/c it\'s `d` ^')

    def test_options_of_many_commands_are_described_once(self):
        text = reference.options_page([reference.Command([name], self.PAGE) for name in "abcd"])
        self.assertEqual(text.count("the size's name."), 1)

    def test_properties_of_a_schema(self):
        schema = {"required": ["a"], "properties": {"a": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "number", "description": "seconds"}}}}}}
        self.assertEqual(list(reference.properties(schema)), ["| `a` | array of object |  |  |", "| `a[].b` | number | optional | seconds |"])


if __name__ == "__main__":
    unittest.main()
