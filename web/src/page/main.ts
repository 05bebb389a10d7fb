// Unpacks the engine that the page holds, and starts it.

import { element } from "../element";
import { App } from "./app";

declare global {
  interface Window {
    /** The page, once the engine answers; for tests. */
    pliantPage?: App;
  }
}

async function engine(): Promise<WebAssembly.Module> {
  const text = document.getElementById("pliant-engine")?.textContent?.trim() ?? "";
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

function worker(): string {
  const text = document.getElementById("pliant-worker")?.textContent ?? "";
  return URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
}

/** A scene that the program has put into the page. */
function given(): { name: string; text: string; sets: string[] } | null {
  const text = document.getElementById("pliant-scene")?.textContent;
  return text ? JSON.parse(text) : null;
}

async function start(): Promise<void> {
  const root = document.getElementById("pliant-page");
  if (!root) return;
  const say = (sentence: string) => root.replaceChildren(element("p", { class: "sentence", role: "alert" }, sentence));
  if (typeof WebAssembly !== "object") {
    return say("This browser does not run WebAssembly, which the engine is compiled to; any browser of the last years does.");
  }
  try {
    const module = await engine();
    window.pliantPage = await App.start(root, module, worker(), given());
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    say(`The engine could not be started: ${why.replace(/\.$/, "")}.`);
  }
}

void start();
