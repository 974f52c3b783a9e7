/** The options of keys as text, with a fixed clock. */

import { describe, expect, test } from "bun:test";
import {
  expiryAfter,
  keyOptionParsers,
  parseNote,
  parseOverlap,
} from "../../src/settings/key-options.ts";

const NOW = Date.parse("2026-07-01T12:00:00Z");
const HOUR = 3_600_000;
const TIERS = [{ name: "hobby" }, { name: "community" }];

const errorOf = (parsed: { value: unknown } | { error: string }) =>
  "error" in parsed ? parsed.error : undefined;

describe("the end of a key", () => {
  test.each([
    ["never", null],
    ["30d", NOW + 30 * 24 * HOUR],
    ["12h", NOW + 12 * HOUR],
    ["90min", NOW + 1.5 * HOUR],
    ["2 w", NOW + 14 * 24 * HOUR],
    ["2027-01-31", Date.parse("2027-02-01T00:00:00Z")],
    ["2026-07-01", Date.parse("2026-07-02T00:00:00Z")],
    ["2027-01-31T18:00:00Z", Date.parse("2027-01-31T18:00:00Z")],
    ["2027-01-31T18:00:00+02:00", Date.parse("2027-01-31T16:00:00Z")],
  ])("is read from %p", (text, moment) => {
    expect(expiryAfter(NOW)(text)).toEqual({ value: moment });
  });

  test.each([
    ...["2026-06-30", "2026-07-01T12:00:00Z", "0d", "200000d", "9999-12-31"],
    ...["2027-01-31T18:00:00", "2027-02-30", "31.01.2027", "30", "-1d", "1m", ""],
  ])("is not read from %p", (text) => {
    expect(expiryAfter(NOW)(text)).toHaveProperty("error");
  });
});

describe("an overlap", () => {
  test.each([
    ["0", 0],
    ["0h", 0],
    ["30min", HOUR / 2],
    ["24h", 24 * HOUR],
    ["31d", 31 * 24 * HOUR],
  ])("is read from %p", (text, length) => expect(parseOverlap(text)).toEqual({ value: length }));

  test.each(["", "1", "32d", "1y", "h", "1.5h", "never", "2027-01-31"])(
    "is not read from %p",
    (text) => expect(errorOf(parseOverlap(text))).toContain("31d"),
  );
});

describe("the other options", () => {
  const parsers = keyOptionParsers(TIERS, NOW);

  test("are numbers and lists as in a tier, and errors mention the word default", () => {
    expect(parsers.rate("300")).toEqual({ value: 300 });
    expect(parsers.burst("0")).toEqual({ value: 0 });
    expect(parsers.matchesPerDay("0")).toEqual({ value: 0 });
    expect(parsers.shards("na,eu+*")).toEqual({ value: ["na", "eu", "*"] });
    expect(errorOf(parsers.rate("0"))).toMatch(/1 to 100000000.*default/);
    expect(errorOf(parsers.shards("NA"))).toMatch(/na\+eu.*default/);
  });

  test("name an existing tier", () => {
    expect(parsers.tier("community")).toEqual({ value: "community" });
    expect(errorOf(parsers.tier("comunity"))).toMatch(/community\?.*hobby, community/);
    expect(errorOf(parsers.tier("gold"))).toMatch(/^[^?]*hobby, community$/);
  });

  test("may name a tier called default", () => {
    const { tier } = keyOptionParsers([{ name: "free" }, { name: "default" }], NOW);
    expect(tier("default")).toEqual({ value: "default" });
  });

  test("include a note of one line, which an empty text removes", () => {
    expect(parseNote("")).toEqual({ value: null });
    expect(parseNote("ask Ana")).toEqual({ value: "ask Ana" });
    expect(errorOf(parseNote("two\nlines"))).toContain("1 to 500");
    expect(errorOf(parseNote("x".repeat(501)))).toContain("1 to 500");
  });
});
