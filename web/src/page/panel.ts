// The controls beside the stage: parameters, methods, tools, colours, overlays.

import { element, tick } from "../element";
import { parameters, type Parameter } from "./parameters";
import type { Tool } from "./hand";

/** Overlays: words of the engine and of people. */
export const OVERLAYS: [string, string][] = [
  ["border", "border points"],
  ["crossings", "crossings"],
  ["exits", "ways out"],
  ["rings", "rings"],
  ["contacts", "contact rows"],
  ["surface", "contact surface"],
];

export const COLOURS: [string, string, string][] = [
  ["body", "body", ""],
  ["speed", "speed", "m/s"],
  ["depth", "depth", "m"],
  ["pressure", "contact pressure", "Pa"],
  ["stress", "von Mises stress", "Pa"],
];

/** Materials that need the same numbers, and so can take each other's place. */
const MATERIALS = ["corotational", "neo-hookean"];

/** What the page does about the controls. */
export interface PanelActions {
  set(name: string, value: string | null, running: boolean): void;
  tool(tool: Tool): void;
  unpin(): void;
  separate(): void;
  colour(name: string): void;
  overlay(name: string, on: boolean): void;
  look(part: { wireframe?: boolean; clear?: boolean; field?: boolean; section?: boolean }): void;
  compare(key: "response" | "integrator", value: string | null): void;
}

type Words = [string, string][];

export class Panel {
  readonly element = element("div", { class: "panel" });
  readonly overlayTicks = new Map<string, HTMLInputElement>();
  readonly fieldTick = tick("field", "distance field, Voronoi regions, gradients (f)", (on) => this.actions.look({ field: on }));
  readonly wireTick = tick("wireframe", "key w", (on) => this.actions.look({ wireframe: on }));
  readonly clearTick = tick("see through", "key t", (on) => this.actions.look({ clear: on }));
  readonly sectionTick = tick("section", "key x: cut open along x", (on) => this.actions.look({ section: on }));
  readonly colourChoice = element("select", { "aria-label": "colour by", title: "colour by (c)" });
  readonly toolChoice = element("select", { "aria-label": "pointer", title: "what the pointer does to bodies (g)" });
  readonly response = element("select", { "aria-label": "response" });
  readonly integrator = element("select", { "aria-label": "integrator" });
  readonly material = element("select", { "aria-label": "material" });
  readonly beside = element("select", { "aria-label": "side by side with" });
  private readonly running = tick("while running", "change values without starting over, where that is possible", () => {});
  private readonly values = element("div", { class: "values" });
  private readonly planeOnly: HTMLElement[] = [];
  private readonly spaceOnly: HTMLElement[] = [];

  constructor(private readonly actions: PanelActions, responses: Words, integrators: Words) {
    this.running.checked = true;
    this.fill(responses, integrators);
    const choice = (text: string, select: HTMLElement) => element("label", { class: "choice" }, text, select);
    const label = (text: string, input: HTMLElement) => element("label", {}, input, text);
    const group = (title: string, ...parts: (Node | string)[]) => element("fieldset", {}, element("legend", {}, title), ...parts);
    const act = (text: string, title: string, action: () => void) => element("button", { type: "button", title, onclick: action }, text);
    const unpin = act("unpin", "take away the pins that were set here (u)", () => actions.unpin());
    const separate = act("separate", "take bodies out of each other at once, without a step (e)", () => actions.separate());
    this.spaceOnly.push(separate);
    this.element.append(group("Pointer", element("div", { class: "row" }, this.toolChoice, unpin, separate)));
    this.element.append(group("Parameters", this.values, label("while running", this.running)));
    this.element.append(group(
      "Methods", choice("response ", this.response), choice("integrator ", this.integrator),
      choice("material ", this.material), choice("side by side with ", this.beside),
    ));
    const marks = element("div", { class: "ticks" });
    for (const [name, text] of OVERLAYS) {
      const input = tick(text, "o: all", (on) => actions.overlay(name, on));
      this.overlayTicks.set(name, input);
      marks.append(label(text, input));
    }
    const overlays = group("Overlays", marks);
    const section = label("section", this.sectionTick);
    const field = label("distance field", this.fieldTick);
    this.spaceOnly.push(overlays, section);
    this.planeOnly.push(field);
    const ticks = element("div", { class: "ticks" }, label("wireframe", this.wireTick), label("see through", this.clearTick), section, field);
    this.element.append(group("View", choice("colour by ", this.colourChoice), ticks), overlays);
  }

  private fill(responses: Words, integrators: Words): void {
    const option = (value: string, text: string, title = "") => element("option", { value, title }, text);
    const changed = (select: HTMLSelectElement, act: (value: string) => void) =>
      select.addEventListener("change", () => act(select.value));
    for (const [name, text] of COLOURS) this.colourChoice.append(option(name, text));
    for (const [tool, text] of [["hand", "grab and throw"], ["pin", "pin"], ["ask", "only look"]]) this.toolChoice.append(option(tool, text));
    changed(this.colourChoice, (name) => this.actions.colour(name));
    changed(this.toolChoice, (tool) => this.actions.tool(tool as Tool));
    this.response.append(option("", "as in the scene"), ...responses.map(([word, text]) => option(word, word, text)));
    this.integrator.append(option("", "as in the scene"), ...integrators.map(([word, text]) => option(word, word, text)));
    this.material.append(option("", "as in the scene"), ...MATERIALS.map((word) => option(word, word)));
    changed(this.response, (word) => this.actions.set("response", word || null, true));
    changed(this.integrator, (word) => this.actions.set("integrator", word || null, true));
    changed(this.material, (word) => this.actions.set("material", word || null, true));
    this.beside.append(option("", "nothing"));
    this.beside.append(...responses.map(([word, text]) => option(`response ${word}`, `response ${word}`, text)));
    this.beside.append(...integrators.map(([word, text]) => option(`integrator ${word}`, `integrator ${word}`, text)));
    changed(this.beside, (choice) => {
      const [key, word] = choice.split(" ");
      this.actions.compare((key || "response") as "response" | "integrator", word || null);
    });
  }

  /** Shows the parameters of a scene, and only what makes sense for it. */
  show(text: string, sets: Map<string, string>, plane: boolean): void {
    for (const part of this.planeOnly) part.hidden = !plane;
    for (const part of this.spaceOnly) part.hidden = plane;
    const soft = /kind\s*=\s*"(corotational|neo-hookean)"/.test(text);
    (this.material.parentElement as HTMLElement).hidden = !soft;
    const known = parameters(text);
    this.values.replaceChildren(...known.map((parameter) => this.slider(parameter, sets.get(parameter.name))));
    if (known.length === 0) this.values.append(element("p", { class: "notes" }, "This scene declares none."));
    this.reflect(sets);
  }

  /** Shows what is chosen. */
  reflect(sets: Map<string, string>): void {
    this.response.value = sets.get("response") ?? "";
    this.integrator.value = sets.get("integrator") ?? "";
    this.material.value = sets.get("material") ?? "";
  }

  private slider(parameter: Parameter, now: string | undefined): HTMLElement {
    const { name, note, range } = parameter;
    const value = now ?? parameter.value;
    const number = element("input", { type: range ? "number" : "text", value, "aria-label": name, step: "any" });
    const row = element("div", { class: "value" }, element("label", { title: note }, element("span", {}, name), number));
    const act = (text: string) => this.actions.set(name, text === parameter.value ? null : text, this.running.checked);
    number.addEventListener("change", () => {
      if (number.value !== "") act(number.value);
    });
    if (range) {
      const [min, max, step] = range;
      const slider = element("input", { type: "range", min, max, step, value, "aria-label": `${name}, slider` });
      slider.addEventListener("input", () => (number.value = String(Number(slider.value))));
      slider.addEventListener("change", () => act(String(Number(slider.value))));
      number.addEventListener("change", () => (slider.value = number.value));
      row.append(slider);
    }
    if (note) row.append(element("span", { class: "notes" }, note));
    return row;
  }
}
