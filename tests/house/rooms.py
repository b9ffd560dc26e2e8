#!/usr/bin/env python3
"""Rooms of the house stand in a row (docs/architecture.md): nothing includes a room to its right.

    rooms.py SOURCE_DIR [--picture]   fails on an edge that leads back; --picture prints the graph as text
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

# From left to right. `bricard` is the front door (include/bricard), which every room may use and which uses none.
ROOMS = ["bricard", "model", "linear", "coordinates", "joints", "forces", "system", "pseudoinverses", "selections",
         "formulations", "dynamics", "stabilization", "motions", "integrators", "analyses", "diagnosis", "studies", "io", "testing", "papers",
         "apps"]
# Edges that may lead back until they are gone: none.
ALLOWED = set()


def edges(root):
    """{(room, room): [(file, header)]}"""
    found = defaultdict(list)
    for folder, prefix in ((root / "include", ""), (root / "src", ""), (root / "papers", "papers/"), (root / "apps", "apps/")):
        for file in sorted(folder.rglob("*")):
            if file.suffix not in (".h", ".cpp", ".def"):
                continue
            name = prefix + str(file.relative_to(folder))
            for header in re.findall(r'^#include [<"]([\w/]+\.(?:h|def))[">]', file.read_text(), re.M):
                room, other = name.split("/")[0], header.split("/")[0]
                if name == "bricard/testing.h":
                    room = "testing"  # whose door it is
                if room == "apps" and other == "commands":
                    continue
                if other in ROOMS and room != other:
                    found[room, other].append((name, header))
    return found


def main():
    root = Path(sys.argv[1])
    found = edges(root)
    if "--picture" in sys.argv:
        for room in ROOMS:
            print(f"{room:15} <- {', '.join(a for a in ROOMS if (a, room) in found)}")
        return 0
    folders = {path.name for path in (root / "src").iterdir() if path.is_dir()}
    problems = [f"src/{folder} is no room: give it a place in {Path(__file__).name}" for folder in sorted(folders - set(ROOMS))]
    for (room, other), includes in sorted(found.items()):
        if ROOMS.index(other) > ROOMS.index(room) and (room, other) not in ALLOWED:
            problems += [f"{file} includes {header}: {other} is to the right of {room}" for file, header in includes]
    problems += [f"{a} no longer includes {b}: take the edge off the list" for a, b in ALLOWED - set(found)]
    print("\n".join(problems) or f"{len(found)} edges between {len(ROOMS)} rooms, {len(ALLOWED)} of them back")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
