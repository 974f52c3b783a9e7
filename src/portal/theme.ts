/** In charge of light and dark: as the system has it, unless the visitor chose one. */

import { useSyncExternalStore } from "react";

export type Choice = "system" | "light" | "dark";

const NAME = "matchbook.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

/** What the visitor chose. */
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
    // It lasts as long as the page, then.
  }
  for (const listener of listeners) listener();
}

/** What is seen: for what is drawn and cannot be told by style sheets. */
export const useTheme = (): "light" | "dark" => useSyncExternalStore(subscribe, seen);

export const useChosenTheme = (): Choice => useSyncExternalStore(subscribe, chosenTheme);

function seen(): "light" | "dark" {
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
