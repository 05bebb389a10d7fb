// Every built-in scene in the player: node --test test/scenes.test.mjs

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { after, before, test } from "node:test";
import { canvas, folder, fresh, launch, open, pliant, run, runFor, state } from "./browser.mjs";

/** A scene that takes longer is interrupted, and shown as far as it came; s. */
const SECONDS = 10;

/** Bytes of a page, at most. */
const MOST = 10_000_000;

const scenes = execFileSync(pliant, ["scenes"], { encoding: "utf8" })
  .split("\n")
  .map((line) => line.match(/^([a-z][a-z0-9-]*)(\s|$)/)?.[1])
  .filter((name) => name !== undefined);

let browser;

before(async () => {
  assert.ok(scenes.length > 20, scenes.join(" "));
  browser = await launch();
});

after(() => browser?.close());

for (const scene of scenes) {
  test(`${scene} plays`, async () => {
    const out = fresh(`scenes/${scene}`);
    const code = await runFor(SECONDS, scene, out);
    assert.ok(existsSync(resolve(out, "recording.pliant")), `ended with code ${code}`);
    const file = resolve(folder, `scenes/${scene}.html`);
    run("view", out, "-o", file, "--no-open");
    assert.ok(statSync(file).size < MOST, `${statSync(file).size} bytes`);
    const { page, complaints } = await open(browser, file);
    const begin = await canvas(page);
    await page.keyboard.press("End");
    const end = await canvas(page);
    await page.screenshot({ path: resolve(folder, `scenes/${scene}.png`) });
    const { frames } = await state(page);
    assert.ok(frames[0] > 0);
    assert.notEqual(begin, end);
    await page.keyboard.press("c");
    await canvas(page);
    assert.equal((await state(page)).colour, "speed");
    // What the view code took, for a look; speed is not tested.
    const [vertices, spent] = await page.evaluate(() => {
      const { runs, spent } = window.pliantPlayer;
      return [runs[0].vertices, spent.sort((a, b) => a - b)[spent.length >> 1]];
    });
    console.log(`${scene}: ${vertices} vertices, ${spent.toFixed(1)} ms, ${(statSync(file).size / 1e6).toFixed(1)} MB`);
    assert.deepEqual(complaints, []);
    await page.close();
  });
}
