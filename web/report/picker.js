// The list of columns from which plots are chosen: groups, in them bodies or joints, in them columns.
import { element } from './elements.js';

const explanations = {
  Bodies: 'places, orientations and velocities of centres of mass',
  Joints: 'joint coordinates and their rates',
  Reactions: 'what the first body of a joint exerts on the second one',
  Constraints: 'how well the constraints are kept',
};

export class Picker {
  constructor(plots) {
    this.plots = plots;
    this.count = element('span.count', {});
    this.search = element('input', { type: 'search', placeholder: 'Find a column', 'aria-label': 'Find a column', oninput: () => this.filter() });
    this.list = element('div.groups', {});
    this.node = element('details.picker.card', { ontoggle: () => this.open() },
      element('summary', {}, 'Choose what is plotted', this.count),
      element('div.picker-body', {}, this.search, this.list));
    plots.onChange(() => this.update());
  }

  /// Built when first opened: large models have thousands of columns.
  open() {
    if (!this.node.open || this.boxes) return;
    this.boxes = new Map();
    const groups = new Map();
    for (const column of this.plots.series.columns) {
      if (!groups.has(column.group)) groups.set(column.group, new Map());
      const owners = groups.get(column.group);
      if (!owners.has(column.owner)) owners.set(column.owner, []);
      owners.get(column.owner).push(column);
    }
    for (const [group, owners] of groups) {
      this.list.append(element('fieldset', {},
        element('legend', {}, group, explanations[group] ? element('span', {}, explanations[group]) : null),
        [...owners].map(([owner, columns]) => element('div.owner', {},
          owner ? element('span.owner-name', {}, owner) : null,
          columns.map((column) => this.chip(column, owner))))));
    }
    this.update();
  }

  chip(column, owner) {
    const box = element('input', { type: 'checkbox', onchange: () => this.plots.toggle(column, box.checked) });
    this.boxes.set(column, box);
    const name = owner && column.name.startsWith(`${owner}.`) ? column.name.slice(owner.length + 1) : column.name;
    return element('label.chip', { 'data-name': column.name.toLowerCase(), title: column.unit ? `${column.name} in ${column.unit}` : column.name }, box, element('span', {}, name));
  }

  filter() {
    const words = this.search.value.toLowerCase().trim();
    for (const chip of this.list.querySelectorAll('.chip')) chip.hidden = !chip.dataset.name.includes(words);
    for (const row of this.list.querySelectorAll('.owner, fieldset')) row.hidden = !row.querySelector('.chip:not([hidden])');
  }

  update() {
    const { shown, series } = this.plots;
    this.count.textContent = `${shown.size} of ${series.columns.length} columns`;
    this.boxes?.forEach((box, column) => (box.checked = shown.has(column)));
  }
}
