#!/usr/bin/env python3
"""Runs `bankfull npb` as a user would, bad input included.

Usage: npb_test.py BANKFULL_BINARY SCHEMA_OF_RESULTS [-- arguments of unittest]
"""

import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import unittest

import jsonschema

from refusal import Refusals
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
SCHEMA = json.loads(pathlib.Path(OWN_ARGUMENTS[1]).read_text())

OK, FAILURE, USAGE, UNVERIFIED = range(4)
KERNELS = ("cg", "ep", "ft", "is", "mg")

# One of NPB's own criteria for each kernel, as the table of checks names it.
CRITERIA = {
    "cg": "npb cg S zeta",
    "ep": "npb ep S sum of |X|",
    "ft": "npb ft S largest deviation of a checksum, relative",
    "is": "npb is S ranks of test keys that are right",
    "mg": "npb mg S norm of the residual",
}
PERTURBED = "operator not perturbed"


def free_gib():
    """What the system calls available."""
    text = pathlib.Path("/proc/meminfo").read_text()
    return int(re.search(r"MemAvailable: +(\d+)", text)[1]) / 2**20


class Npb(Refusals, unittest.TestCase):
    def run_npb(self, *arguments, environment=None, prepare=None):
        """On the CPU; `prepare` is called in the new process."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
        return subprocess.run([BINARY, "npb", "--device", "cpu", *arguments], capture_output=True,
                              text=True, timeout=HANGING, env={**clean, **(environment or {})},
                              preexec_fn=prepare)

    def refused(self, *arguments, saying=(), code=USAGE, **options):
        """The program stops with one line on stderr and no output."""
        result = self.run_npb(*arguments, **options)
        self.assert_refusal(result, code, saying)

    def succeeded(self, *arguments, **options):
        result = self.run_npb(*arguments, **options)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        return result.stdout


class Input(Npb):
    def test_kernels(self):
        self.refused(saying=["kernel"])
        for kernel in ("lu", "CG", "cg,ep"):
            self.refused(kernel, saying=["npb"])
        self.refused("", saying=["is empty"])
        self.refused("cg", "ep", saying=["ep"])

    def test_classes(self):
        for size in ("a", "F", "", "AB", "1"):
            self.refused("cg", f"--class={size}", saying=["--class"])

    def test_settings(self):
        for flag, value in (("--repeat", "0"), ("--repeat", "-3"), ("--repeat", "many"),
                            ("--repeat", "1000000"), ("--threads", "-1"), ("--threads", "5000"),
                            ("--schedule", "fast")):
            self.refused("cg", "--class", "S", f"{flag}={value}", saying=[flag])

    def test_the_reference_is_serial(self):
        self.refused("cg", "--schedule", "reference", "--threads", "2", saying=["serial"])

    def test_there_is_nothing_to_perturb_in_the_reference(self):
        self.refused("cg", "--schedule", "reference", "--perturb-operator", "1e-6",
                     saying=["--perturb-operator 1e-06", "--schedule reference"])

    def test_orders_of_cg(self):
        self.refused("cg", "--cg", "merged", saying=["--cg merged", "nasa"])
        self.refused("ft", "--cg", "nasa", saying=["--cg nasa", "no CG"])
        self.refused("cg", "--cg", "chronopoulos-gear", saying=["GPUs only", "--cg nasa"])
        self.refused("cg", "--cg", "chronopoulos-gear", "--schedule", "reference",
                     saying=["GPUs only"])

    def test_beyond_memory_names_need_free_and_what_fits(self):
        # Class E of FT needs half a tebibyte.
        if free_gib() > 500:
            self.skipTest("this machine may have room for class E of FT")
        self.refused("ft", "--class", "E",
                     saying=["npb ft --class E needs 5", "GiB", "free", "the largest class that fits is"])
        self.refused("all", "--class", "E", saying=["needs", "free"])
        text = self.succeeded("all", "--class", "E", "--dry-run")
        self.assertRegex(text, r"npb ft E: .*\n  it does not fit: npb ft --class E needs 5.* GiB, .* free; the largest class that fits is")
        self.assertRegex(text, r"npb ep E: .*\n  it fits: ")

    def test_json_is_checked_before_the_run(self):
        self.refused("ep", "--class", "D", "--json", "/nonexistent/x.json",
                     saying=["/nonexistent/x.json"])


class OutOfMemory(Npb):
    """The system refuses what the check before thought was free."""

    def needed_mib(self, *arguments):
        value, unit = re.search(r"memory ([\d.]+) (MiB|GiB)", self.succeeded(*arguments, "--dry-run")).groups()
        return int(float(value) * {"MiB": 1, "GiB": 1024}[unit]) + 1

    def mapped_mib(self):
        """What the program and its libraries take of an address space before any work."""
        gib = 2**30
        result = self.run_npb("ft", "--class", "E", "--dry-run", prepare=lambda: resource.setrlimit(resource.RLIMIT_AS, (gib, gib)))
        if result.returncode:
            self.skipTest("the program does not start with so little, as with some sanitizers")
        return 1024 - int(re.search(r"cpu has (\d+) MiB free", result.stdout)[1])

    def fails(self, stack, *arguments):
        """The run may have what it needs, and its threads take stacks that nobody reckons with.

        Ceilings would take more than a run where the last cache is large.
        """
        arguments += ("--ceiling", "none")
        mib = self.needed_mib(*arguments) + self.mapped_mib() + 60  # what is stated is rounded

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20))

        self.refused(*arguments, "--quiet", code=FAILURE, prepare=limit, environment={"OMP_STACKSIZE": stack})

    def test_is_one_line(self):
        # Steps of the set-up, alone and in a team.
        for stack in ("100M", "300M"):
            with self.subTest(stack=stack):
                self.fails(stack, "cg", "--class", "C", "--threads", "2")
        # The smallest class whose arrays leave room for the stack, so that it is they that are refused.
        for kernel, size in (("ft", "B"), ("is", "C"), ("mg", "B")):
            with self.subTest(kernel=kernel):
                self.fails("300M", kernel, "--class", size, "--threads", "2")

    def test_of_the_reference_is_one_line(self):
        # It has no team: the limit comes while its set-up grows.
        beyond_program = self.mapped_mib() + 110
        process = subprocess.Popen([BINARY, "npb", "cg", "--class", "C", "--schedule", "reference", "--device", "cpu", "--quiet"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        status = pathlib.Path(f"/proc/{process.pid}/status")
        while process.poll() is None:
            mapped = int(re.search(r"VmSize:\s*(\d+)", status.read_text() + "VmSize: 0")[1]) << 10
            if mapped > beyond_program << 20:
                resource.prlimit(process.pid, resource.RLIMIT_AS, (mapped, mapped))
                break
            time.sleep(0.001)
        out, err = process.communicate(timeout=HANGING)
        self.assert_refusal(subprocess.CompletedProcess([], process.returncode, out, err), FAILURE, [])


class DryRun(Npb):
    def test_says_size_memory_and_operations(self):
        text = self.succeeded("all", "--class", "A", "--dry-run")
        self.assertNotIn("RESULT", text)
        self.assertRegex(text, r"npb cg A: size 14000, tuned, on cpu, memory [\d.]+ MiB, 1\.50 Gop")
        self.assertRegex(text, r"npb ft A: size 256x256x128, .*7\.14 Gop")
        self.assertRegex(text, r"npb is A: size 8388608, .*83\.9 Mop \(keys ranked\)")

    def test_environment_variables_match_the_options(self):
        text = self.succeeded("mg", "--dry-run", environment={"BANKFULL_CLASS": "W"})
        self.assertIn("npb mg W: size 128x128x128", text)


class Run(Npb):
    def test_all_kernels_print_their_blocks_and_lines(self):
        text = self.succeeded("all", "--class", "S", "--threads", "2", "--repeat", "2")
        for kernel in KERNELS:
            block = text[text.index(f" {kernel.upper()} Benchmark Completed."):]
            self.assertRegex(block, r" Class           = +S\n")
            self.assertRegex(block, r" Verification    = +SUCCESSFUL\n")
            line = re.search(rf"^RESULT npb kernel={kernel} class=S .*$", text, re.MULTILINE)[0]
            self.assertIn(" threads=2 ", line)
            self.assertRegex(line, r" mops=[\d.e+]+ ")
            self.assertTrue(line.endswith(" verdict=verified"), line)
            self.assertEqual(" bandwidth_gbs=" in line, kernel != "ep")

    def test_cg_names_its_order_of_operations(self):
        for flags in ([], ["--cg", "nasa"]):
            text = self.succeeded("cg", "--class", "S", "--quiet", "--repeat", "1", *flags)
            self.assertIn(" order=nasa ", text)

    def test_cg_names_the_entries_that_it_keeps(self):
        for entries in ("upper", "all"):
            text = self.succeeded("cg", "--class", "S", "--quiet", "--repeat", "1", "--cg-entries", entries)
            self.assertIn(f" entries={entries} ", text)
            self.assertIn(" verdict=verified", text)

    def test_is_names_how_it_counts(self):
        for counts in ("values", "buckets"):
            text = self.succeeded("is", "--class", "S", "--quiet", "--repeat", "1", "--is-counts", counts)
            self.assertIn(f" counts={counts} ", text)
            self.assertIn(" verdict=verified", text)

    def test_the_reference(self):
        text = self.succeeded("mg", "--class", "S", "--schedule", "reference", "--quiet")
        self.assertEqual([line.split()[0] for line in text.splitlines()], ["RESULT"])
        self.assertIn(" schedule=reference device=cpu ranks=1 transport=local threads=1 ", text)

    def test_json_keeps_to_the_schema(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "npb.json"
            self.succeeded("is", "--class", "S", "--json", str(path))
            result = json.loads(path.read_text())
        jsonschema.validate(result, SCHEMA)
        self.assertIn("npb is S", json.dumps(result))


class Perturbation(Npb):
    """The measured operator is multiplied by 1 + EPSILON: the verification sees it."""

    def fails(self, kernel, epsilon, shown):
        result = self.run_npb(kernel, "--class", "S", "--threads", "2", "--repeat", "1",
                              f"--perturb-operator={epsilon}")
        self.assertEqual(result.returncode, UNVERIFIED, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r" Verification    = +UNSUCCESSFUL\n")
        self.assertRegex(result.stdout, rf"RESULT npb kernel={kernel} .* perturbation={shown} .* verdict=failed")
        self.assertEqual(self.verdict(result, f"npb {kernel} S {PERTURBED}"), "FAILED")
        self.assertIn(f"multiplied by 1 + {shown}", result.stdout)
        self.assertIn(f"multiplied by 1 + {shown}", result.stderr)
        self.assertIn("verification failed", result.stderr)
        return result

    def verdict(self, result, check):
        """Of one check: ok or FAILED."""
        rows = [line.split() for line in result.stdout.splitlines() if line.strip().startswith(check + " ")]
        self.assertEqual(len(rows), 1, f"{check}\n{result.stdout}")
        return rows[0][-1]

    def fails_by_its_criterion(self, kernel, epsilon, shown):
        # By NPB's own: that a perturbed run always fails says nothing of it.
        result = self.fails(kernel, epsilon, shown)
        self.assertEqual(self.verdict(result, CRITERIA[kernel]), "FAILED")

    def test_of_a_millionth_fails_cg(self):
        self.fails_by_its_criterion("cg", "1e-6", "1e-06")

    def test_of_a_millionth_fails_ep(self):
        self.fails_by_its_criterion("ep", "1e-6", "1e-06")

    def test_of_a_millionth_fails_ft(self):
        self.fails_by_its_criterion("ft", "1e-6", "1e-06")

    def test_of_a_millionth_fails_is(self):
        self.fails_by_its_criterion("is", "1e-6", "1e-06")

    def test_of_a_millionth_fails_mg(self):
        self.fails_by_its_criterion("mg", "1e-6", "1e-06")

    def test_of_no_number_fails_cg(self):
        self.fails_by_its_criterion("cg", "nan", "nan")

    def test_of_no_number_fails_ep(self):
        self.fails_by_its_criterion("ep", "nan", "nan")

    def test_of_no_number_fails_ft(self):
        self.fails_by_its_criterion("ft", "nan", "nan")

    def test_of_no_number_fails_is(self):
        self.fails_by_its_criterion("is", "nan", "nan")

    def test_of_no_number_fails_mg(self):
        self.fails_by_its_criterion("mg", "nan", "nan")

    def test_below_rounding_is_no_result_though_no_criterion_sees_it(self):
        for kernel in KERNELS:
            with self.subTest(kernel=kernel):
                result = self.fails(kernel, "1e-20", "1e-20")
                # The ranks of IS are rounded away from the right ones: any epsilon is seen.
                self.assertEqual(self.verdict(result, CRITERIA[kernel]), "FAILED" if kernel == "is" else "ok")

    def test_of_zero_is_none(self):
        result = self.run_npb("ep", "--class", "S", "--perturb-operator", "0")
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        self.assertNotIn("multiplied", result.stdout + result.stderr)
        self.assertNotIn("perturb", result.stdout)

    def test_is_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "npb.json"
            result = self.run_npb("ep", "--class", "S", "--perturb-operator", "1e-6", "--json", str(path))
            self.assertEqual(result.returncode, UNVERIFIED)
            document = json.loads(path.read_text())
        jsonschema.validate(document, SCHEMA)
        self.assertEqual(document["measurements"][0]["parameters"]["perturbation"]["value"], 1e-6)

    def test_that_is_no_number_is_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "npb.json"
            result = self.run_npb("ep", "--class", "S", "--perturb-operator", "nan", "--json", str(path))
            self.assertEqual(result.returncode, UNVERIFIED)
            document = json.loads(path.read_text())
        jsonschema.validate(document, SCHEMA)
        self.assertEqual(document["problem"]["perturbation"]["value"], "nan")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
