"""Renders docs/performance.md and its pictures from the results of the benchmark."""
import math

from cases import ENGINES, FAMILIES, GROWING, NAMES, TARGETS

COLOURS = {"bricard": "#c0392b", "simbody": "#2471a3", "mujoco": "#1e8449", "dart": "#7d6608"}
MARKS = {"bricard": "circle", "simbody": "square", "mujoco": "diamond", "dart": "triangle"}


def reaches(run, target):
    return run["ok"] and run["error"] is not None and run["error"] <= target


def best(case, engine, target):
    good = [r for r in case["runs"] if r["engine"] == engine and reaches(r, target)]
    return min(good, key=lambda r: r["cpu"]) if good else None


def span(values):
    low, high = min(values := list(values)), max(values)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def seconds(value):
    if value < 1e-4:
        return f"{1e6 * value:.3g} us"
    if value < 1e-3:
        return f"{1e3 * value:.2f} ms"
    if value < 1:
        return f"{1e3 * value:.3g} ms"
    return f"{value:.3g} s"


def setting_text(run):
    words = [str(v) for k, v in run["setting"].items() if k not in ("project", "erp", "stiffness")]
    extra = {"project": "projection when needed", "erp": "erp {}", "stiffness": "time constant {} h"}
    words += [extra[k].format(v) for k, v in run["setting"].items() if k in extra and not (k == "project" and v == "1")]
    return ", ".join(words)


def cell(case, engine, target):
    run = best(case, engine, target)
    if run:
        return seconds(run["cpu"])
    errors = [r["error"] for r in case["runs"] if r["engine"] == engine and r["ok"] and r["error"] is not None]
    reason = "not in time" if case["stopped_by_time"].get(engine) else "cannot"
    return f"{reason} ({min(errors):.0e})" if errors else reason


def ratio(case, target):
    ours = best(case, "bricard", target)
    peers = [b["cpu"] for e in ENGINES[1:] if (b := best(case, e, target))]
    if ours and peers:
        return min(peers) / ours["cpu"]
    return math.inf if ours else 0.0 if peers else None


def ratio_text(value):
    if value is None:
        return "-"
    if math.isinf(value):
        return "only Bricard"
    return "peer only" if value == 0 else f"**{value:.3g}**" if value >= 1 else f"{value:.2g}"


def resolved(case, target):
    return not case["uncertainty"] or case["uncertainty"] < target / 2


# --- pictures ---

def mark(kind, x, y, size=3.2):
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}"/>'
    if kind == "square":
        return f'<rect x="{x - size:.1f}" y="{y - size:.1f}" width="{2 * size}" height="{2 * size}"/>'
    if kind == "diamond":
        return f'<path d="M{x:.1f} {y - 1.4 * size:.1f}l{1.4 * size} {1.4 * size}l{-1.4 * size} {1.4 * size}l{-1.4 * size} {-1.4 * size}z"/>'
    return f'<path d="M{x:.1f} {y - 1.3 * size:.1f}l{1.3 * size} {2.4 * size}h{-2.6 * size}z"/>'


def plot(title, x_title, y_title, series, guides=()):
    """Double logarithmic; series: name -> (points, line points, colour, mark)."""
    points = [p for s in series.values() for p in s[0] + s[1]]
    if not points:
        return None
    width, height, left, right, top, bottom = 460, 330, 62, 14, 34, 70
    bounds = []
    for axis in (0, 1):
        values = [math.log10(p[axis]) for p in points]
        bounds.append((math.floor(min(values) + 1e-9), max(math.ceil(max(values) - 1e-9), math.floor(min(values)) + 1)))
    def at(point):
        return (left + (math.log10(point[0]) - bounds[0][0]) / (bounds[0][1] - bounds[0][0]) * (width - left - right),
                height - bottom - (math.log10(point[1]) - bounds[1][0]) / (bounds[1][1] - bounds[1][0])
                * (height - top - bottom))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="11" fill="#333">', f'<rect width="{width}" height="{height}" fill="#fff"/>',
           f'<text x="{left}" y="18" font-size="13" font-weight="bold">{title}</text>']
    for axis, (low, high) in enumerate(bounds):
        every = max(1, (high - low + 5) // 6)
        for power in range(low, high + 1):
            x, y = at((10.0**power, 10.0**bounds[1][0]) if axis == 0 else (10.0**bounds[0][0], 10.0**power))
            line = f'M{x:.1f} {top}V{height - bottom}' if axis == 0 else f'M{left} {y:.1f}H{width - right}'
            out.append(f'<path d="{line}" stroke="#ddd" fill="none"/>')
            if (power - low) % every == 0:
                label = f'10<tspan dy="-4" font-size="8">{power}</tspan>'
                out.append(f'<text x="{x:.1f}" y="{height - bottom + 16}" text-anchor="middle">{label}</text>' if axis == 0
                           else f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for value in guides:
        if bounds[1][0] <= math.log10(value) <= bounds[1][1]:
            y = at((10.0**bounds[0][0], value))[1]
            out.append(f'<path d="M{left} {y:.1f}H{width - right}" stroke="#999" stroke-dasharray="4 3"/>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - bottom + 34}" text-anchor="middle">{x_title}</text>')
    out.append(f'<text transform="translate(14 {(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">{y_title}</text>')
    for number, (name, (dots, line, colour, kind)) in enumerate(series.items()):
        out.append(f'<g fill="{colour}" fill-opacity="0.35">' + "".join(mark(kind, *at(p), 2.2) for p in dots) + "</g>")
        if line:
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in map(at, line))
            out.append(f'<path d="M{path}" stroke="{colour}" stroke-width="1.8" fill="none"/>')
            out.append(f'<g fill="{colour}">' + "".join(mark(kind, *at(p)) for p in line) + "</g>")
        x = left + number * (width - left - right) / max(len(series), 4)
        out.append(f'<g fill="{colour}">{mark(kind, x, height - 16)}</g><text x="{x + 9:.1f}" y="{height - 12}">{name}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def front(runs):
    """The runs that no other run of the engine beats in both time and error."""
    result = []
    for run in sorted(runs, key=lambda r: (r["cpu"], r["error"])):
        if not result or run["error"] < result[-1]["error"]:
            result.append(run)
    return result


def work_precision(case, title):
    series = {}
    for engine in ENGINES:
        runs = [r for r in case["runs"] if r["engine"] == engine and r["ok"] and r["error"] and r["error"] < 1 and r["cpu"] > 0]
        if runs:
            pairs = [(r["cpu"], max(r["error"], 1e-13)) for r in runs]
            line = [(r["cpu"], max(r["error"], 1e-13)) for r in front(runs)]
            series[NAMES[engine]] = (pairs, line, COLOURS[engine], MARKS[engine])
    return plot(title, "CPU time of the simulation, s", "relative error at the end", series, TARGETS)


def slope(pairs):
    xs, ys = [math.log(x) for x, _ in pairs], [math.log(y) for _, y in pairs]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx)**2 for x in xs)


# --- the page ---

def case_title(family, case):
    return f"{family.title}, N = {case['size']}" if family.sizes != (1,) else family.title


def summary(cases, engines):
    lines = ["| error at most | mechanisms where somebody gets there | Bricard fastest | only Bricard | a peer faster | median ratio |",
             "|---|---|---|---|---|---|"]
    for target in TARGETS:
        ratios = [r for c in cases if resolved(c, target) and (r := ratio(c, target)) is not None]
        finite = sorted(r for r in ratios if 0 < r < math.inf)
        median = finite[len(finite) // 2] if finite else None
        lines.append(f"| {target:.0e} | {len(ratios)} | {sum(1 <= r < math.inf for r in ratios)} | {sum(map(math.isinf, ratios))} | "
                     f"{sum(r < 1 for r in ratios)} | {f'{median:.3g}' if median else '-'} |")
    return lines


def family_lines(family, cases, engines, folder):
    lines = [f"## {family.title[0].upper()}{family.title[1:]}", "", family.text[0].upper() + family.text[1:] + ".", ""]
    peers = [e for e in engines if e != "bricard"]
    lines += ["| N | error | Bricard | " + " | ".join(NAMES[e] for e in peers) + " | ratio to the best peer | Bricard's and the peer's setting |",
              "|---|---|---|" + "---|" * len(peers) + "---|---|"]
    for case in cases:
        for number, target in enumerate(TARGETS):
            size = case["size"] if number == 0 else ""
            if not resolved(case, target):
                lines.append(f"| {size} | {target:.0e} | not resolved: the reference is certain to {case['uncertainty']:.0e} |"
                             + " |" * (len(peers) + 2))
                continue
            winners = [best(case, "bricard", target)]
            reached = [b for e in peers if (b := best(case, e, target))]
            winners.append(min(reached, key=lambda r: r["cpu"]) if reached else None)
            settings = "; ".join(setting_text(w) if w["engine"] == "bricard" else f"{NAMES[w['engine']]} {setting_text(w)}"
                                 for w in winners if w)
            lines.append(f"| {size} | {target:.0e} | " + " | ".join(cell(case, e, target) for e in ["bricard", *peers])
                         + f" | {ratio_text(ratio(case, target))} | {settings} |")
    lines.append("")
    failures = {}
    for case in cases:
        for run in case["runs"]:
            if not run["ok"] and not run.get("timeout"):
                failures.setdefault((NAMES[run["engine"]], run["failure"].split("\n")[0][:90]), set()).add(case["size"])
    for (name, text), sizes in sorted(failures.items()):
        where = f" (N = {', '.join(map(str, sorted(sizes)))})" if family.sizes != (1,) else ""
        lines.append(f"- {name}, some runs{where}: {text}")
    if failures:
        lines.append("")
    pictures = []
    for case in cases:
        picture = work_precision(case, case_title(family, case))
        if picture:
            name = f"{case['case']}.svg"
            (folder / name).write_text(picture)
            pictures.append(f"![{case_title(family, case)}: work and precision]({folder.name}/{name})")
    return lines + [" ".join(pictures), ""]


def energy_lines(families, cases, engines):
    lines = ["## Energy", "", "Error of the energy, relative to the mechanism's weight over its size, of the cheapest run with an error of at most 1e-6 "
             "(or 1e-3). Bricard: the largest over all steps; others: at the end.", "",
             "| mechanism | " + " | ".join(NAMES[e] for e in engines) + " |", "|---|" + "---|" * len(engines)]
    for family in families:
        for case in cases:
            if case["family"] != family.key:
                continue
            values = []
            for engine in engines:
                run = best(case, engine, 1e-6) or best(case, engine, 1e-3)
                known = run and run.get("energy_error") is not None
                values.append(f"{run['energy_error']:.0e}{'' if best(case, engine, 1e-6) else ' (1e-3)'}" if known else "-")
            if any(v != "-" for v in values):
                lines.append(f"| {case_title(family, case)} | " + " | ".join(values) + " |")
    return lines + [""]


def growth_lines(growth, engines, folder):
    if not growth:
        return []
    lines = ["## Growth", "", "CPU time of one evaluation (everything included: the difference of two runs, one three times as long, divided by that of their evaluations), and the exponent p of "
             "cost ~ bodies^p fitted to them: 1 is linear.", "",
             "| family | engine | " + " | ".join(f"N = {n}" for n in (40, 100, 400, 1000, 4000)) + " | p |",
             "|---|---|---|---|---|---|---|---|"]
    pictures = []
    for family in GROWING:
        series = {}
        for engine in engines:
            rows = {g["size"]: g for g in growth if g["family"] == family.key and g["engine"] == engine}
            if not rows:
                continue
            pairs = [(g["bodies"], g["seconds"]) for g in rows.values()]
            lines.append(f"| {family.title} | {NAMES[engine]} | "
                         + " | ".join(seconds(rows[n]["seconds"]) if n in rows else "-" for n in (40, 100, 400, 1000, 4000))
                         + (f" | {slope(pairs):.2f} |" if len(pairs) > 1 else " | - |"))
            series[NAMES[engine]] = ([], pairs, COLOURS[engine], MARKS[engine])
        picture = plot(f"{family.title}: cost of an evaluation", "bodies", "s", series)
        if picture:
            (folder / f"growth-{family.key}.svg").write_text(picture)
            pictures.append(f"![{family.title}: growth]({folder.name}/growth-{family.key}.svg)")
    lines += ["", " ".join(pictures), "", "Before the first step (reading the model, assembly, analysis of the structure), and memory of Bricard at that moment (model, equations and integrator; without names of columns, which whoever writes them has):", "",
              "| family | bodies | setup | heap a body | peak memory |", "|---|---|---|---|---|"]
    for g in growth:
        if g["engine"] == "bricard":
            lines.append(f"| {g['family']} | {g['bodies']} | {seconds(g['setup'])} | {g['heap'] / g['bodies'] / 1024:.1f} KiB | "
                         f"{g['rss_kb'] / 1024:.0f} MiB |")
    for family in GROWING:
        rows = [g for g in growth if g["engine"] == "bricard" and g["family"] == family.key]
        if len(rows) > 1:
            low, high = rows[0], rows[-1]
            bodies = high["bodies"] - low["bodies"]
            lines.append(f"\n{family.title}: each further body costs {(high['heap'] - low['heap']) / bodies / 1024:.1f} KiB of heap, "
                         f"{(high['rss_kb'] - low['rss_kb']) / bodies:.1f} KiB of peak memory.")
    return lines + [""]


def page(peers, growth, instructions, target):
    folder = target.parent / target.stem
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    machine, engines, cases = peers["machine"], peers["engines"], peers["cases"]
    missing = [NAMES[e] for e in ENGINES if e not in engines]
    versions = ", ".join(f"{NAMES.get(k, k)} {v}" for k, v in machine["versions"].items())
    lines = ["# Performance", "",
             "Bricard beside Simbody, MuJoCo and DART: the same mechanisms, built from the same numbers, on one machine, the engines in turn run by run. "
             "Compared is the least CPU time to an error, not the time at a step size. `make bench` measures all of it anew and writes this page; "
             "`bench/run.py --help` has parts of it.", "",
             f"Machine: {machine['processor']}, one thread; {machine['system']}, {machine['compiler']}, optimised builds. {versions}.", ""]
    if missing:
        lines += [f"Not measured because it is not installed: {', '.join(missing)}.", ""]
    if peers["quick"]:
        lines += ["This was a quick run: few sizes, little time for each engine.", ""]
    lines += ["## Summary", "", "The ratio is the time of the best peer divided by Bricard's: above 1 Bricard is faster.", ""]
    lines += summary(cases, engines) + ["",
             "*cannot (e)*: no setting gets there, the best error is e. *not in time (e)*: no setting gets there within the time "
             f"that each engine has for a mechanism ({span(c['budget'] for c in cases)} s for all its settings, {peers['limit']:g} s for a run).", ""]
    for family in FAMILIES:
        of_family = [c for c in cases if c["family"] == family.key]
        if of_family:
            lines += family_lines(family, of_family, engines, folder)
    lines += energy_lines(FAMILIES, cases, engines)
    lines += growth_lines(growth, engines, folder)
    if instructions:
        lines += ["## Instructions", "", "Instructions that Bricard executes for one evaluation of one body (callgrind; difference of two durations, "
                  "steps, projections and factorisations included), and the exponent of those of an evaluation against the bodies:", "",
                  "| family | N = 40 | N = 400 | N = 4000 | p |", "|---|---|---|---|---|"]
        for family in GROWING:
            rows = {i["size"]: i for i in instructions["families"] if i["family"] == family.key}
            pairs = [(i["bodies"], i["bodies"] * i["instructions"]) for i in rows.values()]
            lines.append(f"| {family.title} | " + " | ".join(f"{rows[n]['instructions']:.0f}" if n in rows else "-" for n in (40, 400, 4000))
                         + (f" | {slope(pairs):.3f} |" if len(pairs) > 1 else " | - |"))
        lines.append("")
        one = instructions["four_bar_evaluation"]
        lines += [f"One evaluation of a four-bar linkage (three bodies, four joints, reactions included, `bench/four_bar_evaluation.cpp`): {one['engine']:.0f} "
                  f"instructions; equations in one coordinate, written by hand for this linkage: {one['hand']:.0f} ({one['engine'] / one['hand']:.1f} times).", ""]
    lines += ["## How it is measured", "",
              "- A driver for each engine (`bench/bricard_driver.cpp`, `bench/peers`) reads one description of the mechanism: masses, inertias, "
              "joints, a spanning tree and the joints that close loops, forces, start (`bench/mechanism.h`). Bricard reads the model file that the "
              "description was made from. Time is the CPU time of the simulation alone, without reading and setting up.",
              "- The engines take turns run by run. Every engine climbs its list of settings from rough to accurate; the best runs for each error are "
              f"repeated, the least time counts. Runs of milliseconds are repeated within their process too, up to 20 times: at first most of their time goes into loading pages. "
              f"Time limit {peers['limit']:g} s a run.",
              "- Error: largest distance of up to 29 points of the mechanism (far ends of bars) from the reference at the end, divided by the "
              "mechanism's size (four-bar: a rod, chains: the chain's length, squeezer 0.1 m, linkage 1 m, strut 0.7 m).",
              "- References. Four-bar: its one equation of motion, by Taylor series in 40 digits. Squeezer: the published values. Others: tight runs of "
              "Simbody (Merson, 1e-12; N = 100: 1e-11, N >= 400: 1e-10) and of two formulations of Bricard (relative/recursive and reference-point); the run nearest to "
              "the two others counts, and no error below twice its distance from them is called reached (`bench/references.json`).",
              "- Simbody: pin, ball, slider and cylinder mobilisers; loops by as few equations as they have (in the plane two for a hinge, in space five); "
              "Runge-Kutta-Merson, -Fehlberg, CPODES (BDF; Adams where nothing is constrained), Verlet; accuracies 1e-1 to 1e-10; projection after every "
              "step, and with Merson also only when needed.",
              "- MuJoCo: loops by `connect` (a hinge in space by two); RK4 with steps 4e-2 to 5e-5 s (squeezer: 0.003 times that), Euler and implicit; "
              "Newton solver, impedance 0.9999, time constant of the constraints half a step or a step (Euler and implicit: two steps) with `refsafe` off; sparse from 60 degrees of freedom on; no "
              "contacts, sensors, limits.",
              "- DART: loops by ball joint constraints (a hinge in space by two), error reduction 0.2 and 0.01; semi-implicit Euler, the only one it has; "
              "steps 1e-2 to 5e-6 s. Its cylindrical joint is a slider and a hinge with a body of 1e-9 of the mass between them.",
              f"- Bricard: {', '.join(n for n in ('dopri5', 'dop853', 'abm') if n in peers['integrators'])} and its own choice (auto), "
              "tolerances 1e-1 to 1e-11; all else chosen by it.",
              "- For N >= 400 only the integrators that are best below: Merson, RK4, dop853 and abm; the others would use up the time.", ""]
    target.write_text("\n".join(lines))
