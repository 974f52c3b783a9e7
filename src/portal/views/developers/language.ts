/** The languages of code samples. The visitor selects one, once for all pages. */

import type { Language as Highlighting } from "../../kit/code.tsx";
import { store, stored } from "../../storage.ts";
import { createStore, useStore } from "../../store.ts";
import { curlOf, fetchOf, pythonOf, type SampleRequest } from "./samples.ts";

interface Language {
  value: string;
  label: string;
  highlighting: Highlighting;
  write(request: SampleRequest): string;
}

/** Each runs as it is, without a package. */
export const LANGUAGES: readonly Language[] = [
  { value: "fetch", label: "fetch", highlighting: "javascript", write: fetchOf },
  { value: "curl", label: "curl", highlighting: "shell", write: curlOf },
  { value: "python", label: "Python", highlighting: "python", write: pythonOf },
];

const STORED = "matchbook.language";

const language = createStore(languageNamed(stored(STORED)));

export function setLanguage(name: string): void {
  store(STORED, name);
  language.set(languageNamed(name));
}

export const useLanguage = (): Language => useStore(language);

function languageNamed(name: string | undefined): Language {
  return LANGUAGES.find(({ value }) => value === name) ?? LANGUAGES[0]!;
}
