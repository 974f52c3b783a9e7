/** Match documents to be edited in place: invalid and unusual ones. */

import type { MatchDocument } from "./records.ts";

// biome-ignore lint/suspicious/noExplicitAny: drafts take every shape, wrong ones above all.
export type Loose = any;

export type Draft = ReturnType<typeof draftOf>;

/** A document whose resources can be looked up by name and changed in place. */
export function draftOf(document: MatchDocument) {
  const copy: Loose = structuredClone(document);
  const isNamed = (key: string) => (one: Loose) => `${one.type}/${one.id}` === key;
  return {
    document: copy,
    match: copy.data as Loose,
    /** An included resource, by its key ("roster/a"). */
    at: (key: string): Loose => copy.included.find(isNamed(key)),
    /** Removes an included resource. */
    drop(key: string) {
      copy.included = copy.included.filter((one: Loose) => !isNamed(key)(one));
    },
  };
}

/** JSON text that appears in a document verbatim. */
export const written: (text: string) => Loose = (JSON as Loose).rawJSON;
