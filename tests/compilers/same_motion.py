#!/usr/bin/env python3
"""Two builds of the command find the same motions, by every kind of dynamics.

    same_motion.py BRICARD COMMAND..    COMMAND: the other build, with what runs it before
"""
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

MODELS = Path(__file__).resolve().parents[2] / "models"
# (model, options): matrices of the whole system, bodies over the joint graph, recursion over the tree with and without loops, an
# implicit integrator, and solvers of SUNDIALS.
RUNS = [
    ("four-bar", ["--dynamics", "whole"]),
    ("four-bar", ["--dynamics", "bodies"]),
    ("five-bar", []),
    ("pendulum", ["--coordinates", "relative"]),
    ("bricard", ["--coordinates", "relative"]),
    ("bricard", ["--dynamics", "whole", "--formulation", "nullspace-svd"]),
    ("slider-crank", ["--integrator", "bdf"]),
    ("slider-crank", ["--integrator", "hht"]),
    ("stewart", ["--stabilization", "baumgarte"]),
]
TOLERANCE = 1e-9
# Errors of a step are of its tolerance; of fused and other operations, roundings that the motion makes larger.
LARGEST = 1e3 * TOLERANCE


def run(command, model, options, folder):
    output = Path(folder) / "rows.csv"
    arguments = ["run", str(MODELS / f"{model}.yaml"), "--duration", "0.5", "--tolerance", str(TOLERANCE), "--output", str(output)]
    done = subprocess.run([*command, *arguments, *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} run {model} {' '.join(options)}: exit code {done.returncode}\n{done.stderr}")
    with output.open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    output.unlink()
    return {name: [float(row[name]) for row in rows] for name in (rows[0] if rows else ())}


def main():
    first, other = [sys.argv[1]], sys.argv[2:]
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        for model, options in RUNS:
            a, b = run(first, model, options, folder), run(other, model, options, folder)
            if a.keys() != b.keys() or not a:
                sys.exit(f"{model} {' '.join(options)}: columns {', '.join(a)} and {', '.join(b)}")
            if len(a["time"]) != len(b["time"]):
                sys.exit(f"{model} {' '.join(options)}: {len(a['time'])} rows and {len(b['time'])}")
            scale = {name: max(1.0, *(abs(x) for x in column)) for name, column in a.items()}
            difference = max(abs(x - y) / scale[name] for name in a for x, y in zip(a[name], b[name]))
            print(f"{model:22} {' '.join(options):45} {difference:.1e}")
            worst = max(worst, difference)
    if not worst < LARGEST:
        sys.exit(f"motions differ by {worst:.1e}, more than {LARGEST:.1e}")


if __name__ == "__main__":
    main()
