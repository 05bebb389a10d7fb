// Curves over time with a cursor that follows the player, and moves it.

import { CURVES, DASHES, number, raised } from "./colour";
import type { Run, Series } from "./run";

export interface Curve {
  label: string;
  colour: number;
  dash: number;
  times: Float64Array;
  values: Float64Array;
}

export interface Plot {
  title: string;
  curves: Curve[];
}

/** Left, top, right and bottom of a plot that curves leave free, pixels. */
const MARGIN = [58, 8, 12, 22];

/** Positive values that span more than this have an axis of powers of ten. */
const WIDE = 100;

/** Powers of ten below the largest value that an axis shows. */
const DEEPEST = 9;

function column(series: Series, name: string): Float64Array | null {
  const at = series.columns.indexOf(name);
  if (at < 0) return null;
  const width = series.columns.length;
  return Float64Array.from({ length: series.rows }, (_, row) => series.values[row * width + at]);
}

/** Gravitational energy counts from the first row, and so does the total. */
function quantity(series: Series, name: string): Float64Array | null {
  if (name === "gravitational") {
    const values = column(series, name);
    return values && values.map((value) => value - values[0]);
  }
  if (name === "total") {
    const parts = ["kinetic", "elastic", "gravitational"].map((part) => quantity(series, part));
    const [a, b, c] = parts;
    return a && b && c ? a.map((value, k) => value + b[k] + c[k]) : null;
  }
  if (name === "momentum") {
    const [x, y, z] = ["x", "y", "z"].map((axis) => column(series, `momentum_${axis}`));
    return x && y && z ? x.map((value, k) => Math.hypot(value, y[k], z[k])) : null;
  }
  return column(series, name);
}

const TITLES: [string, string[]][] = [
  ["Energy, J", ["kinetic", "elastic", "gravitational", "total"]],
  ["Speed, m/s", ["max_speed", "rms_speed"]],
  ["Overlap, counted", ["penetrating_vertices", "edge_crossings", "inverted_tets"]],
  ["Deepest vertex, m", ["max_depth"]],
  ["Momentum, kg·m/s", ["momentum"]],
];

const ONE_EACH: [string, string][] = [
  ["Total energy, J", "total"],
  ["Kinetic energy, J", "kinetic"],
  ["Root mean square speed, m/s", "rms_speed"],
  ["Vertices inside", "penetrating_vertices"],
  ["Edges crossing", "edge_crossings"],
  ["Deepest vertex, m", "max_depth"],
];

/** Titles of plots in proportion even where values span much: counts, and what is mostly zero. */
const LINEAR = /^(Overlap|Vertices|Edges|Deepest)/;

const LABELS: Record<string, string> = {
  max_speed: "fastest vertex",
  rms_speed: "root mean square",
  penetrating_vertices: "vertices inside",
  edge_crossings: "edges crossing",
  inverted_tets: "inverted tets",
  max_depth: "depth",
};

/** The plots of one run: a colour per quantity; of several: a plot per quantity. */
function plots(runs: Run[]): Plot[] {
  const curve = (run: Run, name: string, label: string, colour: number): Curve[] => {
    const [times, values] = [column(run.series, "time"), quantity(run.series, name)];
    return times && values ? [{ label, colour, dash: colour % DASHES.length, times, values }] : [];
  };
  if (runs.length === 1) {
    return TITLES.map(([title, names]) => {
      const curves = names.flatMap((name, k) => curve(runs[0], name, LABELS[name] ?? name, k));
      return { title, curves };
    });
  }
  return ONE_EACH.map(([title, name]) => ({
    title,
    curves: runs.flatMap((run, k) => curve(run, name, run.name, k)),
  }));
}

interface Axis {
  log: boolean;
  low: number;
  high: number;
  ticks: [number, string][];
}

function axis(values: number[], count: number, decades: boolean): Axis {
  const finite = values.filter((value) => Number.isFinite(value));
  let [low, high] = finite.length ? [Infinity, -Infinity] : [0, 1];
  let least = Infinity;
  for (const value of finite) {
    low = Math.min(low, value);
    high = Math.max(high, value);
    if (value > 0) least = Math.min(least, value);
  }
  if (decades && low >= 0 && high / least > WIDE) {
    const top = Math.ceil(Math.log10(high));
    const bottom = Math.max(Math.floor(Math.log10(least)), top - DEEPEST);
    const step = Math.ceil((top - bottom) / count);
    const ticks: [number, string][] = [];
    for (let k = bottom; k <= top; k += step) ticks.push([k, k === 0 ? "1" : `10${raised(k)}`]);
    return { log: true, low: bottom, high: top, ticks };
  }
  if (high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high))) {
    [low, high] = [Math.min(low, 0), Math.max(high, 0)];
    if (high === low) high = 1;
  }
  const power = 10 ** Math.floor(Math.log10((high - low) / count));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= (high - low) / count) ?? power;
  const ticks: [number, string][] = [];
  const [from, to] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  for (let k = from; k <= to; k++) ticks.push([k * step, number(Number((k * step).toPrecision(6)))]);
  return { log: false, low: from * step, high: to * step, ticks };
}

/** Plots of runs under the player. */
export class Plots {
  readonly element = document.createElement("div");
  private readonly drawings: { plot: Plot; canvas: HTMLCanvasElement; cursor: HTMLElement }[] = [];
  private span: [number, number];

  constructor(runs: Run[], duration: [number, number], private readonly seek: (time: number) => void) {
    this.element.className = "plots";
    this.span = duration;
    for (const plot of plots(runs)) {
      const all = plot.curves.flatMap((curve) => Array.from(curve.values));
      if (all.length > 0) this.add(plot, all.every((value) => value === 0));
    }
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  private add(plot: Plot, zero: boolean): void {
    const figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    const title = document.createElement("b");
    title.textContent = plot.title;
    caption.append(title);
    if (zero) {
      const text = document.createElement("span");
      text.textContent = `0 throughout: ${plot.curves.map((curve) => curve.label).join(", ")}`;
      caption.append(text);
      figure.className = "zero";
      figure.append(caption);
      this.element.append(figure);
      return;
    }
    caption.append(...keys(plot.curves));
    const [frame, canvas, cursor] = ["div", "canvas", "i"].map((tag) => document.createElement(tag));
    frame.append(canvas, cursor);
    frame.className = "curves";
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${plot.title} over time`);
    figure.append(caption, frame);
    this.element.append(figure);
    this.drawings.push({ plot, canvas: canvas as HTMLCanvasElement, cursor });
    const point = (event: PointerEvent) => {
      const [left, , right] = MARGIN;
      const place = (event.offsetX - left) / (canvas.clientWidth - left - right);
      this.seek(this.span[0] + Math.min(Math.max(place, 0), 1) * (this.span[1] - this.span[0]));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      point(event);
    });
    canvas.addEventListener("pointermove", (event) => event.buttons && point(event));
  }

  /** Moves the cursors. */
  show(time: number): void {
    const [left, , right] = MARGIN;
    const part = (time - this.span[0]) / (this.span[1] - this.span[0] || 1);
    for (const { canvas, cursor } of this.drawings) {
      const width = canvas.clientWidth - left - right;
      cursor.style.transform = `translateX(${left + part * width}px)`;
    }
  }

  /** Draws all curves anew: after a change of size or theme. */
  draw(): void {
    const style = getComputedStyle(this.element);
    for (const { plot, canvas } of this.drawings) {
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      if (width < 80 || height < 40) continue;
      const ratio = window.devicePixelRatio || 1;
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
      const context = canvas.getContext("2d");
      if (!context) continue;
      context.scale(ratio, ratio);
      drawPlot(context, plot, this.span, [width, height], (name) => style.getPropertyValue(name));
    }
  }
}

/** The labels of curves with their lines. */
export function keys(curves: Curve[]): HTMLElement[] {
  return curves.map((curve) => {
    const key = document.createElement("span");
    key.innerHTML = `<svg viewBox="0 0 22 8" aria-hidden="true"><path d="M0 4H22" fill="none" stroke="var(${
      CURVES[curve.colour % CURVES.length]
    })" stroke-width="2" stroke-dasharray="${DASHES[curve.dash].join(" ")}"/></svg>`;
    key.append(curve.label);
    return key;
  });
}

/** Draws the axes and curves of a plot over a span of times, s. */
export function drawPlot(
  context: CanvasRenderingContext2D,
  plot: Plot,
  span: [number, number],
  [width, height]: [number, number],
  colour: (name: string) => string,
): void {
  const [left, top, right, bottom] = MARGIN;
  const [x1, y1] = [width - right, height - bottom];
  const across = axis(span, Math.max(2, Math.min(7, Math.floor(width / 55))), false);
  const upright = axis(plot.curves.flatMap((curve) => Array.from(curve.values)), 4, !LINEAR.test(plot.title));
  const [begin, end] = span;
  const x = (time: number) => left + ((time - begin) / (end - begin || 1)) * (x1 - left);
  const y = (value: number) => {
    const v = upright.log ? (value > 0 ? Math.log10(value) : upright.low) : value;
    const part = (v - upright.low) / (upright.high - upright.low);
    return y1 - Math.min(Math.max(part, 0), 1) * (y1 - top);
  };
  context.font = "11.5px system-ui, sans-serif";
  context.fillStyle = colour("--quiet");
  context.strokeStyle = colour("--grid");
  context.lineWidth = 1;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const [value, label] of upright.ticks) {
    const at = y1 - ((value - upright.low) / (upright.high - upright.low)) * (y1 - top);
    line(context, [left, at], [x1, at]);
    // A label that is wider than its place is set narrower, not cut off.
    context.fillText(label, left - 6, at, left - 8);
  }
  context.textBaseline = "alphabetic";
  for (const [value, label] of across.ticks) {
    if (value > end + 1e-9 * end) continue;
    line(context, [x(value), top], [x(value), y1]);
    context.textAlign = value >= end ? "right" : "center";
    context.fillText(value === 0 ? "0 s" : label, x(value), height - 6);
  }
  context.lineWidth = 1.6;
  context.lineJoin = "round";
  for (const curve of plot.curves) {
    context.strokeStyle = colour(CURVES[curve.colour % CURVES.length]);
    context.setLineDash(DASHES[curve.dash]);
    context.beginPath();
    let pen = false;
    curve.values.forEach((value, k) => {
      if (!Number.isFinite(value)) pen = false;
      else if (pen) context.lineTo(x(curve.times[k]), y(value));
      else context.moveTo(x(curve.times[k]), y(value));
      pen = Number.isFinite(value);
    });
    context.stroke();
  }
  context.setLineDash([]);
}

function line(context: CanvasRenderingContext2D, a: [number, number], b: [number, number]): void {
  context.beginPath();
  context.moveTo(...a);
  context.lineTo(...b);
  context.stroke();
}

/** Cursors in the plots of the report around the player. */
export class ReportPlots {
  private readonly cursors: { line: SVGLineElement; span: number[] }[] = [];

  constructor(seek: (time: number) => void) {
    for (const svg of document.querySelectorAll<SVGSVGElement>("svg.plot[data-span]")) {
      // Times at both ends of the axis, and the places of these ends and of the field's edges.
      const span = (svg.dataset.span ?? "").split(" ").map(Number);
      if (span.length !== 6 || span.some((value) => !Number.isFinite(value))) continue;
      const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      line.setAttribute("class", "cursor");
      line.setAttribute("y1", String(span[4]));
      line.setAttribute("y2", String(span[5]));
      svg.append(line);
      this.cursors.push({ line, span });
      const point = (event: PointerEvent) => {
        const box = svg.getBoundingClientRect();
        const place = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
        const part = Math.min(Math.max((place - span[2]) / (span[3] - span[2]), 0), 1);
        seek(span[0] + part * (span[1] - span[0]));
      };
      svg.addEventListener("pointerdown", point);
      svg.addEventListener("pointermove", (event) => event.buttons && point(event));
    }
  }

  show(time: number): void {
    for (const { line, span } of this.cursors) {
      const part = Math.min(Math.max((time - span[0]) / (span[1] - span[0] || 1), 0), 1);
      const place = String(span[2] + part * (span[3] - span[2]));
      line.setAttribute("x1", place);
      line.setAttribute("x2", place);
    }
  }
}
