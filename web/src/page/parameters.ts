// The parameters that a scene declares, with their comments and sensible ranges.

export interface Parameter {
  name: string;
  value: string;
  /** What it means, from the comment beside it. */
  note: string;
  /** Least, largest and step of a slider; null where it is not a number. */
  range: [number, number, number] | null;
}

/** The entries of `[parameters]` in the text of a scene. */
export function parameters(text: string): Parameter[] {
  const [, after] = text.split(/^\[parameters\]\s*$/m);
  if (after === undefined) return [];
  const [block] = after.split(/^\[/m);
  const found: Parameter[] = [];
  for (const line of block.split("\n")) {
    const match = line.match(/^\s*([A-Za-z_][\w-]*)\s*=\s*("[^"]*"|[^#\s]+)\s*(?:#\s*(.*))?$/);
    if (!match) continue;
    const [, name, value, note = ""] = match;
    found.push({ name, value: value.replace(/^"|"$/g, ""), note, range: range(Number(value), `${name} ${note}`) });
  }
  return found;
}

function range(value: number, note: string): Parameter["range"] {
  if (!Number.isFinite(value)) return null;
  const said = note.match(/from (-?[\d.e+-]+) to (-?[\d.e+-]+)/);
  const [low, high] = said ? [Number(said[1]), Number(said[2])] : guess(value, note);
  if (!(high > low)) return null;
  const whole = /seed|count|number of|cells|layers|points/.test(note) || (Number.isInteger(value) && value > 1 && value < 100 && !/[a-z]\//.test(note) && !/, [A-Za-z°·²³/]+$/.test(note));
  return [low, high, whole ? 1 : step(high - low)];
}

function guess(value: number, note: string): [number, number] {
  if (/seed/.test(note)) return [1, 20];
  if (value === 0) return [0, /rad/.test(note) ? 1.5 : 1];
  return value > 0 ? [0, 3 * value] : [3 * value, 0];
}

/** A hundred steps or more, of a round length. */
function step(span: number): number {
  return 10 ** Math.floor(Math.log10(span / 100));
}
