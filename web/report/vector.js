// Vectors as arrays of three numbers, quaternions as [w, x, y, z].
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (s, a) => [s * a[0], s * a[1], s * a[2]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const norm = (a) => Math.sqrt(dot(a, a));
export const unit = (a) => {
  const length = norm(a);
  return length > 0 ? scale(1 / length, a) : [0, 0, 0];
};
export const distance = (a, b) => norm(sub(a, b));
export const middle = (a, b) => scale(0.5, add(a, b));

/// A unit vector across a.
export function across(a) {
  const [x, y, z] = a.map(Math.abs);
  const least = x <= y && x <= z ? [1, 0, 0] : y <= z ? [0, 1, 0] : [0, 0, 1];
  return unit(cross(a, least));
}

export function rotate(q, v) {
  const u = [q[1], q[2], q[3]];
  const t = scale(2, cross(u, v));
  return add(add(v, scale(q[0], t)), cross(u, t));
}

export function multiply(a, b) {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

/// Rotation by the length of a vector about its direction.
export function fromRotation(r) {
  const angle = norm(r);
  if (angle === 0) return [1, 0, 0, 0];
  const s = Math.sin(angle / 2) / angle;
  return [Math.cos(angle / 2), s * r[0], s * r[1], s * r[2]];
}

/// Between two rotations, the short way.
export function between(a, b, s) {
  const sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
  const mixed = a.map((value, k) => (1 - s) * value + s * sign * b[k]);
  const length = Math.hypot(...mixed) || 1;
  return mixed.map((value) => value / length);
}
