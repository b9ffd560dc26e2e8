// Builds the page of a report from its data.
import { Clock } from './clock.js';
import { Curves } from './curves.js';
import { element, iconButton } from './elements.js';
import { withNumbers } from './mechanism.js';
import { modelText } from './model_text.js';
import { Picker } from './picker.js';
import { Plots } from './plots.js';
import { Series } from './series.js';
import { Stage } from './stage.js';
import { sentences, summaryList, table } from './tables.js';
import { Theme } from './theme.js';

const data = JSON.parse(document.getElementById('data').textContent);
const theme = new Theme();
const series = data.series ? new Series(data.series) : null;
const clock = new Clock(series?.start ?? 0, series?.end ?? 0);
const links = [];

function section(id, title, ...children) {
  links.push([id, title]);
  return element('section.card', { id }, element('h2', {}, title), ...children);
}

function header() {
  const status = data.failure ? element('span.badge.doubtful', {}, 'failed') : null;
  return element('header.top', {},
    element('div.heading', {},
      element('h1', {}, data.title, status),
      data.command ? element('p.command', {}, element('code', {}, data.command)) : null),
    element('div.buttons', {},
      iconButton('theme', 'Light or dark', () => theme.toggle()),
      iconButton('print', 'Print', () => window.print())));
}

document.title = `${data.title} – Bricard`;
const page = document.getElementById('page');
page.append(header());
const navigation = element('nav', { 'aria-label': 'Parts of the report' });
page.append(navigation);
if (data.failure) page.append(element('p.card.failure', { role: 'alert' }, data.failure));

const stage = data.mechanism ? new Stage(withNumbers(data.mechanism), series, data.modes, clock) : null;
const plots = series ? new Plots(series, clock) : null;
if (stage) links.push(['animation', 'Animation']);
if (stage || plots) {
  const right = plots ? element('div.right', { id: 'plots' }, new Picker(plots).node, plots.node,
    element('p.note.hint', {}, 'Click or drag in a plot to move the animation. Shift and drag zooms, a double click shows all. ', series.note)) : null;
  if (plots) links.push(['plots', 'Plots']);
  page.append(element(stage && plots ? 'div.workspace' : 'div', {}, stage?.node ?? null, right));
  plots?.update();
}

const curves = data.plots.map((plot) => new Curves(plot));
if (curves.length > 0) page.append(section('curves', series ? 'More plots' : 'Plots', ...curves.map((curve) => curve.node)));
for (const curve of curves) curve.show();

if (data.summary.length + data.messages.length > 0) {
  const list = () => element('ul', {}, data.messages.map((text) => element('li', {}, text)));
  const notes = data.messages.length > 0 ? [element('h3', {}, 'Notes'), list()] : [];
  page.append(section('summary', 'Summary', summaryList(data.summary), ...notes));
}
if (data.sections.length > 0) page.append(section('diagnosis', 'Diagnosis', ...data.sections.flatMap(sentences)));
data.tables.forEach((entry, k) => {
  const node = table(entry);
  node.id = `table-${k + 1}`;
  links.push([node.id, entry.caption]);
  page.append(node);
});
if (data.mechanism?.text) {
  links.push(['model', 'Model']);
  page.append(modelText(data.mechanism.text));
}
page.append(element('footer', {}, `Bricard ${data.version}`));
navigation.append(...links.map(([id, title]) => element('a', { href: `#${id}` }, title)));

clock.onChange(() => plots?.follow());
theme.onChange(() => {
  stage?.setTheme();
  plots?.redraw();
  for (const curve of curves) curve.redraw();
});

// Paper: light, the animation as a picture, everything open.
function setPaper(paper) {
  if (paper) clock.pause();
  theme.setPaper(paper);
  if (paper) {
    stage?.freeze();
    document.querySelector('details.model')?.setAttribute('open', '');
  }
}
window.addEventListener('beforeprint', () => setPaper(true));
window.addEventListener('afterprint', () => setPaper(false));
window.matchMedia('print').addEventListener('change', (event) => setPaper(event.matches));

document.addEventListener('keydown', (event) => {
  if (!stage || stage.motion.still || event.ctrlKey || event.metaKey || event.altKey) return;
  const tag = event.target.tagName;
  const typing = tag === 'SELECT' || tag === 'TEXTAREA' || (tag === 'INPUT' && event.target.type !== 'checkbox');
  const acts = { ' ': () => clock.toggle(), ArrowLeft: () => stage.step(-1), ArrowRight: () => stage.step(1), Home: () => clock.set(clock.start), End: () => clock.set(clock.end) };
  const act = acts[event.key];
  if (!act) return;
  // The slider's own keys move by too little to see.
  if (typing && event.target !== stage.slider) return;
  if (event.key === ' ' && ['BUTTON', 'SUMMARY', 'INPUT', 'A'].includes(tag) && event.target !== stage.slider) return;
  event.preventDefault();
  act();
});

if (stage && !stage.motion.still && !window.matchMedia('(prefers-reduced-motion: reduce)').matches) clock.play();
document.documentElement.dataset.ready = 'true';
