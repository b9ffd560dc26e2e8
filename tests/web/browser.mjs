// What the tests of pages share: a headless browser, pages that note their troubles, and a look at pictures.
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const candidates = [process.env.BRICARD_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export class Browser {
  /// Ends the program with code 77 where there is no Chromium. `folder`: for screenshots, may be undefined.
  static async start(folder) {
    const executablePath = candidates.find((path) => path && existsSync(path));
    if (!executablePath) {
      console.log('SKIPPED: no Chromium found (Debian: apt install chromium, or set BRICARD_CHROMIUM)');
      process.exit(77);
    }
    const { chromium } = createRequire(new URL('../../web/package.json', import.meta.url))('playwright-core');
    if (folder) mkdirSync(folder, { recursive: true });
    const browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    return Object.assign(new Browser(), { browser, folder, blank: await browser.newPage(), checks: [] });
  }

  /// Number of different colours of a picture.
  async colours(png) {
    return this.blank.evaluate(async (data) => {
      const image = await createImageBitmap(await (await fetch(data)).blob());
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
      return new Set(pixels).size;
    }, `data:image/png;base64,${png.toString('base64')}`);
  }

  /// A page of a report; `troubles` are what it complains of, and what it asks for from elsewhere.
  async open(address, { withoutWebGL = false, ...options } = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1366, height: 800 }, reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(120000); // for machines with much to do
    const troubles = [];
    page.on('console', (message) => {
      // Chromium's own remarks on software rendering are no fault of the page.
      const own = /GPU stall|WebGL.*(fallback|deprecated)|GL Driver Message/.test(message.text());
      if (['error', 'warning'].includes(message.type()) && !own && !(withoutWebGL && /WebGL/.test(message.text()))) {
        troubles.push(`${message.type()}: ${message.text()}`);
      }
    });
    page.on('pageerror', (error) => troubles.push(`exception: ${error.stack}`));
    page.on('request', (request) => {
      if (request.url() !== address && !/^(data|blob):/.test(request.url())) troubles.push(`request: ${request.url()}`);
    });
    if (withoutWebGL) {
      await page.addInitScript(() => {
        const original = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function getContext(kind, ...rest) {
          return /webgl/.test(kind) ? null : original.call(this, kind, ...rest);
        };
      });
    }
    await page.goto(address);
    await page.waitForFunction(() => document.documentElement.dataset.ready === 'true');
    return { page, troubles };
  }

  async shot(page, name, options = {}) {
    return page.screenshot({ path: this.folder ? join(this.folder, `${name}.png`) : undefined, ...options });
  }

  check(name, run) {
    this.checks.push([name, run]);
  }

  /// Runs the checks and ends the program.
  async finish() {
    let failed = 0;
    for (const [name, run] of this.checks) {
      try {
        await run();
        console.log(`ok      ${name}`);
      } catch (error) {
        ++failed;
        console.log(`FAILED  ${name}: ${error.stack}`);
      }
      for (const context of this.browser.contexts()) if (!context.pages().includes(this.blank)) await context.close();
    }
    await this.browser.close();
    process.exit(failed > 0 ? 1 : 0);
  }
}
