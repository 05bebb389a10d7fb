// The binding to the engine's exports: JSON in, JSON and arrays out.
//
// The other side is crates/pliant-web/src/exports.rs.

/** What the module exports. */
interface Exports {
  memory: WebAssembly.Memory;
  start(): void;
  input(length: number): number;
  call(): void;
  put_file(name: number): void;
  buffer(number: number): number;
  buffer_len(number: number): number;
}

/** Numbers of buffers. */
const [ANSWER, FLOATS, INDICES, BYTES, LAST_WORDS] = [0, 1, 2, 3, 4];

/** A command that the engine refused: one sentence. */
export class Refused extends Error {}

/** The engine cannot go on: it ran out of memory, or has an error. */
export class Broken extends Error {}

export class Engine {
  private readonly exports: Exports;

  constructor(module: WebAssembly.Module, now: () => number) {
    const instance = new WebAssembly.Instance(module, { page: { now } });
    this.exports = instance.exports as unknown as Exports;
    this.exports.start();
  }

  /** Does what a command says. */
  call<T = any>(command: { op: string } & Record<string, unknown>): T {
    this.write(new TextEncoder().encode(JSON.stringify(command)));
    this.guard(() => this.exports.call());
    const answer = JSON.parse(this.text(ANSWER));
    if (answer?.error !== undefined) throw new Refused(answer.error);
    return answer as T;
  }

  /** Puts a file where scenes find it. */
  putFile(name: string, contents: Uint8Array): void {
    const label = new TextEncoder().encode(name);
    const both = new Uint8Array(label.length + contents.length);
    both.set(label);
    both.set(contents, label.length);
    this.write(both);
    this.guard(() => this.exports.put_file(label.length));
  }

  /** The arrays of the last command, where they lie: valid up to the next one. */
  floats(): Float32Array {
    return new Float32Array(this.exports.memory.buffer, ...this.span(FLOATS, 4));
  }

  indices(): Uint32Array {
    return new Uint32Array(this.exports.memory.buffer, ...this.span(INDICES, 4));
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, ...this.span(BYTES, 1));
  }

  /** Bytes of memory that the module has. */
  get memory(): number {
    return this.exports.memory.buffer.byteLength;
  }

  private span(number: number, size: number): [number, number] {
    const length = this.exports.buffer_len(number) / size;
    // A buffer that was never filled has no place.
    return length === 0 ? [0, 0] : [this.exports.buffer(number), length];
  }

  private text(number: number): string {
    return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, ...this.span(number, 1)));
  }

  private write(bytes: Uint8Array): void {
    const place = this.guard(() => this.exports.input(bytes.length));
    if (place === 0) throw new Refused(`there is no memory for ${Math.round(bytes.length / 2 ** 20)} MB`);
    new Uint8Array(this.exports.memory.buffer, place, bytes.length).set(bytes);
  }

  /** What ends the module becomes a sentence. */
  private guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const words = this.text(LAST_WORDS);
      const short = /unreachable|memory|stack|RangeError/i.test(String(error)) && !words;
      throw new Broken(words || (short ? "the engine ran out of memory" : String(error)));
    }
  }
}
