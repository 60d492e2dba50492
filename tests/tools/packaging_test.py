#!/usr/bin/env python3
"""The recipes of packaging/ can be read, name options and packages that there are, and agree with the project's version.

The tools themselves (Spack, EasyBuild, Docker, Apptainer) are not needed: what their recipes call is recorded by stand-ins. See
packaging/README.md for what was tried with the real ones.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
EASYCONFIGS = sorted((PACKAGING / "easybuild").glob("*.eb"))
PACKAGE = PACKAGING / "spack" / "spack_repo" / "bankfull" / "packages" / "bankfull" / "package.py"
CONTAINER = PACKAGING / "container"

OPTION = re.compile(r"(?:-D|\b)(BANKFULL_[A-Z_]+)\b")
# What each build needs, by the names of THIRD-PARTY.md; none of these is optional.
REQUIRED = {"cli11", "nlohmannjson", "toml", "fmt", "muparser", "libpng"}


def plain(name):
    """One name of a package for all recipes: nlohmann-json, nlohmann_json; toml++, tomlplusplus."""
    return re.sub(r"[^a-z0-9]", "", name.lower().removesuffix("plusplus"))


def project_version():
    return re.search(r"project\(bankfull VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def options():
    """Those that cmake/BankfullOptions.cmake offers."""
    return set(re.findall(r"^(?:set|option)\((BANKFULL_\w+)", (ROOT / "cmake" / "BankfullOptions.cmake").read_text(), re.MULTILINE))


def version_tuple(text):
    return tuple(int(part) for part in re.findall(r"\d+", text))


def oldest_versions():
    """By package, as THIRD-PARTY.md has them; those for which the build asks."""
    rows = [line.strip("| ").split(" | ") for line in (ROOT / "THIRD-PARTY.md").read_text().splitlines() if line.startswith("| ")]
    versions = {plain(row[0]): row[1] for row in rows if len(row) == 6 and re.fullmatch(r"[0-9.]+", row[1])}
    cmake = re.search(r"cmake_minimum_required\(VERSION ([0-9.]+)\)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    return {**versions, "cuda": versions["cudaruntime"], "cmake": cmake}


class Recipes(unittest.TestCase):
    def test_options(self):
        for path in (file for file in PACKAGING.rglob("*") if file.is_file() and file.suffix != ".pyc"):
            self.assertEqual(set(OPTION.findall(path.read_text())) - options(), set(), path)

    def test_the_page_names_each_recipe(self):
        page = (PACKAGING / "README.md").read_text()
        for path in (PACKAGE, PACKAGING / "collect-licences", *EASYCONFIGS, *CONTAINER.iterdir(), PACKAGING / "nix" / "default.nix"):
            self.assertIn(f"`{path.name}`", page)


class Spack(unittest.TestCase):
    def setUp(self):
        self.directives = []
        package = types.ModuleType("spack.package")
        for name in ("license", "version", "variant", "depends_on", "requires", "conflicts", "generator"):
            vars(package)[name] = lambda *arguments, directive=name, **choices: self.directives.append((directive, arguments, choices))

        class CMakePackage:
            @staticmethod
            def define(name, value):
                return (name, value)

            @staticmethod
            def define_from_variant(name, variant):
                return (name, variant)

        class CudaPackage:
            pass

        modules = {"spack": {}, "spack.package": vars(package), "spack_repo": {}, "spack_repo.builtin": {}, "spack_repo.builtin.build_systems": {},
                   "spack_repo.builtin.build_systems.cmake": {"CMakePackage": CMakePackage}, "spack_repo.builtin.build_systems.cuda": {"CudaPackage": CudaPackage}}
        for name, members in modules.items():
            sys.modules[name] = types.ModuleType(name)
            vars(sys.modules[name]).update({key: value for key, value in members.items() if not key.startswith("__")})
            self.addCleanup(sys.modules.pop, name)
        specification = importlib.util.spec_from_file_location("package", PACKAGE)
        self.module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(self.module)

    def all_of(self, directive):
        return [(arguments, choices) for name, arguments, choices in self.directives if name == directive]

    def test_dependencies(self):
        specs = [arguments[0] for arguments, _ in self.all_of("depends_on")]
        names = {plain(re.match(r"[\w-]+", spec).group()): spec for spec in specs}
        self.assertEqual(REQUIRED - set(names), set())
        for name, oldest in oldest_versions().items():
            if name in names:
                asked = re.search(r"@([0-9.]+)", names[name]).group(1)
                self.assertEqual(version_tuple(asked)[:2], version_tuple(oldest)[:2], names[name])

    def test_variants(self):
        variants = {arguments[0] for arguments, _ in self.all_of("variant")} | {"cuda", "cuda_arch"}
        for _, choices in self.directives_with_conditions():
            self.assertIn(re.match(r"\+(\w+)", choices["when"]).group(1), variants)
        package = self.module.Bankfull()
        package.spec = types.SimpleNamespace(satisfies=lambda text: text == "+cuda", variants={"cuda_arch": types.SimpleNamespace(value=("90",))})
        arguments = dict(package.cmake_args())
        self.assertEqual({name for name in arguments if name.startswith("BANKFULL_")} - options(), set())
        for name in variants - {"cuda_arch"}:
            self.assertEqual(arguments[f"BANKFULL_{name.upper()}"], name)
        self.assertEqual(arguments["CMAKE_CUDA_ARCHITECTURES"], ("90",))

    def directives_with_conditions(self):
        return [(arguments, choices) for _, arguments, choices in self.directives if "when" in choices]

    def test_the_repository(self):
        text = (PACKAGE.parents[2] / "repo.yaml").read_text()
        self.assertIn(f"namespace: {PACKAGE.parents[2].name}\n", text)


class EasyBuild(unittest.TestCase):
    def read(self, path):
        values = {"SOURCELOWER_TAR_GZ": "%(namelower)s-%(version)s.tar.gz", "SYSTEM": {"name": "system", "version": "system"}}
        exec(compile(path.read_text(), path, "exec"), values)  # as EasyBuild does
        return values

    def test_each(self):
        self.assertEqual(len(EASYCONFIGS), 2)
        for path in EASYCONFIGS:
            values = self.read(path)
            self.assertEqual(values["version"], project_version())
            suffix = values.get("versionsuffix", "").replace("%(cudaver)s", dict(entry[:2] for entry in values["dependencies"]).get("CUDA", ""))
            toolchain = values["toolchain"]
            self.assertEqual(path.name, f"{values['name']}-{values['version']}-{toolchain['name']}-{toolchain['version']}{suffix}.eb")
            versions = {plain(entry[0]): entry[1] for entry in values["builddependencies"] + values["dependencies"]}
            self.assertEqual(REQUIRED - set(versions), set())
            for name, oldest in oldest_versions().items():
                if name in versions:
                    self.assertGreaterEqual(version_tuple(versions[name]), version_tuple(oldest), name)
            self.assertEqual(f"-DBANKFULL_CUDA={'ON' if suffix else 'OFF'}" in values["configopts"].split(), True)
            self.assertEqual(values["sanity_check_paths"]["files"], ["bin/bankfull"])

    def test_both_differ_by_cuda_alone(self):
        first, second = ([line for line in path.read_text().splitlines() if not re.search(r"CUDA|NCCL|^# ", line)] for path in EASYCONFIGS)
        self.assertEqual(first, second)


class Containers(unittest.TestCase):
    def test_the_shell_scripts(self):
        for script in (CONTAINER / "build", PACKAGING / "collect-licences"):
            for shell in ("sh", "bash"):
                self.assertEqual(subprocess.run([shell, "-n", script], capture_output=True, check=False).stderr, b"")
            self.assertTrue(script.stat().st_mode & 0o100)

    def test_the_dockerfile(self):
        text = re.sub(r"\\\n", " ", (CONTAINER / "Dockerfile").read_text())
        lines = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
        known = {"ARG", "FROM", "COPY", "WORKDIR", "RUN", "ENV", "ENTRYPOINT", "CMD"}
        self.assertEqual({word for word, _ in lines} - known, set())
        arguments = {rest.split("=")[0] for word, rest in lines if word == "ARG"} | {"PATH"}
        used = {name for _, rest in lines for name in re.findall(r"\$\{?(\w+)", rest)}
        self.assertEqual(used - arguments, set())
        stages = {rest.split(" AS ")[1] for word, rest in lines if word == "FROM" and " AS " in rest}
        self.assertEqual({stage for _, rest in lines for stage in re.findall(r"--from=(\w+)", rest)}, stages)
        self.scripts_are_there(text)

    def test_the_definition(self):
        text = (CONTAINER / "bankfull.def").read_text()
        body = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
        given = "".join(re.findall(r"^%arguments\n((?:  .*\n)+)", body, re.MULTILINE))
        self.assertEqual(set(re.findall(r"\{\{ (\w+) \}\}", body)), set(re.findall(r"^  (\w+)=", given, re.MULTILINE)))
        self.assertEqual(set(re.findall(r"^%(\w+)", body, re.MULTILINE)), {"arguments", "files", "post", "environment", "runscript"})
        self.assertIn(f"ARCHIVE=bankfull-{project_version()}.tar.gz\n", body)
        self.scripts_are_there(body)

    def scripts_are_there(self, text):
        scripts = set(re.findall(r"\b(?:scripts|packaging/container)/[\w-]+", text)) - {"packaging/container/Dockerfile"}
        self.assertEqual(scripts, {"scripts/install-deps", "packaging/container/build"})

    def test_both_agree(self):
        docker, apptainer, build = ((CONTAINER / name).read_text() for name in ("Dockerfile", "bankfull.def", "build"))
        for default in ("debian:12-slim", "80-real;90-real;90-virtual", "x86-64-v3", "nvidia/cuda:12.6.3-devel-ubuntu24.04", "libgomp1 openmpi-bin"):
            self.assertIn(default, docker)
            self.assertIn(default, apptainer)
        self.assertEqual(set(re.findall(r"\$\{(\w+):-", build)), {"CUDA", "ARCH", "GPUS"})


class DebianVersions(unittest.TestCase):
    """cmake/PackageVersion.cmake, of clones and of source archives."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "sources"
        (self.root / "cmake").mkdir(parents=True)
        self.write("CHANGELOG.md", "## [Unreleased]\n\n## [1.2.0] - 2026-12-01\n")
        self.write("cmake/archived-revision.txt", "$Format:%H$\n")

    def write(self, name, text):
        (self.root / name).write_text(text)

    def git(self, *arguments):
        who = {f"GIT_{role}_{what}": "a" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        date = {"GIT_AUTHOR_DATE": "2026-12-01T10:00:00+0000", "GIT_COMMITTER_DATE": "2026-12-02T10:00:00+0000"}
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment = {**clean, **who, **date, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        return subprocess.run(["git", *arguments], cwd=self.root, env=environment, check=True, capture_output=True, text=True).stdout.strip()

    def version(self, version, revision):
        """And the time."""
        self.write("print.cmake", f'include("{ROOT}/cmake/PackageVersion.cmake")\nbankfull_package_version("{self.root}" {version} {revision})\n'
                   'message("${bankfull_package_version} ${bankfull_package_epoch}")\n')
        done = subprocess.run(["cmake", "-P", self.root / "print.cmake"], capture_output=True, text=True, check=True)
        return done.stderr.strip()

    def test_clones(self):
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "First")
        revision = self.git("describe", "--always", "--abbrev=12")
        self.assertEqual(self.version("1.2.0", revision), f"1.2.0+git20261202.{revision[:9]} 1796205600")
        self.assertEqual(self.version("1.3.0", f"{revision}-dirty"), f"1.3.0~git20261202.{revision[:9]}.dirty 1796205600")
        self.assertEqual(self.version("1.3.0", f"v1.2.0-7-g{revision}"), f"1.3.0~git20261202.{revision[:9]} 1796205600")
        self.git("tag", "v1.2.0")
        self.assertEqual(self.version("1.2.0", "v1.2.0"), "1.2.0 1796205600")
        self.assertEqual(self.version("1.2.0", "v1.2.0-dirty"), f"1.2.0+git20261202.{revision[:9]}.dirty 1796205600")

    def test_archives(self):
        os.utime(self.root / "cmake" / "archived-revision.txt", (1796205600, 1796205600))  # the commit's
        self.assertEqual(self.version("1.2.0", "0123456789ab"), "1.2.0 1796205600")
        self.assertEqual(self.version("1.3.0", "0123456789ab"), "1.3.0~git20261202.012345678 1796205600")
        self.assertEqual(self.version("1.3.0", "unknown"), "1.3.0")


class Nix(unittest.TestCase):
    FILE = PACKAGING / "nix" / "default.nix"

    def test_dependencies_and_version(self):
        text = self.FILE.read_text()
        self.assertIn(f'version = "{project_version()}";', text)
        self.assertEqual(REQUIRED - {plain(name) for name in re.search(r"buildInputs = with pkgs; \[([^]]+)\];\s+#", text).group(1).split()}, set())

    @unittest.skipIf(shutil.which("nix-instantiate") is None, "no Nix")
    def test_syntax(self):
        done = subprocess.run(["nix-instantiate", "--parse", self.FILE], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
