// What became of bodies that were separated, in one sentence.

import { number } from "../colour";

/** The engine's answer. */
export interface Separated {
  /** Pairs that overlapped or were nearer than the gap. */
  before: number;
  /** Of these, pairs that were apart. */
  near: number;
  /** Pairs that still do. */
  left: number;
  /** m */
  gap: number;
  /** Largest movement of a vertex, m. */
  moved: number;
  /** Bodies that were deformed. */
  soft: number;
}

const counted = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

/** Says which pairs overlapped and which were only too near, and what was done. */
export function sentence({ before, near, left, gap, moved, soft }: Separated): string {
  const apart = `${number(gap)} m`;
  if (before === 0) return `No two bodies overlap or are nearer than ${apart}: nothing was moved.`;
  const parts = [];
  if (before > near) parts.push(`${counted(before - near, "pair", "pairs")} overlapped`);
  if (near > 0) parts.push(`${counted(near, "pair was", "pairs were")} nearer than ${apart}`);
  const were = parts.join(" and ");
  if (left > 0) return `${were}; ${counted(left, "pair", "pairs")} could not be separated.`;
  const deformed = soft === 0 ? "no body was deformed" : `${counted(soft, "body was", "bodies were")} deformed`;
  return `${were}; now any two bodies are at least ${apart} apart. Vertices moved by up to ${number(moved)} m, ${deformed}.`;
}
