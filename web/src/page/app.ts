// The page: scenes that run, and everything that is done to them.

import { Vector3 } from "three";
import { element } from "../element";
import { Stage, type Hit } from "../stage";
import { dress, toggleTheme } from "../theme";
import { Client } from "./client";
import { leading, listen, tooLarge } from "./files";
import { Gallery, type Scene } from "./gallery";
import { Hand, type Tool } from "./hand";
import { helpBox, listenToKeys } from "./keys";
import { footer, tools } from "./layout";
import { decode, encode, type Shared } from "./link";
import { LivePlots } from "./liveplots";
import { Looks } from "./looks";
import { OVERLAYS, Panel } from "./panel";
import { Recorder } from "./recorder";
import { sentence as separated } from "./separated";
import { Sim } from "./sim";
import { inEngineWords, labelled, parsed, type Source } from "./source";
import { Tip } from "./tip";
import { TOUR } from "./tour";
import { TourBox } from "./tourbox";
import { Transport } from "./transport";

/** Plots are drawn this often, ms. */
const PLOT = 250;

export class App {
  sims: Sim[] = [];
  stage: Stage | null = null;
  private source: Source = { name: "", text: "", builtIn: true };
  /** Values set, by name. */
  private sets = new Map<string, string>();
  private variants: [string, string[]][] = [];
  private playing = false;
  private tool: Tool = "hand";
  private changed = true;
  private plotted = 0;
  private busy: Promise<void> = Promise.resolve();
  private files: { name: string; bytes: Uint8Array<ArrayBuffer> }[] = [];
  private hand: Hand | null = null;
  private over = new AbortController();
  private readonly pins: Vector3[] = [];
  /** Times of updates of the view code, ms; the last few hundred. */
  readonly spent: number[] = [];
  private readonly panel: Panel;
  private readonly looks: Looks;
  private readonly plots = new LivePlots();
  private readonly gallery: Gallery;
  private readonly title = element("h1", {}, "Pliant");
  private readonly about = element("span", { class: "quiet about" });
  private readonly stageBox = element("div", { class: "stage", tabindex: 0, "aria-label": "view of the bodies: drag a body to move it, drag beside it to turn the view" });
  private readonly cells = element("div", { class: "cells" });
  private readonly bar = element("div", { class: "scalebar" });
  private readonly tip = new Tip();
  private readonly help = helpBox();
  private readonly say = element("p", { class: "sentence", role: "alert", hidden: true });
  private readonly tourBox = new TourBox((step) => void this.tour(step));
  private readonly recorder = new Recorder({
    sim: () => this.sims[0],
    name: () => this.source.name,
    play: (on) => this.setPlaying(on),
    say: (sentence) => this.sentence(sentence),
    complain: (error) => this.complain(error),
  });
  private readonly transport = new Transport({
    toggle: () => this.toggle(),
    step: () => this.step(),
    reset: () => void this.reset(),
    pace: (rate) => this.sims.forEach((sim) => sim.client.pace(rate)),
  }, [this.recorder.button, this.recorder.savers]);

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
      separate: () => void this.separate(),
      colour: (name) => this.looks.recolour(name),
      overlay: (name, on) => this.looks.overlay(name, on),
      look: (part) => this.looks.apply(part),
      compare: (key, word) => void this.compare(key, word),
    }, catalogue.responses, catalogue.integrators);
    this.looks = new Looks(this.panel, () => this.stage, () => this.sims);
    this.gallery = new Gallery(this.scenes, (name) => void this.choose(name), () => this.showGallery(false), () => new Client(this.worker, this.module));
    this.build(catalogue.version);
    this.listen();
    requestAnimationFrame(() => this.frame());
  }

  private build(version: string): void {
    const top = tools({
      scenes: () => this.showGallery(true),
      tour: () => void this.tour(0),
      share: () => void this.share(),
      theme: () => this.toggleTheme(),
      help: () => (this.help.hidden = !this.help.hidden),
      open: (files) => this.drop(files),
    });
    this.stageBox.append(this.cells, this.bar, this.tip.element, this.looks.legend, this.help);
    const wide = window.matchMedia("(min-width: 900px)").matches;
    const side = element("details", { class: "side", open: wide }, element("summary", {}, "Controls"), this.panel.element);
    const left = element("div", { class: "left" }, this.tourBox.element, this.stageBox, this.transport.element);
    this.root.replaceChildren(
      element("header", {}, this.title, this.about, top), this.say,
      element("div", { class: "main" }, left, side), this.plots.element, footer(version), this.gallery.element,
    );
    this.gallery.element.hidden = true;
    new ResizeObserver(() => this.resize()).observe(this.stageBox);
  }

  private listen(): void {
    const { signal } = this.over;
    listenToKeys((key) => this.key(key), signal);
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
      "[": () => this.transport.faster(-1),
      "]": () => this.transport.faster(1),
      g: () => this.nextTool(),
      p: () => this.hand?.pinHeld(),
      u: () => this.unpin(),
      e: () => void this.separate(),
      c: () => this.looks.nextColour(),
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
        this.help.hidden = this.tip.element.hidden = true;
        this.showGallery(false);
      },
    };
    const action = actions[key];
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
    return inEngineWords(this.source, this.sets);
  }

  /** Opens a scene, with what a link or the tour says. */
  open(shared: Shared, options: { plays?: boolean; labels?: string[] } = {}): Promise<void> {
    return this.inTurn(async () => {
      const known = this.scenes.find((scene) => scene.name === shared.scene);
      if (!shared.text && !known) throw new Error(`there is no scene ${shared.scene}`);
      const before = { source: this.source, sets: this.sets, variants: this.variants };
      this.setPlaying(false);
      this.source = { name: shared.scene, text: shared.text ?? (known as Scene).text, builtIn: !shared.text };
      this.sets = parsed(shared.sets);
      this.variants = labelled(shared.variants ?? [], options.labels);
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
    this.tourBox.end();
    await this.open({ scene: name, sets: [] }, { plays: true });
  }

  /** Loads the scene into as many simulations as are compared, from the start. */
  private async load(op: "load" | "switch" = "load", ahead = false, grows = false): Promise<void> {
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
      const parts = op === "switch" ? { sets, ...(grows ? { text } : {}) } : { name, text, sets };
      await sim.load(op, parts, ahead);
      sim.client.pace(this.transport.rate);
      this.looks.tell(sim);
      sim.client.play(this.playing);
    }));
    this.pins.length = 0;
    if (op === "load" || grows) this.recorder.set(false);
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
      ask: (hit, x, y) => this.tip.show(hit, x, y, this.looks.look.colour),
    }, this.over.signal);
    this.resize();
    this.dress();
    this.looks.apply({});
    this.stage.look();
  }

  /** The camera has moved: the field is wanted of another part of the plane. */
  private moved(): void {
    this.changed = true;
    this.looks.moved();
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

  /** Takes bodies out of each other, and says what became of them. */
  separate(): Promise<void> {
    return this.inTurn(async () => {
      const answers = await Promise.all(this.sims.map((sim) => sim.client.command("separate")));
      this.sentence(separated(answers[0].answer));
    });
  }

  private resize(): void {
    this.stage?.resize(this.stageBox.clientWidth, this.stageBox.clientHeight);
    if (this.stage?.steered === false) this.stage.look();
    const [columns, rows] = this.stage?.grid() ?? [1, 1];
    this.cells.style.gridTemplate = `repeat(${rows}, 1fr) / repeat(${columns}, 1fr)`;
    this.cells.replaceChildren(...this.sims.map((sim) => element("span", {}, this.sims.length > 1 ? sim.label : "")));
    this.looks.tellAll();
  }

  toggle(): void {
    this.setPlaying(!this.playing);
  }

  private setPlaying(on: boolean): void {
    this.playing = on;
    this.transport.set(on);
    for (const sim of this.sims) sim.client.play(on);
    if (on && /space\.$/.test(this.say.textContent ?? "")) this.sentence(null);
  }

  step(): void {
    this.setPlaying(false);
    for (const sim of this.sims) sim.client.step(1);
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

  /** Makes a body of the scene of a mesh, or a scene of other files. */
  drop(files: File[]): Promise<void> {
    const large = tooLarge(files);
    if (large) this.sentence(large);
    if (large || files.length === 0) return Promise.resolve();
    return this.inTurn(async () => {
      const given = await Promise.all(files.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
      for (const sim of this.sims) for (const { name, bytes } of given) await sim.client.file(name, bytes);
      const { answer } = await this.sims[0].client.command("drop", { name: leading(files).name });
      const isNew = (file: { name: string }) => !given.some(({ name }) => name === file.name);
      this.files = [...(answer.joins ? this.files.filter(isNew) : []), ...given];
      this.showGallery(false);
      this.tourBox.end();
      if (answer.joins) return this.join(answer.text, answer.about);
      // Not within this turn, which it would wait for.
      setTimeout(() => void this.open({ scene: answer.name, text: answer.text, sets: [] }, { plays: true }), 0);
    });
  }

  /** The scene with a body more, from where it is now. */
  private async join(text: string, about: string): Promise<void> {
    const before = this.source;
    this.source = { ...before, text, builtIn: false };
    try {
      await this.load("switch", false, true);
    } catch (error) {
      this.source = before;
      throw error;
    }
    this.panel.show(text, this.sets, false);
    this.sentence(`${about[0].toUpperCase()}${about.slice(1)}: a body of this scene now.`);
    this.setPlaying(true);
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

  /** Goes to a step of the tour. */
  async tour(step: number): Promise<void> {
    const stop = TOUR[step];
    if (!stop) return this.tourBox.end();
    this.tourBox.show(step);
    this.showGallery(false);
    for (const [name] of OVERLAYS) this.looks.overlay(name, stop.overlays?.includes(name) ?? false);
    this.looks.apply({ clear: stop.clear ?? false, field: stop.field ?? false });
    this.looks.recolour(stop.colour ?? "body");
    await this.open({ scene: stop.scene, sets: stop.sets ?? [], variants: stop.variants?.map(([, sets]) => sets) }, { plays: stop.plays ?? false, labels: stop.variants?.map(([label]) => label) });
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

  private toggleTheme(): void {
    toggleTheme(this.root);
    this.dress();
  }

  private dress(): void {
    dress(this.root, this.stage);
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
    this.looks.scale();
    for (const sim of this.sims) sim.view?.update(0, this.looks.look);
    this.spent.push(performance.now() - begin);
    if (this.spent.length > 500) this.spent.shift();
    if (this.stage?.draw(0, this.looks.look, true)) {
      const [text, width] = this.stage.scaleBar();
      this.bar.textContent = text;
      this.bar.style.width = `${width}px`;
    }
    this.status();
  }

  private status(): void {
    this.transport.show(this.sims, this.playing);
    const failed = this.sims.find((one) => one.failed !== null);
    if (failed && this.playing) {
      this.setPlaying(false);
      const who = failed.label ? `${failed.label}: ` : "";
      this.sentence(`${who}the step at ${failed.time.toFixed(3)} s failed: ${failed.failed}. The last state is kept; start over, or change the method.`);
    }
  }

  /** What is shown, for tests. */
  state() {
    return {
      scene: this.source.name, time: this.sims.map((sim) => sim.time), playing: this.playing, rate: this.transport.rate,
      sets: this.common(), response: this.sims.map((sim) => sim.description?.response), integrator: this.sims.map((sim) => sim.description?.integrator),
      sentence: this.say.hidden ? null : this.say.textContent, failed: this.sims.map((sim) => sim.failed), colour: this.looks.look.colour,
      marks: this.sims.map((sim) => sim.marks?.counts ?? []), field: this.sims.map((sim) => sim.field?.pixels ?? 0), tour: this.tourBox.step,
      factor: this.sims.map((sim) => sim.factor), rows: this.sims.map((sim) => sim.rows.length), memory: this.sims.map((sim) => sim.memory),
      last: this.sims.map((sim) => sim.rows[sim.rows.length - 1]?.values ?? null), recording: this.recorder.on,
    };
  }
}
