#!/usr/bin/env python3
"""Runs `bankfull hpcg` as a user would, bad input included.

Usage: hpcg_test.py BANKFULL_BINARY [MPIRUN [options of mpirun, up to its -n]] [-- arguments of unittest]
"""

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

from refusal import Refusals
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
MPIRUN = OWN_ARGUMENTS[1:]

OK, FAILURE, USAGE, UNVERIFIED = range(4)
HEAD = "HPCG benchmark input file\nSandia; Knoxville\n"
SMALL = ["--local", "16x16x16", "--quick-path"]


class Hpcg(Refusals, unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def run_hpcg(self, *arguments, ranks=1, environment=None, preexec_fn=None):
        """In the test's own folder, on the CPU."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
        launcher = [*MPIRUN, str(ranks)] if ranks > 1 else []
        return subprocess.run(
            [*launcher, BINARY, "hpcg", "--device", "cpu", *arguments], cwd=self.path,
            capture_output=True, text=True, timeout=HANGING, env={**clean, **(environment or {})},
            preexec_fn=preexec_fn)

    def files(self):
        return sorted(entry.name for entry in self.path.iterdir())

    def refused(self, *arguments, saying=(), **options):
        """The program stops with one line on stderr, no output, and leaves no file behind."""
        before = self.files()
        result = self.run_hpcg(*arguments, **options)
        line = self.assert_refusal(result, USAGE, saying)
        self.assertEqual(self.files(), before)
        return line

    def planned(self, *arguments, **options):
        """What a dry run says, which must run and write nothing."""
        before = self.files()
        result = self.run_hpcg("--dry-run", *arguments, **options)
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertNotIn("RESULT", result.stdout)
        self.assertEqual(self.files(), before)
        return result

    def write_dat(self, text, name="hpcg.dat"):
        (self.path / name).write_text(text)


class Help(Hpcg):
    def test_has_examples(self):
        result = self.run_hpcg("--help")
        self.assertEqual(result.returncode, OK)
        self.assertIn("Examples:", result.stdout)

    def test_list_names_sizes_and_variants(self):
        result = subprocess.run([BINARY, "list"], capture_output=True, text=True, timeout=HANGING)
        for words in ("hpcg: ", "104x104x104", "cusparse-coloured", "reference"):
            self.assertIn(words, result.stdout)


class Phases(Hpcg):
    def test_the_report_and_the_json_say_how_long_each_took(self):
        result = self.run_hpcg(*SMALL, "--no-output", "--json", "out.json")
        self.assertEqual(result.returncode, OK, result.stderr)
        phases = json.loads((self.path / "out.json").read_text())["phases"]
        names = [phase["name"] for phase in phases]
        self.assertEqual([names[0], names[-1]], ["starting", "recording the machine"])
        for name in ("reference iterations", "timed sets", "measuring ceilings"):
            self.assertIn(name, names)
        total = sum(phase["seconds"] for phase in phases)
        for name in names:
            self.assertRegex(result.stdout, rf"(?m)^ *{name} +\d+\.\d\d *$")
        self.assertRegex(result.stdout, rf"(?m)^ *all +{total:.2f} *$")

    def test_ranks_on_the_cpu_look_for_no_gpu(self):
        """The root alone does, for the record of a run. Looking takes each rank a time that others wait for."""
        traced = self.run_hpcg("--local", "8x8x8", "--dry-run", ranks=2, environment={"LD_DEBUG": "files"})
        self.assertEqual(traced.returncode, OK, traced.stderr)
        self.assertIn("hpcg 8x8x8", traced.stdout)
        for library in ("libcuda", "libnvidia-ml"):
            processes = set(re.findall(rf"(?m)^ *(\d+):\s+file={library}\.so", traced.stderr))
            self.assertLessEqual(len(processes), 1, processes)


class Sizes(Hpcg):
    def test_bad_ones_are_named(self):
        for size in ("x", "8x8", "8x8x8x8", "0x8x8", "-8x8x8", "axbxc", "8x8x", "8.5x8x8", "1e3x8x8",
                     "8 x8x8", "7x8x8", "16x16x7", "99999999999999999999x8x8", "1048577x8x8",
                     "1048576x1048576x1048576", "1300x1300x1300"):
            with self.subTest(size=size):
                self.refused(f"--local={size}", saying=[f"--local {size}"])

        self.refused("--local", "", saying=["--local"])

    def test_beyond_memory_names_need_free_and_what_fits(self):
        if "it fits" in self.run_hpcg("--local", "1096x1096x1096", "--dry-run").stdout:
            self.skipTest("the largest grid that 32-bit indices can name fits this machine")
        self.refused("--local", "1096x1096x1096",
                     saying=["needs 1", "TiB", "free", "the largest cube that fits is --local "])

    def test_any_from_8(self):
        for size in ("8x8x8", "9x17x33", "8x8x200"):
            self.assertIn(f"hpcg {size}: ", self.planned("--local", size).stdout)


class DryRun(Hpcg):
    def test_says_grid_levels_memory_and_bytes(self):
        text = self.planned("--local", "32x24x16", "--seconds", "20").stdout
        self.assertIn("hpcg 32x24x16: 12288 points, tuned, 20.0 s, on cpu", text)
        self.assertIn("1x1x1 ranks along x, y and z share 32x24x16 points", text)
        self.assertIn("level 3: 4x3x2 per rank, 24 equations, 280 nonzeros", text)
        self.assertRegex(text, r"memory [\d.]+ MiB; an iteration does 4.* Mflop and moves")

    def test_knows_the_quick_path(self):
        self.assertIn("the quick path", self.planned("--local", "8x8x8", "--quick-path").stdout)
        self.assertIn("the quick path", self.planned("--local", "8x8x8", "--seconds=0").stdout)

    def test_environment_variables_match_the_options(self):
        result = self.planned(environment={"BANKFULL_LOCAL": "8x16x24", "BANKFULL_SECONDS": "7"})
        self.assertIn("hpcg 8x16x24: 3072 points, tuned, 7.00 s", result.stdout)

    def test_default(self):
        self.assertIn("hpcg 104x104x104: 1124864 points, tuned, 10.0 s", self.planned().stdout)

    @unittest.skipUnless(MPIRUN, "no MPI")
    def test_ranks_along_the_axes(self):
        text = self.planned("--local", "16x16x16", ranks=4).stdout
        self.assertIn("1x2x2 ranks along x, y and z share 16x32x32 points", text)
        text = self.planned("--local", "16x16x16", "--ranks-grid", "2x1x2", ranks=4).stdout
        self.assertIn("2x1x2 ranks along x, y and z share 32x16x32 points", text)
        self.assertIn("rank 0 sends 4.1 KiB", text)


class InputFile(Hpcg):
    def test_lies_in_the_working_directory(self):
        self.write_dat(HEAD + "16 24 32\n77\n")
        result = self.planned()
        self.assertIn("hpcg 16x24x32: 12288 points, tuned, 1 min 17 s", result.stdout)
        self.assertIn("bankfull: read hpcg.dat: 16x24x32 per rank, 77 s", result.stderr)

    def test_without_seconds_takes_as_long_as_the_official_program(self):
        self.write_dat(HEAD + "16 24 32\n")
        result = self.planned()
        self.assertIn("hpcg 16x24x32: 12288 points, tuned, 30 min", result.stdout)
        self.assertIn("bankfull: read hpcg.dat: 16x24x32 per rank, 1800 s", result.stderr)

    def test_is_not_read_where_a_size_is_given(self):
        self.write_dat("nonsense")
        result = self.planned("--local", "8x8x8")
        self.assertIn("hpcg 8x8x8", result.stdout)
        self.assertEqual(result.stderr, "")

    def test_by_name_with_options_before_it(self):
        self.write_dat(HEAD + "16 24 32\n77\n", "other.dat")
        text = self.planned("--hpcg-dat", "other.dat", "--seconds", "5").stdout
        self.assertIn("hpcg 16x24x32: 12288 points, tuned, 5.00 s", text)
        self.assertIn("hpcg 8x8x8", self.planned("--hpcg-dat", "other.dat", "--local=8x8x8").stdout)

    def test_malformed_ones_name_line_and_column(self):
        for text, words in (("", "hpcg.dat:1:1"),
                            (HEAD, "hpcg.dat:3:1"),
                            (HEAD + "16 16\n60\n", "hpcg.dat:3:6"),
                            (HEAD + "16 1x6 16\n60\n", "hpcg.dat:3:4: '1x6'"),
                            (HEAD + "16 16 4\n60\n", "hpcg.dat:3:7: '4' is too small"),
                            (HEAD + "16 16 16\nlong\n", "hpcg.dat:4:1: 'long'"),
                            (HEAD + "16 16 16\n-60\n", "hpcg.dat:4:1: '-60'"),
                            (HEAD + "16 16 16\n60\n1 1\n", "hpcg.dat:5:4"),
                            (HEAD + "16 16 16\n60\n1 1 2\n", "hpcg.dat:5: grid of ranks 1x1x2 is for 2 ranks")):
            with self.subTest(text=text):
                self.write_dat(text)
                # Where the file itself is good, the program has said that it read it.
                self.refused("--quiet", saying=[words])

    @unittest.skipUnless(MPIRUN, "no MPI")
    def test_one_refusal_for_all_ranks(self):
        self.write_dat(HEAD + "16 1x6 16\n60\n")
        result = self.run_hpcg(ranks=2)
        self.assertEqual(result.returncode, USAGE, result.stderr)
        self.assertEqual(result.stderr.count("hpcg.dat:3:4: '1x6'"), 1, result.stderr)

    def test_ones_that_cannot_be_read(self):
        self.refused("--hpcg-dat", "nowhere.dat", saying=["nowhere.dat", "No such file"])
        self.refused("--hpcg-dat", "/tmp", saying=["/tmp", "folder"])
        self.refused("--hpcg-dat", "", saying=["--hpcg-dat is empty"])
        self.refused("--hpcg-dat", "/dev/zero", saying=["/dev/zero", "a device or a pipe"])
        dat = self.path / "hpcg.dat"
        dat.mkdir()
        self.refused(saying=["cannot read hpcg.dat: it is a folder"])
        dat.rmdir()
        dat.symlink_to("nowhere.dat")
        self.refused(saying=["cannot read hpcg.dat: No such file"])


class Settings(Hpcg):
    def test_numbers_out_of_range(self):
        for flag, value in (("--seconds", "-1"), ("--seconds", "nan"), ("--seconds", "1e9"),
                            ("--seconds", "soon"), ("--threads", "-1"), ("--threads", "5000"),
                            ("--ranks-grid", "1x2"), ("--ranks-grid", "0x1x1"),
                            ("--ranks-grid", "1x1x2"), ("--ranks-grid", "1048576x1048576x1048576")):
            with self.subTest(flag=flag, value=value):
                self.refused("--local", "8x8x8", f"{flag}={value}", saying=[flag])

    def test_names(self):
        for flag in ("--variant", "--columns", "--sweeps", "--products", "--transport"):
            self.refused("--local", "8x8x8", flag, "best", saying=[flag, "best"])

    def test_variants_of_gpus(self):
        for variant in ("ell", "csr", "cusparse-coloured", "cusparse-csr"):
            self.refused("--local", "8x8x8", "--variant", variant,
                         saying=[variant, "--variant tuned or reference", "--device cuda"])
        self.refused("--local", "8x8x8", "--variant", "reference", "--columns", "slim",
                     saying=["--columns slim"])
        self.refused("--local", "8x8x8", "--sweeps", "syncfree",
                     saying=["--sweeps syncfree"])
        for earlier, now in (("waves", "syncfree"), ("conveyors", "pipelined")):
            self.refused("--local", "8x8x8", "--sweeps", earlier,
                         saying=[f"--sweeps {earlier} is called {now} now", f"use --sweeps {now}"])

    def test_conflicting_flags(self):
        self.refused("--quick-path", "--seconds", "5", saying=["--quick-path"])
        self.refused("--no-output", "--output-dir", ".", saying=["--no-output"])


class Official(Hpcg):
    def test_refuses_what_breaks_the_rules(self):
        for arguments, words in ((["--quick-path"], "quick path"),
                                 (["--seconds", "0"], "use --seconds 1800 or more"),
                                 (["--seconds", "60"], "--seconds 60"),
                                 (["--local", "8x16x16"], "multiples of 8 from 16"),
                                 (["--local", "100x104x104"], "multiples of 8 from 16"),
                                 (["--local", "16x16x136"], "differ too much"),
                                 (["--local", "16x16x16"], "quarter of the memory")):
            with self.subTest(arguments=arguments):
                self.refused("--official", *arguments, saying=["--official", words])

    def test_names_all_broken_rules_at_once(self):
        self.refused("--official", "--local", "12x16x136", "--seconds", "0", "--columns", "slim",
                     "--perturb-operator", "1e-6",
                     saying=["quick path", "the side 12", "differ too much", "--columns slim", "1e-06",
                             "a quarter of the memory", "use --seconds 1800 or more", "use --columns full",
                             "leave out --perturb-operator"])

    def test_refuses_columns_that_are_not_settled(self):
        self.refused("--official", "--columns", "slim", saying=["--official", "--columns slim"])

    def test_what_is_not_official_says_why(self):
        result = self.run_hpcg(*SMALL, "--columns", "slim", "--output-dir", ".", "--json", "out.json")
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"(?m)^RESULT hpcg local=.* official=no .*cache=(inside|partly) host=\S+ timing=(quiet|noisy) machine=\S+ verdict=verified$")
        reasons = ("at least 1800 s", "--columns slim", "a quarter of the memory")
        for words in reasons:
            self.assertRegex(result.stdout, rf"(?m)^  no official result: .*{words}")
        notes = json.loads((self.path / "out.json").read_text())["measurements"][0]["notes"]
        report = next(self.path.glob("HPCG-Benchmark*")).read_text()
        for words in reasons:
            self.assertTrue(any(words in note for note in notes), notes)
            self.assertRegex(report, rf"(?m)^Program::No official result=.*{words}")
        self.assertRegex(report, r"(?m)^Program::Name=bankfull$")
        self.assertNotIn("upload results", report)

    def test_counts_the_seconds_of_the_input_file(self):
        self.write_dat(HEAD + "104 104 104\n60\n")
        self.refused("--official", "--quiet", saying=["hpcg.dat:4: running time 60 is too short"])


class Checks(Hpcg):
    def test_another_operator_is_found(self):
        for epsilon in ("1e-6", "-1e-6", "1e-9"):
            with self.subTest(epsilon=epsilon):
                result = self.run_hpcg(*SMALL, f"--perturb-operator={epsilon}")
                self.assertEqual(result.returncode, UNVERIFIED, result.stdout + result.stderr)
                self.assertIn("on purpose: these figures are not results", result.stderr)
                self.assertRegex(result.stdout, r"hpcg product with the exact solution.*FAILED")
                self.assertRegex(result.stdout, r"hpcg operator not perturbed.*FAILED")
                self.assertRegex(result.stdout, rf"(?m)^RESULT hpcg local=.* perturbation={float(epsilon):g} ")
                self.assertRegex(result.stdout, r"(?m)^RESULT .* valid=no official=no .* verdict=failed$")
                report = max(self.path.glob("HPCG-Benchmark*")).read_text()
                self.assertIn("Final Summary::HPCG result is=INVALID.\n", report)

    def test_perturbations_below_roundings_fail_too(self):
        for epsilon in ("1e-17", "-1e-20"):
            with self.subTest(epsilon=epsilon):
                result = self.run_hpcg("--local", "8x8x8", "--quick-path", "--no-output", "--json",
                                       "out.json", f"--perturb-operator={epsilon}")
                self.assertEqual(result.returncode, UNVERIFIED, result.stdout + result.stderr)
                found = json.loads((self.path / "out.json").read_text())
                failed = [check["name"] for check in found["verification"] if not check["passed"]]
                self.assertEqual(failed, ["hpcg operator not perturbed"])
                for measurement in found["measurements"]:
                    self.assertEqual(measurement["parameters"]["perturbation"]["value"], float(epsilon))
                self.assertEqual(found["problem"]["perturbation"]["value"], float(epsilon))

    def test_nan_is_found(self):
        result = self.run_hpcg("--local", "8x8x8", "--quick-path", "--no-output",
                               "--perturb-operator", "nan")
        self.assertEqual(result.returncode, UNVERIFIED, result.stdout + result.stderr)
        checks = [line for line in result.stdout.splitlines() if line.endswith(("ok", "FAILED"))]
        self.assertGreater(len(checks), 10, result.stdout)
        passed = [line for line in checks if line.endswith("ok")]
        # The set-up and the reference were right.
        self.assertEqual(len(passed), 4, passed)
        self.assertIn("hpcg rows of the matrices", passed[0])
        for line in passed[1:]:
            self.assertIn("hpcg reference's ", line)

    def test_the_operator_itself_passes(self):
        result = self.run_hpcg(*SMALL, "--no-output", "--perturb-operator", "0")
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        self.assertEqual(result.stderr, "")

    @unittest.skipUnless(MPIRUN, "no MPI")
    def test_another_operator_is_found_on_ranks(self):
        result = self.run_hpcg(*SMALL, "--no-output", "--perturb-operator", "1e-6", ranks=2)
        self.assertEqual(result.returncode, UNVERIFIED, result.stdout + result.stderr)
        self.assertEqual(result.stderr.count("on purpose"), 1, result.stderr)


class Output(Hpcg):
    def test_folders_are_checked_before_the_run(self):
        for arguments in ([], ["--dry-run"], ["--quiet"]):
            self.refused("--local", "8x8x8", "--seconds", "3600", "--output-dir", "/proc/nonexistent",
                         *arguments, saying=["--output-dir /proc/nonexistent", "--no-output"])
        self.refused("--local", "8x8x8", "--output-dir", "/proc", saying=["/proc"])
        self.write_dat("a file", "file")
        self.refused("--local", "8x8x8", "--output-dir", "file", saying=["file", "is not a folder"])
        self.refused("--local", "8x8x8", "--output-dir", "file/below", saying=["file/below", "is not a folder"])
        self.refused("--local", "8x8x8", "--output-dir", "", saying=["--output-dir"])

    def test_folders_are_made(self):
        result = self.run_hpcg(*SMALL, "--output-dir", "reports/of/today", "--quiet")
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        self.assertEqual(len(list((self.path / "reports" / "of" / "today").iterdir())), 2)

    def test_folders_that_stay_empty_go_again(self):
        self.planned("--local", "8x8x8", "--output-dir", "reports/of/today")
        self.refused("--local", "8x8x8", "--output-dir", "reports/of/today", "--json", "/nonexistent/x.json",
                     saying=["/nonexistent/x.json"])
        self.refused("--local", "1048576x1048576x1048576", "--output-dir", "reports/of/today", saying=["--local"])

    def test_a_full_disk_leaves_no_empty_report(self):
        def no_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        for folder in (".", "reports"):
            to_error = self.run_hpcg(*SMALL, "--output-dir", folder, "--json", "-", preexec_fn=no_files)
            self.assertEqual(to_error.returncode, FAILURE, to_error.stderr)
            self.assertIn("; the report is on standard error", to_error.stderr)
            self.assertIn("Final Summary::HPCG result is VALID", to_error.stderr)
            result = self.run_hpcg(*SMALL, "--output-dir", folder, "--json", "out.json", preexec_fn=no_files)
            self.assertEqual(result.returncode, FAILURE, result.stdout + result.stderr)
            self.assertRegex(result.stderr, "HPCG-Benchmark.*: File too large; the report is on standard output; "
                                            ".*out.json: File too large")
            self.assertIn("Final Summary::HPCG result is VALID", result.stdout)
            self.assertEqual(self.files(), [])

    def test_json_is_not_the_input(self):
        self.write_dat(HEAD + "16 16 16\n0\n")
        self.write_dat(HEAD + "16 16 16\n0\n", "other.dat")
        os.symlink("other.dat", self.path / "link.dat")
        self.refused("--json", "hpcg.dat", saying=["--json hpcg.dat", "input file"])
        self.refused("--hpcg-dat", "other.dat", "--json", "./other.dat", saying=["--json ./other.dat", "input file"])
        self.refused("--hpcg-dat", "other.dat", "--json", "link.dat", saying=["--json link.dat", "input file"])
        self.refused("--local", "8x8x8", "--output-dir", "a/b", "--json", "a", saying=["--json a", "--output-dir"])

    def test_json_is_checked_before_the_run(self):
        self.refused("--local", "8x8x8", "--seconds", "3600", "--json", "/nonexistent/x.json",
                     saying=["/nonexistent/x.json"])

    def test_official_files_appear(self):
        (self.path / "results").mkdir()
        result = self.run_hpcg(*SMALL, "--output-dir", "results")
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        self.assertEqual(self.files(), ["results"])
        report, log = sorted((self.path / "results").iterdir())
        self.assertRegex(report.name,
                         r"^HPCG-Benchmark_3\.1_\d{4}(-\d\d){2}_\d\d(-\d\d){2}\.txt$")
        self.assertRegex(log.name, r"^hpcg\d{8}T\d{6}\.txt$")
        text = report.read_text()
        self.assertTrue(text.startswith("HPCG-Benchmark\nversion=3.1\n"))
        self.assertIn("Final Summary::HPCG result is VALID with a GFLOP/s rating of=", text)
        self.assertIn("Call [0] Scaled Residual [", log.read_text())
        rating = re.search(r"rating of=(\S+)", text)[1]
        self.assertIn(f"  {rating} GFLOP/s by the official count", result.stdout)

    def test_names_are_not_taken_twice(self):
        for _ in range(3):  # within seconds, which is the resolution of the names
            result = self.run_hpcg(*SMALL, "--quiet")
            self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        self.assertEqual(len(self.files()), 6, self.files())

    def test_no_output_leaves_no_file(self):
        result = self.run_hpcg(*SMALL, "--no-output", "--quiet")
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        self.assertEqual(self.files(), [])
        self.assertEqual(result.stderr, "")
        self.assertEqual({line.split()[0] for line in result.stdout.splitlines()}, {"RESULT"})

    @unittest.skipUnless(MPIRUN, "no MPI")
    def test_the_root_alone_writes(self):
        result = self.run_hpcg(*SMALL, ranks=2)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        self.assertEqual(len(self.files()), 2)
        self.assertEqual(result.stdout.count("  wrote ./HPCG"), 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
