// A picture of a report as a person sees it: node scripts/report-picture.mjs REPORT.html PICTURE.png
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser } from '../tests/web/browser.mjs';

const [report, picture] = process.argv.slice(2);
if (!picture) {
  console.error('node scripts/report-picture.mjs REPORT.html PICTURE.png');
  process.exit(2);
}
const browser = await Browser.start();
const { page } = await browser.open(pathToFileURL(resolve(report)).href, { viewport: { width: 1280, height: 800 } });
await page.waitForTimeout(3000); // drawn, and the mechanism has moved
await page.screenshot({ path: picture });
await browser.browser.close();
