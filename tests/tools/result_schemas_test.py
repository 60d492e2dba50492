#!/usr/bin/env python3
"""Every recorded result keeps to the schema of its version, and the tools read both versions.

Usage: result_schemas_test.py [-v]
"""

import json
import runpy
import sys
import unittest
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = {1: "run-result-1.schema.json", 2: "run-result.schema.json"}

FIGURES = {"device": {"value": "cpu", "unit": ""}, "threads": {"value": 2, "unit": ""}}
SECONDS = {"median": 2.0, "min": 1.0, "max": 3.0, "unit": "s", "samples": [2.0, 1.0, 3.0]}
QUIET = {"verdict": "quiet", "disturbances": [], "spread": 0.01, "ceiling_drift": 0.0, "load_before": 0.0, "foreign_load": 0.0, "steal": 0.0}
CEILING = {"name": "copy, streaming stores", "key": "1 read : 1 write, fp64", "bytes_per_second": 4e10, "working_set_bytes": 1e9, "rates": [4e10, 3.9e10],
           "drift": 0.025, "timing": SECONDS}


def validator(version):
    return jsonschema.Draft7Validator(json.loads((ROOT / "docs" / "schema" / SCHEMAS[version]).read_text()))


def recorded():
    """All results of runs, by file."""
    documents = {file.name: json.loads(file.read_text()) for file in sorted((ROOT / "results").glob("*.json"))}
    return {name: document for name, document in documents.items() if document["schema"] == "bankfull/run-result"}


def measurement(**members):
    return {"name": "a sweep", "parameters": {}, "timing": SECONDS,
            "traffic": {"bytes_read": 1e10, "bytes_written": 1e10, "flops": 0.0, "model": "", "working_set_bytes": 1e9},
            "bytes_per_second": 1e10, "ceiling": CEILING, "percent_of_bankfull": 25.0, "cache": "beyond", "quietness": QUIET, "figures": {}, "notes": [], **members}


def result(**members):
    figures = {"model": {"value": "a CPU", "unit": ""}}
    context = {"date": "2026-11-22T10:00:00Z", "command": "bankfull probe", "options": {"size": {"value": None, "source": "default"}},
               "environment": {"OMP_NUM_THREADS": "2"}, "system": {}, "cpu": figures, "process": {}, "build": {}, "ranks": {}}
    return {"schema": "bankfull/run-result", "schema_version": 2, "workload": "probe", "verdict": "verified", "quietness": "quiet", "context": context,
            "problem": FIGURES, "verification": [], "measurements": [measurement()], "series": [], "notes": [], **members}


class RecordedResults(unittest.TestCase):
    def test_keep_to_the_schema_of_their_version(self):
        documents = recorded()
        self.assertGreater(len(documents), 50)
        checkers = {version: validator(version) for version in SCHEMAS}
        for name, document in documents.items():
            with self.subTest(name=name):
                checkers[document["schema_version"]].validate(document)


class Versions(unittest.TestCase):
    def refused(self, document, word):
        with self.assertRaisesRegex(jsonschema.ValidationError, word):
            validator(2).validate(document)

    def test_a_result_of_version_2(self):
        validator(2).validate(result())

    def test_what_only_version_1_has_is_refused(self):
        self.refused(result(schema_version=1), "2 was expected")
        self.refused(result(measurements=[measurement(fits_cache=True)]), "fits_cache")
        self.refused(result(measurements=[measurement(ceiling={**CEILING, "brief": True})]), "brief")
        self.refused(result(measurements=[measurement(bytes_per_second=0.0)]), "0.0")

    def test_what_version_2_added_is_required(self):
        for name in ("cache", "quietness"):
            bare = measurement()
            del bare[name]
            self.refused(result(measurements=[bare]), name)
        document = result()
        del document["context"]["environment"]
        self.refused(document, "environment")


class Tools(unittest.TestCase):
    """A percentage as tables and charts show it, of both versions."""

    def setUp(self):
        self.tables = runpy.run_path(str(ROOT / "tools" / "result_tables"), run_name="tables")["percent"]
        self.charts = runpy.run_path(str(ROOT / "tools" / "result_charts"), run_name="charts")["percent"]

    def test_of_memory(self):
        for m in ({"percent_of_bankfull": 25.0, "fits_cache": False, "ceiling": {}}, measurement()):
            self.assertEqual(self.tables(m), "25.0")
            self.assertEqual(self.charts(m), 25.0)

    def test_of_working_sets_in_a_cache(self):
        for m, mark in (({"percent_of_bankfull": 25.0, "fits_cache": True, "ceiling": {}}, "cache"), (measurement(cache="inside"), "cache"),
                        (measurement(cache="partly"), "partly cache")):
            self.assertEqual(self.tables(m), f"25.0 ({mark})")
            self.assertIsNone(self.charts(m))

    def test_without_a_ceiling(self):
        bare = measurement()
        del bare["ceiling"], bare["percent_of_bankfull"]
        self.assertEqual(self.tables(bare), "-")
        self.assertIsNone(self.charts(bare))

    def test_on_a_noisy_machine(self):
        noisy = measurement(quietness={**QUIET, "verdict": "noisy"})
        self.assertEqual(self.tables(noisy), "25.0 (noisy)")
        rough = {"percent_of_bankfull": 25.0, "fits_cache": False, "ceiling": {"brief": True}}
        self.assertEqual(self.tables(rough), "25.0 (rough)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
