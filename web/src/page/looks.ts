// How bodies are shown: colours with their scale, overlays, field, section.

import { Plane, Vector3 } from "three";
import { GRADIENT, number } from "../colour";
import { element } from "../element";
import type { Stage } from "../stage";
import { BODY, type Look } from "../view";
import type { FieldWish } from "./messages";
import { COLOURS, type Panel } from "./panel";
import type { Sim } from "./sim";

/** Opacity of bodies that are seen through. */
const CLEAR = 0.35;

/** Pixels of the distance field along its longer side. */
const FIELD = 320;

/** What is shown, and what is not. */
export interface LookPart {
  wireframe?: boolean;
  clear?: boolean;
  field?: boolean;
  section?: boolean;
}

export class Looks {
  readonly look: Look = {
    colour: BODY, range: [0, 1], wireframe: false, opacity: 1, section: null, normals: false, overlays: new Set(), shadows: true,
  };
  readonly legend = element("div", { class: "legend", hidden: true });
  private readonly overlays = new Set<string>();
  private fieldOn = false;

  constructor(private readonly panel: Panel, private readonly stage: () => Stage | null, private readonly sims: () => Sim[]) {}

  /** Shows an overlay or hides it. */
  overlay(name: string, on: boolean): void {
    const input = this.panel.overlayTicks.get(name);
    if (input) input.checked = on;
    if (on) this.overlays.add(name);
    else this.overlays.delete(name);
    this.tellAll();
  }

  /** Shows or hides what is named, and all else as it is ticked. */
  apply(part: LookPart): void {
    const { wireTick, clearTick, fieldTick, sectionTick } = this.panel;
    if (part.wireframe !== undefined) wireTick.checked = part.wireframe;
    if (part.clear !== undefined) clearTick.checked = part.clear;
    if (part.field !== undefined) fieldTick.checked = part.field;
    if (part.section !== undefined) sectionTick.checked = part.section;
    const [sim] = this.sims();
    this.fieldOn = fieldTick.checked;
    this.look.wireframe = wireTick.checked;
    this.look.opacity = clearTick.checked || (this.fieldOn && sim.description?.plane) ? CLEAR : 1;
    const box = sim?.view?.box;
    this.look.section = sectionTick.checked && box ? new Plane(new Vector3(1, 0, 0), -0.5 * (box.min.x + box.max.x)) : null;
    this.stage()?.apply(this.look);
    this.tellAll();
  }

  recolour(name: string): void {
    this.look.colour = name;
    this.look.range = [0, 0];
    this.panel.colourChoice.value = name;
    this.tellAll();
    this.stage()?.apply(this.look);
  }

  nextColour(): void {
    const names = COLOURS.map(([name]) => name);
    this.recolour(names[(names.indexOf(this.look.colour) + 1) % names.length]);
  }

  /** The camera has moved: the field is wanted of another part of the plane. */
  moved(): void {
    if (this.fieldOn) this.tellAll();
  }

  tellAll(): void {
    for (const sim of this.sims()) this.tell(sim);
  }

  /** Asks a simulation for what is shown of it. */
  tell(sim: Sim): void {
    const plane = sim.description?.plane ?? false;
    sim.client.look(this.look.colour, plane ? [] : [...this.overlays], plane && this.fieldOn ? this.window(sim) : null);
  }

  /** The part of the plane that is seen. */
  private window(sim: Sim): FieldWish | null {
    const seen = sim.view && this.stage()?.seen();
    return seen ? { window: seen, pixels: FIELD } : null;
  }

  /** Ends of the scale of colours: the largest value of late. */
  scale(): void {
    const { colour } = this.look;
    this.legend.hidden = colour === BODY;
    if (colour === BODY) return;
    let most = 0;
    for (const { run } of this.sims()) {
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
}
