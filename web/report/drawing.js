// What is drawn of a mechanism: solids fixed to bodies (or to the ground, -1), springs and bars between bodies, and the
// points whose trails can be shown. Both renderers draw this list.
//   part: {kind: rod box cylinder sphere polygon plate line, body, role: body joint ground guide, colour, ...}
import { add, cross, distance, dot, norm, scale, sub, unit, across } from './vector.js';
import { placeOf } from './motion.js';

const same = (a, b, size) => distance(a, b) < 1e-6 * size;

/// True if all points lie on one line.
function collinear(points, size) {
  const far = points.reduce((best, p) => (distance(p, points[0]) > distance(best, points[0]) ? p : best), points[0]);
  const along = unit(sub(far, points[0]));
  return points.every((p) => norm(cross(sub(p, points[0]), along)) < 1e-4 * size);
}

/// The two points that are farthest apart.
function ends(points) {
  let best = [points[0], points[0]];
  for (const a of points) {
    for (const b of points) if (distance(a, b) > distance(...best)) best = [a, b];
  }
  return best;
}

class Box {
  constructor() {
    this.low = [Infinity, Infinity, Infinity];
    this.high = [-Infinity, -Infinity, -Infinity];
  }
  include(p, radius = 0) {
    for (let k = 0; k < 3; ++k) {
      this.low[k] = Math.min(this.low[k], p[k] - radius);
      this.high[k] = Math.max(this.high[k], p[k] + radius);
    }
  }
  /// Half the diagonal.
  get size() {
    return distance(this.low, this.high) / 2;
  }
}

export class Drawing {
  constructor(mechanism, motion) {
    this.mechanism = mechanism;
    this.planar = mechanism.planar;
    this.up = norm(mechanism.gravity) > 0 ? unit(scale(-1, mechanism.gravity)) : this.planar ? [0, 1, 0] : [0, 0, 1];
    this.points = this.pointsOfBodies();
    this.measure(motion);
    // A vehicle that goes far is not drawn with clumsy joints.
    this.thickness = (this.planar ? 0.02 : 0.014) * Math.max(0.15 * this.size, Math.min(this.size, 1.15 * this.own));
    this.parts = [];
    this.springs = mechanism.springs;
    this.bars = [];
    mechanism.bodies.forEach((body, k) => this.drawBody(body, k));
    mechanism.joints.forEach((joint) => this.drawJoint(joint));
  }

  /// Every place of a body that something is joined to.
  pointsOfBodies() {
    const { bodies, joints, springs } = this.mechanism;
    const points = bodies.map(() => []);
    const attach = (body, at, name, structural = true) => {
      if (body < 0 || !at) return;
      const size = this.mechanism.length;
      const known = points[body].find((point) => same(point.at, at, size));
      if (!known) points[body].push({ at, name, structural });
    };
    for (const joint of joints) {
      const loose = ['rolling'].includes(joint.type);
      attach(joint.i, joint.at_i, joint.name, !loose);
      attach(joint.j, joint.at_j, joint.name, !loose);
    }
    for (const spring of springs) {
      attach(spring.from_body, spring.from, spring.name);
      attach(spring.to_body, spring.to, spring.name);
    }
    return points;
  }

  /// The box that the mechanism needs while it moves, and how large it is at any one instant.
  measure(motion) {
    const all = new Box();
    let own = 0;
    const frames = motion.still ? 1 : 160;
    for (let f = 0; f < frames; ++f) {
      const now = new Box();
      this.enclose(motion.poses(motion.start + ((motion.end - motion.start) * f) / Math.max(1, frames - 1)), now);
      all.include(now.low);
      all.include(now.high);
      own = Math.max(own, now.size);
    }
    const size = all.size > 1e-9 ? all.size : this.mechanism.length || 1;
    Object.assign(this, { low: all.low, high: all.high, size, own, center: scale(0.5, add(all.low, all.high)) });
  }

  enclose(poses, box) {
    const { bodies, joints, springs } = this.mechanism;
    bodies.forEach((body, b) => {
      box.include(poses[b].center);
      for (const point of this.points[b]) box.include(placeOf(poses, b, point.at));
      for (const { shape, points, size } of body.geometry) {
        const radius = { box: norm(size) / 2, sphere: size[0], cylinder: 0.8 * size[0] }[shape] ?? 0;
        for (const p of points) box.include(placeOf(poses, b, p), radius);
      }
    });
    for (const joint of joints) {
      if (joint.type === 'rolling') box.include(placeOf(poses, joint.j, joint.at_j), joint.radius);
      else if (joint.i < 0 && joint.at_i) box.include(joint.at_i);
      else if (joint.j < 0 && joint.at_j) box.include(joint.at_j);
    }
    for (const spring of springs) {
      box.include(placeOf(poses, spring.from_body, spring.from));
      box.include(placeOf(poses, spring.to_body, spring.to));
    }
  }

  add(kind, body, role, colour, values) {
    this.parts.push({ kind, body, role, colour, ...values });
  }

  drawBody(body, k) {
    const t = this.thickness;
    if (body.geometry.length > 0) {
      for (const shape of body.geometry) this.drawGeometry(shape, k);
    }
    const points = this.points[k].filter((point) => point.structural).map((point) => point.at);
    const covered = body.geometry.some((shape) => shape.shape !== 'line') || this.isWheel(k);
    if (body.geometry.length === 0 || !covered) this.drawSkeleton(k, points, body.geometry.length > 0);
    else this.drawStays(k, points, body.geometry);
    const massPoint = { center: [0, 0, 0], radius: 0.55 * t };
    if (body.mass > 0 && !this.isWheel(k)) this.add('sphere', k, 'mass', k, massPoint);
  }

  isWheel(k) {
    return this.mechanism.joints.some((joint) => joint.type === 'rolling' && joint.j === k);
  }

  /// A body without a shape: through the points that it is joined at.
  drawSkeleton(k, points, shaped) {
    const t = this.thickness;
    const rod = (from, to, radius = t) => {
      if (!same(from, to, this.size)) this.add('rod', k, 'body', k, { from, to, radius });
    };
    const center = [0, 0, 0];
    if (points.length === 0) {
      if (!shaped && !this.isWheel(k)) this.add('sphere', k, 'body', k, { center, radius: 3.5 * t });
    } else if (points.length === 1) {
      if (same(points[0], center, this.size)) {
        if (!shaped) this.add('sphere', k, 'body', k, { center, radius: 3 * t });
      } else rod(points[0], center);
    } else if (collinear(points, this.size)) {
      const [from, to] = ends(points);
      rod(from, to);
      if (!collinear([from, to, center], this.size)) rod(scale(0.5, add(from, to)), center, 0.5 * t);
    } else if (this.planar) {
      this.add('plate', k, 'body', k, { points, radius: t });
    } else if (points.length === 3) {
      points.forEach((p, n) => rod(p, points[(n + 1) % 3]));
      this.add('polygon', k, 'body', k, { points, thin: true });
    } else {
      const mean = scale(1 / points.length, points.reduce(add));
      points.forEach((p) => rod(mean, p));
    }
  }

  /// From the points of a body with a shape to that shape, where they are apart.
  drawStays(k, points, shapes) {
    const reach = Math.max(...shapes.flatMap((shape) => shape.points.map((p) => norm(p) + norm(shape.size) * 0.5)));
    for (const p of points) {
      if (norm(p) > reach) this.add('rod', k, 'body', k, { from: [0, 0, 0], to: p, radius: 0.6 * this.thickness });
    }
  }

  drawGeometry(shape, k) {
    const { points, size } = shape;
    if (shape.shape === 'line') {
      for (let n = 1; n < points.length; ++n) {
        this.add('rod', k, 'body', k, { from: points[n - 1], to: points[n], radius: this.thickness });
      }
    } else if (shape.shape === 'polygon') {
      this.add('polygon', k, 'body', k, { points });
    } else if (shape.shape === 'cylinder') {
      this.add('cylinder', k, 'body', k, { from: points[0], to: points[1], radius: size[0], spoke: true });
    } else if (shape.shape === 'sphere') {
      this.add('sphere', k, 'body', k, { center: points[0], radius: size[0] });
    } else if (shape.shape === 'box') {
      this.add('box', k, 'body', k, { center: points[0], size });
    }
  }

  drawJoint(joint) {
    const { at_i, at_j, i, j, type } = joint;
    if (!at_j) return;
    const t = this.thickness;
    if (type === 'distance') {
      this.bars.push({ name: joint.name, from_body: i, from: at_i, to_body: j, to: at_j });
      this.drawPin(joint, i, at_i);
      this.drawPin(joint, j, at_j);
    } else if (type === 'rolling') {
      this.drawWheel(joint);
    } else if (['prismatic', 'cylindrical', 'screw', 'point_on_line'].includes(type)) {
      this.drawSlider(joint);
    } else if (type === 'knife_edge') {
      const along = joint.axis_j ?? [1, 0, 0];
      this.add('rod', j, 'joint', 0, {
        from: sub(at_j, scale(3 * t, along)), to: add(at_j, scale(3 * t, along)), radius: 0.5 * t,
      });
    } else {
      this.drawPin(joint, j < 0 ? i : j, j < 0 ? at_i : at_j);
    }
    if (['revolute', 'spherical', 'universal', 'fixed'].includes(type) && (i < 0 || j < 0)) this.drawSupport(joint, i < 0 ? at_i : at_j);
    if (type === 'distance' && i < 0) this.drawSupport(joint, at_i);
    if (type === 'distance' && j < 0) this.drawSupport(joint, at_j);
  }

  drawPin(joint, body, at) {
    const t = this.thickness;
    if (this.planar) {
      const kind = joint.type === 'fixed' ? 'box' : 'sphere';
      this.add(kind, body, 'joint', 0, { center: at, radius: 0.62 * t, size: [1.4 * t, 1.4 * t, 0] });
      return;
    }
    const shaft = (axis, length, radius) =>
      this.add('cylinder', body, 'joint', 0, {
        from: sub(at, scale(length / 2, axis)), to: add(at, scale(length / 2, axis)), radius,
      });
    const axis = body === joint.i ? joint.axis_i : joint.axis_j;
    if (joint.type === 'revolute' && axis) shaft(axis, 5.5 * t, 1.45 * t);
    else if (joint.type === 'universal') {
      shaft(joint.axis_j, 5 * t, 1 * t);
      if (joint.i >= 0) {
        this.add('cylinder', joint.i, 'joint', 0, {
          from: sub(joint.at_i, scale(2.5 * t, joint.axis_i)), to: add(joint.at_i, scale(2.5 * t, joint.axis_i)), radius: t,
        });
      }
    } else if (joint.type === 'fixed') {
      this.add('box', body, 'joint', 0, { center: at, size: [3 * t, 3 * t, 3 * t] });
    } else {
      this.add('sphere', body, 'joint', 0, { center: at, radius: 1.7 * t });
    }
  }

  /// A sleeve on one body, and on the other one the line along which it slides.
  drawSlider(joint) {
    const t = this.thickness;
    const onGround = joint.j < 0;
    const [body, at, axis] = onGround ? [joint.i, joint.at_i, joint.axis_i] : [joint.j, joint.at_j, joint.axis_j];
    const [other, place, line] = onGround ? [-1, joint.at_j, joint.axis_j] : [joint.i, joint.at_i, joint.axis_i];
    if (joint.type === 'point_on_line') {
      this.drawPin(joint, body, at);
    } else if (this.planar) {
      const side = scale(1.5 * t, unit([-axis[1], axis[0], 0]));
      const along = scale(3.2 * t, axis);
      this.add('polygon', body, 'joint', body, {
        points: [add(add(at, along), side), add(sub(at, along), side), sub(sub(at, along), side), sub(add(at, along), side)],
      });
    } else {
      this.add('cylinder', body, 'joint', body, {
        from: sub(at, scale(3.5 * t, axis)), to: add(at, scale(3.5 * t, axis)), radius: 2 * t,
      });
    }
    const [back, ahead] = this.reach(place, line, other, body, at);
    this.add('line', other, 'guide', 0, { points: [add(place, scale(back, line)), add(place, scale(ahead, line))] });
  }

  /// How far along a line of the ground a slider goes; a part of the mechanism's size on moving bodies.
  reach(place, line, other) {
    if (other >= 0) return [-0.25 * this.size, 0.25 * this.size];
    const corners = [this.low, this.high];
    let [back, ahead] = [-0.15 * this.size, 0.15 * this.size];
    for (const x of corners) for (const y of corners) for (const z of corners) {
      const along = dot(sub([x[0], y[1], z[2]], place), line);
      back = Math.min(back, along);
      ahead = Math.max(ahead, along);
    }
    const most = 1.2 * this.size;
    return [Math.max(back, -most), Math.min(ahead, most)];
  }

  drawWheel(joint) {
    const { at_j, j, radius } = joint;
    const axis = joint.axis_j ?? [0, 0, 1];
    const shaped = this.mechanism.bodies[j].geometry.some((shape) => shape.shape === 'cylinder');
    if (!shaped) {
      const half = scale(0.03 * radius, axis);
      this.add('cylinder', j, 'body', j, { from: sub(at_j, half), to: add(at_j, half), radius, spoke: true });
    }
    if (this.planar && joint.i < 0) {
      const [back, ahead] = this.reach(joint.surface_at, joint.surface_direction, -1);
      const along = (s) => add(joint.surface_at, scale(s, joint.surface_direction));
      this.add('line', -1, 'ground', 0, { points: [along(back), along(ahead)] });
    }
  }

  /// The sign of a place on the ground.
  drawSupport(joint, at) {
    const t = this.thickness;
    if (!this.planar) {
      const axis = joint.axis_i ?? joint.axis_j;
      const sideways = axis ?? across(this.up);
      const half = scale(1.2 * t, sideways);
      this.add('cylinder', -1, 'ground', 0, { from: sub(at, half), to: add(at, half), radius: 2.5 * t });
      return;
    }
    const w = 2.1 * t;
    const h = 3 * t;
    this.add('polygon', -1, 'ground', 0, { points: [at, add(at, [-w, -h, 0]), add(at, [w, -h, 0])] });
    this.add('line', -1, 'ground', 0, { points: [add(at, [-1.7 * w, -h, 0]), add(at, [1.7 * w, -h, 0])] });
    for (let k = 0; k < 5; ++k) {
      const x = -1.7 * w + 0.2 * w + k * 0.75 * w;
      this.add('line', -1, 'ground', 0, { points: [add(at, [x, -h, 0]), add(at, [x - 0.5 * w, -h - 0.6 * w, 0])], fine: true });
    }
  }

  /// What a trail can follow: {label, body, at}.
  trailPoints() {
    return this.mechanism.bodies.flatMap((body, k) => [
      ...this.points[k].map((point) => ({ label: `${body.name} at ${point.name}`, body: k, at: point.at })),
      ...(this.points[k].some((point) => same(point.at, [0, 0, 0], this.size))
        ? [] : [{ label: `${body.name}, centre of mass`, body: k, at: [0, 0, 0] }]),
    ]);
  }
}
