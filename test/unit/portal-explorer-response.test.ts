/** The explorer's response parser: it accepts incomplete and unexpected documents. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fieldNames, parseResponse } from "../../src/portal/views/explorer/response.ts";

describe("a response", () => {
  test("may be any JSON", () => {
    const part = fc.record(
      {
        type: fc.constantFrom("match", "roster"),
        id: fc.string(),
        attributes: fc.jsonValue(),
        relationships: fc.dictionary(fc.string(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    const any = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { data: fc.oneof(part, fc.array(part), fc.jsonValue()), included: fc.jsonValue() },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(any, (value) => {
        for (const one of parseResponse(value).records) {
          for (const name of Object.keys(one.relationships)) one.relation(name);
        }
        expect(fieldNames(value)).toBeInstanceOf(Map);
      }),
    );
  });
});
