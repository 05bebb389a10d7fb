// Curves that grow while the scene runs: one simulation in detail, or several beside each other.

import { DASHES } from "../colour";
import { element } from "../element";
import { drawPlot, keys, type Curve, type Plot } from "../plots";
import { STAGES } from "./messages";
import type { Row, Sim } from "./sim";

/** What a curve shows of a row. */
type Pick = (row: Row, first: Row) => number;

const value = (name: string): Pick => (row) => row.values[name] ?? NaN;
const fallen: Pick = (row, first) => row.values.gravitational - first.values.gravitational;
const total: Pick = (row, first) => row.values.kinetic + row.values.elastic + fallen(row, first);
const stage = (k: number): Pick => (row) => (row.work.steps > 0 ? row.work.stages[k] / row.work.steps : NaN);
const iterations = (name: keyof Row["work"]["iterations"]): Pick => (row) => row.work.iterations[name];

const ONE: [string, [string, Pick][]][] = [
  ["Energy, J", [["kinetic", value("kinetic")], ["elastic", value("elastic")], ["gravitational", fallen], ["total", total]]],
  ["Overlap, counted", [["vertices inside", value("penetrating_vertices")], ["edges crossing", value("edge_crossings")]]],
  ["Deepest vertex, m", [["depth", value("max_depth")]]],
  ["Solver, iterations a step", [["linear", iterations("linear")], ["sweeps", iterations("sweeps")], ["outer", iterations("outer")], ["Newton", iterations("newton")]]],
  ["Time a step, ms", STAGES.map((name, k): [string, Pick] => [name, stage(k)]).filter(([name]) => name !== "depth")],
];

const MANY: [string, Pick][] = [
  ["Total energy, J", total],
  ["Vertices inside", value("penetrating_vertices")],
  ["Deepest vertex, m", value("max_depth")],
  ["Time a step, ms", stage(STAGES.length - 1)],
];

export class LivePlots {
  readonly element = element("div", { class: "plots" });
  private drawings: { plot: (sims: Sim[]) => Plot; canvas: HTMLCanvasElement; caption: HTMLElement; labels: string }[] = [];
  private sims: Sim[] = [];

  constructor() {
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Shows these simulations from now on. */
  set(sims: Sim[]): void {
    this.sims = sims;
    this.drawings = [];
    this.element.replaceChildren();
    const curve = (sim: Sim, label: string, pick: Pick, k: number): Curve => {
      const { rows } = sim;
      const values = rows.map((row) => pick(row, rows[0]));
      return { label, colour: k, dash: k % DASHES.length, times: Float64Array.from(rows, (row) => row.time), values: Float64Array.from(values) };
    };
    if (sims.length === 1) {
      for (const [title, picks] of ONE) {
        this.add(title, ([sim]) => ({ title, curves: picks.map(([label, pick], k) => curve(sim, label, pick, k)) }));
      }
      return;
    }
    for (const [title, pick] of MANY) this.add(title, (all) => ({ title, curves: all.map((sim, k) => curve(sim, sim.label, pick, k)) }));
  }

  private add(title: string, plot: (sims: Sim[]) => Plot): void {
    const caption = element("figcaption", {}, element("b", {}, title));
    const canvas = element("canvas", { role: "img", "aria-label": `${title} over time` });
    this.element.append(element("figure", {}, caption, element("div", { class: "curves" }, canvas)));
    this.drawings.push({ plot, canvas, caption, labels: "" });
  }

  /** Draws all curves anew. */
  draw(): void {
    if (this.sims.length === 0 || !this.element.isConnected) return;
    const style = getComputedStyle(this.element);
    const times = this.sims.flatMap(({ rows }) => (rows.length ? [rows[0].time, rows[rows.length - 1].time] : []));
    const span: [number, number] = times.length ? [Math.min(...times), Math.max(...times)] : [0, 1];
    if (span[1] === span[0]) span[1] = span[0] + 1e-3;
    for (const drawing of this.drawings) {
      const { canvas, caption } = drawing;
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      if (width < 80 || height < 40) continue;
      const ratio = window.devicePixelRatio || 1;
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
      const context = canvas.getContext("2d");
      if (!context) continue;
      context.scale(ratio, ratio);
      const plot = drawing.plot(this.sims);
      const labels = plot.curves.map((curve) => curve.label).join();
      if (labels !== drawing.labels) {
        drawing.labels = labels;
        caption.replaceChildren(caption.firstChild as Node, ...keys(plot.curves));
      }
      drawPlot(context, plot, span, [width, height], (name) => style.getPropertyValue(name));
    }
  }
}
