#!/usr/bin/env python3
"""Runs of `bankfull convect` that race for a folder, and such as are killed.

Usage: kill_test.py BANKFULL_BINARY FOLDER_OF_CASES [-- arguments of unittest]
"""

import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

import convect_runs
from convect_runs import FAILURE, OK, USAGE, rows_of
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

CASES = pathlib.Path(OWN_ARGUMENTS[1]).resolve()

# Small and yet with rows and pictures while it goes on.
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
dt = 0.01
steps = 30

[output]
series_every = 1
snapshots = 6

[[output.slice]]
field = "temperature"

[[output.slice]]
field = "w"
range = [-1, 1]
"""
STEPS = 30
SLICES = [f"slices/{field}-y-{n:04}.png" for field in ("temperature", "w") for n in range(6)]
COMPLETE = sorted(["case.toml", "report-data.js", "report.html", "run.json", "series.csv", "slices", "slices.csv", *SLICES])


class Folders(convect_runs.Runs):
    case = LAYER
    environment = {"BANKFULL_CASES": str(CASES)}

    def start(self, *arguments, **how):
        return super().start("layer.toml", "--quiet", "--output", "run", *arguments, **how)

    def files(self):
        return sorted(str(path.relative_to(self.run_folder)) for path in self.run_folder.rglob("*"))

    def assert_complete(self, rayleigh):
        """The folder holds one whole run, of this Rayleigh number, and nothing else."""
        self.assertEqual(self.files(), COMPLETE)
        self.assertIn(f"rayleigh = {rayleigh}\n", (self.run_folder / "case.toml").read_text())
        rows = rows_of(self.run_folder / "series.csv")
        self.assertEqual([row["step"] for row in rows], [str(n) for n in range(STEPS + 1)])
        self.assertNotIn(None, {key for row in rows for key in row})
        self.assertEqual(sorted(row["file"] for row in rows_of(self.run_folder / "slices.csv")), SLICES)
        options = json.loads((self.run_folder / "run.json").read_text())["context"]["options"]
        self.assertIn(f"ra={rayleigh}", options["set"]["value"])


class Race(Folders):
    def race(self, runs, *arguments):
        """Starts that many runs at once into a new folder; what each said and its exit code, by its Rayleigh number."""
        shutil.rmtree(self.run_folder, ignore_errors=True)
        started = {10000 + n: self.start("--set", f"ra={10000 + n}", *arguments) for n in range(runs)}
        return {rayleigh: (process.communicate(timeout=HANGING)[1], process.returncode)
                for rayleigh, process in started.items()}

    def one_wins(self, trials, runs):
        for trial in range(trials):
            with self.subTest(trial=trial):
                ends = self.race(runs)
                winners = [rayleigh for rayleigh, (_, code) in ends.items() if code == OK]
                self.assertEqual(len(winners), 1, ends)
                self.assert_complete(winners[0])
                for said, code in ends.values():
                    if code != OK:
                        self.assertEqual(code, USAGE, said)
                        self.assertRegex(
                            said, r"^bankfull: the folder run is (in use by .*; wait|there already and not empty; ).*\n$")

    def test_one_of_two_runs_gets_the_folder(self):
        self.one_wins(8, 2)

    def test_one_of_six_runs_gets_the_folder_many_trials(self):
        self.one_wins(60, 6)

    def test_who_overwrites_disturbs_nobody(self):
        for trial in range(5):
            with self.subTest(trial=trial):
                ends = self.race(3, "--overwrite")
                case = (self.run_folder / "case.toml").read_text()
                # The last, where one began after another had ended.
                winner = next(rayleigh for rayleigh in ends if f"rayleigh = {rayleigh}\n" in case)
                self.assertEqual(ends[winner], ("", OK))
                self.assert_complete(winner)
                for said, code in ends.values():
                    self.assertIn(code, (OK, USAGE), said)
                    self.assertRegex(said, r"^$" if code == OK else r"^bankfull: the folder run is in use by .*\n$")

    def test_a_run_that_is_still_running_is_named(self):
        first = self.start("--set", "steps=1000000", "--set", "ra=10000")
        while not (self.run_folder / "series.csv").exists():
            self.assertIsNone(first.poll(), first.stderr)
            time.sleep(0.01)
        in_use = rf"the folder run is in use by process {first.pid} on \S+ since .*--output\n$"
        for flags in ([], ["--overwrite"]):
            second = self.start(*flags)
            output, said = second.communicate(timeout=HANGING)
            self.assertEqual((second.returncode, output), (USAGE, ""), said)
            self.assertRegex(said, f"^bankfull: {in_use}")
            dry = self.start(*flags, "--dry-run")
            output, said = dry.communicate(timeout=HANGING)
            self.assertEqual((dry.returncode, said), (OK, ""), output)
            self.assertRegex(output, f"\n  the run would be refused: {in_use}")
        self.assertIsNone(first.poll())


class Killed(Folders):
    def assert_can_be_overwritten(self, rayleigh):
        after = self.start("--overwrite", "--set", f"ra={rayleigh}")
        _, said = after.communicate(timeout=HANGING)
        self.assertEqual(after.returncode, OK, f"{said}\nafter {self.files()}")
        self.assert_complete(rayleigh)

    def kill_at_random(self, trials):
        """Half of them in the whole of a run, half of them while its folder is made; every third where no folder is yet."""
        draw = random.Random(17)
        begin = time.monotonic()
        self.assert_can_be_overwritten(10000)
        whole = time.monotonic() - begin
        for trial in range(trials):
            with self.subTest(trial=trial):
                if trial % 3 == 0:
                    shutil.rmtree(self.run_folder)
                process = self.start("--overwrite", "--set", "ra=30000")
                if trial % 2:
                    while not (self.run_folder / "bankfull.lock").exists() and process.poll() is None:
                        pass
                    time.sleep(draw.uniform(0, 0.1 * whole))
                else:
                    time.sleep(draw.uniform(0, whole))
                process.kill()
                process.communicate(timeout=HANGING)
                self.assertIn(process.returncode, (OK, -signal.SIGKILL))
                self.assert_can_be_overwritten(10000 + trial)

    def test_runs_can_be_overwritten(self):
        self.kill_at_random(8)

    def test_runs_can_be_overwritten_many_times(self):
        self.kill_at_random(60)

    def test_runs_can_be_overwritten_at_every_call(self):
        """Killed before each call of the system by which the run changes files, the first run and one that replaces it."""
        tracer = shutil.which("strace")
        calls = "mkdir,rename,unlink,rmdir,pwrite64,ftruncate,fsync,link,mkdirat,unlinkat,renameat,renameat2"
        trace = [tracer, "-f", "-o", "calls", "-e", f"trace={calls}"]
        if not tracer or subprocess.run([*trace, "true"], cwd=self.path, capture_output=True, check=False).returncode:
            self.skipTest("no strace")
        for flags in ([], ["--overwrite"]):
            for call in range(1, 1000):
                with self.subTest(flags=flags, call=call):
                    if not flags:
                        shutil.rmtree(self.run_folder, ignore_errors=True)
                    process = self.start("--set", "ra=20000", *flags,
                                         launcher=[*trace, "-e", f"inject={calls}:signal=SIGKILL:when={call}"])
                    process.communicate(timeout=HANGING)
                    if process.returncode == OK:
                        break
                    self.assertEqual(process.returncode, -signal.SIGKILL)
                    self.assert_can_be_overwritten(10000)
            self.assertGreater(call, 30, "calls were killed")


class FolderIsGone(Folders):
    def end_of(self, change, *arguments):
        """What a run says in the midst of which the folder is changed."""
        process = self.start("--set", "steps=1000000", *arguments)
        while not (self.run_folder / "series.csv").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        time.sleep(0.05)
        change()
        _, said = process.communicate(timeout=HANGING)
        self.assertEqual(process.returncode, FAILURE, said)
        # By chance the report of the run, without which it continues, is the first to notice.
        ends = [line for line in said.splitlines() if not line.endswith("report-data.js: No such file or directory; the run continues")]
        self.assertEqual(len(ends), 1, said)
        self.assertNotIn("--overwrite", said)
        return ends[0] + "\n"

    def test_it_was_removed(self):
        def remove():
            while self.run_folder.exists():  # in which there may be new files all the time
                shutil.rmtree(self.run_folder, ignore_errors=True)

        said = self.end_of(remove)
        # By chance the run notices when parts of it are left.
        self.assertRegex(said, "run(/.*)? was removed|bankfull.lock in it was removed|cannot write run/.*: No such file")
        self.assertFalse(self.run_folder.exists())

    def test_its_lock_was_removed(self):
        said = self.end_of((self.run_folder / "bankfull.lock").unlink)
        self.assertIn("bankfull.lock in it was removed or replaced during the run; the results so far are in run\n", said)
        self.assertFalse((self.run_folder / "run.json").exists())

    def test_it_was_renamed(self):
        moved = self.path / "moved"
        said = self.end_of(lambda: self.run_folder.rename(moved))
        self.assertRegex(said, "cannot write .*; the folder run was removed, renamed or replaced during the run, and nothing of the run is left there\n")
        self.assertGreater(len(rows_of(moved / "series.csv")), 0)

    def test_another_took_its_place(self):
        def replace():
            self.run_folder.rename(self.path / "moved")
            other.rename(self.run_folder)

        other = self.path / "other"
        other.mkdir()
        (other / "mine").write_text("mine")
        self.end_of(replace)
        self.assertEqual(self.files(), ["mine"])

    def test_its_files_were_removed(self):
        said = self.end_of(lambda: (self.run_folder / "series.csv").unlink())
        self.assertRegex(said, "run/series.csv was removed during the run; the results so far are in run")

    def test_the_result_goes_where_else_it_was_wanted(self):
        process = self.start("--json", "result.json", "--set", "cells=32x32x32", "--set", "time={cfl=0.3,steps=50}",
                             "--set", "output.series_every=50", "--set", "output.snapshots=0")
        while not (self.run_folder / "series.csv").exists():
            self.assertIsNone(process.poll())
        (self.run_folder / "run.json").mkdir()
        (self.run_folder / "run.json" / "mine").write_text("mine")
        _, said = process.communicate(timeout=HANGING)
        self.assertEqual(process.returncode, FAILURE, said)
        self.assertRegex(said, "cannot write run/run.json: .*; the result is in .*result.json; the results so far are in run")
        self.assertEqual(json.loads((self.path / "result.json").read_text())["workload"], "convection")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
