// Colours that canvases need; everything else takes them from the style sheet.
export const bodyColours = ['#3f83d8', '#e0813d', '#2f9e6e', '#a866c4', '#b9952a', '#4aa5b5', '#c46a86', '#7d8a3c'];
export const colourOf = (k) => bodyColours[((k % bodyColours.length) + bodyColours.length) % bodyColours.length];

/// The values of custom properties of the page, as they are now.
export function themeColours() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    surface: read('surface'),
    stage: read('stage'),
    text: read('text'),
    muted: read('muted'),
    line: read('line'),
    joint: read('joint'),
    ground: read('ground'),
    unique: read('unique'),
    doubtful: read('doubtful'),
    accent: read('accent'),
  };
}
