/** The explorer's fields: lists, times, and the form built from the table of query parameters. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseTimestamp } from "../../src/domain/time.ts";
import { fieldsOf, hintOf } from "../../src/portal/views/explorer/fields.ts";
import { endsItem, itemsIn, itemsTyped, listOf } from "../../src/portal/views/explorer/lists.ts";
import { isoOf, localOf } from "../../src/portal/views/explorer/local-time.ts";
import { TARGET_NAMES, TARGETS, type Target } from "../../src/portal/views/explorer/targets.ts";
import { PARAMETERS } from "../support/parameters.ts";

describe("the items of a list", () => {
  test("survive a round trip through the value", () => {
    const item = fc.oneof(
      fc.string({ unit: "binary", minLength: 1 }),
      fc.string({ unit: fc.constantFrom(",", "\\", "a", " "), minLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(item), (items) => {
        expect(itemsIn(listOf(items))).toEqual(items);
      }),
    );
  });

  test("are one item to fix if the value is not a valid list", () => {
    expect(itemsIn("a\\b")).toEqual(["a\\b"]);
    expect(itemsIn("a,,b")).toEqual(["a,,b"]);
    expect(itemsIn("")).toEqual([]);
  });

  const typed: [text: string, items: string[]][] = [
    ["Ada", ["Ada"]],
    [" Ada , Grace,", ["Ada", "Grace"]],
    ["Ada\\, Countess", ["Ada, Countess"]],
    ["back\\slash", ["back\\slash"]],
    ["a,, b\\,c", ["a", "b,c"]],
    ["  ", []],
  ];
  test.each(typed)("typed as %j", (text, items) => {
    expect(itemsTyped(text)).toEqual(items);
  });

  test("end with a comma that is typed, unless it is escaped", () => {
    expect(endsItem("Ada,")).toBe(true);
    expect(endsItem("Ada\\,")).toBe(false);
    expect(endsItem("Ada")).toBe(false);
  });
});

describe("a time in a field", () => {
  test("is the same time in the query, to the millisecond", () => {
    const moment = fc.integer({ min: Date.UTC(1971, 0), max: Date.UTC(2090, 0) });
    fc.assert(
      fc.property(moment, (at) => {
        const iso = new Date(at).toISOString();
        expect(parseTimestamp(isoOf(localOf(iso)!)!)).toBe(at);
      }),
    );
  });

  test("is written as browsers write it", () => {
    const local = (text: string) => localOf(isoOf(text)!);
    for (const text of ["2026-03-01T18:30", "2026-03-01T18:30:05", "2026-03-01T18:30:05.250"]) {
      expect(local(text)).toBe(text);
    }
  });

  test("is undefined for an invalid value and an incomplete field", () => {
    expect(localOf("yesterday")).toBeUndefined();
    expect(localOf("2026-03-01T18:30:00")).toBeUndefined();
    expect(isoOf("")).toBeUndefined();
  });
});

describe("the form", () => {
  const namesOn = (on: Target) => {
    const { common, groups } = fieldsOf(on);
    return [...common, ...groups.flatMap(([, fields]) => fields)].map(({ name }) => name);
  };

  test("has every parameter that the target accepts", () => {
    for (const on of TARGET_NAMES) {
      const taken = Object.keys(TARGETS[on].endpoint.parameters);
      expect([on, ...namesOn(on).sort()]).toEqual([on, ...taken.sort()]);
    }
  });

  test("includes new parameters of any family", () => {
    const row = { kind: "list", most: 50, description: "New.", example: "x" } as const;
    const { groups } = fieldsOf("matches", { "filter[heroNames]": row, flavour: row });
    expect(groups.map(([title, fields]) => [title, fields.map(({ name }) => name)])).toEqual([
      ["Filters", ["filter[heroNames]"]],
      ["Other", ["flavour"]],
    ]);
  });

  test("explains each field in one sentence", () => {
    for (const parameter of PARAMETERS) {
      expect(hintOf(parameter)).toMatch(/^[^`]+\.$/);
      expect(hintOf(parameter).length).toBeLessThan(110);
    }
  });
});
