// The button that records, and those that save what was recorded.

import { BODIES } from "../colour";
import { button, element } from "../element";
import { download } from "./files";
import type { Sim } from "./sim";

/** What the page does about it. */
export interface RecorderActions {
  sim(): Sim;
  name(): string;
  play(on: boolean): void;
  say(sentence: string): void;
  complain(error: unknown): void;
}

export class Recorder {
  readonly button = button("●", "record", () => void this.toggle());
  readonly savers = element("span", { class: "savers", hidden: true });
  on = false;

  constructor(private readonly actions: RecorderActions) {
    const save = (text: string, format: string) =>
      element("button", { type: "button", title: `download as ${text}`, onclick: () => void this.save(format) }, text);
    this.savers.append(save("GLB", "glb"), save("recording", "recording"));
  }

  /** Shows whether it records. */
  set(on: boolean): void {
    this.on = on;
    this.button.classList.toggle("on", on);
    this.button.title = on ? "recording: press to end and download" : "record";
    this.button.setAttribute("aria-label", this.button.title);
    if (on) this.savers.hidden = true;
  }

  async toggle(): Promise<void> {
    if (this.on) {
      this.set(false);
      this.actions.play(false);
      this.savers.hidden = false;
      return;
    }
    await this.actions.sim().client.command("record").catch((error) => this.actions.complain(error));
    this.set(true);
    this.actions.play(true);
  }

  private async save(format: string): Promise<void> {
    try {
      const { answer, bytes } = await this.actions.sim().client.command("take-recording", { format, colours: BODIES });
      if (!bytes) return;
      const ending = format === "glb" ? "glb" : "pliant";
      download(`${this.actions.name()}.${ending}`, bytes as Uint8Array<ArrayBuffer>);
      if (answer.full) this.actions.say("The recording is full: it ends before the scene did.");
    } catch (error) {
      this.actions.complain(error);
    }
  }
}
