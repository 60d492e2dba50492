#!/usr/bin/env python3
"""Runs the examples of examples/acceptance: the shell script with a program that stands in for bankfull and has each of its exit
codes, the checks of NHC with the functions that NHC documents for checks, and the test of ReFrame with ReFrame, or with a module
that stands in for it.

Usage: acceptance_examples_test.py BANKFULL_BINARY EXAMPLES SCHEMAS [-- arguments of unittest]
"""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import jsonschema

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
EXAMPLES, SCHEMAS = (pathlib.Path(argument).resolve() for argument in OWN_ARGUMENTS[1:])
STAND_IN = pathlib.Path(__file__).resolve().parent / "stand_in"

OK, FAILURE, USAGE, FAILED, BELOW, INTERRUPTED = range(6)
BANNER = "There are not enough slots available in the system"
# Starts the program that follows its options, or, with $LAUNCHER_REFUSES, does not.
LAUNCHER = f"""#!/bin/sh
printf 'launched %s ' "$1 $2" >>"$STUB_CALLS"
shift 2
echo "{BANNER}" >&2
[ -z "${{LAUNCHER_REFUSES-}}" ] || exit 1
exec "$@"
"""
SLOW = "node cuda:2 (NVIDIA H200, GPU-1), alone: probe copy, fp64 slow: 5.3 % below the baseline, allowed 2.5 %"
STUB = """#!/bin/sh
# Stands in for bankfull: leaves $STUB_RECORD in the folder of --output, says $STUB_SAYS and ends with $STUB_CODE.
printf '%s ' "$@" >>"$STUB_CALLS"
while [ $# -gt 0 ]; do
  if [ "$1" = --output ] && [ -n "${STUB_RECORD-}" ]; then
    mkdir -p "$2" && cp "$STUB_RECORD" "$2/staged" && mv "$2/staged" "$2/acceptance.json"
  fi
  shift
done
[ -z "${STUB_SAYS-}" ] || printf 'bankfull: %s\\n' "$STUB_SAYS" >&2
exit "${STUB_CODE-0}"
"""


def gauge_of(name, rate, finding, **more):
    return {"gauge": name, "unit": "GB/s", "rate": rate, "rates": [rate], "spread": 0.0, "finding": finding, **more}


def acceptance(verdict, exit_code):
    """What bankfull accept records of a node with two devices, as its schema has it."""
    finding = {"failed": "slow", "disturbed": "disturbed", "no baseline": "unknown"}.get(verdict, "good")
    devices = [{"host": "node", "device": f"cuda:{n}", "model": "NVIDIA H200", "board": f"GPU-{n}", "phase": "alone",
                "verdict": finding if n == 1 else "good", "exit_code": 0,
                "gauges": [gauge_of("probe copy, fp64", rate, finding if n == 1 else "good", **({"reason": "5.3 % below the baseline"} if n == 1 else {}))]}
               for n, rate in enumerate((4000.0, 3790.0))]
    document = {"schema": "bankfull/acceptance", "schema_version": 1, "verdict": verdict, "exit_code": exit_code,
                "baseline": "NVIDIA H200, 2026-11-27", "devices": devices, "together": []}
    jsonschema.Draft7Validator(json.loads((SCHEMAS / "acceptance.schema.json").read_text())).validate(document)
    return document


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.programs = self.path / "bin"
        self.programs.mkdir()
        self.program("bankfull", STUB)

    def program(self, name, text):
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def record(self, verdict, exit_code):
        """As the program writes it."""
        file = self.path / "record.json"
        file.write_text(json.dumps(acceptance(verdict, exit_code), indent=2) + "\n")
        return file

    def environment(self, code=OK, says="", record=None):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("BANKFULL", "STUB_"))}
        return {**clean, "PATH": f"{self.programs}:{clean['PATH']}", "STUB_CODE": str(code), "STUB_SAYS": says, "STUB_RECORD": str(record or ""),
                "STUB_CALLS": str(self.path / "calls")}

    def calls(self):
        return (self.path / "calls").read_text()


class Shell(InAFolder):
    SCRIPT = EXAMPLES / "acceptance" / "accept-node.sh"

    def accept(self, *arguments, variables=None, **stub):
        return subprocess.run([self.SCRIPT, *arguments], capture_output=True, text=True, timeout=HANGING, cwd=self.path,
                              env={**self.environment(**stub), **(variables or {})})

    def scontrol(self, ends_with=0):
        """One that keeps its arguments in the file `drained`."""
        self.program("scontrol", f"#!/bin/sh\nprintf '%s\\n' \"$@\" >{self.path}/drained\nexit {ends_with}\n")

    def drained(self):
        """What scontrol was asked for; None: it was not."""
        file = self.path / "drained"
        return file.read_text().splitlines() if file.exists() else None

    def earlier_record(self, verdict="accepted", code=OK):
        """What an earlier run left in the folder, with the time of it."""
        file = self.path / "acceptance" / "acceptance.json"
        file.parent.mkdir()
        shutil.copy(self.record(verdict, code), file)
        os.utime(file, (1e9, 1e9))
        return file

    def test_a_good_node_stays(self):
        result = self.accept("results", "--baseline", "mine.json", record=self.record("accepted", OK))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"^\S+: accepted\n$")
        self.assertEqual(self.calls(), "accept --quiet --output results --baseline mine.json ")

    def test_so_does_one_without_a_baseline(self):
        result = self.accept(record=self.record("no baseline", OK))
        self.assertEqual(result.returncode, 0)
        self.assertIn(": no baseline\n", result.stdout)
        self.assertIn("--output acceptance", self.calls())

    def test_a_slow_node_is_taken_out_with_the_reason(self):
        self.scontrol()
        result = self.accept("--drain", code=BELOW, says=SLOW, record=self.record("failed", BELOW))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(f"take out of service: too slow: {SLOW}\n", result.stdout)
        name = os.uname().nodename.split(".")[0]
        self.assertEqual(self.drained(), ["update", f"nodename={name}", "state=drain", f"reason=bankfull: too slow: {SLOW}"])
        self.assertEqual(result.stderr, "")

    def test_slurm_knows_the_name_of_its_node(self):
        self.scontrol()
        self.accept("--drain", code=BELOW, says=SLOW, record=self.record("failed", BELOW), variables={"SLURMD_NODENAME": "gpu-17"})
        self.assertEqual(self.drained()[1], "nodename=gpu-17")

    def test_a_node_that_cannot_be_drained_is_reported(self):
        self.scontrol(ends_with=3)
        result = self.accept("--drain", code=BELOW, says=SLOW, record=self.record("failed", BELOW), variables={"SLURMD_NODENAME": "gpu-17"})
        self.assertEqual(result.returncode, 1)
        self.assertIn("scontrol could not drain gpu-17 (exit code 3)", result.stderr)

    def test_nothing_is_drained_unasked(self):
        self.scontrol()
        self.assertEqual(self.accept(code=BELOW, says=SLOW, record=self.record("failed", BELOW)).returncode, 1)
        self.assertIsNone(self.drained())

    def test_a_launcher_that_refuses_drains_nothing(self):
        self.scontrol()
        self.program("launcher", LAUNCHER)
        launched = {"BANKFULL": "launcher -n 4 bankfull"}
        self.earlier_record("failed", FAILURE)
        result = self.accept("--drain", variables={**launched, "LAUNCHER_REFUSES": "yes"})
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn(f"could not run (exit code 1): {BANNER}\n", result.stdout)
        self.assertIsNone(self.drained())
        # Nor does its banner become the reason where the program itself failed.
        result = self.accept("--drain", code=FAILURE, says="a CUDA error", record=self.record("failed", FAILURE), variables=launched)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertEqual(self.drained()[3], "reason=bankfull: a run failed: a CUDA error")

    def test_nor_does_a_full_disk_or_a_crash(self):
        """Both leave no record; or it is of something else."""
        self.scontrol()
        for code, record in ((FAILURE, None), (FAILURE, self.record("failed", FAILED)), (139, None), (126, None)):
            result = self.accept("--drain", code=code, says="it cannot be written", record=record)
            self.assertEqual(result.returncode, 2, result.stdout)
            self.assertIn(f"could not run (exit code {code}): it cannot be written\n", result.stdout)
        self.assertIsNone(self.drained())

    def test_a_disturbed_node_stays(self):
        result = self.accept(code=BELOW, says="noisy", record=self.record("disturbed", BELOW))
        self.assertEqual(result.returncode, 0)
        self.assertIn("disturbed, measure again: noisy", result.stdout)

    def test_wrong_results_and_failures_take_it_out(self):
        for code, words in ((FAILED, "wrong results: gosa"), (FAILURE, "a run failed: gosa")):
            result = self.accept(code=code, says="gosa", record=self.record("failed", code))
            self.assertEqual(result.returncode, 1)
            self.assertIn(words, result.stdout)

    def test_mistakes_of_the_check_are_no_fault_of_the_node(self):
        result = self.accept(code=USAGE, says="--baseline x cannot be read")
        self.assertEqual(result.returncode, 2)
        self.assertIn("could not run (exit code 2): --baseline x cannot be read", result.stdout)
        (self.programs / "bankfull").unlink()
        result = self.accept()
        self.assertEqual(result.returncode, 2, result.stdout)

    def test_the_verdict_of_an_earlier_run_does_not_count(self):
        self.earlier_record("disturbed", BELOW)
        self.assertEqual(self.accept(code=BELOW, says=SLOW).returncode, 1)
        result = self.accept(code=OK)
        self.assertEqual(result.returncode, 2)
        self.assertIn("left no record", result.stdout)

    def test_the_earlier_record_stays_until_there_is_a_new_one(self):
        """For checks that look for it while the node is measured, and after a run that leaves none."""
        earlier = self.earlier_record()
        self.program("looking", f"#!/bin/sh\ncp -p {earlier} {self.path}/seen\nexec bankfull \"$@\"\n")
        self.accept(code=USAGE, variables={"BANKFULL": "looking"})
        self.assertEqual((self.path / "seen").stat().st_mtime, 1e9)
        self.assertEqual(earlier.stat().st_mtime, 1e9)
        result = self.accept(record=self.record("no baseline", OK), variables={"BANKFULL": "looking"})
        self.assertIn(": no baseline\n", result.stdout)
        self.assertIn('"no baseline"', earlier.read_text())
        self.assertIn('"accepted"', (self.path / "seen").read_text())

    def test_with_the_program_itself(self):
        """Bad options, and without measuring."""
        (self.programs / "bankfull").unlink()
        os.symlink(BINARY, self.programs / "bankfull")
        result = self.accept("results", "--baseline", "none.json", "--device", "cpu")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("the baseline none.json cannot be read", result.stdout)
        result = self.accept("results", "--dry-run", "--device", "cpu")
        self.assertEqual(result.returncode, 2)
        self.assertIn("the check left no record", result.stdout)

    def test_a_whole_acceptance(self):
        """Long."""
        (self.programs / "bankfull").unlink()
        os.symlink(BINARY, self.programs / "bankfull")
        result = self.accept("results", "--device", "cpu", "--threads", "1")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r": (accepted|no baseline|disturbed, measure again.*)\n$")


class Nhc(InAFolder):
    CHECKS = EXAMPLES / "acceptance" / "nhc" / "bankfull.nhc"
    # As NHC's own, which ends with the code of die, or, with NHC_CHECK_ALL, goes on.
    HARNESS = """set -f
die() { local RET="$1"; shift; echo "die $RET $*"; [[ "$NHC_CHECK_ALL" == 1 ]] && return 0; exit "$RET"; }
log() { echo "log $*"; }
dbg() { echo "dbg $*"; }
source "$1"; shift
eval "$@"
echo "returned $?"
"""

    def check(self, line, check_all="0", variables=None, **stub):
        result = subprocess.run(["bash", "-c", self.HARNESS, "harness", self.CHECKS, line], capture_output=True, text=True, timeout=HANGING, cwd=self.path,
                                env={**self.environment(**stub), "NHC_CHECK_ALL": check_all, **(variables or {})})
        self.assertEqual(result.stderr, "")
        return result.stdout

    def test_verdicts_of_the_last_acceptance(self):
        for verdict, code, said in (("accepted", OK, "dbg check_bankfull_accepted:  accepted.\nreturned 0\n"), ("no baseline", OK, "dbg check_bankfull_accepted:  no baseline.\nreturned 0\n"),
                                    ("disturbed", BELOW, "log check_bankfull_accepted:  the last acceptance was disturbed; measure again.\nreturned 0\n"),
                                    ("failed", BELOW, "die 1 check_bankfull_accepted:  The node failed its acceptance; see record.json.\n")):
            self.record(verdict, code)
            self.assertEqual(self.check("check_bankfull_accepted record.json"), said)

    def test_all_checks_go_on_after_a_failure(self):
        self.record("failed", BELOW)
        self.assertTrue(self.check("check_bankfull_accepted record.json", check_all="1").endswith("\nreturned 1\n"))

    def test_the_age_of_the_last_acceptance(self):
        self.assertIn("returned 0", self.check("check_bankfull_accepted none.json"))
        self.assertEqual(self.check("check_bankfull_accepted -a 24 none.json"), "die 1 check_bankfull_accepted:  There is no none.json.\n")
        file = self.record("accepted", OK)
        self.assertIn("returned 0", self.check("check_bankfull_accepted -a 24 record.json"))
        long_ago = time.time() - 100 * 3600
        os.utime(file, (long_ago, long_ago))
        self.assertEqual(self.check("check_bankfull_accepted -a 24 record.json"), "die 1 check_bankfull_accepted:  record.json is 100 hours old, allowed 24.\n")
        self.assertIn("returned 0", self.check("check_bankfull_accepted -a 192 record.json"))

    def test_mistakes(self):
        (self.path / "other.json").write_text("{}")
        self.assertIn("die 1 check_bankfull_accepted:  other.json is not the record of an acceptance.", self.check("check_bankfull_accepted other.json"))

    def test_mistakes_in_the_line_are_logged_and_no_failure(self):
        self.record("failed", BELOW)
        for arguments, said in (("-a", "option -a requires an argument."), ("-x record.json", "invalid option -x."), ("", "one FILE must be given."), ("-a 24", "one FILE must be given."),
                                ("''", "one FILE must be given."), ("record.json more", "one FILE must be given."), ("-a 8d record.json", "-a 8d is not a number of hours."),
                                ("-a 'x[$(touch run)]' record.json", "-a x[$(touch run)] is not a number of hours."), ("-a '' record.json", "-a  is not a number of hours."),
                                ("-a record.json", "-a record.json is not a number of hours.")):
            self.assertEqual(self.check(f"check_bankfull_accepted {arguments}"), f"log check_bankfull_accepted:  Not checked:  {said}\nreturned 0\n")
        self.assertFalse((self.path / "run").exists())
        self.assertIn("die 1 check_bankfull_accepted:  There is no none.json.", self.check("check_bankfull_accepted -a 08 none.json"))

    def test_exit_codes_of_a_run(self):
        line = "check_bankfull_run himeno --size L --min-gbs 2800"
        what = "bankfull himeno --size L --min-gbs 2800"
        slow = "himeno L fp32 tuned reached 2700.0 GB/s, below --min-gbs 2800"
        for code, says, said in ((OK, "", f"dbg check_bankfull_run:  {what}:  ok.\nreturned 0\n"),
                                 (BELOW, slow, f"die 1 check_bankfull_run:  Too slow:  {slow}\n"),
                                 (FAILED, "verification failed", f"die 1 check_bankfull_run:  Wrong results of {what}:  verification failed\n"),
                                 (FAILURE, "a CUDA error", f"die 1 check_bankfull_run:  {what} failed:  a CUDA error\n"),
                                 (INTERRUPTED, "SIGTERM", f"log check_bankfull_run:  {what} was ended early.\nreturned 0\n"),
                                 (USAGE, "--size Q is unknown", f"log check_bankfull_run:  {what} could not run (exit code 2):  --size Q is unknown\nreturned 0\n"),
                                 (139, "", f"log check_bankfull_run:  {what} could not run (exit code 139):  \nreturned 0\n")):
            self.assertEqual(self.check(line, code=code, says=says), said)
        self.assertIn("himeno --size L --min-gbs 2800 --quiet ", self.calls())

    def test_a_program_that_is_none(self):
        (self.programs / "bankfull").chmod(0o644)
        self.assertRegex(self.check(f"BANKFULL={self.programs}/bankfull check_bankfull_run himeno"), r"^log check_bankfull_run:  bankfull himeno could not run \(exit code 126\):  .*\nreturned 0\n$")
        self.assertRegex(self.check(f"BANKFULL={self.programs}/none check_bankfull_run himeno"), r"^log check_bankfull_run:  bankfull himeno could not run \(exit code 127\):  .*\nreturned 0\n$")

    def test_a_launcher(self):
        self.program("launcher", LAUNCHER)
        line = "BANKFULL='launcher -n 4  bankfull' check_bankfull_run himeno"
        self.assertEqual(self.check(line), "dbg check_bankfull_run:  bankfull himeno:  ok.\nreturned 0\n")
        self.assertEqual(self.calls(), "launched -n 4 himeno --quiet ")
        self.assertEqual(self.check(line, code=FAILURE, says="a CUDA error"), "die 1 check_bankfull_run:  bankfull himeno failed:  a CUDA error\n")
        self.assertEqual(self.check(line, variables={"LAUNCHER_REFUSES": "yes"}), f"log check_bankfull_run:  bankfull himeno could not run (exit code 1):  {BANNER}\nreturned 0\n")

    def test_runs_of_the_program_itself(self):
        short = "himeno --size XS --device cpu --threads 1 --schedule tuned --iterations 5 --repeat 1 --ceiling none"
        line = f"BANKFULL={BINARY} check_bankfull_run {short}"
        self.assertEqual(self.check(line), f"dbg check_bankfull_run:  bankfull {short}:  ok.\nreturned 0\n")
        self.assertIn("die 1 check_bankfull_run:  Too slow:  himeno XS fp32 tuned reached", self.check(f"{line} --min-gbs 1e6"))
        self.assertIn("log check_bankfull_run:  ", self.check(f"{line} --size QQ"))

    def test_lines_of_the_configuration(self):
        """Each line, also those that are commented out, is a mask and a check that there is."""
        lines = [line.lstrip("# ") for line in (EXAMPLES / "acceptance" / "nhc" / "nhc.conf").read_text().splitlines() if "||" in line]
        self.assertEqual(len(lines), 2)
        for line in lines:
            self.assertRegex(line, r"^\S+ \|\| check_bankfull_(accepted|run) ")
        measured = re.sub(r"^.*check_bankfull_run ", "", lines[1]).split()
        result = subprocess.run([BINARY, *measured, "--dry-run", "--device", "cpu"], capture_output=True, text=True, timeout=HANGING, env=self.environment())
        self.assertEqual(result.returncode, OK, result.stderr)


class Reframe(InAFolder):
    FILE = EXAMPLES / "acceptance" / "reframe" / "bankfull_check.py"

    def baseline(self, median):
        file = self.path / "baseline.json"
        document = {"schema": "bankfull/baseline", "schema_version": 1, "model": "NVIDIA H200", "from": "2026-11-27",
                    "entries": [{"gauge": "probe copy, fp64", "unit": "GB/s", "median": median, "spread": 0.001, "boards": 2, "runs": 6},
                                {"gauge": "npb ep C", "unit": "Gop/s", "median": 1.0, "spread": 0.3, "boards": 2, "runs": 6}]}
        jsonschema.Draft7Validator(json.loads((SCHEMAS / "baseline.schema.json").read_text())).validate(document)
        file.write_text(json.dumps(document))
        return str(file)


class ReframeByAStandIn(Reframe):
    def setUp(self):
        super().setUp()
        others = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "reframe"}
        for name in others:
            del sys.modules[name]
        sys.path.insert(0, str(STAND_IN))
        self.addCleanup(sys.path.remove, str(STAND_IN))
        self.reframe = importlib.import_module("reframe")
        specification = importlib.util.spec_from_file_location("bankfull_check", self.FILE)
        self.module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(self.module)
        self.addCleanup(lambda: [sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "reframe"])

    def run_check(self, verdict="accepted", code=OK, record=True, **variables):
        environment = self.environment(code=code, record=self.record(verdict, code) if record else None)
        return self.reframe.run(self.module.BankfullAcceptance, self.path, environment, **variables)

    def test_it_is_one_test(self):
        self.assertEqual([cls.__name__ for cls in self.reframe.REGISTERED], ["BankfullAcceptance"])

    def test_rates_are_those_of_the_slowest_device(self):
        self.assertEqual(self.run_check(), {"probe_copy_fp64": 3790.0})
        self.assertEqual(self.calls(), "accept --quiet --output acceptance ")

    def test_each_device_has_a_rank(self):
        """As many as the partition lists GPUs, or as asked; and all of them must have been measured."""
        self.program("launcher", LAUNCHER)
        for devices, variables, ranks in (((("gpu", 2), ("fpga", 5)), {}, 2), ((), {}, 1), ((("gpu", 4),), {"devices": 2}, 2), ((("fpga", 4),), {}, 1)):
            self.run_check(launcher=["launcher"], partition=devices, **variables)
            self.assertTrue(self.calls().endswith(f"launched -n {ranks} accept --quiet --output acceptance "), self.calls())
        with self.assertRaisesRegex(self.reframe.SanityError, "2 of 4 devices were measured"):
            self.run_check(partition=[("gpu", 4)])

    def test_the_verdict_decides_on_sanity(self):
        self.run_check("no baseline")
        for verdict, code in (("failed", BELOW), ("disturbed", BELOW), ("failed", FAILED)):
            with self.assertRaisesRegex(self.reframe.SanityError, rf"the verdict is: {verdict} \(exit code {code}\)\. node cuda:1, probe copy, fp64: "):
                self.run_check(verdict, code)
        shutil.rmtree(self.path / "acceptance")
        with self.assertRaisesRegex(self.reframe.SanityError, "left no record"):
            self.run_check(code=USAGE, record=False)

    def test_references_are_those_of_the_baseline(self):
        fits = self.baseline(3800.0)
        self.assertEqual(self.run_check(baseline=fits), {"probe_copy_fp64": 3790.0})
        self.assertIn(f"--baseline {fits} ", self.calls())
        self.assertEqual(self.module.references_of(json.loads(pathlib.Path(fits).read_text())),
                         {"probe_copy_fp64": (3800.0, -0.025, None, "GB/s"), "npb_ep_C": (1.0, -0.045, None, "Gop/s")})
        with self.assertRaisesRegex(self.reframe.PerformanceError, "probe_copy_fp64"):
            self.run_check(baseline=self.baseline(4000.0))


@unittest.skipIf(shutil.which("reframe") is None, "no ReFrame")
class ReframeItself(Reframe):
    def run_check(self, verdict, code, *options):
        return subprocess.run(["reframe", "--system=generic", "-c", self.FILE, "-r", "--prefix", self.path / "reframe", *options], capture_output=True, text=True,
                              timeout=HANGING, cwd=self.path, env={**self.environment(code=code, record=self.record(verdict, code)), "HOME": str(self.path)})

    def test_passes_and_fails(self):
        passed = self.run_check("accepted", OK, "-S", f"BankfullAcceptance.baseline={self.baseline(3800.0)}")
        self.assertEqual(passed.returncode, 0, passed.stdout + passed.stderr)
        self.assertIn("probe_copy_fp64", passed.stdout)
        missed = self.run_check("accepted", OK, "-S", f"BankfullAcceptance.baseline={self.baseline(4000.0)}")
        self.assertNotEqual(missed.returncode, 0, missed.stdout)
        self.assertIn("probe_copy_fp64", missed.stdout)
        failed = self.run_check("failed", BELOW)
        self.assertNotEqual(failed.returncode, 0, failed.stdout)
        self.assertIn("the verdict is: failed", failed.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
