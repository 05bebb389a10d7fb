// Keys of the page, and the box that lists them.

import { button, element } from "../element";

const KEYS: [string, string][] = [
  ["space", "play, pause"], ["→", "one step"], ["r", "start over"], ["[ ]", "slower, faster"],
  ["g", "pointer: grab, pin, look"], ["p", "pin what is held"], ["u", "unpin"], ["e", "separate bodies"], ["c", "next colours"],
  ["w t x", "wireframe, see through, section"], ["o f", "overlays, distance field"], ["v", "view of all"],
  ["1 2 3", "from the front, the right, above"], ["s", "scenes"], ["d", "dark, light"], ["?", "this list"],
];

const MOUSE =
  "Drag a body to move and throw it; drag beside it to turn the view, right drag or two fingers to move it, wheel or pinch to come closer. " +
  "Click a body to read its values. A mesh file that is dropped becomes a body of the scene.";

/** The list of keys, hidden at first. */
export function helpBox(): HTMLElement {
  const box = element("div", { class: "help", hidden: true });
  const list = element("dl");
  for (const [key, meaning] of KEYS) list.append(element("dt", {}, key), element("dd", {}, meaning));
  box.append(element("b", {}, "Keys"), list, element("p", {}, MOUSE), button("×", "close", () => (box.hidden = true)));
  return box;
}

/** Hands keys over that are not meant for a control; `act` says whether it knows the key. */
export function listenToKeys(act: (key: string) => boolean, signal: AbortSignal): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const typing = /^(SELECT|TEXTAREA)$/.test(target.tagName) || /^(text|number)$/.test((target as HTMLInputElement).type);
    const pressing = event.key === " " && /^(BUTTON|SUMMARY)$/.test(target.tagName);
    if (typing || pressing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (act(event.key.length === 1 ? event.key.toLowerCase() : event.key)) event.preventDefault();
  }, { signal });
}
