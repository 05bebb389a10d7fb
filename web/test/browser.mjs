// A browser, and runs of the program to show in it.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const target = resolve(import.meta.dirname, "../../target");

/** The program, with the player in it. */
export const pliant = process.env.PLIANT ?? resolve(target, "debug/pliant");

/** Folder for runs and screenshots. */
export const folder = resolve(process.env.PLIANT_WEB_TEST ?? resolve(target, "web-test"));

const browsers = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Starts a browser; `options` are switches of its command line. */
export function launch(...options) {
  const executablePath = browsers.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("no Chromium: install the package chromium, or set CHROMIUM");
  // Without its sandbox it also starts as root, as in a container; it sees our files alone.
  return chromium.launch({ executablePath, args: ["--no-sandbox", ...options] });
}

/** Runs the program to its end. */
export function run(...words) {
  execFileSync(pliant, words, { stdio: ["ignore", "ignore", "pipe"] });
}

/** Starts over with an empty folder of this name. */
export function fresh(name) {
  const path = resolve(folder, name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

/** Runs a scene for at most so many seconds; what it recorded until then is kept. */
export function runFor(seconds, scene, out) {
  return new Promise((done) => {
    const child = spawn(pliant, ["run", scene, "-o", out, "--quiet"], { stdio: "ignore" });
    const timer = setTimeout(() => child.kill("SIGINT"), 1000 * seconds);
    child.on("exit", (code) => {
      clearTimeout(timer);
      done(code);
    });
  });
}

/** Until a page is there: the player or a sentence. */
const PLAYER = () => window.pliantPlayer || document.querySelector(".sentence");

/** Opens a page from the disk; collects what it complains about. */
export async function open(browser, file, { hash = "", ready = PLAYER, ...view } = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, ...view });
  const complaints = [];
  // The driver's remarks on speed are not about the page.
  const counts = (message) =>
    message.type() === "error" || (message.type() === "warning" && !message.text().includes("GL Driver Message"));
  page.on("console", (message) => counts(message) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!/^(file|blob|data):/.test(request.url())) complaints.push(`asks for ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href + hash);
  await page.waitForFunction(ready, null, { timeout: 60_000 });
  return { page, complaints };
}

/** What the player shows. */
export const state = (page) => page.evaluate(() => window.pliantPlayer.state());

/** Waits until what was asked for is drawn. */
export const drawn = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** A screenshot of the canvas as bytes; the same bytes for the same picture. */
export async function canvas(page) {
  await drawn(page);
  return (await page.locator(".stage canvas").screenshot()).toString("base64");
}
