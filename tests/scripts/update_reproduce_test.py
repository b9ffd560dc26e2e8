"""scripts/update-reproduce: what it calls the same, and what it does not."""
import importlib.machinery
import importlib.util
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "scripts"))  # of what it imports
script = os.path.join(sys.argv[1], "scripts", "update-reproduce")
loader = importlib.machinery.SourceFileLoader("update_reproduce", script)
spec = importlib.util.spec_from_loader("update_reproduce", loader)
page = importlib.util.module_from_spec(spec)
loader.exec_module(page)


def item(verdict="confirmed", measured="error 3.0e-07 in 1000 steps", milliseconds="3.1", steps="1000", of_times=False):
    return {"claims": [{"text": "it is small", "verdict": verdict, "measured": measured, "of_times": of_times}],
            "tables": [{"caption": "Runs of 10 s", "note": "", "header": ["method", "ms", "steps"], "timed": ["ms"],
                        "rows": [["QR | Householder", milliseconds, steps]]}],
            "differences": ["Start at 45 deg."]}


def differ(a, b):
    return page.differences(page.block_text(a, None), page.block_text(b, None))


assert not differ(item(), item())
assert not differ(item(), item(milliseconds="9.9")), "times are of a machine"
assert not differ(item(), item(measured="error 5.0e-07 in 1010 steps")), "of the same size"
assert differ(item(), item(measured="error 9.9e-07 in 1000 steps"))
assert differ(item(), item(measured="error 3.0e-07 in 1100 steps"))
assert differ(item(), item(measured="an error of 3.0e-07 in 1000 steps"))
assert differ(item(), item(steps="1100"))
assert differ(item(), item(verdict="not confirmed here"))
assert not differ(item(of_times=True), item(verdict="not confirmed here", measured="twice", of_times=True))
assert differ(item(of_times=True), item())
assert not differ(item(measured="3e-16"), item(measured="8e-12")), "rounding"
assert differ(item(measured="3e-4"), item(measured="-3e-4"))
assert "Runs" not in page.block_text(item(), "none") and "Runs" in page.block_text(item(), "1")
listed = "Papers:\n  one\n    A citation,\n    1999\n      table-1   Title\n                   that goes on\n      table-2   Title\n  two\n      table-1   Title\n"
text = "<!-- reproduce: one table-1 -->\n<!-- end -->\n<!-- reproduce: two table-1 tables: none -->\nx\n<!-- end -->\n"
assert page.missing_items(text, listed) == ["one table-2"], page.missing_items(text, listed)
