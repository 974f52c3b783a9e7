/** What the schemas of responses are made of. */

import { ID_PATTERN } from "../domain/identifiers.ts";
import { JSON_API_VERSION } from "../domain/json.ts";

export type Schema = Record<string, unknown>;

export const URI = { type: "string", format: "uri" };
export const TIME = { type: "string", format: "date-time" };
export const DAY = { type: "string", format: "date" };
export const COUNT = { type: "integer", minimum: 0 };

export const list = (items: Schema, maxItems?: number): Schema => ({
  type: "array",
  items,
  ...(maxItems ? { maxItems } : {}),
});
export const object = (
  properties: Record<string, Schema>,
  required = Object.keys(properties),
): Schema => ({
  type: "object",
  properties,
  required,
});
/** A kind of resource; besides its members, it has its type. */
export const resource = (
  type: string,
  description: string,
  members: Record<string, Schema>,
): Schema => ({
  ...object({ type: { type: "string", const: type }, ...members }),
  description,
});
export const schema = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const reference = (type: string): Schema =>
  object({ type: { type: "string", const: type }, id: { type: "string", pattern: ID_PATTERN } });

export const JsonApi = object({ version: { type: "string", const: JSON_API_VERSION } });
export const SelfLink = object({ self: URI });
export function document(
  data: Schema,
  links: Schema,
  more: Record<string, Schema> = {},
  optional: readonly string[] = [],
): Schema {
  const properties: Record<string, Schema> = { data, ...more, links, jsonapi: JsonApi };
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { ...object(properties, required), additionalProperties: false };
}
