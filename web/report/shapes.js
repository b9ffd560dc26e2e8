// Outlines and wire frames of the parts of a drawing, in the frame of their body.
import { across, add, cross, norm, scale, sub, unit } from './vector.js';

const around = (count) => Array.from({ length: count }, (_, k) => (2 * Math.PI * k) / count);

/// Corners of the convex hull of points in the x-y plane, counter-clockwise.
export function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const half = (list) => {
    const chain = [];
    for (const p of list) {
      while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], p) <= 1e-12) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  if (sorted.length < 2) return sorted;
  return [...half(sorted), ...half(sorted.reverse())];
}

/// The hull of points in the x-y plane, widened by a radius, with round corners.
export function roundedHull(points, radius) {
  const corners = hull(points);
  if (corners.length === 1) {
    return around(40).map((a) => add(corners[0], [radius * Math.cos(a), radius * Math.sin(a), 0]));
  }
  const outline = [];
  corners.forEach((corner, k) => {
    const before = corners[(k + corners.length - 1) % corners.length];
    const after = corners[(k + 1) % corners.length];
    const normal = (a, b) => Math.atan2(-(b[0] - a[0]), b[1] - a[1]);
    const first = normal(before, corner);
    let last = normal(corner, after);
    while (last < first) last += 2 * Math.PI;
    const steps = Math.max(1, Math.ceil((last - first) / 0.2));
    for (let s = 0; s <= steps; ++s) {
      const a = first + ((last - first) * s) / steps;
      outline.push(add(corner, [radius * Math.cos(a), radius * Math.sin(a), 0]));
    }
  });
  return outline;
}

function circle(center, axis, radius, count = 40) {
  const first = across(axis);
  const second = cross(axis, first);
  return around(count).map((a) =>
    add(center, add(scale(radius * Math.cos(a), first), scale(radius * Math.sin(a), second))),
  );
}

const boxCorners = ({ center, size }) =>
  [-1, 1].flatMap((z) =>
    [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) =>
      add(center, [(x * size[0]) / 2, (y * size[1]) / 2, (z * size[2]) / 2]),
    ),
  );

/// A solid's outline as a planar model shows it: a closed polygon, or an open line.
export function outline(part) {
  switch (part.kind) {
    case 'rod':
      return { points: roundedHull([part.from, part.to], part.radius), closed: true };
    case 'plate':
      return { points: roundedHull(part.points, part.radius), closed: true };
    case 'sphere':
      return { points: roundedHull([part.center], part.radius), closed: true };
    case 'cylinder': {
      const along = sub(part.to, part.from);
      if (Math.hypot(along[0], along[1]) < 0.5 * norm(along)) {
        return { points: circle(part.from, [0, 0, 1], part.radius, 64), closed: true };
      }
      const side = scale(part.radius, unit([-along[1], along[0], 0]));
      return { points: [add(part.from, side), sub(part.from, side), sub(part.to, side), add(part.to, side)], closed: true };
    }
    case 'box':
      return { points: boxCorners(part).slice(0, 4), closed: true };
    case 'polygon':
      return { points: part.points, closed: true };
    default:
      return { points: part.points, closed: false };
  }
}

/// A solid as lines in space: lists of points.
export function wires(part) {
  const close = (points) => [...points, points[0]];
  switch (part.kind) {
    case 'rod':
      return [[part.from, part.to]];
    case 'sphere':
      return [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => close(circle(part.center, axis, part.radius, 20)));
    case 'cylinder': {
      const axis = unit(sub(part.to, part.from));
      const [a, b] = [circle(part.from, axis, part.radius, 24), circle(part.to, axis, part.radius, 24)];
      return [close(a), close(b), ...[0, 6, 12, 18].map((k) => [a[k], b[k]]), [part.from, a[0]], [part.to, b[0]]];
    }
    case 'box': {
      const corners = boxCorners(part);
      const [low, high] = [corners.slice(0, 4), corners.slice(4)];
      return [close(low), close(high), ...low.map((corner, k) => [corner, high[k]])];
    }
    case 'plate':
    case 'polygon':
      return [close(part.points)];
    default:
      return [part.points];
  }
}

/// A spring from (0, 0, 0) to (1, 0, 0): a coil in space, a zigzag in the plane. `radius` is across.
export function coil(radius, planar, turns = 8) {
  const points = [[0, 0, 0], [0.12, 0, 0]];
  const steps = planar ? 2 * turns : 16 * turns;
  for (let k = planar ? 0.5 : 0; k <= steps - (planar ? 0.5 : 0); ++k) {
    const a = planar ? Math.PI * k : (2 * Math.PI * k * turns) / steps;
    const x = 0.12 + (0.76 * k) / steps;
    points.push(planar ? [x, radius * Math.sin(a), 0] : [x, radius * Math.sin(a), radius * Math.cos(a)]);
  }
  points.push([0.88, 0, 0], [1, 0, 0]);
  return points;
}
