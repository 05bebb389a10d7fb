// The box beside the pointer: body, vertex and value of what was clicked.

import { number } from "../colour";
import { element } from "../element";
import type { Hit } from "../stage";
import { COLOURS } from "./panel";

export class Tip {
  readonly element = element("div", { class: "tip", hidden: true });

  /** Shows what is under a place of the canvas, with the value that colours it; hides where nothing is. */
  show(hit: Hit | null, x: number, y: number, colour: string): void {
    this.element.hidden = !hit;
    if (!hit) return;
    const body = hit.view.run.bodies[hit.body];
    const lines = [`vertex ${hit.vertex - body.first} of ${body.count}`];
    const value = hit.view.value(colour, 0, hit.vertex);
    const [, name, unit] = COLOURS.find(([name]) => name === colour) ?? ["", "", ""];
    if (Number.isFinite(value)) lines.push(`${name} ${number(value)} ${unit}`);
    this.element.replaceChildren(element("b", {}, body.name), ...lines.map((line) => element("div", {}, line)));
    this.element.style.left = `${x + 12}px`;
    this.element.style.top = `${y + 12}px`;
  }
}
