#!/usr/bin/env python3
"""The benchmark knows measured points by the names of their bodies: the order of bodies in a model or a list makes no difference.

    points_test.py SOURCE_FOLDER [DRIVER]    DRIVER: bricard_bench_driver, which `make bench` builds; without it its part is left out
"""
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
SOURCE, DRIVER = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None
sys.path.insert(0, str(SOURCE / "bench"))
from cases import FAMILIES, four_bar_angle, four_bar_points, largest_distance, squeezer_points  # noqa: E402

four_bar = next(case for family in FAMILIES if family.key == "four-bar" for case in family.cases if case.size == 10)


def reversed_items(items):
    return dict(reversed(items.items()))


def test_four_bar():
    # Uprights of 1 m on (k, 0), all at one angle; couplers between their tops.
    s, c = four_bar_angle(10, 10.0)
    start = {"upright0": None, "upright10": None, "coupler0": None, "coupler9": None}
    expected = {"upright0": [s, c, 0], "upright10": [10 + s, c, 0], "coupler0": [1 + s, c, 0], "coupler9": [10 + s, c, 0]}
    for points in (start, reversed_items(start)):
        assert largest_distance(four_bar_points(four_bar, points), expected) < 1e-14


def test_squeezer():
    # A body's centre goes where the published angles put it: the crank's on a circle of 0.92 mm about the origin.
    beta, radius = 15.81077119629904, 0.00092
    bodies = {f"K{k}": [0.01 * k, 0, 0] for k in range(1, 8)}
    moved = squeezer_points(bodies, bodies)
    assert math.dist(moved["K1"], [radius * math.cos(beta), radius * math.sin(beta), 0]) < 1e-15
    assert largest_distance(squeezer_points(reversed_items(bodies), reversed_items(bodies)), moved) == 0
    # A point off the centre keeps its distance from it.
    off = squeezer_points(bodies, {"K5": [0.05, 0.02, 0]})
    assert abs(math.dist(off["K5"], moved["K5"]) - 0.02) < 1e-15


def test_distance():
    a, b = {"p": [0, 0, 0], "q": [1, 0, 0]}, {"q": [1, 0, 2], "p": [0, 3, 0]}
    assert largest_distance(a, b) == 3
    try:
        largest_distance(a, {"p": [0, 0, 0]})
    except ValueError as error:
        assert "'q'" in str(error)
    else:
        raise AssertionError("points of other bodies are compared")


def test_references():
    for key, stored in json.loads((SOURCE / "bench/references.json").read_text()).items():
        assert all(len(place) == 3 for place in stored["points"].values()), key


def test_driver(folder):
    """A model with its bodies in another order, and a description of the first: the same points."""
    def tool(*words):
        return subprocess.run([DRIVER, *words], capture_output=True, text=True, check=True).stdout

    text = tool("generate", "n-four-bar", "3")
    bodies = re.findall(r"^  (?:upright|coupler)\d+: \{rod.*\n", text, re.M)
    assert len(bodies) == 7
    other = text.replace("".join(bodies), "".join(reversed(bodies)))
    assert other != text
    results = []
    description = folder / "description.txt"
    for model_text in (text, other):
        model = folder / "model.yaml"
        model.write_text(model_text)
        if not results:
            description.write_text(tool("describe", model))
        results.append(json.loads(tool("run", model, description, "tolerance=1e-10", "duration=0.5", "repeat=1")))
        assert results[-1]["ok"], results[-1]
    first, second = (result["points"] for result in results)
    assert "upright2" in first and largest_distance(first, second) < 1e-8, (first, second)
    # One mechanism far from metres, in whose own units a run is made.
    model = SOURCE / "bench/models/andrews.yaml"
    description.write_text(tool("describe", model))
    result = json.loads(tool("run", model, description, "tolerance=1e-8", "repeat=1"))
    assert result["ok"] and set(result["points"]) == {f"K{k}" for k in range(1, 8)}, result
    assert 0 < result["cpu"] and 0 < result["setup"] and 0 < result["heap"], result


test_four_bar()
test_squeezer()
test_distance()
test_references()
if DRIVER and DRIVER.exists():
    with tempfile.TemporaryDirectory() as temporary:
        test_driver(Path(temporary))
