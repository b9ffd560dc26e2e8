#!/usr/bin/python3
"""Checks share/bricard/model.schema.json: every model validates, deliberately broken ones do not, and the schema knows
the joint types of the engine. Usage: validate_schema.py SOURCE_DIRECTORY"""

import json
import pathlib
import re
import sys

import jsonschema
import yaml


class Loader(yaml.SafeLoader):
    """YAML as the engine reads it: words such as `on` and dates are plain text."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":bool", ":timestamp", ":merge"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}

PLANAR = """
bricard: 1
dimension: planar
points: {A: [0, 0], B: [1, L]}
bodies: {a: {rod: [A, B], mass: 1}, b: {mass: 1, inertia: 1, center: A}}
joints: {J: {type: revolute, bodies: [ground, a], at: A}}
"""
SPATIAL = """
bricard: 1
points: {A: [0, 0, 0], B: [1, 0, 0]}
bodies: {a: {rod: [A, B], mass: 1, radius: 0.1}, b: {mass: 1, inertia: [1, 1, 1], center: A}}
joints: {J: {type: revolute, bodies: [ground, a], at: A, axis: [0, 0, 1]}}
"""

# Added to a base, or in place of the base's section of the same name.
GOOD = [
    (PLANAR, ""),
    (SPATIAL, ""),
    (PLANAR, "motions: {m: {joint: J, position: 2*pi*t}}"),
    (PLANAR, "motions: {m: {body: a, at: A, direction: [1, 0], position: 0}}"),
    (PLANAR, "forces: {f: {type: spring, between: [[ground, A], [b, B]], law: -5*x, free_length: 1}}"),
    (PLANAR, "forces: {f: {type: torque, body: a, value: 1.5}}"),
    (SPATIAL, "forces: {f: {type: torque, body: a, value: [0, 0, t], frame: body}}"),
    (SPATIAL, "forces: {f: {type: bushing, bodies: [a, b], at: A, stiffness: [1, 1, 1, 1, 1, 1]}}"),
    (SPATIAL, "forces: {f: {type: rotor, body: a, axis: [0, 0, 1], inertia: 0.02, speed: 300*t}}"),
    (PLANAR, "forces: {f: {type: rotor, body: a, inertia: 0.02, speed: 300}}"),
    (PLANAR, "joints: {J: {type: distance, bodies: [a, b], at: [A, [1, 2]]}}"),
    (PLANAR, "joints: {J: {type: constraint, expression: [x(a), y(a) - t]}}"),
    (PLANAR, "joints: {J: {type: gear_pair, bodies: [a, b], teeth: [20, Z], internal: true, carrier: ground}}"),
    (SPATIAL, "joints: {J: {type: gear_pair, bodies: [a, ground], ratio: -Z}}"),
    (PLANAR, "joints: {J: {type: revolute, bodies: [a, b], at: A, friction: {dahl: {stiffness: 1, limit: 2}}}}"),
    (SPATIAL, "bodies: {a: {density: 1, center: A, shape: {disc: {radius: 1, axis: [0, 1, 0]}}}}"),
    (SPATIAL, "bodies: {a: {mass: 1, inertia: [1, 1, 1], center: A, geometry: [stl: a.stl, {line: [A, B]}]}}"),
    (SPATIAL, "initial: {positions: {J: 30 deg, b: {center: A}}, velocities: {b: {angular: [0, 0, 1]}}}"),
    (PLANAR, "simulation: {duration: 10, integrator: rk4, step: 1e-3}"),
    (PLANAR, "joints:\nforces: {}"),
    # types that a program registers (tests/extensions)
    (PLANAR, "forces: {f: {type: drag, body: a, coefficient: 2}}"),
    (SPATIAL, "forces: {f: {type: drag, body: a, at: B, coefficient: 2*L}}"),
    (PLANAR, "forces: {f: {type: magnet, between: [[ground, A], [b, B]], strength: 3, current: sin(t)}}"),
    (PLANAR, "forces: {f: {type: motor, joint: J, coordinate: angle, voltage: 12}}"),
    (PLANAR, "forces: {f: {type: wind, speed: 3*t}}"),
    (PLANAR, "joints: {J: {type: circular_slot, bodies: [a, b], at: [A, B]}}"),
]
BAD = [
    (PLANAR, "bricard: 2"),
    (PLANAR, "bricard: '1'"),
    (PLANAR, "dimension: flat"),
    (PLANAR, "jonts: {}"),
    (PLANAR, "gravity: 9.81"),
    (PLANAR, "gravity: [0, 0, -9.81]"),
    (SPATIAL, "gravity: [0, -9.81]"),
    (PLANAR, "points: {A: [0, 0, 0]}"),
    (SPATIAL, "points: {A: [0, 0]}"),
    (SPATIAL, "points: {A: [0, 0, {}]}"),
    (PLANAR, "points: {1A: [0, 0]}"),
    (PLANAR, "parameters: {a-b: 1}"),
    (PLANAR, "parameters: {a: [1]}"),
    (PLANAR, "parameters: {a: ''}"),
    (PLANAR, "bodies: {}"),
    (PLANAR, "bodies: {ground: {rod: [A, B], mass: 1}}"),
    (PLANAR, "bodies: {a: {rod: [A, B]}}"),
    (PLANAR, "bodies: {a: {rod: [A, B], mass: 1, density: 1}}"),
    (PLANAR, "bodies: {a: {rod: [A, B], mass: 1, radius: 1}}"),
    (PLANAR, "bodies: {a: {rod: [A], mass: 1}}"),
    (PLANAR, "bodies: {a: {rod: [A, B], mass: 1, center: A}}"),
    (PLANAR, "bodies: {a: {mas: 1, inertia: 1, center: A}}"),
    (PLANAR, "bodies: {a: {mass: 1, center: A}}"),
    (PLANAR, "bodies: {a: {mass: 1, inertia: [1, 1, 1], center: A}}"),
    (SPATIAL, "bodies: {a: {mass: 1, inertia: 1, center: A}}"),
    (SPATIAL, "bodies: {a: {mass: 1, inertia: [1, 1, 1, 1], center: A}}"),
    (SPATIAL, "bodies: {a: {mass: 1, inertia: [1, 1, 1], center: A, angle: 1}}"),
    (SPATIAL, "bodies: {a: {mass: 1, inertia: [1, 1, 1], center: A, orientation: {x: [1, 0, 0]}}}"),
    (SPATIAL, "bodies: {a: {mass: 1, center: A, shape: {ball: {radius: 1}}}}"),
    (SPATIAL, "bodies: {a: {mass: 1, center: A, shape: {sphere: {radius: 1}, disc: {radius: 1}}}}"),
    (SPATIAL, "bodies: {a: {mass: 1, inertia: [1, 1, 1], center: A, geometry: [{line: [A]}]}}"),
    (PLANAR, "joints: {J: {bodies: [ground, a], at: A}}"),
    (PLANAR, "joints: {J: {type: revolut, bodies: [ground, a], at: A}}"),
    (PLANAR, "joints: {J: {type: spherical, bodies: [ground, a], at: A}}"),
    (PLANAR, "joints: {J: {type: revolute, bodies: [ground], at: A}}"),
    (PLANAR, "joints: {J: {type: revolute, bodies: [ground, a]}}"),
    (PLANAR, "joints: {J: {type: revolute, bodies: [ground, a], at: A, pitch: 1}}"),
    (PLANAR, "joints: {J: {type: fixed, bodies: [ground, a], at: A, friction: {viscous: 1}}}"),
    (PLANAR, "joints: {J: {type: revolute, bodies: [ground, a], at: A, friction: {viscous: 1, dahl: {}}}}"),
    (PLANAR, "joints: {J: {type: distance, bodies: [ground, a], at: A}}"),
    (PLANAR, "joints: {J: {type: gear, joints: [J, K]}}"),
    (PLANAR, "joints: {J: {type: gear, bodies: [a, b], joints: [J, K], ratio: 1}}"),
    (PLANAR, "joints: {J: {type: gear_pair, bodies: [a, b]}}"),
    (PLANAR, "joints: {J: {type: gear_pair, bodies: [a, b], ratio: 1, teeth: [20, 40]}}"),
    (PLANAR, "joints: {J: {type: gear_pair, bodies: [a, b], ratio: 1, internal: true}}"),
    (PLANAR, "joints: {J: {type: gear_pair, bodies: [a, b], teeth: [20]}}"),
    (PLANAR, "joints: {J: {type: gear_pair, teeth: [20, 40]}}"),
    (PLANAR, "joints: {J: {type: rolling, bodies: [a, b], radius: 1}}"),
    (PLANAR, "joints: {J: {type: constraint, expression: []}}"),
    (SPATIAL, "joints: {J: {type: screw, bodies: [a, b], at: A, axis: [1, 0, 0]}}"),
    (SPATIAL, "joints: {J: {type: universal, bodies: [a, b], at: A, axes: [[1, 0, 0]]}}"),
    (PLANAR, "motions: {m: {joint: J}}"),
    (PLANAR, "motions: {m: {joint: J, body: a, direction: [1, 0], position: t}}"),
    (PLANAR, "forces: {f: {body: a, vector: [1, 0]}}"),
    (PLANAR, "forces: {f: {type: push, body: a, vector: [1, 0]}}"),
    (PLANAR, "forces: {f: {type: force, body: a, vector: 1}}"),
    (PLANAR, "forces: {f: {type: force, body: a, vector: [1, 0], frame: local}}"),
    (PLANAR, "forces: {f: {type: spring, between: [[ground, A], [b, B]]}}"),
    (PLANAR, "forces: {f: {type: spring, between: [[ground, A], [b, B]], stiffness: 1, law: x}}"),
    (PLANAR, "forces: {f: {type: spring, between: [ground, b], stiffness: 1}}"),
    (PLANAR, "forces: {f: {type: actuator, joint: J}}"),
    (SPATIAL, "forces: {f: {type: rotor, body: a, axis: [0, 0, 1], inertia: 0.02}}"),
    (SPATIAL, "forces: {f: {type: rotor, body: a, axis: z, inertia: 0.02, speed: 300}}"),
    (PLANAR, "forces: {f: {type: rotational_spring, joint: J, coordinate: rate, stiffness: 1}}"),
    (PLANAR, "forces: {f: {type: sprng, between: [[ground, A], [b, B]], stiffness: 1}}"),
    (PLANAR, "forces: {f: {type: drag, body: a, coefficient: [1, 2]}}"),
    (PLANAR, "forces: {f: {type: drag, body: a, joint: J, coefficient: 1}}"),
    (PLANAR, "forces: {f: {type: drag, at: A, coefficient: 1}}"),
    (PLANAR, "forces: {f: {type: magnet, between: [ground, b], strength: 3}}"),
    (PLANAR, "forces: {f: {type: 5, body: a}}"),
    (PLANAR, "joints: {J: {type: circular_slot, bodies: [a, b], att: [A, B]}}"),
    (PLANAR, "joints: {J: {type: circular_slot, bodies: [a], at: [A, B]}}"),
    (PLANAR, "initial: {position: {J: 1}}"),
    (PLANAR, "initial: {positions: {b: {}}}"),
    (PLANAR, "initial: {velocities: {b: {center: A}}}"),
    (PLANAR, "simulation: {output-step: 1}"),
    (PLANAR, "simulation: {integrator: 5}"),
    (PLANAR, "outputs: {o: [1]}"),
]


def with_sections(base, addition):
    document = yaml.load(base, Loader)
    document.update(yaml.load(addition, Loader) or {})
    return document


def slips(names):
    """The pattern of names with a letter left out, doubled or swapped with the next."""
    made = {slip for name in names for k in range(len(name))
            for slip in (name[:k] + name[k + 1:], name[:k] + name[k] + name[k:], name[:k] + name[k + 1:k + 2] + name[k] + name[k + 2:])}
    return f"^({'|'.join(sorted(made - set(names)))})$"


def check_types(source, schema):
    """The schema knows the built-in joints and forces, and takes their slips for no types of a program."""
    for kind in ("joint", "force"):
        text = (source / f"src/{kind}s/{kind}s.def").read_text(encoding="utf-8")
        listed = re.findall(rf"^{kind.upper()}\((\w+)[,)]", text, re.MULTILINE)
        known = schema["definitions"][f"{kind}_type"]["enum"]
        if sorted(listed) != sorted(known):
            yield f"{kind} types of the schema {known} are not those of {kind}s.def {listed}"
        pattern = schema["definitions"][f"{kind}_type_of_client"]["not"]["anyOf"][1]["pattern"]
        if pattern != slips(known):
            yield f"{kind}_type_of_client: the pattern should be {slips(known)}"


def main():
    source = pathlib.Path(sys.argv[1])
    schema = json.loads((source / "share/bricard/model.schema.json").read_text(encoding="utf-8"))
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    validator = validator_class(schema)
    failures = []

    models = sorted((source / "models").glob("*.yaml"))
    if not models:
        failures.append("there are no models to validate")
    for model in models:
        document = yaml.load(model.read_text(encoding="utf-8"), Loader)
        for error in validator.iter_errors(document):
            place = ".".join(str(step) for step in error.absolute_path)
            failures.append(f"{model.name}: {place}: {error.message[:200]}")

    for base, addition in GOOD:
        error = next(validator.iter_errors(with_sections(base, addition)), None)
        if error is not None:
            failures.append(f"should validate: {addition}: {error.message[:200]}")
    for base, addition in BAD:
        if validator.is_valid(with_sections(base, addition)):
            failures.append(f"should not validate: {addition}")
    for document in ({}, [], "text", {"bricard": 1}):
        if validator.is_valid(document):
            failures.append(f"should not validate: {document}")

    failures += check_types(source, schema)
    for failure in failures:
        print(failure)
    print(f"{len(models)} models, {len(GOOD)} good and {len(BAD)} bad snippets, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
