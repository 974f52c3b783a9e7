/** Checks that two servers give the same responses before they are compared. */

import { type Document, documentIn, type Reply } from "./asking.ts";

/** The difference between two responses, or undefined. */
export function difference(one: Reply, other: Reply): string | undefined {
  if (one.status !== other.status) return `status ${one.status} and ${other.status}`;
  if (one.status === 304) return undefined;
  return documentDifference(documentIn(one), documentIn(other));
}

export function documentDifference(one: Document, other: Document): string | undefined {
  const [ids, otherIds] = [idsIn(one), idsIn(other)];
  if (ids.join() !== otherIds.join()) {
    return `data [${ids.join(", ")}] and [${otherIds.join(", ")}]`;
  }
  const [count, otherCount] = [one.included?.length ?? 0, other.included?.length ?? 0];
  if (count !== otherCount) return `${count} and ${otherCount} resources in included`;
  return undefined;
}

const idsIn = ({ data }: Document): string[] =>
  (Array.isArray(data) ? data : [data]).map(({ id }) => id);
