#!/usr/bin/env python3
"""Manual pages and completion in shells, from the real binary: what --help shows is in them, and shells and formatters take them.

Usage: manual_test.py BANKFULL_BINARY CASES [-- arguments of unittest]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
CASES = os.path.realpath(OWN_ARGUMENTS[1])


def run(*command, **options):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
    environment = {**clean, "BANKFULL_CASES": CASES, **options.pop("environment", {})}
    return subprocess.run(command, capture_output=True, text=True, timeout=HANGING, env=environment, **options)


def output_of(*arguments):
    process = run(BINARY, *arguments)
    assert process.returncode == 0 and not process.stderr, process.stderr
    return process.stdout


def options_in(help_text):
    """The names that begin the lines of options, "-h" and "--help"."""
    lines = re.findall(r"(?m)^  (-\S+)", help_text)
    return [name for line in lines for name in line.split(",")]


def subcommands_in(help_text):
    found = re.search(r"(?ms)^Subcommands:\n(.*?)(?:\n\n|\Z)", help_text)
    return re.findall(r"(?m)^  (\w+) ", found[1]) if found else []


def all_commands(words=()):
    """Pairs of a command's words and its help, for it and those below it."""
    text = output_of(*words, "--help")
    below = [pair for name in subcommands_in(text) for pair in all_commands((*words, name))]
    return [(words, text), *below]


def plain(page):
    """The text of a page without what roff escapes."""
    return re.sub(r"\\f[BIR]", "", page).replace(r"\-", "-")


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = all_commands()
        assert len(cls.commands) > 18

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def shell(self, name):
        path = shutil.which(name)
        if path is None:
            self.skipTest(f"there is no {name}")
        return path


class Pages(Manual):
    def test_every_option_of_the_help_is_in_the_page(self):
        for words, text in self.commands:
            page = plain(output_of("man", *words))
            options = page[page.index(".SH OPTIONS"):]
            for name in options_in(text):
                self.assertRegex(options, rf"(?m)^(-\w, )?{name}( |,|$)", (words, name))
            for variable in re.findall(r"Env:(\w+)", text):
                self.assertIn(f"Environment: {variable}.", options)
            for command in subcommands_in(text):
                self.assertIn("-".join(["bankfull", *words, command]) + "(1)", page)

    def test_defaults_choices_and_examples_are_in_the_page(self):
        page = plain(output_of("man", "himeno"))
        self.assertIn("\nNames: XS, S, M, L, XL.\nDefault: M.\nEnvironment: BANKFULL_SIZE.\n", page)
        self.assertIn("\nNot with --iterations, --official.\n", page)
        self.assertRegex(page, r"(?s)\.SH EXAMPLES\n\.nf\n.*\n  bankfull himeno --size XL --official     the official.*\.fi\n")
        self.assertRegex(page, r"\.SH SEE ALSO\nbankfull\(1\)\n$")
        self.assertIn(".SH EXIT STATUS\n.nf\nExit codes: 0 no regression", plain(output_of("man", "compare")))

    def test_a_folder_gets_the_page_of_every_command(self):
        target = self.folder / "share" / "man1"
        self.assertEqual(output_of("man", "--output", str(target)), "")
        self.assertEqual({path.name for path in target.iterdir()},
                         {"-".join(["bankfull", *words]) + ".1" for words, _ in self.commands})
        for words, _ in self.commands:
            self.assertEqual((target / ("-".join(["bankfull", *words]) + ".1")).read_text(), output_of("man", *words))

    def warnings(self, *command):
        """What a formatter has to say of all pages, one line each."""
        self.shell(command[0])
        output_of("man", "--output", str(self.folder))
        pages = sorted(str(page) for page in self.folder.iterdir())
        self.assertEqual(len(pages), len(self.commands))
        processes = [run(*command, page) for page in pages]
        return [line for process in processes for line in (process.stdout + process.stderr).splitlines()]

    def test_groff_has_no_warning(self):
        self.assertEqual(self.warnings("groff", "-man", "-ww", "-z"), [])

    def test_mandoc_has_no_warning(self):
        """But that a page has no date."""
        self.assertEqual([line for line in self.warnings("mandoc", "-T", "lint", "-W", "warning") if "missing date" not in line], [])


BASH = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_bankfull
printf '%s\\n' "${COMPREPLY[@]}"
"""

CHOICES = ((["himeno", "--size", ""], {"XS", "S", "M", "L", "XL"}),
           (["himeno", "--size", "=", "X"], {"XS", "XL"}),
           (["himeno", "--size", "="], {"XS", "S", "M", "L", "XL"}),
           (["himeno", "--schedule", "tuned,f"], {"tuned,fused"}),
           (["scaling", ""], {"himeno", "convect", "-h", "--help"}),
           (["scaling", "himeno", "--precision", ""], {"fp32", "fp64"}),
           (["himeno", "--quiet", "--over"], {"--overlap"}),
           (["himeno", "--repeat", ""], set()),
           (["npb", "c"], {"cg"}),
           (["npb", "cg", "--class", ""], {"S", "W", "A", "B", "C", "D", "E"}),
           (["hpcg", "--variant", "cu"], {"cusparse-coloured", "cusparse-csr"}),
           (["completion", ""], {"bash", "zsh", "fish", "-h", "--help"}),
           (["reproduce", "h"], {"himeno-2010", "himeno-2008", "hpcg-2014"}),
           (["himeno", "--transport", ""], {"auto", "peer", "nccl", "mpi-device", "mpi"}),
           (["report", "re"], {"results", "result.json"}),
           (["himeno", "--json", "res"], {"results", "result.json"}),
           (["compare", "--threshold", "re"], set()),
           (["himeno", "--ceiling", ""], {"auto", "always", "none", "results", "result.json", "b.sh"}))


class Completion(Manual):
    def bash(self, *words):
        script = self.folder / "b.sh"
        script.write_text(output_of("completion", "bash"))
        process = run("bash", "--norc", "-c", BASH, "bash", str(script), "bankfull", *words, cwd=self.folder)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        return process.stdout.split()

    def test_bash_completes(self):
        (self.folder / "results").mkdir()
        (self.folder / "result.json").touch()
        for words, expected in CHOICES:
            with self.subTest(words=words):
                answers = self.bash(*words)
                self.assertEqual(sorted(answers), sorted(expected))

    def test_bash_completes_ready_cases(self):
        names = {path.stem for path in pathlib.Path(CASES).glob("*.toml")}
        self.assertGreater(len(names), 10)
        for words in (["convect"], ["scaling", "convect"]):
            self.assertLessEqual(names, set(self.bash(*words, "")))

    def test_bash_completes_every_command_and_option_of_the_help(self):
        for words, text in self.commands:
            answers = self.bash(*words, "")
            self.assertLessEqual({*options_in(text), *subcommands_in(text)}, set(answers), words)

    def test_names_that_shells_would_run_are_not_offered(self):
        (self.folder / "$(touch ran).toml").touch()
        (self.folder / "good.toml").touch()
        for shell in ("bash", "zsh", "fish"):
            script = run(BINARY, "completion", shell, environment={"BANKFULL_CASES": str(self.folder)}).stdout
            self.assertIn("good", script)
            self.assertNotIn("touch ran", script)

    def test_bash_takes_the_script(self):
        process = run("bash", "-n", input=output_of("completion", "bash"))
        self.assertEqual((process.returncode, process.stderr), (0, ""))

    def test_zsh_takes_the_script(self):
        zsh = self.shell("zsh")
        script = self.folder / "_bankfull"
        script.write_text(output_of("completion", "zsh"))
        checked = run(zsh, "-f", "-n", str(script))
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        loaded = run(zsh, "-f", "-c", "autoload -Uz compinit && compinit -D -u && source $1 && print $_comps[bankfull]", "zsh",
                     str(script), environment={"HOME": str(self.folder)})
        self.assertEqual((loaded.stdout, loaded.stderr), ("_bankfull\n", ""))

    def test_fish_completes(self):
        fish = self.shell("fish")
        script = self.folder / "bankfull.fish"
        script.write_text(output_of("completion", "fish"))
        for line, expected in (("himeno --size ", {"XS", "S", "M", "L", "XL"}), ("npb cg --class ", set("SWABCDE")),
                               ("scaling ", {"himeno", "convect"}), ("himeno --over", {"--overlap"}),
                               ("scaling himeno --precision ", {"fp32", "fp64"}), ("himeno --repeat ", set())):
            with self.subTest(line=line):
                process = run(fish, "--no-config", "-c", f"source {script}; complete -C 'bankfull {line}'", cwd=self.folder,
                              environment={"HOME": str(self.folder)})
                self.assertEqual(process.stderr, "")
                self.assertEqual({answer.split("\t")[0] for answer in process.stdout.splitlines()}, expected)


class Choices(Manual):
    def test_names_are_those_that_the_program_asks_for(self):
        """The refusal of a name says which there are, from the tables that options are parsed by."""
        compared = 0
        for words, _ in self.commands:
            page = plain(output_of("man", *words))
            for name, choices in re.findall(r"(?m)^(--[\w-]+) .*\n(?:.*\n)?(?:Required.\n)?Names: (.*)\.$", page):
                others = {("npb",): ["cg"], ("decompose",): ["--cells", "8x8x8", "--ranks", "4"]}.get(words, [])
                refusal = run(BINARY, *words, *others, name, "none-such").stderr
                listed = re.search(r"(?:use|did you mean) ([\w-]+(?:(?:, | or )[\w-]+)+)$", refusal.strip())
                if listed:
                    compared += 1
                    self.assertEqual(set(re.split(", | or ", listed[1])) | {"all"}, set(choices.split(", ")) | {"all"}, (words, name))
        self.assertGreater(compared, 12)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
