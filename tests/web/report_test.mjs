// Opens a report in a headless browser and uses it as a reader would.
//   node tests/web/report_test.mjs REPORT.html [FOLDER for screenshots]
// Exit code 77: skipped, because there is no Chromium.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser } from './browser.mjs';

const [file, folder] = process.argv.slice(2);
assert(file, 'usage: node report_test.mjs REPORT.html [FOLDER]');
const browser = await Browser.start(folder);
const name = basename(file, '.html');
const open = (options) => browser.open(pathToFileURL(resolve(file)).href, options);
const shot = (page, part, options) => browser.shot(page, `${name}-${part}`, options);
const colours = (png) => browser.colours(png);
const check = (title, run) => browser.check(title, run);
const stageTime = (page) => page.locator('.stage').evaluate((node) => Number(node.dataset.time));
const cursor = (page) => page.locator('.plot').first().evaluate((node) => Number(node.dataset.cursor));
const picture = (page) => page.locator('.viewport').screenshot();
const near = (a, b, tolerance, what) => assert(Math.abs(a - b) <= tolerance, `${what}: ${a} instead of ${b}`);

check('the file is small', () => {
  const { size } = statSync(file);
  assert(size < 2e6, `${size} bytes`);
});

check('plays, pauses, steps', async () => {
  const { page, troubles } = await open();
  assert.equal(await page.locator('.stage').getAttribute('data-renderer'), 'webgl');
  assert.equal(await stageTime(page), 0);
  const [before, label] = [await picture(page), await page.locator('.time').textContent()];
  assert(await colours(before) > 20, 'the picture is blank');
  await page.getByRole('button', { name: /Play/ }).click();
  await page.waitForFunction(() => Number(document.querySelector('.stage').dataset.time) > 0.4);
  await page.getByRole('button', { name: /Pause/ }).click();
  const stopped = await stageTime(page);
  assert.notEqual(await page.locator('.time').textContent(), label);
  assert(!before.equals(await picture(page)), 'the picture does not change');
  await page.waitForTimeout(200);
  assert.equal(await stageTime(page), stopped, 'does not pause');
  await page.locator('.scene').focus();
  await page.keyboard.press('ArrowRight');
  const stepped = await stageTime(page);
  assert(stepped > stopped && stepped - stopped < 0.05, `a step from ${stopped} to ${stepped}`);
  await page.keyboard.press('Home');
  assert.equal(await stageTime(page), 0);
  await page.keyboard.press(' ');
  await page.waitForFunction(() => Number(document.querySelector('.stage').dataset.time) > 0);
  assert.deepEqual(troubles, []);
});

check('slider, plots and animation follow each other', async () => {
  const { page, troubles } = await open();
  const end = Number(await page.locator('.scrub').getAttribute('max'));
  const [first, start] = [await cursor(page), await picture(page)];
  await page.locator('.scrub').evaluate((node) => {
    node.value = 0.37 * node.max;
    node.dispatchEvent(new Event('input'));
  });
  near(await stageTime(page), 0.37 * end, 1e-6 * end, 'time after the slider moved');
  const width = await page.locator('.plot .u-over').first().evaluate((node) => node.clientWidth);
  near(await cursor(page), first + 0.37 * width, 2, "the plots' cursor");
  assert(!start.equals(await picture(page)));
  const area = await page.locator('.plot .u-over').nth(1).boundingBox();
  await page.mouse.click(area.x + 0.7 * area.width, area.y + area.height / 2);
  near(await stageTime(page), 0.7 * end, 0.01 * end, 'time after a click in a plot');
  await page.mouse.move(area.x + 0.2 * area.width, area.y + 20);
  await page.mouse.down();
  await page.mouse.move(area.x + 0.5 * area.width, area.y + 30, { steps: 4 });
  await page.mouse.up();
  near(await stageTime(page), 0.5 * end, 0.01 * end, 'time after dragging in a plot');
  assert.deepEqual(troubles, []);
});

check('columns are chosen, trails and reactions shown', async () => {
  const { page, troubles } = await open();
  await page.locator('.picker summary').click();
  const chip = page.locator('fieldset', { hasText: 'Bodies' }).locator('.chip').first();
  assert.equal(await page.locator('.plot h3').filter({ hasText: /^Position/ }).count(), 0);
  await chip.locator('input').check();
  assert.equal(await page.locator('.plot h3').filter({ hasText: /^Position/ }).count(), 1);
  await page.locator('.picker summary').click();
  const plain = await picture(page);
  await page.getByLabel('Trail', { exact: true }).check();
  const trail = await picture(page);
  assert(!plain.equals(trail), 'no trail');
  await page.getByLabel('Reactions', { exact: true }).check();
  assert(!trail.equals(await picture(page)), 'no arrows');
  await page.locator('.legend', { hasText: 'not unique' }).waitFor({ state: 'visible' });
  await page.getByLabel('Names', { exact: true }).check();
  await shot(page, 'reactions');
  assert.deepEqual(troubles, []);
});

for (const colorScheme of ['light', 'dark']) {
  check(`readable when ${colorScheme}`, async () => {
    const { page, troubles } = await open({ colorScheme });
    await page.locator('.scrub').evaluate((node) => {
      node.value = 0.3 * node.max;
      node.dispatchEvent(new Event('input'));
    });
    assert(await colours(await shot(page, colorScheme)) > 100, 'blank');
    if (folder) await shot(page, `${colorScheme}-whole`, { fullPage: true });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await background();
    await page.getByRole('button', { name: 'Light or dark' }).click();
    assert.notEqual(await background(), before);
    assert(await colours(await page.screenshot()) > 100, 'blank after the theme was changed');
    assert.deepEqual(troubles, []);
  });
}

check('fits a phone', async () => {
  const { page, troubles } = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert(content <= 390 && window === 390, `${content} pixels wide in a window of ${window}`);
  await page.locator('.picker summary').click();
  assert(await page.evaluate(() => document.documentElement.scrollWidth) <= 390, 'the list of columns is too wide');
  await page.locator('.picker summary').click();
  assert(await colours(await shot(page, 'phone')) > 100, 'blank');
  if (folder) await shot(page, 'phone-whole', { fullPage: true });
  assert.deepEqual(troubles, []);
});

check('prints', async () => {
  const { page, troubles } = await open({ colorScheme: 'dark', viewport: { width: 780, height: 1100 } });
  await page.emulateMedia({ media: 'print' });
  await page.locator('.still[src^="data:image/png"]').waitFor({ state: 'visible' });
  assert.equal(await page.locator('button:visible').count(), 0, 'buttons on paper');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
  assert(await page.locator('.plot:visible').count() > 0, 'no plots on paper');
  assert(await colours(await shot(page, 'print', { fullPage: true })) > 100, 'blank');
  const pdf = await page.pdf({ path: folder ? join(folder, `${name}.pdf`) : undefined, format: 'A4' });
  assert(pdf.length > 20000, `a PDF of ${pdf.length} bytes`);
  assert.deepEqual(troubles, []);
});

check('works without WebGL', async () => {
  const { page, troubles } = await open({ withoutWebGL: true });
  assert.equal(await page.locator('.stage').getAttribute('data-renderer'), 'canvas');
  const before = await picture(page);
  assert(await colours(before) > 20, 'blank');
  await page.locator('.scene').focus();
  await page.keyboard.press('End');
  assert(!before.equals(await picture(page)), 'the picture does not change');
  await page.getByLabel('Reactions', { exact: true }).check();
  await shot(page, 'canvas');
  assert.deepEqual(troubles, []);
});

await browser.finish();
