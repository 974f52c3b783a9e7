/** Light and dark theme: follows the system unless the visitor selects one. */

import { useSyncExternalStore } from "react";

export type Choice = "system" | "light" | "dark";

const NAME = "matchbook.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

/** The visitor's selection. */
function chosenTheme(): Choice {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}

export function chooseTheme(choice: Choice): void {
  if (choice === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  try {
    if (choice === "system") localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, choice);
  } catch {
    // Storage is blocked: the selection lasts until the page is closed.
  }
  for (const listener of listeners) listener();
}

/** The effective theme, for canvases, which style sheets do not reach. */
export const useTheme = (): "light" | "dark" => useSyncExternalStore(subscribe, effectiveTheme);

export const useChosenTheme = (): Choice => useSyncExternalStore(subscribe, chosenTheme);

function effectiveTheme(): "light" | "dark" {
  const chosen = chosenTheme();
  return chosen === "system" ? (system.matches ? "dark" : "light") : chosen;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  system.addEventListener("change", listener);
  return () => {
    listeners.delete(listener);
    system.removeEventListener("change", listener);
  };
}
