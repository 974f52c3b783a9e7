/** The language of code samples, which the visitor selects once for all pages. */

import { useSyncExternalStore } from "react";

export const LANGUAGES = [
  { value: "curl", label: "curl" },
  { value: "typescript", label: "TypeScript" },
  { value: "python", label: "Python" },
  { value: "fetch", label: "fetch" },
] as const;
export type Language = (typeof LANGUAGES)[number]["value"];

const STORED = "matchbook.language";

let language = storedLanguage();
const listeners = new Set<() => void>();

export function setLanguage(chosen: Language): void {
  language = chosen;
  try {
    localStorage.setItem(STORED, chosen);
  } catch {
    // Storage is blocked: the selection lasts until the page is closed.
  }
  for (const listener of listeners) listener();
}

export const useLanguage = (): Language => useSyncExternalStore(subscribe, () => language);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function storedLanguage(): Language {
  let name: string | null = null;
  try {
    name = localStorage.getItem(STORED);
  } catch {
    // Storage is blocked.
  }
  return LANGUAGES.find(({ value }) => value === name)?.value ?? "curl";
}
