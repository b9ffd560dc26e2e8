"""How well `auto` chooses: its cost at its own error beside the least of some forty settings (`make bench ARGUMENTS=--auto`).

bricard_auto_driver measures one model: cost against error of what `auto` takes at four tolerances, and of each setting over a
ladder of tolerances. The cost of a setting at an error is interpolated between its rungs, on logarithmic scales.
"""
import json
import math
import subprocess

TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
# What is asked of `auto`: within GOOD times the best for SHARE of the models, never above WORST.
GOOD, SHARE, WORST = 1.5, 0.9, 3.0


def measure(driver, file, quick, environment):
    """The lines of the driver, or none where a model has no reference."""
    words = [str(driver), str(file)] + (["quick"] if quick else [])
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if not lines:
        raise SystemExit(f"{file}: {done.stderr.strip()}")
    return {"model": file.stem, **lines[0], "runs": lines[1:]}


def cost_at(rungs, error):
    """Least CPU time by which a ladder [(error, cpu)] reaches an error, or None."""
    best = min((cpu for e, cpu in rungs if e <= error), default=None)
    for (e1, c1), (e2, c2) in zip(rungs, rungs[1:]):
        low, high = min(e1, e2), max(e1, e2)
        if low < error < high:
            share = math.log(error / e1) / math.log(e2 / e1)
            cpu = math.exp(math.log(c1) + share * math.log(c2 / c1))
            best = cpu if best is None else min(best, cpu)
    return best


def compare(measured):
    """For each tolerance what `auto` took, its error, and its cost over that of the best setting."""
    ladders, own = {}, {}
    for run in measured["runs"]:
        if run["setting"] == "auto":
            own[run["tolerance"]] = run
        elif run["error"] is not None:
            ladders.setdefault(run["setting"], []).append((run["error"], run["cpu"]))
    result = {}
    for tolerance, run in own.items():
        if run["error"] is None:
            result[tolerance] = {"chosen": run["chosen"], "ratio": math.inf, "best": "", "error": None, "cpu": run["cpu"]}
            continue
        error = max(run["error"], measured["uncertainty"])
        costs = {name: cost_at(rungs, error) for name, rungs in ladders.items()}
        costs = {name: cost for name, cost in costs.items() if cost is not None}
        best = min(costs, key=costs.get, default=None)
        ratio = max(1.0, run["cpu"] / costs[best]) if best else 1.0
        result[tolerance] = {"chosen": run["chosen"], "ratio": ratio, "best": best or run["chosen"], "error": error,
                             "cpu": run["cpu"], "evaluations": run["evaluations"]}
    return result


def table(results):
    """Lines of Markdown."""
    names = [f"{t:.0e}".replace("e-0", "e-") for t in TOLERANCES]
    lines = ["| model | s | " + " | ".join(names) + " |", "|---|---" + "|---" * len(names) + "|"]
    for result in results:
        compared = compare(result)
        cells = [f"{compared[t]['ratio']:.2f}" if t in compared else "-" for t in TOLERANCES]
        lines.append(f"| `{result['model']}` | {result['duration']:.3g} | " + " | ".join(cells) + " |")
    return lines


def summary(results):
    lines = ["|  | " + " | ".join(f"{t:.0e}".replace("e-0", "e-") for t in TOLERANCES) + " |", "|---" * 5 + "|"]
    ratios = {t: sorted(c[t]["ratio"] for c in map(compare, results) if t in c) for t in TOLERANCES}
    lines.append("| models | " + " | ".join(str(len(r)) for r in ratios.values()) + " |")
    lines.append(f"| within {GOOD:g} times the best | " + " | ".join(f"{sum(x <= GOOD for x in r)}" for r in ratios.values()) + " |")
    lines.append(f"| above {WORST:g} times | " + " | ".join(f"{sum(x > WORST for x in r)}" for r in ratios.values()) + " |")
    lines.append("| median | " + " | ".join(f"{r[len(r) // 2]:.2f}" for r in ratios.values()) + " |")
    lines.append("| largest | " + " | ".join(f"{r[-1]:.2f}" for r in ratios.values()) + " |")
    return lines


def details(results):
    """What the models above GOOD took, and what would have been better, for who improves the rules."""
    lines = []
    for result in results:
        for tolerance, c in compare(result).items():
            if c["ratio"] > GOOD:
                lines.append(f"{result['model']:24} {tolerance:.0e} {c['ratio']:6.2f}  {c['cpu'] * 1e3:8.3f} ms  error "
                             f"{c['error'] or math.nan:.1e}  {c['chosen']}  -> {c['best']}")
    return lines


PAGE = """# How well `auto` chooses

What `auto` takes, beside the best of {settings} settings of coordinates, formulation, engine, stabilisation and integrator: how many times the CPU time of the best it needs **for the error that it has**, at four
tolerances, for every shipped model. 1 is the best that any of them does. `make bench ARGUMENTS=--auto` measures and writes this page; a part of it is held by `tests/analyses/choice/auto_cost_test.cpp`, in evaluations.

- The error is the largest, over four instants and all bodies, of the error of the centre of mass in sizes of the model and of the angle in rad, against runs at a tolerance of 1e-13 by two methods that agree. The durations are those
  of the models, halved until they do and until such a run takes no more than 0.15 s.
- Each setting runs at tolerances from 1e-3 to 1e-12; its cost at an error is interpolated on logarithmic scales. The CPU time is the least of several runs, without their setup.
- The best of many settings is a little better than any of them is, by chance; times repeat to about 10 %.
- Where the motion has no degrees of freedom, errors are round-off at any tolerance: the best is then the setting that steps least.

{processor}, {compiler}.

{summary}

| model | s simulated | {tolerances} |
|---|---{bars}|
{rows}

Where it is above {good:g}, what `auto` took and what was best:

| model | tolerance | times | `auto` | best |
|---|---|---|---|---|
{behind}
"""


def page(results, settings, machine):
    names = [f"{t:.0e}".replace("e-0", "e-") for t in TOLERANCES]
    behind = []
    for result in results:
        for tolerance, c in compare(result).items():
            if c["ratio"] > GOOD:
                behind.append(f"| `{result['model']}` | {tolerance:.0e} | {c['ratio']:.1f} | {c['chosen']} | {c['best']} |")
    return PAGE.format(settings=settings, processor=machine["processor"], compiler=machine["compiler"], good=GOOD,
                       summary="\n".join(summary(results)), tolerances=" | ".join(names), bars="|---" * len(names),
                       rows="\n".join(table(results)[2:]), behind="\n".join(behind))


def run(options, root, environment, machine):
    driver = options.drivers / "bricard_auto_driver"
    if not driver.exists():
        raise SystemExit(f"no {driver.name} in {options.drivers}: `make bench` builds it")
    only = tuple(filter(None, options.case.split(",")))
    files = [f for f in sorted((root / "models").glob("*.yaml")) if not only or f.stem in only]
    # With --case, those measured before are kept.
    stored = options.work / "auto.json"
    before = json.loads(stored.read_text()) if only and stored.exists() else []
    results = [r for r in before if r["model"] not in only]
    for file in files:
        result = measure(driver, file, options.quick, environment)
        print(f"{result['model']:28} {result['duration']:8.3g} s  "
              + ", ".join(f"{c['ratio']:.2f}" for c in compare(result).values()), flush=True)
        results.append(result)
    results.sort(key=lambda r: r["model"])
    without = [r["model"] for r in results if not r["runs"]]
    results = [r for r in results if r["runs"]]
    print("\n".join([""] + summary(results) + [""] + details(results)))
    if without:
        print("without a reference:", ", ".join(without))
    options.work.mkdir(parents=True, exist_ok=True)
    stored.write_text(json.dumps(results) + "\n")
    if options.quick or (only and not before):
        return
    target = options.page or root / "docs/auto.md"
    settings = {r["setting"] for result in results for r in result["runs"]} - {"auto"}
    target.write_text(page(results, len(settings), machine))
    print(f"wrote {target}")
