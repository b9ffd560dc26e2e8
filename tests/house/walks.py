#!/usr/bin/env python3
"""A newcomer's walk (docs/architecture.md): the files of one evaluation, each of which is found from those read before.

    walks.py SOURCE_DIR   fails on a list of more than ten files, on a file that is not there, and on one to which none
                          of the files before it leads

A file leads to what it includes, and so do its own header and the headers of the classes that its classes derive from,
which whoever reads it has to read. An include may lead on within the folder that it enters, not through it to another.
A file is reached if it, its own header, or the header of an interface is led to, whose virtual functions it has.
"""
import re
import sys
from pathlib import Path

PAGE, HEADING, MOST = "docs/architecture.md", "A newcomer's walk", 10
INCLUDE = re.compile(r'^#include "([\w/]+\.(?:h|def))"', re.M)
DERIVED = re.compile(r"^(?:class|struct) \w+(?: final)? : ([^{]*)\{", re.M)
DEFINED = re.compile(r"^(?:class|struct) (\w+)\b[^;\n]*\{", re.M)

PLANTED = """\
## A newcomer's walk
### too long
""" + "".join(f"{k}. `integrators/explicit/explicit_runge_kutta.cpp`: again\n" for k in range(1, 12)) + """\
### not there
1. `integrators/explicit/explicit_runge_kutta.cpp`: it is
2. `motions/no_such_motion.cpp`: it is not
### not reached
1. `dynamics/bodies/bodies.cpp`: bodies, joined in a graph
2. `dynamics/bodies/body_kernel.h`: which it includes
3. `dynamics/tree/tree_loops.h`: loops on a tree, which no file of the graph knows
### out of order
1. `motions/full.cpp`: a motion
2. `linear/block/delassus.h`: which only an engine includes
3. `dynamics/tree/tree.cpp`: the engine
### badly counted
1. `motions/full.cpp`: one
3. `dynamics/tree/tree.cpp`: two
### empty
## The next heading
1. `no/such/file.h`: of no walk
"""
FOUND = ["too long: 11 files, more than 10", "not there: no src/motions/no_such_motion.cpp",
         "not reached: nothing before leads to dynamics/tree/tree_loops.h",
         "out of order: nothing before leads to linear/block/delassus.h",
         "badly counted: files are not numbered from 1", "empty: no files"]


class Sources:
    def __init__(self, folder):
        self.folder, self.texts = folder, {}

    def text(self, name):
        if name not in self.texts:
            path = self.folder / name
            self.texts[name] = path.read_text() if path.is_file() else ""
        return self.texts[name]

    def exists(self, name):
        return (self.folder / name).is_file()

    def includes(self, name):
        return [header for header in INCLUDE.findall(self.text(name)) if self.exists(header)]

    def unit(self, name):
        """The file, its own header, and the headers of classes that are derived from in these."""
        found, at = [name], 0
        own = re.sub(r"\.cpp$", ".h", name)
        if own != name and own in self.includes(name):
            found.append(own)
        while at < len(found):
            bases = {base for bases in DERIVED.findall(self.text(found[at])) for base in re.findall(r"(?:public|private) (\w+)", bases)}
            for header in self.within(self.includes(found[at])):
                if header not in found and bases & set(DEFINED.findall(self.text(header))):
                    found.append(header)
            at += 1
        return found

    def doors(self, name):
        """By which of these it is reached."""
        own = re.sub(r"\.cpp$", ".h", name)
        return {part for part in self.unit(name) if part in (name, own) or re.search(r"\bvirtual\b", self.text(part))}

    def within(self, headers):
        """The headers, and what they include in their own folders."""
        found = list(dict.fromkeys(headers))
        for name in found:
            found += [header for header in self.includes(name)
                      if Path(header).parent == Path(name).parent and header not in found]
        return found

    def led_to(self, name):
        return set(self.within([header for part in self.unit(name) for header in self.includes(part)]))


def walks(page):
    """[(heading, [(number, file)])]"""
    section = re.search(rf"^## {HEADING}$(.*?)(?=^## |\Z)", page, re.M | re.S)
    parts = re.split(r"^### (.*)$", section[1], flags=re.M)[1:] if section else []
    return [(heading, [(int(number), file) for number, file in re.findall(r"^(\d+)\. `([\w/.]+)`", text, re.M)])
            for heading, text in zip(parts[::2], parts[1::2])]


def problems(page, sources):
    for heading, files in walks(page):
        if not files:
            yield f"{heading}: no files"
        if len(files) > MOST:
            yield f"{heading}: {len(files)} files, more than {MOST}"
        if [number for number, _ in files] != list(range(1, len(files) + 1)):
            yield f"{heading}: files are not numbered from 1"
        known, read = set(), set()
        for _, file in files:
            if not sources.exists(file):
                yield f"{heading}: no src/{file}"
                continue
            if read and file not in read and not known & sources.doors(file):
                yield f"{heading}: nothing before leads to {file}"
            read.add(file)
            known |= sources.led_to(file)


def main():
    root = Path(sys.argv[1])
    sources = Sources(root / "src")
    planted = list(problems(PLANTED, sources))
    if planted != FOUND:
        print("planted walks are not found:", *planted, sep="\n")
        return 1
    page = (root / PAGE).read_text(encoding="utf-8")
    found = list(problems(page, sources)) or ([] if walks(page) else [f"no '{HEADING}' in {PAGE}"])
    print("\n".join(found) or "\n".join(f"{heading}: {len(files)} files" for heading, files in walks(page)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
