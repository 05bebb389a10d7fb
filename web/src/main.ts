// Finds the runs in the page and starts the player.

import { element } from "./element";
import { Player } from "./player";
import { load, type Run } from "./run";

declare global {
  interface Window {
    /** The player, once all runs are read; for tests. */
    pliantPlayer?: Player;
  }
}

async function start(): Promise<void> {
  const root = document.getElementById("pliant-player");
  if (!root) return;
  const scripts = [...document.querySelectorAll("script[type='application/x-pliant-run']")];
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
  if (shown.length === 0) {
    root.replaceChildren(...sentences.map((text) => element("p", { class: "sentence", role: "alert" }, text)));
    return;
  }
  window.pliantPlayer = new Player(root, shown, sentences, root.hasAttribute("data-in-report"));
}

start();
