// Dark and light: one style sheet for both, and the stage in the same colours.

import type { Stage } from "./stage";

/** Goes over from dark to light, or back. */
export function toggleTheme(root: HTMLElement): void {
  const dark = getComputedStyle(root).getPropertyValue("--dark").trim() === "1";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
}

/** Gives the stage the colours that the style sheet has now. */
export function dress(root: HTMLElement, stage: Stage | null): void {
  const style = getComputedStyle(root);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  stage?.dress({ ink: colour("--ink"), ground: colour("--floor"), line: colour("--floor-line") });
}
