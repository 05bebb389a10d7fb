// What page and worker tell each other.

import type { Description } from "./description";

/** From the page. */
export type Request =
  | { kind: "start"; module: WebAssembly.Module }
  | { kind: "command"; id: number; command: { op: string } & Record<string, unknown>; ahead?: boolean }
  | { kind: "file"; id: number; name: string; bytes: Uint8Array }
  | { kind: "play"; playing: boolean }
  | { kind: "step"; count: number }
  | { kind: "pace"; rate: number }
  | { kind: "look"; colour: string; overlays: string[]; field: FieldWish | null }
  | { kind: "shown"; buffer: ArrayBuffer | null };

/** A field of outlines that is wanted with each frame. */
export interface FieldWish {
  window: [[number, number], [number, number]];
  pixels: number;
}

/** A scene with its arrays. */
export interface Loaded {
  description: Description;
  indices: Uint32Array;
  floats: Float32Array;
  /** Positions at a few later times, as far as a short look ahead came. */
  ahead: Float32Array[];
}

export interface Marks {
  kind: string;
  name: string;
  colour: [number, number, number];
  dots: number;
  lines: number;
}

export interface DrawnField {
  width: number;
  height: number;
  corner: [number, number];
  pixel: number;
  segments: number;
  /** Distances, then gradients. */
  floats: Float32Array;
  /** Nearest segment of each pixel. */
  sites: Uint32Array;
}

/** What steps did since the last frame that was sent. */
export interface Work {
  steps: number;
  iterations: { newton: number; linear: number; sweeps: number; outer: number };
  unconverged: number;
  contacts: number;
  /** Of all steps, ms, in the order of STAGES. */
  stages: number[];
}

export const STAGES = ["force", "detect", "depth", "contact", "solve", "step"];

export interface LiveFrame {
  time: number;
  step: number;
  vertices: number;
  obstacles: (number[] | null)[];
  /** Positions, then a number for each vertex where there is a colour. */
  floats: Float32Array;
  colour: string;
  work: Work;
  /** Energy, overlap and more by name; not with every frame. */
  row: Record<string, number> | null;
  /** Simulated over real time, while playing. */
  factor: number | null;
  marks: { list: Marks[]; floats: Float32Array } | null;
  field: DrawnField | null;
  /** Why the next step cannot be made. */
  failed: string | null;
  /** Bytes of the engine. */
  memory: number;
}

/** From the worker. */
export type Reply =
  | { kind: "ready" }
  | { kind: "answer"; id: number; answer: any; loaded: Loaded | null; bytes: Uint8Array | null }
  | { kind: "refused"; id: number; sentence: string }
  | { kind: "frame"; frame: LiveFrame }
  | { kind: "broken"; sentence: string };
