#!/usr/bin/env python3
"""Installs the packages that `make packages` makes on a Debian 12 that has nothing else, in a folder of its own, and uses them.

    clean_debian.py SOURCE_DIR PACKAGES_DIR     needs root and debootstrap; a few minutes, 2 GB of TMPDIR while it runs

1. bricard.deb: apt finds what it depends on; the command runs an installed model, and writes results, a report and JSON.
2. libbricard-dev.deb: with g++ and pkg-config, and nothing else, the client program of README.md compiles and runs.
3. Both can be removed, and leave nothing behind. lintian finds no errors.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from clients import readme_program, run, stroke_told

RELEASE = "bookworm"
INSTALL = "apt-get install --yes --no-install-recommends"
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root",
               **{name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}}


class Debian:
    """A minimal system in a folder: what dpkg calls required, and apt."""

    def __init__(self, root, mirror):
        self.root = root
        more = ["--include=ca-certificates"] if mirror.startswith("https") else []
        run("debootstrap", "--variant=minbase", *more, RELEASE, root, mirror)

    def run(self, command):
        """In namespaces of its own, so that nothing stays mounted and no process outlives it."""
        return run("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
                   'mount -t proc proc "$0/proc" && exec chroot "$0" sh -ec "$1"', self.root, command, env=ENVIRONMENT)

    def files(self):
        return set(self.run("find /usr /etc -xdev ! -type d").split("\n"))


def try_command(debian, package):
    debian.run(f"{INSTALL} ./{package}")
    if "not found" in debian.run("ldd /usr/bin/bricard"):
        sys.exit("the packaged command lacks a library that the package does not depend on")
    debian.run("cd /root && bricard run /usr/share/bricard/models/five-bar.yaml --output five-bar.csv --report five-bar.html "
               "--json > summary.json && bricard check /usr/share/bricard/models/bricard.yaml && zcat /usr/share/man/man1/bricard.1.gz")
    summary = json.loads((debian.root / "root/summary.json").read_text())
    rows = (debian.root / "root/five-bar.csv").read_text().count("\n")
    if not summary or rows < 2000 or (debian.root / "root/five-bar.html").stat().st_size < 1e5:
        sys.exit(f"the packaged command writes {rows} lines of results")
    return rows


def try_library(debian, package, program):
    debian.run(f"{INSTALL} ./{package} g++ pkg-config")
    (debian.root / "root/client.cpp").write_text(program)
    return stroke_told(debian.run("cd /root && g++ -std=c++20 client.cpp $(pkg-config --cflags --libs bricard) -o client && ./client"))


def check_removal(debian, names, before):
    """`before`: the files of the system before anything was installed."""
    debian.run(f"apt-get purge --yes {' '.join(names)}")
    left = [file for file in debian.files() - before if "bricard" in file.lower()]
    if left:
        sys.exit("removing the packages leaves behind " + ", ".join(left))


def check_lintian(debian, packages):
    debian.run(f"{INSTALL} lintian")
    # Exit code 2 if there is an error; warnings are told.
    told = debian.run(f"lintian --allow-root --fail-on error {' '.join('./' + name for name in packages)}")
    return [line for line in told.split("\n") if line[:2] in ("E:", "W:")]


def main():
    source, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("clean Debian: skipped, because it needs root and debootstrap")
        return
    packages = {name: next(folder.glob(f"{name}_*.deb")) for name in ("bricard", "libbricard-dev")}
    mirror = subprocess.run([source / "scripts/debian-mirror"], check=True, capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="bricard-debian-") as root:
        debian = Debian(Path(root), mirror)
        for package in packages.values():
            shutil.copy(package, root)
        before = debian.files()
        count = debian.run("dpkg-query -f '.' -W").count(".")
        rows = try_command(debian, packages["bricard"].name)
        print(f"bricard: installs on a Debian 12 of {count} packages, and runs: {rows} lines of results")
        stroke = try_library(debian, packages["libbricard-dev"].name, readme_program(source))
        print(f"libbricard-dev: installs, a client compiles and runs, the stroke is {stroke} m")
        check_removal(debian, packages, before)
        warnings = check_lintian(debian, [package.name for package in packages.values()])
        print("both can be removed; lintian finds no error" + "".join("\n  " + line for line in warnings))


if __name__ == "__main__":
    main()
