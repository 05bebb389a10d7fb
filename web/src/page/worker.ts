// The worker: one engine, paced to real time; frames are dropped, never queued.

import { Broken, Engine } from "./engine";
import type { DrawnField, FieldWish, LiveFrame, Loaded, Reply, Request, Work } from "./messages";

/** Time for steps before a frame may be sent, ms. */
const SLICE = 14;

/** Simulated time that may be caught up with, of real time, s: beyond it the scene is slower. */
const BEHIND = 0.1;

/** A look ahead for the camera: times that are seen, and time for each, ms. */
const [AHEAD, LOOK] = [3, 12];

/** Measuring takes at most this part of the time. */
const MEASURED = 0.15;

/** Real time over which the factor is taken, ms. */
const WINDOW = 1000;

const post = (reply: Reply, transfer: Transferable[] = []) => (self as unknown as Worker).postMessage(reply, transfer);

const nothing = (): Work => ({
  steps: 0,
  iterations: { newton: 0, linear: 0, sweeps: 0, outer: 0 },
  unconverged: 0,
  contacts: 0,
  stages: [0, 0, 0, 0, 0, 0],
});

class Loop {
  private playing = false;
  private rate = 1;
  private dt = 1 / 60;
  private time = 0;
  /** Simulated time that should be reached now, s. */
  private due = 0;
  private last = 0;
  private free = true;
  private changed = false;
  private spare: ArrayBuffer | null = null;
  private work = nothing();
  private failed: string | null = null;
  private colour = "body";
  private overlays: string[] = [];
  private field: FieldWish | null = null;
  private nextMeasure = 0;
  private history: [number, number][] = [];
  private scheduled = false;
  private readonly channel = new MessageChannel();

  constructor(private readonly engine: Engine) {
    this.channel.port1.onmessage = () => this.turn();
  }

  /** Does what the page asks for. */
  hear(request: Request): void {
    if (request.kind === "command") this.command(request.id, request.command, request.ahead ? this.lookAhead(request.command) : []);
    if (request.kind === "file") this.answer(request.id, () => this.engine.putFile(request.name, request.bytes));
    if (request.kind === "play") this.play(request.playing);
    if (request.kind === "step") this.steps(request.count);
    if (request.kind === "pace") this.rate = request.rate;
    if (request.kind === "look") {
      [this.colour, this.overlays, this.field] = [request.colour, request.overlays, request.field];
      this.changed = true;
    }
    if (request.kind === "shown") {
      this.free = true;
      this.spare = request.buffer;
    }
    this.schedule(0);
  }

  /** Runs a scene for a moment; errors are those of the command itself, which follows. */
  private lookAhead(command: { op: string } & Record<string, unknown>): Float32Array[] {
    const seen: Float32Array[] = [];
    try {
      const { steps } = this.engine.call(command);
      for (let k = 0; k < AHEAD; k++) {
        this.engine.call({ op: "step", count: Math.ceil(steps / AHEAD), budget: LOOK });
        const { vertices } = this.engine.call({ op: "frame" });
        seen.push(this.engine.floats().slice(0, 3 * vertices));
      }
    } catch (error) {
      if (error instanceof Broken) broken(error);
    }
    return seen;
  }

  private command(id: number, command: { op: string } & Record<string, unknown>, ahead: Float32Array[]): void {
    this.answer(id, () => {
      const answer = this.engine.call(command);
      let loaded: Loaded | null = null;
      let bytes: Uint8Array | null = null;
      if (command.op === "load" || command.op === "switch") {
        loaded = { description: answer, indices: this.engine.indices().slice(), floats: this.engine.floats().slice(), ahead };
        this.begin(answer.dt, answer.time);
      }
      if (command.op === "take-recording") bytes = this.engine.bytes().slice();
      if (/^(pin|unpin|separate)$/.test(command.op)) this.changed = true;
      return { answer, loaded, bytes };
    });
  }

  private answer(id: number, work: () => { answer: any; loaded: Loaded | null; bytes: Uint8Array | null } | void): void {
    try {
      const { answer, loaded, bytes } = work() ?? { answer: {}, loaded: null, bytes: null };
      const transfer: Transferable[] = bytes ? [bytes.buffer] : [];
      if (loaded) transfer.push(loaded.indices.buffer, loaded.floats.buffer);
      post({ kind: "answer", id, answer, loaded, bytes }, transfer);
    } catch (error) {
      if (error instanceof Broken) broken(error);
      post({ kind: "refused", id, sentence: error instanceof Error ? error.message : String(error) });
    }
  }

  private begin(dt: number, time: number): void {
    [this.dt, this.time, this.due] = [dt, time, time];
    [this.work, this.failed, this.changed, this.history] = [nothing(), null, true, []];
    this.nextMeasure = 0;
    this.last = performance.now();
  }

  private play(playing: boolean): void {
    this.playing = playing && this.failed === null;
    [this.due, this.last, this.history] = [this.time, performance.now(), []];
  }

  private schedule(delay: number): void {
    if (this.scheduled || !(this.playing || (this.changed && this.free))) return;
    this.scheduled = true;
    if (delay === 0) this.channel.port2.postMessage(0);
    else setTimeout(() => this.turn(), delay);
  }

  /** Steps as far as time has come, and shows it where the page is ready. */
  private turn(): void {
    this.scheduled = false;
    try {
      let behind = false;
      if (this.playing) {
        const now = performance.now();
        this.due += (this.rate * (now - this.last)) / 1000;
        this.last = now;
        this.due = Math.min(this.due, this.time + Math.max(BEHIND * this.rate, this.dt));
        const count = Math.floor((this.due - this.time) / this.dt + 1e-6);
        if (count > 0) this.steps(count);
        behind = (this.due - this.time) / this.dt >= 1;
        this.history.push([performance.now(), this.time]);
        while (this.history.length > 2 && now - this.history[0][0] > WINDOW) this.history.shift();
      }
      if (this.changed && this.free) this.send();
      this.schedule(behind ? 0 : Math.min(8, (1000 * this.dt) / this.rate));
    } catch (error) {
      this.playing = false;
      broken(error);
    }
  }

  private steps(count: number): void {
    const done = this.engine.call({ op: "step", count, budget: SLICE });
    this.time = done.time;
    const { work } = this;
    work.steps += done.steps;
    work.unconverged += done.unconverged;
    if (done.steps > 0) [work.iterations, work.contacts] = [done.iterations, done.contacts];
    done.stages.forEach((spent: number, k: number) => (work.stages[k] += spent));
    this.changed = true;
    if (done.failed !== null) {
      this.failed = done.failed;
      this.playing = false;
    }
  }

  private send(): void {
    const frame = this.engine.call({ op: "frame", colour: this.colour === "body" ? "body" : this.colour });
    const floats = this.copy(this.engine.floats());
    const transfer: Transferable[] = [floats.buffer];
    let row: Record<string, number> | null = null;
    const begin = performance.now();
    if (begin >= this.nextMeasure || !this.playing) {
      row = this.engine.call({ op: "measure" });
      const spent = performance.now() - begin;
      this.nextMeasure = begin + spent / MEASURED;
    }
    const marks = this.marks(transfer);
    const field = this.drawField(transfer);
    const full: LiveFrame = {
      ...frame, floats, colour: this.colour, work: this.work, row, factor: this.factor(), marks, field,
      failed: this.failed, memory: this.engine.memory,
    };
    [this.work, this.changed, this.free, this.spare] = [nothing(), false, false, null];
    post({ kind: "frame", frame: full }, transfer);
  }

  /** A copy in a buffer that came back from the page, where it fits. */
  private copy(values: Float32Array): Float32Array<ArrayBuffer> {
    const fits = this.spare?.byteLength === values.byteLength;
    const floats = new Float32Array(fits ? (this.spare as ArrayBuffer) : new ArrayBuffer(values.byteLength));
    floats.set(values);
    return floats;
  }

  private marks(transfer: Transferable[]): LiveFrame["marks"] {
    if (this.overlays.length === 0) return null;
    const list = this.engine.call({ op: "overlays", kinds: this.overlays });
    const floats = this.engine.floats().slice();
    transfer.push(floats.buffer);
    return { list, floats };
  }

  private drawField(transfer: Transferable[]): DrawnField | null {
    if (!this.field) return null;
    try {
      const drawn = this.engine.call({ op: "field", ...this.field });
      const [floats, sites] = [this.engine.floats().slice(), this.engine.indices().slice()];
      transfer.push(floats.buffer, sites.buffer);
      return { ...drawn, floats, sites };
    } catch (error) {
      if (error instanceof Broken) throw error;
      return null;
    }
  }

  private factor(): number | null {
    const [first, last] = [this.history[0], this.history[this.history.length - 1]];
    if (!this.playing || !first || last[0] - first[0] < 200) return null;
    return (1000 * (last[1] - first[1])) / (last[0] - first[0]);
  }
}

function broken(error: unknown): void {
  post({ kind: "broken", sentence: error instanceof Error ? error.message : String(error) });
}

let loop: Loop | null = null;

self.onmessage = (event: MessageEvent<Request>) => {
  const request = event.data;
  if (request.kind !== "start") return loop?.hear(request);
  try {
    loop = new Loop(new Engine(request.module, () => performance.now()));
    post({ kind: "ready" });
  } catch (error) {
    broken(error);
  }
};
