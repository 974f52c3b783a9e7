/** In charge of what a document includes: each resource by its name, and those that bear a name twice. */

import { isObject, type JsonObject, keyOf, type Resource } from "../domain/json.ts";
import type { ResourceIndex } from "./gather.ts";

export interface Included {
  /** The first resource of each name. */
  index: ResourceIndex;
  /** Further ones that bear a name already taken. */
  repeats: Map<string, Resource[]>;
  problems: string[];
}

export function indexIncluded(document: JsonObject): Included {
  const index = new Map<string, Resource>();
  const repeats = new Map<string, Resource[]>();
  const problems: string[] = [];
  const included = document.included ?? [];
  if (!Array.isArray(included)) return { index, repeats, problems: ["included must be a list"] };
  const primary = new Set(
    (Array.isArray(document.data) ? document.data : [document.data]).map((match) =>
      isObject(match) && typeof match.id === "string" ? `match/${match.id}` : "",
    ),
  );
  for (const resource of included) {
    if (
      !isObject(resource) ||
      typeof resource.type !== "string" ||
      typeof resource.id !== "string"
    ) {
      problems.push('included must hold resources with a "type" and an "id"');
      continue;
    }
    const one = resource as unknown as Resource;
    const key = keyOf(one);
    if (!index.has(key) && !primary.has(key)) index.set(key, one);
    else if (!repeats.get(key)?.push(one)) repeats.set(key, [one]);
  }
  return { index, repeats, problems };
}
