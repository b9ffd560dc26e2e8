// Plots of curves that have abscissae of their own, such as work against precision. uPlot draws axes and grid; the
// curves, which may turn back or stand still in x, are drawn here in the order of their points.
import uPlot from 'uplot';
import { element } from './elements.js';
import { colourOf } from './palette.js';
import { axis, smallest, wholePowers } from './plots.js';

const height = 320;

function limits(values, logarithmic) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (logarithmic) return wholePowers(low, high);
  return high > low ? uPlot.rangeNum(low, high, 0.08, false) : [low - (Math.abs(low) || 1), high + (Math.abs(high) || 1)];
}

export class Curves {
  constructor(plot) {
    this.plot = plot;
    const usable = (value, logarithmic) => value !== null && Number.isFinite(value) && (!logarithmic || value > smallest);
    this.curves = plot.curves.map((curve) => ({
      ...curve,
      points: curve.x
        .map((x, k) => [x, curve.y[k]])
        .filter(([x, y]) => usable(x, plot.x_logarithmic) && usable(y, plot.y_logarithmic)),
      marked: curve.points,
    }));
    this.area = element('div.area', { role: 'img', 'aria-label': `${plot.title}: ${plot.y_label} against ${plot.x_label}` });
    this.node = element('figure.plot.curves', {},
      element('figcaption', {}, element('h3', {}, plot.title)),
      plot.note ? element('p.note', {}, plot.note) : null,
      plot.curves.length > 1 ? element('div.series', {}, plot.curves.map((curve, k) =>
        element('span.item', {}, element('span.dot', { style: `background:${colourOf(k)}` }), curve.name))) : null,
      this.area);
  }

  /// To be called when the node is in the page.
  show() {
    const { plot } = this;
    const all = this.curves.flatMap((curve) => curve.points);
    if (all.length === 0) {
      this.area.append(element('p.nothing', {}, 'No values.'));
      return;
    }
    const x = limits(all.map((point) => point[0]), plot.x_logarithmic);
    const y = limits(all.map((point) => point[1]), plot.y_logarithmic);
    this.chart = new uPlot({
      width: Math.max(120, this.area.clientWidth),
      height,
      legend: { show: false },
      padding: [10, 16, 0, 0],
      cursor: { show: false },
      scales: {
        x: { time: false, distr: plot.x_logarithmic ? 3 : 1, range: x },
        y: { distr: plot.y_logarithmic ? 3 : 1, range: y },
      },
      axes: [axis(plot.x_label, plot.x_logarithmic, { size: 30 }), axis(plot.y_label, plot.y_logarithmic, { size: 62 })],
      series: [{}, { stroke: 'transparent', points: { show: false } }],
      hooks: { draw: [(u) => this.draw(u)] },
    }, [x, y], this.area);
    new ResizeObserver(() => this.resize()).observe(this.area);
  }

  draw(u) {
    const { ctx: context, bbox } = u;
    const ratio = window.devicePixelRatio || 1;
    context.save();
    context.beginPath();
    context.rect(bbox.left - 6 * ratio, bbox.top - 6 * ratio, bbox.width + 12 * ratio, bbox.height + 12 * ratio);
    context.clip();
    context.lineJoin = 'round';
    this.curves.forEach((curve, k) => {
      const places = curve.points.map(([x, y]) => [u.valToPos(x, 'x', true), u.valToPos(y, 'y', true)]);
      context.strokeStyle = context.fillStyle = colourOf(k);
      context.lineWidth = 1.6 * ratio;
      context.beginPath();
      if (curve.line) places.forEach(([x, y], n) => (n === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
      context.stroke();
      if (!curve.marked) return;
      for (const [x, y] of places) {
        context.beginPath();
        context.arc(x, y, 3.5 * ratio, 0, 2 * Math.PI);
        context.fill();
      }
    });
    context.restore();
  }

  resize() {
    const width = this.area.clientWidth;
    if (width > 0 && width !== this.chart.width) this.chart.setSize({ width, height });
  }
  redraw() {
    this.chart?.redraw(false);
  }
}
