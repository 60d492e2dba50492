#!/usr/bin/env python3
"""Tests of what tools/result_tables shows of other programs and of other people's hardware."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

THEIRS = {"repository": "https://example.org/other", "revision": "def", "compiler": "cc 1", "flags": "-O3", "settings": "shipped"}


def figure(values):
    return {"values": values, "median": sorted(values)[len(values) // 2]}


def case(name, settings):
    """A case of a record in which ours took 2 s and theirs 3 s."""
    return {
        "case": name,
        "programs": {
            "ours": {"name": "bankfull", "environment": {}, "facts": {"revision": "abc"}},
            "theirs": {"name": "other", "environment": {"THREADS": "2"}, "facts": {**THEIRS, "settings": settings}},
        },
        "figures": [
            {"name": "time", "unit": "s", "better": "lower", "ratio": 1.5, "ours": figure([2.0, 1.9, 2.2]), "theirs": figure([3.0, 2.5, 3.5])}
        ],
    }


RECORD = {
    "schema": "bankfull/comparison",
    "date": "2026-11-22T10:00:00Z",
    "machine": {"cpu": "a CPU", "gpus": [{"name": "a GPU"}]},
    "description": {"ours": {"command": ["{bankfull}", "--device", "cuda"]}},
    "cases": [case("small", "shipped"), case("large", "shipped"), case("large, tuned", "tuned")],
}


BEGINNING = "<!-- table: h200-npb-c.json -->"
END = "<!-- end of table -->"


def run_on(text, record=RECORD, page="README.md"):
    """What the tool says of a tree with this page, and the page after it."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "tools").mkdir()
        shutil.copy(ROOT / "tools" / "result_tables", root / "tools")
        shutil.copytree(ROOT / "results", root / "results")
        (root / "results" / "comparisons").mkdir(exist_ok=True)
        (root / "results" / "comparisons" / "record.json").write_text(json.dumps(record))
        (root / page).parent.mkdir(parents=True, exist_ok=True)
        (root / page).write_text(text)
        done = subprocess.run([sys.executable, root / "tools" / "result_tables"], capture_output=True, text=True, check=False)
        return done, (root / page).read_text()


def tables(markers, record=RECORD):
    """The lines of README.md after the tool filled in tables between the markers."""
    done, page = run_on("".join(f"<!-- table: {marker} -->\n{END}\n" for marker in markers), record)
    assert done.returncode == 0, done.stderr
    return [line for line in page.splitlines() if line.startswith("| ")]


class ResultTables(unittest.TestCase):
    def test_comparison(self):
        lines = tables(["comparison:comparisons/record.json"])
        self.assertIn("median", lines[0])
        self.assertEqual(lines[2], "| a GPU | small | time, s | 2 (1.9 to 2.2) | other | 3 (2.5 to 3.5) | 1.50 | 3 | abc | 2026-11-22 |")
        self.assertEqual(len(lines), 5)

    def test_comparison_on_a_cpu(self):
        record = {**RECORD, "description": {"ours": {"command": ["{bankfull}", "--device", "cpu"]}}}
        self.assertTrue(tables(["comparison:comparisons/record.json"], record)[2].startswith("| a CPU | small |"))

    def test_programs_are_shown_once_for_each_setting(self):
        lines = tables(["programs:comparisons/record.json"])
        self.assertEqual(lines[2], "| other | https://example.org/other | def | cc 1 | -O3 | none | shipped | THREADS=2 |")
        self.assertEqual(len(lines), 4)
        self.assertIn("| tuned |", lines[3])

    def test_other_hardware_is_headed_so(self):
        for marker, hardware in (
            ("hardware:h200-npb-c.json", "paper's hardware: Titan X (Pascal), s"),
            ("hardware:h200-convect-layer-64-direct.json", "paper's hardware: Tesla C1060, ms"),
        ):
            lines = tables([marker])
            self.assertIn(f"| {hardware} | hardware and program together, ratio |", lines[0])
            self.assertIn("| Table I", lines[2])

    def test_summary_has_one_row_for_each_workload(self):
        files = ("h200-probe", "h200-himeno-xl-fp32", "h200-hpcg-256-full", "h200-npb-c", "h200-convect-layer-512-direct")
        lines = tables([" ".join(f"summary:{file}.json" for file in files)])
        self.assertEqual([line.split("`")[1] for line in lines[2:]], ["probe", "himeno", "hpcg", "npb", "convect"])
        self.assertRegex(lines[2], r"reads 4\.\d\d TB/s \| the ceiling itself \| verified \|")
        self.assertRegex(lines[3], r"size XL: [\d.]+ TFLOPS; three iterations per pass: [\d.]+ \| [\d.]+ %; [\d.]+ % of a third of the bytes")

    def test_measurements_of_one_number_of_ranks(self):
        def ranks(marker):
            return [line.split(" | ")[5] for line in tables([marker])[2:]]

        self.assertEqual(ranks("h200x4-himeno-strong-fused.json"), ["1", "2", "4"])
        self.assertEqual(ranks("h200x4-himeno-strong-fused.json?ranks=4"), ["4"])
        with self.assertRaisesRegex(AssertionError, "no measurement has ranks=3"):
            tables(["h200x4-himeno-strong-fused.json?ranks=3"])

    def test_ranks_of_convection_name_their_threads_and_noise(self):
        lines = [line.split(" | ") for line in tables(["h100x2-convect-split-direct.json"])[2:]]
        self.assertEqual([(line[0].rpartition(", ")[2], line[5]) for line in lines],
                         [(f"{32 // n} thread{'s' if n < 32 else ''} per rank", str(n)) for n in (1, 2, 4, 8, 16, 32)])
        self.assertRegex(lines[1][6], r"^[\d.]+ \(noisy\)$")
        self.assertRegex(lines[0][6], r"^[\d.]+$")
        self.assertTrue(tables(["h100x2-convect-scaling-strong-direct.json"])[2].startswith("| NVIDIA H100 80GB HBM3 | strong |"))

    def test_resolution_and_averages_of_a_run(self):
        lines = tables(["resolution:h100x2-convect-rayleigh-1e9.json"])[2:]
        self.assertEqual([line.split(" | ")[3] for line in lines], ["within", "within", "BEYOND", "within"])
        lines = tables(["averages:h100x2-convect-rayleigh-1e9.json"])
        self.assertRegex(lines[2], r"^(\| \d\d\.\d\d ){5}\| [\d.]+ \| [\d.]+ \| too short \|$")

    def test_figures_of_a_paper_alone(self):
        self.assertEqual(tables(["published/himeno-cuda-2010.json"])[2], "| Tesla C1060 | initial implementation | 22.4 GFLOPS | text before section A |")

    def test_results_have_no_columns_of_other_hardware(self):
        lines = tables(["h200-npb-c.json", "h200-convect-layer-64-direct.json"])
        self.assertFalse([line for line in lines if "paper" in line or "C1060" in line or "Titan" in line])


class Markers(unittest.TestCase):
    """A page whose comments are not tables in turn is refused as a whole: a forgotten end would swallow what follows."""

    def refused(self, text, *faults, page="README.md"):
        done, after = run_on(text, page=page)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(done.stderr.splitlines(), [f"{page}:{fault}" for fault in faults])
        self.assertEqual(after, text)

    def test_on_any_page_are_tables(self):
        for page in ("README.md", "docs/deep/page.md", "bankfull/workloads/npb/README.md"):
            with self.subTest(page=page):
                done, after = run_on(f"text\n\n{BEGINNING}\n{END}\n\ntext\n", page=page)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("| EP C |", after)

    def test_that_are_not_closed_are_refused(self):
        text = "this table is not ended"
        self.refused(f"text\n{BEGINNING}\n| |\n", f"2: {text}")
        self.refused(f"{BEGINNING}\n\ntext\n\n{BEGINNING}\n{END}\n", f"1: {text} before the next begins")
        self.refused(f"{BEGINNING}\n{END}\n\n{END}\n", "4: the end of no table")

    def test_of_other_tools_are_left_alone(self):
        for other in ("<!-- not run: needs a queue -->", "as in `<!-- not run: needs a queue -->`.", "<!-- Generated by tools/x from y: edit that. -->"):
            with self.subTest(other=other):
                done, after = run_on(f"{other}\n\n{BEGINNING}\n{END}\n")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("| EP C |", after)
                self.assertIn(other, after)
                fault = "a comment that neither begins nor ends a table, alone on its line"
                self.refused(f"{BEGINNING}\n{other}\n{END}\n", f"2: {fault}")
                if other.startswith("<"):
                    self.refused(f"see {other} there\n", f"1: {fault}")

    def test_that_are_misspelt_are_refused(self):
        text = "a comment that neither begins nor ends a table, alone on its line"
        for wrong in ("<!-- tabel: h200-npb-c.json -->", "<!--table: h200-npb-c.json -->", "<!-- table: -->",
                      "<!-- Table: h200-npb-c.json -->", "<!-- a remark -->", f"see {BEGINNING}", f"{BEGINNING} here"):
            with self.subTest(wrong=wrong):
                self.refused(f"{wrong}\n{END}\n", f"1: {text}", "2: the end of no table")
        self.refused(f"{BEGINNING}\n<!-- end of the table -->\n", f"2: {text}", "1: this table is not ended")
        self.refused(f"{BEGINNING}\n<!-- end of table\n", f"2: {text}", "1: this table is not ended")

    def test_that_no_table_shows_are_refused(self):
        for names, fault in (
            ("h200-npb-x.json", "h200-npb-x.json: there is no results/h200-npb-x.json"),
            ("h200-npb-c.json no.json", "no.json: there is no results/no.json"),
            ("rows:h200-npb-c.json", "rows:h200-npb-c.json: no table is known for npb rows"),
            ("steps:h200-npb-c.json", "steps:h200-npb-c.json: no table is known for npb steps"),
            ("phases:h200-hpcg-128-flags.json", "phases:h200-hpcg-128-flags.json: this record has no phases"),
            ("h200-npb-c.json h200-himeno-l-fp32.json", "h200-himeno-l-fp32.json: its columns are not those of h200-npb-c.json"),
        ):
            with self.subTest(names=names):
                self.refused(f"<!-- table: {names} -->\n{END}\n", f"1: {fault}")


if __name__ == "__main__":
    unittest.main()
