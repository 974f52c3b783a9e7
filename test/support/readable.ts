/** Resources as the portal reads them, with the resources they link to. */

import type { Readable } from "../../src/portal/match.ts";

export const readable = (
  id: string,
  attributes: Readable["attributes"],
  linked: Record<string, readonly Readable[]> = {},
): Readable => ({
  type: "resource",
  id,
  attributes,
  raw: { relationships: linked },
  relation: (name) => linked[name] ?? [],
});
