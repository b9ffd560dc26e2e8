// The page finds joints, bodies and columns by their names: the order of any list makes no difference.
//   node tests/web/names_test.mjs
import assert from 'node:assert/strict';
import { Drawing } from '../../web/report/drawing.js';
import { withNumbers } from '../../web/report/mechanism.js';
import { ModeShape, Recorded } from '../../web/report/motion.js';
import { Reactions } from '../../web/report/reactions.js';
import { Series } from '../../web/report/series.js';
import { distance } from '../../web/report/vector.js';

const encode = (numbers) => Buffer.from(new Float32Array(numbers).buffer).toString('base64');

// A crank of 2 m on the ground at O, upright, and a rod of 2 m from its end P to the right; a spring from the rod to the ground.
const body = (name, center) => ({ name, mass: 1, center, orientation: [1, 0, 0, 0], geometry: [] });
const mechanism = {
  name: 'two links', planar: true, length: 2, gravity: [0, -9.81, 0],
  bodies: [body('crank', [0, 1, 0]), body('rod', [1, 2, 0])],
  joints: [
    { name: 'O', type: 'revolute', bodies: ['ground', 'crank'], at_i: [0, 0, 0], at_j: [0, -1, 0] },
    { name: 'P', type: 'revolute', bodies: ['crank', 'rod'], at_i: [0, 1, 0], at_j: [-1, 0, 0] },
  ],
  springs: [{ name: 's', bodies: ['rod', 'ground'], from: [1, 0, 0], to: [2, 0, 0] }],
};
// Columns at 0 s and 1 s. Half a second later the crank is at (0.5, 1).
const columns = {
  'crank.x': [0, 1], 'crank.y': [1, 1], 'crank.angle': [0, 0], 'rod.x': [1, 1], 'rod.y': [2, 2], 'rod.angle': [0, 0],
  'O.fx': [0, 0], 'O.fy': [20, 20], 'O.mz': [0, 0], 'P.fx': [6, 6], 'P.fy': [8, 8], 'P.mz': [0, 0],
};
const marks = { 'P.fx': 'not unique' };
const seriesOf = (names) => new Series({ note: '', time: { floats: encode([0, 1]) },
  columns: names.map((name) => ({ name, mark: marks[name] ?? '', floats: encode(columns[name]) })) });
const modes = [{ shape: { crank: [0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0], rod: [5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] } }];
const reversedKeys = (object) => Object.fromEntries(Object.entries(object).reverse());

const names = Object.keys(columns);
const variants = {
  'as it is': [mechanism, names, modes],
  'columns in another order': [mechanism, [...names].reverse(), modes],
  'bodies in another order': [{ ...mechanism, bodies: [...mechanism.bodies].reverse() }, names, modes],
  'joints in another order': [{ ...mechanism, joints: [...mechanism.joints].reverse() }, names, modes],
  'shapes in another order': [mechanism, names, modes.map(({ shape }) => ({ shape: reversedKeys(shape) }))],
};

for (const [what, [given, order, shapes]] of Object.entries(variants)) {
  const numbered = withNumbers(given);
  const series = seriesOf(order);
  const motion = Recorded.of(numbered, series);
  const poses = motion.poses(0.5);
  const pose = (list, name) => list[numbered.bodies.findIndex((entry) => entry.name === name)];
  assert.deepEqual(pose(poses, 'crank').center, [0.5, 1, 0], what);
  assert.deepEqual(pose(poses, 'rod').center, [1, 2, 0], what);

  // Arrows at the joints: O on the crank at (0.5, 0), P on the rod at (0, 2), forces as 20 to 10.
  const reactions = new Reactions(new Drawing(numbered, motion), series);
  const arrows = new Map(reactions.kinds.force.map(({ joint }, k) => [joint.name, reactions.arrows(0.5, poses)[k]]));
  assert.deepEqual([...arrows.keys()].sort(), ['O', 'P'], what);
  assert.deepEqual(arrows.get('O').from, [0.5, 0, 0], what);
  assert.deepEqual(arrows.get('P').from, [0, 2, 0], what);
  assert(Math.abs(distance(arrows.get('O').vector, [0, 0, 0]) / distance(arrows.get('P').vector, [0, 0, 0]) - 2) < 1e-12, what);
  assert.equal(arrows.get('O').unique, true, what);
  assert.equal(arrows.get('P').unique, false, what);

  const [spring] = numbered.springs;
  assert.equal(numbered.bodies[spring.from_body].name, 'rod', what);
  assert.equal(spring.to_body, -1, what);

  // A quarter of each shape at the beginning: crank up, rod to the right.
  const mode = new ModeShape(numbered, shapes[0]).poses(0);
  assert.deepEqual(pose(mode, 'crank').center, [0, 1.75, 0], what);
  assert.deepEqual(pose(mode, 'rod').center, [2.25, 2, 0], what);
}

assert.throws(() => withNumbers({ ...mechanism, bodies: mechanism.bodies.slice(1) }), /no body 'crank'/);
assert.equal(Recorded.of(withNumbers(mechanism), seriesOf(names.filter((name) => name !== 'rod.y'))), null);
