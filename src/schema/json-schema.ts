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
export function validate(
  schema: Schema,
  value: unknown,
  path = "",
  found: Violation[] = [],
): Violation[] {
  const expect = (isValid: boolean, keyword: keyof Schema) => {
    if (!isValid) found.push({ keyword, schema, value, path });
  };
  const { type, minimum, maximum, minItems, maxItems, items } = schema;
  if (schema.enum) expect(schema.enum.includes(value as string), "enum");
  if (type && !hasType(value, type)) expect(false, "type");
  else if (typeof value === "string") {
    if (schema.const !== undefined) expect(value === schema.const, "const");
    if (schema.pattern) expect(regExp(schema.pattern).test(value), "pattern");
    const { minLength, maxLength } = schema;
    if (minLength) expect(value.length >= minLength, "minLength");
    if (maxLength) expect(value.length <= maxLength || [...value].length <= maxLength, "maxLength");
  } else if (typeof value === "number") {
    if (minimum !== undefined) expect(value >= minimum, "minimum");
    if (maximum !== undefined) expect(value <= maximum, "maximum");
  } else if (Array.isArray(value)) {
    if (minItems) expect(value.length >= minItems, "minItems");
    if (maxItems) expect(value.length <= maxItems, "maxItems");
    if (!items) return found;
    for (const [index, item] of value.entries()) validate(items, item, join(path, index), found);
  } else if (isObject(value)) {
    const { required, properties, additionalProperties } = schema;
    if (required) expect(missingMembers(schema, value).length === 0, "required");
    for (const name in properties) {
      if (Object.hasOwn(value, name)) {
        validate(properties[name]!, value[name], join(path, name), found);
      }
    }
    if (additionalProperties === false) {
      expect(unknownMembers(schema, value).length === 0, "additionalProperties");
    } else if (additionalProperties) {
      for (const name in value) {
        validate(additionalProperties, value[name], join(path, name), found);
      }
    }
  }
  return found;
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

const join = (path: string, name: string | number) => (path === "" ? `${name}` : `${path}.${name}`);

const patterns = new Map<string, RegExp>();

function regExp(pattern: string): RegExp {
  let found = patterns.get(pattern);
  if (!found) {
    found = new RegExp(pattern, "u");
    patterns.set(pattern, found);
  }
  return found;
}
