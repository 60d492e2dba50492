#!/usr/bin/env python3
"""The commands on the pages are right: each block of shell commands is executed with the program's long runs replaced by dry runs, and the tutorials as they stand.

Usage: doc_commands_test.py BANKFULL_BINARY [-- arguments of unittest]

A block that cannot be executed has a comment before it that says why: <!-- not run: needs a queue -->. Its shell syntax and the calls of bankfull in it are checked all the same. Blocks are those
marked sh, bash or console, and unmarked ones with lines that begin with `$ `, of which only these lines count.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "app")]
from pages import CODE, pages, prose  # noqa: E402

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS  # noqa: E402

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
STAND_IN = ROOT / "tests" / "tools" / "doc_commands"
FENCE = re.compile(r"^(?P<indent> *)(?P<fence>```+)(?P<language>\w*)[ \t]*\n(?P<text>.*?)^(?P=indent)(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
PLACEHOLDER = re.compile(r"[A-Z]{3,}|<.*|\[.*|\.\.\.|[A-Z]{3,}[/=].*")  # FILE, <name>, [options], ...
REASON = re.compile(r"<!-- not run: (\S[^>]*?) -->\s*$")
# What blocks may call besides bankfull: small tools, and what the folder of stand-ins has. Anything else needs a reason.
TOOLS = {"[", "cat", "cp", "cut", "date", "do", "done", "echo", "else", "export", "fi", "for", "grep", "head", "if", "ls", "mkdir", "rm", "sed", "sort", "tail", "then", "touch", "uniq", "until", "while"}


class Block:
    def __init__(self, page, line, text, commands, reason):
        self.where = f"{page}:{line}"
        self.page, self.text, self.commands, self.reason = page, text, commands, reason
        self.is_followed = str(page).startswith("docs/tutorials/")  # by the class Tutorials, as a whole


def commands_of(language, text):
    """What a reader types in a block; empty where it shows no commands."""
    if language in ("sh", "bash"):
        return text
    if language in ("console", ""):
        return "".join(line[2:] + "\n" for line in text.splitlines() if line.startswith("$ "))
    return ""


def blocks_of(page, text):
    """The blocks of commands of a page."""
    for match in FENCE.finditer(text):
        commands = commands_of(match["language"], textwrap.dedent(match["text"]))
        if commands:
            reason = REASON.search(text[: match.start()])
            yield Block(page, text.count("\n", 0, match.start()) + 1, text, commands, reason[1] if reason else None)


def all_blocks():
    return [block for page in pages(ROOT) if page.name != "CHANGELOG.md" and ".github" not in page.parts for block in blocks_of(page.relative_to(ROOT), page.read_text())]


def unknown_tools(commands):
    """Names of commands in a block that are neither bankfull nor harmless nor stood in for."""
    commands = re.sub(r"\d?>&\d", "", commands.replace("\\\n", " "))
    plain = re.sub(r"#.*", "", re.sub(r"'[^']*'|\"[^\"]*\"|\$\([^()]*\)", "_", commands))
    found = set()
    for part in re.split(r"[\n;|&]+|\bdo\b|\bthen\b|\buntil\b|\bif\b", plain):
        words = [word for word in part.split() if "=" not in word.split("/")[0]]
        if words and not words[0].startswith(("$", "<", ">")):
            found.add(words[0])
    return {name for name in found if name not in TOOLS and not (STAND_IN / name).exists()}


def calls_of(commands):
    """Calls of bankfull in commands that are not executed, as lists of arguments."""
    for line in re.sub(r"\d?>&\d", "", commands.replace("\\\n", " ")).splitlines():
        for match in re.finditer(r"(?<![\w/.$-])(?<!--target )(?<!-w )bankfull (?!\()([^;|&#>)]*)", line):
            try:
                arguments = shlex.split(match[1].strip().rstrip("\"'`"))
            except ValueError:
                continue
            if arguments and not any("$" in argument or PLACEHOLDER.fullmatch(argument) for argument in arguments):
                yield arguments


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        for name in ("results", "cases", "examples", "docs", "baselines", "scripts", "tools", "bench"):
            (self.path / name).symlink_to(ROOT / name)

    def environment(self, *first_in_path):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
        path = ":".join([*map(str, first_in_path), os.environ["PATH"]])
        return {**clean, "PATH": path, "DOC_COMMANDS_BINARY": BINARY, "DOC_COMMANDS_ROOT": str(ROOT), "BANKFULL_DEVICE": "cpu", "BANKFULL_CASES": str(ROOT / "cases")}

    def bash(self, commands, environment, *options):
        return subprocess.run(["bash", *options, "-o", "pipefail", "-c", commands], capture_output=True, text=True, cwd=self.path, env=environment, timeout=HANGING)


class Pages(Commands):
    maxDiff = None

    def check_executed(self, block):
        unknown = unknown_tools(block.commands)
        if unknown:
            return [f"{block.where}: calls {', '.join(sorted(unknown))}: precede the block by <!-- not run: the reason -->"]
        result = self.bash(block.commands, self.environment(STAND_IN), "-e")
        return [f"{block.where}: exit code {result.returncode}: {result.stderr.strip()[-300:]}"] if result.returncode else []

    def check_not_executed(self, block):
        syntax = self.bash(block.commands, self.environment(STAND_IN), "-n")
        if syntax.returncode:
            yield f"{block.where}: {syntax.stderr.strip()}"
        for arguments in calls_of(block.commands):
            refusal = self.refusal(arguments)
            if refusal and refusal[:45] not in block.text:  # a page may show what is refused
                yield f"{block.where}: bankfull {' '.join(arguments)}: {refusal}"

    def refusal(self, arguments):
        """What the program says to arguments that it does not take; empty if it takes them."""
        result = subprocess.run([STAND_IN / "bankfull", *arguments], capture_output=True, text=True, cwd=self.path, env=self.environment(STAND_IN), timeout=HANGING)
        return (result.stderr.strip().splitlines() or ["no message"])[-1] if result.returncode else ""

    def problems(self, blocks):
        return [problem for block in blocks for problem in (self.check_not_executed(block) if block.reason or block.is_followed else self.check_executed(block))]

    def blocks_below(self, *places):
        return [block for block in all_blocks() if str(block.page).startswith(places)]

    def test_of_docs_are_right(self):
        self.assertEqual("\n".join(self.problems(self.blocks_below("docs/"))), "")

    def test_of_other_folders_are_right(self):
        known = {block.where for block in self.blocks_below("docs/")}
        self.assertEqual("\n".join(self.problems([block for block in all_blocks() if block.where not in known])), "")

    def test_within_sentences_are_right(self):
        """Those with arguments; a name alone, as in `bankfull himeno`, stands for the command."""
        calls = {}
        for page in pages(ROOT):
            if page.name != "CHANGELOG.md" and ".github" not in page.parts:
                for number, line in prose(page.read_text()):
                    for span in CODE.finditer(line):
                        calls.update({tuple(arguments): f"{page.relative_to(ROOT)}:{number}" for arguments in calls_of(span[0].strip("`")) if len(arguments) > 1})
        self.assertGreater(len(calls), 30)
        refusals = {f"{where}: bankfull {' '.join(arguments)}": self.refusal(arguments) for arguments, where in sorted(calls.items())}
        incomplete = re.compile("is required|no case given|for a value|is given; add one of them")  # names a command or an option without what belongs to it
        self.assertEqual({call: refusal for call, refusal in refusals.items() if refusal and not incomplete.search(refusal)}, {})

    def test_are_found(self):
        self.assertGreater(len(all_blocks()), 80)

    def test_patches_apply(self):
        """Those of the tutorial on kernels, in their order, to the worked example."""
        (self.path / "my-workloads").mkdir()
        shutil.copytree(ROOT / "docs" / "worked-example" / "jacobi", self.path / "my-workloads" / "jacobi")
        patches = [match["text"] for match in FENCE.finditer((ROOT / "docs/tutorials/add-a-kernel.md").read_text()) if match["language"] == "diff"]
        self.assertGreaterEqual(len(patches), 3)
        for text in patches:
            result = subprocess.run(["git", "apply"], input=text, capture_output=True, text=True, cwd=self.path, check=False)
            self.assertEqual(result.returncode, 0, text + result.stdout + result.stderr)


class Tutorials(Commands):
    """Their commands with the program itself, in one shell from beginning to end."""

    def follow(self, name):
        page = pathlib.Path("docs/tutorials") / name
        text = (ROOT / page).read_text()
        commands = "\n".join(block.commands for block in blocks_of(page, text) if not block.reason)
        (self.path / "bin").mkdir()
        (self.path / "bin" / "bankfull").symlink_to(BINARY)
        (self.path / "bin" / "xdg-open").symlink_to(STAND_IN / "xdg-open")
        result = self.bash(commands, self.environment(self.path / "bin"), "-e", "-x")
        self.assertEqual(result.returncode, 0, result.stdout[-3000:] + result.stderr[-3000:])
        refused = "\nexit code 2\n"  # no more than the page shows, but pieces of a run that a fast machine ends in the first of them
        shown = text.count(refused) + result.stderr.count("the run has reached its end")
        self.assertLessEqual(result.stdout.count(refused), shown, result.stdout[-3000:] + result.stderr[-3000:])
        return result.stdout

    def test_first_run(self):
        text = self.follow("first-run.md")
        self.assertIn("verdict=verified", text)
        self.assertIn("\nexit code 4\n", text)
        self.assertTrue((self.path / "himeno.html").is_file())

    def test_accept_a_node(self):
        text = self.follow("accept-a-node.md")
        self.assertIn("RESULT accept", text)

    def test_first_convection_case(self):
        text = self.follow("first-convection-case.md")
        self.assertIn("did you mean 'rayleigh'?", text)
        self.assertTrue(json.loads((self.path / "first" / "run.json").read_text())["measurements"])

    def test_week_on_a_queue(self):
        info = subprocess.run([BINARY, "info"], capture_output=True, text=True, timeout=HANGING, check=True).stdout
        if not re.search(r"^ *hdf5 +\d", info, re.MULTILINE):
            self.skipTest("the program has no HDF5, and so no checkpoints")
        text = self.follow("week-on-a-queue.md")
        self.assertIn("the run has reached its end", text)


class Checks(Commands):
    """That the checks above find what they look for."""

    def problems(self, text):
        return [problem for block in blocks_of("page.md", text) for problem in Pages.problems(self, [block])]

    check_executed = Pages.check_executed
    check_not_executed = Pages.check_not_executed
    refusal = Pages.refusal

    def test_wrong_commands_are_found(self):
        for command in ("bankfull himeno --siez M", "bankfull himmeno", "bankfull himeno --size Q", "mpirun -n 2 bankfull npb cg --clas A", "for n in 1 2; do bankfull hpcg --locla $n; done",
                        "bankfull compare before.json", "bankfull info | grep nothing-like-this"):
            self.assertEqual(len(self.problems(f"```sh\n{command}\n```\n")), 1, command)
            self.assertEqual(len(self.problems(f"- list\n\n  ```console\n  $ {command}\n  output\n  ```\n")), 1, command)

    def test_right_commands_pass(self):
        for command in ("bankfull himeno --size M   # a comment", "mpirun -n 2 --bind-to none bankfull npb cg --class A", "bankfull himeno --json a.json && bankfull compare a.json a.json"):
            self.assertEqual(self.problems(f"```sh\n{command}\n```\n"), [])

    def test_other_programs_need_a_reason(self):
        self.assertEqual(len(self.problems("```sh\ncmake --preset default\n```\n")), 1)
        self.assertEqual(self.problems("<!-- not run: builds the program -->\n```sh\ncmake --preset default\n```\n"), [])

    def test_what_is_not_run_is_read(self):
        comment = "<!-- not run: needs a queue -->\n"
        self.assertEqual(self.problems(f"{comment}```sh\nsrun -N 2 bankfull himeno --size M\n```\n"), [])
        self.assertEqual(len(self.problems(f"{comment}```sh\nsrun -N 2 bankfull himeno --siez M\n```\n")), 1)
        self.assertEqual(len(self.problems(f"{comment}```sh\nfor x in\n```\n")), 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
