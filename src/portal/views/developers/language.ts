/** The languages of code samples. The visitor selects one, once for all pages. */

import { useSyncExternalStore } from "react";
import type { Language as Highlighting } from "../../kit/code.tsx";
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

let language = languageNamed(storedName());
const listeners = new Set<() => void>();

export function setLanguage(name: string): void {
  language = languageNamed(name);
  try {
    localStorage.setItem(STORED, name);
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

function languageNamed(name: string | null): Language {
  return LANGUAGES.find(({ value }) => value === name) ?? LANGUAGES[0]!;
}

function storedName(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}
