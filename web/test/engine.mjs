// The engine as node runs it: the module of `cargo xtask web`, through the page's own binding.

import { buildSync } from "esbuild";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** The module, as `cargo xtask web` builds it. */
export const wasm = process.env.PLIANT_WASM ?? resolve(root, "target/wasm/wasm32-unknown-unknown/release/pliant_web.wasm");

const bundle = buildSync({
  entryPoints: [resolve(root, "web/src/page/engine.ts")],
  bundle: true,
  format: "esm",
  write: false,
  target: "es2022",
});
const { Engine } = await import(`data:text/javascript,${encodeURIComponent(bundle.outputFiles[0].text)}`);

let module;

/** A new engine. */
export function engine() {
  module ??= new WebAssembly.Module(readFileSync(wasm));
  return new Engine(module, () => performance.now());
}

/** Name, steps and digest of all pinned scenes. */
export function pinned() {
  const text = readFileSync(resolve(root, "golden/digests.txt"), "utf8");
  const lines = text.split("\n").filter((line) => line && !line.startsWith("#"));
  return lines.map((line) => line.split(" ")).map(([name, steps, digest]) => ({ name, steps: Number(steps), digest }));
}
