#!/usr/bin/env python3
"""scripts/animate finds columns by their names: the order of columns and the kind of file make no difference, and a point of a
crank goes round in a circle.

    animate_test.py BRICARD SOURCE_FOLDER
"""
import csv
import json
import math
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BRICARD, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])


def animated(model, results, folder, *options):
    picture = folder / "picture.svg"
    done = subprocess.run([sys.executable, SOURCE / "scripts/animate", model, results, "--output", picture, *options],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return picture.read_text()


def run(model, output):
    subprocess.run([BRICARD, "run", model, "--duration", "1", "--output-step", "0.02", "--output", output], check=True, capture_output=True)


def reordered(table, results, seed):
    """The same columns in another order, time last."""
    names, *rows = table
    order = [k for k in range(len(names)) if names[k] != "time"]
    random.Random(seed).shuffle(order)
    order.append(names.index("time"))
    with results.open("w", newline="") as file:
        file.write("# a comment\n")
        csv.writer(file).writerows([row[k] for k in order] for row in (names, *rows))
        file.write("# another one\n")


def test_order_and_kind_of_file(name, folder):
    model, first = SOURCE / f"models/{name}.yaml", folder / f"{name}.csv"
    run(model, first)
    expected = animated(model, first, folder)
    table = list(csv.reader(first.open()))
    for seed in (1, 2):
        results = folder / "reordered.csv"
        reordered(table, results, seed)
        assert animated(model, results, folder) == expected, f"{name}: another order of columns, another picture"
    results = folder / f"{name}.json"
    results.write_text(json.dumps({"columns": table[0][::-1], "rows": [[float(x) for x in row[::-1]] for row in table[1:]]}))
    assert animated(model, results, folder) == expected, f"{name}: another picture of JSON"
    run(model, results)
    assert animated(model, results, folder).count("<animate") == expected.count("<animate")


def test_circle(folder):
    """The trail of the five-bar's B2, at 1 m from A2, which does not move."""
    results = folder / "circle.csv"
    run(SOURCE / "models/five-bar.yaml", results)
    reordered(list(csv.reader(results.open())), folder / "reordered.csv", 3)
    text = animated(SOURCE / "models/five-bar.yaml", folder / "reordered.csv", folder, "--trail", "link2.B2")
    supports = [tuple(map(float, place)) for place in re.findall(r'd="M([-\d.]+) ([-\d.]+)L[-\d. ]+L[-\d. ]+Z', text)]
    supports.sort()
    assert len(supports) == 3, supports
    metre = (supports[2][0] - supports[0][0]) / 2
    trail = re.search(r'd="(M[^"]+)" stroke="#868e99" stroke-width="1.5" stroke-opacity="0.8"', text)[1]
    points = [tuple(map(float, pair.split())) for pair in trail[1:].split("L")]
    assert len(points) == 26, len(points)
    assert math.dist(points[0], points[-1]) > 0.5 * metre, "it does not move"
    for point in points:
        assert abs(math.dist(point, supports[1]) - metre) < 0.2, (point, supports[1], metre)


def test_missing_column(folder):
    table = list(csv.reader((folder / "five-bar.csv").open()))
    keep = [k for k, name in enumerate(table[0]) if name != "link2.y"]
    results = folder / "missing.csv"
    with results.open("w", newline="") as file:
        csv.writer(file).writerows([row[k] for k in keep] for row in table)
    done = subprocess.run([sys.executable, SOURCE / "scripts/animate", SOURCE / "models/five-bar.yaml", results, "--output", folder / "no.svg"],
                          capture_output=True, text=True)
    assert done.returncode == 1 and "'link2.y'" in done.stderr, done.stderr


with tempfile.TemporaryDirectory() as temporary:
    for each in ("five-bar", "bricard"):
        test_order_and_kind_of_file(each, Path(temporary))
    test_circle(Path(temporary))
    test_missing_column(Path(temporary))
