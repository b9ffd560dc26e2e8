// The time series of a report: decodes its columns and finds values at instants.

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; ++k) bytes[k] = text.charCodeAt(k);
  return bytes;
}

function decode(json) {
  if (json.floats !== undefined) {
    const view = new DataView(bytesOf(json.floats).buffer);
    return Float64Array.from({ length: view.byteLength / 4 }, (_, k) => view.getFloat32(4 * k, true));
  }
  const view = new DataView(bytesOf(json.integers).buffer);
  return Float64Array.from(
    { length: view.byteLength / 2 },
    (_, k) => json.least + json.step * view.getUint16(2 * k, true),
  );
}

export class Series {
  constructor(json) {
    this.note = json.note;
    this.time = decode(json.time);
    this.columns = json.columns.map((column) => ({ ...column, values: decode(column), floats: null, integers: null }));
    this.byName = new Map(this.columns.map((column) => [column.name, column]));
  }

  get start() {
    return this.time[0];
  }
  get end() {
    return this.time[this.time.length - 1];
  }

  /// The row before an instant, and how far it is on the way to the next one.
  locate(t) {
    const { time } = this;
    let low = 0;
    let high = time.length - 1;
    if (high < 1 || t <= time[0]) return { row: 0, next: 0, part: 0 };
    if (t >= time[high]) return { row: high, next: high, part: 0 };
    while (high - low > 1) {
      const half = (low + high) >> 1;
      if (time[half] <= t) low = half;
      else high = half;
    }
    return { row: low, next: high, part: (t - time[low]) / (time[high] - time[low]) };
  }

  value(column, { row, next, part }) {
    return column.values[row] + part * (column.values[next] - column.values[row]);
  }

  find(name) {
    return this.byName.get(name);
  }
}
