// The gallery: every scene with a picture that the engine itself makes.

import type { WebGLRenderer } from "three";
import { button, element } from "../element";
import { Stage, renderer } from "../stage";
import { BODY } from "../view";
import type { Client } from "./client";
import { Sim } from "./sim";

export interface Scene {
  name: string;
  headline: string;
  text: string;
}

/** Size of a picture, pixels. */
const [WIDTH, HEIGHT] = [264, 165];

/** Time for steps before a picture is taken, ms, and steps at most: bodies have begun to move. */
const [BUDGET, STEPS] = [60, 40];

export class Gallery {
  readonly element = element("section", { class: "gallery", "aria-label": "scenes" });
  private readonly pictures = new Map<string, HTMLCanvasElement>();
  private readonly wanted: string[] = [];
  private working = false;
  private sim: Sim | null = null;
  /** One for all pictures: its programs are compiled once. */
  private renderer: WebGLRenderer | null = null;

  constructor(
    scenes: Scene[],
    choose: (name: string) => void,
    close: () => void,
    private readonly makeClient: () => Client,
  ) {
    const list = element("div", { class: "cards" });
    for (const scene of scenes) {
      const picture = element("canvas", { width: WIDTH, height: HEIGHT, "aria-hidden": "true" });
      const card = element(
        "button", { type: "button", class: "card", "data-scene": scene.name, onclick: () => choose(scene.name) },
        picture, element("b", {}, scene.name), element("span", {}, scene.headline),
      );
      list.append(card);
      this.pictures.set(scene.name, picture);
    }
    const head = element("div", { class: "gallery-head" }, element("h2", {}, "Scenes"));
    head.append(element("span", { class: "quiet" }, "Choose one, or drop a mesh, an outline or a scene file anywhere. Nothing leaves this machine."));
    head.append(button("×", "close", close));
    this.element.append(head, list);
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries.filter((entry) => entry.isIntersecting)) {
        seen.unobserve(entry.target);
        this.wanted.push((entry.target as HTMLElement).dataset.scene ?? "");
      }
      void this.work();
    });
    for (const card of list.children) seen.observe(card);
  }

  /** Takes pictures, one after the other, of those that are in sight. */
  private async work(): Promise<void> {
    if (this.working) return;
    this.working = true;
    for (let name = this.wanted.shift(); name !== undefined; name = this.wanted.shift()) {
      const picture = this.pictures.get(name);
      if (picture && this.element.isConnected) await this.take(name, picture).catch(() => {});
    }
    this.working = false;
    this.sim?.end();
    this.renderer?.dispose();
    this.renderer?.forceContextLoss();
    this.sim = this.renderer = null;
  }

  private async take(name: string, picture: HTMLCanvasElement): Promise<void> {
    const sim = (this.sim ??= new Sim(this.makeClient(), "", []));
    await sim.load("load", { name });
    await sim.client.command("step", { count: STEPS, budget: BUDGET });
    sim.client.look("body", [], null);
    await frameOf(sim);
    if (!sim.view) return;
    let stage: Stage | null = null;
    try {
      if (!this.renderer) {
        this.renderer = renderer();
        Object.defineProperty(this.renderer.domElement, "clientWidth", { value: WIDTH });
        Object.defineProperty(this.renderer.domElement, "clientHeight", { value: HEIGHT });
      }
      stage = new Stage([sim.view], () => {}, this.renderer);
      const ratio = window.devicePixelRatio || 1;
      stage.resize(WIDTH, HEIGHT);
      const style = getComputedStyle(this.element);
      const colour = (name: string) => style.getPropertyValue(name).trim();
      stage.dress({ ink: colour("--ink"), ground: colour("--floor"), line: colour("--floor-line") });
      const look = { colour: BODY, range: [0, 1] as [number, number], wireframe: false, opacity: 1, section: null, normals: false, overlays: new Set<string>(), shadows: true };
      sim.view.apply(look);
      stage.look();
      stage.draw(0, look, true);
      [picture.width, picture.height] = [WIDTH * ratio, HEIGHT * ratio];
      picture.getContext("2d")?.drawImage(stage.canvas, 0, 0, picture.width, picture.height);
      picture.dataset.drawn = "true";
    } finally {
      stage?.end();
      sim.view.end();
      sim.view = null;
    }
  }
}

/** Waits for a frame. */
function frameOf(sim: Sim): Promise<void> {
  return new Promise((done) => {
    const look = () => {
      sim.advance();
      if (!sim.waits) done();
    };
    sim.client.onframe = look;
    look();
  });
}
