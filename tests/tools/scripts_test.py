#!/usr/bin/env python3
"""The scripts say how they are used, and refuse what they do not know before they install, build or remove anything."""

import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "scripts").iterdir() if path.suffix != ".sh") + [".ci/run"]
# They pass options that they do not know on to another program.
PASS_ON = {"scripts/demo", "scripts/format", "scripts/test"}


def called(script, *arguments):
    return subprocess.run([ROOT / script, *arguments], capture_output=True, text=True, check=False, timeout=60)


class Scripts(unittest.TestCase):
    def refuses(self, words, script, *arguments):
        with self.subTest(script=script, arguments=arguments):
            done = called(script, *arguments)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertRegex(done.stderr, r"\Aerror: [^\n]+\n\Z")
            self.assertIn(words, done.stderr)

    def test_help(self):
        self.assertGreater(len(SCRIPTS), 10)
        for script in SCRIPTS:
            with self.subTest(script=script):
                done = called(script, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(f"  {script}", done.stdout)

    def test_unknown_options(self):
        self.assertEqual(PASS_ON - set(SCRIPTS), set())
        for script in SCRIPTS:
            if script not in PASS_ON:
                self.refuses("--nonsense", script, "--nonsense")

    def test_more_options_than_there_are(self):
        for script, option in (("scripts/package", "--cuda"), ("scripts/docs", "--check"), (".ci/run", "--full")):
            self.refuses("one option at most", script, option, "--nonsense")
        self.refuses("unknown argument 'on'", "scripts/portable", "--cpu-only", "on")

    def test_packages_are_tried_in_no_folder_of_somebody(self):
        with tempfile.TemporaryDirectory() as folder:
            self.refuses("not made by this script", "scripts/test-package", folder)
            self.refuses("one folder", "scripts/test-package", f"{folder}/one", f"{folder}/two")
            self.assertEqual(list(Path(folder).iterdir()), [])
        self.refuses("not made by this script", "scripts/test-package", "/")
        self.refuses("which folder?", "scripts/test-package", "--ubuntu")


if __name__ == "__main__":
    unittest.main()
