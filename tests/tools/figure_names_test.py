#!/usr/bin/env python3
"""Checks that docs/figures.md has each figure of the recorded results, but for those of convection, which docs/convection.md has."""

import json
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def names_of_page():
    rows = [line for line in (ROOT / "docs/figures.md").read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    names = {name for row in rows for name in re.findall(r"`([a-zA-Z_0-9]+)`", row.split("|")[1])}
    return names | {"share"}  # in a sentence


def recorded_names():
    """{name: one file that has it}"""
    names = {}
    for file in sorted((ROOT / "results").rglob("*.json")):
        document = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(document, dict) or document.get("workload") == "convection":
            continue
        measurements = document.get("measurements")
        for measurement in measurements if isinstance(measurements, list) else []:
            for name in measurement.get("figures", {}):
                names[re.sub(r"^plateau_\d+", "plateau_N", name)] = file.relative_to(ROOT).as_posix()
    return names


class FigureNames(unittest.TestCase):
    def test_the_page_has_all(self):
        recorded = recorded_names()
        self.assertGreater(len(recorded), 50)
        page = names_of_page()
        self.assertEqual({name: file for name, file in recorded.items() if name not in page}, {})

    def test_the_page_has_no_others(self):
        self.assertEqual(names_of_page() - set(recorded_names()), set())


if __name__ == "__main__":
    unittest.main()
