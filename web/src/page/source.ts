// The scene that is shown: its text, and the values that are set.

/** Bodies whose material can take another's place. */
const SOFT = /kind\s*=\s*"(corotational|neo-hookean)"/;

export interface Source {
  name: string;
  /** TOML; of a built-in scene too. */
  text: string;
  builtIn: boolean;
}

/** `name=value` each, as a map. */
export function parsed(sets: string[]): Map<string, string> {
  return new Map(sets.map((set) => [set.slice(0, set.indexOf("=")), set.slice(set.indexOf("=") + 1)]));
}

/** Values in the engine's words: a material is set for each body that can have it. */
export function inEngineWords(source: Source, sets: Map<string, string>): string[] {
  return [...sets].flatMap(([name, value]) => (name === "material" ? materialSets(source, value) : [`${name}=${value}`]));
}

function materialSets({ text }: Source, word: string): string[] {
  const blocks = text.split(/^\[\[bodies\]\]/m).slice(1);
  return blocks.flatMap((block, k) => (SOFT.test(block) ? [`bodies.${k}.material=${word}`] : []));
}

/** Variants without a label are called by their values. */
export function labelled(variants: string[][], labels: string[] = []): [string, string[]][] {
  return variants.map((sets, k) => [labels[k] ?? (sets.map((set) => set.split("=")[1]).join(", ") || "as given"), sets]);
}
