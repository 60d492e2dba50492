#!/usr/bin/env python3
"""Every file has a licence whose text is here (REUSE.toml), and THIRD-PARTY.md lists what is not ours and all that CMake looks for.

`reuse lint` of https://reuse.software checks more. Debian 12 has a version that does not know REUSE.toml yet.
"""

import os
import re
import subprocess
import tempfile
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OURS = "The bankfull authors"
# What each expression consists of, beside its operators.
IDENTIFIER = re.compile(r"[A-Za-z0-9.+-]+")
OPERATORS = {"AND", "OR", "WITH"}
COPYRIGHT = re.compile(rb"(?:Copyright|\xc2\xa9)[ ,:]+(?:\([cC]\)|\xc2\xa9)?\s*(?:19|20)\d\d[^\n]*")
FOUND = re.compile(r"find_package\((\w+)(?: ([0-9.]+))?")
# Packages that CMake looks for of which nothing becomes part of the program.
TOOLS = {"Git", "bankfull"}
# They are ours, and say what others wrote elsewhere.
LISTS_OF_NOTICES = "cmake/debian/copyright"


def git(root, *arguments):
    """Of this repository, even where a hook of another one runs this."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(["git", *arguments], cwd=root, env=environment, check=True, capture_output=True, text=True).stdout


def files_of(root):
    """The files of the repository, relative to it; licence texts need no licence of their own."""
    listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return [name for name in listed if name and (root / name).is_file() and not name.startswith("LICENSES/")
            and not re.match(r"LICEN[CS]E([-.].*)?$", Path(name).name)]


def pattern_of(path):
    """A path of REUSE.toml: ** is anything, * anything without a slash."""
    parts = {"**": ".*", "*": "[^/]*"}
    return re.compile("".join(parts.get(part, re.escape(part)) for part in re.split(r"(\*\*|\*)", path)) + r"\Z")


def paths_of(annotation):
    path = annotation["path"]
    return [path] if isinstance(path, str) else path


def annotation_of(name, annotations):
    """The last one that matches counts; None: there is none."""
    matching = [one for one in annotations if any(pattern_of(path).match(name) for path in paths_of(one))]
    return matching[-1] if matching else None


def is_ours(annotation):
    holder = annotation["SPDX-FileCopyrightText"]
    return annotation["SPDX-License-Identifier"] == "Apache-2.0" and isinstance(holder, str) and holder.endswith(OURS)


def identifiers_in(expression):
    return set(IDENTIFIER.findall(expression)) - OPERATORS


def rows_of(page, heading):
    """The cells of the table below a heading, without its head."""
    below = page.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    table = [line.strip("| ").split(" | ") for line in below.splitlines() if line.startswith("|")]
    return table[2:]


def faults_of(root):
    """What is wrong, in lines."""
    annotations = tomllib.loads((root / "REUSE.toml").read_text())["annotations"]
    page = (root / "THIRD-PARTY.md").read_text()
    names = files_of(root)
    texts = {path.stem for path in (root / "LICENSES").iterdir()}
    used = set()
    foreign = {}
    for name in names:
        annotation = annotation_of(name, annotations)
        if annotation is None:
            yield f"{name}: REUSE.toml names no licence"
            continue
        used |= identifiers_in(annotation["SPDX-License-Identifier"])
        if not is_ours(annotation):
            foreign[name] = annotation["SPDX-License-Identifier"]
            continue
        if name.startswith(LISTS_OF_NOTICES):
            continue
        for notice in COPYRIGHT.findall((root / name).read_bytes()):
            if OURS.encode() not in notice:
                yield f"{name}: REUSE.toml calls it ours, but it says: {notice.decode(errors='replace')}"
    for annotation in annotations:
        for path in paths_of(annotation):
            if not any(pattern_of(path).match(name) for name in names):
                yield f"REUSE.toml: no file matches {path}"
    for missing in sorted(used - texts):
        yield f"LICENSES/{missing}.txt is missing"
    for unused in sorted(texts - used):
        yield f"LICENSES/{unused}.txt: no file has this licence"
    listed = {re.match(r"\[(.+?)\]", row[0]).group(1): row[3] for row in rows_of(page, "In this repository")}
    if listed != foreign:
        yield f"THIRD-PARTY.md lists {sorted(listed.items() - foreign.items())}, REUSE.toml {sorted(foreign.items() - listed.items())}"
    found_as = {word for row in rows_of(page, "In the program") for word in row[4].split(", ")}
    sources = [root / "CMakeLists.txt", *(root / "cmake").glob("*.cmake")]
    sought = {found for source in sources for found in FOUND.findall(source.read_text()) if found[0] not in TOOLS}
    for package in sorted({name for name, _ in sought} - found_as):
        yield f"CMake looks for {package}, which THIRD-PARTY.md does not list as found"
    oldest = {word: row[1] for row in rows_of(page, "In the program") for word in row[4].split(", ")}
    for package, version in sorted(sought):
        if version and oldest.get(package, version) != version:
            yield f"CMake looks for {package} {version}, THIRD-PARTY.md has {oldest[package]}"


NOTICE = "Copy" + "right"  # in pieces, for this file has none of others
TOML = """version = 1
[[annotations]]
path = "**"
SPDX-FileCopyrightText = "2026 The bankfull authors"
SPDX-License-Identifier = "Apache-2.0"
[[annotations]]
path = ["vendor/*.js"]
SPDX-FileCopyrightText = "2020 Others"
SPDX-License-Identifier = "MIT OR 0BSD"
"""
PAGE = """# Parts
## In this repository
| file | what | version | licence | from |
|---|---|---|---|---|
| [vendor/a.js](vendor/a.js) | scripts | 1 | MIT OR 0BSD | there |
## In the program
| package | version | licence | in the program | found as | from |
|---|---|---|---|---|---|
| Maths | 1 | MIT | headers | Maths, maths | there |
"""


class Licences(unittest.TestCase):
    def faults(self, files):
        """Those of a repository with these files besides good ones."""
        good = {"REUSE.toml": TOML, "THIRD-PARTY.md": PAGE, "LICENSE": "", "LICENSES/Apache-2.0.txt": "", "LICENSES/MIT.txt": "",
                "LICENSES/0BSD.txt": "", "vendor/a.js": f"// {NOTICE} (c) 2020 Others\n", "CMakeLists.txt": "find_package(Maths 1)\n", "cmake/x.cmake": ""}
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {**good, **files}.items():
                if text is not None:
                    (root / name).parent.mkdir(parents=True, exist_ok=True)
                    (root / name).write_text(text)
            git(root, "init", "-q")
            return list(faults_of(root))

    def finds(self, files, *words):
        faults = self.faults(files)
        self.assertEqual(len(faults), 1, faults)
        for word in words:
            self.assertIn(word, faults[0])

    def test_good_ones(self):
        self.assertEqual(self.faults({"a.cpp": f"// {NOTICE} 2026 The bankfull authors\n"}), [])

    def test_files_without_a_licence(self):
        self.finds({"REUSE.toml": TOML.replace('"**"', '["*", "cmake/*"]'), "b/c.cpp": ""}, "b/c.cpp: REUSE.toml names no licence")

    def test_files_of_others(self):
        self.finds({"a.cpp": f"// (c)\n// {NOTICE} (C) 1999 Someone\n"}, "a.cpp", "1999 Someone")

    def test_texts(self):
        self.finds({"LICENSES/MIT.txt": None}, "LICENSES/MIT.txt is missing")
        self.finds({"LICENSES/Zlib.txt": ""}, "LICENSES/Zlib.txt: no file")

    def test_entries_without_files(self):
        self.finds({"REUSE.toml": TOML.replace('"vendor/*.js"', '"vendor/*.js", "gone/*.js"')}, "no file matches gone/*.js")

    def test_the_page(self):
        self.finds({"THIRD-PARTY.md": PAGE.replace("MIT OR 0BSD", "MIT")}, "THIRD-PARTY.md lists", "'vendor/a.js', 'MIT'")
        self.finds({"vendor/b.js": ""}, "REUSE.toml [('vendor/b.js'")

    def test_packages_of_cmake(self):
        self.finds({"cmake/x.cmake": "  find_package(Other REQUIRED)\n"}, "CMake looks for Other")
        self.finds({"cmake/x.cmake": "  find_package(Maths 2 REQUIRED)\n"}, "CMake looks for Maths 2, THIRD-PARTY.md has 1")

    def test_packages_name_who_wrote_what_is_not_ours(self):
        packages = (ROOT / "cmake/debian/copyright-program").read_text()
        for annotation in tomllib.loads((ROOT / "REUSE.toml").read_text())["annotations"]:
            holders = annotation["SPDX-FileCopyrightText"]
            for holder in [holders] if isinstance(holders, str) else holders:
                if not holder.endswith(OURS):
                    self.assertIn(holder, packages)

    def test_this_repository(self):
        if not (ROOT / ".git").exists():
            self.skipTest("these sources are no clone")
        self.assertEqual(list(faults_of(ROOT)), [])


if __name__ == "__main__":
    unittest.main()
