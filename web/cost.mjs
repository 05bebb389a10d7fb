// What the view code costs a frame: node cost.mjs
//
// A cloth of 142 × 142 vertices is played in headless Chromium; the medians of the player's own
// clock around the update of all buffers are printed, without calls of GL. A machine that does
// other work makes single frames longer: the median and the shortest tell.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { folder, fresh, launch, open, run } from "./test/browser.mjs";

const SIDE = 142;

const middle = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

const cloth = fresh("cloth");
run("run", "curtain", "--set", `bodies.0.mesh.vertices=[${SIDE},${SIDE}]`, "--set", "duration=1", "--set", "record.rate=60", "-o", cloth);
const file = resolve(folder, "cloth.html");
run("view", cloth, "-o", file, "--no-open");
const browser = await launch();
const { page } = await open(browser, file);
console.log(`| coloured by | frames | view code, ms a frame, median | shortest |\n|---|---|---|---|`);
for (const colour of ["body", "speed"]) {
  await page.selectOption('select[aria-label="colour by"]', colour);
  const spent = await page.evaluate(async () => {
    const { spent } = window.pliantPlayer;
    spent.length = 0;
    for (let step = 0; step < 20; step++) {
      window.pliantPlayer.seek(step / 20 + 0.004);
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
    return [...spent];
  });
  console.log(`| ${colour} | ${spent.length} | ${middle(spent).toFixed(2)} | ${Math.min(...spent).toFixed(2)} |`);
}
await browser.close();
console.log(`\n${SIDE * SIDE} vertices; the file has ${(statSync(file).size / 1e6).toFixed(1)} MB`);
