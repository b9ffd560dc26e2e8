// The text of a model file with a little colour: comments, and keys.
import { element } from './elements.js';

function line(text) {
  const [, code, comment] = text.match(/^((?:[^#"']|"[^"]*"|'[^']*'|(?<=\S)#)*)(#.*)?$/) ?? [null, text, null];
  const parts = [];
  let rest = 0;
  for (const match of code.matchAll(/(^\s*|[{,]\s*)([A-Za-z_][\w-]*)(?=:(\s|$))/g)) {
    const start = match.index + match[1].length;
    parts.push(code.slice(rest, start), element('span.key', {}, match[2]));
    rest = start + match[2].length;
  }
  parts.push(code.slice(rest));
  if (comment) parts.push(element('span.comment', {}, comment));
  return [...parts, '\n'];
}

export function modelText(text) {
  return element('details.card.model', { id: 'model' },
    element('summary', {}, 'Model'),
    element('pre', { tabindex: '0' }, element('code', {}, text.replace(/\n$/, '').split('\n').flatMap(line))));
}
