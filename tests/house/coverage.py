#!/usr/bin/env python3
"""docs/coverage.md says what is true: the documents' items, each with its file, test and command.

    coverage.py SOURCE_DIR BRICARD   fails on a number of a document that no line or two lines have, on a file, a test, a command, an
                                     option or a name of a method that is not there, on a command that is refused; says how many items
                                     are missing

A line is `| item | what | file | test | command |`; `missing` for a file says that Bricard does not have the item. An item with words
after its number, such as `(58) as printed`, is one more item beside the number's own.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

NUMBERED = {  # of each section of the page: equations, then tables, figures, algorithms, problems, examples
    "Pennestri and Valentini": (range(1, 91), "", ["Table 1", "Table 2", "Figure 1", "Figure 2"]),
    "de Falco, Pennestri and Vita": (range(1, 31), "", [f"Table {k}" for k in range(1, 8)] + ["Figure 1", "Figure 2"]),
    "Blajer, Schiehlen and Schirm": ([k for k in range(1, 46) if k not in (20, 21, 22)], "",
                                     [f"Figure {k}" for k in range(1, 4)]),
    "Garcia de Jalon and Bayo, chapter 5": (range(1, 127), "5.", [f"Algorithm 5-{k}" for k in range(1, 9)]
                                            + [f"Figure 5.{k}" for k in range(1, 10)]
                                            + [f"Problem 5/{k}" for k in range(1, 11)] + ["Table 5.1", "Example 5.1"]),
    "Pekal and Fraczek": (range(1, 44), "", [f"Figure {k}" for k in range(1, 12)] + ["Table 1"]),
}
ROW = re.compile(r"^\| (.+) \| (.+) \| (.*) \| (.*) \| (.*) \|$")
TEST = re.compile(r"^TEST(?:_P|_F)?\((\w+), *(\w+)\)", re.M)
KIND_OF = {"--formulation": "formulations", "--coordinates": "coordinates", "--stabilization": "stabilizations",
           "--pseudoinverse": "pseudoinverses", "--integrator": "integrators", "--selection": "selections",
           "--reactions": "reactions", "--dynamics": "dynamics"}
PLANTED = "| (43) | w | `src/no.cpp` | `No.Test` | `bricard run models/no.yaml --no-option --formulation no-formulation` |"


def output(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


class Program:
    """What the command knows."""

    def __init__(self, path):
        self.path = str(Path(path).resolve())
        self.help = {}
        self.names = {}
        kind = None
        for line in output(path, "methods").split("\n"):
            if re.match(r"\w", line):
                kind = self.names.setdefault(line.strip(), set())
            elif (name := re.match(r"  (\S+)", line)) and kind is not None:
                kind.add(name[1])
        self.commands = set(re.findall(r"^  (\w+)  ", output(path, "--help").split("Subcommands:")[1], re.M))
        self.papers, paper = {}, None
        for line in output(path, "reproduce").split("\n"):
            if found := re.match(r"  (\S+)$", line):
                paper = self.papers.setdefault(found[1], set())
            elif (found := re.match(r"      (\S+) ", line)) and paper is not None:
                paper.add(found[1])

    def options(self, command):
        if command not in self.help:
            self.help[command] = set(re.findall(r"--[\w-]+", output(self.path, command, "--help")))
        return self.help[command]

    def problems(self, text, root):
        words = shlex.split(text)
        if words[0] != "bricard" or len(words) < 2 or words[1] not in self.commands:
            yield f"no command: {text}"
            return
        command, arguments = words[1], words[2:]
        if command == "reproduce" and (arguments[0] not in self.papers or arguments[1] not in self.papers[arguments[0]]):
            yield f"no item of a paper: {text}"
        for word, value in zip(arguments, [*arguments[1:], ""]):
            if word.startswith("--") and word not in self.options(command):
                yield f"no option {word}: {text}"
            elif word in KIND_OF:
                known = self.names[KIND_OF[word]]
                given = word == "--selection" and re.search(r"[.]", value)  # coordinates by name
                if value not in known and not given:
                    yield f"no {word} {value}: {text}"
            elif word.endswith(".yaml") and not (root / word).exists():
                yield f"no {word}: {text}"

    def refusals(self, commands, root):
        """Commands that are refused (exit code 2) or crash. A run may fail, as its document says. Papers take too long."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("models", "docs"):
                os.symlink(root / name, Path(folder) / name)
            for text in sorted(commands):
                words = shlex.split(text)
                if words[1] in self.commands - {"reproduce"}:
                    done = subprocess.run([self.path, *words[1:]], cwd=folder, capture_output=True, text=True)
                    if done.returncode not in (0, 1):
                        yield f"{text}: {done.stderr.strip()}"


def sections(text):
    """Title -> [(line number, cells)]."""
    found, rows = {}, []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("## "):
            rows = found.setdefault(line[3:].strip(), [])
        elif (row := ROW.match(line)) and row[1] not in ("item", "---"):
            rows.append((number, row.groups()))
        elif line.startswith("|") and not line.startswith("| item") and not line.startswith("|---"):
            rows.append((number, None))
    return found


def equations(item, prefix):
    """Numbers of an item that is nothing but them: (3), (4)-(6), (23a), (A1)-(A4)."""
    if not re.fullmatch(r"\([A-B]?[\d.]+[ab]?\)(-\([A-B]?[\d.]+[ab]?\))?", item):
        return []
    ends = re.findall(r"\(([A-B]?[\d.]+)[ab]?\)", item)
    if ends[0][0] in "AB":
        return []
    numbers = [int(end.removeprefix(prefix)) for end in ends]
    return list(range(numbers[0], numbers[-1] + 1))


def numbered(item):
    """Figures 3-8 -> Figure 3, .., Figure 8."""
    if several := re.fullmatch(r"(Figure|Table)s ([\d.]+)-([\d.]+)", item):
        head, first = re.match(r"(.*?)(\d+)$", several[2]).groups()
        last = int(several[3].removeprefix(head))
        return [f"{several[1]} {head}{k}" for k in range(int(first), last + 1)]
    return [item]


def problems(text, program, tests, root):
    found = sections(text)
    for title, (numbers, prefix, others) in NUMBERED.items():
        rows = found.get(title, [])
        seen = [k for _, cells in rows if cells for k in equations(cells[0], prefix)]
        wanted_twice = {23} if title.startswith("Blajer") else set()
        for k in numbers:
            if seen.count(k) != (2 if k in wanted_twice else 1):
                yield 0, f"{title}: ({prefix}{k}) is on {seen.count(k)} lines"
        names = [name for _, cells in rows if cells for name in numbered(cells[0])]
        for name in others:
            if names.count(name) != 1:
                yield 0, f"{title}: {name} is on {names.count(name)} lines"
    for rows in found.values():
        for number, cells in rows:
            if cells is None:
                yield number, "not five cells"
                continue
            _, _, files, tested, commands = cells
            if files == "missing":
                if tested or commands:
                    yield number, "missing, but with a test or a command"
                continue
            quoted = [re.findall(r"`([^`]+)`", cell) for cell in (files, tested, commands)]
            if not quoted[0] or not quoted[2] or not (quoted[1] or quoted[0][0].startswith("docs/")):
                yield number, "no file, no test or no command"
            yield from ((number, f"no {file}") for file in quoted[0] if not (root / file).exists())
            yield from ((number, f"no test {test}") for test in quoted[1] if test not in tests)
            for command in quoted[2]:
                yield from ((number, what) for what in program.problems(command, root))


def main():
    root = Path(sys.argv[1]).resolve()
    program = Program(sys.argv[2])
    tests = {f"{suite}.{name}" for file in (root / "tests").rglob("*_test.cpp")
             for suite, name in TEST.findall(file.read_text(encoding="utf-8"))}
    page = root / "docs" / "coverage.md"
    text = page.read_text(encoding="utf-8")
    known = list(problems(text, program, tests, root))
    planted = list(problems(f"{text}{PLANTED}\n", program, tests, root))
    if len(planted) - len(known) != 6:  # a number twice, and five things that are not there
        print("coverage.py no longer sees what is not there")
        return 1
    rows = [cells for lines in sections(text).values() for _, cells in lines if cells]
    known += [(0, what) for what in program.refusals({c for cells in rows for c in re.findall(r"`([^`]+)`", cells[4])}, root)]
    print("\n".join(f"docs/coverage.md:{number}: {what}" for number, what in known))
    missing = [cells[0] for cells in rows if cells[2] == "missing"]
    print(f"{len(rows)} items, {len(missing)} missing: {'; '.join(missing)}")
    return 1 if known else 0


if __name__ == "__main__":
    sys.exit(main())
