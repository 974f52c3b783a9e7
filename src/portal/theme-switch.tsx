/** The button that switches between the system, light and dark theme. */

import { Button } from "./kit/button.tsx";
import { store } from "./storage.ts";
import { createStore, useStore } from "./store.ts";

type Choice = "system" | "light" | "dark";

// apply-theme.ts has set it.
const selection = createStore((document.documentElement.dataset.theme ?? "system") as Choice);

const NEXT: Record<Choice, Choice> = { system: "light", light: "dark", dark: "system" };
const SHAPES: Record<Choice, string> = {
  system: "M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zm0 1.5v12a6 6 0 0 1 0-12z",
  light:
    "M10 6a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM9.25 1h1.5v3h-1.5zM9.25 16h1.5v3h-1.5zM1 9.25h3v1.5H1zM16 9.25h3v1.5h-3zM3.1 4.2l1.1-1.1 2.1 2.1-1.1 1.1zM13.7 14.8l1.1-1.1 2.1 2.1-1.1 1.1zM15.8 3.1l1.1 1.1-2.1 2.1-1.1-1.1zM5.2 13.7l1.1 1.1-2.1 2.1-1.1-1.1z",
  dark: "M8 2.5a7.6 7.6 0 1 0 9.5 9.5A6.2 6.2 0 0 1 8 2.5z",
};

export function ThemeSwitch() {
  const chosen = useStore(selection);
  const next = NEXT[chosen];
  const label = `Theme: ${chosen}. Switch to ${next}`;
  return (
    <Button
      look="plain"
      className="theme-switch"
      aria-label={label}
      title={label}
      onClick={() => choose(next)}
    >
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        <path d={SHAPES[chosen]} fill="currentColor" fillRule="evenodd" />
      </svg>
    </Button>
  );
}

function choose(choice: Choice): void {
  if (choice === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  store("matchbook.theme", choice === "system" ? undefined : choice);
  selection.set(choice);
}
