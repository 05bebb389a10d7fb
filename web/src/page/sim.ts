// One simulation on the stage: its engine, its view, its newest frame and its past rows.

import type { Run } from "../run";
import { View } from "../view";
import { Client } from "./client";
import { fallen, liveRun, type Description } from "./description";
import { FieldView } from "./fieldview";
import { MarkView } from "./marks";
import type { LiveFrame, Loaded, Work } from "./messages";

/** Rows of the past that plots show. */
const ROWS = 1200;

/** What goes farther than so many times the size of the start is left to fly. */
const FAR = 3;

/** One row: what was measured, and what the steps since the row before took. */
export interface Row {
  time: number;
  values: Record<string, number>;
  work: Work;
}

export class Sim {
  view: View | null = null;
  run: Run | null = null;
  description: Description | null = null;
  readonly rows: Row[] = [];
  marks: MarkView | null = null;
  field: FieldView | null = null;
  time = 0;
  factor: number | null = null;
  failed: string | null = null;
  memory = 0;
  /** Whether its engine has stopped for good. */
  dead = false;
  contacts = 0;
  unconverged = 0;
  /** What was loaded and waits for its first frame. */
  private coming: Loaded | null = null;
  private buffer: ArrayBuffer | null = null;
  private pending: Work | null = null;

  constructor(readonly client: Client, public label: string, public sets: string[]) {}

  /** Loads a scene, or the same with other values while it runs. */
  async load(op: "load" | "switch", parts: Record<string, unknown>, ahead = false): Promise<Description> {
    const { loaded } = await this.client.command(op, parts, ahead);
    if (!loaded) throw new Error("the engine described no scene");
    this.coming = loaded;
    if (op === "load") this.rows.length = 0;
    [this.failed, this.factor, this.unconverged] = [null, null, 0];
    return loaded.description;
  }

  /** Whether what was loaded has not been shown yet. */
  get waits(): boolean {
    return !this.dead && (this.coming !== null || this.view === null);
  }

  /** Takes in the newest frame; whether there is one. */
  advance(): boolean {
    const frame = this.client.takeFrame();
    if (!frame) return false;
    if (this.coming && frame.vertices === this.coming.description.vertices) {
      this.take(this.coming, frame);
      this.coming = null;
    }
    if (this.run && this.view && frame.vertices === this.run.vertices) this.show(frame);
    this.client.shown(this.buffer);
    this.buffer = frame.floats.buffer as ArrayBuffer;
    return true;
  }

  /** A view of what was loaded; the same view where it has the same bodies. */
  private take(loaded: Loaded, frame: LiveFrame): void {
    const { description } = loaded;
    const shape = (d: Description | null) => JSON.stringify([d?.scene, d?.vertices, d?.bodies, d?.obstacles, d?.gravity]);
    const same = this.view !== null && shape(description) === shape(this.description);
    this.description = description;
    if (same && this.run) {
      [this.run.response, this.run.integrator] = [description.response, description.integrator];
      return;
    }
    this.view?.end();
    const first = frame.floats.slice(0, 3 * frame.vertices);
    const run = liveRun(this.label, description, loaded.indices, loaded.floats, first);
    // The camera looks at the start and at where bodies come to lie.
    run.frames.push(fallen(first, description, run.obstacles), ...near(first, loaded.ahead));
    this.view = new View(run);
    run.frames.length = 1;
    this.run = run;
    this.marks = new MarkView(this.view);
    this.field = description.plane ? new FieldView(this.view) : null;
  }

  private show(frame: LiveFrame): void {
    const { run, view } = this;
    if (!run || !view) return;
    run.frames[0] = frame.floats.subarray(0, 3 * frame.vertices);
    if (run.live) Object.assign(run.live, { name: frame.colour, values: frame.floats.subarray(3 * frame.vertices) });
    frame.obstacles.forEach((pose, k) => pose && run.obstacles[k]?.poses?.set(pose));
    view.refresh();
    this.marks?.show(frame.marks);
    this.field?.show(frame.field);
    [this.time, this.factor, this.failed, this.memory] = [frame.time, frame.factor, frame.failed, frame.memory];
    if (frame.work.steps > 0) this.contacts = frame.work.contacts;
    this.unconverged += frame.work.unconverged;
    this.pending = this.pending ? added(this.pending, frame.work) : frame.work;
    if (frame.row) {
      const last = this.rows[this.rows.length - 1];
      if (last && last.time >= frame.time) this.rows.pop();
      this.rows.push({ time: frame.time, values: frame.row, work: this.pending });
      this.pending = null;
      if (this.rows.length > ROWS) this.rows.shift();
    }
  }

  end(): void {
    this.client.end();
    this.view?.end();
  }
}

/** Of later times those in which bodies have not flown away. */
function near(first: Float32Array, ahead: Float32Array[]): Float32Array[] {
  const reach = (positions: Float32Array) => positions.reduce((most, x, k) => Math.max(most, Math.abs(x - first[k % 3])), 0);
  const most = FAR * reach(first);
  return ahead.filter((positions) => positions.length === first.length && reach(positions) < most);
}

function added(a: Work, b: Work): Work {
  return {
    steps: a.steps + b.steps,
    iterations: b.steps > 0 ? b.iterations : a.iterations,
    unconverged: a.unconverged + b.unconverged,
    contacts: b.steps > 0 ? b.contacts : a.contacts,
    stages: a.stages.map((spent, k) => spent + b.stages[k]),
  };
}
