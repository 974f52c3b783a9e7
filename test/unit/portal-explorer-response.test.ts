/** The explorer's response parser: it accepts incomplete and unexpected documents. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fieldNames, parseResponse } from "../../src/portal/views/explorer/response.ts";
import { aMatch } from "../support/records.ts";

describe("a response", () => {
  const document = aMatch({ id: "m" });

  test("has links and the time window that was searched", () => {
    const window = { start: "2026-03-01T00:00:00Z", end: "2026-03-02T00:00:00Z" };
    const response = parseResponse({ data: [], links: { next: "http://n" }, meta: { window } });
    expect(response.links).toEqual({ prev: undefined, next: "http://n" });
    expect(response.window).toEqual(window);
    expect(parseResponse({ data: [] }).window).toBeUndefined();
  });

  test("shows which fields each type has", () => {
    const names = fieldNames(document);
    expect([...names.keys()].sort()).toEqual(["match", "participant", "player", "roster"]);
    expect([...names.get("roster")!]).toEqual(["shardId", "won", "stats", "participants"]);
  });

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
