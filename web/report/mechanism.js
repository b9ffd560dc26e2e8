// The mechanism of a report, whose joints, springs and modes name bodies. Drawing needs their places in the list of
// bodies; -1 is the ground.
export class Bodies {
  constructor(bodies) {
    this.numbers = new Map([['ground', -1], ...bodies.map(({ name }, k) => [name, k])]);
  }
  number(name) {
    if (!this.numbers.has(name)) throw new Error(`no body '${name}'`);
    return this.numbers.get(name);
  }
}

/// Joints with i and j, springs with from_body and to_body as numbers.
export function withNumbers(mechanism) {
  const bodies = new Bodies(mechanism.bodies);
  return {
    ...mechanism,
    joints: mechanism.joints.map((joint) => {
      const [i, j] = joint.bodies.map((name) => bodies.number(name));
      return { ...joint, i, j };
    }),
    springs: mechanism.springs.map((spring) => {
      const [from_body, to_body] = spring.bodies.map((name) => bodies.number(name));
      return { ...spring, from_body, to_body };
    }),
  };
}

/// What a mode moves, in the order of the bodies; a body that it does not name is at rest.
export function shapeInOrder(mechanism, shape) {
  const byName = new Map(Object.entries(shape));
  return mechanism.bodies.map(({ name }) => byName.get(name) ?? new Array(12).fill(0));
}
