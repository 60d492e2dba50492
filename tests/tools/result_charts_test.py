#!/usr/bin/env python3
"""Tests of tools/result_charts on a copy of the results and pages: what its check finds, and, where matplotlib is installed, what it draws."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIGHT = "docs/charts/h200-himeno-ladder-light.svg"
DARK = "docs/charts/h200-himeno-ladder-dark.svg"


def with_matplotlib():
    """An interpreter that has it, or None: CMake may have found one beside the distribution's."""
    for python in (sys.executable, "/usr/bin/python3"):
        if Path(python).exists() and subprocess.run([python, "-c", "import matplotlib"], capture_output=True, check=False).returncode == 0:
            return python
    return None


class ResultCharts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for part in ("tools", "results", "docs"):
            shutil.copytree(ROOT / part, self.root / part)
        shutil.copy(ROOT / "README.md", self.root)

    def run_tool(self, *arguments, python=sys.executable):
        return subprocess.run([python, "-B", self.root / "tools" / "result_charts", *arguments], capture_output=True, text=True, check=False)

    def found(self):
        """What the check says."""
        done = self.run_tool("--check")
        self.assertEqual(done.returncode, 1 if done.stdout else 0, done.stderr)
        return done.stdout.splitlines()

    def change_a_figure(self):
        path = self.root / "results" / "h200-himeno-ladder.json"
        document = json.loads(path.read_text())
        document["measurements"][0]["flops_per_second"] = 1.234e12
        path.write_text(json.dumps(document))

    def test_charts_of_the_pages_show_the_results(self):
        self.assertEqual(self.found(), [])

    def test_another_figure_is_found(self):
        self.change_a_figure()
        self.assertEqual(self.found(), [f"{LIGHT}: out of date", f"{DARK}: out of date"])

    def test_another_row_of_a_series_is_found(self):
        path = self.root / "results" / "h100x2-convect-rayleigh-1e9-series.csv"
        header, first, *rows = path.read_text().splitlines(keepends=True)
        path.write_text(header + first + "".join(rows[:-20]))
        self.assertEqual(self.found(), [f"docs/charts/rayleigh-1e9-nusselt-{theme}.svg: out of date" for theme in ("light", "dark")])

    def test_a_change_by_hand_is_found(self):
        path = self.root / LIGHT
        path.write_text(path.read_text().replace("(fused)<", "(fastest)<"))
        self.assertEqual(self.found(), [f"{LIGHT}: not as it was drawn"])

    def test_a_missing_file_is_found(self):
        (self.root / DARK).unlink()
        self.assertEqual(self.found(), [f"{DARK}: missing"])

    def test_a_file_of_no_chart_is_found(self):
        shutil.copy(self.root / DARK, self.root / "docs" / "charts" / "old-dark.svg")
        self.assertEqual(self.found(), ["docs/charts/old-dark.svg: of no chart"])

    def test_a_chart_on_no_page_is_found(self):
        for page in self.root.rglob("*.md"):
            page.write_text(page.read_text().replace("charts/h200-himeno-ladder-dark.svg", "charts/none.svg"))
        self.assertEqual(self.found(), [f"{DARK}: shown on no page"])

    def test_an_unknown_name_is_refused(self):
        done = self.run_tool("ladder")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no chart is called ladder; there are percent-of-ceiling,", done.stderr)

    @unittest.skipUnless(with_matplotlib(), "needs matplotlib")
    def test_what_is_out_of_date_is_drawn_again(self):
        self.change_a_figure()
        done = self.run_tool(python=with_matplotlib())
        self.assertEqual(done.stdout.splitlines(), [f"{LIGHT}: drawn", f"{DARK}: drawn"], done.stderr)
        self.assertEqual(self.found(), [])
        texts = [element.text for element in xml.etree.ElementTree.parse(self.root / LIGHT).iter() if element.tag.endswith("}text")]
        self.assertIn("1234", texts)
        self.assertTrue(any(text and text.endswith("iterations per pass (fused)") for text in texts), texts)

    @unittest.skipUnless(with_matplotlib(), "needs matplotlib")
    def test_a_chart_has_the_same_bytes_each_time(self):
        drawn = []
        for _ in range(2):
            self.run_tool("h200-latency", "h200-hpcg-shares", python=with_matplotlib())
            drawn.append([(self.root / "docs" / "charts" / f"{name}-light.svg").read_text() for name in ("h200-latency", "h200-hpcg-shares")])
        self.assertEqual(drawn[0], drawn[1])


if __name__ == "__main__":
    unittest.main()
