// The player: runs, time, controls, keys.

import { Plane, Vector3 } from "three";
import { GRADIENT, number } from "./colour";
import { button, element, sign, tick } from "./element";
import { Plots, ReportPlots } from "./plots";
import type { Run, Verdict } from "./run";
import { Stage } from "./stage";
import { dress, toggleTheme } from "./theme";
import { BODY, DEPTH, SPEED, View, levels, speeds, type Look } from "./view";

/** Speeds of playing, relative to the time of the run. */
const RATES = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

/** Of the values of sampled vertices, those above this part are at the end of the scale. */
const MOST = 0.98;

/** Opacity of bodies that are seen through. */
const CLEAR = 0.35;

/** How the ends of a run are coloured. */
const ENDED: Record<string, string> = { finished: "good", failed: "bad" };

const KEYS: [string, string][] = [
  ["space", "play, pause"],
  ["← →", "one frame back, on"],
  ["shift ← →", "ten frames"],
  ["home, end", "first, last frame"],
  ["[ ]", "slower, faster"],
  ["c", "next colours"],
  ["w", "wireframe"],
  ["t", "see through"],
  ["x", "section plane; again: the next axis"],
  ["n", "normals"],
  ["o", "way out, contacts"],
  ["r", "view of all"],
  ["1 2 3", "from the front, the right, above"],
  ["d", "dark, light"],
];

export class Player {
  private readonly views: View[];
  private readonly stage: Stage | null = null;
  private readonly plots: { show(time: number): void; draw?(): void };
  private readonly span: [number, number];
  private time: number;
  private playing = false;
  private rate = 4;
  private last = 0;
  private changed = true;
  private readonly over = new AbortController();
  /** Times of updates of the view code, ms; the last few hundred. */
  readonly spent: number[] = [];

  private readonly look: Look = {
    colour: BODY,
    range: [0, 1],
    wireframe: false,
    opacity: 1,
    section: null,
    normals: false,
    overlays: new Set(),
    shadows: true,
  };
  private axis = 0;
  private side = 1;

  private readonly slider = element("input", { type: "range", min: 0, step: "any", "aria-label": "time" });
  private readonly clock = element("output", { class: "clock" });
  private readonly playButton = button("", "play (space)", () => this.toggle());
  private readonly rateChoice = element("select", { "aria-label": "speed of playing", title: "speed of playing ([ and ])" });
  private readonly colourChoice = element("select", { "aria-label": "colour by", title: "colour by (c)" });
  private readonly legend = element("div", { class: "legend" });
  private readonly bar = element("div", { class: "scalebar" });
  private readonly tip = element("div", { class: "tip", hidden: true });
  private readonly help = element("div", { class: "help", hidden: true });
  private readonly cells = element("div", { class: "cells" });
  private readonly wire = tick("wireframe", "w", (on) => this.set({ wireframe: on }));
  private readonly clear = tick("see through", "t", (on) => this.set({ opacity: on ? CLEAR : 1 }));
  private readonly cut = tick("section", "x", () => this.section());
  private readonly normals = tick("normals", "n", (on) => this.set({ normals: on }));
  private readonly shadows = tick("shadows", "shadows", (on) => this.set({ shadows: on }));
  private readonly cutPlace = element("input", { type: "range", min: 0, max: 1, step: "any", value: 0.5, "aria-label": "place of the section" });
  private readonly cutAxis = element("select", { "aria-label": "axis of the section" });
  private readonly overlayTicks: [string, HTMLInputElement][] = [];
  private readonly notes = element("div", { class: "notes" });

  constructor(readonly root: HTMLElement, readonly runs: Run[], sentences: string[], inReport: boolean) {
    this.views = runs.map((run) => new View(run));
    const times = runs.flatMap((run) => [run.times[0], run.times[run.times.length - 1]]);
    const finite = times.filter((time) => Number.isFinite(time));
    this.span = finite.length ? [Math.min(...finite), Math.max(...finite)] : [0, 1];
    this.time = this.span[0];
    let message = "";
    try {
      this.stage = new Stage(this.views, () => (this.changed = true));
    } catch {
      message = "This browser has no WebGL, so the bodies cannot be drawn; curves and verdicts are still here.";
    }
    const seek = (time: number) => this.seek(time);
    this.plots = inReport ? new ReportPlots(seek) : new Plots(runs, this.span, seek);
    this.build(sentences, message, inReport);
    this.listen();
    this.recolour(BODY);
    this.dress();
    this.stage?.look();
    requestAnimationFrame((now) => this.frame(now));
  }

  /** Lets go of the canvas and of what was listened to; another player takes its place. */
  end(): void {
    this.over.abort();
    this.stage?.end();
  }

  private build(sentences: string[], message: string, inReport: boolean): void {
    this.root.classList.toggle("inside", inReport);
    this.root.replaceChildren();
    const stage = element("div", { class: "stage", tabindex: 0, "aria-label": "view of the bodies" });
    if (this.stage) stage.append(this.stage.canvas, this.cells, this.bar, this.tip);
    else stage.append(element("p", { class: "sentence", role: "alert" }, message));
    stage.append(this.legend, this.help);
    const notes = [...sentences, ...new Set(this.runs.flatMap((run) => run.notices))];
    const alerts = notes.map((text) => element("p", { class: "sentence", role: "alert" }, text));
    const left = element("div", { class: "left" }, stage, this.transport());
    const head = this.head(inReport);
    if (inReport) stage.append(head);
    else this.root.append(head);
    this.root.append(...alerts, element("div", { class: "main" }, left, this.panel()));
    if (this.plots instanceof Plots) this.root.append(this.plots.element);
    this.root.append(licences());
    this.fillHelp();
    this.labels();
    new ResizeObserver(() => {
      this.stage?.resize(stage.clientWidth, stage.clientHeight);
      this.labels();
    }).observe(stage);
  }

  private head(inReport: boolean): HTMLElement {
    const head = element("header");
    if (!inReport) {
      const names = [...new Set(this.runs.map((run) => run.scene))].join(", ");
      const [first] = this.runs;
      head.append(element("h1", {}, names || "Pliant"));
      if (this.runs.length === 1) head.append(chip(first.ended, ENDED[first.ended] ?? "warning"));
      const about = this.runs.length === 1 ? `${first.integrator}, ${first.response}` : `${this.runs.length} runs`;
      head.append(element("span", { class: "quiet" }, about));
    }
    const verdicts = this.runs.flatMap((run) =>
      run.verdicts.map((verdict): Verdict => ({
        ...verdict,
        text: this.runs.length > 1 ? `${run.name}: ${verdict.text}` : verdict.text,
      })),
    );
    if (verdicts.length > 0 && !inReport) {
      const list = element("ul", { class: "verdicts" });
      for (const { severity, text } of verdicts) list.append(element("li", { class: severity }, text));
      const worst = verdicts[0].severity;
      const count = verdicts.length === 1 ? "1 verdict" : `${verdicts.length} verdicts`;
      const details = element("details", { class: "chipped" }, element("summary", { class: `chip ${worst}` }, count), list);
      head.append(details);
    }
    // A report follows the system, and so does the player in it.
    const tools = element("span", { class: "tools" });
    if (!inReport) tools.append(button("◐", "dark or light (d)", () => this.toggleTheme()));
    tools.append(button("?", "keys (?)", () => this.toggleHelp()));
    head.append(tools);
    return head;
  }

  private transport(): HTMLElement {
    RATES.forEach((rate, k) => this.rateChoice.append(element("option", { value: k }, `${number(rate)}×`)));
    this.rateChoice.value = String(this.rate);
    this.rateChoice.addEventListener("change", () => (this.rate = Number(this.rateChoice.value)));
    this.slider.min = String(this.span[0]);
    this.slider.max = String(this.span[1]);
    this.slider.addEventListener("input", () => {
      this.pause();
      this.seek(Number(this.slider.value));
    });
    const buttons = element("span", { class: "buttons" });
    buttons.append(
      sign(button("", "first frame (home)", () => this.seek(this.span[0])), "first"),
      sign(button("", "one frame back (←)", () => this.step(-1)), "back"),
      sign(this.playButton, "play"),
      sign(button("", "one frame on (→)", () => this.step(1)), "on"),
      sign(button("", "last frame (end)", () => this.seek(this.span[1])), "last"),
    );
    return element("div", { class: "transport" }, buttons, this.slider, this.clock, this.rateChoice);
  }

  private panel(): HTMLElement {
    for (const name of this.colours()) this.colourChoice.append(element("option", { value: name }, name));
    this.colourChoice.addEventListener("change", () => this.recolour(this.colourChoice.value));
    this.shadows.checked = true;
    ["x", "y", "z"].forEach((name, k) => this.cutAxis.append(element("option", { value: k }, name)));
    this.cutAxis.disabled = this.cutPlace.disabled = true;
    this.cutAxis.addEventListener("change", () => this.section());
    this.cutPlace.addEventListener("input", () => this.section());
    const flip = button("⇄", "other side of the section", () => {
      this.side = -this.side;
      this.section();
    });
    const label = (text: string, ...inputs: Node[]) => element("label", {}, ...inputs, text);
    const panel = element("div", { class: "panel" });
    panel.append(element("label", { class: "choice" }, "colour by ", this.colourChoice));
    const plane = this.views.every((view) => view.run.plane);
    const ticks = element("div", { class: "ticks" }, label("wireframe", this.wire), label("see through", this.clear));
    if (!plane) ticks.append(label("normals", this.normals), label("shadows", this.shadows));
    for (const name of new Set(this.runs.flatMap((run) => run.overlays.map((overlay) => overlay.name)))) {
      const input = tick(name, "o", (on) => this.overlay(name, on));
      this.overlayTicks.push([name, input]);
      ticks.append(label(name, input));
    }
    panel.append(ticks, this.notes);
    const row = element("div", { class: "cut" }, label("section", this.cut), this.cutAxis, this.cutPlace, flip);
    panel.append(row);
    const views = element("div", { class: "views" });
    const see = (name: string, key: string, direction?: Vector3) =>
      views.append(element("button", { type: "button", title: `key ${key}`, onclick: () => this.stage?.look(direction) }, name));
    see("all", "r");
    if (!plane) see("front", "1", new Vector3(0, -1, 0));
    if (!plane) see("right", "2", new Vector3(1, 0, 0));
    if (!plane) see("above", "3", new Vector3(0, 0, 1));
    panel.append(views);
    if (this.runs.some((run) => !run.plane && run.fields.every((field) => field.name === DEPTH))) panel.append(hint());
    const wide = window.matchMedia("(min-width: 900px)").matches;
    return element("details", { class: "side", open: wide }, element("summary", {}, "View"), panel);
  }

  private fillHelp(): void {
    const list = element("dl");
    for (const [key, meaning] of KEYS) list.append(element("dt", {}, key), element("dd", {}, meaning));
    this.help.append(element("b", {}, "Keys"), list, element("p", {}, "Drag to turn, right drag or two fingers to move, wheel or pinch to come closer, click a body to read its values."));
    this.help.append(button("×", "close", () => this.toggleHelp()));
  }

  private labels(): void {
    const [columns, rows] = this.stage?.grid() ?? [1, 1];
    this.cells.style.gridTemplate = `repeat(${rows}, 1fr) / repeat(${columns}, 1fr)`;
    const many = this.runs.length > 1;
    this.cells.replaceChildren(...this.runs.map((run) => element("span", {}, many ? run.name : "")));
  }

  /** Names of what bodies can be coloured by. */
  colours(): string[] {
    const fields = this.runs.flatMap((run) => run.fields.map((field) => field.name));
    return [...new Set([BODY, SPEED, ...fields])];
  }

  private listen(): void {
    const active = () => document.activeElement;
    const own = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const typing = /^(SELECT|TEXTAREA)$/.test(target.tagName) || (target as HTMLInputElement).type === "text";
      const elsewhere = this.root.classList.contains("inside") && active() !== document.body && !this.root.contains(active());
      return !typing && !elsewhere && !event.ctrlKey && !event.metaKey && !event.altKey;
    };
    const { signal } = this.over;
    document.addEventListener("keydown", (event) => {
      // In a report keys scroll the page unless the player was touched last.
      const scrolls = this.root.classList.contains("inside") && !this.root.contains(active());
      if (own(event) && !scrolls && this.key(event.key, event.shiftKey)) event.preventDefault();
    }, { signal });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.dress(), { signal });
    const canvas = this.stage?.canvas;
    let down = [0, 0];
    canvas?.addEventListener("pointerdown", (event) => {
      down = [event.offsetX, event.offsetY];
      (canvas.parentElement as HTMLElement).focus({ preventScroll: true });
    });
    canvas?.addEventListener("pointerup", (event) => {
      const far = Math.hypot(event.offsetX - down[0], event.offsetY - down[1]);
      if (far < 4) this.ask(event.offsetX, event.offsetY);
    });
  }

  /** Does what a key stands for; whether it stands for anything. */
  key(key: string, shift: boolean): boolean {
    const flip = (input: HTMLInputElement) => input.click();
    const steps = shift ? 10 : 1;
    const actions: Record<string, () => void> = {
      " ": () => this.toggle(),
      ArrowLeft: () => this.step(-steps),
      ArrowRight: () => this.step(steps),
      Home: () => this.seek(this.span[0]),
      End: () => this.seek(this.span[1]),
      "[": () => this.faster(-1),
      "]": () => this.faster(1),
      c: () => this.nextColour(),
      w: () => flip(this.wire),
      t: () => flip(this.clear),
      x: () => this.nextSection(),
      n: () => flip(this.normals),
      o: () => this.overlayTicks.forEach(([, input]) => flip(input)),
      r: () => this.stage?.look(),
      "1": () => this.stage?.look(new Vector3(0, -1, 0)),
      "2": () => this.stage?.look(new Vector3(1, 0, 0)),
      "3": () => this.stage?.look(new Vector3(0, 0, 1)),
      d: () => this.root.classList.contains("inside") || this.toggleTheme(),
      "?": () => this.toggleHelp(),
      Escape: () => (this.help.hidden = this.tip.hidden = true),
    };
    const action = actions[key.length === 1 ? key.toLowerCase() : key];
    action?.();
    return action !== undefined;
  }

  toggle(): void {
    if (this.playing) this.pause();
    else {
      if (this.time >= this.span[1]) this.seek(this.span[0]);
      this.playing = true;
      this.last = performance.now();
      sign(this.playButton, "pause").title = "pause (space)";
    }
  }

  pause(): void {
    this.playing = false;
    sign(this.playButton, "play").title = "play (space)";
  }

  seek(time: number): void {
    this.time = Math.min(Math.max(time, this.span[0]), this.span[1]);
    this.tip.hidden = true;
    this.changed = true;
  }

  step(frames: number): void {
    this.pause();
    const times = this.longest().times;
    const [frame, part] = this.views[this.runs.indexOf(this.longest())]?.place(this.time) ?? [0, 0];
    const from = frames < 0 && part > 1e-6 ? frame + 1 : frame;
    this.seek(times[Math.min(Math.max(from + frames, 0), times.length - 1)]);
  }

  private longest(): Run {
    return this.runs.reduce((a, b) => (b.times.length > a.times.length ? b : a));
  }

  private faster(by: number): void {
    this.rate = Math.min(Math.max(this.rate + by, 0), RATES.length - 1);
    this.rateChoice.value = String(this.rate);
  }

  private set(part: Partial<Look>): void {
    Object.assign(this.look, part);
    this.stage?.apply(this.look);
  }

  private overlay(name: string, on: boolean): void {
    if (on) this.look.overlays.add(name);
    else this.look.overlays.delete(name);
    const shown = this.runs.flatMap((run) => run.overlays.filter((overlay) => this.look.overlays.has(overlay.name)));
    const notes = new Set(shown.map(({ name, note }) => `${name}: ${note}`));
    this.notes.replaceChildren(...[...notes].map((note) => element("div", {}, note)));
    this.stage?.apply(this.look);
  }

  /** Colours bodies by a name of {@link colours}, with one scale for all runs. */
  recolour(name: string): void {
    this.look.colour = name;
    this.colourChoice.value = name;
    const fields = this.views.flatMap((view) => view.field(name) ?? []);
    const unit = name === SPEED ? "m/s" : fields[0]?.unit ?? "";
    const least = Math.min(0, ...fields.map((field) => field.min));
    const largest = Math.max(...fields.map((field) => field.max));
    // A few large values must not make all others look alike; of depth the deepest counts.
    const having = this.views.filter((view) => name === SPEED || view.field(name));
    const few = name === DEPTH ? largest : Math.max(0, ...having.map((view) => most(view, name)));
    if (name !== BODY) this.look.range = [least, few || 1];
    this.legend.hidden = name === BODY;
    const [low, high] = this.look.range;
    const half = 0.5 * (low + high);
    const scale = element("div", { class: "scale" });
    scale.style.background = GRADIENT;
    const top = name === SPEED || largest > high ? `≥ ${number(high)}` : number(high);
    const ends = element("div", { class: "ends" }, ...[number(low), number(half), top].map((t) => element("span", {}, t)));
    this.legend.replaceChildren(element("b", {}, unit ? `${name}, ${unit}` : name), scale, ends);
    this.stage?.apply(this.look);
  }

  private nextColour(): void {
    const names = this.colours();
    this.recolour(names[(names.indexOf(this.look.colour) + 1) % names.length]);
  }

  private nextSection(): void {
    if (!this.cut.checked) this.cut.checked = true;
    else if (this.axis < 2) this.cutAxis.value = String(this.axis + 1);
    else [this.cut.checked, this.cutAxis.value] = [false, "0"];
    this.section();
  }

  private section(): void {
    this.axis = Number(this.cutAxis.value);
    this.cutAxis.disabled = this.cutPlace.disabled = !this.cut.checked;
    if (!this.cut.checked) return this.set({ section: null });
    const box = this.views[0].box.clone();
    for (const view of this.views) box.union(view.box);
    const [low, high] = [box.min.getComponent(this.axis), box.max.getComponent(this.axis)];
    const place = low + Number(this.cutPlace.value) * (high - low);
    const normal = new Vector3().setComponent(this.axis, this.side);
    return this.set({ section: new Plane(normal, -this.side * place) });
  }

  private toggleHelp(): void {
    this.help.hidden = !this.help.hidden;
  }

  private toggleTheme(): void {
    toggleTheme(this.root);
    this.dress();
  }

  private dress(): void {
    dress(this.root, this.stage);
    this.plots.draw?.();
  }

  /** Shows body, vertex and value under a place of the canvas. */
  private ask(x: number, y: number): void {
    const hit = this.stage?.pick(x, y);
    this.tip.hidden = !hit;
    if (!hit) return;
    const [frame] = hit.view.place(this.time);
    const body = hit.view.run.bodies[hit.body];
    const lines = [`vertex ${hit.vertex - body.first} of ${body.count}`];
    for (const name of this.colours().filter((name) => name !== BODY)) {
      const value = hit.view.value(name, frame, hit.vertex);
      const unit = name === SPEED ? "m/s" : hit.view.field(name)?.unit ?? "";
      if (Number.isFinite(value)) lines.push(`${name} ${number(value)} ${unit}`);
    }
    this.tip.replaceChildren(element("b", {}, body.name), ...lines.map((line) => element("div", {}, line)));
    this.tip.style.left = `${x + 12}px`;
    this.tip.style.top = `${y + 12}px`;
  }

  private frame(now: number): void {
    if (this.over.signal.aborted) return;
    if (this.playing) {
      const next = this.time + ((now - this.last) / 1000) * RATES[this.rate];
      this.last = now;
      if (next >= this.span[1]) this.pause();
      this.seek(next);
    }
    if (this.changed) this.show();
    requestAnimationFrame((then) => this.frame(then));
  }

  private show(): void {
    this.changed = false;
    if (this.stage?.draw(this.time, this.look, true)) {
      this.spent.push(this.views.reduce((sum, view) => sum + view.spent, 0));
      if (this.spent.length > 500) this.spent.shift();
      const [text, width] = this.stage.scaleBar();
      this.bar.textContent = text;
      this.bar.style.width = `${width}px`;
    }
    this.slider.value = String(this.time);
    this.clock.textContent = `${this.time.toFixed(3)} s`;
    this.plots.show(this.time);
  }

  /** What is shown, for tests. */
  state() {
    const frames = this.views.map((view) => view.place(this.time)[0]);
    const { colour, wireframe, opacity, section, normals, range } = this.look;
    const camera = this.stage?.camera.position.toArray() ?? [];
    return { time: this.time, playing: this.playing, frames, colour, wireframe, opacity, section: section !== null, normals, range, camera };
  }
}

/** The value that few vertices exceed where it is not 0, from a sample of all frames. */
function most(view: View, name: string): number {
  const { frames, vertices } = view.run;
  const field = view.field(name);
  const [across, along] = [Math.max(1, Math.floor(vertices / 200)), Math.max(1, Math.floor(frames.length / 200))];
  const sample: number[] = [];
  const values = new Float32Array(vertices);
  for (let frame = 0; frame < frames.length; frame += along) {
    if (field) levels(field, frame, values);
    else speeds(view.run, frame, values);
    for (let vertex = 0; vertex < vertices; vertex += across) if (values[vertex] > 0) sample.push(values[vertex]);
  }
  sample.sort((a, b) => a - b);
  return sample[Math.floor(MOST * (sample.length - 1))] ?? 0;
}

function chip(text: string, kind: string): HTMLElement {
  return element("span", { class: `chip ${kind}` }, text);
}

/** How a run comes to have more to be coloured by. */
function hint(): HTMLElement {
  const words = "pliant run SCENE --set record.fields=[\"stress\",\"pressure\"] --set record.contacts=true";
  return element("p", { class: "hint" }, "Stress, pressure and contacts are recorded on request: ", element("code", {}, words));
}

/** Licences of what the page is made of, folded. */
function licences(): HTMLElement {
  const text = document.getElementById("pliant-licences")?.textContent ?? "";
  return element("details", { class: "licences" }, element("summary", {}, "Licences"), element("pre", {}, text.trim()));
}
