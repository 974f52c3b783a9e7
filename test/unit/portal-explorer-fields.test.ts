/** The explorer's fields: lists, times, and the form built from the table of query parameters. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseTimestamp } from "../../src/domain/time.ts";
import { fieldsOf, hintOf, labelOf } from "../../src/portal/views/explorer/fields.ts";
import {
  added,
  endsItem,
  itemsIn,
  itemsTyped,
  listOf,
  toggled,
} from "../../src/portal/views/explorer/lists.ts";
import { isoOf, localOf, zoneAt } from "../../src/portal/views/explorer/local-time.ts";
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

  test("are added once, and toggled", () => {
    expect(added(["a"], ["b", "a"])).toEqual(["a", "b"]);
    expect(toggled(["a", "b"], "a")).toEqual(["b"]);
    expect(toggled(["b"], "a")).toEqual(["b", "a"]);
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

  test("has the visitor's time zone", () => {
    const minutes = -new Date(0).getTimezoneOffset();
    expect(zoneAt(0)).toMatch(minutes === 0 ? /^UTC$/ : /^UTC[+-]\d\d:\d\d$/);
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

  test("always shows the three most common filters, and the rest in groups", () => {
    const { common, groups } = fieldsOf("matches");
    expect(common.map(({ name }) => name)).toEqual([
      "filter[playerNames]",
      "filter[createdAt-start]",
      "filter[gameMode]",
    ]);
    expect(groups.map(([title]) => title)).toEqual([
      "Filters",
      "Sorting and paging",
      "Response content",
    ]);
    for (const on of TARGET_NAMES) expect(fieldsOf(on).common.length).toBeLessThanOrEqual(3);
  });

  test("includes new parameters of any family", () => {
    const row = { kind: "list", most: 50, description: "New.", example: "x" } as const;
    const { groups } = fieldsOf("matches", { "filter[heroNames]": row, flavour: row });
    expect(groups.map(([title, fields]) => [title, fields.map(({ name }) => name)])).toEqual([
      ["Filters", ["filter[heroNames]"]],
      ["Other", ["flavour"]],
    ]);
  });

  const labels: [name: string, label: string][] = [
    ["filter[playerNames]", "Player names"],
    ["filter[playerIds]", "Player IDs"],
    ["filter[createdAt-start]", "Created at (start)"],
    ["page[limit]", "Page limit"],
    ["fields[TYPE]", "Fields"],
    ["sort", "Sort"],
  ];
  test.each(labels)("has a readable label for %s", (name, label) => {
    expect(labelOf(name)).toBe(label);
  });

  test("explains each field in one sentence", () => {
    for (const parameter of PARAMETERS) {
      expect(hintOf(parameter)).toMatch(/^[^`]+\.$/);
      expect(hintOf(parameter).length).toBeLessThan(110);
    }
  });
});
