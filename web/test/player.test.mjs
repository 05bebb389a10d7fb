// The player in a browser: node --test test/player.test.mjs

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { after, before, test } from "node:test";
import { canvas, drawn, folder, fresh, launch, open, run, state } from "./browser.mjs";

let browser;
const [cubes, plane, pressed] = ["cubes", "plane", "pressed"].map((name) => resolve(folder, name));
const [one, three, flat, full] = ["one", "three", "flat", "full"].map((name) => resolve(folder, `${name}.html`));

before(async () => {
  fresh("cubes");
  run("compare", "two-cubes", "--response", "closest,penalty,constraint", "--set", "overlap=0.8", "--set", "tilt=0.5", "--set", "duration=0.5", "-o", cubes);
  fresh("plane");
  run("run", "gears", "--set", "duration=1", "-o", plane);
  run("view", resolve(cubes, "closest"), "-o", one, "--no-open");
  run("view", cubes, "-o", three, "--no-open");
  run("view", plane, "-o", flat, "--no-open");
  fresh("pressed");
  const asked = ["record.fields=[\"velocity\",\"pressure\",\"stress\",\"strain\"]", "record.contacts=true"];
  run("run", "squeezed-sphere", "--set", "duration=0.5", ...asked.flatMap((words) => ["--set", words]), "-o", pressed);
  run("view", pressed, "-o", full, "--no-open");
  browser = await launch();
});

after(() => browser?.close());

test("a page opens from a file and complains about nothing", async () => {
  const { page, complaints } = await open(browser, one);
  const { frames, colour } = await state(page);
  assert.deepEqual([frames, colour], [[0], "body"]);
  await drawn(page);
  await page.screenshot({ path: resolve(folder, "one.png") });
  assert.deepEqual(complaints, []);
  await page.close();
});

test("it plays, pauses, steps and scrubs", async () => {
  const { page } = await open(browser, one);
  // Slowly, so that the end is not reached on a machine that is busy.
  for (let k = 0; k < 4; k++) await page.keyboard.press("[");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.pliantPlayer.state().time > 0.01);
  await page.keyboard.press("Space");
  const { playing, time } = await state(page);
  assert.equal(playing, false);
  await page.waitForTimeout(100);
  assert.equal((await state(page)).time, time);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.deepEqual((await state(page)).frames, [2]);
  await page.keyboard.press("ArrowLeft");
  assert.deepEqual((await state(page)).frames, [1]);
  const box = await page.locator(".transport input").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  assert.ok(Math.abs((await state(page)).time - 0.25) < 0.05, "the middle of half a second");
  const plot = await page.locator(".curves canvas").first().boundingBox();
  await page.mouse.click(plot.x + plot.width - 14, plot.y + 40);
  assert.ok((await state(page)).time > 0.45, "the right end of a plot");
  await page.close();
});

test("bodies move, and look otherwise with other colours, wires, opacity, section and normals", async () => {
  const { page, complaints } = await open(browser, one);
  const seen = new Set([await canvas(page)]);
  const differs = async (what) => {
    const picture = await canvas(page);
    assert.ok(!seen.has(picture), what);
    seen.add(picture);
  };
  await page.keyboard.press("End");
  await differs("the last frame");
  for (const name of ["speed", "depth"]) {
    await page.selectOption("select[aria-label='colour by']", name);
    assert.equal((await state(page)).colour, name);
    assert.match(await page.locator(".legend b").innerText(), new RegExp(`^${name}, `));
    await differs(name);
  }
  for (const label of ["wireframe", "see through", "section", "normals", "way out"]) {
    await page.locator(`input[aria-label='${label}']`).check();
    await differs(label);
  }
  assert.deepEqual(complaints, []);
  await page.close();
});

test("the camera turns, and a click names body and vertex", async () => {
  const { page } = await open(browser, one);
  const before = (await state(page)).camera;
  const box = await page.locator(".stage canvas").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.click(x, y);
  assert.match(await page.locator(".tip").innerText(), /^(left|right)\s+vertex \d+ of \d+\s+speed /);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 120, y + 30, { steps: 4 });
  await page.mouse.up();
  await drawn(page);
  assert.notDeepEqual((await state(page)).camera, before);
  await page.close();
});

test("runs stand side by side under one camera and one time", async () => {
  const { page, complaints } = await open(browser, three);
  await page.keyboard.press("End");
  await drawn(page);
  const { frames, camera } = await state(page);
  assert.equal(frames.length, 3);
  assert.equal(new Set(frames).size, 1);
  assert.equal(camera.length, 3);
  assert.deepEqual(await page.locator(".cells span").allInnerTexts(), ["closest", "constraint", "penalty"]);
  await page.screenshot({ path: resolve(folder, "three.png") });
  assert.deepEqual(complaints, []);
  await page.close();
});

test("at the same state side by side means the same picture, however the camera turns", async () => {
  const { page } = await open(browser, three);
  const stage = await page.locator(".stage canvas").boundingBox();
  // Names and controls lie over the cells: the pixels are those of the canvas alone.
  const cells = () => page.evaluate(async () => {
    const canvas = document.querySelector(".stage canvas");
    const player = window.pliantPlayer;
    const [columns, rows] = player.stage.grid();
    player.stage.draw(player.time, player.look, true);
    const [width, height] = [Math.floor(canvas.width / columns), Math.floor(canvas.height / rows)];
    const side = 96;
    const copy = Object.assign(document.createElement("canvas"), { width: side, height: side });
    const context = copy.getContext("2d", { willReadFrequently: true });
    return [0, 1, 2].map((k) => {
      const [x, y] = [k % columns, Math.floor(k / columns)];
      context.clearRect(0, 0, side, side);
      context.drawImage(canvas, x * width, y * height, width, height, 0, 0, side, side);
      return [...context.getImageData(0, 0, side, side).data];
    });
  });
  /** Part of the pixels that differ. */
  const differing = (a, b) => a.filter((value, k) => Math.abs(value - b[k]) > 8).length / a.length;
  const before = await cells();
  await page.mouse.move(stage.x + 100, stage.y + 100);
  await page.mouse.down();
  await page.mouse.move(stage.x + 260, stage.y + 160, { steps: 4 });
  await page.mouse.up();
  await drawn(page);
  const turned = await cells();
  for (const pictures of [before, turned]) {
    // The first frame is the same for all three; a pixel at the border of a cell may not be.
    for (const other of [1, 2]) assert.ok(differing(pictures[0], pictures[other]) < 0.005, `cell ${other}`);
  }
  assert.ok(differing(before[0], turned[0]) > 0.02, "the camera turned");
  await page.keyboard.press("End");
  await drawn(page);
  const end = await cells();
  assert.ok(differing(end[0], end[1]) > 0.01, "the runs end differently");
  await page.close();
});

test("stress, strain, pressure and contacts of the recording are shown", async () => {
  const { page, complaints } = await open(browser, full);
  await page.keyboard.press("End");
  const seen = new Set([await canvas(page)]);
  const differs = async (what) => {
    const picture = await canvas(page);
    assert.ok(!seen.has(picture), what);
    seen.add(picture);
  };
  for (const [name, unit] of [["speed", "m/s"], ["pressure", "Pa"], ["stress", "Pa (von Mises)"], ["strain", "norm"]]) {
    await page.selectOption("select[aria-label='colour by']", name);
    assert.ok((await page.locator(".legend b").innerText()).startsWith(`${name}, ${unit}`), name);
    const { range } = await state(page);
    assert.ok(range[1] > 0 && Number.isFinite(range[1]), `${name} up to ${range[1]}`);
    await differs(name);
  }
  for (const name of ["contacts", "contact forces"]) {
    await page.locator(`input[aria-label='${name}']`).check();
    await differs(name);
  }
  assert.match(await page.locator(".notes").innerText(), /an arrow of [0-9.]+ m is [0-9.]+ N/);
  assert.equal(await page.locator(".hint").count(), 0);
  await page.screenshot({ path: resolve(folder, "full.png") });
  assert.deepEqual(complaints, []);
  await page.close();
});

test("of groups of runs one is shown, and another on request", async () => {
  const text = readFileSync(one, "utf8");
  const [script] = text.match(/<script type="application\/x-pliant-run"[\s\S]*?<\/script>/);
  const grouped = (name) => script.replace("data-format", `data-group="${name}" data-format`);
  const file = resolve(folder, "groups.html");
  writeFileSync(file, text.replace(script, () => grouped("first") + grouped("second") + grouped("second")));
  const { page, complaints } = await open(browser, file);
  assert.equal((await state(page)).frames.length, 1);
  const first = await canvas(page);
  await page.locator(".pliant-groups button", { hasText: "second" }).click();
  await page.waitForFunction(() => window.pliantPlayer?.runs.length === 2);
  assert.notEqual(await canvas(page), first);
  // The player that is gone does not hear the keys any more: one step, not two.
  await page.keyboard.press("ArrowRight");
  assert.deepEqual((await state(page)).frames, [1, 1]);
  assert.equal(await page.locator(".pliant-groups button[aria-selected='true']").innerText(), "second");
  assert.deepEqual(complaints, []);
  await page.close();
});

test("outlines in the plane are drawn from above, with depth, exit directions and contacts", async () => {
  const { page, complaints } = await open(browser, flat, { colorScheme: "dark" });
  const seen = new Set([await canvas(page)]);
  const differs = async (what) => {
    const picture = await canvas(page);
    assert.ok(!seen.has(picture), what);
    seen.add(picture);
  };
  await page.keyboard.press("End");
  await differs("the last frame");
  for (const name of ["speed", "depth"]) {
    await page.selectOption("select[aria-label='colour by']", name);
    await differs(name);
  }
  for (const name of ["contacts", "way out"]) {
    await page.locator(`input[aria-label='${name}']`).check();
    await differs(name);
  }
  await page.screenshot({ path: resolve(folder, "flat.png") });
  assert.deepEqual(complaints, []);
  await page.close();
});

test("nothing is wider than a phone, in light and dark", async () => {
  for (const [name, file] of [["one", one], ["three", three], ["full", full], ["flat", flat], ["report", resolve(cubes, "report.html")]]) {
    for (const colorScheme of ["light", "dark"]) {
      const { page, complaints } = await open(browser, file, { viewport: { width: 390, height: 844 }, colorScheme });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${name} is ${width} wide`);
      await drawn(page);
      await page.screenshot({ path: resolve(folder, `phone-${name}-${colorScheme}.png`) });
      assert.deepEqual(complaints, []);
      await page.close();
    }
  }
});

test("the report contains the player, and its plots follow the time", async () => {
  const { page, complaints } = await open(browser, resolve(cubes, "closest/report.html"));
  const cursor = page.locator("svg.plot .cursor").first();
  const place = async () => (await drawn(page), Number(await cursor.getAttribute("x1")));
  const begin = await place();
  await page.locator("svg.plot").first().scrollIntoViewIfNeeded();
  const box = await page.locator("svg.plot").first().boundingBox();
  await page.mouse.click(box.x + 0.7 * box.width, box.y + box.height / 2);
  assert.ok((await state(page)).time > 0.2);
  assert.ok((await place()) > begin + 100);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("licences of what is in the page are in the page", async () => {
  const { page } = await open(browser, one);
  assert.match(await page.locator(".licences pre").textContent(), /three 0\.\d+\.\d+ \(MIT\)[\s\S]*Permission is hereby granted/);
  const folded = page.locator(".licences");
  assert.equal(await folded.locator("pre").isVisible(), false);
  await folded.locator("summary").click();
  assert.equal(await folded.locator("pre").isVisible(), true);
  await page.close();
});

/** A page made from another by changing its text; its one sentence. */
async function sentence(name, change, within = browser) {
  const file = resolve(folder, name);
  writeFileSync(file, change(readFileSync(one, "utf8")));
  const { page, complaints } = await open(within, file);
  const texts = await page.locator(".sentence").allInnerTexts();
  await page.close();
  assert.deepEqual(complaints, []);
  assert.equal(texts.length, 1, texts.join(" | "));
  return texts[0];
}

test("what cannot be shown is said in one sentence", async () => {
  const newer = await sentence("newer.html", (text) => text.replace('data-format="2"', 'data-format="3"'));
  assert.equal(newer, "closest was packed by a newer Pliant (format 3, this player reads 2); write the page again with the Pliant that you have.");
  const short = (text) => text.replace(/(data-name="closest">)([^<]{4000})[^<]*/, "$1$2");
  assert.equal(await sentence("short.html", short), "The data of closest is cut short; write the page again with pliant view.");
  const none = (text) => text.replace(/<script type="application\/x-pliant-run"[\s\S]*?<\/script>/, "");
  assert.equal(await sentence("none.html", none), "This page holds no run; pliant view RUN writes one that does.");
});

test("without WebGL curves and verdicts remain, and one sentence says so", async () => {
  const bare = await launch("--disable-gpu", "--disable-3d-apis");
  const file = resolve(folder, "bare.html");
  writeFileSync(file, readFileSync(one));
  const { page } = await open(bare, file);
  await page.waitForFunction(() => window.pliantPlayer);
  const texts = await page.locator(".sentence").allInnerTexts();
  assert.deepEqual(texts, ["This browser has no WebGL, so the bodies cannot be drawn; curves and verdicts are still here."]);
  assert.ok((await page.locator(".curves canvas").count()) > 2);
  await page.keyboard.press("End");
  assert.equal((await state(page)).frames.length, 1);
  await page.screenshot({ path: resolve(folder, "bare.png") });
  await bare.close();
});
