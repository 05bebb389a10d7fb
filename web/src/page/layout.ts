// What stands around the stage: the buttons at the top and the licences at the bottom.

import { button, element } from "../element";

/** What the buttons at the top do. */
export interface TopActions {
  scenes: () => void;
  tour: () => void;
  share: () => void;
  theme: () => void;
  help: () => void;
  /** Opens files. */
  open: (files: File[]) => Promise<void>;
}

/** The buttons at the top. */
export function tools(act: TopActions): HTMLElement {
  const picker = element("input", { type: "file", multiple: true, class: "hidden-file", "aria-label": "open a mesh, an outline or a scene file" });
  picker.addEventListener("change", () => void act.open([...(picker.files ?? [])]).finally(() => (picker.value = "")));
  const named = (text: string, title: string, action: () => void) => element("button", { type: "button", title, onclick: action }, text);
  return element(
    "span",
    { class: "tools" },
    element("label", { class: "open", title: "open a mesh, an outline or a scene file; it stays on this machine" }, "Open…", picker),
    named("Scenes", "choose a scene (s)", act.scenes),
    named("Tour", "six steps", act.tour),
    named("Link", "copy a link to this scene with its values", act.share),
    button("◐", "dark or light (d)", act.theme),
    button("?", "keys (?)", act.help),
  );
}

/** Version and licences, folded. */
export function footer(version: string): HTMLElement {
  const text = document.getElementById("pliant-licences")?.textContent ?? "";
  const folded = element("details", { class: "licences" }, element("summary", {}, `Pliant ${version}: the engine runs in this page; nothing is uploaded. Licences`));
  folded.append(element("pre", {}, text.trim()));
  return folded;
}
