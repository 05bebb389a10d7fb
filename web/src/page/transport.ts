// Play, pause, step, start over, slow motion; and how fast it goes.

import { number } from "../colour";
import { button, element, sign } from "../element";
import type { Sim } from "./sim";

/** Speeds relative to real time. */
const RATES = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

/** Below this part of the speed that was asked for the scene is too heavy. */
const HEAVY = 0.9;

/** What the page does about it. */
export interface TransportActions {
  toggle(): void;
  step(): void;
  reset(): void;
  pace(rate: number): void;
}

export class Transport {
  readonly element: HTMLElement;
  private choice = 4;
  private readonly playButton = button("", "play (space)", () => this.actions.toggle());
  private readonly rateChoice = element("select", { "aria-label": "speed", title: "speed relative to real time ([ and ])" });
  private readonly clock = element("output", { class: "clock", "aria-label": "simulated time" });
  private readonly pace = element("output", { class: "pace", "aria-label": "pace" });

  constructor(private readonly actions: TransportActions, end: HTMLElement[]) {
    RATES.forEach((rate, k) => this.rateChoice.append(element("option", { value: k }, `${number(rate)}×`)));
    this.rateChoice.value = String(this.choice);
    this.rateChoice.addEventListener("change", () => this.choose(Number(this.rateChoice.value)));
    this.element = element("div", { class: "transport" },
      element("span", { class: "buttons" }, sign(button("", "start over (r)", () => actions.reset()), "first"), sign(this.playButton, "play"),
        sign(button("", "one step (→)", () => actions.step()), "on")),
      this.rateChoice, this.clock, this.pace, element("span", { class: "buttons end" }, ...end));
  }

  /** Relative to real time. */
  get rate(): number {
    return RATES[this.choice];
  }

  faster(by: number): void {
    this.choose(this.choice + by);
  }

  private choose(choice: number): void {
    this.choice = Math.min(Math.max(choice, 0), RATES.length - 1);
    this.rateChoice.value = String(this.choice);
    this.actions.pace(this.rate);
  }

  /** Shows whether it plays. */
  set(playing: boolean): void {
    sign(this.playButton, playing ? "pause" : "play").title = playing ? "pause (space)" : "play (space)";
    this.playButton.setAttribute("aria-label", playing ? "pause" : "play");
  }

  /** Shows time and pace. */
  show(sims: Sim[], playing: boolean): void {
    this.clock.textContent = `${sims[0].time.toFixed(2)} s`;
    const factors = sims.flatMap((one) => one.factor ?? []);
    const factor = factors.length > 0 && playing ? Math.min(...factors) : null;
    const heavy = factor !== null && factor < HEAVY * this.rate;
    this.pace.textContent = factor === null ? "" : `${number(Number(factor.toPrecision(2)))} × real time`;
    this.pace.classList.toggle("heavy", heavy);
    this.pace.title = heavy ? "the scene is too heavy for this speed here: it goes on slower" : "simulated over real time";
  }
}
