#!/usr/bin/env python3
"""Runs the bad inputs of a table through the real binary: each must be refused as the table says.

Usage: bad_inputs.py BANKFULL_BINARY FOLDER_OF_CASES TABLE (GROUP | --table [COMMAND ...])

With --table the table itself is checked; the commands are those of other projects, of which it has no rows. The table says at its beginning how it is written.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import typing

from script_arguments import HANGING

FEWEST_ROWS = 400

# A case on a small grid; `@layer{OLD}{NEW}` is this one with one piece replaced.
LAYER = """\
[domain]
upper = [2, 1, 1]
cells = [16, 8, 8]

[physics]
rayleigh = 1e4
prandtl = 0.71
scaling = "free-fall"

[boundaries]
x = "periodic"
y = "periodic"
z.lower = { velocity = "no-slip", temperature = 0.5 }
z.upper = { velocity = "no-slip", temperature = -0.5 }

[initial]
temperature = "0.5 - z"
noise = 1e-2

[time]
cfl = 0.3
steps = 4
"""

ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}


class Row(typing.NamedTuple):
    line: int
    group: str
    code: int
    command: str
    message: str


def read_table(path):
    """All rows of a table. What is no row stops the test."""
    rows, group = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        heading = re.fullmatch(r"\[(\w+)\]", line)
        fields = line.split(" | ")
        if heading:
            group = heading[1]
        elif line and not line.startswith("#"):
            if group is None or len(fields) != 3 or not fields[0].isdigit() or not fields[2]:
                raise SystemExit(f"{path.name}:{number}: this is no row 'code | command | part of the message'")
            rows.append(Row(number, group, int(fields[0]), fields[1], fields[2]))
    return rows


def unescaped(text):
    def letter(found):
        if found[1].startswith("x"):
            return bytes([int(found[1][1:], 16)]).decode("utf-8", "surrogateescape")
        return ESCAPES.get(found[1], found[1])
    return re.sub(r"\\(x[0-9a-fA-F]{2}|.)", letter, text, flags=re.DOTALL)


def words_of(command):
    """The words of a command, quoted as a shell has it."""
    quoted = r"""\$'((?:[^'\\]|\\.)*)'|'([^']*)'|"([^"]*)"|([^\s'"$]+|\$)"""
    words = []
    for word in re.finditer(rf"(?:{quoted})+", command):
        text = ""
        for escaped, single, double, plain in re.findall(quoted, word[0]):
            text += unescaped(escaped) or single or double or plain
        words.append(re.sub(r"<<(.+?)\*(\d+)>>", lambda found: found[1] * int(found[2]), text, flags=re.DOTALL))
    return words


def prepared(word, folder):
    """The word as the program gets it, once the file that it stands for is written."""
    layer = re.fullmatch(r"@layer\{(.*)\}\{(.*)\}", word, re.DOTALL)
    file = re.fullmatch(r"@([\w.]+)=(.*)", word, re.DOTALL)
    if layer and layer[1] not in LAYER:
        raise SystemExit(f"the layer has no {layer[1]!r}")
    if not layer and not file:
        return word
    name, text = ("layer.toml", LAYER.replace(layer[1], layer[2], 1)) if layer else (file[1], file[2])
    (folder / name).write_bytes(os.fsencode(text))
    return name


def run_row(row, binary, cases):
    """The process of a row, and the files that it left behind."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
    environment = {**clean, "BANKFULL_CASES": cases, "BANKFULL_DEVICE": "cpu"}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words = [prepared(word, folder) for word in words_of(row.command)]
        while words and re.match(r"[A-Z_]+=", words[0]):
            variable, value = words.pop(0).split("=", 1)
            environment[variable] = value
        before = sorted(folder.rglob("*"))
        process = subprocess.run([binary, *words], cwd=folder, env=environment, capture_output=True, text=True,
                                 errors="backslashreplace", timeout=HANGING)
        return process, [str(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path not in before]


def fault_of(row, binary, cases):
    """What is wrong with the answer to a row; empty: nothing."""
    process, left = run_row(row, binary, cases)
    lines = process.stderr.splitlines()
    if process.returncode != row.code:
        return f"exit code {process.returncode}, not {row.code}: {process.stderr[:300]}{process.stdout[:300]}"
    if len(lines) != 1 or not lines[0].startswith("bankfull: "):
        return f"stderr is not one line of ours: {process.stderr[:300]!r}"
    if row.message not in lines[0]:
        return f"no {row.message!r} in: {lines[0][:300]}"
    if process.stdout:
        return f"stdout has {process.stdout[:300]!r}"
    return f"it left {left}" if left else ""


def faults_of_table(rows, binary, others):
    """What is wrong with the table itself."""
    faults = []
    seen = {}
    for row in rows:
        if row.command in seen:
            faults.append(f"line {row.line}: the command stands in line {seen[row.command]}, too")
        seen[row.command] = row.line
    if len(rows) < FEWEST_ROWS:
        faults.append(f"{len(rows)} rows are fewer than {FEWEST_ROWS}")
    help_text = subprocess.run([binary, "--help"], capture_output=True, text=True, timeout=HANGING, check=True).stdout
    commands = re.findall(r"(?m)^  (\w+) ", help_text[help_text.index("Subcommands:"):help_text.index("Examples:")])
    missing = set(commands) - set(others) - {row.group for row in rows}
    if missing or not commands:
        faults.append(f"no rows of {sorted(missing)}")
    return faults


def main(binary, cases, table, group, *others):
    rows = read_table(pathlib.Path(table))
    binary, cases = os.path.realpath(binary), os.path.realpath(cases)
    if group == "--table":
        faults = faults_of_table(rows, binary, others)
    else:
        rows = [row for row in rows if row.group == group]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = pool.map(lambda row: (row, fault_of(row, binary, cases)), rows)
            faults = [f"line {row.line}: bankfull {row.command[:200]}\n  {fault}" for row, fault in answers if fault]
    print("\n".join(faults) if faults else f"{len(rows)} rows are as the table says")
    return 1 if faults or not rows else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
