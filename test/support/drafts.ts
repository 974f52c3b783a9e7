/** Match documents to be edited in place: invalid and unusual ones. */

import type { MatchDocument } from "./records.ts";

// biome-ignore lint/suspicious/noExplicitAny: drafts take every shape, wrong ones above all.
export type Loose = any;

/** A document whose resources can be looked up by name and changed in place. */
export interface Draft {
  document: Loose;
  match: Loose;
  /** An included resource, by its key ("roster/a"). */
  at(key: string): Loose;
  /** Removes an included resource. */
  drop(key: string): void;
}

export function draftOf(document: MatchDocument): Draft {
  const copy: Loose = structuredClone(document);
  const isNamed = (key: string) => (one: Loose) => `${one.type}/${one.id}` === key;
  return {
    document: copy,
    match: copy.data,
    at: (key) => copy.included.find(isNamed(key)),
    drop(key) {
      copy.included = copy.included.filter((one: Loose) => !isNamed(key)(one));
    },
  };
}

/** JSON text that appears in a document verbatim. */
export const written: (text: string) => Loose = (JSON as Loose).rawJSON;
