// Bundles the player and the page, each into one file: node build.mjs [FOLDER] [WASM]
//
// Without the engine's module the page is left out.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { deflateSync, gzipSync } from "node:zlib";

const here = import.meta.dirname;
const out = resolve(process.argv[2] ?? resolve(here, "../target/web"));
const module = process.argv[3];

const DARK = `
  --ink: #e4e8ee; --quiet: #98a3b3; --line: #2d3541; --card: #1a2028; --grid: #2a313c;
  --accent: #7fb0f5; --sky: linear-gradient(#232b36, #161b22); --floor: #39424f; --floor-line: #66717f; --dark: 1;
  --bad: #ff9b93; --bad-back: #3a1d1d; --warning: #f2c063; --warning-back: #33290f;
  --note: #8db8f7; --note-back: #182a43; --good: #7fd3a2; --good-back: #142d20;
  --c0: #6aa5f0; --c1: #f29a55; --c2: #63c28d; --c3: #f07a90;
  --c4: #ac92ee; --c5: #dcb640; --c6: #4fc0d2; --c7: #df8cc8; color-scheme: dark;`;

/** Packages whose code is in the page, found in what the bundler took. */
async function licences(metafile) {
  const names = new Set();
  for (const path of Object.keys(metafile.inputs)) {
    const match = path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (match) names.add(match[1]);
  }
  const texts = [];
  for (const name of [...names].sort()) {
    const folder = resolve(here, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(resolve(folder, "package.json"), "utf8"));
    texts.push(`${name} ${version} (${license})\n\n${(await readFile(resolve(folder, "LICENSE"), "utf8")).trim()}`);
  }
  return texts.join("\n\n---\n\n");
}

/** A bundle of one entry, with what it was made of. */
async function bundle(entry) {
  const made = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    // Their texts are in the page once, below.
    legalComments: "none",
  });
  // No text of the script may end its element.
  const script = made.outputFiles[0].text.replaceAll("</script", "<\\/script");
  return { script, texts: (await licences(made.metafile)).replaceAll("</", "<\\/") };
}

async function styles(...files) {
  const texts = await Promise.all(files.map((file) => readFile(resolve(here, file), "utf8")));
  return texts.join("\n").replaceAll("DARK", DARK).replace(/\n\s+/g, "\n");
}

/** Puts parts at their places; functions, as a text would have its dollar signs read as patterns. */
function filled(page, parts) {
  return Object.entries(parts).reduce((text, [name, part]) => text.replace(`<!--pliant:${name}-->`, () => part), page);
}

async function player() {
  const { script, texts } = await bundle("src/main.ts");
  const style = await styles("src/style.css");
  const page = await readFile(resolve(here, "src/page.html"), "utf8");
  return filled(page, {
    style: `<!--pliant:style-->\n<style>\n${style}</style>\n<!--/pliant:style-->`,
    script: `<!--pliant:script-->\n<script type="text/plain" id="pliant-licences">\n${texts}\n</script>\n` +
      `<script>\n${script}</script>\n<!--/pliant:script-->`,
  });
}

/** The page with the engine: nothing is loaded from anywhere, and nothing else may run in it. */
async function page(wasm) {
  const [{ script, texts }, worker] = [await bundle("src/page/main.ts"), await bundle("src/page/worker.ts")];
  const style = await styles("src/style.css", "src/page/page.css");
  const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const policy =
    `default-src 'none'; script-src ${hash(script)} 'wasm-unsafe-eval' blob:; worker-src blob:; ` +
    `style-src ${hash(style)}; img-src data: blob:; base-uri 'none'; form-action 'none'`;
  const packed = deflateSync(wasm, { level: 9 }).toString("base64");
  const text = await readFile(resolve(here, "src/page/page.html"), "utf8");
  return filled(text.replace("CONTENT-SECURITY-POLICY", () => policy), {
    style: `<style>${style}</style>`,
    data: `<script type="text/plain" id="pliant-licences">\n${texts}\n</script>\n` +
      `<script type="text/plain" id="pliant-worker">${worker.script}</script>\n` +
      `<script type="text/plain" id="pliant-engine">${packed}</script>`,
    script: `<script>${script}</script>`,
  });
}

async function write(name, text) {
  // What is written anew makes cargo build the program again.
  const before = await readFile(resolve(out, name), "utf8").catch(() => null);
  if (before !== text) await writeFile(resolve(out, name), text);
  const [size, packed] = [text.length, gzipSync(text).length].map((bytes) => (bytes / 1e6).toFixed(2));
  console.log(`${resolve(out, name)}: ${size} MB, ${packed} MB compressed`);
}

await mkdir(out, { recursive: true });
await write("player.html", await player());
if (module) await write("pliant.html", await page(await readFile(module)));
else await rm(resolve(out, "pliant.html"), { force: true });
