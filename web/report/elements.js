// Makes elements: element('button.primary', {type: 'button', onclick}, 'text', child, ...)
export function element(description, attributes = {}, ...children) {
  const [tag, ...classes] = description.split('.');
  const node = document.createElement(tag);
  if (classes.length > 0) node.className = classes.join(' ');
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const icons = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M6.5 5h4v14h-4zM13.5 5h4v14h-4z',
  back: 'M17 5v14l-9-7zM5.5 5h2v14h-2z',
  ahead: 'M7 5v14l9-7zM16.5 5h2v14h-2z',
  reset: 'M4 10V4h6v2H6v4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
  theme: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z',
  print: 'M7 3h10v4H7zM4 8h16v9h-3v4H7v-4H4zm5 6v5h6v-5z',
  close: 'M6 7.4 7.4 6 12 10.6 16.6 6 18 7.4 13.4 12 18 16.6 16.6 18 12 13.4 7.4 18 6 16.6 10.6 12z',
};
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', icons[name]);
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}

/// A button with a picture; `label` is read out and shown as a hint.
export function iconButton(name, label, onclick) {
  return element('button.icon', { type: 'button', 'aria-label': label, title: label, onclick }, icon(name));
}

const typographic = (text) => text.replace('e+', 'e').replaceAll('-', '−');

export function formatNumber(value, digits = 4) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-3 ? value.toExponential(digits - 2) : String(Number(value.toPrecision(digits)));
  return typographic(text);
}

/// A mark of an axis, as short as it can be.
export function formatMark(value) {
  const rounded = Number(value.toPrecision(6));
  const size = Math.abs(rounded);
  return typographic(size !== 0 && (size >= 1e5 || size < 1e-3) ? rounded.toExponential() : String(rounded));
}
