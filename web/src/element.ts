// Elements of the page in one line each.

type Attributes = Record<string, string | number | boolean | ((event: any) => void)>;

/** An element with attributes, listeners (`onclick`) and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") made.toggleAttribute(name, value);
    else made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/** A button that shows a sign, with its meaning and key as title. */
export function button(sign: string, title: string, action: () => void): HTMLButtonElement {
  return element("button", { type: "button", title, "aria-label": title, onclick: action }, sign);
}

/** A box to tick with its label. */
export function tick(label: string, title: string, action: (on: boolean) => void): HTMLInputElement {
  const input = element("input", { type: "checkbox", "aria-label": label, title });
  input.addEventListener("change", () => action(input.checked));
  return input;
}

/** Drawn signs: fonts do not have all of them. */
const SIGNS = {
  play: "M5 3l9 5.5L5 14z",
  pause: "M4 3h3.2v11H4zM9.8 3H13v11H9.8z",
  first: "M3 3h2.2v11H3zM14 3v11L6 8.5z",
  last: "M11.8 3H14v11h-2.2zM3 3l8 5.5L3 14z",
  back: "M10.5 3v11L3.5 8.5z",
  on: "M6.5 3l7 5.5-7 5.5z",
};

/** Shows a drawn sign in a button. */
export function sign(on: HTMLElement, name: keyof typeof SIGNS): HTMLElement {
  on.innerHTML = `<svg viewBox="0 0 17 17" width="17" height="17" aria-hidden="true"><path d="${SIGNS[name]}" fill="currentColor"/></svg>`;
  return on;
}
