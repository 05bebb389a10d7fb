// A simulation in a worker of its own, as the page sees it.

import type { FieldWish, LiveFrame, Loaded, Reply, Request } from "./messages";

interface Waiting {
  done: (value: { answer: any; loaded: Loaded | null; bytes: Uint8Array | null }) => void;
  refused: (error: Error) => void;
}

/** What one asks of the engine; sentences say why it refuses. */
export class Client {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;
  /** The newest frame that was not shown yet. */
  private fresh: LiveFrame | null = null;
  /** Called when the engine cannot go on. */
  onbroken: (sentence: string) => void = () => {};
  /** Called when a frame has come. */
  onframe: () => void = () => {};

  constructor(url: string, module: WebAssembly.Module) {
    this.worker = new Worker(url);
    this.worker.onmessage = (event: MessageEvent<Reply>) => this.hear(event.data);
    this.worker.onerror = (event) => this.onbroken(event.message || "the worker did not start");
    this.post({ kind: "start", module });
  }

  private post(request: Request, transfer: Transferable[] = []): void {
    this.worker.postMessage(request, transfer);
  }

  private hear(reply: Reply): void {
    if (reply.kind === "frame") {
      this.fresh = reply.frame;
      this.onframe();
    }
    if (reply.kind === "broken") {
      for (const { refused } of this.waiting.values()) refused(new Error(reply.sentence));
      this.waiting.clear();
      this.onbroken(reply.sentence);
    }
    if (reply.kind === "answer") this.take(reply.id)?.done(reply);
    if (reply.kind === "refused") this.take(reply.id)?.refused(new Error(reply.sentence));
  }

  private take(id: number): Waiting | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting;
  }

  private ask(make: (id: number) => Request, transfer: Transferable[] = []): ReturnType<Client["command"]> {
    const id = this.next++;
    return new Promise((done, refused) => {
      this.waiting.set(id, { done, refused });
      this.post(make(id), transfer);
    });
  }

  /** Asks for something, and waits for the answer. */
  command(op: string, parts: Record<string, unknown> = {}, ahead = false): Promise<{ answer: any; loaded: Loaded | null; bytes: Uint8Array | null }> {
    return this.ask((id) => ({ kind: "command", id, command: { op, ...parts }, ahead }));
  }

  /** Puts a file where scenes find it; the bytes go over to the worker. */
  async file(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const own = bytes.slice();
    await this.ask((id) => ({ kind: "file", id, name, bytes: own }), [own.buffer]);
  }

  play(playing: boolean): void {
    this.post({ kind: "play", playing });
  }

  step(count: number): void {
    this.post({ kind: "step", count });
  }

  pace(rate: number): void {
    this.post({ kind: "pace", rate });
  }

  look(colour: string, overlays: string[], field: FieldWish | null): void {
    this.post({ kind: "look", colour, overlays, field });
  }

  /** The frame that has come since the last call; the page gives its buffer back by `shown`. */
  takeFrame(): LiveFrame | null {
    const frame = this.fresh;
    this.fresh = null;
    return frame;
  }

  /** Lets the worker send the next frame, into a buffer that is not needed any more. */
  shown(buffer: ArrayBuffer | null): void {
    this.post({ kind: "shown", buffer }, buffer ? [buffer] : []);
  }

  end(): void {
    this.worker.terminate();
  }
}
