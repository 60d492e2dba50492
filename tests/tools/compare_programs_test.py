#!/usr/bin/env python3
"""Tests of tools/compare_programs, with two small programs of our own that take turns."""

import contextlib
import copy
import importlib.machinery
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

COMPARE = Path(__file__).resolve().parents[2] / "tools" / "compare_programs"


def loaded(file):
    """A script as a module."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(file.name, str(file))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


TOOL = loaded(COMPARE)

# Prints its figure for the first run, the second and so on; adds its name to a journal that both programs share.
PROGRAM = """#!{python}
import pathlib, sys
journal = pathlib.Path("{journal}")
turns = journal.read_text().split() if journal.exists() else []
journal.write_text(" ".join(turns + ["{name}"]))
figures = {figures}
figure = figures[turns.count("{name}") % len(figures)]
{body}
"""
PRINTS = 'print("rehearsal: 1 MFLOPS"); print(f"rate: {figure} MFLOPS"); print("Verification = SUCCESSFUL")'
WRITES = (
    "import json; pathlib.Path('result.json').write_text("
    "json.dumps({'verdict': 'verified', 'revision': 'abc', 'measurements': [{'rate': figure}]}))"
)

DESCRIPTION = {
    "title": "two programs",
    "ours": {
        "name": "mine",
        "command": ["{ours}", "{size}"],
        "verification": {"file": "*.json", "path": "verdict", "equals": "verified"},
        "facts": {"revision": {"file": "result.json", "path": "revision"}},
    },
    "theirs": {
        "name": "other",
        "command": ["{peers}/other"],
        "environment": {"OTHER_THREADS": "2"},
        "verification": {"pattern": "^Verification = SUCCESSFUL"},
        "facts": {"repository": "https://example.org/other", "revision": "def", "compiler": "cc", "flags": "-O3", "settings": "-"},
    },
    "figures": [
        {
            "name": "rate",
            "unit": "MFLOPS",
            "better": "higher",
            "ours": {"file": "result.json", "path": "measurements.0.rate"},
            "theirs": {"pattern": "^rate: (\\S+) MFLOPS"},
        }
    ],
    "cases": [{"name": "small", "size": 1}, {"name": "large", "size": 2}],
}


def description_after(change):
    """The description as text. A change returns another document, or changes the one that it gets; a text is written as it is."""
    description = copy.deepcopy(DESCRIPTION)
    if change:
        description = change(description) or description
    return description if isinstance(description, str) else json.dumps(description)


class Run:
    """One call of the tool in a folder with both programs, and what it left there."""

    def __init__(self, ours=WRITES, theirs=PRINTS, figures=((8, 20, 10), (4, 5, 100)), arguments=(), change=None):
        with tempfile.TemporaryDirectory() as name:
            self.folder = Path(name)
            self._program("mine", figures[0], ours)
            self._program("other", figures[1], theirs)
            (self.folder / "description.json").write_text(description_after(change))
            self._call(arguments or ("--cases", "small"))
            self.messages = [line for line in self.stderr.splitlines() if line.startswith("compare_programs: ")]
            self.files = sorted(p.name for p in self.folder.iterdir() if p.name != "scratch")
            self.left = [p.name for p in (self.folder / "scratch").iterdir()]
            self.alive = self._alive()
            self.record = self._json("record.json")
            journal = self.folder / "journal"
            self.turns = journal.read_text().split() if journal.exists() else []

    def _call(self, arguments):
        (self.folder / "scratch").mkdir()
        self.process = subprocess.Popen(
            [sys.executable, COMPARE, "description.json", "--set", "ours=mine", "--set", "peers=.", "--output", "record.json", *arguments],
            cwd=self.folder, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(self.folder / "scratch")},
            # Shells let what they start in the background ignore it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        self._while_it_runs()
        self.stderr = self.process.communicate()[1]
        self.status = self.process.returncode

    def _while_it_runs(self):
        pass

    def _alive(self):
        """Whether the process that a program named in the file "number" is still there, and no zombie."""
        with contextlib.suppress(OSError):
            number = (self.folder / "number").read_text()
            return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
        return False

    def _program(self, name, figures, body):
        if body is None:
            return
        text = PROGRAM.format(python=sys.executable, journal=self.folder / "journal", name=name, figures=list(figures), body=body)
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def _json(self, name):
        file = self.folder / name
        return json.loads(file.read_text()) if file.exists() else None


# Writes the number of a process into the file "number", and goes on until it is ended.
HANGS = "import os, time; part = journal.with_name('part'); part.write_text(str({number})); part.rename(journal.with_name('number')); time.sleep(600)"
# As mpirun does with ranks, which are in process groups of their own: ends the program that it started, and then itself.
LAUNCHES = """
import os, signal, subprocess
nothing = subprocess.DEVNULL
rank = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True, stdout=nothing, stderr=nothing)
def forward(number, frame):
    rank.send_signal(number)
    rank.wait()
    sys.exit(1)
signal.signal(signal.SIGTERM, forward)
"""


class Interrupted(Run):
    """A call that gets a signal when a program has written the file "number"."""

    def __init__(self, number, **options):
        self.number = number
        super().__init__(**options)

    def _while_it_runs(self):
        while self.process.poll() is None and not (self.folder / "number").exists():
            time.sleep(0.02)
        self.process.send_signal(self.number)


class Fails:
    def fails(self, run, status, message):
        self.assertEqual(run.status, status, run.stderr)
        self.assertEqual(len(run.messages), 1, run.stderr)
        self.assertIn(message, run.messages[0])
        self.assertIsNone(run.record)
        self.assertEqual(run.left, [])


class ComparePrograms(Fails, unittest.TestCase):
    def test_every_value_the_median_of_both_and_the_ratio(self):
        run = Run()
        self.assertEqual(run.status, 0, run.stderr)
        figure = run.record["cases"][0]["figures"][0]
        self.assertEqual(figure["statistic"], "median")
        self.assertEqual(figure["ours"], {"values": [8, 20, 10], "median": 10})
        self.assertEqual(figure["theirs"], {"values": [4, 5, 100], "median": 5})
        self.assertEqual(figure["ratio"], 2)
        self.assertEqual([r["figures"]["rate"] for r in run.record["cases"][0]["runs"]], [8, 4, 5, 20, 10, 100])

    def test_less_is_better_for_times(self):
        run = Run(change=lambda d: d["figures"][0].update(better="lower", unit="s"))
        self.assertEqual(run.record["cases"][0]["figures"][0]["ratio"], 0.5)

    def test_each_side_is_first_in_every_other_pair(self):
        self.assertEqual(Run().turns, ["mine", "other", "other", "mine", "mine", "other"])
        self.assertEqual(Run(arguments=("--runs", "1", "--cases", "small")).turns, ["mine", "other"])

    def test_the_record_says_what_ran_where(self):
        record = Run().record
        self.assertEqual(record["schema"], "bankfull/comparison")
        self.assertEqual(record["description"]["theirs"], DESCRIPTION["theirs"])
        programs = record["cases"][0]["programs"]
        self.assertEqual(programs["ours"]["facts"], {"revision": "abc"})
        self.assertEqual(programs["theirs"]["facts"]["flags"], "-O3")
        self.assertEqual(programs["theirs"]["environment"], {"OTHER_THREADS": "2"})
        self.assertEqual(programs["ours"]["command"], "ours 1")
        self.assertEqual(programs["theirs"]["command"], "peers/other")
        self.assertEqual(len(programs["theirs"]["sha256"]), 64)
        self.assertEqual(record["runs_of_each"], 3)
        self.assertTrue(record["machine"]["cpu"])
        self.assertRegex(record["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

    def test_a_case_each(self):
        run = Run(arguments=("--runs", "1"))
        self.assertEqual([c["case"] for c in run.record["cases"]], ["small", "large"])
        self.assertEqual(run.record["cases"][1]["programs"]["ours"]["command"], "ours 2")

    def test_no_temporary_file_stays(self):
        self.assertEqual(Run().files, ["description.json", "journal", "mine", "other", "record.json"])

    def test_unverified(self):
        self.fails(Run(theirs=PRINTS.replace("SUCCESSFUL", "UNSUCCESSFUL")), 1, "small: other (theirs) did not verify")
        self.fails(Run(ours=WRITES.replace("'verified'", "'failed'")), 1, "mine (ours) did not verify: no 'verified'")

    def test_a_program_that_is_built_anew_between_its_runs(self):
        run = Run(theirs=PRINTS + '; pathlib.Path(__file__).open("a").write("# another\\n")')
        self.assertEqual((run.status, run.record), (1, None))
        self.assertIn("is not the program of the runs before", run.stderr)

    def test_a_value_that_must_be_near_another(self):
        def near(description):
            description["theirs"]["verification"] = {"pattern": "gosa (\\S+)", "near": 4e-4, "tolerance": 0.01}

        self.assertEqual(Run(theirs=PRINTS + '; print("gosa 4.03e-4")', change=near).status, 0)
        self.fails(Run(theirs=PRINTS + '; print("gosa 4.05e-4")', change=near), 1, "0.000405 is not within 0.01 of 0.0004")
        self.fails(Run(theirs=PRINTS + '; print("gosa nan")', change=near), 1, "did not verify")

    def test_no_figure(self):
        self.fails(Run(theirs=PRINTS.replace("rate:", "speed:")), 1, "other (theirs) printed no figure 'rate'")
        self.fails(Run(ours=WRITES.replace("measurements", "nothing")), 1, "mine (ours) printed no figure 'rate'")
        self.fails(Run(ours="pass"), 1, "mine (ours) wrote 0 files *.json")

    def test_missing_program(self):
        self.fails(Run(theirs=None), 1, "other (theirs) program not found: ")

    def test_exit_status(self):
        self.fails(Run(theirs=PRINTS + '; sys.exit("no GPU\\n----")'), 1, "other (theirs) exited with 1: no GPU")

    def test_other_cases_are_kept(self):
        run = Run(ours=WRITES + "; sys.exit(0 if sys.argv[1] == '1' else 3)", arguments=("--runs", "1"))
        self.assertEqual(run.status, 1)
        self.assertEqual([c["case"] for c in run.record["cases"]], ["small"])
        self.assertEqual(len(run.record["failures"]), 1)
        self.assertIn("large: mine (ours) exited with 3", run.record["failures"][0])

    def test_numbers_that_json_has_not(self):
        fact = {"revision": {"file": "result.json", "path": "nothing"}}
        run = Run(ours=WRITES.replace("'revision'", "'nothing': float('nan'), 'revision'"), change=lambda d: d["ours"].update(facts=fact))
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(run.record["cases"][0]["programs"]["ours"]["facts"], {"revision": "NaN"})
        self.fails(Run(ours=WRITES.replace("figure}", "float('nan')}")), 1, "mine (ours) printed nan as the figure 'rate'")

    def test_command_lines(self):
        for arguments, message in (
            (("--cases", "huge"), "no case fits 'huge'; there are small, large"),
            (("--cases", "(small"), "--cases must be a regular expression of Python, not '(small'"),
            (("--runs", "0"), "--runs must be from 1 to 1000, not 0"),
            (("--runs", "1001"), "--runs must be from 1 to 1000, not 1001"),
            (("--runs", "two"), "argument --runs: invalid int value: 'two'"),
            (("--timeout", "0"), "--timeout must be more than 0 and at most 604800 (seconds), not 0"),
            (("--timeout=-5",), "--timeout must be more than 0 and at most 604800 (seconds), not -5"),
            (("--timeout", "nan"), "--timeout must be more than 0"),
            (("--timeout", "inf"), "--timeout must be more than 0"),
            (("--set", "ours"), "--set ours is not NAME=PATH"),
            (("--set", "ours="), "--set ours= is not NAME=PATH"),
            (("--set", "=mine"), "--set =mine is not NAME=PATH"),
            (("--set", "ours=other"), "--set ours=... is given twice"),
            (("--output", "nowhere/record.json"), "--output: no folder nowhere"),
            (("--output", "scratch"), "--output scratch cannot be written"),
            (("--speed", "5"), "unrecognized arguments: --speed 5; see compare_programs --help"),
        ):
            with self.subTest(arguments=arguments):
                self.fails(Run(arguments=arguments), 2, message)

    def test_words_without_a_value_are_found_before_anything_runs(self):
        for change in (
            lambda d: d["ours"]["command"].append("{grid}"),
            lambda d: d["theirs"]["environment"].update(GRID="{grid}"),
            lambda d: d["theirs"]["facts"].update(settings="{grid}"),
            lambda d: (d["cases"][0].update(grid=3), d["ours"]["command"].append("{grid}")) and None,
        ):
            run = Run(change=change, arguments=("--runs", "1"))
            self.fails(run, 2, "{grid} has no value: name it with --set grid=PATH")
            self.assertEqual(run.turns, [])

    def test_descriptions_of_the_project(self):
        folder = COMPARE.parents[1] / "bench" / "comparisons"
        files = sorted(folder.glob("*.json"))
        self.assertTrue(files)
        for file in files:
            with self.subTest(file=file.name):
                done = subprocess.run(
                    [sys.executable, COMPARE, file, "--output", "/tmp/never.json", "--cases", "no such case"],
                    capture_output=True, text=True, check=False,
                )  # fmt: skip
                self.assertIn("no case fits", done.stderr)


class WrongDescriptions(Fails, unittest.TestCase):
    """Each is told in one line with the file, the entry's place and what to do."""

    def test_the_program_says_so_in_one_line(self):
        run = Run(change=lambda d: d["cases"].append({"size": 3}))
        self.fails(run, 2, "compare_programs: description.json: cases[2]: 'name' is missing: add the case's name")
        self.assertEqual(len(run.stderr.splitlines()), 1)
        self.assertEqual(run.turns, [])

    def test_no_such_file(self):
        with self.assertRaisesRegex(TOOL.Mistake, "^none.json: No such file or directory: name one of bench/comparisons/"):
            TOOL.described(Path("none.json"))

    def refused(self, cases):
        for change, message in cases:
            with self.subTest(message=message), tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "description.json"
                file.write_text(description_after(change))
                with self.assertRaises(TOOL.Mistake) as caught:
                    TOOL.described(file)
                self.assertIn(f"{file}: {message}", str(caught.exception))

    def test_documents(self):
        self.refused(
            (
                (lambda d: "{", "must be JSON in UTF-8: "),
                (lambda d: "[" * 100000, "must be JSON in UTF-8: "),
                (lambda d: '{"timeout_s": NaN}', "NaN is not a JSON value"),
                (lambda d: [d], "must be an object {...} with title, ours, theirs, figures, cases, not [{"),
                (lambda d: "null", "must be an object {...} with title"),
                (lambda d: d.update(titel="two"), "'titel' is not known here; there are title, ours"),
                (lambda d: d.update(title=""), 'title: must be a text that is not empty, not ""'),
                (lambda d: d.update(notes="one"), 'notes: must be a list of texts, at least one, not "one"'),
                (lambda d: d.update(timeout_s=0), "timeout_s: must be more than 0 and at most 604800 (seconds), not 0"),
                (lambda d: d.update(timeout_s="60"), 'timeout_s: must be more than 0 and at most 604800 (seconds), not "60"'),
                (lambda d: d.update(timeout_s=True), "timeout_s: must be more than 0 and at most 604800 (seconds), not true"),
            )
            + tuple((lambda d, key=key: d.pop(key) and None, f"'{key}' is missing: add ") for key in DESCRIPTION)
        )

    def test_sides(self):
        self.refused(
            (
                (lambda d: d.update(ours=["mine"]), 'ours: must be an object {...} with name, command, verification, facts, not ["mine"]'),
                (lambda d: d["ours"].update(name=3), "ours.name: must be a text that is not empty, not 3"),
                (lambda d: d["ours"].update(enviroment={}), "ours: 'enviroment' is not known here; there are name, command"),
                (lambda d: d["ours"].update(command="{ours} 1"), 'ours.command: must be a list of words, at least one, not "{ours} 1"'),
                (lambda d: d["ours"].update(command=[]), "ours.command: must be a list of words, at least one, not []"),
                (lambda d: d["ours"]["command"].append(1), "ours.command[2]: must be a text that is not empty, not 1"),
                (lambda d: d["ours"]["command"].append("a\0b"), "ours.command[2]: must be a text"),
                (lambda d: d["theirs"].update(environment=[]), "theirs.environment: must be an object {...}, not []"),
                (lambda d: d["theirs"].update(environment={"N": 2}), "theirs.environment.N: must be a text, not 2"),
                (lambda d: d["theirs"].update(environment={"A=B": "2"}), "theirs.environment: must be an object whose names"),
                (lambda d: d["ours"].update(facts={}), "ours.facts: must be an object with a fact at least, not {}"),
                (lambda d: d["theirs"].update(facts="-O3"), "theirs.facts: must be an object {...} with repository, revision"),
                (lambda d: d["theirs"]["facts"].update(flags=None), "theirs.facts.flags: must be a text that is not empty, not null"),
            )
            + tuple(
                (lambda d, side=side, key=key: d[side].pop(key) and None, f"{side}: '{key}' is missing: add ")
                for side in ("ours", "theirs") for key in ("name", "command", "verification", "facts")
            )
            + tuple((lambda d, key=key: d["theirs"]["facts"].pop(key) and None, f"theirs.facts: '{key}' is missing: add ")
                    for key in ("repository", "revision", "compiler", "flags", "settings"))
        )  # fmt: skip

    def test_where_to_find_something(self):
        def source(value):
            return lambda d: d["figures"][0].update(theirs=value)

        def verification(value):
            return lambda d: d["theirs"].update(verification=value)

        self.refused(
            (
                (source("rate"), 'figures[0].theirs: must be an object {...}, not "rate"'),
                (source({}), "figures[0].theirs: add either 'pattern', a regular expression, or 'path'"),
                (source({"pattern": "a", "path": "b"}), "figures[0].theirs: add either 'pattern'"),
                (source({"pattern": "rate: ("}), "figures[0].theirs.pattern: must be a regular expression of Python, not 'rate: (': "),
                (source({"pattern": 5}), "figures[0].theirs.pattern: must be a text that is not empty, not 5"),
                (source({"path": 5}), "figures[0].theirs.path: must be a text that is not empty, not 5"),
                (source({"path": "a", "file": ["b"]}), "figures[0].theirs.file: must be a text that is not empty"),
                (source({"path": "a", "file": "/etc/x"}), "figures[0].theirs.file: must be a file of the run's folder"),
                (source({"path": "a", "file": "../x"}), "figures[0].theirs.file: must be a file of the run's folder"),
                (source({"path": "a", "fiel": "x"}), "figures[0].theirs: 'fiel' is not known here; there are pattern, path, file"),
                (verification([]), "theirs.verification: must be an object {...}, not []"),
                (verification({"equals": "yes"}), "theirs.verification: add either 'pattern'"),
                (verification({"pattern": "*"}), "theirs.verification.pattern: must be a regular expression"),
                (verification({"file": "a.json", "path": "verdict"}), "theirs.verification: a value of a JSON document judges nothing by itself: add 'equals' or 'near'"),
                (verification({"pattern": "a", "near": 1}), "theirs.verification: 'near' and 'tolerance', relative to it, need each other"),
                (verification({"pattern": "a", "near": 0, "tolerance": 1}), "theirs.verification.near: must be a number other than 0"),
                (verification({"pattern": "a", "near": "1", "tolerance": 1}), "theirs.verification.near: must be a number other than 0"),
                (verification({"pattern": "a", "near": 1, "tolerance": -1}), "theirs.verification.tolerance: must be a number above 0"),
                (verification({"pattern": "a", "near": 1, "tolerance": 1, "equals": "a"}), "theirs.verification: remove 'equals' or 'near'"),
                (verification({"pattern": "a", "equals": ["a"]}), "theirs.verification.equals: must be a text, a number, true or false"),
                (lambda d: d["ours"]["facts"].update(revision={"path": "a", "pattern": "b"}), "ours.facts.revision: add either 'pattern'"),
            )
        )

    def test_figures(self):
        self.refused(
            (
                (lambda d: d.update(figures={}), "figures: must be a list of figures, at least one, not {}"),
                (lambda d: d.update(figures=[]), "figures: must be a list of figures, at least one, not []"),
                (lambda d: d.update(figures=["rate"]), "figures[0]: must be an object {...} with name, unit, better, ours, theirs"),
                (lambda d: d["figures"][0].update(better="more"), 'figures[0].better: must be "higher" or "lower", not "more"'),
                (lambda d: d["figures"][0].update(better=["higher"]), 'figures[0].better: must be "higher" or "lower"'),
                (lambda d: d["figures"][0].update(unit=1), "figures[0].unit: must be a text that is not empty, not 1"),
                (lambda d: d["figures"].append(d["figures"][0]), "figures[1].name: 'rate' is the name of figures[0] too: give each its own"),
            )
            + tuple((lambda d, key=key: d["figures"][0].pop(key) and None, f"figures[0]: '{key}' is missing: add ")
                    for key in DESCRIPTION["figures"][0])
        )  # fmt: skip

    def test_cases(self):
        self.refused(
            (
                (lambda d: d.update(cases={"name": "small"}), "cases: must be a list of cases, at least one"),
                (lambda d: d.update(cases=["small"]), 'cases[0]: must be an object {...} with name, not "small"'),
                (lambda d: d["cases"][1].pop("name") and None, "cases[1]: 'name' is missing: add the case's name"),
                (lambda d: d["cases"][1].update(name=2), "cases[1].name: must be a text that is not empty, not 2"),
                (lambda d: d["cases"][1].update(name="small"), "cases[1].name: 'small' is the name of cases[0] too: give each its own"),
                (lambda d: d["cases"][0].update(size=[1, 2]), "cases[0].size: must be a text or a number, not [1, 2]"),
                (lambda d: d["cases"][0].update(size=None), "cases[0].size: must be a text or a number, not null"),
            )
        )


class Ending(Fails, unittest.TestCase):
    """What a program left to run is ended, with what it started, when its time is over or this tool is to end."""

    def hangs(self, number="os.getpid()"):
        return HANGS.format(number=number)

    def test_time_limit(self):
        # The other process, which only the signal to the group reaches, holds the program's output open.
        child = "import subprocess; child = subprocess.Popen(['sleep', '600']); "
        run = Run(theirs=child + self.hangs("child.pid"), arguments=("--cases", "small", "--timeout", "2"))
        self.fails(run, 1, "did not end within 2 s")
        self.assertFalse(run.alive)

    def test_time_limit_of_a_program_that_does_not_want_to_end(self):
        deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        run = Run(theirs=deaf + self.hangs(), arguments=("--cases", "small", "--timeout", "2"))
        self.fails(run, 1, "did not end within 2 s")
        self.assertFalse(run.alive)

    def test_time_limit_of_a_launcher_whose_ranks_are_in_other_groups(self):
        run = Run(theirs=LAUNCHES + self.hangs("rank.pid"), arguments=("--cases", "small", "--timeout", "2"))
        self.fails(run, 1, "did not end within 2 s")
        self.assertFalse(run.alive)

    def test_signals(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(number=number):
                run = Interrupted(number, theirs=LAUNCHES + self.hangs("rank.pid"))
                self.fails(run, status, f"interrupted by {number.name}: no case was finished, nothing is written")
                self.assertFalse(run.alive)
                self.assertNotIn("Traceback", run.stderr)
                self.assertEqual(run.files, ["description.json", "journal", "mine", "number", "other"])

    def test_finished_cases_are_kept(self):
        large = WRITES + "; size = sys.argv[1]\nif size == '2': " + self.hangs()
        run = Interrupted(signal.SIGTERM, ours=large, arguments=("--runs", "1"))
        self.assertEqual(run.status, 143, run.stderr)
        self.assertIn("interrupted by SIGTERM: record.json has what was finished: small", run.messages[0])
        self.assertEqual([c["case"] for c in run.record["cases"]], ["small"])
        self.assertEqual(run.record["failures"], ["interrupted by SIGTERM"])
        self.assertFalse(run.alive)

    def test_a_record_from_before_is_not_replaced_by_half_a_one(self):
        # The program of the second case makes it: nobody else can while the tool runs.
        before = "; size = sys.argv[1]\nif size == '2': (journal.parent / 'record.json').write_text('{}'); "
        run = Interrupted(signal.SIGINT, ours=WRITES + before + self.hangs(), arguments=("--runs", "1"))
        self.assertEqual(run.status, 130, run.stderr)
        self.assertIn("record.json exists and stays as it is, without small", run.messages[0])
        self.assertEqual(run.record, {})


if __name__ == "__main__":
    unittest.main()
