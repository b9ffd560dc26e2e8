#!/usr/bin/env python3
"""Every allocation, open, write and closing step of every command fails once: the n-th, for n = 1, 2, ..

A command has to end by itself with exit code 1 or 2 and a message, or with 0 and everything written as without the fault. An
older result at the place of a new one is untouched, or the new one is there whole; rows of a run that failed are whole lines.
No other file is left behind, but rows of a result that could not be finished.
    faults.py PROGRAM LIBRARY MODELS [--all] [--ends] [--only COMMAND] [--kind KIND] [--part I/N]
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

OLD = "an older result\n"
# Numbers that differ from run to run.
VOLATILE = re.compile(r'[0-9.e+-]+ s of CPU|"cpu_seconds": ?[0-9.e+-]+|"seconds": ?[0-9.e+-]+|[0-9.]+ (ms|s)\b')

# Name, words, output files. {m} is the folder of models, {t} a folder of its own with a table of a motion.
COMMANDS = [
    ("run", "run {m}/pendulum.yaml --duration 0.05", []),
    ("run-json", "run {m}/five-bar.yaml --duration 0.02 --json", []),
    ("run-csv", "run {m}/four-bar.yaml --duration 0.05 --output {t}/out.csv", ["out.csv"]),
    ("run-json-file", "run {m}/pendulum.yaml --duration 0.05 --output {t}/out.json", ["out.json"]),
    ("run-hdf5", "run {m}/pendulum.yaml --duration 0.05 --output {t}/out.h5", ["out.h5"]),
    ("run-report", "run {m}/pendulum.yaml --duration 0.05 --report {t}/out.html", ["out.html"]),
    ("run-ida", "run {m}/four-bar.yaml --duration 0.02 --integrator ida", []),
    ("run-bdf", "run {m}/four-bar.yaml --duration 0.02 --integrator bdf --formulation nullspace-svd", []),
    ("run-hht", "run {m}/four-bar.yaml --duration 0.02 --integrator hht --coordinates natural", []),
    ("run-relative", "run {m}/bricard.yaml --duration 0.02 --coordinates relative --diagnostics", []),
    ("batch", "batch {m}/four-bar.yaml --sweep l2=1.6:2:3 --duration 0.05 --threads 2 --output {t}/out.csv", ["out.csv"]),
    ("batch-alone", "batch {m}/pendulum.yaml --sweep L=1:2:3 --no-lanes --duration 0.05 --threads 2 --json", []),
    ("check", "check {m}/bricard.yaml", []),
    ("check-report", "check {m}/five-bar.yaml --report {t}/out.html", ["out.html"]),
    ("compare", "compare {m}/four-bar.yaml --duration 0.02 --formulations lagrange,nullspace-qr --stabilizations none,projection --output {t}/out.csv", ["out.csv"]),
    ("equilibrium", "equilibrium {m}/hanging-chain.yaml --output {t}/out.csv", ["out.csv"]),
    ("modes", "modes {m}/double-pendulum.yaml --at equilibrium --output {t}/out.json", ["out.json"]),
    ("kinematics", "kinematics {m}/driven-four-bar.yaml --duration 0.05 --output {t}/out.csv", ["out.csv"]),
    ("inverse", "inverse {m}/planar-2r-robot.yaml --duration 0.05 --output {t}/out.csv", ["out.csv"]),
    ("methods", "methods --json", []),
    ("generate", "generate n-four-bar --loops 3 --output {t}/out.yaml", ["out.yaml"]),
    ("reproduce", "reproduce", []),
]
KINDS = ("allocation", "open", "write", "finish")  # beside them `matrix`, see fail_nth.c


class Trial:
    def __init__(self, options):
        self.options = options
        self.folder = Path(tempfile.mkdtemp(prefix="bricard-faults-"))
        self.count = self.folder / "count"

    def run(self, words, outputs, kind, at, old=True):
        """Exit code, standard output and error, contents of the outputs, files beside them."""
        place = self.folder / "place"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for name in outputs:
            if old:
                (place / name).write_text(OLD)
        line = words.format(m=self.options.models, t=place).split()
        environment = {**os.environ, "LD_PRELOAD": self.options.library, "FAIL_KIND": kind, "FAIL_AT": str(at),
                       "FAIL_COUNT": str(self.count), "OPENBLAS_NUM_THREADS": "1"}
        try:
            done = subprocess.run([self.options.program, *line], capture_output=True, env=environment, timeout=120)
            code, out, error = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            code, out, error = "no end", b"", b""
        contents = {name: (place / name).read_bytes() if (place / name).exists() else None for name in outputs}
        beside = sorted(p.name for p in place.iterdir() if p.name not in outputs)
        return code, self.steady(out, place), error.decode(errors="replace"), contents, beside

    def steady(self, text, place):
        return VOLATILE.sub("#", text.decode(errors="replace").replace(str(place), ""))

    def calls(self):
        return int(self.count.read_text())


def points(count, everything, seed):
    """All, or the first ones and a sample of the rest."""
    if everything or count <= 12:
        return list(range(1, count + 1))
    dice = random.Random(seed)
    chosen = set(range(1, 7))
    n = 7.0
    while n < count:
        chosen.add(min(count, int(n) + dice.randrange(max(1, int(n * 0.3)))))
        n *= 1.4
    return sorted(chosen)


def whole_lines(partial, whole, name):
    """Rows of a run that failed."""
    return name.endswith(".csv") and partial.endswith(b"\n") and whole.startswith(partial)


def whole_table(content, whole, name):
    """As many rows and cells, with another time of CPU, or with a run that failed."""
    lines, all_lines = content.splitlines(), whole.splitlines()
    return (name.endswith(".csv") and content.endswith(b"\n") and lines[0] == all_lines[0] and
            len(lines) == len(all_lines) and all(line.count(b",") >= lines[0].count(b",") for line in lines))


def problem(name, result, clean, kind, ends_only):
    code, out, error, contents, beside = result
    _, clean_out, _, clean_contents, _ = clean
    if code not in (0, 1, 2):
        return f"ended with {'signal ' + str(-code) if isinstance(code, int) and code < 0 else code}"
    # Rows of a result that could not be finished stay beside it, and the message says where.
    beside = [file for file in beside if not (code and file.endswith(".unfinished") and file in str(error))]
    if beside and not ends_only:
        return f"left {', '.join(beside)} behind"
    same = {name: same_content(name, contents[name], clean_contents[name]) for name in contents}
    if code == 0 and ends_only:
        return None
    if code == 0:
        # A step that ran out of memory may have been taken again, with other digits; times are in the tables of `compare` and `batch`.
        exact = kind != "allocation" and not name.startswith(("compare", "batch"))
        if out != clean_out if exact else rows(out) != rows(clean_out):
            return "exit code 0, but another standard output"
        missing = [file for file in contents if not same[file]] if exact else []
        return f"exit code 0, but {missing[0]} is not whole" if missing else None
    if not error.strip() and "failed" not in out:
        return f"exit code {code} without a message"
    if "terminate called" in error:
        return f"exit code {code}: {error.strip().splitlines()[-1][:100]}"
    if ends_only:
        return None
    if "internal error" in error:
        return f"exit code {code}: {error.strip().splitlines()[-1][:100]}"
    for file, content in contents.items():
        if content == OLD.encode() or same[file]:
            continue
        if code == 1 and content is not None and whole_lines(content, clean_contents[file], file):
            continue
        if content is not None and whole_table(content, clean_contents[file], file):
            continue
        return f"{file} was lost: {'gone' if content is None else repr(content[:40])}"
    return None


def rows(text):
    """Lines that do not depend on times: `compare` names the most accurate method only where the fastest is another."""
    return sum("is the most accurate" not in line for line in text.splitlines())


def same_content(name, content, clean):
    if content is None or clean is None:
        return content is clean
    if name.endswith(".h5"):
        return content[:8] == clean[:8] and abs(len(content) - len(clean)) < 4096  # times of writing are in it
    return VOLATILE.sub("#", content.decode(errors="replace")) == VOLATILE.sub("#", clean.decode(errors="replace"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("models")
    parser.add_argument("--all", action="store_true", help="every call, not a sample of them")
    parser.add_argument("--ends", action="store_true", help="only that a command ends by itself, with a code and a message")
    parser.add_argument("--only", help="one command")
    parser.add_argument("--kind", choices=(*KINDS, "matrix"))
    parser.add_argument("--part", default="1/1", help="I/N: every N-th command")
    parser.add_argument("--most", type=int, default=8, help="findings of a command that are printed")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    trial = Trial(options)
    tried = found = 0
    try:
        for name, words, outputs in COMMANDS[part - 1::parts]:
            if options.only and name != options.only:
                continue
            for kind in KINDS if not options.kind else (options.kind,):
                clean = trial.run(words, outputs, kind, 0, old=False)
                if clean[0] != 0:
                    sys.exit(f"{name} fails without a fault: {clean[2]}")
                printed = 0
                for at in points(trial.calls(), options.all, f"{name} {kind}"):
                    tried += 1
                    wrong = problem(name, trial.run(words, outputs, kind, at), clean, kind, options.ends)
                    if not wrong:
                        continue
                    found += 1
                    printed += 1
                    if printed <= options.most:
                        print(f"{name}: {kind} {at}: {wrong}\n    FAIL_KIND={kind} FAIL_AT={at} LD_PRELOAD={options.library} "
                              f"{options.program} {words.format(m=options.models, t='/tmp')}", flush=True)
    finally:
        shutil.rmtree(trial.folder, ignore_errors=True)
    print(f"{tried} faults tried, {found} not borne")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
