#!/usr/bin/env python3
"""The descriptions of examples/acceptance for the tools with which centres run benchmarks (JUBE, Ramble, Benchpark, ReFrame): their
commands are accepted, and their patterns and keys are found in what the program prints and writes.

Usage: benchmark_tools_test.py BANKFULL_BINARY EXAMPLES DOCS [-- arguments of unittest]
"""

import importlib
import importlib.util
import itertools
import json
import os
import pathlib
import re
import string
import subprocess
import sys
import tempfile
import types
import unittest
import xml.etree.ElementTree

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
EXAMPLES, DOCS = (pathlib.Path(argument).resolve() for argument in OWN_ARGUMENTS[1:])
HERE = EXAMPLES / "acceptance"
STAND_IN = pathlib.Path(__file__).resolve().parent / "stand_in"
# Not every machine has energy counters; these keys are looked up in the page that describes the lines.
ENERGY = {"joules", "watts", "gflops_per_watt"}
TINY = ("himeno --size XS --target-seconds 0.1", "npb mg --class S", "npb is --class S", "hpcg --local 16x16x16 --quick-path",
        "probe bandwidth --operation copy --precision fp64 --quick --repeat 1")


def bankfull(*arguments, cwd=None):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BANKFULL")}
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=HANGING, cwd=cwd,
                          env={**environment, "BANKFULL_DEVICE": "cpu", "BANKFULL_THREADS": "1"})


class Described(unittest.TestCase):
    def lines_of(self, commands):
        """What the program prints for these commands."""
        with tempfile.TemporaryDirectory() as folder:  # for the reports of HPCG
            results = [bankfull(*command.split(), "--quiet", cwd=folder) for command in commands]
        for result in results:
            self.assertEqual(result.returncode, 0, result.stderr)
        return [line for result in results for line in result.stdout.splitlines()]

    def is_accepted(self, command):
        """With sizes that no test can run. Memory that this machine lacks is no fault of the command."""
        result = bankfull(*command.split(), "--quiet", "--dry-run")
        self.assertIn(result.returncode, (0, 1), f"{command}: {result.stderr}")
        if result.returncode == 1:
            self.assertIn("free", result.stderr)

    def is_documented(self, key):
        self.assertIn(f"`{key}`", (DOCS / "output.md").read_text())


class Jube(Described):
    FILE = HERE / "jube" / "bankfull.xml"
    NUMBER = r"([+-]?(?:\d*\.?\d+(?:[eE][-+]?\d+)?|\d+\.))"

    def setUp(self):
        self.benchmark = xml.etree.ElementTree.parse(self.FILE).getroot().find("benchmark")

    def arguments(self, tag):
        """The commands by workload."""
        text, = [parameter.text for parameter in self.benchmark.iter("parameter") if parameter.get("tag") == tag]
        workloads, = [parameter.text.split(",") for parameter in self.benchmark.iter("parameter") if parameter.get("name") == "workload"]
        return [eval(text.strip().replace("${workload}", workload)) for workload in workloads]  # as JUBE does

    def patterns(self):
        return {pattern.get("name"): re.compile(pattern.text.replace("${jube_pat_fp}", self.NUMBER), re.MULTILINE) for pattern in self.benchmark.iter("pattern")}

    def test_commands(self):
        for command in self.arguments("!tiny"):
            self.is_accepted(command)
        step, = self.benchmark.iter("do")
        defined = {parameter.get("name") for parameter in self.benchmark.iter("parameter")}
        self.assertEqual(set(re.findall(r"\$\{(\w+)\}", step.text)) - defined, set())

    def test_patterns(self):
        found = {}
        for command in self.arguments("tiny"):
            output = "\n".join(self.lines_of([command]))
            for name, pattern in self.patterns().items():
                match = pattern.search(output)
                if match:
                    found.setdefault(name, []).append(match.group(1))
        for missing in set(self.patterns()) - set(found):
            self.assertIn(missing, ENERGY)
            self.is_documented(missing)
        self.assertEqual(len(found["seconds"]), 8)
        self.assertEqual(set(found["verdict"]), {"verified"})
        self.assertTrue(all(0 < float(percent) < 200 for percent in found["percent"]), found)

    def test_columns(self):
        known = {parameter.get("name") for parameter in self.benchmark.iter("parameter")} | set(self.patterns())
        columns = [column.text for column in self.benchmark.iter("column")]
        self.assertEqual(set(columns) - known, set())
        self.assertEqual(set(self.patterns()) - set(columns), set())


class Application:
    """Stands in for the base class of Ramble's applications."""


class Ramble(Described):
    FOLDER = HERE / "ramble"

    def setUp(self):
        self.directives = []
        kit = types.ModuleType("ramble.appkit")
        kit.ExecutableApplication = Application
        names = ("tags", "software_spec", "executable", "workload", "workload_variable", "figure_of_merit", "figure_of_merit_context", "success_criteria")
        vars(kit).update({name: lambda *arguments, directive=name, **options: self.directives.append((directive, arguments, options)) for name in names})
        modules = {"ramble": types.ModuleType("ramble"), "ramble.appkit": kit}
        sys.modules.update(modules)
        self.addCleanup(lambda: [sys.modules.pop(name) for name in modules])
        specification = importlib.util.spec_from_file_location("application", self.FOLDER / "applications" / "bankfull" / "application.py")
        specification.loader.exec_module(importlib.util.module_from_spec(specification))

    def all_of(self, directive):
        return [(arguments, options) for name, arguments, options in self.directives if name == directive]

    def variables(self, workload):
        return {arguments[0]: options["default"] for arguments, options in self.all_of("workload_variable") if workload in options["workloads"]}

    def test_commands(self):
        executables = {arguments[0]: arguments[1] for arguments, _ in self.all_of("executable")}
        self.assertEqual(len(executables), 4)
        for (workload,), options in self.all_of("workload"):
            name, = options["executables"]
            values = {**self.variables(workload), "experiment_run_dir": tempfile.gettempdir()}
            words = {field for _, field, _, _ in string.Formatter().parse(executables[name]) if field}
            self.assertEqual(words - set(values), set())
            program, *command = executables[name].format(**values).split()
            self.assertEqual(program, "bankfull")
            self.is_accepted(" ".join(word for word in command if word != "--quiet"))

    def test_figures_of_merit(self):
        lines = self.lines_of(TINY)
        (_, context), = self.all_of("figure_of_merit_context")
        names = [re.match(context["regex"], line) for line in lines]
        self.assertTrue(all(names), lines)
        self.assertIn("npb kernel=mg class=S schedule=tuned device=cpu ranks=1 transport=local threads=1", [name.group("measurement") for name in names])
        self.assertEqual(len({name.group("measurement") for name in names}), len(lines))
        for (key,), options in self.all_of("figure_of_merit"):
            if key in ENERGY:
                self.is_documented(key)
            else:
                values = [match.group(options["group_name"]) for line in lines if (match := re.search(options["fom_regex"], line))]
                self.assertTrue(values, key)
                if options["units"]:
                    self.assertTrue(all(float(value) >= 0 for value in values), values)

    def test_success(self):
        criteria = [options for _, options in self.all_of("success_criteria")]
        good, = [re.compile(one["match"]) for one in criteria if "match" in one]
        bad, = [re.compile(one["anti_match"]) for one in criteria if "anti_match" in one]
        line, = self.lines_of(["npb mg --class S"])
        self.assertTrue(good.search(line))
        self.assertFalse(bad.search(line))
        wrong = bankfull("himeno", "--size", "XS", "--iterations", "5", "--perturb-operator", "0.1", "--quiet")
        self.assertEqual(wrong.returncode, 3, wrong.stderr)
        self.assertFalse(good.search(wrong.stdout.strip()))
        self.assertTrue(bad.search(wrong.stdout.strip()))

    @unittest.skipIf(importlib.util.find_spec("yaml") is None, "no module for YAML")
    def test_the_workspace(self):
        import yaml
        self.assertIn("namespace", yaml.safe_load((self.FOLDER / "repo.yaml").read_text())["repo"])
        ramble = yaml.safe_load((self.FOLDER / "ramble.yaml").read_text())["ramble"]
        workloads = ramble["applications"]["bankfull"]["workloads"]
        self.assertEqual(set(workloads), {arguments[0] for arguments, _ in self.all_of("workload")})
        for workload, described in workloads.items():
            for experiment in described["experiments"].values():
                self.assertEqual(set(experiment["variables"]) - set(self.variables(workload)), set())
                values = {name: value if isinstance(value, list) else [value] for name, value in experiment["variables"].items()}
                for chosen in itertools.product(*values.values()):
                    self.is_accepted(self.command(workload, dict(zip(values, chosen))))

    def command(self, workload, chosen):
        executable, = [arguments[1] for arguments, _ in self.all_of("executable") if arguments[0] == f"run_{workload}"]
        words = executable.format(**{**self.variables(workload), "experiment_run_dir": tempfile.gettempdir(), **chosen}).split()
        return " ".join(word for word in words[1:] if word != "--quiet")


class Benchpark(unittest.TestCase):
    """Only the shape: Benchpark itself concretises its experiments with Spack."""

    def test_each_workload_is_one_of_the_application(self):
        class Experiment:
            name = "bankfull"

            def __init__(self, choice):
                self.spec = types.SimpleNamespace(satisfies=lambda text: text in choice)
                self.variables, self.packages = {}, {}

            def add_experiment_variable(self, name, value, _named):
                self.variables[name] = value

            def set_required_variables(self, **required):
                self.required = required

            def add_package_spec(self, name, specs):
                self.packages[name] = specs

            def determine_version(self):
                return "@main"

        variants = {}
        modules = {"benchpark": {}, "benchpark.directives": {"variant": lambda name, **options: variants.update({name: options})},
                   "benchpark.experiment": {"Experiment": Experiment},
                   "benchpark.programming_model": {"ProgrammingModel": lambda *models: object, "ProgrammingModelType": types.SimpleNamespace(Mpionly="mpi", Cuda="cuda")}}
        for name, members in modules.items():
            sys.modules[name] = types.ModuleType(name)
            vars(sys.modules[name]).update(members)
            self.addCleanup(sys.modules.pop, name)
        specification = importlib.util.spec_from_file_location("experiment", HERE / "benchpark" / "experiments" / "bankfull" / "experiment.py")
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        application = (HERE / "ramble" / "applications" / "bankfull" / "application.py").read_text()
        for workload in variants["workload"]["values"]:
            self.assertIn(f'("{workload}", "', application)
            experiment = module.Bankfull({f"workload={workload}", "+cuda"})
            experiment.compute_applications_section()
            experiment.compute_package_section()
            self.assertEqual(experiment.variables["n_gpus"], 1)
            self.assertEqual(experiment.packages, {"bankfull": ["bankfull@main +mpi"]})


class ReframeByAStandIn(unittest.TestCase):
    FOLDER = HERE / "reframe"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "bin").mkdir()
        os.symlink(BINARY, self.path / "bin" / "bankfull")
        self.environment = {"PATH": f"{self.path}/bin:{os.environ['PATH']}", "BANKFULL_DEVICE": "cpu", "BANKFULL_THREADS": "1"}
        for name in [name for name in sys.modules if name.split(".")[0] in ("reframe", "bankfull_check")]:
            del sys.modules[name]
        for place in (STAND_IN, self.FOLDER):
            sys.path.insert(0, str(place))
            self.addCleanup(sys.path.remove, str(place))
        self.reframe = importlib.import_module("reframe")
        specification = importlib.util.spec_from_file_location("bankfull_workloads", self.FOLDER / "bankfull_workloads.py")
        self.module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(self.module)

    def run_check(self, workload, command, **variables):
        path = os.environ["PATH"]
        os.environ["PATH"] = self.environment["PATH"]  # where the stand-in's run looks for the program
        try:
            return self.reframe.run(self.module.BankfullWorkload, self.path, self.environment, workload=workload, command=command, **variables)
        finally:
            os.environ["PATH"] = path

    def test_commands(self):
        for workload, command in self.module.PROBLEMS.items():
            self.assertTrue(command.startswith(workload.split("_")[0]))
            Described.is_accepted(self, command)
        self.assertEqual(self.module.BankfullWorkload.workload, sorted(self.module.PROBLEMS))

    def test_rates_of_each_workload(self):
        for command, keys in zip(TINY, (["himeno_XS_fp32_tuned"], ["npb_mg_S"], ["npb_is_S"], ["hpcg_16x16x16_tuned"], ["probe_copy_fp64", "probe_copy_fp64_streaming_stores"])):
            values = self.run_check(command.split()[0], command)
            self.assertEqual([key for key in values if not key.endswith(("_bandwidth", "_of_bankfull", "_power"))], keys)
            self.assertTrue(all(value > 0 for value in values.values()), values)

    def test_keys_and_rates_are_those_of_baselines(self):
        """By a recorded result, of which the program makes a baseline."""
        values = {}
        recorded = [EXAMPLES.parent / "results" / f"{name}.json" for name in ("h200-probe", "h200-himeno-l-fp32", "h200-npb-c")]
        for file in recorded:
            values.update(self.module.values_of(json.loads(file.read_text())))
        made = bankfull("baseline", "make", *map(str, recorded), "--output", "mine.json", cwd=self.path)
        self.assertEqual(made.returncode, 0, made.stderr)
        entries = json.loads((self.path / "mine.json").read_text())["entries"]
        self.assertGreater(len(entries), 20)
        for entry in entries:
            value, unit = values[self.module.key_of(entry["gauge"])]
            self.assertAlmostEqual(value / entry["median"], 1.0, places=9)
            self.assertEqual(unit, entry["unit"])

    def test_references(self):
        def baseline(rate):
            (self.path / "mine.json").write_text(json.dumps({"entries": [{"gauge": "npb mg S", "unit": "Gop/s", "median": rate, "spread": 0.0}]}))
            return str(self.path / "mine.json")

        self.run_check("npb_mg", "npb mg --class S", baseline=baseline(1e-6))
        with self.assertRaisesRegex(self.reframe.PerformanceError, "npb_mg_S"):
            self.run_check("npb_mg", "npb mg --class S", baseline=baseline(1e9))

    def test_sanity(self):
        with self.assertRaisesRegex(self.reframe.SanityError, "left no result"):
            self.run_check("himeno", "himeno --size QQ")
        with self.assertRaisesRegex(self.reframe.SanityError, "the verdict is: failed"):
            self.run_check("himeno", "himeno --size XS --iterations 5 --perturb-operator 0.1")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
