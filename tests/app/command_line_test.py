#!/usr/bin/env python3
"""Runs the real binary as a user would, bad input included.

Usage: command_line_test.py BANKFULL_BINARY SCHEMA [-- arguments of unittest]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

from refusal import Refusals
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS, last_cache, size_beyond_caches

BINARY = OWN_ARGUMENTS[0]
SCHEMA = json.loads(pathlib.Path(OWN_ARGUMENTS[1]).read_text())

OK, FAILURE, USAGE, UNVERIFIED, BELOW = range(5)
QUICK = ["--device", "cpu", "--iterations", "4", "--repeat", "2"]


def run(*arguments, environment=None, **options):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
    return subprocess.run(
        [BINARY, *arguments], capture_output=True, text=True, timeout=HANGING,
        env={**clean, **(environment or {})}, **options)


class CommandLine(Refusals, unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def refused(self, *arguments, saying=(), code=USAGE, **options):
        """The program stops with one line on stderr, no output, and leaves no file behind."""
        result = run(*arguments, **options)
        line = self.assert_refusal(result, code, saying)
        self.assertEqual(list(self.path.iterdir()), [])
        return line


class Help(CommandLine):
    def test_help_has_examples(self):
        for command in ([], ["himeno"], ["probe"], ["decompose"]):
            result = run(*command, "--help")
            self.assertEqual(result.returncode, OK)
            self.assertIn("Examples:", result.stdout)

    def test_version_has_build_facts(self):
        result = run("--version")
        self.assertEqual(result.returncode, OK)
        for word in ("bankfull", "revision", "compiler", "flags", "cuda"):
            self.assertIn(word, result.stdout)

    def test_info_describes_the_machine(self):
        result = run("info")
        self.assertEqual(result.returncode, OK)
        for word in ("Processor", "cores", "l1_cache", "numa_nodes", "mpi", "gpus"):
            if word == "gpus" and "GPU 0" in result.stdout:
                continue
            self.assertIn(word, result.stdout)

    def test_info_as_json(self):
        import jsonschema
        target = self.path / "info.json"
        context = {**SCHEMA, "required": [], "properties": {"context": SCHEMA["properties"]["context"]}, "additionalProperties": True}
        self.assertEqual(run("info", "--json", str(target)).stdout, "")
        for text in (target.read_text(), run("info", "--json").stdout):
            document = json.loads(text)
            self.assertEqual(document["schema"], "bankfull/context")
            jsonschema.validate(document, context)
            self.assertRegex(document["context"]["process"]["affinity"]["value"], r"^\d+(-\d+)?(,\d+(-\d+)?)*$")
            self.assertRegex(document["context"]["build"]["mpi"]["value"], r"^(no|MPI \d+\.\d+, \S.*)$")

    def test_list_names_sizes_and_schedules(self):
        result = run("list")
        self.assertEqual(result.returncode, OK)
        for word in ("himeno", "probe", "XL", "512x512x1024", "fused"):
            self.assertIn(word, result.stdout)

    def test_nothing_to_do(self):
        self.refused(saying=["no subcommand"])

    def test_unknown_subcommand(self):
        self.refused("himenoo", saying=["himenoo"])

    def test_unknown_flag(self):
        self.refused("himeno", "--sise", "M", saying=["--sise"])


class Values(CommandLine):
    """What holds for every option of every subcommand."""

    COMMANDS = (["info"], ["list"], ["probe"], ["himeno"], ["hpcg"], ["npb", "cg"], ["convect"], ["scaling", "himeno"],
                ["decompose", "--cells", "8x8x8", "--ranks", "4"])

    @classmethod
    def setUpClass(cls):
        """Triples of each option: its command, its name, what its value is called, "" of a flag. Options of several commands that
        their help describes in the same words are the same code: one of these commands stands for all."""
        described = {}
        for command in cls.COMMANDS:
            for line in run(*command, "--help").stdout.splitlines():
                option = re.match(r"  (--[\w-]+) ?(\S*).*\(Env:BANKFULL_", line)
                if option:
                    kind = "" if option[2].startswith("(Env") else option[2].split("=")[0]
                    described.setdefault(line, (command, option[1], kind))
        cls.options = list(described.values())
        assert len(cls.options) > 70 and {"", "INT", "FLOAT", "BYTES", "N,..."} <= {kind for _, _, kind in cls.options}

    def test_empty_ones_are_refused(self):
        for command, name, kind in self.options:
            with self.subTest(command=command, name=name):
                others = [word for word in command if word != name]
                if kind:
                    self.refused(*others, name, "", saying=[f"{name} is empty"])
                    self.refused(*others, f"{name}=", "--quiet", saying=[f"{name} is empty"])
                if name not in command:
                    variable = "BANKFULL_" + name[2:].replace("-", "_").upper()
                    case = ["layer.toml"] if command == ["convect"] else []
                    self.refused(*command, *case, environment={variable: ""}, saying=[f"{variable} is empty"])

    def test_forgotten_ones_take_no_option_for_a_value(self):
        for command, name, kind in self.options:
            if kind and command != ["info"] and name not in command:
                with self.subTest(command=command, name=name):
                    self.refused(*command, name, "--help-me", saying=[name, "--help-me"])

    def test_numbers_are_decimal(self):
        for command, name, kind in self.options:
            junk = {"INT": ["0x10", " 5", "5 ", "1e3", "1.5", "--5", "+-5", "inf", "nan", "many", "99999999999999999999"],
                    "FLOAT": ["0x10", "0.5s", "1e999", "1,5", "inf", "nan", "-inf", "half"],
                    "N,...": ["1,", ",", "1,,2", "1,1", "0x10", "1;2", "[1,2]", "99999999999"],
                    "BYTES": ["0", "-1", "1.5GiB", "1XB", "KiB", "inf", "8EiB", "1Gibi"],
                    "BYTES,...": ["64,", "64,0", "64,64", "64,x"],
                    "NAME,...": ["a,", ",", "a,,b", "a,a"]}.get(kind, [])
            for value in junk:
                with self.subTest(command=command, name=name, value=value):
                    if name not in command:
                        self.refused(*command, f"{name}={value}", saying=[name])

    def test_names_that_are_nearly_right(self):
        self.refused("himenoo", saying=["'himenoo'", "did you mean 'himeno'?"])
        self.refused("deocmpose", saying=["did you mean 'decompose'?"])
        self.refused("scaling", "himneo", saying=["did you mean 'himeno'?"])
        self.refused("solve", saying=["use info, list, probe", "or completion"])
        self.refused("himeno", "--sise", "M", saying=["--sise is not an option of bankfull himeno", "did you mean --size?"])
        self.refused("decompose", "--celss=8x8x8", "--ranks=4", saying=["did you mean --cells?"])
        self.refused("himeno", "--verbose", saying=["--verbose", "see bankfull himeno --help"])
        self.refused("--quiet", "himeno", saying=["--quiet comes before", "after bankfull himeno"])
        self.refused("npb", "cg", "mg", saying=["'mg'", "see bankfull npb --help"])

    def test_options_are_given_once(self):
        self.refused("himeno", "--size", "M", "--size", "L", saying=["--size is given more than once"])
        self.refused("himeno", "--size", saying=["--size has no value"])
        self.refused("himeno", "--quiet=maybe", saying=["--quiet = maybe is neither true nor false"])
        self.refused("himeno", "--schedule", "tuned,tuned", saying=["tuned twice"])


class Himeno(CommandLine):
    def test_every_schedule_is_verified(self):
        result = run("himeno", "--size", "XS", "--schedule", "all", *QUICK)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        lines = [line for line in result.stdout.splitlines() if line.startswith("RESULT ")]
        self.assertEqual(len(lines), 5)
        for line in lines:
            self.assertIn("verdict=verified", line)
            self.assertRegex(line, r" timing=(quiet|noisy) ")
        self.assertNotIn("FAILED", result.stdout)

    def test_odd_shape_in_fp64(self):
        result = run("himeno", "--size", "31x17x65", "--precision", "fp64", *QUICK)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)

    def test_smallest_shape(self):
        result = run("himeno", "--size", "3x3x3", "--schedule", "all", *QUICK)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        self.assertEqual(result.stdout.count("verdict=verified"), 5)

    def test_more_threads_than_planes(self):
        result = run("himeno", "--size", "5x4x9", "--schedule", "tuned,fused", "--threads", "7",
                     *QUICK)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)

    def test_quiet_prints_result_lines_only(self):
        result = run("himeno", "--size", "XS", "--quiet", *QUICK)
        self.assertEqual(result.stderr, "")
        self.assertEqual([line.split()[0] for line in result.stdout.splitlines()], ["RESULT"])

    def test_json_follows_the_schema(self):
        import jsonschema
        target = self.path / "out.json"
        result = run("himeno", "--size", "XS", "--schedule", "tuned,fused", "--json", str(target),
                     "--device", "cpu", "--iterations", "24", "--repeat", "2")
        self.assertEqual(result.returncode, OK, result.stderr)
        document = json.loads(target.read_text())
        jsonschema.validate(document, SCHEMA)
        self.assertEqual(document["verdict"], "verified")
        self.assertEqual(len(document["measurements"]), 2)
        fused = document["measurements"][1]
        per_pass = fused["parameters"]["iterations_per_pass"]["value"]
        self.assertGreaterEqual(per_pass, 2)
        points = document["problem"]["updated_points"]["value"]
        # Fewer than 56 bytes per point and iteration, and the result says so.
        moved = fused["traffic"]["bytes_read"] + fused["traffic"]["bytes_written"]
        whole, rest = divmod(24, per_pass)
        self.assertAlmostEqual(moved / points, 56 * (whole + rest))
        self.assertTrue(any("fewer bytes" in note for note in fused["notes"]))
        self.assertIn(fused["cache"], ("beyond", "partly", "inside"))
        self.assertGreater(fused["traffic"]["working_set_bytes"], 0)
        options = document["context"]["options"]
        self.assertEqual(options["iterations"], {"value": "24", "source": "command line"})
        self.assertEqual(options["precision"], {"value": "fp32", "source": "default"})
        self.assertEqual(options["max-spread"], {"value": None, "source": "default"})
        self.assertEqual([entry.name for entry in self.path.iterdir()], ["out.json"])

    def test_the_state_of_the_machine_is_in_the_result(self):
        target = self.path / "out.json"
        result = run("himeno", "--size", "XS", "--json", str(target), *QUICK)
        self.assertEqual(result.returncode, OK, result.stderr)
        document = json.loads(target.read_text())
        state = document["machine_state"]
        self.assertEqual([part["kind"] for part in state["parts"]], ["host"])
        host = state["parts"][0]
        self.assertEqual(host["name"], "host " + document["context"]["system"]["host"]["value"])
        load = float(pathlib.Path("/proc/loadavg").read_text().split()[0])
        self.assertLessEqual(abs(host["after"]["load_average"]["value"] - load), max(1, load / 2))
        for name in ("load_average", "memory_available"):
            self.assertLessEqual(host["during"][name]["min"], host["before"][name]["value"])
            self.assertGreaterEqual(host["during"][name]["max"], host["after"][name]["value"])
        # Of this and other processes, so at least what the run itself took.
        self.assertGreater(host["counted"]["processor_time"]["value"], 0)
        self.assertRegex(result.stdout, r"(?m)^  state: .*load up to [0-9.e+]+, " + (
            "throttling unknown" if state["verdict"] == "unknown" else state["verdict"]))
        word = state["verdict"].replace(" ", "_")
        self.assertRegex(result.stdout, rf"(?m)^RESULT .* timing=\S+ machine={word} verdict=verified$")
        for measurement in document["measurements"]:
            energy = measurement["energy"]
            self.assertNotEqual("unknown_because" in energy, "joules" in energy)
            self.assertEqual("joules=" in result.stdout, "joules" in energy)

    def test_environment_variables_match_the_options(self):
        result = run("himeno", "--iterations", "4", "--repeat", "1", "--quiet",
                     environment={"BANKFULL_SIZE": "XS", "BANKFULL_DEVICE": "cpu",
                                  "BANKFULL_PRECISION": "fp64"})
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertIn("size=XS", result.stdout)
        self.assertIn("precision=fp64", result.stdout)

    def test_dry_run_checks_the_path_too(self):
        self.refused("himeno", "--device", "cpu", "--dry-run", "--json", "/nonexistent/x.json",
                     saying=["/nonexistent/x.json"])

    def test_dry_run_says_memory_and_runs_nothing(self):
        result = run("himeno", "--size", "XS", "--dry-run", "--device", "cpu")
        self.assertEqual(result.returncode, OK)
        self.assertIn("memory", result.stdout)
        self.assertNotIn("RESULT", result.stdout)

    def test_dry_runs_answer_where_the_memory_does_not_suffice(self):
        for arguments, need in ((["himeno", "--size", "8192x8192x8192"], r"himeno 8192x8192x8192 needs 28\.?\d* TiB"),
                                (["npb", "ft", "--class", "E"], r"npb ft --class E needs 5\d\d GiB"),
                                (["hpcg", "--local", "1096x1096x1096"], r"hpcg --local 1096x1096x1096 needs 1\.\d TiB"),
                                (["probe", "bandwidth", "--to", "9TiB", "--memory-limit", "10TiB"], r"the probe needs 9\.?\d* TiB"),
                                (["scaling", "himeno", "--strong", "--size", "8192x8192x8192"], "himeno 8192x8192x8192 needs")):
            with self.subTest(arguments=arguments):
                result = run(*arguments, "--device", "cpu", "--dry-run")
                self.assertEqual((result.returncode, result.stderr), (OK, ""))
                self.assertRegex(result.stdout, rf"  it does not fit: {need}.*, cpu has .* free; ")
                self.refused(*arguments, "--device", "cpu", saying=["needs", "free"])
        for arguments in (["himeno"], ["npb", "all"], ["probe", "latency"], ["hpcg", "--local", "16x16x16"]):
            with self.subTest(arguments=arguments):
                result = run(*arguments, "--device", "cpu", "--dry-run")
                self.assertRegex(result.stdout, r"memory [\d.]+ \wiB")
                self.assertRegex(result.stdout, r"  it fits: cpu has [\d.]+ \wiB free\n")

    def test_target_seconds_choose_the_iterations(self):
        def iterations(seconds):
            result = run("himeno", "--size", "XS", "--device", "cpu", "--schedule", "tuned", "--ceiling", "none",
                         "--target-seconds", seconds, "--repeat", "2", "--quiet")
            self.assertEqual(result.returncode, OK, result.stderr)
            return int(re.search(r" iterations=(\d+)", result.stdout)[1])

        # However slow the machine is, it does an iteration in a fifth of a second.
        self.assertEqual(iterations("1e-9"), 1)
        self.assertGreater(iterations("0.4"), 1)

    def test_iterations_are_exact_from_the_official_state(self):
        # The official program in double precision, after 1 and after 355 iterations.
        for iterations, gosa, more in ((1, 3.416246635e-3, ("--repeat", "3", "--warmup", "2")),
                                       (355, 1.248729e-3, ("--repeat", "1"))):
            with self.subTest(iterations=iterations):
                target = self.path / f"{iterations}.json"
                result = run("himeno", "--size", "S", "--precision", "fp64", "--device", "cpu", "--schedule", "tuned,fused",
                             "--iterations", str(iterations), *more, "--json", str(target))
                self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
                self.assertIn(f"gosa_iteration={iterations} ", result.stdout)
                for measurement in json.loads(target.read_text())["measurements"]:
                    found = measurement["figures"]["gosa"]["value"]
                    self.assertLess(abs(found - gosa), 5e-10 * (1 if iterations == 1 else 1000) * gosa)
                    self.assertEqual(measurement["figures"]["gosa_iteration"]["value"], iterations)

    def test_a_perturbed_operator_is_found(self):
        for precision in ("fp32", "fp64"):
            with self.subTest(precision=precision):
                target = self.path / f"{precision}.json"
                result = run("himeno", "--size", "XS", "--precision", precision, "--schedule", "all", "--perturb-operator", "1e-6",
                             "--json", str(target), *QUICK)
                self.assertEqual(result.returncode, UNVERIFIED, result.stdout)
                self.assertIn("multiplied by 1 + 1e-06 on purpose", result.stderr)
                self.assertRegex(result.stdout, r"(?m)^RESULT .* perturbation=1e-06 .* verdict=failed$")
                document = json.loads(target.read_text())
                self.assertEqual(document["verdict"], "failed")
                self.assertTrue(any("not results" in note for note in document["notes"]))
                # The checks of a run that is not perturbed, each schedule's.
                seen = [check for check in document["verification"] if check["name"].startswith("wrong pressures")]
                self.assertEqual(len(seen), len(document["measurements"]))
                self.assertFalse(any(check["passed"] for check in seen), seen)
        self.refused_value("himeno", "--perturb-operator", "nan")

    def test_a_perturbation_below_rounding_is_no_result(self):
        import jsonschema

        target = self.path / "himeno.json"
        result = run("himeno", "--size", "XS", "--perturb-operator", "1e-20", "--json", str(target), *QUICK)
        self.assertEqual(result.returncode, UNVERIFIED, result.stdout)
        self.assertRegex(result.stdout, r"(?m)^RESULT .* perturbation=1e-20 .* verdict=failed$")
        document = json.loads(target.read_text())
        jsonschema.validate(document, SCHEMA)
        self.assertEqual(document["measurements"][0]["parameters"]["perturbation"]["value"], 1e-20)
        failed = [check["name"] for check in document["verification"] if not check["passed"]]
        self.assertEqual(failed, ["operator not perturbed"])

    def refused_value(self, *arguments):
        result = run(*arguments, "--device", "cpu")
        self.assert_refusal(result, USAGE, ["--perturb-operator"])

    def test_a_threshold_judges_a_percentage(self):
        problem = ["himeno", "--size", size_beyond_caches(BINARY), "--schedule", "tuned", "--quiet", *QUICK]
        ceilings = str(self.path / "ceilings.json")
        for percent, code, more in (("1e-9", OK, ["--json", ceilings]), ("1e9", BELOW, ["--ceiling", ceilings])):
            result = run(*problem, "--min-percent", percent, *more)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertRegex(result.stdout, r" ceiling_gbs=\S+ percent=")
            self.assertEqual("below --min-percent" in result.stderr, code == BELOW, result.stderr)

    def test_a_threshold_without_a_percentage_is_refused_before_the_run(self):
        self.refused("himeno", "--size", "XS", *QUICK, "--min-percent", "90", "--ceiling", "none",
                     saying=["--min-percent 90", "--ceiling none", "--ceiling auto"])
        if last_cache(BINARY) < 2**20:
            self.skipTest("the last cache is unknown or small")
        for ceiling in ("auto", "always"):
            self.refused("himeno", "--size", "XS", *QUICK, "--min-percent", "90", "--ceiling", ceiling,
                         saying=["--min-percent 90", "cache", "choose a problem of at least"])

    def test_spread_above_the_threshold_exits_4(self):
        result = run("himeno", "--size", "XS", "--max-spread", "0", "--quiet", *QUICK)
        self.assertEqual(result.returncode, BELOW, result.stderr)
        self.assertIn("--max-spread", result.stderr)
        self.assertIn("verdict=verified", result.stdout)

    def test_spreads_that_are_none(self):
        for value in ("nan", "inf", "-1", "much"):
            with self.subTest(value=value):
                self.refused("himeno", "--size", "XS", *QUICK, f"--max-spread={value}", saying=["--max-spread"])

    def test_ceilings_of_an_earlier_run(self):
        target = self.path / "ceilings.json"
        result = run("himeno", "--size", "XS", "--ceiling", "always", "--json", str(target), "--quiet", *QUICK)
        self.assertEqual(result.returncode, OK, result.stderr)
        earlier = json.loads(target.read_text())["measurements"][0]["ceiling"]
        again = target.with_name("again.json")
        result = run("himeno", "--size", "XS", "--json", str(again), *QUICK, environment={"BANKFULL_CEILING": str(target)})
        self.assertEqual(result.returncode, OK, result.stderr)
        document = json.loads(again.read_text())
        now = document["measurements"][0]["ceiling"]
        self.assertEqual({**earlier, "source": str(target)}, now)
        self.assertIn("percent_of_bankfull", document["measurements"][0])
        self.assertEqual(document["context"]["options"]["ceiling"], {"value": str(target), "source": "environment"})
        self.assertEqual(document["context"]["environment"]["BANKFULL_CEILING"], str(target))
        refusal = run("himeno", "--size", "XS", "--ceiling", str(again), *QUICK)
        self.assert_refusal(refusal, USAGE, [str(again), "did not measure", str(target)])
        # Another mix has no ceiling there; another team has no business there.
        result = run("npb", "mg", "--class", "S", "--device", "cpu", "--repeat", "1", "--ceiling", str(target))
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertNotRegex(result.stdout, r" percent=")
        self.assertIn("the file of ceilings has none for", result.stdout)
        for threads in ("1", "3"):
            if document["problem"]["threads"]["value"] != int(threads):
                refusal = run("himeno", "--size", "XS", "--threads", threads, "--ceiling", str(target), *QUICK)
                self.assert_refusal(refusal, USAGE, [str(target), f"{threads} thread", "this run"])

    def test_json_is_not_the_file_of_ceilings(self):
        target = self.path / "ceilings.json"
        result = run("himeno", "--size", "XS", "--ceiling", "always", "--json", str(target), "--quiet", *QUICK)
        self.assertEqual(result.returncode, OK, result.stderr)
        before = target.read_text()
        link = self.path / "link.json"
        link.symlink_to(target)
        for given in (target, link, self.path / "." / "missing" / ".." / target.name):
            refusal = run("himeno", "--size", "XS", *QUICK, "--ceiling", str(target), "--json", str(given))
            self.assert_refusal(refusal, USAGE, [f"--json {given} is the file that --ceiling names"])
        self.assertEqual(target.read_text(), before)

    def test_files_that_hold_no_ceilings(self):
        for name, text in (("missing.json", None), ("empty.json", ""), ("list.json", "[]"), ("old.json", '{"schema": "bankfull/run-result", "schema_version": 1}')):
            with self.subTest(name=name), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / name
                if text is not None:
                    path.write_text(text)
                self.refused("himeno", "--size", "XS", *QUICK, "--ceiling", str(path), "--dry-run", saying=[str(path)])
        self.refused("himeno", "--size", "XS", *QUICK, "--ceiling", "", saying=["--ceiling"])
        self.refused("himeno", "--size", "XS", *QUICK, "--ceiling", "/tmp", saying=["--ceiling", "/tmp", "folder"])

    def test_no_ceilings_no_percentages(self):
        result = run("himeno", "--size", "XS", *QUICK, "--ceiling", "none", "--quiet")
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertNotIn(" percent=", result.stdout)
        self.assertNotIn("ceiling_gbs=", result.stdout)


class Probe(CommandLine):
    SMALL = ["--quick", "--device", "cpu", "--memory-limit", "64MiB", "--repeat", "2"]

    def test_bandwidth_shows_a_chart_and_verifies(self):
        result = run("probe", "bandwidth", "--operation", "copy,triad", *self.SMALL)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        self.assertIn("bandwidth, triad", result.stdout)
        self.assertIn("GB/s", result.stdout)
        self.assertIn("verdict=verified", result.stdout)

    def test_latency_names_plateaus(self):
        result = run("probe", "latency", "--stride", "64", "--pages", "huge", "--footprint-to",
                     "16MiB", *self.SMALL)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        self.assertIn("latency, stride 64 B", result.stdout)
        self.assertIn("plateaus found", result.stdout)

    def test_chip_shows_orders_of_chains_and_verifies(self):
        result = run("probe", "chip", "--footprint-to", "16MiB", *self.SMALL)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        for words in ("stride 64 B, huge pages, in order", "stride 64 B, huge pages, backwards", "verdict=verified"):
            self.assertIn(words, result.stdout)

    def test_json_follows_the_schema(self):
        import jsonschema
        target = self.path / "probe.json"
        result = run("probe", "all", "--operation", "copy", "--mix", "13", "--footprint-to",
                     "8MiB", *self.SMALL, "--json", str(target))
        self.assertEqual(result.returncode, OK, result.stderr)
        document = json.loads(target.read_text())
        jsonschema.validate(document, SCHEMA)
        self.assertTrue(document["series"])

    def test_bad_input_is_named(self):
        for arguments, words in ((["everything"], "everything"),
                                 (["all", "--operation", "sort"], "sort"),
                                 (["all", "--mix", "99"], "99"),
                                 (["all", "--stores", "none"], "none"),
                                 (["all", "--stride", "7"], "7"),
                                 (["all", "--memory-limit", "lots"], "lots"),
                                 (["all", "--threads", "-1"], "-1")):
            with self.subTest(arguments=arguments):
                self.refused("probe", *arguments, "--device", "cpu", saying=[words])


class Decompose(CommandLine):
    @staticmethod
    def rows(text):
        """The cells of the table, by number of ranks, in the order of its rows."""
        rows = [line.split() for line in text.splitlines()]
        return {int(row[0]): row[1:] for row in rows if row and row[0].isdigit()}

    @staticmethod
    def sent(row):
        return float(row[1]) * {"B": 1, "KiB": 2**10, "MiB": 2**20}[row[2]]

    def test_ranks_what_sends_least_first(self):
        result = run("decompose", "--cells", "64x64x64", "--ranks", "2:8")
        self.assertEqual(result.returncode, OK, result.stderr)
        rows = self.rows(result.stdout)
        sent = [self.sent(row) for row in rows.values()]
        self.assertEqual(sent, sorted(sent))
        # Cells across k cost the sectors of memory that they lie in: fewer cuts there.
        self.assertEqual((rows[8][0], float(rows[8][-3])), ("4x2x1", 8))
        # The paper's balance stands beside: of the grid, and the best of any.
        self.assertEqual({ranks: (row[-2], float(row[-1])) for ranks, row in rows.items() if ranks > 6},
                         {7: ("7x1x1", 7), 8: ("2x2x2", 1)})
        # Two slices send one face of 64x64 cells, three two; 4x2 blocks send two of 32x64 and one of 16x64.
        self.assertEqual({ranks: self.sent(rows[ranks]) for ranks in (2, 3, 8)},
                         {2: 64 * 64 * 4, 3: 2 * 64 * 64 * 4, 8: (2 * 32 * 64 + 16 * 64) * 4})

    def test_does_not_praise_factors_that_no_program_takes(self):
        rows = self.rows(run("decompose", "--cells", "512x512x512", "--ranks", "90:130").stdout)
        self.assertEqual((rows[125][0], rows[125][-2]), ("25x5x1", "5x5x5"))
        self.assertNotEqual(list(rows)[0], 125)

    def test_shows_blocks_bytes_and_messages(self):
        result = run("decompose", "--cells", "512x512x1024", "--ranks", "4", "--fields", "2",
                     "--precision", "fp64")
        self.assertEqual(result.returncode, OK, result.stderr)
        # Two faces of 256x1024 are 524288 cells, of 16 bytes each.
        self.assertIn(["2x2x1", "8", "MiB", "2", "256x256x1024", "0.0", "%", "4.000"],
                      [row[:8] for row in self.rows(result.stdout).values()])

    def test_reach_and_wrapping_add_messages(self):
        def messages(*arguments):
            # Too few cells along i and j for other cuts than 3x3x3.
            result = run("decompose", "--cells", "3x3x9", "--ranks", "27", *arguments)
            self.assertEqual(result.returncode, OK, result.stderr)
            return int(self.rows(result.stdout)[27][3])
        self.assertEqual(messages(), 6)
        self.assertEqual(messages("--reach", "edges"), 18)
        self.assertEqual(messages("--reach", "corners"), 26)
        self.assertEqual(messages("--periodic", "ijk"), 6)

    def test_cuts_only_the_axes_that_may_be(self):
        def grids(cut):
            result = run("decompose", "--cells", "64x64x4096", "--ranks", "4,16", "--cut", cut)
            self.assertEqual(result.returncode, OK, result.stderr)
            return {ranks: row[0] for ranks, row in self.rows(result.stdout).items()}
        self.assertEqual(grids("i"), {4: "4x1x1", 16: "16x1x1"})
        self.assertEqual(grids("ij"), {4: "2x2x1", 16: "4x4x1"})
        self.assertEqual(grids("k"), {4: "1x1x4", 16: "1x1x16"})

    def test_lists_what_cannot_split(self):
        result = run("decompose", "--cells", "3x3x3", "--ranks", "4:8,10:11")
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertEqual(list(self.rows(result.stdout)), [4, 8, 6])
        self.assertIn("cannot split: 5, 7, 10:11\n", result.stdout)

    def test_top_shows_the_best_only(self):
        result = run("decompose", "--cells", "512x512x1024", "--ranks", "90:130", "--top", "2")
        self.assertEqual(list(self.rows(result.stdout)), [128, 126])

    def test_environment_variables_match(self):
        result = run("decompose", environment={"BANKFULL_CELLS": "8x8x8", "BANKFULL_RANKS": "2"})
        self.assertEqual(list(self.rows(result.stdout)), [2], result.stderr)

    def test_json_follows_the_schema(self):
        import jsonschema
        target = self.path / "decompose.json"
        result = run("decompose", "--cells", "3x3x3", "--ranks", "6:8", "--json", str(target))
        self.assertEqual(result.returncode, OK, result.stderr)
        document = json.loads(target.read_text())
        jsonschema.validate(document, SCHEMA)
        self.assertEqual(document["workload"], "decompose")
        self.assertEqual(document["series"][0]["points"], [[6, 6.0], [8, 1.0]])
        self.assertEqual(document["notes"], ["cannot split: 7"])
        self.assertEqual([entry.name for entry in self.path.iterdir()], ["decompose.json"])

    def test_bad_input_is_named(self):
        for arguments, words in ((["--ranks=0"], "--ranks 0"), (["--ranks=-4"], "--ranks -4"),
                                 (["--ranks=5:4"], "5:4"), (["--ranks=1:2:3"], "1:2:3"),
                                 (["--ranks=1,,2"], "1,,2"), (["--ranks=four"], "four"),
                                 (["--ranks", ""], "--ranks"), (["--ranks=1:200000"], "100000"),
                                 (["--ranks=99999999999999999999"], "1048576"),
                                 (["--ranks=1025"], "1025 ranks cannot split"),
                                 (["--cells=8x8"], "--cells 8x8"),
                                 (["--cells=0x8x8"], "'0'"), (["--cells=8x8x8.5"], "'8.5'"),
                                 (["--cells=2147483648x2147483648x4"], "beyond any memory"),
                                 (["--cells=2147483649x1x1"], "2147483649"),
                                 (["--halo-width=0"], "--halo-width 0"),
                                 (["--halo-width=17"], "--halo-width 17"),
                                 (["--halo-width=9", "--ranks=2"], "use 1 rank"),
                                 (["--halo-width=9", "--periodic=j"], "use more cells"),
                                 (["--fields=0"], "--fields 0"), (["--top=0"], "--top 0"),
                                 (["--reach=far"], "--reach far"),
                                 (["--precision=fp16"], "--precision fp16"),
                                 (["--periodic=ii"], "--periodic ii"),
                                 (["--periodic=x"], "--periodic x"),
                                 (["--cut=none"], "--cut none"), (["--cut", ""], "--cut"),
                                 (["--json=/nonexistent/x.json"], "/nonexistent/x.json")):
            with self.subTest(arguments=arguments):
                given = " ".join(arguments)
                complete = [*arguments]
                if "--cells" not in given:
                    complete.append("--cells=8x8x8")
                if "--ranks" not in given:
                    complete.append("--ranks=4")
                self.refused("decompose", *complete, saying=[words])

    def test_cells_and_ranks_are_required(self):
        self.refused("decompose", "--ranks", "4", saying=["--cells"])
        self.refused("decompose", "--cells", "8x8x8", saying=["--ranks"])


class BadHimenoInput(CommandLine):
    def test_sizes(self):
        for size in ("0x5x5", "3x3", "3x3x3x3", "2x3x3", "-4x5x6", "5x5x", "axbxc", "", "XXL", "xl",
                     "5.5x6x7", "1e3x5x5", "5 x5x5"):
            with self.subTest(size=size):
                self.refused("himeno", "--device", "cpu", f"--size={size}", saying=["--size"])

    def test_shapes_that_overflow(self):
        for size in ("99999999999999999999x5x5", "2000000x2000000x2000000",
                     "1048576x1048576x1048576"):
            with self.subTest(size=size):
                self.refused("himeno", "--device", "cpu", "--size", size, saying=["--size"])

    def test_beyond_memory_names_need_free_and_what_fits(self):
        self.refused("himeno", "--device", "cpu", "--size", "8192x8192x8192", "--quiet",
                     saying=["needs 28", "TiB", "free", "largest standard size that fits is"])

    def test_devices(self):
        self.refused("himeno", "--device", "cuda:99", saying=["--device cuda:99"])
        self.refused("himeno", "--device", "tpu", saying=["--device tpu"])
        if "GPU 0" not in run("info").stdout:
            self.refused("himeno", "--device", "cuda", saying=["--device cuda", "--device cpu"])

    def test_unwritable_json_is_found_before_the_run(self):
        # XL at 60 s would take long: the refusal must come first.
        self.refused("himeno", "--device", "cpu", "--size", "S", "--target-seconds", "3600",
                     "--json", "/nonexistent/out.json", saying=["/nonexistent/out.json"])
        self.refused("himeno", "--device", "cpu", "--size", "S", "--target-seconds", "3600",
                     "--quiet", "--json", "/tmp", saying=["/tmp", "folder"])

    def test_json_replaces_plain_files_only(self):
        pipe = self.path / "pipe"
        os.mkfifo(pipe)
        result = run("himeno", "--size", "XS", "--quiet", *QUICK, "--json", str(pipe))
        self.assertEqual(result.returncode, USAGE, result.stderr)
        self.assertIn("pipe", result.stderr)
        pipe.unlink()
        target, link = self.path / "target.json", self.path / "link.json"
        target.write_text("old")
        target.chmod(0o640)
        link.symlink_to(target)
        result = run("himeno", "--size", "XS", "--quiet", *QUICK, "--json", str(link))
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertTrue(link.is_symlink())
        self.assertEqual(json.loads(target.read_text())["verdict"], "verified")
        self.assertEqual(target.stat().st_mode & 0o777, 0o640)
        target.unlink()
        link.unlink()
        self.refused("himeno", "--device", "cpu", "--quiet", "--json", "", saying=["empty"])

    def test_json_is_not_where_the_output_goes(self):
        """The result would take the place of all that was printed."""
        printed = self.path / "out.json"
        for name in (str(printed), "/dev/stdout"):
            with self.subTest(name=name), printed.open("w") as file:
                result = subprocess.run([BINARY, "himeno", "--size", "XS", *QUICK, "--json", name], stdout=file,
                                        stderr=subprocess.PIPE, text=True, timeout=HANGING, check=False)
                self.assertEqual(result.returncode, USAGE, result.stderr)
                self.assertIn(f"cannot write {name}: standard output or standard error goes there", result.stderr)
                self.assertEqual(printed.read_text(), "")

    def test_temporary_files_follow_no_link(self):
        """Who can write to the folder may foresee a name and put a link there."""
        target, victim = self.path / "out.json", self.path / "victim"
        victim.write_text("mine")

        def lay_a_trap():  # in the process that will be the program
            os.symlink("victim", f"{target}.part-{os.getpid()}")

        result = subprocess.run([BINARY, "himeno", "--size", "XS", "--json", str(target), "--quiet", *QUICK],
                                capture_output=True, text=True, timeout=HANGING, preexec_fn=lay_a_trap, check=False)
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertEqual(victim.read_text(), "mine")
        self.assertEqual(len(list(self.path.glob("*.part-*"))), 1)

    def test_a_link_whose_end_is_not_there_yet_is_followed(self):
        link = self.path / "link.json"
        link.symlink_to("end.json")
        result = run("himeno", "--size", "XS", "--json", str(link), "--quiet", *QUICK)
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertTrue(link.is_symlink())
        self.assertEqual(json.loads((self.path / "end.json").read_text())["workload"], "himeno")

    def test_interruption_leaves_no_partial_file(self):
        target = self.path / "out.json"
        process = subprocess.Popen(
            [BINARY, "himeno", "--device", "cpu", "--size", "S", "--target-seconds", str(2 * HANGING),
             "--progress", "0.1", "--json", str(target)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertTrue(any(" %" in line for line in process.stderr), "it measures")
        process.terminate()
        process.communicate(timeout=HANGING)
        self.assertEqual(list(self.path.iterdir()), [target])
        self.assertIs(json.loads(target.read_text())["complete"], False)

    def test_thresholds(self):
        for value in ("nan", "-5"):
            self.refused("himeno", "--device", "cpu", "--quiet", f"--min-percent={value}",
                         saying=["--min-percent"])

    def test_full_disk_is_a_failure_not_a_silent_loss(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            result = subprocess.run([BINARY, "himeno", "--size", "XS", "--quiet", *QUICK],
                                    stdout=full, stderr=subprocess.PIPE, text=True, timeout=HANGING)
        self.assertEqual(result.returncode, FAILURE, result.stderr)

    def test_conflicting_flags(self):
        self.refused("himeno", "--iterations", "5", "--official", saying=["--iterations"])
        self.refused("himeno", "--iterations", "5", "--target-seconds", "5",
                     saying=["--iterations"])

    def test_numbers_out_of_range(self):
        for flag, value in (("--iterations", "0"), ("--iterations", "-3"), ("--repeat", "0"),
                            ("--target-seconds", "-1"), ("--target-seconds", "0"),
                            ("--target-seconds", "nan"), ("--warmup", "-1"), ("--threads", "-2"),
                            ("--threads", "100000"), ("--iterations", "many"),
                            ("--iterations", "99999999999999999999")):
            with self.subTest(flag=flag, value=value):
                self.refused("himeno", "--device", "cpu", "--quiet", f"{flag}={value}",
                             saying=[flag])

    def test_a_team_that_openmp_would_shrink(self):
        self.refused("himeno", "--device", "cpu", "--quiet", "--threads", "4",
                     environment={"OMP_THREAD_LIMIT": "2"}, saying=["2 instead of 4"])
        self.refused("probe", "bandwidth", "--device", "cpu", "--quiet", "--threads", "2",
                     environment={"OMP_MAX_ACTIVE_LEVELS": "0"}, saying=["1 instead of 2"])
        result = run("himeno", "--size", "XS", "--threads", "4", "--schedule", "all", "--quiet",
                     *QUICK, environment={"OMP_DYNAMIC": "true"})
        self.assertEqual(result.returncode, OK, result.stderr)

    def recorded(self, *arguments, environment=None):
        """The JSON of a short run with these options, and what it said on standard error."""
        path = self.path / "himeno.json"
        result = run("himeno", "--size", "XS", "--json", str(path), *QUICK, *arguments, environment=environment)
        self.assertEqual(result.returncode, OK, result.stderr)
        return json.loads(path.read_text()), result.stderr

    def binding_of(self, *arguments, environment=None):
        document, _ = self.recorded(*arguments, environment=environment)
        return document["context"]["ranks"]["thread_binding"]["value"]

    def test_threads_are_bound_unless_something_else_does(self):
        cores = len(os.sched_getaffinity(0))
        if cores < 2:
            self.skipTest("one processor leaves nothing to choose")
        self.assertIn(f"{cores} threads, 1 ", self.binding_of("--threads", str(cores)))
        self.assertEqual(self.binding_of("--threads", str(cores), "--pin", "none"), "no: --pin none")
        self.assertEqual(self.binding_of("--threads", "1"), "no: a single thread may use any core")
        self.assertIn("1 thread, 1 core each", self.binding_of("--threads", "1", "--pin", "cores"))
        self.assertIn("no: more threads", self.binding_of("--threads", str(cores + 1)))
        self.assertEqual(self.binding_of("--threads", "1", environment={"OMP_PROC_BIND": "false"}),
                         "no: OMP_PROC_BIND is set")

    def test_a_team_of_the_free_cores(self):
        document, said = self.recorded("--threads", "free")
        chosen = re.search(r"--threads free chose (\d+) of (\d+) cores; others keep \d+\.\d busy", said)
        self.assertIsNotNone(chosen, said)
        self.assertTrue(1 <= int(chosen[1]) <= int(chosen[2]), said)
        self.assertEqual(document["problem"]["threads"]["value"], int(chosen[1]))
        self.assertEqual(document["context"]["options"]["threads"]["value"], "free")

    def test_names(self):
        self.refused("himeno", "--device", "cpu", "--schedule", "fast", saying=["fast", "tuned"])
        self.refused("himeno", "--device", "cpu", "--precision", "fp16", saying=["fp16", "fp32"])

    def test_environment_is_checked_too(self):
        self.refused("himeno", "--device", "cpu", environment={"BANKFULL_SIZE": "0x1x2"},
                     saying=["0x1x2"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
