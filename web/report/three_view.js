// Draws a mechanism with WebGL: shaded solids in space, flat outlines seen along z in the plane.
import {
  AmbientLight, BufferGeometry, Color, ConeGeometry, CylinderGeometry, BoxGeometry, DirectionalLight, DoubleSide, Float32BufferAttribute,
  Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshStandardMaterial, MOUSE, OrthographicCamera, PerspectiveCamera,
  Quaternion, Scene, Shape, ShapeGeometry, SphereGeometry, TOUCH, Vector3, WebGLRenderer, CapsuleGeometry, ShapeUtils, Vector2,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { placeOf } from './motion.js';
import { colourOf } from './palette.js';
import { coil, outline } from './shapes.js';
import { viewDirections, gridLines } from './viewpoint.js';
import { add, across, cross, dot, norm, scale, sub, unit } from './vector.js';

const vector = (a) => new Vector3(a[0], a[1], a[2]);
const layers = { guide: 0, ground: 1, trail: 5, spring: 30, mass: 38, joint: 40, arrow: 60 };

export class ThreeView {
  constructor(canvas, drawing) {
    this.canvas = canvas;
    this.drawing = drawing;
    this.planar = drawing.planar;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.scene = new Scene();
    this.themed = []; // (material, role) whose colour follows the theme
    this.lines = [];
    this.bodies = drawing.mechanism.bodies.map(() => this.group());
    this.ground = this.group();
    for (const part of drawing.parts) this.addPart(part);
    this.springs = drawing.springs.map((spring) => ({ ...spring, object: this.spring() }));
    this.bars = drawing.bars.map((bar) => ({ ...bar, object: this.bar() }));
    if (!this.planar) this.addGrid();
    this.arrows = [];
    this.createCamera();
    this.resetView();
  }

  group(parent = this.scene) {
    const group = new Group();
    parent.add(group);
    return group;
  }

  createCamera() {
    this.camera = this.planar ? new OrthographicCamera() : new PerspectiveCamera(32, 1, 0.001, 1000);
    this.camera.up.copy(vector(this.planar ? [0, 1, 0] : this.drawing.up));
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.zoomToCursor = true;
    if (this.planar) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
      this.controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    }
    this.controls.addEventListener('change', () => this.onViewChange?.());
    this.scene.add(new AmbientLight(0xffffff, 1.6));
    this.light = new DirectionalLight(0xffffff, 2.2);
    this.scene.add(this.light, this.light.target);
  }

  resetView() {
    const { center, size } = this.drawing;
    const target = vector(center);
    this.controls.target.copy(target);
    if (this.planar) {
      this.camera.position.copy(target).add(new Vector3(0, 0, 10 * size));
      this.camera.near = 0.01 * size;
      this.camera.far = 40 * size;
      this.camera.zoom = 1;
    } else {
      const { away } = viewDirections(this.drawing.up);
      this.fitFrustum();
      this.camera.position.copy(target).addScaledVector(vector(away), this.fitDistance());
      this.camera.near = 0.02 * size;
      this.camera.far = 60 * size;
    }
    this.fitFrustum();
    this.controls.update();
  }

  /// From where every corner of the mechanism's box is seen.
  fitDistance() {
    const { low, high, center, size } = this.drawing;
    const { right, up, away } = viewDirections(this.drawing.up);
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    let far = 0;
    for (const x of [low, high]) for (const y of [low, high]) for (const z of [low, high]) {
      const corner = sub([x[0], y[1], z[2]], center);
      const across = Math.max(Math.abs(dot(corner, right)) / this.camera.aspect, Math.abs(dot(corner, up)));
      far = Math.max(far, dot(corner, away) + (1.12 * across) / half);
    }
    return Math.max(far, size);
  }

  fitFrustum() {
    const { low, high, size, thickness } = this.drawing;
    const aspect = this.width / this.height || 1.6;
    if (this.planar) {
      const margin = 6 * thickness;
      const tall = Math.max(high[1] - low[1] + 2 * margin, (high[0] - low[0] + 2 * margin) / aspect, 0.2 * size);
      Object.assign(this.camera, { top: tall / 2, bottom: -tall / 2, left: (-tall * aspect) / 2, right: (tall * aspect) / 2 });
    } else {
      this.camera.aspect = aspect;
    }
    this.camera.updateProjectionMatrix();
  }

  resize(width, height) {
    const first = !this.width;
    Object.assign(this, { width, height });
    this.renderer.setSize(width, height, false);
    for (const material of this.lines) material.resolution.set(width, height);
    this.fitFrustum();
    if (first) this.resetView();
  }

  // --- materials ---
  material(part, options = {}) {
    const Kind = this.planar ? MeshBasicMaterial : MeshStandardMaterial;
    const material = new Kind({ side: DoubleSide, ...(this.planar ? {} : { roughness: 0.6, metalness: 0.05 }), ...options });
    this.themed.push([material, part]);
    return material;
  }
  lineMaterial(part, width, options = {}) {
    const material = new LineMaterial({ linewidth: width, ...options });
    this.lines.push(material);
    this.themed.push([material, part]);
    return material;
  }
  line(points, part, width, options) {
    const geometry = new LineGeometry();
    geometry.setPositions(points.flat());
    return new Line2(geometry, this.lineMaterial(part, width, options));
  }

  setTheme(colours) {
    this.colours = colours;
    for (const [material, part] of this.themed) material.color.set(this.colourOf(part));
    for (const arrow of this.arrows) arrow.material.color.set(arrow.unique ? colours.unique : colours.doubtful);
  }
  colourOf({ role, colour, edge }) {
    const { colours } = this;
    if (role === 'body') return edge ? new Color(colourOf(colour)).lerp(new Color(colours.text), 0.35) : colourOf(colour);
    if (role === 'mass') return new Color(colourOf(colour)).lerp(new Color(colours.text), 0.55);
    if (role === 'joint') return this.planar && !edge ? colours.stage : colours.joint;
    if (role === 'trail') return colourOf(colour);
    return colours.ground;
  }

  // --- parts ---
  addPart(part) {
    const parent = part.body < 0 ? this.ground : this.bodies[part.body];
    for (const object of this.planar ? this.flat(part) : this.solid(part)) parent.add(object);
  }

  flat(part) {
    const { points, closed } = outline(part);
    const order = part.role === 'body' ? 10 + (part.body % 20) : layers[part.role];
    const objects = [];
    if (closed) {
      const shape = new Shape(points.map(([x, y]) => new Vector2(x, y)));
      const opacity = part.role === 'body' ? 0.82 : 1;
      objects.push(new Mesh(new ShapeGeometry(shape), this.material(part, { transparent: true, opacity, depthTest: false })));
    }
    if (part.role !== 'mass') {
      const path = closed ? [...points, points[0]] : points;
      const width = part.fine || part.role === 'guide' ? 1 : part.role === 'joint' ? 1.8 : 1.4;
      objects.push(this.line(path, { ...part, edge: true }, width, { depthTest: false, transparent: true }));
    }
    if (part.spoke) {
      objects.push(this.line([part.from, points[0]], { ...part, edge: true }, 1.4, { depthTest: false, transparent: true }));
    }
    objects.forEach((object, k) => (object.renderOrder = order + 0.1 * k));
    return objects;
  }

  solid(part) {
    const between = (geometry, from, to) => {
      const mesh = new Mesh(geometry, this.material(part));
      mesh.position.copy(vector(scale(0.5, add(from, to))));
      mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), vector(unit(sub(to, from))));
      return mesh;
    };
    const at = (geometry, center) => {
      const mesh = new Mesh(geometry, this.material(part));
      mesh.position.copy(vector(center));
      return mesh;
    };
    switch (part.kind) {
      case 'rod':
        return [between(new CapsuleGeometry(part.radius, norm(sub(part.to, part.from)), 6, 16), part.from, part.to)];
      case 'cylinder': {
        const length = norm(sub(part.to, part.from));
        const objects = [between(new CylinderGeometry(part.radius, part.radius, length, 40), part.from, part.to)];
        if (part.spoke) objects.push(this.spokes(part, length));
        return objects;
      }
      case 'sphere':
        return [at(new SphereGeometry(part.radius, 28, 18), part.center)];
      case 'box':
        return [at(new BoxGeometry(...part.size.map((edge) => Math.max(edge, 0.2 * this.drawing.thickness))), part.center)];
      case 'polygon':
        return [this.face(part)];
      default:
        return [this.line(part.points, part, 1.2, { transparent: true, opacity: 0.7 })];
    }
  }

  /// Marks on a turning disc.
  spokes(part, length) {
    const axis = unit(sub(part.to, part.from));
    const first = scale(0.98 * part.radius, across(axis));
    const second = cross(axis, first);
    const points = [];
    for (const end of [part.from, part.to]) {
      const out = scale((end === part.from ? -0.02 : 0.02) * Math.max(length, 0.1 * part.radius), axis);
      for (const arm of [first, second]) {
        points.push(add(add(end, out), arm), sub(add(end, out), arm));
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(points.flat(), 3));
    const material = new LineBasicMaterial();
    this.themed.push([material, { ...part, edge: true }]);
    return new LineSegments(geometry, material);
  }

  face(part) {
    const { points } = part;
    const normal = unit(cross(sub(points[1], points[0]), sub(points[2], points[0])));
    const first = across(normal);
    const second = cross(normal, first);
    const flat = points.map((p) => new Vector2(dot(p, first), dot(p, second)));
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(points.flat(), 3));
    geometry.setIndex(ShapeUtils.triangulateShape(flat, []).flat());
    geometry.computeVertexNormals();
    const options = part.thin ? { transparent: true, opacity: 0.28, depthWrite: false } : {};
    return new Mesh(geometry, this.material(part, options));
  }

  spring() {
    const points = coil(1.6 * this.drawing.thickness, this.planar);
    const object = this.line(points, { role: 'joint', edge: true }, 1.8, this.planar ? { depthTest: false, transparent: true } : {});
    object.renderOrder = layers.spring;
    object.frustumCulled = false;
    this.scene.add(object);
    return object;
  }
  bar() {
    const object = this.line([[0, 0, 0], [1, 0, 0]], { role: 'joint', edge: true }, 3, this.planar ? { depthTest: false, transparent: true } : {});
    object.renderOrder = layers.spring;
    object.frustumCulled = false;
    this.scene.add(object);
    return object;
  }

  addGrid() {
    const points = gridLines(this.drawing).flat(2);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(points, 3));
    const material = new LineBasicMaterial({ transparent: true, opacity: 0.35, depthWrite: false });
    this.themed.push([material, { role: 'ground' }]);
    this.ground.add(new LineSegments(geometry, material));
  }

  // --- what changes ---
  /// A path that is faint as a whole and clear up to now; null: none.
  setTrail(points, colour) {
    for (const line of [this.trail, this.past]) {
      if (!line) continue;
      this.scene.remove(line);
      line.geometry.dispose();
      this.lines = this.lines.filter((material) => material !== line.material);
      this.themed = this.themed.filter(([material]) => material !== line.material);
    }
    this.trail = this.past = null;
    if (!points || points.length < 2) return;
    const make = (opacity, width) => {
      const line = this.line(points, { role: 'trail', colour }, width, { transparent: true, opacity, depthTest: !this.planar });
      line.material.color.set(colourOf(colour));
      line.material.resolution.set(this.width, this.height);
      line.renderOrder = layers.trail;
      line.frustumCulled = false;
      this.scene.add(line);
      return line;
    };
    this.trail = make(0.3, 1.5);
    this.past = make(0.95, 2.2);
  }

  setArrows(arrows) {
    for (const arrow of this.arrows) this.scene.remove(arrow.group);
    this.arrows = arrows.map(({ unique }) => {
      const material = this.planar
        ? new MeshBasicMaterial({ depthTest: false, transparent: true })
        : new MeshStandardMaterial({ roughness: 0.5, depthTest: false, transparent: true });
      if (this.colours) material.color.set(unique ? this.colours.unique : this.colours.doubtful);
      const group = this.group();
      const t = (this.planar ? 0.42 : 0.55) * this.drawing.thickness;
      // Broken shafts say "not unique" without colour.
      const pieces = unique ? [[0, 1]] : [[0, 0.22], [0.31, 0.53], [0.62, 1]];
      const shafts = pieces.map(([from, to]) => {
        const geometry = new CylinderGeometry(t, t, to - from, 12);
        geometry.translate(0, (from + to) / 2, 0);
        return new Mesh(geometry, material);
      });
      const head = new Mesh(new ConeGeometry(2.6 * t, 6 * t, 20), material);
      const body = new Group();
      body.add(...shafts);
      group.add(body, head);
      for (const mesh of [...shafts, head]) mesh.renderOrder = layers.arrow;
      return { unique, material, group, body, head, headLength: 6 * t };
    });
  }

  placeArrow(arrow, { from, vector: along }) {
    const length = norm(along);
    arrow.group.visible = length > 0.02 * this.drawing.size;
    if (!arrow.group.visible) return;
    const direction = vector(unit(along));
    arrow.group.position.copy(vector(from));
    arrow.group.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), direction);
    const head = Math.min(arrow.headLength, 0.6 * length);
    arrow.head.scale.setScalar(head / arrow.headLength);
    arrow.head.position.set(0, length - head / 2, 0);
    arrow.body.scale.set(1, length - head, 1);
  }

  stretch(object, from, to) {
    const along = sub(to, from);
    object.position.copy(vector(from));
    object.quaternion.setFromUnitVectors(new Vector3(1, 0, 0), vector(unit(along)));
    object.scale.set(Math.max(1e-9, norm(along)), 1, 1);
  }

  render({ poses, arrows, progress }) {
    poses.forEach(({ center, orientation: [w, x, y, z] }, k) => {
      this.bodies[k].position.copy(vector(center));
      this.bodies[k].quaternion.copy(new Quaternion(x, y, z, w));
    });
    for (const { object, from_body, from, to_body, to } of [...this.springs, ...this.bars]) {
      this.stretch(object, placeOf(poses, from_body, from), placeOf(poses, to_body, to));
    }
    if (arrows.length !== this.arrows.length) this.setArrows(arrows);
    arrows.forEach((arrow, k) => this.placeArrow(this.arrows[k], arrow));
    if (this.past) {
      const segments = this.past.geometry.getAttribute('instanceStart').count;
      this.past.geometry.instanceCount = Math.max(0, Math.round(progress * segments));
    }
    const { right, up } = viewDirections(this.drawing.up);
    this.light.position.copy(this.camera.position).addScaledVector(vector(up), 0.6 * this.drawing.size).addScaledVector(vector(right), -0.5 * this.drawing.size);
    this.light.target.position.copy(this.controls.target);
    this.renderer.render(this.scene, this.camera);
  }

  /// Pixels of a world place.
  project(place) {
    const p = vector(place).project(this.camera);
    return [((p.x + 1) / 2) * this.width, ((1 - p.y) / 2) * this.height];
  }
  /// World axes on the screen: [x, y] of each, y upwards.
  axes() {
    const turn = this.camera.quaternion.clone().invert();
    return [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => {
      const seen = vector(axis).applyQuaternion(turn);
      return [seen.x, seen.y];
    });
  }
}
