#!/usr/bin/env python3
"""The gate of speed: instructions an evaluation within 2 %, evaluations of the shipped models within 3 % of those stored.

    bench/check.py                          compares build/bricard with bench/results/gate.json
    bench/check.py --store                  counts anew and stores
    bench/check.py --program FILE           another program
Instructions are counted by valgrind (callgrind) as the difference of two durations, so that start and end do not count; they are
repeatable for a program and its libraries. Less is never a failure, but is told: the stored counts should then follow.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STORED = ROOT / "bench/results/gate.json"
INSTRUCTIONS, EVALUATIONS = 0.02, 0.03
# One BLAS kernel for all processors, or counts would be of the machine.
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Prescott"}

# Name, model (generated: family and size), further words, two durations.
CASES = [
    ("open chain", ("spatial-chain", "--links", "40"), "", (0.1, 0.3)),
    ("ladder", ("n-four-bar", "--loops", "40"), "", (0.2, 0.7)),
    ("closed chain", ("closed-chain", "--links", "40"), "", (0.1, 0.3)),
    ("hanging chain", ("hanging-chain", "--links", "40"), "", (0.1, 0.3)),
    ("five-bar", "five-bar", "", (0.5, 2.5)),
    ("four-bar, natural", "four-bar", "--coordinates natural", (0.2, 0.6)),
    ("whole matrices, lagrange", "mcpherson", "--formulation lagrange --coordinates euler-zxz", (0.2, 0.6)),
    ("whole matrices, null space", "five-bar", "--formulation nullspace-qr", (0.2, 0.6)),
    ("implicit", "four-bar", "--integrator bdf", (0.2, 0.6)),
    ("lanes", "four-bar", "batch --sweep l2=1.6:2:8 --threads 1", (0.5, 1.5)),
]
# Its default run takes longer than all others together: shorter.
DURATIONS = {"stick-slip": 0.3}


def run(program, words, counted=False):
    prefix = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] if counted else []
    done = subprocess.run([*prefix, program, *words], capture_output=True, text=True, env=ENVIRONMENT, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr[-400:]}")
    answer = json.loads(done.stdout)
    count = int(re.search(r"Collected : (\d+)", done.stderr)[1]) if counted else 0
    return count, answer.get("evaluations", 0)


def instructions(program, folder, case):
    name, model, more, durations = case
    if isinstance(model, tuple):
        file = str(Path(folder) / f"{model[0]}.yaml")
        subprocess.run([program, "generate", *model, "--output", file], check=True, capture_output=True, env=ENVIRONMENT)
    else:
        file = f"models/{model}.yaml"
    words = more.split()
    command = words.pop(0) if words[:1] == ["batch"] else "run"
    (first, early), (last, late) = (run(program, [command, file, "--json", "--duration", str(d), *words], True) for d in durations)
    evaluations = late - early if command == "run" else 1
    return name, (last - first) / evaluations


def evaluations(program, file):
    words = ["run", str(file.relative_to(ROOT)), "--json"]
    if file.stem in DURATIONS:
        words += ["--duration", str(DURATIONS[file.stem])]
    return file.stem, run(program, words)[1]


def compare(what, counts, stored, bound):
    worse = 0
    for name, count in sorted(counts.items()):
        if name not in stored:
            print(f"{what}: {name}: {count:.6g}, not stored")
            worse += 1
            continue
        change = count / stored[name] - 1
        if abs(change) > bound:
            print(f"{what}: {name}: {count:.6g}, stored {stored[name]:.6g} ({change:+.1%}){'' if change > 0 else ', better'}")
            worse += change > 0
    for name in sorted(set(stored) - set(counts)):
        print(f"{what}: {name}: stored, but not there")
        worse += 1
    return worse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/bricard"))
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", choices=("instructions", "evaluations"))
    options = parser.parse_args()
    stored = json.loads(STORED.read_text()) if STORED.exists() else {"instructions": {}, "evaluations": {}}
    counts = {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        if options.only != "evaluations":
            counts["instructions"] = dict(pool.map(lambda case: instructions(options.program, folder, case), CASES))
        if options.only != "instructions":
            models = sorted((ROOT / "models").glob("*.yaml"))
            counts["evaluations"] = dict(pool.map(lambda file: evaluations(options.program, file), models))
    if options.store:
        STORED.write_text(json.dumps({**stored, **counts}, indent=1, sort_keys=True) + "\n")
        print(f"wrote {STORED.relative_to(ROOT)}")
        return 0
    worse = sum(compare(what, counts[what], stored[what], INSTRUCTIONS if what == "instructions" else EVALUATIONS)
                for what in counts)
    told = ", ".join(f"{len(found)} counts of {what}" for what, found in counts.items())
    print(f"{told}: {worse if worse else 'none'} worse than stored")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
