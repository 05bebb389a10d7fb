// Finds the runs in the page and starts the player.

import { button, element } from "./element";
import { Player } from "./player";
import { load, type Run } from "./run";

declare global {
  interface Window {
    /** The player, once all runs are read; for tests. */
    pliantPlayer?: Player;
  }
}

/** Runs that are shown side by side; a page has one group or several to choose from. */
function groups(): Map<string, Element[]> {
  const found = new Map<string, Element[]>();
  for (const script of document.querySelectorAll("script[type='application/x-pliant-run']")) {
    const name = script.getAttribute("data-group") ?? "";
    found.set(name, [...(found.get(name) ?? []), script]);
  }
  return found;
}

/** Reads the runs of a group and shows them in place of those before. */
async function show(root: HTMLElement, scripts: Element[]): Promise<void> {
  const [runs, sentences]: [Run[], string[]] = [[], []];
  for (const script of scripts) {
    const loaded = await load(script);
    if ("sentence" in loaded) sentences.push(loaded.sentence);
    else runs.push(loaded.run);
  }
  for (const run of runs.filter((run) => run.times.length === 0)) {
    sentences.push(`The recording of ${run.name} holds no frame: it was cut short before the first.`);
  }
  const shown = runs.filter((run) => run.times.length > 0);
  if (scripts.length === 0) sentences.push("This page holds no run; pliant view RUN writes one that does.");
  window.pliantPlayer?.end();
  window.pliantPlayer = undefined;
  if (shown.length === 0) {
    root.replaceChildren(...sentences.map((text) => element("p", { class: "sentence", role: "alert" }, text)));
    return;
  }
  window.pliantPlayer = new Player(root, shown, sentences, root.hasAttribute("data-in-report"));
}

async function start(): Promise<void> {
  const root = document.getElementById("pliant-player");
  if (!root) return;
  const all = groups();
  if (all.size < 2) return show(root, [...all.values()].flat());
  const choices = element("div", { class: "pliant-groups", role: "tablist", "aria-label": "runs" });
  const choose = async (name: string) => {
    for (const choice of choices.children) choice.setAttribute("aria-selected", String(choice.textContent === name));
    await show(root, all.get(name) ?? []);
  };
  for (const name of all.keys()) {
    const choice = button(name, `show ${name}`, () => void choose(name));
    choice.setAttribute("role", "tab");
    choices.append(choice);
  }
  root.before(choices);
  // A page can name the group that it begins with after its address.
  const asked = decodeURIComponent(location.hash.slice(1));
  await choose(all.has(asked) ? asked : [...all.keys()][0]);
}

start();
