// The animation with its controls.
import { CanvasView } from './canvas_view.js';
import { Drawing } from './drawing.js';
import { element, icon, iconButton } from './elements.js';
import { ModeShape, placeOf, Recorded, Rest } from './motion.js';
import { colourOf, themeColours } from './palette.js';
import { Reactions } from './reactions.js';
import { ThreeView } from './three_view.js';
import { distance } from './vector.js';

const speeds = [0.1, 0.25, 0.5, 1, 2, 5];

export class Stage {
  constructor(mechanism, series, modes, clock) {
    Object.assign(this, { mechanism, series, modes, clock });
    this.recorded = series ? Recorded.of(mechanism, series) : null;
    this.motion = this.recorded ?? (modes.length > 0 ? new ModeShape(mechanism, modes[0]) : new Rest(mechanism));
    this.drawing = new Drawing(mechanism, this.motion);
    this.reactions = this.recorded ? new Reactions(this.drawing, series) : null;
    this.showReactions = this.showLabels = false;
    if (!this.motion.still) clock.setRange(this.motion.start, this.motion.end);
    this.node = element('section.stage.card', { id: 'animation', 'aria-label': 'Animation' });
    this.createViewport();
    if (!this.motion.still) this.node.append(this.transport());
    this.node.append(this.options());
    this.createView();
    new ResizeObserver(() => this.resize()).observe(this.viewport);
    clock.onChange(() => this.update());
  }

  createViewport() {
    this.canvas = element('canvas.scene', { role: 'img', tabindex: '0', 'aria-label': `Moving picture of ${this.mechanism.name}` });
    this.overlay = element('canvas.overlay', { 'aria-hidden': 'true' });
    this.still = element('img.still', { alt: `Picture of ${this.mechanism.name}` });
    this.legend = element('div.legend', { hidden: true });
    const reset = iconButton('reset', 'Reset the view', () => {
      this.view.resetView();
      this.update();
    });
    this.viewport = element('div.viewport', {}, this.canvas, this.overlay, this.still, this.legend, reset);
    this.node.append(this.viewport);
  }

  createView() {
    try {
      this.view = new ThreeView(this.canvas, this.drawing);
      this.node.dataset.renderer = 'webgl';
    } catch {
      // A canvas that was asked for WebGL cannot draw otherwise.
      const plain = this.canvas.cloneNode();
      this.canvas.replaceWith(plain);
      this.canvas = plain;
      this.view = new CanvasView(plain, this.drawing);
      this.node.dataset.renderer = 'canvas';
    }
    this.view.onViewChange = () => this.requestDraw();
    this.setTheme();
  }

  // --- controls ---
  transport() {
    const { clock } = this;
    this.playButton = element('button.icon.primary', { type: 'button', onclick: () => clock.toggle() });
    this.slider = element('input.scrub', {
      type: 'range', min: clock.start, max: clock.end, step: 'any', value: clock.start, 'aria-label': 'Time',
      oninput: () => {
        const time = Number(this.slider.value); // pausing puts the slider back
        clock.pause();
        clock.set(time);
      },
    });
    this.timeLabel = element('output.time', { 'aria-live': 'off' });
    const speed = element('select', { 'aria-label': 'Speed', title: 'Speed', onchange: () => (clock.speed = Number(speed.value)) },
      speeds.map((value) => element('option', { value, selected: value === 1 }, `${value}×`)));
    return element('div.controls.transport', {},
      iconButton('back', 'One step back (left arrow)', () => this.step(-1)),
      this.playButton,
      iconButton('ahead', 'One step ahead (right arrow)', () => this.step(1)),
      this.slider, this.timeLabel, speed);
  }

  check(label, checked, onchange) {
    const box = element('input', { type: 'checkbox', checked, onchange: () => onchange(box.checked) });
    return element('label.check', {}, box, label);
  }

  options() {
    const group = (...children) => element('div.option', {}, ...children);
    const controls = [];
    if (this.modes.length > 0 && !this.recorded) controls.push(group(...this.modeOptions()));
    if (!this.motion.still) controls.push(group(...this.trailOptions()));
    if (this.reactions && !this.reactions.empty) controls.push(group(...this.reactionOptions()));
    controls.push(group(this.check('Names', false, (on) => {
      this.showLabels = on;
      this.update();
    })));
    return element('div.controls.options', {}, ...controls);
  }

  modeOptions() {
    const choice = element('select', { id: 'mode', onchange: () => {
      const { amplitude } = this.motion;
      this.motion = Object.assign(new ModeShape(this.mechanism, this.modes[Number(choice.value)]), { amplitude });
      this.setTrail();
    } }, this.modes.map((mode, k) => element('option', { value: k }, mode.label)));
    const size = element('input', { type: 'range', min: 0, max: 1, step: 0.01, value: this.motion.amplitude, 'aria-label': 'Amplitude', oninput: () => {
      this.motion.amplitude = Number(size.value);
      this.setTrail();
    } });
    return [element('label', { for: 'mode' }, 'Mode'), choice, size];
  }

  trailOptions() {
    this.trailPoints = this.drawing.trailPoints();
    this.trail = null;
    this.trailChoice = element('select', { 'aria-label': 'Point that leaves the trail', onchange: () => {
      this.trailBox.querySelector('input').checked = true;
      this.setTrail();
    } }, this.trailPoints.map((point, k) => element('option', { value: k }, point.label)));
    this.trailChoice.value = this.liveliest();
    this.trailBox = this.check('Trail', false, () => this.setTrail());
    return [this.trailBox, this.trailChoice];
  }

  /// Number of the point with the longest way.
  liveliest() {
    const points = this.trailPoints.slice(0, 200);
    const ways = points.map(() => 0);
    const { start, end } = this.motion;
    let before = null;
    for (let k = 0; k <= 40; ++k) {
      const poses = this.motion.poses(start + ((end - start) * k) / 40);
      const places = points.map(({ body, at }) => placeOf(poses, body, at));
      if (before) places.forEach((place, n) => (ways[n] += distance(place, before[n])));
      before = places;
    }
    return Math.max(0, ways.findIndex((way) => way >= 0.999 * Math.max(...ways)));
  }

  reactionOptions() {
    const { reactions } = this;
    const changed = () => {
      this.view.setArrows([]);
      this.update();
    };
    const kind = element('select', { 'aria-label': 'Kind of reactions', onchange: () => {
      reactions.kind = kind.value;
      changed();
    } }, element('option', { value: 'force' }, 'forces'), element('option', { value: 'moment' }, 'moments'));
    const size = element('input', { type: 'range', min: -1, max: 1, step: 0.02, value: 0, 'aria-label': 'Length of the arrows', title: 'Length of the arrows', oninput: () => {
      reactions.scale = 10 ** Number(size.value);
      this.update();
    } });
    const box = this.check('Reactions', false, (on) => {
      this.showReactions = on;
      changed();
    });
    return reactions.kinds.moment.length > 0 ? [box, kind, size] : [box, size];
  }

  // --- time ---
  step(direction) {
    const { clock, series } = this;
    clock.pause();
    if (!this.recorded) {
      clock.set(clock.time + (direction * (clock.end - clock.start)) / 60);
      return;
    }
    const { row, next, part } = series.locate(clock.time);
    const target = direction > 0 ? (part > 0.999 ? next + 1 : row + 1) : part > 0.001 ? row : row - 1;
    clock.set(series.time[Math.min(series.time.length - 1, Math.max(0, target))]);
  }

  setTrail() {
    const point = this.trailBox?.querySelector('input').checked ? this.trailPoints[Number(this.trailChoice.value)] : null;
    this.trail = point;
    if (point) {
      const count = 600;
      const { start, end } = this.motion;
      const points = Array.from({ length: count + 1 }, (_, k) => {
        return placeOf(this.motion.poses(start + ((end - start) * k) / count), point.body, point.at);
      });
      this.view.setTrail(points, point.body);
    } else {
      this.view.setTrail(null);
    }
    this.update();
  }

  resize() {
    const { width, height } = this.viewport.getBoundingClientRect();
    if (width < 2 || height < 2 || window.matchMedia('print').matches) return; // paper shows the frozen picture
    this.view.resize(width, height);
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    Object.assign(this.overlay, { width: width * ratio, height: height * ratio });
    Object.assign(this, { width, height, ratio });
    this.update();
  }

  setTheme() {
    this.colours = themeColours();
    this.view.setTheme(this.colours);
    this.update();
  }

  /// Draws once, however often the view changes before the next picture.
  requestDraw() {
    if (this.requested || this.clock.playing) return;
    this.requested = true;
    requestAnimationFrame(() => {
      this.requested = false;
      this.update();
    });
  }

  update() {
    const { clock, motion } = this;
    if (!this.width || !this.view) return;
    const poses = motion.poses(clock.time);
    const arrows = this.showReactions ? this.reactions.arrows(clock.time, poses) : [];
    const progress = motion.still ? 0 : motion.cyclic ? 1 : (clock.time - motion.start) / (motion.end - motion.start);
    this.view.render({ poses, arrows, progress });
    this.drawOverlay(poses);
    this.updateLegend();
    this.node.dataset.time = clock.time;
    if (!this.playButton) return;
    if (this.playButton.dataset.playing !== String(clock.playing)) {
      this.playButton.dataset.playing = clock.playing;
      this.playButton.replaceChildren(icon(clock.playing ? 'pause' : 'play'));
      const label = clock.playing ? 'Pause (space)' : 'Play (space)';
      this.playButton.setAttribute('aria-label', label);
      this.playButton.title = label;
    }
    this.slider.value = clock.time;
    this.slider.style.setProperty('--done', `${100 * progress}%`);
    const digits = clock.end - clock.start < 1 ? 3 : 2;
    this.timeLabel.value = motion.cyclic ? `${Math.round((360 * clock.time) / clock.end)}°` : `${clock.time.toFixed(digits)} s`;
    this.slider.setAttribute('aria-valuetext', this.timeLabel.value);
  }

  updateLegend() {
    const key = this.showReactions ? `${this.reactions.kind} ${this.reactions.anyDoubtful}` : '';
    if (this.legend.dataset.key === key) return;
    this.legend.dataset.key = key;
    this.legend.hidden = !key;
    const entry = (kind, text) => element('div', {}, element(`span.swatch.${kind}`), text);
    this.legend.replaceChildren(
      entry('unique', 'unique: the equations of motion determine it'),
      ...(this.reactions?.anyDoubtful ? [entry('doubtful', 'not unique: one of many that give the same motion')] : []));
  }

  /// Names and the world's axes.
  drawOverlay(poses) {
    const context = this.overlay.getContext('2d');
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.drawAxes(context);
    if (!this.showLabels) return;
    const write = (text, place, colour, weight) => {
      const [x, y] = this.view.project(place);
      const down = weight > 400 ? 14 : -12; // a body and a joint at one place do not hide each other
      context.font = `${weight} 12px system-ui, sans-serif`;
      context.textBaseline = 'middle';
      context.lineWidth = 3;
      context.lineJoin = 'round';
      context.strokeStyle = this.colours.stage;
      context.strokeText(text, x + 8, y + down);
      context.fillStyle = colour;
      context.fillText(text, x + 8, y + down);
    };
    this.mechanism.bodies.forEach((body, k) => write(body.name, poses[k].center, colourOf(k), 600));
    for (const { name, i, j, at_i, at_j } of this.mechanism.joints) {
      if (at_j) write(name, j >= 0 ? placeOf(poses, j, at_j) : placeOf(poses, i, at_i), this.colours.muted, 400);
    }
  }

  drawAxes(context) {
    const [x0, y0, length] = [this.mechanism.planar ? 24 : 40, this.mechanism.planar ? 46 : 52, 26];
    context.lineWidth = 1.5;
    context.lineCap = 'round';
    context.strokeStyle = context.fillStyle = this.colours.muted;
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.textAlign = 'center';
    this.view.axes().forEach(([x, y], k) => {
      const size = Math.hypot(x, y);
      if (size < 0.15) return;
      context.beginPath();
      context.moveTo(x0, y0);
      context.lineTo(x0 + length * x, y0 - length * y);
      context.stroke();
      const far = length + 10 / size;
      context.fillText('xyz'[k], x0 + far * x, y0 - far * y);
    });
    context.textAlign = 'start';
  }

  /// For paper: the picture as it is now.
  freeze() {
    this.update();
    const picture = element('canvas', { width: this.canvas.width, height: this.canvas.height });
    const context = picture.getContext('2d');
    context.drawImage(this.canvas, 0, 0);
    context.drawImage(this.overlay, 0, 0, picture.width, picture.height);
    this.still.src = picture.toDataURL('image/png');
  }
}
