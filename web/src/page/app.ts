// The page: scenes that run, and everything that is done to them.

import { Plane, Vector3 } from "three";
import { BODIES, GRADIENT, number } from "../colour";
import { button, element, sign } from "../element";
import { Stage, type Hit } from "../stage";
import { BODY, type Look } from "../view";
import { Client } from "./client";
import { download, leading, listen, tooLarge } from "./files";
import { Gallery, type Scene } from "./gallery";
import { Hand, type Tool } from "./hand";
import { decode, encode, type Shared } from "./link";
import { LivePlots } from "./liveplots";
import type { FieldWish } from "./messages";
import { COLOURS, OVERLAYS, Panel } from "./panel";
import { Sim } from "./sim";
import { TOUR } from "./tour";

/** Speeds relative to real time. */
const RATES = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

/** Below this part of the speed that was asked for the scene is too heavy. */
const HEAVY = 0.9;

/** Plots are drawn this often, ms. */
const PLOT = 250;

/** Opacity of bodies that are seen through. */
const CLEAR = 0.35;

/** Pixels of the distance field along its longer side. */
const FIELD = 320;

const KEYS: [string, string][] = [
  ["space", "play, pause"], ["→", "one step"], ["r", "start over"], ["[ ]", "slower, faster"],
  ["g", "pointer: grab, pin, look"], ["p", "pin what is held"], ["u", "unpin"], ["c", "next colours"],
  ["w t x", "wireframe, see through, section"], ["o f", "overlays, distance field"], ["v", "view of all"],
  ["1 2 3", "from the front, the right, above"], ["s", "scenes"], ["d", "dark, light"], ["?", "this list"],
];

interface Source {
  name: string;
  /** TOML; of a built-in scene too. */
  text: string;
  builtIn: boolean;
}

export class App {
  sims: Sim[] = [];
  stage: Stage | null = null;
  private source: Source = { name: "", text: "", builtIn: true };
  /** Values set, by name. */
  private sets = new Map<string, string>();
  private variants: [string, string[]][] = [];
  private playing = false;
  private rate = 4;
  private tool: Tool = "hand";
  private readonly overlays = new Set<string>();
  private fieldOn = false;
  private recording = false;
  private tourStep = -1;
  private changed = true;
  private plotted = 0;
  private busy: Promise<void> = Promise.resolve();
  private files: { name: string; bytes: Uint8Array<ArrayBuffer> }[] = [];
  private hand: Hand | null = null;
  private over = new AbortController();
  private readonly pins: Vector3[] = [];
  /** Times of updates of the view code, ms; the last few hundred. */
  readonly spent: number[] = [];
  private readonly look: Look = {
    colour: BODY, range: [0, 1], wireframe: false, opacity: 1, section: null, normals: false, overlays: new Set(), shadows: true,
  };

  private readonly panel: Panel;
  private readonly plots = new LivePlots();
  private readonly gallery: Gallery;
  private readonly title = element("h1", {}, "Pliant");
  private readonly about = element("span", { class: "quiet about" });
  private readonly stageBox = element("div", { class: "stage", tabindex: 0, "aria-label": "view of the bodies: drag a body to move it, drag beside it to turn the view" });
  private readonly cells = element("div", { class: "cells" });
  private readonly legend = element("div", { class: "legend", hidden: true });
  private readonly bar = element("div", { class: "scalebar" });
  private readonly tip = element("div", { class: "tip", hidden: true });
  private readonly help = element("div", { class: "help", hidden: true });
  private readonly say = element("p", { class: "sentence", role: "alert", hidden: true });
  private readonly tourBox = element("aside", { class: "tour", hidden: true, "aria-live": "polite" });
  private readonly playButton = button("", "play (space)", () => this.toggle());
  private readonly rateChoice = element("select", { "aria-label": "speed", title: "speed relative to real time ([ and ])" });
  private readonly clock = element("output", { class: "clock", "aria-label": "simulated time" });
  private readonly pace = element("output", { class: "pace", "aria-label": "pace" });
  private readonly recordButton = button("●", "record", () => void this.toggleRecording());
  private readonly savers = element("span", { class: "savers", hidden: true });

  static async start(root: HTMLElement, module: WebAssembly.Module, worker: string, given: { name: string; text: string; sets: string[] } | null): Promise<App> {
    const client = new Client(worker, module);
    const broken = new Promise<never>((_, refused) => (client.onbroken = (why) => refused(new Error(why))));
    const { answer } = await Promise.race([client.command("catalogue"), broken]);
    const app = new App(root, module, worker, client, answer);
    const shared = decode(location.hash);
    if (given) await app.open({ scene: given.name, text: given.text, sets: given.sets });
    else await app.open(shared ?? { scene: "knot", sets: [] }, { plays: shared !== null });
    if (!given && !shared) app.showGallery(true);
    return app;
  }

  private readonly scenes: Scene[];

  private constructor(
    readonly root: HTMLElement,
    private readonly module: WebAssembly.Module,
    private readonly worker: string,
    client: Client,
    catalogue: { scenes: Scene[]; responses: [string, string][]; integrators: [string, string][]; version: string },
  ) {
    this.scenes = catalogue.scenes;
    this.adopt(new Sim(client, "", []));
    this.panel = new Panel({
      set: (name, value, running) => void this.change(name, value, running),
      tool: (tool) => (this.tool = tool),
      unpin: () => this.unpin(),
      colour: (name) => this.recolour(name),
      overlay: (name, on) => this.overlay(name, on),
      look: (part) => this.applyLook(part),
      compare: (key, word) => void this.compare(key, word),
    }, catalogue.responses, catalogue.integrators);
    this.gallery = new Gallery(this.scenes, (name) => void this.choose(name), () => this.showGallery(false), () => new Client(this.worker, this.module));
    this.build(catalogue.version);
    this.listen();
    requestAnimationFrame(() => this.frame());
  }

  private build(version: string): void {
    const tools = element("span", { class: "tools" });
    tools.append(
      element("button", { type: "button", title: "choose a scene (s)", onclick: () => this.showGallery(true) }, "Scenes"),
      element("button", { type: "button", title: "six steps", onclick: () => void this.tour(0) }, "Tour"),
      element("button", { type: "button", title: "copy a link to this scene with its values", onclick: () => void this.share() }, "Link"),
      button("◐", "dark or light (d)", () => this.toggleTheme()),
      button("?", "keys (?)", () => (this.help.hidden = !this.help.hidden)),
    );
    const picker = element("input", { type: "file", multiple: true, class: "hidden-file", "aria-label": "open a mesh, an outline or a scene file" });
    picker.addEventListener("change", () => void this.drop([...(picker.files ?? [])]).finally(() => (picker.value = "")));
    tools.prepend(element("label", { class: "open", title: "open a mesh, an outline or a scene file; it stays on this machine" }, "Open…", picker));
    RATES.forEach((rate, k) => this.rateChoice.append(element("option", { value: k }, `${number(rate)}×`)));
    this.rateChoice.value = String(this.rate);
    this.rateChoice.addEventListener("change", () => this.setRate(Number(this.rateChoice.value)));
    const save = (text: string, format: string) =>
      element("button", { type: "button", title: `download as ${text}`, onclick: () => void this.save(format) }, text);
    this.savers.append(save("GLB", "glb"), save("recording", "recording"));
    const transport = element("div", { class: "transport" },
      element("span", { class: "buttons" }, sign(button("", "start over (r)", () => void this.reset()), "first"), sign(this.playButton, "play"),
        sign(button("", "one step (→)", () => this.step()), "on")),
      this.rateChoice, this.clock, this.pace, element("span", { class: "buttons end" }, this.recordButton, this.savers));
    this.stageBox.append(this.cells, this.bar, this.tip, this.legend, this.help);
    this.fillHelp();
    const wide = window.matchMedia("(min-width: 900px)").matches;
    const side = element("details", { class: "side", open: wide }, element("summary", {}, "Controls"), this.panel.element);
    const left = element("div", { class: "left" }, this.tourBox, this.stageBox, transport);
    this.root.replaceChildren(
      element("header", {}, this.title, this.about, tools), this.say,
      element("div", { class: "main" }, left, side), this.plots.element, this.footer(version), this.gallery.element,
    );
    this.gallery.element.hidden = true;
    new ResizeObserver(() => this.resize()).observe(this.stageBox);
  }

  private footer(version: string): HTMLElement {
    const text = document.getElementById("pliant-licences")?.textContent ?? "";
    const folded = element("details", { class: "licences" }, element("summary", {}, `Pliant ${version}: the engine runs in this page; nothing is uploaded. Licences`));
    folded.append(element("pre", {}, text.trim()));
    return folded;
  }

  private fillHelp(): void {
    const list = element("dl");
    for (const [key, meaning] of KEYS) list.append(element("dt", {}, key), element("dd", {}, meaning));
    this.help.append(element("b", {}, "Keys"), list, element("p", {}, "Drag a body to move and throw it; drag beside it to turn the view, right drag or two fingers to move it, wheel or pinch to come closer. Click a body to read its values."));
    this.help.append(button("×", "close", () => (this.help.hidden = true)));
  }

  private listen(): void {
    const { signal } = this.over;
    document.addEventListener("keydown", (event) => {
      const target = event.target as HTMLElement;
      const typing = /^(SELECT|TEXTAREA)$/.test(target.tagName) || /^(text|number)$/.test((target as HTMLInputElement).type);
      const pressing = event.key === " " && /^(BUTTON|SUMMARY)$/.test(target.tagName);
      if (typing || pressing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (this.key(event.key)) event.preventDefault();
    }, { signal });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.dress(), { signal });
    window.addEventListener("hashchange", () => {
      const shared = decode(location.hash);
      if (shared) void this.open(shared, { plays: true });
    }, { signal });
    listen(this.root, (files) => void this.drop(files), signal);
  }

  /** Does what a key stands for; whether it stands for anything. */
  key(key: string): boolean {
    const flip = (input: HTMLInputElement) => input.click();
    const actions: Record<string, () => void> = {
      " ": () => this.toggle(),
      ArrowRight: () => this.step(),
      r: () => void this.reset(),
      "[": () => this.setRate(this.rate - 1),
      "]": () => this.setRate(this.rate + 1),
      g: () => this.nextTool(),
      p: () => this.hand?.pinHeld(),
      u: () => this.unpin(),
      c: () => this.nextColour(),
      w: () => flip(this.panel.wireTick),
      t: () => flip(this.panel.clearTick),
      x: () => flip(this.panel.sectionTick),
      o: () => this.panel.overlayTicks.forEach(flip),
      f: () => flip(this.panel.fieldTick),
      v: () => this.stage?.look(),
      "1": () => this.stage?.look(new Vector3(0, -1, 0)),
      "2": () => this.stage?.look(new Vector3(1, 0, 0)),
      "3": () => this.stage?.look(new Vector3(0, 0, 1)),
      s: () => this.showGallery(this.gallery.element.hidden === true),
      d: () => this.toggleTheme(),
      "?": () => (this.help.hidden = !this.help.hidden),
      Escape: () => {
        this.help.hidden = this.tip.hidden = true;
        this.showGallery(false);
      },
    };
    const action = actions[key.length === 1 ? key.toLowerCase() : key];
    action?.();
    return action !== undefined;
  }

  /** One thing at a time: what loads does not overlap with what loads next. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    this.busy = this.busy.then(work).catch((error) => this.complain(error));
    return this.busy;
  }

  private complain(error: unknown): void {
    this.sentence(error instanceof Error ? error.message : String(error));
  }

  /** Shows one sentence, or none. */
  private sentence(text: string | null): void {
    this.say.hidden = text === null;
    // Of an error of many lines the first says what, the rest where.
    this.say.textContent = text === null ? "" : text;
  }

  private adopt(sim: Sim): void {
    sim.client.onbroken = (why) => {
      this.setPlaying(false);
      this.sentence(`The engine has stopped: ${why}. Start over to go on.`);
      const fresh = new Sim(new Client(this.worker, this.module), sim.label, sim.sets);
      this.sims[this.sims.indexOf(sim)] = fresh;
      sim.dead = true;
      sim.client.onframe();
      sim.end();
      this.adopt(fresh);
    };
    if (!this.sims.includes(sim)) this.sims.push(sim);
  }

  /** Values of all simulations, in the engine's words. */
  private common(): string[] {
    return [...this.sets].flatMap(([name, value]) => (name === "material" ? this.materialSets(value) : [`${name}=${value}`]));
  }

  private materialSets(word: string): string[] {
    const kinds = [...this.source.text.matchAll(/^\[\[bodies\]\]/gm)].length;
    const blocks = this.source.text.split(/^\[\[bodies\]\]/m).slice(1);
    return Array.from({ length: kinds }, (_, k) => k)
      .filter((k) => /kind\s*=\s*"(corotational|neo-hookean)"/.test(blocks[k]))
      .map((k) => `bodies.${k}.material=${word}`);
  }

  /** Opens a scene, with what a link or the tour says. */
  open(shared: Shared, options: { plays?: boolean; labels?: string[] } = {}): Promise<void> {
    return this.inTurn(async () => {
      const known = this.scenes.find((scene) => scene.name === shared.scene);
      if (!shared.text && !known) throw new Error(`there is no scene ${shared.scene}`);
      const before = { source: this.source, sets: this.sets, variants: this.variants };
      this.setPlaying(false);
      this.source = { name: shared.scene, text: shared.text ?? (known as Scene).text, builtIn: !shared.text };
      this.sets = new Map(shared.sets.map((set) => [set.slice(0, set.indexOf("=")), set.slice(set.indexOf("=") + 1)]));
      this.variants = (shared.variants ?? []).map((sets, k) => [options.labels?.[k] ?? (sets.map((set) => set.split("=")[1]).join(", ") || "as given"), sets]);
      try {
        await this.load("load", true);
      } catch (error) {
        Object.assign(this, before);
        if (before.source.name) await this.load().catch(() => {});
        throw error;
      }
      this.panel.show(this.source.text, this.sets, this.sims[0].description?.plane ?? false);
      this.panel.beside.value = "";
      this.setPlaying(options.plays ?? false);
    });
  }

  private async choose(name: string): Promise<void> {
    this.showGallery(false);
    this.endTour();
    await this.open({ scene: name, sets: [] }, { plays: true });
  }

  /** Loads the scene into as many simulations as are compared, from the start. */
  private async load(op: "load" | "switch" = "load", ahead = false): Promise<void> {
    const all: [string, string[]][] = this.variants.length > 0 ? this.variants : [["", []]];
    while (this.sims.length > all.length) this.sims.pop()?.end();
    while (this.sims.length < all.length) {
      const sim = new Sim(new Client(this.worker, this.module), "", []);
      this.adopt(sim);
      for (const { name, bytes } of this.files) await sim.client.file(name, bytes);
      op = "load";
    }
    const { name, text } = this.source;
    await Promise.all(this.sims.map(async (sim, k) => {
      [sim.label] = all[k];
      const sets = [...this.common(), ...all[k][1]];
      const parts = op === "switch" ? { sets } : { name, text, sets };
      await sim.load(op, parts, ahead);
      sim.client.pace(RATES[this.rate]);
      this.tellLook(sim);
      sim.client.play(this.playing);
    }));
    this.pins.length = 0;
    if (op === "load") this.setRecording(false);
    this.sentence(null);
    await this.arrived();
    const { description } = this.sims[0];
    this.title.textContent = description?.scene ?? "";
    const about = description?.description.split("\n")[0] ?? "";
    this.about.textContent = about;
    const notices = this.sims.flatMap((sim) => sim.description?.notices ?? []);
    if (notices.length > 0) this.sentence([...new Set(notices)].join(" "));
  }

  /** Waits until every simulation has shown its first frame. */
  private async arrived(): Promise<void> {
    await Promise.all(this.sims.map((sim) => new Promise<void>((done) => {
      const look = () => {
        sim.advance();
        if (sim.waits) return;
        sim.client.onframe = () => {};
        done();
      };
      sim.client.onframe = look;
      look();
    })));
    const shown = this.stage?.views ?? [];
    if (shown.length !== this.sims.length || this.sims.some((sim, k) => sim.view !== shown[k])) this.set();
    this.plots.set(this.sims);
    this.changed = true;
  }

  /** A new stage for the views of now. */
  private set(): void {
    this.stage?.end();
    this.stage?.canvas.remove();
    this.stage = null;
    const views = this.sims.flatMap((sim) => sim.view ?? []);
    if (views.length !== this.sims.length) return;
    try {
      this.stage = new Stage(views, () => this.moved());
    } catch {
      this.sentence("This browser has no WebGL, so the bodies cannot be drawn; the engine runs, and the curves below show it.");
      return;
    }
    this.stageBox.prepend(this.stage.canvas);
    this.hand = new Hand(this.stage, {
      tool: () => this.tool,
      grab: (hit) => this.each("grab", { body: hit.body, point: hit.point.toArray() }),
      drag: (point) => this.each("drag", { point: point.toArray() }),
      release: () => this.each("release"),
      pin: (hit) => this.pin(hit),
      ask: (hit, x, y) => this.ask(hit, x, y),
    }, this.over.signal);
    this.resize();
    this.dress();
    this.applyLook({});
    this.stage.look();
  }

  /** The camera has moved: the field is wanted of another part of the plane. */
  private moved(): void {
    this.changed = true;
    if (this.fieldOn) this.tellAll();
  }

  /** The same input for all simulations. */
  private each(op: string, parts: Record<string, unknown> = {}): void {
    for (const sim of this.sims) sim.client.command(op, parts).catch((error) => this.complain(error));
    if (op === "grab" && !this.playing) this.sentence("It moves once the scene plays: press space.");
  }

  private pin(hit: Hit): void {
    this.each("pin", { body: hit.body, point: hit.point.toArray() });
    this.pins.push(hit.point.clone());
  }

  private unpin(): void {
    this.each("unpin");
    this.pins.length = 0;
  }

  private resize(): void {
    this.stage?.resize(this.stageBox.clientWidth, this.stageBox.clientHeight);
    if (this.stage?.steered === false) this.stage.look();
    const [columns, rows] = this.stage?.grid() ?? [1, 1];
    this.cells.style.gridTemplate = `repeat(${rows}, 1fr) / repeat(${columns}, 1fr)`;
    this.cells.replaceChildren(...this.sims.map((sim) => element("span", {}, this.sims.length > 1 ? sim.label : "")));
    this.tellAll();
  }

  toggle(): void {
    this.setPlaying(!this.playing);
  }

  private setPlaying(on: boolean): void {
    this.playing = on;
    sign(this.playButton, on ? "pause" : "play").title = on ? "pause (space)" : "play (space)";
    this.playButton.setAttribute("aria-label", on ? "pause" : "play");
    for (const sim of this.sims) sim.client.play(on);
    if (on && /space\.$/.test(this.say.textContent ?? "")) this.sentence(null);
  }

  step(): void {
    this.setPlaying(false);
    for (const sim of this.sims) sim.client.step(1);
  }

  private setRate(rate: number): void {
    this.rate = Math.min(Math.max(rate, 0), RATES.length - 1);
    this.rateChoice.value = String(this.rate);
    for (const sim of this.sims) sim.client.pace(RATES[this.rate]);
  }

  /** Starts over with the same values. */
  reset(): Promise<void> {
    return this.inTurn(() => this.load());
  }

  /** Sets a value, of a parameter or a method; while it runs where that is possible. */
  change(name: string, value: string | null, running: boolean): Promise<void> {
    return this.inTurn(async () => {
      const before = new Map(this.sets);
      if (value === null) this.sets.delete(name);
      else this.sets.set(name, value);
      try {
        await this.load(running ? "switch" : "load").catch(async (error) => {
          // Other bodies: it must start over.
          if (!/start over/.test(String(error))) throw error;
          await this.load();
        });
      } catch (error) {
        this.sets = before;
        this.panel.show(this.source.text, this.sets, this.sims[0].description?.plane ?? false);
        throw error;
      }
      this.panel.reflect(this.sets);
    });
  }

  /** Shows the scene beside itself with another method, or alone. */
  compare(key: "response" | "integrator", word: string | null): Promise<void> {
    return this.inTurn(async () => {
      const now = this.sims[0].description;
      const before = this.variants;
      this.variants = word === null || !now ? [] : [[now[key], []], [word, [`${key}=${word}`]]];
      await this.load().catch(async (error) => {
        this.variants = before;
        this.panel.beside.value = "";
        await this.load();
        throw error;
      });
    });
  }

  /** Makes a scene of files. */
  drop(files: File[]): Promise<void> {
    const large = tooLarge(files);
    if (large) this.sentence(large);
    if (large || files.length === 0) return Promise.resolve();
    return this.inTurn(async () => {
      this.files = [];
      for (const file of files) this.files.push({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
      for (const sim of this.sims) {
        await sim.client.command("forget-files");
        for (const { name, bytes } of this.files) await sim.client.file(name, bytes);
      }
      const { answer } = await this.sims[0].client.command("drop", { name: leading(files).name });
      // Not within this turn, which it would wait for.
      setTimeout(() => void this.open({ scene: answer.name, text: answer.text, sets: [] }, { plays: true }), 0);
      this.showGallery(false);
      this.endTour();
    });
  }

  /** The link to what is shown. */
  link(): string {
    const { name, text, builtIn } = this.source;
    const shared = { scene: name, text: builtIn ? undefined : text, sets: this.common(), variants: this.variants.map(([, sets]) => sets) };
    return `${location.href.replace(/#.*/, "")}#${encode(shared)}`;
  }

  private async share(): Promise<void> {
    const link = this.link();
    history.replaceState(null, "", link);
    const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    this.sentence(copied ? "The link is copied; it holds the scene and its values." : "The address above holds the scene and its values: copy it.");
  }

  private setRecording(on: boolean): void {
    this.recording = on;
    this.recordButton.classList.toggle("on", on);
    this.recordButton.title = on ? "recording: press to end and download" : "record";
    this.recordButton.setAttribute("aria-label", this.recordButton.title);
    if (on) this.savers.hidden = true;
  }

  async toggleRecording(): Promise<void> {
    if (this.recording) {
      this.setRecording(false);
      this.setPlaying(false);
      this.savers.hidden = false;
      return;
    }
    await this.sims[0].client.command("record").catch((error) => this.complain(error));
    this.setRecording(true);
    this.setPlaying(true);
  }

  private async save(format: string): Promise<void> {
    try {
      const { answer, bytes } = await this.sims[0].client.command("take-recording", { format, colours: BODIES });
      if (!bytes) return;
      const ending = format === "glb" ? "glb" : "pliant";
      download(`${this.source.name}.${ending}`, bytes as Uint8Array<ArrayBuffer>);
      if (answer.full) this.sentence("The recording is full: it ends before the scene did.");
    } catch (error) {
      this.complain(error);
    }
  }

  /** Goes to a step of the tour. */
  async tour(step: number): Promise<void> {
    const stop = TOUR[step];
    if (!stop) return this.endTour();
    this.tourStep = step;
    this.showGallery(false);
    for (const [name] of OVERLAYS) this.overlay(name, stop.overlays?.includes(name) ?? false);
    this.applyLook({ clear: stop.clear ?? false, field: stop.field ?? false });
    this.recolour(stop.colour ?? "body");
    this.tourBox.hidden = false;
    const to = (text: string, k: number) => element("button", { type: "button", onclick: () => void this.tour(k) }, text);
    const row = element("div", { class: "row" });
    if (step > 0) row.append(to("Back", step - 1));
    row.append(to(step + 1 < TOUR.length ? "Next" : "End", step + 1));
    this.tourBox.replaceChildren(
      element("span", { class: "quiet" }, `${step + 1} of ${TOUR.length}`), element("b", {}, stop.title), element("p", {}, stop.text), row,
      button("×", "leave the tour", () => this.endTour()),
    );
    await this.open({ scene: stop.scene, sets: stop.sets ?? [], variants: stop.variants?.map(([, sets]) => sets) }, { plays: stop.plays ?? false, labels: stop.variants?.map(([label]) => label) });
  }

  private endTour(): void {
    this.tourStep = -1;
    this.tourBox.hidden = true;
  }

  private showGallery(on: boolean): void {
    this.gallery.element.hidden = !on;
    if (on) (this.gallery.element.querySelector(".card") as HTMLElement | null)?.focus({ preventScroll: true });
  }

  private nextTool(): void {
    const tools: Tool[] = ["hand", "pin", "ask"];
    this.tool = tools[(tools.indexOf(this.tool) + 1) % tools.length];
    this.panel.toolChoice.value = this.tool;
  }

  private overlay(name: string, on: boolean): void {
    const input = this.panel.overlayTicks.get(name);
    if (input) input.checked = on;
    if (on) this.overlays.add(name);
    else this.overlays.delete(name);
    this.tellAll();
  }

  private applyLook(part: { wireframe?: boolean; clear?: boolean; field?: boolean; section?: boolean }): void {
    const { wireTick, clearTick, fieldTick, sectionTick } = this.panel;
    if (part.wireframe !== undefined) wireTick.checked = part.wireframe;
    if (part.clear !== undefined) clearTick.checked = part.clear;
    if (part.field !== undefined) fieldTick.checked = part.field;
    if (part.section !== undefined) sectionTick.checked = part.section;
    this.fieldOn = fieldTick.checked;
    this.look.wireframe = wireTick.checked;
    this.look.opacity = clearTick.checked || (this.fieldOn && this.sims[0].description?.plane) ? CLEAR : 1;
    const box = this.sims[0]?.view?.box;
    this.look.section = sectionTick.checked && box ? new Plane(new Vector3(1, 0, 0), -0.5 * (box.min.x + box.max.x)) : null;
    this.stage?.apply(this.look);
    this.tellAll();
  }

  private recolour(name: string): void {
    this.look.colour = name;
    this.look.range = [0, 0];
    this.panel.colourChoice.value = name;
    this.tellAll();
    this.stage?.apply(this.look);
  }

  private nextColour(): void {
    const names = COLOURS.map(([name]) => name);
    this.recolour(names[(names.indexOf(this.look.colour) + 1) % names.length]);
  }

  private tellAll(): void {
    for (const sim of this.sims) this.tellLook(sim);
  }

  private tellLook(sim: Sim): void {
    const plane = sim.description?.plane ?? false;
    sim.client.look(this.look.colour, plane ? [] : [...this.overlays], plane && this.fieldOn ? this.window(sim) : null);
  }

  /** The part of the plane that is seen. */
  private window(sim: Sim): FieldWish | null {
    const seen = sim.view && this.stage?.seen();
    return seen ? { window: seen, pixels: FIELD } : null;
  }

  /** Shows body and vertex under a place of the canvas. */
  private ask(hit: Hit | null, x: number, y: number): void {
    this.tip.hidden = !hit;
    if (!hit) return;
    const body = hit.view.run.bodies[hit.body];
    const lines = [`vertex ${hit.vertex - body.first} of ${body.count}`];
    const value = hit.view.value(this.look.colour, 0, hit.vertex);
    const [, name, unit] = COLOURS.find(([name]) => name === this.look.colour) ?? ["", "", ""];
    if (Number.isFinite(value)) lines.push(`${name} ${number(value)} ${unit}`);
    this.tip.replaceChildren(element("b", {}, body.name), ...lines.map((line) => element("div", {}, line)));
    this.tip.style.left = `${x + 12}px`;
    this.tip.style.top = `${y + 12}px`;
  }

  private toggleTheme(): void {
    const dark = getComputedStyle(this.root).getPropertyValue("--dark").trim() === "1";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    this.dress();
  }

  private dress(): void {
    const style = getComputedStyle(this.root);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    this.stage?.dress({ ink: colour("--ink"), ground: colour("--floor"), line: colour("--floor-line") });
    this.plots.draw();
  }

  private frame(): void {
    if (this.over.signal.aborted) return;
    const begin = performance.now();
    // What is loading has its own way to take frames in.
    for (const sim of this.sims) if (!sim.waits && sim.advance()) this.changed = true;
    if (this.changed) this.show(begin);
    if (begin - this.plotted > PLOT) {
      this.plotted = begin;
      if (this.playing || this.changed) this.plots.draw();
    }
    requestAnimationFrame(() => this.frame());
  }

  private show(begin: number): void {
    this.changed = false;
    this.scale();
    for (const sim of this.sims) sim.view?.update(0, this.look);
    this.spent.push(performance.now() - begin);
    if (this.spent.length > 500) this.spent.shift();
    if (this.stage?.draw(0, this.look, true)) {
      const [text, width] = this.stage.scaleBar();
      this.bar.textContent = text;
      this.bar.style.width = `${width}px`;
    }
    this.status();
  }

  /** Ends of the scale of colours: the largest value of late. */
  private scale(): void {
    const { colour } = this.look;
    this.legend.hidden = colour === BODY;
    if (colour === BODY) return;
    let most = 0;
    for (const { run } of this.sims) {
      if (run?.live?.name !== colour) continue;
      for (const value of run.live.values) if (value > most) most = value;
    }
    const high = Math.max(most, 0.99 * this.look.range[1]) || 0;
    this.look.range = [0, high];
    const [, name, unit] = COLOURS.find(([word]) => word === colour) ?? ["", colour, ""];
    const bar = element("div", { class: "scale" });
    bar.style.background = GRADIENT;
    const ends = element("div", { class: "ends" }, ...["0", number(0.5 * high), number(high)].map((text) => element("span", {}, text)));
    this.legend.replaceChildren(element("b", {}, `${name}, ${unit}`), bar, ends);
  }

  private status(): void {
    const [sim] = this.sims;
    this.clock.textContent = `${sim.time.toFixed(2)} s`;
    const failed = this.sims.find((one) => one.failed !== null);
    if (failed && this.playing) {
      this.setPlaying(false);
      const who = failed.label ? `${failed.label}: ` : "";
      this.sentence(`${who}the step at ${failed.time.toFixed(3)} s failed: ${failed.failed}. The last state is kept; start over, or change the method.`);
    }
    const factors = this.sims.flatMap((one) => one.factor ?? []);
    const factor = factors.length > 0 && this.playing ? Math.min(...factors) : null;
    const heavy = factor !== null && factor < HEAVY * RATES[this.rate];
    this.pace.textContent = factor === null ? "" : `${number(Number(factor.toPrecision(2)))} × real time`;
    this.pace.classList.toggle("heavy", heavy);
    this.pace.title = heavy ? "the scene is too heavy for this speed here: it goes on slower" : "simulated over real time";
  }

  /** What is shown, for tests. */
  state() {
    return {
      scene: this.source.name, time: this.sims.map((sim) => sim.time), playing: this.playing, rate: RATES[this.rate],
      sets: this.common(), response: this.sims.map((sim) => sim.description?.response), integrator: this.sims.map((sim) => sim.description?.integrator),
      sentence: this.say.hidden ? null : this.say.textContent, failed: this.sims.map((sim) => sim.failed), colour: this.look.colour,
      marks: this.sims.map((sim) => sim.marks?.counts ?? []), field: this.sims.map((sim) => sim.field?.pixels ?? 0), tour: this.tourStep,
      factor: this.sims.map((sim) => sim.factor), rows: this.sims.map((sim) => sim.rows.length), memory: this.sims.map((sim) => sim.memory),
      last: this.sims.map((sim) => sim.rows[sim.rows.length - 1]?.values ?? null), recording: this.recording,
    };
  }
}
