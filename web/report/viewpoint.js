// From where a spatial mechanism is looked at first, and the grid it stands on.
import { add, cross, dot, scale, sub, unit } from './vector.js';

/// Directions on the screen and towards the viewer, for azimuth and elevation in degrees.
export function viewDirections(up, azimuth = -40, elevation = 24) {
  const least = [0, 1, 2].reduce((best, k) => (Math.abs(up[k]) < Math.abs(up[best]) ? k : best), 0);
  const axis = [0, 0, 0];
  axis[least] = 1;
  const first = unit(sub(axis, scale(dot(axis, up), up)));
  const second = cross(up, first);
  const [a, e] = [(azimuth * Math.PI) / 180, (elevation * Math.PI) / 180];
  const right = add(scale(Math.cos(a), first), scale(Math.sin(a), second));
  const level = cross(right, up); // towards the viewer
  return {
    right,
    up: sub(scale(Math.cos(e), up), scale(Math.sin(e), level)),
    away: add(scale(Math.cos(e), level), scale(Math.sin(e), up)),
  };
}

/// A round number near x: 1, 2 or 5 times a power of ten.
function round(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const digit = x / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

/// Segments of a square grid below the mechanism, across `up`.
export function gridLines({ up, low, high, center, size, mechanism }) {
  const corners = [low, high];
  let lowest = Infinity;
  for (const x of corners) for (const y of corners) for (const z of corners) {
    lowest = Math.min(lowest, dot([x[0], y[1], z[2]], up));
  }
  const rolling = mechanism.joints.find((joint) => joint.type === 'rolling' && joint.i < 0);
  lowest = rolling ? dot(rolling.surface_at, up) : lowest - 0.06 * size;
  const { right } = viewDirections(up, 0, 0);
  const ahead = cross(up, right);
  const step = round(size / 5);
  const count = Math.ceil((1.25 * size) / step);
  const snap = (direction) => Math.round(dot(center, direction) / step) * step;
  const origin = add(add(scale(snap(right), right), scale(snap(ahead), ahead)), scale(lowest, up));
  const lines = [];
  for (let k = -count; k <= count; ++k) {
    for (const [a, b] of [[right, ahead], [ahead, right]]) {
      const start = add(origin, scale(k * step, a));
      lines.push([sub(start, scale(count * step, b)), add(start, scale(count * step, b))]);
    }
  }
  return lines;
}
