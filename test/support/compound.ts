/** Inspects compound documents: which resources they contain and how those are linked. */

import type { JsonObject } from "../../src/domain/json.ts";

export interface AnyResource extends JsonObject {
  type: string;
  id: string;
}

/** The primary data of a document as a list. */
export function primary(body: JsonObject): AnyResource[] {
  return (Array.isArray(body.data) ? body.data : [body.data]) as AnyResource[];
}

export function related(body: JsonObject): AnyResource[] {
  return (body.included ?? []) as AnyResource[];
}

export const idsOf = (body: JsonObject): string[] => primary(body).map(({ id }) => id);
