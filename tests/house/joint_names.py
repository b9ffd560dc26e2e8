#!/usr/bin/env python3
"""Nothing but the files of joints knows joints by their names: all else asks what a JointType says of itself.

    joint_names.py SOURCE_DIR   fails on a name of joints.def in the code of include/, src/ or apps/, outside of src/joints,
                                and on a comparison with one anywhere there

Names that mean other things too count only where they are compared with a type.
"""
import re
import sys
from pathlib import Path

AMBIGUOUS = {"constraint", "distance", "fixed", "orientation", "planar"}
PLANTED = """\
if (joint.type == "screw") return;         // 1
  static const std::set<std::string> others = {"gear",
                                               "rolling"};
const bool known = "fixed" != joint.type || find_joint_type( "planar" );
// joint.type == "screw", or /* as */ "gear"
const char* word = planar() ? "planar" : "spatial";
"""
FOUND = [1, 2, 3, 4, 4]


def without_comments(text):
    """The same lines; strings are kept."""
    def blank(match):
        return match[0] if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', blank, text, flags=re.S)


def problems(text, names, in_joints):
    """[(line, name)]"""
    found = []
    text = without_comments(text)
    for match in re.finditer(r'"(%s)"' % "|".join(names), text):
        before, after = text[:match.start()].rstrip(), text[match.end():].lstrip()
        compared = (re.search(r"\btype\w*(\(\))?\s*[!=]=$", before) or re.search(r"\bfind_joint_type\($", before)
                    or re.match(r"[!=]=\s*[\w.()\[\]>-]*\btype\b", after))
        if compared or (not in_joints and match[1] not in AMBIGUOUS):
            found.append((text.count("\n", 0, match.start()) + 1, match[1]))
    return found


def main():
    root = Path(sys.argv[1])
    names = re.findall(r"^JOINT\((\w+)\)", (root / "src/joints/joints.def").read_text(), re.M)
    if [line for line, _ in problems(PLANTED, names, False)] != FOUND:
        print("planted names are not found")
        return 1
    found, files = [], 0
    for folder in ("include", "src", "apps"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".h", ".cpp", ".def"):
                continue
            files += 1
            name = str(file.relative_to(root))
            found += [f'{name}:{line}: "{joint}": let its JointType say what this wants to know'
                      for line, joint in problems(file.read_text(), names, name.startswith("src/joints/"))]
    print("\n".join(found) or f"{len(names)} joints, unknown by name to {files} files")
    return 1 if found or not names else 0


if __name__ == "__main__":
    sys.exit(main())
