// Fills the page with data of analyses other than a run: modes, curves, tables, a mechanism at rest, texts that try to
// break out, and tries each of them in a browser.
//   node tests/web/page_test.mjs BUILD_FOLDER [FOLDER for screenshots]
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser } from './browser.mjs';

const [build, folder] = process.argv.slice(2);
assert(build, 'usage: node page_test.mjs BUILD_FOLDER [FOLDER]');
const template = readFileSync(join(resolve(build), 'report-template.html'), 'utf8');
const temporary = mkdtempSync(join(tmpdir(), 'bricard-page-'));
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }));
const browser = await Browser.start(folder);

const empty = { title: 'A page', command: 'bricard', version: '0', failure: '', summary: [], messages: [], modes: [], plots: [], sections: [], tables: [] };
let pages = 0;
function open(data, options) {
  const file = join(temporary, `${++pages}.html`);
  writeFileSync(file, template.replace('@REPORT_DATA@', () => JSON.stringify({ ...empty, ...data }).replaceAll('<', '\\u003c')));
  return browser.open(pathToFileURL(file).href, options);
}
const picture = (page) => page.locator('.viewport').screenshot();

/// A pendulum on a spring, planar or spatial, with every kind of solid.
function mechanism(planar) {
  const geometry = [
    { shape: 'box', points: [[0, 0, 0]], size: [0.3, 0.2, planar ? 0 : 0.1] },
    { shape: 'cylinder', points: [[0.2, 0, -0.1], [0.2, 0, 0.1]], size: [0.1, 0, 0] },
    { shape: 'sphere', points: [[-0.2, 0, 0]], size: [0.08, 0, 0] },
    { shape: 'line', points: [[0, 0, 0], [0, 0.5, 0]], size: [0, 0, 0] },
    { shape: 'polygon', points: [[0, 0.1, 0], [0.1, 0.3, 0], [-0.1, 0.3, 0]], size: [0, 0, 0] },
  ];
  const gravity = planar ? [0, -9.81, 0] : [0, 0, -9.81];
  return {
    name: 'bob', text: 'bricard: 1  # </script>\nbodies:\n  bob: {mass: 1}\n', planar, length: 1, gravity,
    bodies: [
      { name: 'bob', mass: 1, center: [0, -1, 0], orientation: [1, 0, 0, 0], geometry },
      { name: 'slider', mass: 1, center: [1, -1, 0], orientation: [1, 0, 0, 0], geometry: [] },
    ],
    joints: [
      { name: 'pin', type: 'revolute', bodies: ['ground', 'bob'], at_i: [0, 0, 0], at_j: [0, 1, 0], axis_i: [0, 0, 1], axis_j: [0, 0, 1] },
      { name: 'rail', type: 'prismatic', bodies: ['ground', 'slider'], at_i: [1, -1, 0], at_j: [0, 0, 0], axis_i: [1, 0, 0], axis_j: [1, 0, 0] },
      { name: 'rod', type: 'distance', bodies: ['bob', 'slider'], at_i: [0, 0.4, 0], at_j: [0, 0, 0] },
      { name: 'gear', type: 'gear', bodies: ['ground', 'ground'] },
    ],
    springs: [{ name: 'spring', bodies: ['bob', 'slider'], from: [0, 0, 0], to: [0, 0, 0] }],
  };
}
const modes = [0, 1].map((k) => ({
  label: `${k + 1}: ${k + 2} Hz`, frequency: k + 2,
  shape: { slider: [k ? 1 : 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], bob: [k ? 0 : 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] },
}));

for (const planar of [true, false]) {
  const kind = planar ? 'planar' : 'spatial';
  browser.check(`${kind} modes move, each in its way`, async () => {
    const { page, troubles } = await open({ mechanism: mechanism(planar), modes });
    await page.keyboard.press('ArrowRight');
    const first = await picture(page);
    assert(await browser.colours(first) > 20, 'blank');
    for (let k = 0; k < 5; ++k) await page.keyboard.press('ArrowRight');
    assert(!first.equals(await picture(page)), 'does not move');
    const before = await picture(page);
    await page.getByLabel('Mode', { exact: true }).selectOption('1');
    assert(!before.equals(await picture(page)), 'the second mode looks like the first');
    await browser.shot(page, `modes-${kind}`);
    assert.deepEqual(troubles, []);
  });
  browser.check(`${kind} mechanism at rest`, async () => {
    const { page, troubles } = await open({ mechanism: mechanism(planar) }, { withoutWebGL: !planar });
    assert(await browser.colours(await picture(page)) > 20, 'blank');
    assert.equal(await page.locator('.transport').count(), 0, 'controls for something that does not move');
    assert.equal(await page.locator('details.model pre').textContent(), mechanism(planar).text);
    assert.deepEqual(troubles, []);
  });
}

browser.check('odd columns', async () => {
  const encode = (numbers) => Buffer.from(new Float32Array(numbers).buffer).toString('base64');
  const column = (name, values, logarithmic = false) => ({ name, group: 'Others', owner: '', quantity: name, unit: '', mark: '',
    logarithmic, shown: true, floats: encode(values) });
  const columns = [
    column('zero', [0, 0, 0]), column('constant', [5, 5, 5]), column('round-off', [1e-15, -1e-16, 0]), column('large', [1e30, -1e30, 0]),
    column('gap', [1, NaN, 2]), column('tiny', [1e-30, 1e-23, 1e-3], true), column('never', [0, 0, 0], true), column('flat', [1, 1, 1], true),
  ];
  const { page, troubles } = await open({ series: { rows: 3, note: '', time: { floats: encode([0, 1, 2]) }, columns } });
  assert.equal(await page.locator('.plot').count(), 8);
  assert.equal(await page.locator('.plot canvas').count(), 7);
  await page.locator('.plot', { hasText: 'Zero throughout.' }).waitFor();
  await browser.shot(page, 'odd-columns', { fullPage: true });
  assert.deepEqual(troubles, []);
});

browser.check('curves and tables without a mechanism', async () => {
  const curve = (name, x, y, more = {}) => ({ name, x, y, line: true, points: true, ...more });
  const plots = [
    { title: 'Work and precision', note: 'A note.', x_label: 'error', y_label: 'seconds', x_logarithmic: true, y_logarithmic: true,
      curves: [curve('one', [1e-3, 1e-6, 1e-9, 0], [0.01, 0.1, 1, 2]), curve('two', [1e-2, 1e-2, null], [0.02, 0.05, 1]), curve('three', [1e-18, 1e-30], [1, 1])] },
    { title: 'Eigenvalues', note: '', x_label: 're', y_label: 'im', x_logarithmic: false, y_logarithmic: false,
      curves: [curve('values', [-1, -1, 0], [2, -2, 0], { line: false })] },
    { title: 'Nothing', note: '', x_label: 'x', y_label: 'y', x_logarithmic: false, y_logarithmic: false, curves: [curve('none', [], [])] },
  ];
  const tables = [{ caption: 'Results', note: 'A note.', header: ['name', 'value', 'mark'], kinds: ['text', 'number', 'mark'],
    rows: [['<b>a</b>', '-1.5', 'unique'], ['b', '2', 'not unique']] }];
  const { page, troubles } = await open({ failure: 'It failed.', messages: ['A message.'], plots, tables });
  await browser.shot(page, 'curves', { fullPage: true });
  assert(await browser.colours(await page.locator('.curves').first().screenshot()) > 50, 'blank plot');
  assert.equal(await page.locator('.stage').count(), 0);
  assert.equal(await page.locator('td').first().textContent(), '<b>a</b>');
  assert.equal(await page.locator('td .badge').count(), 2);
  assert.match(await page.locator('main').textContent(), /It failed\..*A message\./s);
  assert.deepEqual(troubles, []);
});

await browser.finish();
