// Reading the numbers of a run: little-endian floats and variable-length integers.

/** Thrown where the data ends before it should. */
export class CutShort extends Error {}

/** A cursor over the unpacked bytes of a run. */
export class Bytes {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  private take(count: number): number {
    const from = this.at;
    if (from + count > this.bytes.length) throw new CutShort();
    this.at += count;
    return from;
  }

  byte(): number {
    return this.bytes[this.take(1)];
  }

  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }

  text(length: number): string {
    const from = this.take(length);
    return new TextDecoder().decode(this.bytes.subarray(from, from + length));
  }

  floats(count: number): Float32Array {
    const from = this.take(4 * count);
    const values = new Float32Array(count);
    for (let k = 0; k < count; k++) values[k] = this.view.getFloat32(from + 4 * k, true);
    return values;
  }

  /** Seven bits a byte, the lowest first; the top bit says that more follow. */
  unsigned(): number {
    const bytes = this.bytes;
    let value = 0;
    let factor = 1;
    for (;;) {
      if (this.at >= bytes.length) throw new CutShort();
      const byte = bytes[this.at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }

  /** Even numbers stand for 0, 1, 2, …; odd ones for −1, −2, …. */
  signed(): number {
    const value = this.unsigned();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Indices, each as the difference to the one before. */
  indices(count: number): Uint32Array {
    const values = new Uint32Array(count);
    let last = 0;
    for (let k = 0; k < count; k++) {
      last += this.signed();
      values[k] = last;
    }
    return values;
  }
}
