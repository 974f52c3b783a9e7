/** In charge of the terms of keys as people write them, on a clock of the test's own. */

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
    ["2026-06-30", "lies in the past"],
    ["2026-07-01T12:00:00Z", "lies in the past"],
    ["0d", "lies in the past"],
    ["200000d", "more than 100 years ahead"],
    ["9999-12-31", "more than 100 years ahead"],
    ["2027-01-31T18:00:00", "must be a moment with its zone"],
    ["2027-02-30", "must be a moment with its zone"],
    ["31.01.2027", "must be a moment with its zone"],
    ["30", "must be a moment with its zone"],
    ["-1d", "must be a moment with its zone"],
    ["1m", "must be a moment with its zone"],
    ["", "must be a moment with its zone"],
  ])("is not read from %p", (text, words) => {
    expect(errorOf(expiryAfter(NOW)(text))).toContain(words);
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
    (text) => expect(errorOf(parseOverlap(text))).toContain("must be a length up to 31d"),
  );
});

describe("the other terms", () => {
  const parsers = keyOptionParsers(TIERS, NOW);

  test.each(["tier", "rate", "burst", "matchesPerDay", "shards"] as const)(
    "%s is left to the tier by the word for that",
    (term) => expect(parsers[term]("default")).toEqual({ value: null }),
  );

  test("are numbers and lists like those of a tier, and say what else is right", () => {
    expect(parsers.rate("300")).toEqual({ value: 300 });
    expect(parsers.burst("0")).toEqual({ value: 0 });
    expect(parsers.matchesPerDay("0")).toEqual({ value: 0 });
    expect(parsers.shards("na,eu+*")).toEqual({ value: ["na", "eu", "*"] });
    expect(errorOf(parsers.rate("0"))).toBe(
      "must be a whole number from 1 to 100000000, or default to leave it to the tier",
    );
    expect(errorOf(parsers.shards("NA"))).toContain('must be shards joined by "+"');
  });

  test("name a tier that there is", () => {
    expect(parsers.tier("community")).toEqual({ value: "community" });
    expect(errorOf(parsers.tier("comunity"))).toBe(
      "is not a tier of the settings; did you mean community? there are hobby, community",
    );
    expect(errorOf(parsers.tier("gold"))).toBe(
      "is not a tier of the settings; there are hobby, community",
    );
  });

  test("name a tier that bears the very word for none", () => {
    const { tier } = keyOptionParsers([{ name: "free" }, { name: "default" }], NOW);
    expect(tier("default")).toEqual({ value: "default" });
  });

  test("have a note that an empty text removes, and that keeps to one line", () => {
    expect(parseNote("")).toEqual({ value: null });
    expect(parseNote("ask Ana")).toEqual({ value: "ask Ana" });
    expect(errorOf(parseNote("two\nlines"))).toContain("on one line");
    expect(errorOf(parseNote("x".repeat(501)))).toContain("500 characters");
  });
});
