#!/usr/bin/env python3
"""Pages say where things are: every relative link, its heading, and every path that a page mentions exists.

    links.py SOURCE_DIR   fails on a link, a heading (#..) or a path (src/.., tests/.., docs/.., `joints/rows.h`) that is not there

A path in backquotes may begin with a room of src/ and have a `*`. What is built or written by runs (build/, out/) is not looked for.
"""
import re
import sys
from pathlib import Path

SKIPPED = re.compile(r"^(\.git|node_modules|out|build.*)$")
LINK = re.compile(r'\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"')
FOLDERS = r"(?:apps|bench|cmake|docs|include|models|papers|scripts|share|src|tests|web)"
PATH = re.compile(rf"(?<![\w./-]){FOLDERS}/[\w./*-]*[\w*/]")
QUOTED = re.compile(r"`([\w.-]+(?:/[\w.*-]+)+/?)`")
PLANTED = "[a](no-such-page.md) [b](README.md#no-such-heading) see src/no/such.h and `joints/no_such_row.h`"


def pages(root):
    for page in sorted(root.rglob("*.md")):
        if not any(SKIPPED.match(part) for part in page.relative_to(root).parts):
            yield page


def anchors(page):
    """Headings as GitHub names them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    titles = re.findall(r"^#+ +(.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def is_there(path, folders):
    path = path.rstrip("/")
    return any(next(folder.glob(path), None) if "*" in path else (folder / path).exists() for folder in folders)


def problems(page, text, root):
    for number, line in enumerate(text.split("\n"), 1):
        for link in (a or b for a, b in LINK.findall(line)):
            if re.match(r"[a-z]+:", link):
                continue
            file, _, heading = link.partition("#")
            target = page.parent / file if file else page
            if not target.exists():
                yield number, f"no {link}"
            elif heading and heading not in anchors(target):
                yield number, f"no heading #{heading} in {target.relative_to(root) if file else 'this page'}"
        line = LINK.sub("", line)
        for path in PATH.findall(line):
            if not is_there(path, [root, page.parent]):
                yield number, f"no {path}"
        for path in QUOTED.findall(line):
            if (root / "src" / path.split("/")[0]).is_dir() and not is_there(path, [root / "src", root, page.parent]):
                yield number, f"no src/{path}"


def main():
    root = Path(sys.argv[1]).resolve()
    if len(list(problems(root / "README.md", PLANTED, root))) != 4:
        print("links.py no longer sees what is not there")
        return 1
    read = list(pages(root))
    found = [f"{page.relative_to(root)}:{number}: {what}"
             for page in read for number, what in problems(page, page.read_text(encoding="utf-8"), root)]
    print("\n".join(found) or f"{len(read)} pages lead where they say")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
