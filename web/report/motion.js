// Where the bodies are at an instant: from a time series, from a mode shape, or at rest.
import { shapeInOrder } from './mechanism.js';
import { add, between, fromRotation, multiply, rotate } from './vector.js';

const ground = { center: [0, 0, 0], orientation: [1, 0, 0, 0] };

/// The world place of a point fixed to a body; -1 is the ground.
export function placeOf(poses, body, point) {
  if (body < 0) return point;
  const pose = poses[body];
  return add(pose.center, rotate(pose.orientation, point));
}
export const directionOf = (poses, body, direction) => rotate((poses[body] ?? ground).orientation, direction);

export class Rest {
  constructor(mechanism) {
    this.placements = mechanism.bodies.map(({ center, orientation }) => ({ center, orientation }));
    this.start = this.end = 0;
    this.still = true;
  }
  poses() {
    return this.placements;
  }
}

export class Recorded {
  /// Null if the series lacks the place of a body.
  static of(mechanism, series) {
    const parts = mechanism.planar ? ['x', 'y', 'angle'] : ['x', 'y', 'z', 'qw', 'qx', 'qy', 'qz'];
    const columns = mechanism.bodies.map((body) => parts.map((part) => series.find(`${body.name}.${part}`)));
    return columns.flat().every(Boolean) ? new Recorded(mechanism, series, columns) : null;
  }

  constructor(mechanism, series, columns) {
    Object.assign(this, { planar: mechanism.planar, series, columns, start: series.start, end: series.end });
    this.still = !(this.end > this.start);
  }

  poses(t) {
    const at = this.series.locate(t);
    return this.columns.map((columns) => {
      const value = (k) => this.series.value(columns[k], at);
      if (this.planar) {
        const half = value(2) / 2;
        return { center: [value(0), value(1), 0], orientation: [Math.cos(half), 0, 0, Math.sin(half)] };
      }
      const quaternion = (row) => [3, 4, 5, 6].map((k) => columns[k].values[row]);
      return {
        center: [value(0), value(1), value(2)],
        orientation: between(quaternion(at.row), quaternion(at.next), at.part),
      };
    });
  }
}

/// A small motion, repeated over a period of its own: an oscillation is shown slowed down or sped up to 2 s.
export class ModeShape {
  constructor(mechanism, mode) {
    this.rest = new Rest(mechanism).placements;
    this.shape = shapeInOrder(mechanism, mode.shape);
    this.length = mechanism.length;
    this.amplitude = 0.25;
    this.start = 0;
    this.end = 2;
    this.still = false;
    this.cyclic = true;
  }
  poses(t) {
    const phase = (2 * Math.PI * t) / this.end;
    const [c, s] = [Math.cos(phase), Math.sin(phase)];
    return this.rest.map((pose, k) => {
      const numbers = this.shape[k];
      const real = (n) => this.amplitude * (numbers[2 * n] * c - numbers[2 * n + 1] * s);
      return {
        center: add(pose.center, [real(0), real(1), real(2)]),
        orientation: multiply(fromRotation([real(3), real(4), real(5)]), pose.orientation),
      };
    });
  }
}
