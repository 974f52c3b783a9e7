/** Light and dark theme: follows the system unless the visitor selects one. */

import { store } from "./storage.ts";
import { createStore, useStore } from "./store.ts";

export type Choice = "system" | "light" | "dark";

// apply-theme.ts has set it.
const chosen = createStore((document.documentElement.dataset.theme ?? "system") as Choice);

export function chooseTheme(choice: Choice): void {
  if (choice === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  store("matchbook.theme", choice === "system" ? undefined : choice);
  chosen.set(choice);
}

/** The visitor's selection. */
export const useChosenTheme = (): Choice => useStore(chosen);
