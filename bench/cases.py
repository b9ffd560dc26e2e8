"""The mechanisms of the benchmark, their references, and the settings at which each engine is tried."""
import math
import re
from decimal import Decimal, getcontext
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

TARGETS = (1e-3, 1e-6, 1e-9)
ENGINES = ("bricard", "simbody", "mujoco", "dart")
NAMES = {"bricard": "Bricard", "simbody": "Simbody", "mujoco": "MuJoCo", "dart": "DART"}
ROUGH = ("1e-1", "3e-2")
FINE = ("1e-2", "3e-3", "1e-3", "3e-4", "1e-4", "3e-5", "1e-5", "3e-6", "1e-6", "1e-7", "1e-8", "1e-9", "1e-10", "1e-11")
DECADES = ("1e-1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9", "1e-10", "1e-11")


class Case:
    """One mechanism of one size."""

    def __init__(self, family, size, duration, length, unit=1.0):
        self.family, self.size, self.duration = family, size, duration
        self.length = length  # what errors are relative to, m
        self.unit = unit  # factor of the fixed steps that are tried

    @property
    def key(self):
        return f"{self.family.key}-{self.size}" if self.family.sizes != (1,) else self.family.key


class Family:
    def __init__(self, key, title, text, sizes, generator=None, model=None, duration=None, length=None, unit=1.0,
                 quick=(), gravity=None, reference="tight", loops=True):
        self.key, self.title, self.text, self.sizes = key, title, text, sizes
        self.generator, self.model, self.gravity = generator, model, gravity
        self.quick = quick or sizes
        self.reference, self.loops = reference, loops
        self.cases = [Case(self, n, duration(n), length(n), unit) for n in sizes]


FAMILIES = (
    Family("four-bar", "N-four-bar mechanism", "planar, 2N+1 rods, N loops, one degree of freedom (IFToMM benchmark A02), 10 s; "
           "every 0.8 s it passes a singular position", (1, 10, 40, 100, 400, 1000, 4000), generator="n-four-bar",
           duration=lambda n: 10.0, length=lambda n: 1.0, quick=(1, 40, 400), reference="four-bar"),
    Family("open-chain", "open chain", "N bars on hinges with alternating axes, 2 s (N = 10: 1 s, because its motion "
           "magnifies errors 10 000 times within 2 s; N >= 1000: 0.5 s)", (1, 10, 40, 100, 400, 1000, 4000),
           generator="spatial-chain", gravity="[0, 4, -9]", duration=lambda n: 1.0 if n == 10 else 2.0 if n < 1000 else 0.5,
           length=lambda n: 0.1 * n, quick=(10, 100, 1000), loops=False),
    Family("closed-chain", "closed chain", "N bars on N+1 hinges with alternating axes between two supports, one loop in "
           "space, N-5 degrees of freedom, 2 s (N = 400: 1 s, N >= 1000: 0.5 s)", (10, 40, 100, 400, 1000, 4000),
           generator="closed-chain", duration=lambda n: 2.0 if n < 400 else 1.0 if n < 1000 else 0.5,
           length=lambda n: 0.1 * n, quick=(10, 100, 1000)),
    Family("squeezer", "Andrews' squeezing mechanism", "planar, 7 bodies, three loops, a spring and a constant torque, "
           "0.03 s", (1,), model="bench/models/andrews.yaml", duration=lambda n: 0.03, length=lambda n: 0.1, unit=0.003,
           reference="squeezer"),
    Family("bricard", "Bricard's linkage", "six hinges in space, one equation redundant, 10 s", (1,),
           model="bench/models/bricard-solid.yaml", duration=lambda n: 10.0, length=lambda n: 1.0),
    Family("mcpherson", "McPherson strut", "5 bodies in space with ball, cylindrical and sliding joints, two loops, a force "
           "that changes with time, 10 s", (1,), model="models/mcpherson.yaml", duration=lambda n: 10.0,
           length=lambda n: 0.7),
)

# Families of any size, for growth and instructions.
GROWING = FAMILIES[:3] + (
    Family("hanging-chain", "hanging chain", "planar, N rods between two supports, N-2 degrees of freedom",
           (40, 100, 400, 1000, 4000), generator="hanging-chain", duration=lambda n: 1.0, length=lambda n: 1.5),
)


def all_cases(quick=False, only=(), sizes=()):
    for family in FAMILIES:
        if only and family.key not in only:
            continue
        for case in family.cases:
            if case.size in (sizes or (family.quick if quick else family.sizes)):
                yield case


# --- settings ---

def steps(unit, *values):
    return [f"{unit * float(v):.6g}" for v in values]


def ladders(engine, case, integrators):
    """Lists of settings, each from rough and cheap to accurate and dear."""
    if engine == "bricard":
        others = ("dopri5", "dop853", "abm") if case.size < 400 else ("dop853", "abm")
        names = ["auto"] + [n for n in others if n in integrators]
        # Others get lost in large mechanisms with rough tolerances, and use up the time.
        rough = lambda name: ROUGH if case.size <= 40 or (name == "dop853" and case.family.key != "four-bar") else ()
        return [[{"integrator": name, "tolerance": t} for t in (*rough(name), *FINE)] for name in names]
    large = case.size >= 400  # only those that are best below: the others would use up the time
    if engine == "simbody":
        names = ("merson",) if large else ("merson", "fehlberg")
        result = [[{"integrator": name, "accuracy": a} for a in DECADES[:10]] for name in names]
        if case.family.loops:
            result.append([{"integrator": "merson", "accuracy": a, "project": "0"} for a in DECADES[:10]])
        if large:
            return result
        if case.family.loops:
            result.append([{"integrator": "cpodes-bdf", "accuracy": a} for a in DECADES[:8]])
        else:
            result.append([{"integrator": "cpodes-adams", "accuracy": a} for a in DECADES[:10]])
        result.append([{"integrator": "verlet", "accuracy": a} for a in DECADES[:7]])
        return result
    if engine == "mujoco":
        fine = steps(case.unit, 4e-2, 2.8e-2, 2e-2, 1.4e-2, 1e-2, 7e-3, 5e-3, 3e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5)
        rough = steps(case.unit, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5)
        if not case.family.loops:
            result = [[{"integrator": "rk4", "step": h} for h in fine]]
            others = [[{"integrator": i, "step": h} for h in rough] for i in ("euler", "implicit")]
            return result if large else result + others
        result = [[{"integrator": "rk4", "step": h, "stiffness": s} for h in fine] for s in ("0.5", "1")]
        return result if large else result + [[{"integrator": i, "step": h, "stiffness": "2"} for h in rough] for i in ("euler", "implicit")]
    fine = steps(case.unit, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 5e-6)
    return [[{"step": h, "erp": e} for h in fine] for e in (("0.2", "0.01") if case.family.loops else ("0.2",))]


# --- references that no engine computes ---

def four_bar_angle(loops, duration):
    """theta'' = k sin(theta), k = g ((N+1)/2 + N)/((N+1)/3 + N), from theta = 0 with 1/s: a Taylor series of order 30
    at each step, with sine and cosine as series of their own, in 40 digits."""
    getcontext().prec = 40
    order, count = 30, 500
    n = Decimal(loops)
    k = Decimal("9.81") * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    h = Decimal(duration) / count
    theta, rate, s, c = Decimal(0), Decimal(1), Decimal(0), Decimal(1)
    for _ in range(count):
        T, V, S, C = [theta], [rate], [s], [c]
        for m in range(order):
            T.append(V[m] / (m + 1))
            S.append(sum(C[j] * V[m - j] for j in range(m + 1)) / (m + 1))
            C.append(-sum(S[j] * V[m - j] for j in range(m + 1)) / (m + 1))
            V.append(k * S[m] / (m + 1))
        theta, rate, s, c = (sum(a * h**m for m, a in enumerate(series)) for series in (T, V, S, C))
    return float(s), float(c)


def four_bar_points(case, points):
    """Of each body the place at the end, by its name; points: name -> place at the start."""
    s, c = four_bar_angle(case.size, case.duration)
    result = {}
    for body in points:
        kind, number = re.fullmatch(r"(upright|coupler)(\d+)", body).groups()
        result[body] = [int(number) + (kind == "coupler") + s, c, 0.0]  # an upright's top, or a coupler's right end
    return result


def squeezer_points(bodies, points):
    """bodies: name -> centre at the start. From the published angles at 0.03 s (Test Set for IVP Solvers, problem andrews, computed with a tolerance of 1e-14)."""
    beta, theta, gamma, phi = 15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948
    delta, omega, epsilon = 0.5244099658805304, 0.5347301163226948, 1.048080741042263
    start = (-0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550,
             -0.222668390165885885, 1.23054744454982119)
    def angles(b, t, g, p, d, o, e):
        return dict(K1=b, K2=b + t, K3=g, K4=p + d, K5=d, K6=o + e, K7=e)
    sin, cos = math.sin, math.cos
    xa, ya, xb, yb = -0.06934, -0.00227, -0.03635, 0.03273
    rr, ra, da, sa, sb, zt, e_ea, ta, tb, u, ua, ub, zf_fa = (0.007, 0.00092, 0.0115, 0.01874, 0.01043, 0.04, 0.02 - 0.01421,
                                                              0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02 - 0.01421)
    centers = dict(
        K1=(ra * cos(beta), ra * sin(beta)),
        K2=(rr * cos(beta) - da * cos(beta + theta), rr * sin(beta) - da * sin(beta + theta)),
        K3=(xb + sa * sin(gamma) + sb * cos(gamma), yb - sa * cos(gamma) + sb * sin(gamma)),
        K4=(xa + zt * cos(delta) + e_ea * sin(phi + delta), ya + zt * sin(delta) - e_ea * cos(phi + delta)),
        K5=(xa + ta * cos(delta) - tb * sin(delta), ya + ta * sin(delta) + tb * cos(delta)),
        K6=(xa + u * sin(epsilon) + zf_fa * cos(omega + epsilon), ya - u * cos(epsilon) + zf_fa * sin(omega + epsilon)),
        K7=(xa + ua * sin(epsilon) - ub * cos(epsilon), ya - ua * cos(epsilon) - ub * sin(epsilon)),
    )
    before, after = angles(*start), angles(beta, theta, gamma, phi, delta, omega, epsilon)
    result = {}
    for body, (x, y, _) in points.items():
        turn = after[body] - before[body]
        dx, dy = x - bodies[body][0], y - bodies[body][1]
        cx, cy = centers[body]
        result[body] = [cx + dx * cos(turn) - dy * sin(turn), cy + dx * sin(turn) + dy * cos(turn), 0.0]
    return result


def largest_distance(points, others):
    """Of places by the names of their bodies."""
    if points.keys() != others.keys():
        raise ValueError(f"points of other bodies: {sorted(points.keys() ^ others.keys())}")
    return max(math.dist(place, others[body]) for body, place in points.items())
