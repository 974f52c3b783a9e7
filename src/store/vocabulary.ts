/** In charge of the vocabulary as it is stored: words that say of what kind they are. */

import type { Vocabulary } from "./store.ts";

export function readVocabulary(words: readonly string[]): Vocabulary {
  const after = (prefix: string) =>
    new Set(
      words.filter((word) => word.startsWith(prefix)).map((word) => word.slice(prefix.length)),
    );
  return { includePaths: after("path:"), types: after("type:") };
}
