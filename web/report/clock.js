// The instant that everything on the page shows.
export class Clock {
  constructor(start, end) {
    Object.assign(this, { start, end, time: start, speed: 1, playing: false, listeners: [] });
  }

  onChange(listener) {
    this.listeners.push(listener);
    listener(this);
  }
  changed() {
    for (const listener of this.listeners) listener(this);
  }

  setRange(start, end) {
    Object.assign(this, { start, end, time: start });
    this.changed();
  }
  set(time) {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.changed();
  }
  play() {
    if (this.playing || !(this.end > this.start)) return;
    this.playing = true;
    let last = null;
    const tick = (now) => {
      if (!this.playing) return;
      if (last !== null) {
        // A page that was hidden goes on where it was.
        const next = this.time + Math.min(0.1, (now - last) / 1000) * this.speed;
        this.time = next >= this.end ? this.start : next;
        this.changed();
      }
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    this.changed();
  }
  pause() {
    this.playing = false;
    this.changed();
  }
  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }
}
