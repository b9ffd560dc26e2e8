// Reactions as arrows: which columns they are, whether they are unique, and how long an arrow is.
import { placeOf } from './motion.js';
import { norm, scale } from './vector.js';

function vectors(mechanism, series, letter) {
  const parts = mechanism.planar ? (letter === 'f' ? ['fx', 'fy', null] : [null, null, 'mz']) : ['x', 'y', 'z'].map((axis) => letter + axis);
  return mechanism.joints
    .map((joint) => ({
      joint,
      columns: parts.map((part) => (part ? series.find(`${joint.name}.${part}`) : null)),
    }))
    .filter(({ columns }) => columns.some(Boolean))
    .map((entry) => ({ ...entry, unique: entry.columns.every((column) => !column || column.mark !== 'not unique') }));
}

export class Reactions {
  constructor(drawing, series) {
    this.drawing = drawing;
    this.series = series;
    this.kinds = { force: vectors(drawing.mechanism, series, 'f'), moment: drawing.planar ? [] : vectors(drawing.mechanism, series, 'm') };
    this.kind = 'force';
    this.scale = 1;
    this.largest = Object.fromEntries(Object.entries(this.kinds).map(([kind, list]) => [kind, this.typical(list)]));
  }

  get empty() {
    return this.kinds.force.length === 0 && this.kinds.moment.length === 0;
  }
  get anyDoubtful() {
    return this.kinds[this.kind].some((entry) => !entry.unique);
  }

  /// The length that 19 of 20 arrows do not exceed: a single peak should not make all others invisible.
  typical(list) {
    const lengths = [];
    const rows = this.series.time.length;
    const step = Math.max(1, Math.floor(rows / 200));
    for (const { columns } of list) {
      for (let row = 0; row < rows; row += step) {
        lengths.push(norm(columns.map((column) => (column ? column.values[row] : 0))));
      }
    }
    lengths.sort((a, b) => a - b);
    return lengths[Math.floor(0.95 * (lengths.length - 1))] || 1;
  }

  /// Where a joint's reaction acts: on j, at the joint.
  place({ i, j, at_i, at_j }, poses) {
    if (!at_j) return poses[j >= 0 ? j : i].center;
    return j >= 0 ? placeOf(poses, j, at_j) : placeOf(poses, i, at_i);
  }

  arrows(t, poses) {
    const at = this.series.locate(t);
    const factor = (0.4 * this.scale * this.drawing.size) / this.largest[this.kind];
    return this.kinds[this.kind].map(({ joint, columns, unique }) => ({
      from: this.place(joint, poses),
      vector: scale(factor, columns.map((column) => (column ? this.series.value(column, at) : 0))),
      unique,
    }));
  }
}
