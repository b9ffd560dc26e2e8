// Tables, facts and sentences.
import { element } from './elements.js';

export function summaryList(facts) {
  return element('dl.facts', {}, facts.map(([label, text]) => [element('dt', {}, label), element('dd', {}, text)]).flat());
}

function cell(text, kind) {
  if (kind !== 'mark') return element(kind === 'number' ? 'td.number' : 'td', {}, kind === 'number' ? text.replace(/-/g, '−') : text);
  return element('td', {}, text ? element(`span.badge.${text === 'unique' ? 'unique' : 'doubtful'}`, {}, text) : '');
}

export function table({ caption, note, header, kinds, rows }) {
  const repeated = (k, row) => k === 0 && row > 0 && rows[row - 1][0] === rows[row][0];
  return element('section.card', {},
    element('h2', {}, caption),
    note ? element('p.note', {}, note) : null,
    element('div.scroll', { tabindex: '0', role: 'region', 'aria-label': caption },
      element('table', {},
        element('thead', {}, element('tr', {}, header.map((text, k) =>
          element(kinds[k] === 'number' ? 'th.number' : 'th', { scope: 'col' }, text)))),
        element('tbody', {}, rows.map((row, n) =>
          element(n > 0 && rows[n - 1][0] !== row[0] ? 'tr.first' : 'tr', {},
            row.map((text, k) => cell(repeated(k, n) && kinds[k] !== 'number' ? '' : text, kinds[k])))))))); 
}

export function sentences({ heading, sentences: list }) {
  return [element('h3', {}, heading), element('ul', {}, list.map((sentence) => element('li', {}, sentence)))];
}
