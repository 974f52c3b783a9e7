/** Compares our JSON Schema validator with Ajv. */

import { describe, expect, test } from "bun:test";
import Ajv from "ajv/dist/2020.js";
import fc from "fast-check";
import type { Json, JsonObject } from "../../src/domain/json.ts";
import { type Schema, validate } from "../../src/schema/json-schema.ts";
import * as resources from "../../src/schema/resources.ts";
import { aMatch, duel } from "../support/records.ts";
import { scaled } from "../support/scale.ts";

const SCHEMAS = Object.entries(resources).filter(
  (entry): entry is [string, Schema] => typeof entry[1] === "object",
);

const { data, included } = aMatch({ rosters: duel({ id: "a" }, { id: "b" }) });
const VALID = [
  data,
  ...included,
  { type: "team", id: "t", attributes: { name: "T", shardId: "na" } },
];

/** Values that are valid in some place of a resource, or almost. */
const value = fc.oneof(
  fc.constantFrom<Json[]>(
    "",
    "na",
    "true",
    "match",
    "a b",
    "x".repeat(256),
    "😀".repeat(256),
    "x\u0000",
  ),
  fc.constantFrom<Json[]>("x".repeat(257), "😀".repeat(257), 0, -1, 1.5, 1e300, null, true, [], {}),
  fc.constantFrom<Json[]>([{ type: "roster", id: "r" }], { data: { type: "team", id: "t" } }),
  fc.jsonValue() as fc.Arbitrary<Json>,
);

/** Changes the member that `choices` lead to; undefined removes it. */
function changed(resource: JsonObject, choices: number[], to: Json | undefined): JsonObject {
  const copy = structuredClone(resource);
  let place: JsonObject | Json[] = copy;
  for (const [depth, choice] of choices.entries()) {
    const names = Object.keys(place);
    if (names.length === 0) break;
    const name = names[choice % names.length]!;
    const member = (place as JsonObject)[name];
    if (depth < choices.length - 1 && typeof member === "object" && member !== null) {
      place = member as JsonObject;
    } else if (to !== undefined) {
      (place as JsonObject)[name] = to;
      break;
    } else {
      delete (place as JsonObject)[name];
      break;
    }
  }
  return copy;
}

describe.each(SCHEMAS)("the schema %s", (_name, schema) => {
  const isValid = new Ajv({ strict: false }).compile(schema);

  test("accepts what Ajv accepts, and nothing else", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...(VALID as JsonObject[])),
        fc.array(fc.nat(12), { minLength: 1, maxLength: 5 }),
        fc.option(value, { nil: undefined }),
        (resource, choices, to) => {
          const candidate = changed(resource, choices, to);
          expect(validate(schema, candidate).length === 0).toBe(isValid(candidate));
        },
      ),
      { numRuns: scaled(4000) },
    );
  });
});
