// Plots of the time series: columns of one quantity share a plot, a line in each follows the animation, and a click or
// drag in any of them moves it. Shift and drag zooms all of them in time, a double click shows everything again.
import uPlot from 'uplot';
import { element, formatMark, formatNumber, iconButton } from './elements.js';
import { colourOf, themeColours } from './palette.js';

const groupOrder = ['Outputs', 'Joints', 'Bodies', 'Drives', 'Energy', 'Reactions', 'Constraints', 'Others'];
const height = 176;
export const smallest = 1e-20; // on a logarithmic axis; below is zero

/// Marks of an axis; powers of ten on logarithmic ones.
export const axisValues = (logarithmic) => (u, marks) =>
  marks.map((mark) => {
    if (mark === null) return '';
    if (!logarithmic) return formatMark(mark);
    const power = Math.log10(mark);
    return Math.abs(power - Math.round(power)) < 1e-9 ? `1e${Math.round(power)}`.replace('-', '−') : '';
  });

const powersOnly = (u, marks) => marks.map((mark) => (Math.abs(Math.log10(mark) % 1) < 1e-9 ? mark : null));

/// The range of a logarithmic axis. Powers are written as such, because uPlot knows 1e-17 but not 10 ** -17.
export function wholePowers(low, high) {
  if (low === null) return [0.1, 1];
  const last = Math.ceil(Math.log10(high));
  const first = Math.min(last - 1, Math.floor(Math.log10(low)));
  return [Number(`1e${first}`), Number(`1e${last}`)];
}

export function axis(label, logarithmic, options = {}) {
  const colours = () => themeColours();
  const filter = logarithmic ? { filter: powersOnly } : {};
  return {
    label,
    labelSize: label ? 20 : 0,
    labelFont: '12px system-ui, sans-serif',
    font: '11px system-ui, sans-serif',
    stroke: () => colours().muted,
    grid: { stroke: () => colours().line, width: 1, ...filter },
    ticks: { stroke: () => colours().line, width: 1, size: 4, ...filter },
    values: axisValues(logarithmic),
    ...options,
  };
}

class Plot {
  constructor(owner, quantity) {
    Object.assign(this, { owner, quantity, columns: [] });
    this.title = element('h3', {});
    this.legend = element('div.series', {});
    this.area = element('div.area', {});
    this.node = element('figure.plot', {},
      element('figcaption', {}, this.title, iconButton('close', `Remove the plot of ${quantity}`, () => owner.clear(quantity))),
      this.legend, this.area);
  }

  show(columns) {
    this.columns = columns;
    const [{ unit, logarithmic }] = columns;
    this.title.replaceChildren(this.quantity, ...(unit ? [element('span.unit', {}, unit)] : []));
    this.values = columns.map((column) =>
      Array.from(column.values, (value) => (Number.isNaN(value) || (logarithmic && !(value > smallest)) ? null : value)));
    this.legend.replaceChildren(...columns.map((column, k) => {
      const output = element('output', {});
      return element('span.item', { title: column.mark ? `${column.name}: ${column.mark}` : column.name },
        element('span.dot', { style: `background:${colourOf(k)}` }),
        column.name, column.mark === 'not unique' ? element('span.badge.doubtful', {}, 'not unique') : null, output);
    }));
    this.outputs = [...this.legend.querySelectorAll('output')];
    this.create(logarithmic);
  }

  create(logarithmic) {
    this.destroy();
    const empty = this.values.every((values) => values.every((value) => value === null));
    if (empty) {
      this.area.replaceChildren(element('p.nothing', {}, logarithmic ? 'Zero throughout.' : 'No values.'));
      return;
    }
    const options = {
      width: Math.max(120, this.area.clientWidth || 480),
      height,
      legend: { show: false },
      padding: [8, 12, 0, 0],
      cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: false }, bind: {
        mousedown: (u, target, handler) => (event) => (event.shiftKey ? handler(event) : null),
      } },
      scales: { x: { time: false }, y: logarithmic ? { distr: 3, range: (u, low, high) => wholePowers(low, high) } : { range: (u, low, high) => this.range(low, high) } },
      axes: [axis(null, false, { size: 26 }), axis(null, logarithmic, { size: 62 })],
      series: [{}, ...this.columns.map((column, k) => ({
        stroke: colourOf(k), width: 1.5, pxAlign: 0, points: { show: false }, dash: column.mark === 'not unique' ? [6, 3] : undefined,
      }))],
      hooks: { setScale: [(u, key) => key === 'x' && this.owner.zoomed(u)], draw: [() => this.follow()] },
    };
    this.chart = new uPlot(options, [Array.from(this.owner.series.time), ...this.values], this.area);
    this.now = element('div.now', {});
    this.chart.over.append(this.now);
    this.listen();
    this.follow();
  }

  /// A constant column is a line in the middle, and so is round-off about zero: uPlot has no marks that near.
  range(low, high) {
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (low === null || size < 1e-13) return [-1, 1];
    if (!(high - low > 1e-7 * size)) return [low - 0.1 * size, high + 0.1 * size];
    return uPlot.rangeNum(low, high, 0.08, true);
  }

  listen() {
    const { over } = this.chart;
    const move = (event) => {
      const x = event.clientX - over.getBoundingClientRect().left;
      this.owner.clock.set(this.chart.posToVal(x, 'x'));
    };
    over.addEventListener('pointerdown', (event) => {
      if (event.shiftKey || event.button !== 0) return;
      over.setPointerCapture(event.pointerId);
      this.owner.clock.pause();
      move(event);
      const end = () => over.removeEventListener('pointermove', move);
      over.addEventListener('pointermove', move);
      over.addEventListener('pointerup', end, { once: true });
      over.addEventListener('pointercancel', end, { once: true });
    });
  }

  /// Puts the line and the numbers where the animation is.
  follow() {
    const { clock, series } = this.owner;
    const at = series.locate(clock.time);
    this.outputs?.forEach((output, k) => (output.value = formatNumber(series.value(this.columns[k], at))));
    if (!this.now) return;
    const x = this.chart.valToPos(clock.time, 'x');
    this.now.style.transform = `translateX(${x}px)`;
    this.now.hidden = !(x >= 0 && x <= this.chart.over.clientWidth);
    this.node.dataset.time = clock.time;
    this.node.dataset.cursor = x;
  }

  resize() {
    const width = this.area.clientWidth;
    if (this.chart && width > 0 && width !== this.chart.width) this.chart.setSize({ width, height });
  }
  destroy() {
    this.chart?.destroy();
    this.chart = this.now = null;
    this.area.replaceChildren();
  }
}

export class Plots {
  constructor(series, clock) {
    Object.assign(this, { series, clock, plots: new Map(), listeners: [] });
    this.shown = new Set(series.columns.filter((column) => column.shown));
    this.node = element('div.plots', {});
    new ResizeObserver(() => this.plots.forEach((plot) => plot.resize())).observe(this.node);
  }

  onChange(listener) {
    this.listeners.push(listener);
  }
  toggle(column, on) {
    if (on) this.shown.add(column);
    else this.shown.delete(column);
    this.update(column.quantity);
  }
  clear(quantity) {
    for (const column of [...this.shown]) if (column.quantity === quantity) this.shown.delete(column);
    this.update(quantity);
  }

  /// Builds the plots of one quantity anew, or of all of them.
  update(quantity = null) {
    const quantities = new Map();
    for (const column of this.series.columns) {
      if (!this.shown.has(column)) continue;
      if (!quantities.has(column.quantity)) quantities.set(column.quantity, []);
      quantities.get(column.quantity).push(column);
    }
    for (const [name, plot] of this.plots) {
      if (quantities.has(name)) continue;
      plot.destroy();
      plot.node.remove();
      this.plots.delete(name);
    }
    const rank = ([, [column]]) => groupOrder.indexOf(column.group);
    for (const [name, columns] of [...quantities].sort((a, b) => rank(a) - rank(b))) {
      const known = this.plots.has(name);
      if (!known) this.plots.set(name, new Plot(this, name));
      const plot = this.plots.get(name);
      this.node.append(plot.node);
      if (!known || quantity === null || quantity === name) plot.show(columns);
    }
    for (const listener of this.listeners) listener();
  }

  /// Shows the same stretch of time everywhere.
  zoomed(chart) {
    if (this.zooming) return;
    this.zooming = true;
    const { min, max } = chart.scales.x;
    for (const plot of this.plots.values()) {
      if (plot.chart && plot.chart !== chart && min !== null) plot.chart.setScale('x', { min, max });
    }
    this.zooming = false;
  }

  follow() {
    for (const plot of this.plots.values()) plot.follow();
  }
  redraw() {
    for (const plot of this.plots.values()) plot.chart?.redraw(false);
  }
}
