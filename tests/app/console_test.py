#!/usr/bin/env python3
"""What the program says, and where: to readers that are gone, full disks, closed streams and hostile words.

Usage: console_test.py BANKFULL_BINARY FOLDER_OF_CASES [-- arguments of unittest]
"""

import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import unittest

from refusal import Refusals
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
CASES = pathlib.Path(OWN_ARGUMENTS[1]).resolve()

OK, FAILURE, USAGE, UNVERIFIED = range(4)
HIMENO = ["himeno", "--size", "XS", "--iterations", "4", "--repeat", "2", "--threads", "1"]

LAYER = """\
title = "a layer"

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

[time]
cfl = 0.3
steps = 4
"""

# What its few steps from a jump at the walls end with.
PASSED = ("verified", "under-resolved")

# Bytes that no line of output may have.
CONTROL = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]")


def clean_environment(more=None):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
    return {**clean, "BANKFULL_CASES": str(CASES), **(more or {})}


class Console(Refusals, unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "layer.toml").write_text(LAYER)

    def run_program(self, *arguments, environment=None, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options):
        """In the test's own folder; what it says as bytes."""
        return subprocess.run([BINARY, *arguments], cwd=self.path, stdout=stdout, stderr=stderr, timeout=HANGING,
                              env=clean_environment(environment), check=False, **options)

    def run_in_shell(self, arguments, redirections):
        """With redirections such as 2>&-."""
        words = " ".join(f"'{word}'" for word in (BINARY, *arguments))
        return subprocess.run(["sh", "-c", f"{words} {redirections}"], cwd=self.path, capture_output=True, timeout=HANGING,
                              env=clean_environment(), check=False)

    def result(self, name):
        return json.loads((self.path / name).read_text())

    def refused(self, *arguments, saying=(), code=USAGE, **options):
        result = self.run_program(*arguments, **options)
        self.assertEqual(CONTROL.findall(result.stderr), [])
        text = subprocess.CompletedProcess([], result.returncode, result.stdout.decode(), result.stderr.decode())
        return self.assert_refusal(text, code, saying)


class FullDisks(Console):
    """Of standard output, of standard error and of files."""

    def test_output_that_is_lost_is_a_failure(self):
        commands = [[], ["info"], ["list"], ["probe"], ["himeno"], ["hpcg"], ["npb"], ["convect"], ["scaling"], ["scaling", "himeno"], ["scaling", "convect"],
                    ["decompose"]]
        helps = [[*command, "--help"] for command in commands]
        for arguments in (*helps, ["--version"], ["list"], ["info"], ["info", "--json"], ["info", "--json", "-"],
                          ["convect", "--list-cases"], ["decompose", "--cells", "8x8x8", "--ranks", "1:8"],
                          [*HIMENO, "--dry-run"], ["convect", "layer.toml", "--dry-run"]):
            for redirection in (">/dev/full", ">&-"):
                with self.subTest(arguments=arguments, redirection=redirection):
                    result = self.run_in_shell([*arguments], redirection)
                    self.assertEqual(result.returncode, FAILURE, result.stderr)
                    self.assertIn(b"bankfull: cannot write ", result.stderr.splitlines()[-1])
                    self.assertIn(b" to standard output", b" " + result.stderr.splitlines()[-1])

    def test_output_that_is_lost_takes_no_file_with_it(self):
        for redirection in (">/dev/full", ">&-", "| true"):
            with self.subTest(redirection=redirection):
                result = self.run_in_shell([*HIMENO, "--json", "out.json"], redirection)
                self.assertIn(result.returncode, (OK, FAILURE))  # that of true in a pipe
                self.assertIn(b"cannot write to standard output", result.stderr)
                self.assertIn(self.result("out.json")["verdict"], PASSED)
                (self.path / "out.json").unlink()
        result = self.run_in_shell(["convect", "layer.toml"], ">/dev/full")
        self.assertEqual(result.returncode, FAILURE)
        self.assertIn(self.result("layer-run/run.json")["verdict"], PASSED)

    def test_a_failed_verification_keeps_its_code(self):
        result = self.run_in_shell([*HIMENO, "--perturb-operator", "1e-3"], ">/dev/full")
        self.assertEqual(result.returncode, UNVERIFIED)
        self.assertIn(b"cannot write to standard output", result.stderr)

    def test_an_unwritable_stderr_does_not_matter(self):
        for redirection in ("2>&-", "2>/dev/full", "0<&- 2>&-"):
            with self.subTest(redirection=redirection):
                # Device auto reports what it chose.
                result = self.run_in_shell([*HIMENO, "--json", "out.json", "--perturb-operator", "1e-3"], redirection)
                self.assertEqual(result.returncode, UNVERIFIED)
                self.assertIn(b"verdict=failed", result.stdout)
                self.assertEqual(self.result("out.json")["verdict"], "failed")
                self.assertEqual(self.run_in_shell(["convect", "nowhere.toml"], redirection).returncode, USAGE)

    def test_closed_streams_are_no_files(self):
        self.run_in_shell(["convect", "layer.toml", "--json", "out.json", "--progress", "0.01"], "0<&- >&- 2>&-")
        self.assertIn(self.result("out.json")["verdict"], PASSED)
        self.assertEqual(self.result("layer-run/run.json"), self.result("out.json"))
        for path in self.path.rglob("*.csv"):
            self.assertNotIn("bankfull", path.read_text())
            self.assertNotIn("RESULT", path.read_text())

    def limited(self, size):
        """Files may have so many bytes; the signal for larger ones is as the system has it."""
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    def test_files_beyond_the_limit_are_answered_as_a_full_disk(self):
        result = self.run_program(*HIMENO, "--json", "out.json", preexec_fn=self.limited(1024))
        self.assertEqual(result.returncode, FAILURE, result.stderr)
        self.assertRegex(result.stderr.splitlines()[-1], rb"^bankfull: cannot write .*out\.json: File too large")
        self.assertIn(b"verdict=verified", result.stdout)
        self.assertEqual([path.name for path in self.path.iterdir()], ["layer.toml"])

    def test_the_report_claims_no_file_that_is_not_there(self):
        result = self.run_program("convect", "layer.toml", "--set", "output.snapshots=0", "--json", "out.json", preexec_fn=self.limited(6000))
        self.assertEqual(result.returncode, FAILURE, result.stdout)
        self.assertRegex(result.stdout, rb"verdict=(verified|under-resolved)")
        self.assertNotIn(b"wrote", result.stdout)
        for words in (b"run.json: File too large", b"out.json: File too large", b"layer-run"):
            self.assertIn(words, result.stderr)
        self.assertEqual(list(self.path.rglob("*.part-*")), [])
        self.assertFalse((self.path / "layer-run" / "run.json").exists())

    def test_one_file_fails_and_the_other_is_written(self):
        os.mkdir(self.path / "json")
        environment = {"BANKFULL_OUTPUT": "kept"}
        arguments = ["convect", "layer.toml", "--json", "json/out.json", "--threads", "1", "--set", "steps=20000"]
        process = subprocess.Popen([BINARY, *arguments, "--progress", "0.05"], cwd=self.path, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=clean_environment(environment))
        while b"integrating" not in process.stderr.readline():
            pass
        os.rmdir(self.path / "json")
        output, errors = process.communicate(timeout=HANGING)
        self.assertEqual(process.returncode, FAILURE, errors)
        self.assertIn(b"out.json", errors)
        self.assertIn(b"verdict=verified", output)
        self.assertIn(self.result("kept/run.json")["verdict"], PASSED)


class LongRuns(Console):
    def started(self, *arguments, environment=None):
        process = subprocess.Popen([BINARY, *arguments], cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=clean_environment(environment))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_lines_are_passed_on_at_once(self):
        process = self.started("himeno", "--size", "S", "--target-seconds", str(2 * HANGING), "--device", "cpu")
        # Were they kept, nothing would come before the end.
        self.assertIn(b"himeno S: ", process.stdout.readline())
        self.assertTrue(process.stdout.readline().endswith(b"\n"))
        process.kill()
        rest = process.stdout.read()
        self.assertTrue(rest == b"" or rest.endswith(b"\n"))

    def test_progress_tells_step_time_rate_and_what_is_left(self):
        for arguments, environment in ((["--progress", "0.05"], {}), ([], {"BANKFULL_PROGRESS": "0.05"})):
            process = self.started("convect", "layer.toml", "--output", str(len(arguments)), "--device", "cpu", "--set",
                                   "steps=100000000", *arguments, environment=environment)
            lines = []
            while len(lines) < 3 or b" left" not in lines[-1]:
                lines.append(process.stderr.readline())
                self.assertNotEqual(lines[-1], b"", lines)
            process.kill()
            for line in lines:
                self.assertRegex(line, rb"^bankfull: integrating layer +\d+ %  step \d+, time [\d.e+]+, dt [\d.e-]+, [\d.e+]+ "
                                       rb"steps/s, [\d.e+]+ ns per cell and step(  \d.* left)?\n$")

    def test_progress_of_other_workloads(self):
        process = self.started("npb", "ep", "--class", "S", "--repeat", "1000", "--progress", "0.01", "--device", "cpu")
        for _ in range(3):
            self.assertRegex(process.stderr.readline(), rb"^bankfull: npb ep S")

    def test_short_runs_and_quiet_ones_are_silent(self):
        for arguments in (["--progress", "0"], ["--quiet", "--progress", "0.001"], []):
            with self.subTest(arguments=arguments):
                result = self.run_program("convect", "layer.toml", "--device", "cpu", "--overwrite", "--set", "steps=300", *arguments)
                self.assertEqual((result.returncode, result.stderr), (OK, b""))

    def test_what_is_no_time(self):
        for value in ("-1", "nan", "inf", "soon", "1e999"):
            self.refused(*HIMENO, f"--progress={value}", saying=["--progress"])


class JsonToOutput(Console):
    """--json - in all its company."""

    def test_is_all_of_standard_output(self):
        for arguments in (HIMENO, ["npb", "ep", "--class", "S", "--repeat", "1"], ["convect", "layer.toml"],
                          ["hpcg", "--local", "16x16x16", "--quick-path"],
                          ["probe", "latency", "--quick", "--device", "cpu"]):
            with self.subTest(arguments=arguments):
                result = self.run_program(*arguments, "--json", "-")
                self.assertEqual(result.returncode, OK, result.stderr)
                self.assertEqual(json.loads(result.stdout)["schema"], "bankfull/run-result")
                self.assertIn(b"\nRESULT ", result.stderr)
        self.assertEqual(json.loads((self.path / "layer-run" / "run.json").read_text())["workload"], "convection")
        self.assertFalse((self.path / "-").exists())

    def test_with_quiet_is_all_that_is_said(self):
        for arguments, environment in ((["--json=-", "--quiet"], {}), ([], {"BANKFULL_JSON": "-", "BANKFULL_QUIET": "1"})):
            result = self.run_program(*HIMENO, *arguments, environment=environment)
            self.assertEqual((result.returncode, result.stderr), (OK, b""))
            self.assertEqual(json.loads(result.stdout)["verdict"], "verified")

    def test_of_decompose_and_info(self):
        result = self.run_program("decompose", "--cells", "8x8x8", "--ranks", "4", "--json", "-")
        self.assertEqual(json.loads(result.stdout)["workload"], "decompose")
        self.assertIn(b"2x2x1", result.stderr)
        result = self.run_program("info", "--json", "-")
        self.assertEqual((result.returncode, result.stderr), (OK, b""))
        self.assertEqual(json.loads(result.stdout)["schema"], "bankfull/context")

    def test_keeps_the_code_and_nothing_before_the_result(self):
        result = self.run_program(*HIMENO, "--json", "-", "--perturb-operator", "1e-3")
        self.assertEqual(result.returncode, UNVERIFIED)
        self.assertEqual(json.loads(result.stdout)["verdict"], "failed")
        result = self.run_program(*HIMENO, "--json", "-", "--dry-run")
        self.assertEqual((result.returncode, result.stdout), (OK, b""))
        self.assertIn(b"himeno XS", result.stderr)
        self.refused("himeno", "--size", "none", "--json", "-", saying=["--size none"])

    def test_without_a_reader_of_either(self):
        for redirection, code in ((">/dev/full", FAILURE), (">&-", FAILURE), ("2>&-", OK), ("2>/dev/full", OK)):
            with self.subTest(redirection=redirection):
                result = self.run_in_shell([*HIMENO, "--json", "-"], redirection)
                self.assertEqual(result.returncode, code, result.stderr)
                if code == OK:
                    self.assertEqual(json.loads(result.stdout)["verdict"], "verified")
                else:
                    self.assertIn(b"\nRESULT ", result.stderr)
                    self.assertIn(b"cannot write the JSON to standard output", result.stderr)

    def test_in_a_pipe(self):
        result = self.run_in_shell([*HIMENO, "--json", "-", "--quiet"], f"| '{sys.executable}' -m json.tool")
        self.assertEqual(json.loads(result.stdout)["verdict"], "verified")
        result = self.run_in_shell([*HIMENO, "--quiet"], "| head -1")
        self.assertRegex(result.stdout, rb"^RESULT himeno [^\n]*\n$")


class HostileWords(Console):
    def test_bytes_that_are_no_text_lose_no_result(self):
        name = b"out\xff.json"
        result = self.run_program(*HIMENO, "--json", name, environment={"BANKFULL_NOTE": b"a\xfe"})
        self.assertEqual(result.returncode, OK, result.stderr)
        document = json.loads((pathlib.Path(os.fsdecode(bytes(self.path) + b"/" + name))).read_text())
        self.assertIn("out\ufffd.json", document["context"]["command"])
        self.assertEqual(document["context"]["environment"]["BANKFULL_NOTE"], "a\ufffd")
        result = self.run_program("info", "--json", environment={"BANKFULL_NOTE": b"a\xfe\x7f\x1b"})
        self.assertEqual(json.loads(result.stdout)["context"]["environment"]["BANKFULL_NOTE"], "a\ufffd\x7f\x1b")
        folder = b"run\xff\n"
        result = self.run_program("convect", "layer.toml", "--output", folder)
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertIn(b"wrote run\\xff\\n/: ", result.stdout)
        self.run_program("convect", folder + b"/case.toml", "--output", "again", "--quiet")
        self.assertTrue((self.path / "again" / "run.json").exists())

    def test_settings_that_are_no_text(self):
        self.refused("convect", "layer.toml", "--set", b"ra=\xff", saying=["--set ra=\\xff: ", "UTF-8"])
        self.refused("convect", "layer.toml", "--set", b"title=\xed\xa0\x80", saying=["--set title=\\xed", "UTF-8"])
        self.refused("convect", "layer.toml", "--set", b"\xff=1", saying=["\\xff"])

    # Where each command takes words, HERE.
    PLACES = (["HERE"], ["--HERE"], ["himeno", "--size", "HERE"], ["himeno", "--schedule", "HERE"],
              ["himeno", "--precision", "HERE"], ["himeno", "--device", "HERE"], ["himeno", "--iterations", "HERE"],
              ["himeno", "--json", "HERE/x"], ["himeno", "--ceiling", "HERE"], ["himeno", "--ranks-grid", "HERE"],
              ["himeno", "HERE"], ["npb", "HERE"], ["npb", "cg", "--class", "HERE"], ["hpcg", "--local", "HERE"],
              ["hpcg", "--hpcg-dat", "HERE"], ["hpcg", "--variant", "HERE"], ["probe", "HERE"],
              ["decompose", "--cells", "HERE", "--ranks", "1"], ["decompose", "--cells", "8x8x8", "--ranks", "HERE"],
              ["convect", "HERE"], ["convect", "HERE.toml"], ["convect", "layer.toml", "--set", "HERE"],
              ["convect", "layer.toml", "--set", "HERE=1"], ["convect", "layer.toml", "--set", "ra=HERE"],
              ["convect", "layer.toml", "--set", "name=HERE"], ["convect", "layer.toml", "--device", "cpu", "--output", "layer.toml/HERE"],
              ["convect", "--validate", "HERE"])

    def refusals_of(self, word):
        for place in self.PLACES:
            arguments = [argument.encode().replace(b"HERE", word) for argument in place]
            if place[0] not in ("HERE", "--HERE", "decompose") and "--output" not in place:  # a dry run answers for a folder
                arguments.append(b"--dry-run")
            yield place, self.run_program(*arguments)

    def test_stay_on_their_line(self):
        for place, result in self.refusals_of(b"a\nb\x1b[31m\r\x07\xff \xe2\x80\xaec"):
            with self.subTest(place=place):
                self.assertEqual(result.returncode, USAGE, result.stderr)
                self.assertEqual(result.stdout, b"")
                self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)
                self.assertEqual(CONTROL.findall(result.stderr), [], result.stderr)
                self.assertNotIn("\u202e", result.stderr.decode())
                self.assertIn(b"b\\x1b[31m\\r\\x07\\xff", result.stderr)

    def test_are_shortened_but_for_the_remedy(self):
        for word in (b"x" * 100_000, b"many words " * 9_000):
            for place, result in self.refusals_of(word):
                with self.subTest(place=place, word=word[:20]):
                    self.assertEqual(result.returncode, USAGE, result.stderr[:500])
                    self.assertEqual(result.stderr.count(b"\n"), 1)
                    self.assertLess(len(result.stderr), 3000)
                    self.assertRegex(result.stderr, rb"\.\.\.\(\d+ characters\)\.\.\.")
                    self.assertRegex(result.stderr, rb"; [^;]+\n$")

    def test_long_paths_are_no_failures_of_the_machine(self):
        long = "x" * 300
        for arguments in ([*HIMENO, "--json", long], [*HIMENO, "--json", f"{long}/x"], [*HIMENO, "--ceiling", long],
                          ["convect", long], ["convect", f"{long}.toml"], ["convect", f"{long}/x"],
                          ["convect", "layer.toml", "--output", long], ["convect", "layer.toml", "--set", f"name={long}"],
                          ["hpcg", "--hpcg-dat", long], ["hpcg", "--output-dir", long], ["info", "--json", long],
                          ["convect", "layer.toml", "--set", f"scalar=[{{name='{long}',diffusivity=1}}]"]):
            with self.subTest(arguments=arguments):
                result = self.run_program(*arguments)
                self.assertEqual(result.returncode, USAGE, result.stderr)
                self.assertRegex(result.stderr.splitlines()[-1], rb"^bankfull: .*; ")
        self.refused("convect", "--list-cases", environment={"BANKFULL_CASES": long}, saying=["BANKFULL_CASES"])

    def test_of_case_files(self):
        for name, words in (("a\nb", "\\n"), ("\x1b[2J", "\\x1b"), ("y" * 900_000, "characters)")):
            toml = json.dumps(name, ensure_ascii=True)
            (self.path / "layer.toml").write_text(f"name = {toml}\n{LAYER}")
            line = self.refused("convect", "layer.toml", saying=["layer.toml:1:8: name", words, "; use"])
            self.assertLess(len(line), 3000)
            (self.path / "layer.toml").write_text(LAYER.replace("\"free-fall\"", toml))
            line = self.refused("convect", "layer.toml", saying=["layer.toml:10:11: [physics] scaling", words, "free-fall"])
            self.assertLess(len(line), 3000)
            (self.path / "layer.toml").write_text(f"{LAYER}\n[{toml}]\n")
            self.assertLess(len(self.refused("convect", "layer.toml", saying=["layer.toml:22:", words])), 3000)

    def test_in_titles_and_names_of_files(self):
        title = "red \x1b[31m\nRESULT himeno verdict=verified " + "z" * 5000
        cases = self.path / "cases"
        cases.mkdir()
        (cases / "a\x1b\nb.toml").write_text(LAYER.replace("\"a layer\"", json.dumps(title)))
        (cases / "layer.toml").write_text(LAYER.replace("\"a layer\"", json.dumps(title)))
        result = self.run_program("convect", "--list-cases", environment={"BANKFULL_CASES": str(cases)})
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertEqual(CONTROL.findall(result.stdout), [])
        self.assertEqual(len(result.stdout.splitlines()), 4, result.stdout)
        result = self.run_program("convect", str(cases / "layer.toml"), "--device", "cpu")
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertEqual(CONTROL.findall(result.stdout), [])
        self.assertNotIn(b"\nRESULT himeno", result.stdout)
        for line in result.stdout.splitlines():
            if line.startswith(b"RESULT "):  # as long as there are figures: none of them is the title
                self.assertNotIn(b"zzz", line)
            else:
                self.assertLess(len(line), 1000)

    def test_of_values_stay_in_their_result_line(self):
        result = self.run_program("decompose", "--cells", "8x8x8", "--ranks", "1,\n2")
        self.assertEqual(result.returncode, USAGE)
        self.assertIn(b"1,\\n2", result.stderr)


class Places(Console):
    """Of what is wrong in a case; case_places_test.cpp has many more."""

    def refused_layer(self, old, new, *saying):
        self.assertIn(old, LAYER)
        (self.path / "layer.toml").write_text(LAYER.replace(old, new, 1))
        self.refused("convect", "layer.toml", "--device", "cpu", "--quiet", saying=saying)

    def test_of_what_is_missing(self):
        (self.path / "layer.toml").write_text("")
        self.refused("convect", "layer.toml", saying=["layer.toml:1:1: there is no section [domain]"])
        self.refused_layer("[time]\ncfl = 0.3\nsteps = 4\n", "", "layer.toml:1:1: there is no section [time]")

    def test_of_what_is_found_out_later(self):
        self.refused_layer("cfl = 0.3", "dt = 10.0", "layer.toml:19:6: a time step of 10 is beyond")
        self.refused_layer("cells = [16, 8, 8]", "cells = [1000000, 1000000, 1000000]", "layer.toml:5:9: ", "cells; use")
        self.refused_layer("cells = [16, 8, 8]", "cells = [16384, 8192, 7000]", "layer.toml:5:9: a flow on", "free; use")
        self.refused_layer("upper = [2, 1, 1]", "upper = [2, 1, 1]\nstretching = [1, 0, 0]", "layer.toml:5:14: x is stretched")
        self.refused_layer("rayleigh = 1e4", "rayleigh = 1e300\nlength = 1e-300", "layer.toml:7:1: the diffusivity of temperature is 0")
        self.refused_layer("steps = 4", "steps = 4\n[solver]\nschedule = \"reference\"\nprecision = \"fp32\"", "layer.toml:23:13: the")
        self.refused_layer("steps = 4", "steps = 4\n[initial]\ntemperature = \"1/(x-0.0625)\"", "layer.toml:22:15: the initial")
        self.refused_layer("cfl = 0.3", "dt = 0.05\n[initial]\nvelocity = [\"1e4\", 0, 0]\n[forcing]\n[time.x]", "layer.toml:")
        self.refused_layer("[time]\ncfl = 0.3", "[initial]\nvelocity = [\"1e4\", 0, 0]\n[time]\ndt = 0.001",
                           "layer.toml:21:6: a time step of 0.001 makes a Courant number")

    def test_of_settings_are_the_settings(self):
        for setting, words in (("dt=10", "a time step"), ("cells=1000000x1000000x1000000", "cells; use"), ("cfl=5", "the Courant number"),
                               ("domain.stretching=[1,0,0]", "x is stretched"), ("cells=0x8x8", "is not a size"),
                               ("solver.divergence=0", "out of range"), ("time={}", "neither 'steps'")):
            self.refused("convect", "layer.toml", "--device", "cpu", "--set", setting, saying=[f"--set {setting}: ", words])

    def test_in_hpcg_dat(self):
        (self.path / "hpcg.dat").write_text("one\ntwo\n16 16 16\n60\n3 1 1\n")
        line = self.refused("hpcg", "--device", "cpu", "--dry-run", "--quiet", saying=["hpcg.dat:5: grid of ranks 3x1x1 is for 3 ranks"])
        self.assertNotIn("--ranks-grid", line)
        self.refused("hpcg", "--device", "cpu", "--dry-run", "--quiet", "--ranks-grid", "2x1x1",
                     saying=["--ranks-grid 2x1x1 is for 2 ranks"])
        (self.path / "other.dat").write_text("one\ntwo\n16 16 200\n60\n")
        self.refused("hpcg", "--device", "cpu", "--dry-run", "--quiet", "--hpcg-dat", "other.dat", "--official",
                     saying=["the sides of other.dat:3: local grid 16x16x200 differ too much", "other.dat:4: running time 60 is too short"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
