// The engine in wasm32 beside the program: node bench.mjs
//
// Both make the same steps, one after the other, three times; the medians of ms per step are compared.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { engine, wasm } from "./test/engine.mjs";

const pliant = process.env.PLIANT ?? resolve(import.meta.dirname, "../target/release/pliant");
const page = resolve(import.meta.dirname, "../target/web/pliant.html");

/** Scenes of each kind, with steps that take about a second. */
const SCENES = [["two-cubes", 60], ["sphere-pile", 60], ["knot", 40], ["dice", 200], ["cubes-on-membrane", 200], ["map", 960]];
const ROUNDS = 3;

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

/** CPU time of a step in the program, ms. */
function native(scene, steps, dt) {
  const folder = mkdtempSync(resolve(tmpdir(), "pliant-bench-"));
  try {
    const sets = ["--set", `duration=${steps * dt}`, "--threads", "1", "--json", "--quiet"];
    const text = execFileSync(pliant, ["run", scene, "-o", resolve(folder, "run"), ...sets], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const { cpu_s, steps: made, digest } = JSON.parse(text);
    return { ms: (1000 * cpu_s) / made, digest };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** CPU time of a step in wasm32, ms; node's own threads compile at the start, so a first run is left out. */
function compiled(scene, steps) {
  const own = engine();
  const { dt } = own.call({ op: "load", name: scene });
  const before = process.cpuUsage();
  own.call({ op: "step", count: steps });
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000 / steps, dt, digest: own.call({ op: "digest" }).digest };
}

console.log("| scene | steps | program, ms a step | wasm32, ms a step | ratio | same bits |\n|---|---|---|---|---|---|");
for (const [scene, steps] of SCENES) {
  const { dt } = compiled(scene, steps);
  const [ours, theirs] = [[], []];
  let same = true;
  for (let round = 0; round < ROUNDS; round++) {
    const [a, b] = [native(scene, steps, dt), compiled(scene, steps)];
    ours.push(b.ms);
    theirs.push(a.ms);
    same &&= a.digest === b.digest;
  }
  const [a, b] = [median(theirs), median(ours)];
  console.log(`| ${scene} | ${steps} | ${a.toFixed(2)} | ${b.toFixed(2)} | ${(b / a).toFixed(2)} | ${same ? "yes" : "NO"} |`);
}

const size = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
const packed = gzipSync(readFileSync(page)).length;
console.log(`\npliant.html: ${size(statSync(page).size)}, ${size(packed)} compressed; the engine's module ${size(statSync(wasm).size)}`);

const { launch } = await import("./test/browser.mjs");
const browser = await launch();
const starts = [];
for (let round = 0; round < ROUNDS; round++) {
  const tab = await browser.newPage();
  const begin = performance.now();
  await tab.goto(`file://${page}#scene=two-cubes`);
  await tab.waitForFunction(() => window.pliantPage);
  starts.push(performance.now() - begin);
  await tab.close();
}
await browser.close();
console.log(`from opening the file to a running scene: ${median(starts).toFixed(0)} ms (Chromium, headless, median of ${ROUNDS})`);
