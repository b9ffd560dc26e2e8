#!/usr/bin/env python3
"""Runs Bricard and its peers on the same mechanisms, interleaved, and renders docs/performance.md.

`make bench` builds the drivers and calls this. An engine whose driver is missing is left out, and the page says so.
"""
import argparse
import json
import math
import os
import platform
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
import auto
import render
from cases import ENGINES, FAMILIES, GROWING, NAMES, ROOT, TARGETS, all_cases, four_bar_points, ladders, largest_distance, squeezer_points

HERE = Path(__file__).resolve().parent
REFERENCES = HERE / "references.json"
PROGRAMS = {"bricard": "bricard_bench_driver", "simbody": "bench_simbody", "mujoco": "bench_mujoco", "dart": "bench_dart"}
PACKAGES = {"simbody": "libsimbody-dev", "mujoco": "libmujoco-dev", "dart": "libdart-dev", "valgrind": "valgrind"}
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def limited(seconds):
    def set_limit():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
    return set_limit


class Bench:
    def __init__(self, options):
        self.options = options
        self.work = options.work
        self.work.mkdir(parents=True, exist_ok=True)
        self.programs = {e: options.drivers / p for e, p in PROGRAMS.items() if (options.drivers / p).exists()}
        if "bricard" not in self.programs:
            sys.exit(f"no {PROGRAMS['bricard']} in {options.drivers}: `make bench` builds it")
        self.integrators = self.tool("integrators").split()
        self.references = json.loads(REFERENCES.read_text()) if REFERENCES.exists() else {}
        self.started = time.time()

    def say(self, text):
        print(f"[{time.time() - self.started:6.0f} s] {text}", flush=True)

    def tool(self, *words):
        return subprocess.run([self.programs["bricard"], *words], capture_output=True, text=True, check=True,
                              env=ENVIRONMENT).stdout

    # --- models ---

    def prepare(self, case):
        """Writes the model file and its description; gives the measured points and the centres of bodies."""
        case.file, case.description = self.work / f"{case.key}.yaml", self.work / f"{case.key}.txt"
        if case.family.generator:
            text = self.tool("generate", case.family.generator, str(case.size))
            if case.family.gravity:
                text = text.replace("dimension: spatial\n", f"dimension: spatial\ngravity: {case.family.gravity}\n", 1)
        else:
            text = (ROOT / case.family.model).read_text()
        case.file.write_text(text)
        described = self.tool("describe", str(case.file))
        described = re.sub(r"^duration .*$", f"duration {case.duration}", described, flags=re.M)
        case.description.write_text(described)
        lines = [line.split() for line in described.splitlines()]
        case.points = {w[1]: [float(x) for x in w[2:]] for w in lines if w[0] == "point"}
        case.bodies = sum(w[0] == "body" for w in lines)
        case.conservative = not any(w[0] in ("force", "torque") for w in lines)
        self.set_reference(case, {w[1]: [float(x) for x in w[3:6]] for w in lines if w[0] == "body"})

    def set_reference(self, case, bodies):
        stored = self.references.get(case.key, {})
        case.energy_scale = stored.get("energy_scale")
        if case.family.reference == "four-bar":
            case.reference, case.uncertainty, case.how = four_bar_points(case, case.points), 1e-14, "one equation, 40 digits"
        elif case.family.reference == "squeezer":
            case.reference, case.how = squeezer_points(bodies, case.points), "published (Test Set for IVP Solvers)"
            case.uncertainty = 1e-11
        else:
            case.reference, case.uncertainty = stored.get("points"), stored.get("uncertainty")
            case.how = stored.get("how", "none")
            if case.reference and abs(stored["duration"] - case.duration) > 1e-12:
                sys.exit(f"{REFERENCES.name} has another duration for {case.key}: run with --references")

    # --- runs ---

    def run(self, case, engine, setting, limit=None, prefix=(), **more):
        limit = limit or self.options.limit
        words = [str(self.programs[engine])]
        words += ["run", str(case.file)] if engine == "bricard" else []
        words += [str(case.description)] + [f"{k}={v}" for k, v in {**setting, **more}.items()]
        begun = time.time()
        result = {"ok": False, "failure": f"more than {limit:g} s", "timeout": True}
        try:
            done = subprocess.run([*prefix, *words], capture_output=True, text=True, timeout=20 * limit + 60,
                                  preexec_fn=limited(limit), env=ENVIRONMENT)
            if done.stdout.strip():
                result = json.loads(done.stdout.strip().splitlines()[-1])
            elif done.returncode != -signal.SIGXCPU and done.returncode != -signal.SIGKILL:
                result = {"ok": False, "failure": f"exit {done.returncode}: {done.stderr[-200:]}"}
            result["stderr"] = done.stderr
        except subprocess.TimeoutExpired:
            pass
        result.update(engine=engine, setting=setting, wall=time.time() - begun, error=None, energy_error=None)
        if result["ok"] and case.reference:
            result["error"] = largest_distance(result["points"], case.reference) / case.length
        if result["ok"] and case.conservative and case.energy_scale:
            drift = result["energy_drift"]
            drift = abs(result["energy_end"] - result["energy_start"]) if drift is None else drift
            result["energy_error"] = drift / case.energy_scale
        return result

    def tell(self, case, result):
        setting = " ".join(f"{k}={v}" for k, v in result["setting"].items())
        if result["ok"]:
            error = "-" if result["error"] is None else f"{result['error']:.1e}"
            outcome = f"{result['cpu']:9.4f} s  error {error}"
        else:
            outcome = result["failure"][:60]
        self.say(f"{case.key:18} {NAMES[result['engine']]:8} {setting:45} {outcome}")

    def sweep(self, case):
        """Every engine climbs its ladders of settings, one run at a time in turn; then the best are repeated."""
        climbers = {e: Climber(case, ladders(e, case, self.integrators), self.options) for e in self.programs}
        runs = []
        while any(not c.finished() for c in climbers.values()):
            for engine, climber in climbers.items():
                setting = climber.next()
                if setting is None:
                    continue
                result = self.run(case, engine, setting)
                self.tell(case, result)
                climber.take(result)
                runs.append(result)
        for _ in range(self.options.repetitions - 1):
            chosen = []
            for target in TARGETS:
                for engine in self.programs:
                    good = sorted((r for r in runs if r["engine"] == engine and reaches(r, target)), key=lambda r: r["cpu"])
                    chosen += [r for r in good[:2] if r not in chosen and r["cpu"] < 1.3 * good[0]["cpu"]]
            for result in chosen:
                again = self.run(case, result["engine"], result["setting"])
                if again["ok"]:
                    result.setdefault("times", [result["cpu"]]).append(again["cpu"])
                    result["cpu"] = least(result["times"])
                    result["setup"] = min(result["setup"], again["setup"])
        keep = ("engine", "setting", "ok", "failure", "note", "cpu", "setup", "steps", "evaluations", "error", "energy_error",
                "heap", "rss_kb", "timeout")
        return {"case": case.key, "family": case.family.key, "size": case.size, "bodies": case.bodies,
                "duration": case.duration, "length": case.length, "reference": case.how, "uncertainty": case.uncertainty,
                "budget": self.options.budget,
                "runs": [{k: r[k] for k in keep if k in r} for r in runs],
                "stopped_by_time": {e: c.stopped_by_time for e, c in climbers.items()}}

    # --- references ---

    def make_references(self, only):
        """Tight runs of Simbody and of two formulations of Bricard. The run nearest to the others is the reference, its distance
        to the nearer of them the uncertainty."""
        for case in all_cases(only=only, sizes=self.options.sizes):
            if case.family.reference != "tight":
                continue
            self.prepare(case)
            loops = case.family.loops
            tolerance = "1e-12" if case.size < 100 else "1e-11" if case.size < 400 else "1e-10"
            relative = {"coordinates": "relative", "formulation": "recursive"}
            absolute = {"coordinates": "reference-point",
                        "formulation": "nullspace-svd" if case.family.key == "bricard" else "lagrange"}
            plan = [("simbody", {"integrator": "merson", "accuracy": tolerance, "project": "1"},
                     "Simbody, Runge-Kutta-Merson"),
                    ("bricard", {**relative, "integrator": "dop853", "tolerance": tolerance,
                                 **({"stabilization": "projection"} if loops else {})}, "Bricard, relative/recursive"),
                    ("bricard", {**absolute, "integrator": "dop853", "tolerance": tolerance},
                     f"Bricard, reference-point/{absolute['formulation']}")]
            runs = []
            for engine, setting, name in plan:
                result = self.run(case, engine, setting, limit=self.options.reference_limit)
                self.tell(case, {**result, "setting": setting})
                if result["ok"]:
                    runs.append((name, result))
            if len(runs) < 2:
                self.say(f"{case.key}: fewer than two tight runs, no reference")
                continue
            def distance(a, b):
                return largest_distance(a[1]["points"], b[1]["points"]) / case.length
            best = min(runs, key=lambda r: sum(distance(r, other) for other in runs))
            others = {name: distance(best, (name, r)) for name, r in runs if name != best[0]}
            scale = self.energy_scale(case)
            self.references[case.key] = {
                "duration": case.duration, "how": best[0], "others": others, "uncertainty": min(others.values()),
                "energy_scale": scale, "points": best[1]["points"]}
            self.say(f"{case.key}: {best[0]}; differences {', '.join(f'{n} {d:.1e}' for n, d in others.items())}")
            REFERENCES.write_text(json.dumps(self.references, indent=1) + "\n")

    def energy_scale(self, case):
        """Of the mechanism's weight over its size: what energy errors are compared to."""
        lines = [line.split() for line in case.description.read_text().splitlines()]
        mass = sum(float(w[2]) for w in lines if w[0] == "body")
        gravity = next(math.hypot(*map(float, w[1:])) for w in lines if w[0] == "gravity")
        return mass * gravity * case.length

    # --- growth, instructions, memory ---

    def growth(self, quick):
        """Cost of an evaluation against the number of bodies, short runs at one setting."""
        settings = {"bricard": {"tolerance": "1e-6"}, "simbody": {"integrator": "merson", "accuracy": "1e-6"},
                    "mujoco": {"integrator": "rk4", "step": "1e-3", "stiffness": "1"}, "dart": {"step": "1e-3"}}
        result = []
        for family in GROWING:
            for case in family.cases:
                if case.size < 40 or (quick and case.size not in (40, 400, 1000)):
                    continue
                self.prepare(case)
                for engine in self.programs:
                    best = None
                    for _ in range(1 if quick else 3):
                        # The difference of two durations: what start and outputs cost is not of an evaluation.
                        # Steps of long chains are shorter.
                        first = {"four-bar": 0.25, "hanging-chain": min(8 / case.size, 0.1)}.get(family.key, min(80 / case.size, 0.5))
                        short = self.run(case, engine, settings[engine], duration=f"{first:g}", repeat="1")
                        run = self.run(case, engine, settings[engine], duration=f"{3 * first:g}", repeat="1") if short["ok"] else short
                        if not run["ok"]:
                            break
                        run["each"] = (run["cpu"] - short["cpu"]) / max(run["evaluations"] - short["evaluations"], 1)
                        if run["each"] > 0 and (best is None or run["each"] < best["each"]):
                            best = run
                        if run["cpu"] + run["setup"] > 3:
                            break
                    if best is None:
                        self.say(f"growth {case.key:18} {NAMES[engine]:8} {run.get('failure', 'too short to be measured')[:60]}")
                        continue
                    self.say(f"growth {case.key:18} {NAMES[engine]:8} {1e6 * best['each']:.1f} us an evaluation")
                    result.append({"family": family.key, "size": case.size, "bodies": case.bodies, "engine": engine,
                                   "seconds": best["each"], "setup": best["setup"], "heap": best["heap"],
                                   "rss_kb": best["rss_kb"]})
        return result

    def four_bar_evaluation(self):
        """Instructions of one evaluation of a four-bar linkage, by the engine and by equations written for it by hand."""
        program = self.options.drivers / "four_bar_evaluation"
        def count(who, times):
            done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, who, str(times)],
                                  capture_output=True, text=True, env=ENVIRONMENT)
            return int(re.search(r"Collected : (\d+)", done.stderr)[1])
        result = {who: (count(who, 3000) - count(who, 1000)) / 2000 for who in ("engine", "hand")}
        self.say(f"four-bar evaluation: {result['engine']:.0f} instructions, by hand {result['hand']:.0f}")
        return result

    def instructions(self, quick):
        """Instructions an evaluation of a body: the difference of two durations, everything included."""
        if not Path("/usr/bin/valgrind").exists():
            self.say("no valgrind: instructions are not counted")
            return {}
        result = []
        for case in (c for family in GROWING for c in family.cases if c.size in ((400,) if quick else (40, 400, 4000))):
            self.prepare(case)
            # The steps of a hanging chain are the shorter, the more links it has.
            durations = {"four-bar": (0.2, 0.7), "hanging-chain": (8 / case.size, 16 / case.size)}.get(case.family.key, (0.2, 0.4))
            counts = []
            for duration in durations:
                run = self.run(case, "bricard", {"tolerance": "1e-6"}, limit=900, duration=f"{duration:g}", repeat="1",
                               prefix=("valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null"))
                found = re.search(r"Collected : (\d+)", run.get("stderr", ""))
                if run["ok"] and found:
                    counts.append((int(found[1]), run["evaluations"]))
            if len(counts) == 2 and counts[1][1] > counts[0][1]:
                each = (counts[1][0] - counts[0][0]) / (counts[1][1] - counts[0][1]) / case.bodies
                self.say(f"instructions {case.key}: {each:.0f} a body and evaluation")
                result.append({"family": case.family.key, "size": case.size, "bodies": case.bodies, "instructions": each})
            else:
                self.say(f"instructions {case.key}: not counted ({run['failure'][:80]})")
        return {"families": result, "four_bar_evaluation": self.four_bar_evaluation()}


class Climber:
    """Which setting an engine tries next. A ladder ends when its next run would take too long, when it is as accurate as the
    reference can tell, or when it is dearer and worse than another ladder of the same engine three times in a row."""

    def __init__(self, case, steps, options):
        self.case, self.ladders, self.options = case, [list(l) for l in steps], options
        self.spent, self.turn, self.runs, self.worse = 0.0, 0, [], [0] * len(self.ladders)
        self.last, self.failed = [None] * len(self.ladders), [0] * len(self.ladders)
        self.stopped_by_time = False

    def finished(self):
        return not any(self.ladders)

    def next(self):
        for _ in range(len(self.ladders)):
            number = self.turn % len(self.ladders)
            if not self.ladders[number]:
                self.turn += 1
                continue
            if self.spent + self.guess(number) > self.options.budget and self.last[number] is not None or (
                    self.spent > self.options.budget):
                self.ladders[number] = []
                self.stopped_by_time = True
                continue
            return self.ladders[number].pop(0)
        return None

    def guess(self, number):
        """Time of the ladder's next run."""
        last = self.last[number]
        if last is None:
            return 0.0
        following = self.ladders[number][0]
        factor = float(last["setting"]["step"]) / float(following["step"]) if "step" in following else 1.6
        return last["cpu"] * factor

    def take(self, result):
        number = self.turn % len(self.ladders)
        self.turn += 1
        if result.get("timeout"):
            if self.last[number]:  # else it is rough steps that hang, which the other ladders are not to pay for
                self.spent += self.options.limit
            self.ladders[number] = []
            self.stopped_by_time = True
            return
        if not result["ok"] or result["error"] is None:
            self.spent += result.get("cpu") or 0.0
            self.failed[number] += 1
            if self.failed[number] >= (1 if self.last[number] else 5):  # rough steps may be unstable
                self.ladders[number] = []
            return
        self.spent += result["cpu"]
        self.last[number] = result
        if result["error"] < max(2e-11, 2 * (self.case.uncertainty or 0)):
            self.ladders[number] = []
        beaten = any(r["error"] <= result["error"] and r["cpu"] < 0.5 * result["cpu"] for r in self.runs)
        self.worse[number] = self.worse[number] + 1 if beaten else 0
        if self.worse[number] >= 3:
            self.ladders[number] = []
        self.runs.append(result)


def least(times):
    """The least of several times; one far below the others is an error of the clock of a virtual machine."""
    middle = sorted(times)[len(times) // 2]
    return min(t for t in times if t >= 0.5 * middle)


def reaches(run, target):
    return run["ok"] and run["error"] is not None and run["error"] <= target


def machine():
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    release = re.search(r'PRETTY_NAME="(.*)"', Path("/etc/os-release").read_text())
    versions = {}
    for name, package in PACKAGES.items():
        found = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True)
        versions[name] = found.stdout if found.returncode == 0 else "not installed"
    compiler = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    return {"processor": model[1] if model else platform.processor(), "system": release[1] if release else "",
            "compiler": f"g++ {compiler}", "versions": versions}


def write(folder, name, content):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(content, indent=1) + "\n")


def read(folder, name, otherwise):
    return json.loads((folder / name).read_text()) if (folder / name).exists() else otherwise


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few sizes and little time: about 3 minutes instead of 50")
    parser.add_argument("--case", default="", help="only these families, separated by commas: "
                        + ", ".join(f.key for f in FAMILIES))
    parser.add_argument("--sizes", default=(), type=lambda text: tuple(map(int, text.split(","))), help="only these N")
    parser.add_argument("--limit", type=float, default=20, help="seconds a run may take (default 20)")
    parser.add_argument("--budget", type=float, help="seconds for the settings of one engine on one mechanism (default 14; quick 2)")
    parser.add_argument("--repetitions", type=int, default=3, help="of the best runs; the least time counts (default 3)")
    parser.add_argument("--drivers", type=Path, default=ROOT / "build/bench", help="folder of the drivers")
    parser.add_argument("--work", type=Path, default=ROOT / "build/bench/models", help="folder for models")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="folder of the results")
    parser.add_argument("--page", type=Path, help="the page to render (default docs/performance.md)")
    parser.add_argument("--only", choices=("peers", "growth", "instructions", "render"), help="only this part")
    parser.add_argument("--check", action="store_true", help="the gate of speed alone: bench/check.py")
    parser.add_argument("--auto", action="store_true", help="how well `auto` chooses (bench/auto.py), and nothing else; --case "
                        "then names models, --page a page other than docs/auto.md")
    parser.add_argument("--references", action="store_true", help="compute bench/references.json anew, and nothing else")
    parser.add_argument("--reference-limit", type=float, default=900, help="seconds a tight run may take")
    options = parser.parse_args()
    if options.check:
        return subprocess.run([sys.executable, HERE / "check.py"], check=False).returncode
    if options.auto:
        auto.run(options, ROOT, ENVIRONMENT, machine())
        return
    options.page = options.page or ROOT / "docs/performance.md"
    options.budget = options.budget or (2 if options.quick else 14)
    if options.quick:
        options.limit = min(options.limit, 5)
    only = tuple(filter(None, options.case.split(",")))
    bench = Bench(options) if options.only != "render" else None
    if options.references:
        bench.make_references(only)
        return
    results = options.results
    if options.only in (None, "peers"):
        partial = bool(only or options.sizes)
        measured = {c["case"]: c for c in read(results, "peers.json", {"cases": []})["cases"]} if partial else {}
        order = [c.key for c in all_cases()]
        for case in all_cases(options.quick, only, options.sizes):
            bench.prepare(case)
            measured[case.key] = bench.sweep(case)
            write(results, "peers.json", {"machine": machine(), "quick": options.quick, "limit": options.limit,
                                          "budget": options.budget, "engines": list(bench.programs),
                                          "integrators": bench.integrators,
                                          "cases": [measured[k] for k in order if k in measured]})
    if options.only in (None, "growth"):
        write(results, "growth.json", bench.growth(options.quick))
    if options.only == "instructions" or (options.only is None and not options.quick):
        write(results, "instructions.json", bench.instructions(options.quick))
    render.page(read(results, "peers.json", None), read(results, "growth.json", []),
                read(results, "instructions.json", {}), options.page)
    print(f"wrote {options.page}")


if __name__ == "__main__":
    sys.exit(main())
