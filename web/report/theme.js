// Light or dark: as the system says, until the button says otherwise; light on paper.
export class Theme {
  constructor() {
    this.system = window.matchMedia('(prefers-color-scheme: dark)');
    this.chosen = null;
    this.paper = false;
    this.listeners = [];
    this.system.addEventListener('change', () => this.apply());
    this.apply();
  }
  get dark() {
    return !this.paper && (this.chosen ?? (this.system.matches ? 'dark' : 'light')) === 'dark';
  }
  toggle() {
    this.chosen = this.dark ? 'light' : 'dark';
    this.apply();
  }
  setPaper(paper) {
    if (this.paper === paper) return;
    this.paper = paper;
    this.apply();
  }
  onChange(listener) {
    this.listeners.push(listener);
  }
  apply() {
    document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
    for (const listener of this.listeners) listener();
  }
}
