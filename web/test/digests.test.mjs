// The engine in wasm32 gives the same bits as the program: node --test test/digests.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { engine, pinned } from "./engine.mjs";

/** Quick scenes of every kind of body, for every change; `all` in the environment takes the rest too. */
const QUICK = ["two-cubes", "two-points", "integrators", "block", "enclosed", "incline", "head-on", "jelly"];

const scenes = pinned().filter(({ name }) => process.env.PLIANT_SCENES === "all" || QUICK.includes(name));

test("there are scenes to compare", () => assert.ok(scenes.length >= QUICK.length, String(scenes.length)));

for (const { name, steps, digest } of scenes) {
  test(`${name} gives its pinned digest after ${steps} steps`, () => {
    const own = engine();
    own.call({ op: "load", name });
    const begin = performance.now();
    const done = own.call({ op: "step", count: steps });
    assert.equal(done.failed, null);
    assert.equal(done.steps, steps);
    console.log(`${name}: ${((performance.now() - begin) / steps).toFixed(2)} ms a step, ${(own.memory / 2 ** 20).toFixed(0)} MB`);
    assert.equal(own.call({ op: "digest" }).digest, digest);
  });
}
