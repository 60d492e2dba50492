#!/usr/bin/env python3
"""Runs `bankfull convect` as a user would, bad input included.

Usage: convect_test.py BANKFULL_BINARY SCHEMA_OF_RESULTS FOLDER_OF_CASES [-- arguments of unittest]
"""

import csv
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from refusal import Refusals
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
SCHEMA = json.loads(pathlib.Path(OWN_ARGUMENTS[1]).read_text())
CASES = pathlib.Path(OWN_ARGUMENTS[2]).resolve()
READY = sorted(path.stem for path in CASES.glob("*.toml"))

OK, FAILURE, USAGE, UNVERIFIED, BELOW = range(5)

# A layer on a small grid, each line a target of a test.
LAYER = """\
[domain]
upper = [2, 1, 1]
cells = [16, 8, 8]

[physics]
rayleigh = 1e4
prandtl = 0.71
scaling = "free-fall"

[boundaries]
x = "periodic"
y = "periodic"
z.lower = { velocity = "no-slip", temperature = 0.5 }
z.upper = { velocity = "no-slip", temperature = -0.5 }

[initial]
temperature = "0.5 - z"
noise = 1e-2

[time]
cfl = 0.3
steps = 4
"""


def rows_of(path):
    with path.open() as lines:
        return list(csv.DictReader(lines))


class Convect(Refusals, unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.case = self.path / "layer.toml"
        self.case.write_text(LAYER)

    def run_convect(self, *arguments, environment=None, device="cpu", preexec_fn=None):
        """In the test's own folder."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
        clean["BANKFULL_CASES"] = str(CASES)
        clean["BANKFULL_THREADS"] = "1"  # grids are small, and other tests have the cores
        return subprocess.run([BINARY, "convect", "--device", device, *arguments],
                              cwd=self.path, capture_output=True, text=True, errors="replace", timeout=HANGING,
                              env={**clean, **(environment or {})}, preexec_fn=preexec_fn)

    def files(self):
        return sorted(str(path.relative_to(self.path)) for path in self.path.rglob("*"))

    def refused(self, *arguments, saying=(), code=USAGE, **options):
        """The program stops with one line on stderr, no output, and writes nothing."""
        before = self.files()
        result = self.run_convect(*arguments, **options)
        line = self.assert_refusal(result, code, saying)
        self.assertEqual(self.files(), before)
        return line

    def refused_with(self, old, new, *saying):
        """The layer with one piece of its text replaced."""
        self.assertIn(old, LAYER)
        self.case.write_text(LAYER.replace(old, new, 1))
        return self.refused("layer.toml", saying=saying)

    def succeeded(self, *arguments, **options):
        result = self.run_convect(*arguments, **options)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        return result.stdout


class Listing(Convect):
    def test_ready_cases_are_listed(self):
        text = self.succeeded("--list-cases")
        self.assertGreaterEqual(len(READY), 13)
        for name in READY:
            self.assertRegex(text, rf"(?m)^  {name} +\d+x\d+x\d+  \S")
        self.assertNotIn("broken", text)

    def test_a_broken_case_does_not_spoil_the_list(self):
        text = self.succeeded("--list-cases", environment={"BANKFULL_CASES": str(self.path)})
        self.assertIn("layer", text)
        self.case.write_text("[domain")
        text = self.succeeded("--list-cases", environment={"BANKFULL_CASES": str(self.path)})
        self.assertRegex(text, r"layer +broken .*layer.toml:1:")

    def test_unknown_names(self):
        self.refused("rayleigh-benard-2", saying=["rayleigh-benard-2", "did you mean", "--list-cases"])
        self.refused("nowhere.toml", saying=["nowhere.toml", "No such file"])
        self.refused("./", saying=["folder"])
        self.refused("--list-cases", environment={"BANKFULL_CASES": "/nonexistent"},
                     saying=["BANKFULL_CASES"])


class Arguments(Convect):
    def test_something_to_do(self):
        self.refused(saying=["no case given", "--list-cases"])
        self.refused("layer.toml", "--validate", "quick", saying=["--validate"])
        self.refused("--validate", "thorough", saying=["quick or full"])
        self.refused("--validate", "quick", "--validate-parts", "cavities,caves",
                     saying=["--validate-parts caves", "cavities"])
        self.refused("layer.toml", "--validate-parts", "cavities", saying=["--validate-parts"])
        self.refused("layer.toml", "second.toml", saying=["second.toml"])

    def test_parts_of_a_validation(self):
        text = self.succeeded("--validate", "quick", "--validate-parts", "cavities,exact-flows", "--dry-run")
        self.assertTrue(text.endswith(": exact-flows, cavities\n"), text)
        text = self.succeeded("--validate", "quick", "--validate-parts", "invariants", "--json", "result.json")
        self.assertIn("centred advection and rotation do no work", text)
        self.assertNotIn("lid-driven", text)
        result = json.loads((self.path / "result.json").read_text())
        jsonschema.validate(result, SCHEMA)
        self.assertEqual(result["problem"]["parts"]["value"], "invariants")

    def test_common_options_are_checked(self):
        self.refused("layer.toml", "--threads", "-2", saying=["--threads"])
        self.refused("layer.toml", saying=["tpu"], device="tpu")
        self.refused("layer.toml", "--json", "/nonexistent/x.json", saying=["/nonexistent/x.json"])


class BadCases(Convect):
    def test_unknown_keys_name_the_nearest(self):
        self.refused_with("rayleigh", "raleigh", "layer.toml:6:1: ", "'raleigh'", "'rayleigh'")
        self.refused_with("[time]", "[tiem]", "layer.toml:20:", "'tiem'", "'time'")
        self.refused_with("velocity = \"no-slip\", temperature = 0.5",
                          "velocty = \"no-slip\", temperature = 0.5", "layer.toml:13:", "'velocity'")

    def test_missing_fields(self):
        self.refused_with("prandtl = 0.71\n", "", "layer.toml:5:1: ", "[physics] has no 'prandtl'")
        self.refused_with("cells = [16, 8, 8]\n", "", "[domain] has no 'cells'")
        self.refused_with("steps = 4\n", "", "neither 'steps' nor 'end'")
        self.refused_with("y = \"periodic\"\n", "", "[boundaries] has no 'y'")
        self.refused_with(", temperature = 0.5", "", "layer.toml:13:", "no 'temperature'")

    def test_fields_out_of_range(self):
        for old, new, where in (("prandtl = 0.71", "prandtl = -1", "layer.toml:7:11: "),
                                ("rayleigh = 1e4", "rayleigh = nan", "layer.toml:6:12: "),
                                ("cells = [16, 8, 8]", "cells = [16, 8, 0]", "layer.toml:3:17: "),
                                ("steps = 4", "steps = 0", "layer.toml:22:9: "),
                                ("noise = 1e-2", "noise = -1", "layer.toml:18:9: ")):
            with self.subTest(new=new):
                self.refused_with(old, new, where, "out of range")

    def test_wrong_kinds(self):
        self.refused_with("prandtl = 0.71", "prandtl = true", "layer.toml:7:11: ", "not a number")
        self.refused_with("cells = [16, 8, 8]", "cells = [16, 8]", "three")
        self.refused_with("scaling = \"free-fall\"", "scaling = 3", "layer.toml:8:", "not text")
        self.refused_with("scaling = \"free-fall\"", "scaling = \"free\"", "'free-fall'")
        self.refused_with("\"0.5 - z\"", "\"0.5 - q\"", "layer.toml:17:15: ", "0.5 - q")

    def test_unknown_words_name_all_that_is_known(self):
        self.refused_with("temperature = 0.5 }", 'temperature = "fixed" }', "layer.toml:13:", '"insulating"', "a number", "slope", "flux")
        self.refused_with('velocity = "no-slip", temperature = 0.5', 'velocity = "slip", temperature = 0.5', "layer.toml:13:",
                          '"no-slip", "free-slip"', "[1, 0, 0]")
        self.refused_with('x = "periodic"', 'x = "open"', "layer.toml:11:", '"periodic"', "walls")

    def test_contradictions(self):
        self.refused_with("steps = 4", "dt = 1e-3\nsteps = 4", "contradicts dt")
        self.refused_with("prandtl", "viscosity = 1\nprandtl", "viscosity contradicts rayleigh")
        self.refused_with("x = \"periodic\"\n",
                          "x.lower = \"periodic\"\nx.upper = { velocity = \"no-slip\", "
                          "temperature = \"insulating\" }\n", "layer.toml:11:", "other side is not")

    def test_no_toml(self):
        self.refused_with("[domain]", "[domain", "layer.toml:1:", "invalid TOML")
        self.case.write_text("")
        self.refused("layer.toml", saying=["no section [domain]"])
        self.case.write_bytes(b"\xff\xfe\x00")
        self.refused("layer.toml", saying=["layer.toml:1:"])

    def test_no_depth_overflows_the_stack(self):
        parts = ".".join(["a"] * 30_000)
        lists = "[" * 30_000 + "]" * 30_000
        tables = "{a=" * 30_000 + "1" + "}" * 30_000
        for text, place in ((f"{parts} = 1\n", "layer.toml:1:32: "), (f"[domain]\n[{parts}]\n", "layer.toml:2:33: "),
                            (f"[[{parts}]]\n", "layer.toml:1:34: "), (f'x = """\n"""""\n"{parts}" = 2\n{parts} = 1', "layer.toml:4:32: "),
                            (f"x = {lists}", "layer.toml:1:21: "), (f"x = {tables}", "layer.toml:1:53: ")):
            with self.subTest(text=text[:20]):
                self.case.write_text(text)
                self.refused("layer.toml", saying=[place, "nested more than 16 deep"])
        self.case.write_text(LAYER)
        self.refused("layer.toml", "--set", f"{parts}=1", saying=["--set a.a.", "more than 16 parts"])
        for value in (lists, tables, "{" + parts + "=1}"):
            self.refused("layer.toml", "--set", f"ra={value}", saying=["--set ra=", "nested more than 16 deep"])
        # Points of texts and remarks are no parts.
        self.case.write_text("# " + "." * 99 + "\n" + LAYER.replace('"0.5 - z"', '"0.5 - z' + " + 0.1" * 99 + '"'))
        self.succeeded("layer.toml", "--dry-run")

    def test_too_many_slices(self):
        self.case.write_text(LAYER + '[[output.slice]]\nfield = "w"\n' * 25_000)
        self.refused("layer.toml", saying=["[output] slice has 25000 sections", "up to 100"])
        self.case.write_text(LAYER + '[[output.slice]]\nfield = "w"\n' * 100)
        self.succeeded("layer.toml", "--dry-run")

    def test_no_plain_file(self):
        os.mkfifo(self.path / "pipe.toml")
        self.refused("pipe.toml", saying=["pipe.toml", "a device or a pipe"])
        (self.path / "pipe.toml").unlink()
        (self.path / "zero.toml").symlink_to("/dev/zero")
        self.refused("zero.toml", saying=["zero.toml", "a device or a pipe"])
        self.case.write_text("#" * 2**21)
        self.refused("layer.toml", saying=["layer.toml", "longer than 1 MiB"])

    def test_steps_beyond_stability_name_the_limit(self):
        line = self.refused("layer.toml", "--set", "dt=10", saying=["10 is beyond"])
        limit = float(re.search(r"beyond ([\d.e+-]+),", line)[1])
        self.refused("layer.toml", "--set", f"dt={1.001 * limit}", saying=["beyond"])
        self.succeeded("layer.toml", "--set", f"dt={0.999 * limit}", "--dry-run")
        self.refused("layer.toml", "--set", "cfl=5", saying=["Courant number"])

    def test_too_little_memory(self):
        self.refused("layer.toml", "--set", "cells=8192x8192x8192", saying=["needs", "free", "--set cells"])
        text = self.succeeded("layer.toml", "--set", "cells=8192x8192x8192", "--dry-run")
        self.assertRegex(text, r"memory [\d.]+ TiB(.*\n)*  it does not fit: a flow on .* needs .* free; .*--set cells")

    def test_a_dry_run_answers_where_the_folder_is_taken(self):
        self.succeeded("layer.toml", "--quiet")
        text = self.succeeded("layer.toml", "--dry-run")
        self.assertRegex(text, "  it fits: .*\n  the run would be refused: the folder layer-run is there already and not empty; "
                               "give --overwrite")
        self.assertNotIn("refused", self.succeeded("layer.toml", "--dry-run", "--overwrite"))
        self.refused("layer.toml", "--dry-run", "--output", "{nothing}", saying=["{nothing}"])

    def test_a_case_without_a_title(self):
        self.assertIn("convect layer\n", self.succeeded("layer.toml", "--dry-run"))
        self.assertIn("convect layer: air\n", self.succeeded("layer.toml", "--dry-run", "--set", "title=air"))

    def test_settings(self):
        self.refused("layer.toml", "--set", "ra=-1", saying=["--set ra=-1: ", "rayleigh"])
        self.refused("layer.toml", "--set", "physics.raleigh=1",
                     saying=["--set physics.raleigh=1: ", "'rayleigh'"])
        self.refused("layer.toml", "--set", "raleigh=1", saying=["'ra'"])
        for key in ("up", "restart"):  # whose nearest names, 'ra' and 'solver', nobody means
            line = self.refused("layer.toml", "--set", f"{key}=z-", saying=[f"unknown key '{key}'", "or one of ra, pr,", "seed"])
            self.assertNotIn("did you mean", line)
        self.refused("layer.toml", "--set", "output.slice.1.field=w", saying=["'1' is not one of the list's 1 sections"])
        self.refused("layer.toml", "--set", "output.slice.0.field=q", saying=["--set output.slice.0.field=q: [output.slice] field", "speed"])
        self.refused("layer.toml", "--set", "ra", saying=["--set ra: "])
        self.refused("layer.toml", "--set", b"ra=\xff", saying=["--set ra=", "not valid UTF-8"])


class DryRun(Convect):
    def test_says_grid_memory_solver_and_bytes(self):
        text = self.succeeded("rayleigh-1e7", "--set", "cells=384x384x192", "--dry-run")
        self.assertNotIn("RESULT", text)
        self.assertRegex(text, r"384x384x192 cells, fp64")
        self.assertRegex(text, r"pressure: (direct|multigrid), chosen by auto( \(there is no direct solver: .*\))?; memory [\d.]+ GiB; a step moves "
                               r"[\d.]+ GiB")
        self.assertEqual(self.files(), ["layer.toml"])

    def test_formulas_that_are_not_finite_are_found_as_by_the_run(self):
        for what in ("initial.temperature='1/(x - 0.0625)'", "initial.velocity=['sqrt(z - 0.2)',0,0]",
                     "forcing.acceleration=[0,'ln(x - 1.9)',0]", "forcing.temperature='0/(z - 0.9375)'"):
            with self.subTest(what=what):
                dry = self.refused("layer.toml", "--dry-run", "--set", what, saying=[f"--set {what}: ", "finite in the whole box"])
                self.assertEqual(dry, self.refused("layer.toml", "--set", what))
        self.refused("layer.toml", "--dry-run", "--set", "initial.temperature='1e31*z'", saying=["; give a formula that is", "and at most 1e+30"])
        # However large: nothing of the grid is formed.
        self.refused("layer.toml", "--dry-run", "--set", "cells=8192x8192x8192", "--set", "initial.temperature='1/(z > 0.9999 ? 0 : 1)'",
                     saying=["the initial temperature is inf at ("])

    def test_environment_variables_match_the_options(self):
        text = self.succeeded("layer.toml", environment={"BANKFULL_DRY_RUN": "1"})
        self.assertNotIn("RESULT", text)


class Documentation(Convect):
    def test_the_case_in_the_documentation_is_one(self):
        page = (CASES.parent / "docs" / "convection.md").read_text()
        self.case.write_text(re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1])
        self.assertIn("256x128x64 cells", self.succeeded("layer.toml", "--dry-run"))


    @staticmethod
    def named_in(table, scalars):
        """The names in the first column of one of the documentation's tables; `a_b`, `_c` stands for a_b and a_c."""
        names = []
        for line in re.findall(r"(?m)^\| (`.*?) \|", table):
            stem = ""
            for name in re.findall(r"`(.*?)`", line):
                stem = stem if name.startswith("_") else "<scalar>" if "<scalar>" in name else name.rsplit("_", 1)[0]
                whole = stem + name if name.startswith("_") else name
                names += [whole.replace("<scalar>", scalar) for scalar in scalars] if "<scalar>" in whole else [whole]
        return names

    def test_a_run_tells_what_the_documentation_says_and_no_more(self):
        page = (CASES.parent / "docs" / "convection.md").read_text()
        columns_of, figures_of = (re.search(rf"(?s)\n#+ {heading}\n(.*?)\n#", page)[1] for heading in ("The time series", "Figures of the result"))
        not_in_result = set(re.findall(r"`(.*?)`", re.search(r"except for (.*?)\. In addition", figures_of)[1]))
        self.assertEqual(not_in_result, {"step", "cycles", "ns_per_cell_step", "resolution"})
        mixed = LAYER.replace("noise = 1e-2", 'noise = 1e-2\nsalt = "z"').replace("temperature = 0.5 }", 'temperature = 0.5, salt = "insulating" }').replace(
            "temperature = -0.5 }", 'temperature = -0.5, salt = "insulating" }') + '\n[[scalar]]\nname = "salt"\ndiffusivity = 1e-3\nadvection = "bounded"\n'
        (self.path / "mixed.toml").write_text(mixed)
        for case, scalars, bounded, absent in (
                ("layer.toml", ["temperature"], [], {"cycles", "cell_over_gradients", "nusselt_error"}),
                ("mixed.toml", ["temperature", "salt"], ["salt"], {"cell_over_gradients", "nusselt_error"}),
                ("lid-driven-cavity", [], [], {"cycles", "cell_over_gradients", *self.named_in(re.search(r"(?m)^.*nusselt_window.*$", figures_of)[0], [])})):
            with self.subTest(case=case):
                solver = "direct" if "cycles" in absent else "multigrid"
                self.succeeded(case, "--quiet", "--output", f"run-{solver}-{len(scalars)}", "--set", "steps=4", "--set", f"solver={solver}")
                run = self.path / f"run-{solver}-{len(scalars)}"
                last = rows_of(run / "series.csv")[-1]
                documented = [name for name in self.named_in(columns_of, scalars)
                              if not name.endswith("_numerical_dissipation") or name.split("_")[0] in bounded]
                self.assertEqual(sorted(last), sorted(documented))
                figures = json.loads((run / "run.json").read_text())["measurements"][0]["figures"]
                told = {name for name, value in last.items() if value != ""} - not_in_result
                self.assertEqual(sorted(figures), sorted(told | set(self.named_in(figures_of, scalars)) - absent))
                for name in told - {"dt_limit"}:
                    self.assertAlmostEqual(figures[name]["value"], float(last[name]), delta=1e-3 * abs(float(last[name])))
                self.assertEqual(figures["dt_limit"]["value"], last["dt_limit"])
                self.assertEqual(figures["steps"]["value"], int(last["step"]))


class RunDirectory(Convect):
    def test_holds_case_result_series_and_slices(self):
        text = self.succeeded("layer.toml")
        self.assertRegex(text, r"(?m)^RESULT convect\w* .* verdict=verified$")
        self.assertIn("layer-run/", text)
        run = self.path / "layer-run"
        names = {path.name for path in run.iterdir()}
        self.assertEqual(names, {"case.toml", "report-data.js", "report.html", "run.json", "series.csv", "slices", "slices.csv"})
        result = json.loads((run / "run.json").read_text())
        jsonschema.validate(result, SCHEMA)
        rows = rows_of(run / "series.csv")
        self.assertEqual([rows[0]["step"], rows[-1]["step"]], ["0", "4"])
        for column in ("time", "dt", "courant", "nusselt_lower", "nusselt_upper", "nusselt_volume",
                       "nusselt_thermal", "nusselt_kinetic", "kinetic_energy", "dissipation",
                       "buoyancy_work", "wall_work", "force_work", "divergence", "cycles",
                       "ns_per_cell_step", "temperature_mean", "temperature_mean_square",
                       "temperature_dissipation", "temperature_wall_production",
                       "temperature_source_production"):
            for row in rows:
                float(row[column])
        figures = result["measurements"][0]["figures"]
        for column in ("dissipation", "buoyancy_work", "time_scheme_work", "temperature_dissipation",
                       "temperature_time_scheme_production", "nusselt_thermal", "nusselt_kinetic"):
            self.assertEqual(float(rows[-1][column]), figures[column]["value"], column)
        self.assertLess(float(rows[-1]["divergence"]), 1e-8)
        slices = rows_of(run / "slices.csv")
        self.assertGreaterEqual(len(slices), 2)
        for row in slices:
            picture = (run / row["file"]).read_bytes()
            self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")

    def profile_of(self, name):
        lines = (self.path / "layer-run" / "profiles" / name).read_text().splitlines()
        self.assertTrue(lines[0].startswith("# averages over planes across") and lines[1].startswith("# units: "), lines[:2])
        return list(csv.DictReader(lines[2:]))

    def test_has_the_profiles_that_were_asked_for(self):
        """The flux of heat does not depend on height but for what the flow still stores, and the dissipation averages to that of the series."""
        self.succeeded("layer.toml", "--quiet", "--set", "steps=40", "--set", 'statistics.profiles=["x","z"]', "--set", "statistics.every=2", "--set", "output.series_every=2")
        run = self.path / "layer-run"
        self.assertEqual({path.name for path in (run / "profiles").iterdir()}, {"x.csv", "x-faces.csv", "z.csv", "z-faces.csv"})
        centres, faces = self.profile_of("z.csv"), self.profile_of("z-faces.csv")
        self.assertEqual(len(faces), len(centres) + 1)
        rows = [row for row in rows_of(run / "series.csv") if int(row["step"]) > 0]
        span = float(rows[-1]["time"])
        before = 0.0
        dissipation = flux = 0.0
        for row in rows:
            dissipation += (float(row["time"]) - before) * float(row["temperature_dissipation"]) / span
            flux += (float(row["time"]) - before) * float(row["temperature_flux_lower"]) / span
            before = float(row["time"])
        found = sum(float(row["width"]) * float(row["temperature_dissipation"]) for row in centres) / sum(float(row["width"]) for row in centres)
        self.assertAlmostEqual(found, dissipation, delta=1e-11 * dissipation)
        self.assertAlmostEqual(float(faces[0]["temperature_flux"]), flux, delta=1e-11 * abs(flux))
        self.assertGreater(float(centres[0]["temperature_mean_error"]), 0.0)
        figures = json.loads((run / "run.json").read_text())["measurements"][0]["figures"]
        self.assertGreater(figures["statistics_percent"]["value"], 0.0)

    def test_the_flux_of_steady_rolls_is_the_same_at_all_heights(self):
        self.succeeded("rayleigh-benard-2d", "--quiet", "--set", "ra=1e4", "--set", "end=300", "--set", "cells=16x1x12",
                       "--set", "domain.upper=[2,0.125,1]", "--set", "statistics.from=250", "--output", "layer-run")
        faces = self.profile_of("z-faces.csv")
        fluxes = [float(row["temperature_flux"]) for row in faces]
        self.assertLess(max(fluxes) / min(fluxes) - 1, 1e-8)
        self.assertGreater(float(faces[6]["temperature_turbulent_flux"]), 0.9 * fluxes[6])
        self.assertLess(abs(float(faces[0]["temperature_turbulent_flux"])), 1e-12)

    def test_profiles_go_with_the_run_that_made_them(self):
        self.succeeded("layer.toml", "--quiet", "--set", 'statistics.every=1')
        profiles = self.path / "layer-run" / "profiles"
        (profiles / "mine.csv").write_text("mine")
        self.succeeded("layer.toml", "--quiet", "--overwrite")
        self.assertEqual([path.name for path in profiles.iterdir()], ["mine.csv"])

    def test_of_the_resolved_case_is_the_same_run(self):
        self.succeeded("layer.toml", "--set", "ra=2e4", "--quiet")
        self.succeeded("layer-run/case.toml", "--output", "again", "--quiet")
        first, second = self.path / "layer-run", self.path / "again"
        self.assertEqual((first / "case.toml").read_text(), (second / "case.toml").read_text())

        def physics(run):
            return [{k: v for k, v in row.items() if k != "ns_per_cell_step"}
                    for row in rows_of(run / "series.csv")]

        self.assertEqual(physics(first), physics(second))

    def test_is_not_overwritten_unasked(self):
        self.succeeded("layer.toml", "--quiet")
        run = self.path / "layer-run"
        (run / "notes.txt").write_text("mine")
        (run / "slices" / "holiday.png").write_text("mine")
        (run / "slices" / "trip-y-2024.png").write_text("mine")
        last_of_longer = rows_of(run / "slices.csv")[-1]["file"]
        before = (run / "series.csv").read_text()
        self.refused("layer.toml", saying=["layer-run", "--overwrite", "--output"])
        self.assertEqual((run / "series.csv").read_text(), before)
        self.succeeded("layer.toml", "--overwrite", "--quiet", "--set", "steps=2",
                       "--set", "output.snapshots=2")
        self.assertEqual((run / "notes.txt").read_text(), "mine")
        self.assertEqual((run / "slices" / "holiday.png").read_text(), "mine")
        self.assertEqual((run / "slices" / "trip-y-2024.png").read_text(), "mine")
        self.assertFalse((run / last_of_longer).exists())
        rows = rows_of(run / "series.csv")
        self.assertEqual(rows[-1]["step"], "2")

    def test_replaces_runs_only(self):
        mine = self.path / "mine"
        mine.mkdir()
        (mine / "case.toml").write_text("# by hand\n" + LAYER)
        (mine / "series.csv").write_text("my,own,data")
        self.refused("mine/case.toml", "--output", "mine", "--overwrite", saying=["something other than a run"])
        self.assertEqual((mine / "series.csv").read_text(), "my,own,data")
        self.assertIn("# by hand", (mine / "case.toml").read_text())
        self.refused("layer.toml", "--json", "layer.toml", saying=["--json layer.toml", "the case itself"])
        self.assertEqual(self.case.read_text(), LAYER)

    def test_settings_change_the_default_slice(self):
        self.succeeded("layer.toml", "--quiet", "--set", "output.slice.0.field=w", "--set", "output.slice.0.normal=x")
        self.assertEqual(sorted(row["file"].split("/")[-1][:4] for row in rows_of(self.path / "layer-run" / "slices.csv"))[0], "w-x-")
        self.assertRegex((self.path / "layer-run" / "case.toml").read_text(), r'\[\[output.slice\]\]\n(.*\n)*field = "w"')

    def test_settings_bring_sections_that_the_case_lacks(self):
        run = self.path / "layer-run"
        self.succeeded("layer.toml", "--quiet", "--set", 'statistics=[{profiles="z"}]', "--set", 'probe=[{at=[0.5, 0.5, 0.5]}]', "--set", "steps=6")
        written = (run / "case.toml").read_text()
        for section in ("[[statistics]]", "[[probe]]"):
            self.assertIn(section, written)
        self.succeeded("layer.toml", "--quiet", "--overwrite", "--set", "statistics.0.every=3", "--set", "statistics.0.profiles=x", "--set", "steps=6")
        self.assertRegex((run / "case.toml").read_text(), r'\[\[statistics\]\]\n(.*\n)*every = 3')
        self.refused("layer.toml", "--set", 'statistic=[{profiles="z"}]', saying=["unknown key 'statistic'", "statistics"])
        self.refused("layer.toml", "--set", "statistics=z", saying=["unknown key 'statistics'"])

    def test_stays_where_the_next_one_cannot_begin(self):
        self.succeeded("layer.toml", "--quiet")
        run = self.path / "layer-run"
        before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
        for setting, words in (("initial.temperature='1/(x-0.0625)'", "the initial temperature is"),
                               ("forcing.acceleration=['1/(x-0.125)',0,0]", "the acceleration along x is"),
                               ("initial.velocity=['1e4',0,0]", "Courant number")):
            with self.subTest(setting=setting):
                self.refused("layer.toml", "--overwrite", "--quiet", "--set", setting,
                             "--set", "time={dt=1e-3,steps=2}", saying=[words])
        after = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
        self.assertEqual(before, after)

    def test_how_often_it_is_written_changes_no_physics(self):
        ends = []
        for every, snapshots in (("1", "0"), ("7", "3"), ("1000", "2")):
            self.succeeded("layer.toml", "--quiet", "--overwrite", "--set", "steps=40",
                           "--set", f"output.series_every={every}", "--set", f"output.snapshots={snapshots}")
            last = rows_of(self.path / "layer-run" / "series.csv")[-1]
            ends.append((last["time"], last["nusselt_lower"], last["kinetic_energy"]))
        self.assertEqual(ends[0], ends[1])
        self.assertEqual(ends[0], ends[2])

    def test_a_flow_that_starts_from_rest_keeps_its_courant_number(self):
        self.succeeded("lock-exchange-fp64", "--quiet", "--output", "lock", "--set", "cells=32x32x32",
                       "--set", "nu=1e-5", "--set", "kappa=1e-5", "--set", "output.series_every=1",
                       "--set", "steps=40")
        for row in rows_of(self.path / "lock" / "series.csv"):
            self.assertLess(float(row["courant"]), 0.8)

    def test_a_courant_number_beyond_the_limit_is_no_result(self):
        result = self.run_convect("layer.toml", "--quiet", "--set", "forcing.acceleration=['4e2*sin(20*z)',0,0]",
                                  "--set", "time={dt=0.01,steps=3}")
        self.assertEqual(result.returncode, UNVERIFIED, result.stdout + result.stderr)

    def test_a_grid_too_coarse_for_the_flow_is_told(self):
        coarse = ("layer.toml", "--quiet", "--overwrite", "--set", "ra=1e12", "--set", "time={cfl=0.3,end=20}")
        text = self.succeeded(*coarse)
        self.assertRegex(text, r"(?m)^RESULT .* verdict=under-resolved$")
        result = json.loads((self.path / "layer-run" / "run.json").read_text())
        self.assertEqual(result["verdict"], "under-resolved")
        beyond = [check["name"] for check in result["resolution"] if not check["passed"]]
        self.assertIn("overshoot of scalars over their range", beyond)
        self.assertIn("under-resolved", {row["resolution"] for row in rows_of(self.path / "layer-run" / "series.csv")})
        result = self.run_convect(*coarse, "--require-resolved")
        self.assertEqual(result.returncode, BELOW, result.stdout + result.stderr)
        self.assertIn("too coarse", result.stderr)
        self.succeeded("layer.toml", "--quiet", "--overwrite", "--require-resolved")

    def test_without_viscosity_the_flow_s_gradients_are_judged(self):
        flow = ("taylor-green-2d", "--quiet", "--overwrite", "--output", "inviscid", "--set", "nu=0", "--set", "cells=32x1x32",
                "--set", "time={cfl=0.3,steps=20}")
        for noise, verdict in ((0, "verified"), (1, "under-resolved")):
            text = self.succeeded(*flow, "--set", f"noise={noise}")
            self.assertRegex(text, rf"(?m)^RESULT .* verdict={verdict}$")
            result = json.loads((self.path / "inviscid" / "run.json").read_text())
            beyond = [check["name"] for check in result["resolution"] if not check["passed"]]
            self.assertEqual(beyond, ["largest cell over the length of gradients, without viscosity"] * noise)
            self.assertEqual({row["cell_peclet"] for row in rows_of(self.path / "inviscid" / "series.csv")}, {""})

    @staticmethod
    def error_of(values, ends):
        """Of the mean of values one apart, by batches that end there."""
        def value_at(x):
            n = min(int(x), len(values) - 2)
            return values[n] + (x - n) * (values[n + 1] - values[n])

        means = []
        for begin, end in zip(ends, ends[1:]):
            cuts = [begin, *(n for n in range(len(values)) if begin < n < end), end]
            means.append(sum(0.5 * (b - a) * (value_at(a) + value_at(b)) for a, b in zip(cuts, cuts[1:])) / (end - begin))
        mean = sum(means) / len(means)
        return (sum((value - mean) ** 2 for value in means) / len(means) / (len(means) - 1)) ** 0.5

    def test_nusselt_numbers_are_averaged_over_the_second_half(self):
        text = self.succeeded("layer.toml", "--set", "time={dt=0.02,steps=60}", "--set", "output.series_every=1",
                              "--set", "initial.temperature='0.5 - z + 0.3*sin(pi*x)*sin(pi*z)'")
        rows = rows_of(self.path / "layer-run" / "series.csv")
        figures = json.loads((self.path / "layer-run" / "run.json").read_text())["measurements"][0]["figures"]
        names = ("lower", "upper", "volume", "thermal", "kinetic")
        found = {}
        for name in names:
            values = [float(row[f"nusselt_{name}"]) for row in rows[30:]]
            found[name] = (sum(values) - 0.5 * (values[0] + values[-1])) / 30
            self.assertAlmostEqual(figures[f"nusselt_{name}_average"]["value"], found[name], 10)
        disagreement = (max(found.values()) - min(found.values())) / max(map(abs, found.values()))
        self.assertAlmostEqual(figures["nusselt_disagreement"]["value"], disagreement, 10)
        self.assertGreater(disagreement, 0.02)
        values = [float(row["nusselt_lower"]) for row in rows[30:]]
        ends = [30 * n / 8 for n in range(9)]
        self.assertGreater(figures["nusselt_error"]["value"], 0.9 * self.error_of(values, ends) / max(map(abs, found.values())))
        self.assertRegex(text, r"(?m)^RESULT .* nusselt_disagreement=0\.\d+ nusselt_window=too-short .* verdict=verified$")
        self.assertRegex(text, r"(?m)^  averages of times 0\.6 to 1\.2: .*, which disagree by up to [\d.]+ %: the run is too short for averages; standard error [\d.]+ %$")
        self.assertRegex(text, r"(?m)^  Nusselt number that the discretisation adds +[\d.e-]+ +0\.02 +ok$")
        text = self.succeeded("layer.toml", "--overwrite", "--set", "initial.noise=0")  # conduction alone
        self.assertRegex(text, r"(?m)^RESULT .* nusselt_window=long-enough ")
        self.assertNotIn("too short", text)

    def test_nusselt_numbers_are_those_of_the_first_scalar(self):
        case = LAYER.replace('rayleigh = 1e4\nprandtl = 0.71\nscaling = "free-fall"', "viscosity = 1e-2").replace('temperature = "0.5 - z"', "").replace("temperature", "salt")
        case = case.replace("salt = 0.5 }", 'salt = "insulating", dye = 0.5 }').replace("salt = -0.5 }", 'salt = "insulating", dye = -0.5 }')
        for names, told in ((("dye", "salt"), True), (("salt", "dye"), False)):
            with self.subTest(first=names[0]):
                self.case.write_text(case + "".join(f'\n[[scalar]]\nname = "{name}"\ndiffusivity = 1e-2\n' for name in names))
                self.succeeded("layer.toml", "--quiet", "--overwrite")
                last = rows_of(self.path / "layer-run" / "series.csv")[-1]
                self.assertEqual(last["nusselt_lower"] != "", told)
                self.assertIn("dye_wall_production", last)
                figures = json.loads((self.path / "layer-run" / "run.json").read_text())["measurements"][0]["figures"]
                self.assertEqual("nusselt_lower" in figures, told)
                if told:
                    self.assertAlmostEqual(float(last["nusselt_thermal"]), figures["dye_dissipation"]["value"] / 1e-2, delta=1e-9)

    def test_bounded_advection_that_takes_much_heat_transport_is_under_resolved(self):
        """Its overshoot never is beyond bounds, and the other bounds are met."""
        text = self.succeeded("layer.toml", "--overwrite", "--set", "ra=1e6", "--set", "physics.advection=bounded", "--set", "initial.noise=1",
                              "--set", "time={cfl=0.3,end=4}")
        self.assertRegex(text, r"(?m)^  Nusselt number that the discretisation adds .*UNDER-RESOLVED$")
        self.assertRegex(text, r"(?m)^RESULT .* verdict=under-resolved$")

    def test_bounded_advection_keeps_a_dye_within_its_bounds(self):
        rows, results = {}, {}
        for advection in ("bounded", "centred"):
            text = self.succeeded("dye-in-rolls", "--quiet", "--overwrite", "--set", "output.snapshots=0", "--set", f"scalar.0.advection={advection}")
            self.assertEqual(advection == "bounded", "dye_numerical_dissipation=" in text)
            rows[advection] = rows_of(self.path / "dye-in-rolls-run" / "series.csv")
            results[advection] = json.loads((self.path / "dye-in-rolls-run" / "run.json").read_text())
            jsonschema.validate(results[advection], SCHEMA)

        def extremes(advection):
            return (min(float(row["dye_least"]) for row in rows[advection]), max(float(row["dye_most"]) for row in rows[advection]))

        least, most = extremes("bounded")
        self.assertGreater(least, -1e-12)
        self.assertLess(most, 1 + 1e-12)
        self.assertAlmostEqual(float(rows["bounded"][-1]["dye_mean"]), 0.5, 12)
        least, most = extremes("centred")
        self.assertLess(least, -2)
        self.assertGreater(most, 3)
        for advection, square in (("bounded", 0.277), ("centred", 0.467)):  # as docs/convection.md has them
            self.assertAlmostEqual(float(rows[advection][-1]["dye_mean_square"]), square, delta=0.005)
        last = rows["bounded"][-1]
        self.assertGreater(float(last["dye_numerical_dissipation"]), 10 * float(last["dye_dissipation"]))
        self.assertNotIn("dye_numerical_dissipation", rows["centred"][-1])
        overshoot = {name: next(check for check in result["resolution"] if check["name"] == "overshoot of scalars over their range")
                     for name, result in results.items()}
        self.assertTrue(overshoot["bounded"]["passed"])
        self.assertFalse(overshoot["centred"]["passed"])
        self.assertEqual(results["bounded"]["problem"]["bounded_scalars"]["value"], "dye")
        self.assertNotIn("bounded_scalars", results["centred"]["problem"])
        self.assertTrue(any("bounded scalars" in check["source"] for check in results["bounded"]["verification"]))
        self.assertIn("dye: diffusivity 1e-06, buoyancy (0, 0, 0), bounded advection", self.succeeded("dye-in-rolls", "--dry-run", "--overwrite"))

    def test_a_wall_may_vary_by_a_formula_of_which_a_part_is_infinite_at_the_beginning(self):
        """1/0 is infinite, and min(1, inf) is 1."""
        self.case.write_text(LAYER.replace("temperature = 0.5 }", 'temperature = { value = 0.5, varying = "1 - min(1, 1/t)" } }'))
        text = self.succeeded("layer.toml", "--set", "time={dt=1e-3,steps=4}")
        self.assertRegex(text, r"(?m)^RESULT convect\w* .* verdict=verified$")

    def test_ends_on_time(self):
        self.succeeded("layer.toml", "--quiet", "--set", "time={dt=1e-4,end=0.01}")
        last = rows_of(self.path / "layer-run" / "series.csv")[-1]
        self.assertEqual((last["step"], last["time"]), ("100", "0.01"))
        self.succeeded("layer.toml", "--quiet", "--overwrite", "--set", "time={cfl=0.3,end=1e-12}")

    def test_must_be_a_folder(self):
        (self.path / "file").write_text("mine")
        for place in ("file", "file/run"):
            self.refused("layer.toml", "--output", place, "--overwrite", saying=[place])

    def test_needs_a_working_folder_for_a_relative_name(self):
        def leave():  # in the process that will be the program
            os.mkdir("gone")
            os.chdir("gone")
            os.rmdir("../gone")

        self.refused(str(self.case), saying=["cannot write the run to layer-run: the working folder: No such file"],
                     preexec_fn=leave)

    def test_keeps_what_was_written_where_the_flow_blows_up(self):
        result = self.run_convect("layer.toml", "--set", "forcing.acceleration=['1e6*sin(20*z)',0,0]",
                                  "--set", "time={dt=0.01,steps=2000}", "--set", "output.series_every=1")
        self.assertEqual(result.returncode, FAILURE, result.stdout + result.stderr)
        line = result.stderr.strip().splitlines()[-1]
        self.assertRegex(line, r"became unstable: .* by step \d+, time [\d.e+-]+; .*layer-run$")
        rows = rows_of(self.path / "layer-run" / "series.csv")
        self.assertGreaterEqual(len(rows), 1)
        self.assertFalse((self.path / "layer-run" / "run.json").exists())

    def test_keeps_whole_rows_where_the_disk_is_full(self):
        def small_files_only():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        result = self.run_convect("layer.toml", "--quiet", "--set", "steps=2000", "--set", "output.snapshots=0",
                                  "--set", "output.series_every=1", preexec_fn=small_files_only)
        self.assertEqual(result.returncode, FAILURE, result.stdout + result.stderr)
        self.assertRegex(result.stderr, r"series.csv: File too large; .*; the results so far are in layer-run")
        text = (self.path / "layer-run" / "series.csv").read_text()
        self.assertTrue(text.endswith("\n"))
        heading, *rows = text.splitlines()
        self.assertGreater(len(rows), 2)
        self.assertEqual({row.count(",") for row in rows}, {heading.count(",")})

    def test_multigrid_converges_at_any_stretching(self):
        settings = ["--set", "solver.pressure=multigrid", "--set", "cells=16x16x32", "--set", "steps=4", "--set", "output.series_every=1"]
        self.succeeded("layer.toml", "--quiet", *settings, "--set", "domain.stretching=[0,0,5]")
        for row in rows_of(self.path / "layer-run" / "series.csv")[1:]:
            self.assertLessEqual(float(row["divergence"]) * float(row["dt"]), 1e-10)
            self.assertLessEqual(int(row["cycles"]), 12)

    def test_takes_its_name_from_settings(self):
        for ra in ("1e4", "20000"):
            self.succeeded("layer.toml", "--quiet", "--set", f"ra={ra}", "--output", "sweeps/{name}-{ra}-{cells}")
        self.assertEqual(sorted(path.name for path in (self.path / "sweeps").iterdir()),
                         ["layer-1e4-16x8x8", "layer-20000-16x8x8"])
        text = self.succeeded("layer.toml", "--quiet", "--output", "{physics.prandtl}_{output.slice.0.field}",
                              "--set", "title=../a b")
        self.assertTrue((self.path / "0.71_temperature" / "run.json").exists(), text)
        self.succeeded("layer.toml", "--quiet", "--output", "{title}", "--set", "title=../a b/$(x)")
        self.assertTrue((self.path / "_._a_b___x_" / "run.json").exists(), self.files())
        # What is refused for its name names the way out.
        self.succeeded("layer.toml", "--quiet", "--set", "ra=3e4")
        self.refused("layer.toml", "--set", "ra=4e4", "--set", "pr=1", saying=["layer-run", "--output layer-{ra}-{pr}"])

    def test_names_with_unknown_settings(self):
        for name, words in (("run-{raa}", ["'raa'", "{ra}"]), ("{dt}", ["'dt'", "{cfl}"]), ("run-{ra", ["run-{ra"]),
                            ("{physics}", ["'physics'"]), ("{}", ["--output {}"])):
            with self.subTest(name=name):
                self.refused("layer.toml", "--output", name, saying=["--output", *words])
                self.refused("layer.toml", environment={"BANKFULL_OUTPUT": name}, saying=words)

    def test_names_that_no_file_system_takes(self):
        for name in ("x" * 300, "y/" * 3000):
            self.refused("layer.toml", "--output", name, saying=["name too long", "--output"])
            text = self.succeeded("layer.toml", "--output", name, "--dry-run")
            self.assertRegex(text, "  the run would be refused: .*name too long")

    def test_json_is_no_file_of_the_run_or_its_input(self):
        os.symlink("r/series.csv", self.path / "to-series")
        os.symlink(self.path, self.path / "here")
        (self.path / "copy.toml").hardlink_to(self.case)

        def check():
            for name in ("series.csv", "case.toml", "run.json", "slices.csv", "slices/x.json", "slices", "bankfull.lock",
                         "../r/run.json", "./slices/../series.csv"):
                self.refused("layer.toml", "--output", "r", "--overwrite", "--json", f"r/{name}",
                             saying=[f"--json r/{name} is ", "run"])
            for name in ("r", "to-series", "here/r/run.json", str(self.path / "r" / "run.json"), "."):
                self.refused("layer.toml", "--output", "r", "--overwrite", "--json", name, saying=[f"--json {name} is "])
            for name in ("here/layer.toml", "copy.toml", "./layer.toml"):
                self.refused("layer.toml", "--output", "r", "--overwrite", "--json", name, saying=[name, "the case itself"])

        check()
        self.succeeded("layer.toml", "--output", "r", "--quiet")
        check()
        self.refused("layer.toml", "--output", "a/b", "--json", "a", saying=["--json a is "])
        self.succeeded("layer.toml", "--output", "r", "--overwrite", "--json", "r/further.json", "--quiet")
        self.assertTrue((self.path / "r" / "further.json").exists())

    def test_links_in_it_are_not_followed(self):
        outside = self.path / "outside"
        self.succeeded("layer.toml", "--output", "run", "--quiet")
        run = self.path / "run"
        (run / "slices").rename(outside)
        before = {path: path.read_bytes() for path in outside.iterdir()}
        os.symlink(outside, run / "slices")
        self.refused("layer.toml", "--output", "run", "--overwrite", saying=["slices", "links are not followed"])
        (run / "slices").unlink()
        for name in ("series.csv", "run.json", "slices.csv"):
            (self.path / f"my-{name}").write_text("mine")
            (run / name).unlink()
            os.symlink(self.path / f"my-{name}", run / name)
        self.succeeded("layer.toml", "--output", "run", "--overwrite", "--quiet")
        self.assertEqual({path: path.read_bytes() for path in outside.iterdir()}, before)
        for name in ("series.csv", "run.json", "slices.csv"):
            self.assertEqual((self.path / f"my-{name}").read_text(), "mine")
            self.assertFalse((run / name).is_symlink())

    def test_a_folder_of_pipes_keeps_nobody_waiting(self):
        for name in ("case.toml", "series.csv", "bankfull.lock"):
            with self.subTest(name=name):
                folder = self.path / f"pipe-{name}"
                folder.mkdir()
                os.mkfifo(folder / name)
                result = self.run_convect("layer.toml", "--output", folder.name, "--overwrite")
                self.assertEqual(result.returncode, USAGE, result.stderr)

    def test_a_refused_run_leaves_no_folder(self):
        self.refused("layer.toml", "--quiet", "--output", "a/b/c", "--set", "initial.velocity=['1e4',0,0]",
                     "--set", "time={dt=1e-3,steps=2}", saying=["Courant number"])

    def test_a_full_disk_keeps_the_earlier_run(self):
        self.succeeded("layer.toml", "--quiet")
        before = {path: path.read_bytes() for path in self.path.rglob("*") if path.is_file()}

        def no_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        for arguments in (["--overwrite"], ["--output", "new/run"]):
            result = self.run_convect("layer.toml", "--quiet", *arguments, preexec_fn=no_files)
            self.assertEqual(result.returncode, FAILURE, result.stdout + result.stderr)
            self.assertEqual({path: path.read_bytes() for path in self.path.rglob("*") if path.is_file()}, before)
        self.assertFalse((self.path / "new").exists())

    def test_json_beside_it(self):
        self.succeeded("layer.toml", "--json", "result.json", "--quiet")
        self.assertEqual((self.path / "result.json").read_text(),
                         (self.path / "layer-run" / "run.json").read_text())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
