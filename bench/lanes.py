#!/usr/bin/env python3
"""What lanes gain: parameter studies of eight runs in lanes and one by one, on one thread. Writes the table of docs/batch.md.

    bench/lanes.py                  measures, and writes the table
    bench/lanes.py four-bar         prints some rows, writes nothing
Instructions are counted by valgrind (callgrind) and CPU time is taken as differences of two durations, so that reading, assembling
and recording the end do not count. CPU time is printed beside, for a machine that does nothing else; the table has instructions.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/batch.md"
BEGIN, END = "<!-- lanes: written by bench/lanes.py -->", "<!-- end of lanes -->"
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Prescott"}
RUNS = 8
METHOD = "--coordinates reference-point --stabilization projection --integrator dopri5 --tolerance 1e-6"

# Name, model (generated: family and size), what is swept, formulation, durations of the counted and of the timed runs.
CASES = [
    ("pendulum", "pendulum", "m=8:12", "lagrange", (1, 5), (20, 220)),
    ("four-bar", "four-bar", "rho=0.8:1.2", "lagrange", (1, 5), (10, 110)),
    ("five-bar, redundant", "five-bar", "m=0.8:1.2", "lagrange-proximal", (1, 5), (20, 220)),
    ("McPherson, with forces", "mcpherson", "I=0.08:0.12", "lagrange", (1, 5), (10, 110)),
    ("McPherson, forces and redundant rows", "mcpherson-overconstrained", "I=0.08:0.12", "lagrange-proximal", (1, 5), (10, 110)),
    ("10 four-bars in a row", ("n-four-bar", "--loops", "10"), "mass=0.8:1.2", "lagrange", (1, 5), (10, 60)),
    ("closed chain of 10", ("closed-chain", "--links", "10"), "mass=0.08:0.12", "lagrange", (1, 3), (1, 4)),
    ("open chain of 10", ("spatial-chain", "--links", "10"), "m=0.08:0.12", "lagrange", (1, 3), (1, 4)),
    ("four-bar, driven", "driven-four-bar", "rho=0.8:1.2", "lagrange", (1, 5), (10, 60)),
    ("platform on four bushings (not taken)", "spring-platform", "m=100:140", "lagrange", (1, 3), (5, 25)),
]


def model_file(folder, model, sweep):
    if isinstance(model, str):
        return ROOT / f"models/{model}.yaml"
    file = Path(folder) / f"{model[0]}.yaml"
    subprocess.run([str(ROOT / "build/bricard"), "generate", *model, "--output", str(file)], check=True, capture_output=True)
    name = sweep.split("=")[0]
    text = file.read_text()
    if not re.search(rf"\b{name}:", text.split("bodies:")[0]):  # the first bodies get a mass that can be swept
        text = re.sub(r"mass: [0-9.]+", f"mass: {name}", text, count=3)
        text = text.replace("points:", f"parameters: {{{name}: 1}}\npoints:", 1)
        file.write_text(text)
    return file


def batch(file, sweep, formulation, duration, lanes, counted):
    words = [str(ROOT / "build/bricard"), "batch", str(file), "--sweep", f"{sweep}:{RUNS}", "--threads", "1", "--json",
             "--duration", str(duration), "--formulation", formulation, *METHOD.split(), *([] if lanes else ["--no-lanes"])]
    if counted:
        words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *words]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr[-400:]}")
    engines = {result["dynamics"].split(" ")[0] for result in json.loads(done.stdout)["results"]}
    count = int(re.search(r"Collected : (\d+)", done.stderr)[1]) if counted else 0
    return count, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, engines


def row(folder, case):
    name, model, sweep, formulation, counted, timed = case
    file = model_file(folder, model, sweep)
    per_second, seconds = {}, {}
    for lanes in (False, True):
        counts = [batch(file, sweep, formulation, duration, lanes, True) for duration in counted]
        per_second[lanes] = (counts[1][0] - counts[0][0]) / (RUNS * (counted[1] - counted[0]))
        seconds[lanes] = min(batch(file, sweep, formulation, timed[1], lanes, False)[1] for _ in range(3)) - \
            min(batch(file, sweep, formulation, timed[0], lanes, False)[1] for _ in range(3))
    line = f"| {name} | {per_second[False] / 1e3:.0f} | {per_second[True] / 1e3:.0f} | {per_second[False] / per_second[True]:.1f} |"
    return line, f"CPU time: {seconds[False] / seconds[True]:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="part of the name of a case")
    options = parser.parse_args()
    lines = ["| | one by one, thousands of instructions a second of motion | lanes | gain |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if options.names and not any(name in case[0] for name in options.names):
                continue
            line, told = row(folder, case)
            lines.append(line)
            print(line, told, flush=True)
    if options.names:
        return
    text = PAGE.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(text[:begin] + "\n" + "\n".join(lines) + "\n" + text[end:])
    print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
