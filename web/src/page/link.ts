// A link that holds a scene, its values and what is compared.

/** What a link holds. */
export interface Shared {
  /** Name of a built-in scene. */
  scene: string;
  /** Text of another scene. */
  text?: string;
  sets: string[];
  /** Values of the variants side by side. */
  variants?: string[][];
}

/** The part of the address after #. */
export function encode(shared: Shared): string {
  const query = new URLSearchParams();
  query.set("scene", shared.scene);
  for (const set of shared.sets) query.append("set", set);
  for (const sets of shared.variants ?? []) query.append("beside", sets.join("\n"));
  if (shared.text) query.set("text", shared.text);
  return query.toString();
}

/** What the address says; null where it names no scene. */
export function decode(hash: string): Shared | null {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const scene = query.get("scene");
  if (!scene) return null;
  const beside = query.getAll("beside").map((sets) => sets.split("\n").filter((set) => set.includes("=")));
  return {
    scene,
    text: query.get("text") ?? undefined,
    sets: query.getAll("set").filter((set) => set.includes("=")),
    variants: beside.length > 0 ? beside : undefined,
  };
}
