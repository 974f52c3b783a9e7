/** Random JSON values as records may contain them, and other spellings of them. */

import fc from "fast-check";
import { isObject, type Json } from "../../src/domain/json.ts";

const name = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom("__proto__", "constructor", "toString", "0", "10", "9", "01", "", "a", "b"),
);

/** Ingest rejects integers beyond 2^53, and JSON has no minus zero. */
const number = fc
  .oneof(
    fc.integer(),
    fc.constantFrom(2 ** 53, -(2 ** 53), 0.1, 1e-7, 5e-324, 12.5),
    fc.double({ min: -(2 ** 50), max: 2 ** 50, noNaN: true }),
  )
  .map((value) => value + 0);

export const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((again) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false),
    number,
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.array(again("value"), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(name, again("value")), { maxLength: 5, selector: ([key]) => key })
      .map((members) => fromMembers(members)),
  ),
})).value;

/** The same value with reversed members in every object. */
export function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return fromMembers(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

/** Parsed instead of assigned, so that __proto__ is an ordinary member. */
function fromMembers(members: [string, Json][]): Json {
  return JSON.parse(
    `{${members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)}}`,
  );
}
