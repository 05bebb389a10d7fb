// A run as the program packed it into the page: header, meshes, frames, series.
//
// The layout is that of crates/pliant-run/src/player/pack.rs.

import { Bytes, CutShort } from "./bytes";

/** The layout that this player reads. */
export const FORMAT = 2;

export interface Body {
  name: string;
  kind: string;
  /** First vertex and how many, in the frames of this page. */
  first: number;
  count: number;
  /** Number of a colour of the palette. */
  colour: number;
  /** Corners, rings and edges, in the frames' numbers. */
  triangles: Uint32Array;
  rings: Uint32Array[];
  edges: Uint32Array;
}

export interface Obstacle {
  name: string;
  positions: Float32Array;
  triangles: Uint32Array;
  /** Seven numbers a frame, position and quaternion, relative to the start; of one that moves. */
  poses: Float32Array | null;
}

/** A number at every vertex in every frame. */
export interface Field {
  name: string;
  unit: string;
  min: number;
  max: number;
  /** The level of `max`. */
  levels: number;
  /** Whether level 0 stands for what is not known, and 1 for `min`. */
  unknown: boolean;
  frames: Uint16Array[];
}

/** Arrows that come and go: a place and a vector each. */
export interface Overlay {
  name: string;
  /** What the arrows mean. */
  note: string;
  frames: Float32Array[];
}

export interface Series {
  columns: string[];
  rows: number;
  /** Row by row. */
  values: Float32Array;
}

export interface Verdict {
  severity: "bad" | "warning" | "note" | "good";
  text: string;
}

export interface Run {
  name: string;
  scene: string;
  description: string;
  pliant: string;
  response: string;
  integrator: string;
  ended: string;
  gravity: [number, number, number];
  plane: boolean;
  verdicts: Verdict[];
  notices: string[];
  vertices: number;
  times: Float64Array;
  frames: Float32Array[];
  bodies: Body[];
  obstacles: Obstacle[];
  fields: Field[];
  overlays: Overlay[];
  series: Series;
  /** Of a run that is being simulated: a number at every vertex now. */
  live?: { name: string; values: Float32Array };
}

/** What stands in the page for one run, or the sentence that says why it cannot be shown. */
export type Loaded = { run: Run } | { sentence: string };

/** Reads one run of the page. */
export async function load(element: Element): Promise<Loaded> {
  const name = element.getAttribute("data-name") ?? "This run";
  const format = Number(element.getAttribute("data-format"));
  if (!(format <= FORMAT)) {
    const sentence =
      `${name} was packed by a newer Pliant (format ${format}, this player reads ${FORMAT}); ` +
      "write the page again with the Pliant that you have.";
    return { sentence };
  }
  try {
    return { run: read(await unpack(element.textContent ?? "")) };
  } catch (error) {
    const why = error instanceof CutShort ? "cut short" : "damaged";
    return { sentence: `The data of ${name} is ${why}; write the page again with pliant view.` };
  }
}

async function unpack(text: string): Promise<Uint8Array> {
  const binary = atob(text.trim());
  const packed = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) packed[k] = binary.charCodeAt(k);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new CutShort();
  }
}

function read(data: Uint8Array): Run {
  const bytes = new Bytes(data);
  const header = JSON.parse(bytes.text(bytes.u32()));
  const bodies = header.bodies.map((body: any) => readBody(bytes, body));
  const obstacles = header.obstacles.map((obstacle: any) => readObstacle(bytes, obstacle));
  const run: Run = { ...header, bodies, obstacles, times: Float64Array.from(header.times), frames: [] };
  run.fields = header.fields.map((field: any) => ({ ...field, frames: [] }));
  run.overlays = header.overlays.map((overlay: any) => ({ ...overlay, frames: [] }));
  readFrames(bytes, run, header.quantum, header.origin);
  readFields(bytes, run);
  readOverlays(bytes, run, header.quantum, header.origin);
  for (const obstacle of obstacles) {
    if (obstacle.moves) obstacle.poses = bytes.floats(7 * run.times.length);
  }
  const { columns, rows } = header.series;
  run.series = { columns, rows, values: bytes.floats(columns.length * rows) };
  return run;
}

function readBody(bytes: Bytes, body: any): Body {
  const triangles = bytes.indices(3 * body.triangles);
  const rings = body.rings.map((length: number) => bytes.indices(length));
  return { ...body, triangles, rings, edges: bytes.indices(2 * body.edges) };
}

function readObstacle(bytes: Bytes, obstacle: any): Obstacle {
  const positions = bytes.floats(3 * obstacle.vertices);
  return { ...obstacle, positions, triangles: bytes.indices(3 * obstacle.triangles), poses: null };
}

function readFrames(bytes: Bytes, run: Run, quantum: number, origin: number[]): void {
  const length = 3 * run.vertices;
  let [older, old] = [new Int32Array(length), new Int32Array(length)];
  for (let frame = 0; frame < run.times.length; frame++) {
    const order = bytes.byte();
    const now = older;
    for (let axis = 0; axis < 3; axis++) {
      for (let k = axis; k < length; k += 3) {
        const guess = order === 0 ? 0 : order === 1 ? old[k] : 2 * old[k] - older[k];
        now[k] = guess + bytes.signed();
      }
    }
    [older, old] = [old, now];
    const positions = new Float32Array(length);
    for (let k = 0; k < length; k++) positions[k] = origin[k % 3] + quantum * now[k];
    run.frames.push(positions);
  }
}

function readFields(bytes: Bytes, run: Run): void {
  for (const field of run.fields) {
    const level = new Uint16Array(run.vertices);
    for (let frame = 0; frame < run.times.length; frame++) {
      for (let k = 0; k < run.vertices; k++) level[k] += bytes.signed();
      field.frames.push(level.slice());
    }
  }
}

function readOverlays(bytes: Bytes, run: Run, quantum: number, origin: number[]): void {
  for (const overlay of run.overlays) {
    for (let frame = 0; frame < run.times.length; frame++) {
      const arrows = new Float32Array(6 * bytes.unsigned());
      for (let k = 0; k < arrows.length; k++) {
        arrows[k] = (k % 6 < 3 ? origin[k % 6] : 0) + quantum * bytes.signed();
      }
      overlay.frames.push(arrows);
    }
  }
}
