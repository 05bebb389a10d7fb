// Bundles the player into one page: node build.mjs [FILE]

import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

const here = import.meta.dirname;
const out = resolve(process.argv[2] ?? resolve(here, "../target/web/player.html"));

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

const bundle = await build({
  absWorkingDir: here,
  entryPoints: ["src/main.ts"],
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
const css = await readFile(resolve(here, "src/style.css"), "utf8");
const dark = `
  --ink: #e4e8ee; --quiet: #98a3b3; --line: #2d3541; --card: #1a2028; --grid: #2a313c;
  --accent: #7fb0f5; --sky: linear-gradient(#232b36, #161b22); --floor: #39424f; --floor-line: #66717f; --dark: 1;
  --bad: #ff9b93; --bad-back: #3a1d1d; --warning: #f2c063; --warning-back: #33290f;
  --note: #8db8f7; --note-back: #182a43; --good: #7fd3a2; --good-back: #142d20;
  --c0: #6aa5f0; --c1: #f29a55; --c2: #63c28d; --c3: #f07a90;
  --c4: #ac92ee; --c5: #dcb640; --c6: #4fc0d2; --c7: #df8cc8; color-scheme: dark;`;
const style = css.replaceAll("DARK", dark).replace(/\n\s+/g, "\n");
// No text of the script may end its element.
const script = bundle.outputFiles[0].text.replaceAll("</script", "<\\/script");
const texts = (await licences(bundle.metafile)).replaceAll("</", "<\\/");
const page = await readFile(resolve(here, "src/page.html"), "utf8");
// Functions, as a text would have its dollar signs read as patterns.
const filled = page
  .replace("<!--pliant:style-->", () => `<!--pliant:style-->\n<style>\n${style}</style>\n<!--/pliant:style-->`)
  .replace("<!--pliant:script-->", () =>
    `<!--pliant:script-->\n<script type="text/plain" id="pliant-licences">\n${texts}\n</script>\n` +
    `<script>\n${script}</script>\n<!--/pliant:script-->`);
await mkdir(dirname(out), { recursive: true });
await writeFile(out, filled);
console.log(`${out}: ${Math.round(filled.length / 1024)} kB`);
