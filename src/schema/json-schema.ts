/** The part of JSON Schema that describes resources: functions that build a schema, and a validator. */

import { isObject } from "../domain/json.ts";

export interface Schema {
  type?: "object" | "array" | "string" | "integer" | "number";
  description?: string;
  const?: string;
  enum?: readonly string[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  properties?: Fields;
  required?: readonly string[];
  additionalProperties?: Schema | false;
}

export type Fields = Readonly<Record<string, Schema>>;

export const string = (more?: Schema): Schema => ({ type: "string", ...more });
export const integer = (more: Schema): Schema => ({ type: "integer", ...more });
export const number = (more: Schema): Schema => ({ type: "number", ...more });
export const array = (items: Schema, more?: Schema): Schema => ({ type: "array", items, ...more });

/** Objects are open: they may have more members. */
export const object = (required: Fields, optional?: Fields): Schema => ({
  type: "object",
  required: Object.keys(required),
  properties: { ...required, ...optional },
});

/** They may not. */
export const closed = (required: Fields, optional?: Fields): Schema => ({
  ...object(required, optional),
  additionalProperties: false,
});

/** A keyword of a schema that a value violates. */
export interface Violation {
  keyword: keyof Schema;
  schema: Schema;
  value: unknown;
  /** Where the value is, e.g. attributes.stats.farm; empty for the whole. */
  path: string;
}

/** Every violation: those of an object before those of its members. */
export function validate(schema: Schema, value: unknown): Violation[] {
  const found: Violation[] = [];
  collect(schema, value, found);
  return found;
}

function collect(schema: Schema, value: unknown, found: Violation[]): void {
  const { type } = schema;
  const violate = (keyword: keyof Schema) => found.push({ keyword, schema, value, path: "" });
  if (schema.enum && !schema.enum.includes(value as string)) violate("enum");
  if (type && !hasType(value, type)) violate("type");
  else if (typeof value === "string") {
    const { pattern, minLength, maxLength } = schema;
    if (schema.const !== undefined && value !== schema.const) violate("const");
    if (pattern && !regExp(pattern).test(value)) violate("pattern");
    if (minLength && value.length < minLength) violate("minLength");
    if (maxLength && value.length > maxLength && [...value].length > maxLength)
      violate("maxLength");
  } else if (typeof value === "number") {
    const { minimum, maximum } = schema;
    if (minimum !== undefined && value < minimum) violate("minimum");
    if (maximum !== undefined && value > maximum) violate("maximum");
  } else if (Array.isArray(value)) {
    const { minItems, maxItems, items } = schema;
    if (minItems && value.length < minItems) violate("minItems");
    if (maxItems && value.length > maxItems) violate("maxItems");
    for (let at = 0; items && at < value.length; at++) collectMember(items, value[at], at, found);
  } else if (isObject(value)) {
    const { properties, additionalProperties } = schema;
    if (schema.required?.some((name) => !Object.hasOwn(value, name))) violate("required");
    for (const name in properties) {
      if (Object.hasOwn(value, name)) collectMember(properties[name]!, value[name], name, found);
    }
    if (additionalProperties === false) {
      if (unknownMembers(schema, value).length > 0) violate("additionalProperties");
    } else if (additionalProperties) {
      for (const name in value) collectMember(additionalProperties, value[name], name, found);
    }
  }
}

/** Paths are written for violations alone: most values have none. */
function collectMember(schema: Schema, value: unknown, name: string | number, found: Violation[]) {
  const before = found.length;
  collect(schema, value, found);
  for (let at = before; at < found.length; at++) {
    const { path } = found[at]!;
    found[at]!.path = path === "" ? `${name}` : `${name}.${path}`;
  }
}

export const missingMembers = ({ required = [] }: Schema, value: object): string[] =>
  required.filter((name) => !Object.hasOwn(value, name));

export const unknownMembers = ({ properties = {} }: Schema, value: object): string[] =>
  Object.keys(value).filter((name) => !Object.hasOwn(properties, name));

function hasType(value: unknown, type: NonNullable<Schema["type"]>): boolean {
  switch (type) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const patterns = new Map<string, RegExp>();

function regExp(pattern: string): RegExp {
  let found = patterns.get(pattern);
  if (!found) {
    found = new RegExp(pattern, "u");
    patterns.set(pattern, found);
  }
  return found;
}
