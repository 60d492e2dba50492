#!/usr/bin/env python3
"""Tests of scripts/release and tools/make_sbom, in a small repository with stand-ins for the checks of licences and recipes."""

import hashlib
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-12-01\n\n### Added\n\n- All of it.\n"
CITATION = "cff-version: 1.2.0\nversion: 1.2.3\ndate-released: 2026-12-01\n"
TABLES = """# Third-party parts

## In this repository

| file | what | version | licence | from |
|---|---|---|---|---|
| [fonts/a.ttf](fonts/a.ttf) | a font | 2.37 | Bitstream-Vera | https://example.org/font |

## In the program

| package | version | licence | in the program | found as | from |
|---|---|---|---|---|---|
| Maths | 1.2 | MIT | headers; optional | Maths | https://example.org/maths |
| Files | - | Zlib | shared library; static: linked statically | Files | https://example.org/files |
| CUDA runtime | 12.4 | LicenseRef-NVIDIA-CUDA-EULA | linked statically | CUDA | https://example.org/cuda |
"""
FINE = "#!/usr/bin/env python3\n"
FAILING = FINE + "raise SystemExit('AssertionError: LICENSES/MIT.txt is missing')\n"
# Leaves a package as scripts/package does.
PACKAGES = "#!/bin/sh\nmkdir -p build/package/packages && echo one >build/package/packages/bankfull_1.2.3_amd64.deb\n"


def environment():
    """Without what git and a developer's settings would change."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    people = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", "2026-12-01T10:00:00+0200"))}
    return {**clean, **people, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}


def sbom_module():
    loader = importlib.machinery.SourceFileLoader("make_sbom", str(ROOT / "tools" / "make_sbom"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_sbom", loader))
    loader.exec_module(module)
    return module


def faults_of_sbom(document):
    """What SPDX 2.3 asks of the parts that we write; the schema of SPDX asks less."""
    for key, value in (("spdxVersion", "SPDX-2.3"), ("dataLicense", "CC0-1.0"), ("SPDXID", "SPDXRef-DOCUMENT")):
        if document.get(key) != value:
            yield f"{key} is {document.get(key)}"
    if not re.fullmatch(r"https://[^#\s]+", document["documentNamespace"]):
        yield "documentNamespace is no address"
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"]):
        yield "created is no time"
    if not all(re.match(r"(Tool|Organization|Person): ", creator) for creator in document["creationInfo"]["creators"]):
        yield "a creator has no kind"
    known = ["SPDXRef-DOCUMENT", *(package["SPDXID"] for package in document["packages"])]
    if len(set(known)) < len(known):
        yield "identifiers are not unique"
    extracted = {one["licenseId"] for one in document["hasExtractedLicensingInfos"] if one["extractedText"]}
    for package in document["packages"]:
        if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]):
            yield f"{package['SPDXID']} is no identifier"
        for key in ("name", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText"):
            if not package.get(key):
                yield f"{package['name']} has no {key}"
        if not re.fullmatch(r"NOASSERTION|https?://\S+", package["downloadLocation"]):
            yield f"{package['name']}: {package['downloadLocation']} is no address"
        for reference in re.findall(r"LicenseRef-[\w.-]+", package["licenseDeclared"]):
            if reference not in extracted:
                yield f"{reference} has no text"
    related = {one[key] for one in document["relationships"] for key in ("spdxElementId", "relatedSpdxElement")}
    if related != set(known):
        yield f"relationships are not those of the packages: {related ^ set(known)}"


class Repository(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "bankfull"
        for name in ("scripts/release", "scripts/lib.sh", "tools/make_sbom"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        self.write("CMakeLists.txt", "project(bankfull VERSION 1.2.3 LANGUAGES CXX\n        DESCRIPTION x)\n")
        self.write("CHANGELOG.md", CHANGELOG)
        self.write("CITATION.cff", CITATION)
        self.write("THIRD-PARTY.md", TABLES)
        self.write("cmake/archived-revision.txt", "$Format:%H$\n")
        self.write(".gitattributes", (ROOT / ".gitattributes").read_text())
        self.write(".gitignore", "/build*/\n__pycache__/\n")
        self.write("tests/tools/licences_test.py", FINE)
        self.write("tests/tools/packaging_test.py", FINE)
        self.git("init", "-q", "-b", "main")
        self.commit()
        self.git("tag", "v1.2.3")

    def write(self, name, text, mode=0o644):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)
        (self.root / name).chmod(mode)

    def git(self, *arguments):
        return subprocess.run(["git", *arguments], cwd=self.root, env=environment(), check=True, capture_output=True, text=True).stdout.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def release(self, *arguments, cwd=None):
        return subprocess.run([self.root / "scripts" / "release", *arguments], cwd=cwd or self.root, env=environment(), capture_output=True, text=True, check=False)

    def good(self, *arguments):
        done = self.release(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refuses(self, words, *arguments, faults=1):
        done = self.release(*(arguments or ("--check",)))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(words, done.stderr)
        self.assertFalse((self.root / "build" / "release").exists())
        if faults:
            self.assertIn(f"error: not released: {faults} of the checks failed\n", done.stderr)

    def changed(self, name, text, tag=True):
        """Commits it, and moves the tag there."""
        self.write(name, text)
        self.commit()
        if tag:
            self.git("tag", "-f", "v1.2.3")


class Refusals(Repository):
    def test_changes_that_are_not_committed(self):
        self.write("CITATION.cff", CITATION + "# x\n")
        self.refuses("the work tree differs from its commit: commit, or remove:  M CITATION.cff")
        self.git("checkout", "CITATION.cff")
        self.write("new.cpp", "")
        self.refuses("?? new.cpp")
        self.refuses("?? new.cpp", "--snapshot")

    def test_versions_that_differ(self):
        self.changed("CITATION.cff", CITATION.replace("1.2.3", "1.2.2"))
        self.refuses("CITATION.cff has version '1.2.2', CMakeLists.txt 1.2.3")
        self.refuses("CITATION.cff has version '1.2.2', CMakeLists.txt 1.2.3", "--snapshot", "--check")

    def test_a_version_that_is_none(self):
        self.changed("CMakeLists.txt", "project(bankfull VERSION 1.2 LANGUAGES CXX)\n")
        self.refuses("is not like 1.2.3: '1.2'", faults=3)

    def test_the_changelog(self):
        self.changed("CHANGELOG.md", CHANGELOG.replace("[1.2.3]", "[1.2.2]"))
        self.refuses("no section '## [1.2.3] - YYYY-MM-DD'")
        self.changed("CHANGELOG.md", CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n\n### Added\n\n- More.\n"))
        self.refuses("has lines in [Unreleased]")
        self.changed("CHANGELOG.md", CHANGELOG.replace("2026-12-01", "soon"))
        self.refuses("not like 2026-12-01: 'soon'", faults=2)
        self.changed("CHANGELOG.md", CHANGELOG.replace("2026-12-01", "2026-12-02"))
        self.refuses("CITATION.cff has date-released '2026-12-01', CHANGELOG.md 2026-12-02")

    def test_tags(self):
        self.changed("more.txt", "", tag=False)
        self.refuses("the tag v1.2.3 is at another commit")
        self.git("tag", "-d", "v1.2.3")
        self.good("--check")
        self.good("--dry-run")
        self.refuses("there is no tag v1.2.3 at this commit", "--output", "build/release")

    def test_licences_and_recipes(self):
        self.changed("tests/tools/licences_test.py", FAILING)
        self.refuses("licences (tests/tools/licences_test.py): AssertionError: LICENSES/MIT.txt is missing")
        self.changed("tests/tools/packaging_test.py", FAILING)
        self.refuses("recipes (tests/tools/packaging_test.py): AssertionError", faults=2)

    def test_all_faults_are_named(self):
        self.changed("CITATION.cff", "version: 1\n")
        self.write("new.cpp", "")
        self.refuses("?? new.cpp", faults=3)

    def test_folders_that_exist_and_bad_arguments(self):
        (self.root / "build" / "other").mkdir(parents=True)
        self.refuses("build/other exists", "--output", "build/other")
        self.refuses("unknown argument '--force'", "--force", faults=0)
        self.refuses("--output takes a folder", "--output", faults=0)
        self.refuses("--output takes a folder", "--output", "--check", faults=0)

    def test_what_is_no_clone(self):
        shutil.rmtree(self.root / ".git")
        self.refuses("this is no clone", faults=0)
        subprocess.run(["git", "init", "-q", "."], cwd=self.root.parent, env=environment(), check=True)
        subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "x"], cwd=self.root.parent, env=environment(), check=True)
        self.refuses("this is no clone", faults=0)


class Files(Repository):
    def test_checks_and_dry_runs_write_nothing(self):
        self.assertIn("bankfull-1.2.3 can be released\n", self.good("--check"))
        self.assertIn("Would write build/release/bankfull-1.2.3.tar.gz, bankfull-1.2.3.spdx.json and SHA256SUMS\n", self.good("--dry-run"))
        self.assertFalse((self.root / "build").exists())

    def test_a_release(self):
        self.good()
        made = self.root / "build" / "release"
        self.assertEqual(sorted(file.name for file in made.iterdir()), ["SHA256SUMS", "bankfull-1.2.3.spdx.json", "bankfull-1.2.3.tar.gz"])
        subprocess.run(["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"], cwd=made, check=True)
        self.assertEqual(len((made / "SHA256SUMS").read_text().splitlines()), 2)
        with tarfile.open(made / "bankfull-1.2.3.tar.gz") as archive:
            names = {member.name for member in archive if member.isfile()}
            self.assertEqual(names, {f"bankfull-1.2.3/{name}" for name in self.git("ls-files").splitlines()})
            self.assertEqual(archive.extractfile("bankfull-1.2.3/cmake/archived-revision.txt").read().decode(), self.git("rev-parse", "HEAD") + "\n")
        document = json.loads((made / "bankfull-1.2.3.spdx.json").read_text())
        self.assertEqual(list(faults_of_sbom(document)), [])
        self.assertEqual(document["creationInfo"]["created"], "2026-12-01T08:00:00Z")
        self.assertEqual(document["packages"][0]["checksums"][0]["checksumValue"], hashlib.sha256((made / "bankfull-1.2.3.tar.gz").read_bytes()).hexdigest())

    def test_the_same_commit_gives_the_same_bytes(self):
        self.good("--output", "build/one")
        self.git("clone", "-q", ".", "../other")
        subprocess.run(["git", "config", "tar.umask", "077"], cwd=self.root.parent / "other", check=True)
        os.utime(self.root / "CMakeLists.txt", (1e9, 1e9))
        other = subprocess.run(["scripts/release"], cwd=self.root.parent / "other", env=environment(), capture_output=True, text=True, check=False)
        self.assertEqual(other.returncode, 0, other.stderr)
        self.assertEqual((self.root / "build/one/SHA256SUMS").read_text(), (self.root.parent / "other/build/release/SHA256SUMS").read_text())

    def test_packages(self):
        self.write("scripts/package", PACKAGES, mode=0o755)
        self.commit()
        self.git("tag", "-f", "v1.2.3")
        self.assertIn("spdx.json, packages and SHA256SUMS\n", self.good("--dry-run"))
        self.good("--output", "build/without", "--no-packages")
        self.assertNotIn(".deb", (self.root / "build/without/SHA256SUMS").read_text())
        stale = self.root / "build/package-cuda/packages/bankfull-cuda_1.2.2_amd64.deb"
        stale.parent.mkdir(parents=True)
        stale.write_text("of an earlier commit")
        self.assertIn("  bankfull_1.2.3_amd64.deb\n", self.good())
        self.assertFalse((self.root / "build/release" / stale.name).exists())

    def test_what_fails_leaves_nothing(self):
        self.write("scripts/package", "#!/bin/sh\nexit 7\n", mode=0o755)
        self.commit()
        self.git("tag", "-f", "v1.2.3")
        done = self.release()
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(list((self.root / "build").iterdir()), [])

    def test_the_folder_is_relative_to_where_the_user_stands(self):
        done = self.release("--output", "here", cwd=self.root.parent)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.root.parent / "here" / "SHA256SUMS").is_file())

    def test_a_snapshot(self):
        self.changed("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n- New.\n", tag=False)
        self.assertIn(f"  bankfull-1.2.3-{self.git('rev-parse', '--short=12', 'HEAD')}.tar.gz\n", self.good("--snapshot"))


class Sbom(unittest.TestCase):
    def test_relationships(self):
        document = sbom_module().document(TABLES, "1.2.3", "abc", "2026-12-01T08:00:00Z", None)
        self.assertEqual(list(faults_of_sbom(document)), [])
        self.assertEqual([(one["relatedSpdxElement"], one["relationshipType"]) for one in document["relationships"][1:]],
                         [("SPDXRef-fonts-a.ttf", "CONTAINS"), ("SPDXRef-Maths", "DEPENDS_ON"), ("SPDXRef-Files", "DYNAMIC_LINK"), ("SPDXRef-CUDA-runtime", "STATIC_LINK")])
        self.assertEqual(document["packages"][2]["comment"], "1.2 or newer; headers; optional")
        self.assertEqual(document["packages"][3]["comment"], "shared library; static: linked statically")

    def test_rows_that_lack_a_cell(self):
        with self.assertRaisesRegex(SystemExit, "a row of 6 cells has 5: Maths"):
            sbom_module().document(TABLES.replace(" | Maths | https", " | https"), "1.2.3", "abc", "2026-12-01T08:00:00Z", None)

    def test_faults_are_found(self):
        made = sbom_module()
        good = made.document(TABLES, "1.2.3", "abc", "2026-12-01T08:00:00Z", None)
        for change in (lambda one: one.pop("spdxVersion"), lambda one: one["packages"].pop(), lambda one: one["hasExtractedLicensingInfos"].clear(),
                       lambda one: one["packages"][1].update(SPDXID="SPDXRef-Maths"), lambda one: one["packages"][1].update(downloadLocation="there")):
            document = json.loads(json.dumps(good))
            change(document)
            self.assertNotEqual(list(faults_of_sbom(document)), [])

    def test_the_parts_of_this_repository(self):
        document = sbom_module().document((ROOT / "THIRD-PARTY.md").read_text(), "0.1.0", "abc", "2026-12-01T08:00:00Z", None)
        self.assertEqual(list(faults_of_sbom(document)), [])
        names = {package["name"] for package in document["packages"]}
        self.assertTrue({"bankfull", "fmt", "HDF5", "CUDA runtime"} <= names, names)


class Versions(unittest.TestCase):
    def test_those_of_this_repository(self):
        version = re.search(r"project\(bankfull VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text())
        newest = re.search(r"^## \[(\d\S*)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
        if newest:
            self.assertLessEqual([int(part) for part in newest.group(1).split(".")], [int(part) for part in version.split(".")])


if __name__ == "__main__":
    unittest.main()
