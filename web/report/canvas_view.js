// Draws a mechanism on a plain canvas where there is no WebGL: outlines in the plane, an orthographic view of lines in
// space that can be turned, moved and zoomed like the other one.
import { placeOf } from './motion.js';
import { colourOf } from './palette.js';
import { coil, outline, wires } from './shapes.js';
import { gridLines, viewDirections } from './viewpoint.js';
import { add, across, cross, distance, dot, norm, scale, sub, unit } from './vector.js';

export class CanvasView {
  constructor(canvas, drawing) {
    Object.assign(this, { canvas, drawing, planar: drawing.planar, arrows: [] });
    this.context = canvas.getContext('2d');
    this.ratio = Math.min(2, window.devicePixelRatio || 1);
    this.paths = drawing.parts.map((part) => ({
      part,
      ...(this.planar ? { ...outline(part) } : { wires: wires(part) }),
    }));
    this.grid = this.planar ? [] : gridLines(drawing);
    this.resetView();
    this.listen();
  }

  resetView() {
    Object.assign(this, { azimuth: -40, elevation: 24, zoom: 1, shift: [0, 0] });
    this.turn();
    this.onViewChange?.();
  }
  turn() {
    const directions = viewDirections(this.drawing.up, this.azimuth, this.elevation);
    this.right = this.planar ? [1, 0, 0] : directions.right;
    this.above = this.planar ? [0, 1, 0] : directions.up;
  }
  resize(width, height) {
    Object.assign(this, { width, height });
    this.canvas.width = width * this.ratio;
    this.canvas.height = height * this.ratio;
    const { low, high, size, thickness } = this.drawing;
    const margin = 6 * thickness;
    this.fit = this.planar
      ? Math.min(width / Math.max(high[0] - low[0] + 2 * margin, 0.2 * size), height / Math.max(high[1] - low[1] + 2 * margin, 0.2 * size))
      : Math.min(width, height) / (2.15 * size);
  }
  setTheme(colours) {
    this.colours = colours;
  }
  setTrail(points, colour) {
    this.trail = points && { points, colour };
  }
  setArrows() {}

  project(place) {
    const from = sub(place, this.drawing.center);
    const pixels = this.fit * this.zoom;
    return [
      this.width / 2 + this.shift[0] + pixels * dot(from, this.right),
      this.height / 2 + this.shift[1] - pixels * dot(from, this.above),
    ];
  }
  axes() {
    return [0, 1, 2].map((k) => [this.right[k], this.above[k]]);
  }

  listen() {
    const pointers = new Map();
    this.canvas.addEventListener('pointerdown', (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
    });
    for (const name of ['pointerup', 'pointercancel']) {
      this.canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
    }
    this.canvas.addEventListener('pointermove', (event) => {
      const last = pointers.get(event.pointerId);
      if (!last) return;
      const [dx, dy] = [event.clientX - last.clientX, event.clientY - last.clientY];
      if (pointers.size === 2) {
        const other = [...pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
        const apart = (a) => Math.hypot(a.clientX - other.clientX, a.clientY - other.clientY);
        this.zoom *= apart(event) / Math.max(1, apart(last));
      } else if (this.planar || event.shiftKey || event.buttons === 2) {
        this.shift = [this.shift[0] + dx, this.shift[1] + dy];
      } else {
        this.azimuth -= 0.4 * dx;
        this.elevation = Math.min(89, Math.max(-89, this.elevation + 0.4 * dy));
        this.turn();
      }
      pointers.set(event.pointerId, event);
      this.onViewChange?.();
    });
    this.canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    this.canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoom *= Math.exp(-0.0015 * event.deltaY);
      this.onViewChange?.();
    }, { passive: false });
  }

  path(points, closed = false) {
    const { context } = this;
    context.beginPath();
    points.forEach((point, k) => {
      const [x, y] = this.project(point);
      if (k === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    });
    if (closed) context.closePath();
  }
  stroke(points, colour, width, closed = false) {
    this.context.strokeStyle = colour;
    this.context.lineWidth = width;
    this.path(points, closed);
    this.context.stroke();
  }

  colour({ role, colour }) {
    if (role === 'body') return colourOf(colour);
    return role === 'joint' || role === 'mass' ? this.colours.joint : this.colours.ground;
  }

  drawPart({ part, points, closed, wires: lines }, poses) {
    const { context } = this;
    const world = (list) => list.map((point) => placeOf(poses, part.body, point));
    const colour = this.colour(part);
    if (!this.planar) {
      const width = part.kind === 'rod' ? Math.max(2, 2 * part.radius * this.fit * this.zoom) : part.role === 'body' ? 1.6 : 1.1;
      if (part.role !== 'mass') for (const line of lines) this.stroke(world(line), colour, width);
      return;
    }
    const shape = world(points);
    if (closed) {
      this.path(shape, true);
      context.globalAlpha = part.role === 'body' ? 0.75 : 1;
      context.fillStyle = part.role === 'joint' ? this.colours.stage : colour;
      context.fill();
      context.globalAlpha = 1;
    }
    if (part.role !== 'mass') this.stroke(shape, colour, part.fine || part.role === 'guide' ? 1 : 1.6, closed);
    if (part.spoke) this.stroke(world([part.from, points[0]]), this.colours.text, 1);
  }

  drawSpring({ from_body, from, to_body, to }, poses) {
    const [a, b] = [placeOf(poses, from_body, from), placeOf(poses, to_body, to)];
    const along = sub(b, a);
    const side = this.planar ? unit([-along[1], along[0], 0]) : across(unit(along));
    const third = this.planar ? [0, 0, 1] : cross(unit(along), side);
    const points = coil(1.6 * this.drawing.thickness, this.planar).map(([x, y, z]) =>
      add(a, add(scale(x, along), add(scale(y, side), scale(z, third)))),
    );
    this.stroke(points, this.colours.joint, 1.6);
  }

  drawArrow({ from, vector, unique }) {
    if (norm(vector) < 0.02 * this.drawing.size) return;
    const { context } = this;
    const colour = unique ? this.colours.unique : this.colours.doubtful;
    const [[x0, y0], [x1, y1]] = [this.project(from), this.project(add(from, vector))];
    const angle = Math.atan2(y1 - y0, x1 - x0);
    const head = Math.min(12, 0.6 * Math.hypot(x1 - x0, y1 - y0));
    context.setLineDash(unique ? [] : [6, 4]);
    this.stroke([from, add(from, vector)], colour, 2.5);
    context.setLineDash([]);
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(x1, y1);
    for (const side of [-0.4, 0.4]) context.lineTo(x1 - head * Math.cos(angle + side), y1 - head * Math.sin(angle + side));
    context.fill();
  }

  render({ poses, arrows, progress }) {
    const { context, colours } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.lineCap = context.lineJoin = 'round';
    context.globalAlpha = 0.4;
    for (const line of this.grid) this.stroke(line, colours.ground, 0.7);
    context.globalAlpha = 1;
    if (this.trail) {
      const { points, colour } = this.trail;
      context.globalAlpha = 0.3;
      this.stroke(points, colourOf(colour), 1.5);
      context.globalAlpha = 1;
      this.stroke(points.slice(0, Math.max(1, Math.round(progress * points.length))), colourOf(colour), 2);
    }
    const order = { guide: 0, ground: 1, body: 2, mass: 3, joint: 4 };
    for (const path of [...this.paths].sort((a, b) => order[a.part.role] - order[b.part.role])) this.drawPart(path, poses);
    for (const spring of this.drawing.springs) this.drawSpring(spring, poses);
    for (const { from_body, from, to_body, to } of this.drawing.bars) {
      const ends = [placeOf(poses, from_body, from), placeOf(poses, to_body, to)];
      if (distance(...ends) > 0) this.stroke(ends, colours.joint, 3);
    }
    for (const arrow of arrows) this.drawArrow(arrow);
  }
}
