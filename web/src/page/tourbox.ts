// The box of the tour: where it is, what is to be seen, and the way on.

import { button, element } from "../element";
import { TOUR } from "./tour";

export class TourBox {
  readonly element = element("aside", { class: "tour", hidden: true, "aria-live": "polite" });
  /** −1 where there is no tour. */
  step = -1;

  constructor(private readonly go: (step: number) => void) {}

  show(step: number): void {
    this.step = step;
    this.element.hidden = false;
    const stop = TOUR[step];
    const to = (text: string, k: number) => element("button", { type: "button", onclick: () => this.go(k) }, text);
    const row = element("div", { class: "row" });
    if (step > 0) row.append(to("Back", step - 1));
    row.append(to(step + 1 < TOUR.length ? "Next" : "End", step + 1));
    this.element.replaceChildren(
      element("span", { class: "quiet" }, `${step + 1} of ${TOUR.length}`), element("b", {}, stop.title), element("p", {}, stop.text), row,
      button("×", "leave the tour", () => this.end()),
    );
  }

  end(): void {
    this.step = -1;
    this.element.hidden = true;
  }
}
