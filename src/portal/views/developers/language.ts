/** The language of code samples, which the visitor selects once for all pages. */

import { store, stored } from "../../storage.ts";
import { createStore, useStore } from "../../store.ts";

export const LANGUAGES = [
  { value: "curl", label: "curl" },
  { value: "typescript", label: "TypeScript" },
  { value: "python", label: "Python" },
  { value: "fetch", label: "fetch" },
] as const;
export type Language = (typeof LANGUAGES)[number]["value"];

const STORED = "matchbook.language";

const language = createStore<Language>(
  LANGUAGES.find(({ value }) => value === stored(STORED))?.value ?? "curl",
);

export function setLanguage(chosen: Language): void {
  store(STORED, chosen);
  language.set(chosen);
}

export const useLanguage = (): Language => useStore(language);
