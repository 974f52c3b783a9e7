/** The tables of the settings file: [shards.ID] and [tiers.NAME], what they accept, and what their errors name. */

import { describe, expect, test } from "bun:test";
import { visitorLimits } from "../../src/domain/limits.ts";
import type { Parsed, Table } from "../../src/settings/parsers.ts";
import { parseShards, showShards } from "../../src/settings/shard-locations.ts";
import { parseTiers, showTiers } from "../../src/settings/tiers.ts";

const URL = "postgres://me:secret@db/matches?schema=na";

function parsedValue<T>(parsed: Parsed<T>): T {
  if ("error" in parsed) throw new Error(parsed.error);
  return parsed.value;
}
/** Matches a text that contains these words in this order. */
const inOrder = (words: readonly string[]) =>
  new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[^]*"));
const errorOf = (parsed: Parsed<unknown>): string => ("error" in parsed ? parsed.error : "");

describe("shards", () => {
  test("a shard without a url is stored in the data folder", () => {
    const shards = parsedValue(parseShards({ na: {}, eu: { url: "sqlite:/srv/a=b.db" } }));
    expect(shards).toEqual([
      { id: "na", location: undefined },
      { id: "eu", location: { engine: "sqlite", path: "/srv/a=b.db" } },
    ]);
  });

  test("a shard may have replicas, of the same schema, with a limit on how far they are behind", () => {
    const [na, eu, sea] = parsedValue(
      parseShards({
        na: { url: URL, replicas: ["postgres://me@r1/matches", "postgres://me@r2/matches?pool=3"] },
        eu: { url: "sqlite:eu.db" },
        sea: { url: "postgres://db/sea", replicas: [] },
      }),
    );
    expect(na!.replicas!.places.map(({ shown, pool }) => [shown, pool])).toEqual([
      ["postgres://r1/matches, schema na", 10],
      ["postgres://r2/matches, schema na", 3],
    ]);
    expect(na!.replicas!.maxLagSeconds).toBe(10);
    expect([eu!.replicas, sea!.replicas]).toEqual([undefined, undefined]);
  });

  test("are shown as they are written, without users and passwords", () => {
    const shards = parseShards({
      na: { url: URL, replicas: ["postgres://me:secret@r1/matches?password=secret&x=1"] },
      eu: { url: "sqlite:/srv/a@b.db" },
      sa: {},
    });
    expect(showShards(parsedValue(shards))).toEqual({
      na: {
        url: "postgres://***@db/matches?schema=na",
        replicas: ["postgres://***@r1/matches?password=***&x=1"],
        "max-lag-seconds": 10,
      },
      eu: { url: "sqlite:/srv/a@b.db" },
      sa: {},
    });
  });

  test.each<[Table, ...string[]]>([
    [{ na: "sqlite:na.db" }, "na", "[shards.na]", "url", "retention", "replicas"],
    [{ na: { url: "" } }, "na", "url", "sqlite:PATH", "postgres://"],
    [{ na: { url: 5 } }, "na", "url", "sqlite:PATH", "postgres://"],
    [{ na: { url: "sqlite:" } }, "na", "url", "sqlite:PATH", "postgres://"],
    [{ na: { url: "mysql:x" } }, "na", "url", "sqlite:PATH", "postgres://"],
    [{ na: { url: "postgres://u:secret@h/d?schema=Eu" } }, "na", "url", "schema", "63"],
    [{ na: { url: "postgres://u:secret@h/d?pool=0" } }, "na", "url", "pool", "1 to 1000"],
    [{ na: { url: "postgres://u:secret@h/d?prepare=no" } }, "na", "url", "prepare", "on", "off"],
    [{ na: { url: URL, lag: 3 } }, "na", '"lag"', "url", "replicas", "max-lag-seconds"],
    [{ na: { url: "sqlite:na.db", replicas: [URL] } }, "na", "PostgreSQL", "replicas"],
    [{ na: { replicas: [URL] } }, "na", "PostgreSQL", "replicas"],
    [{ na: { url: URL, replicas: URL } }, "na", "replicas"],
    [{ na: { url: URL, replicas: ["r1"] } }, "na", "replica", "postgres://"],
    [{ na: { url: URL, replicas: ["postgres://r1/m?schema=x"] } }, "na", "replica", "schema", "na"],
    [{ na: { retention: "400" } }, "na", "retention", "1d to", "400d"],
    [{ na: { url: URL, replicas: [URL], "max-lag-seconds": -1 } }, "na", "max-lag-seconds", "0 to"],
    [{ na: { url: "sqlite:x.db" }, eu: { url: "sqlite:./x.db" } }, "eu", "location"],
    [{ na: { url: URL }, eu: { url: `${URL}&pool=3` } }, "eu", "location"],
  ])("%j is rejected, naming the shard and the key, without secrets", (table, ...words) => {
    expect(errorOf(parseShards(table))).toMatch(inOrder(words));
    expect(errorOf(parseShards(table))).not.toContain("secret");
  });
});

describe("tiers", () => {
  test("of portal visitors come last, so that no key gets their limits, and replace no built-in tier", () => {
    const names = (table: Table) => parsedValue(parseTiers(table)).map(({ name }) => name);
    expect(names({ visitor: { rate: 5 } })).toEqual([
      "hobby",
      "community",
      "commercial",
      "visitor",
    ]);
    expect(names({ visitor: {}, free: {} })).toEqual(["free", "visitor"]);
    expect(parseTiers({ visitor: { rat: 5 } })).toMatchObject({
      error: expect.stringContaining("did you mean rate"),
    });
  });

  test("of portal visitors have built-in limits where the table has none", () => {
    const defaults = { rate: 60, burst: 0, matchesPerDay: 5000 };
    const limitsOf = (table: Table) =>
      visitorLimits({ tiers: parsedValue(parseTiers(table)), defaults, closedShards: [] });
    const builtIn = { tier: "visitor", rate: 120, burst: 120, matchesPerDay: 1000, shards: ["*"] };
    expect(limitsOf({ free: {} })).toMatchObject(builtIn);
    expect(limitsOf({ visitor: { rate: 5, "matches-per-day": 0 } })).toMatchObject({
      ...builtIn,
      rate: 5,
      burst: 5,
      matchesPerDay: 0,
    });
  });

  const written = {
    free: {},
    partner: { rate: 3000, burst: 600, "matches-per-day": 0, shards: ["*", "beta"] },
    follower: { streams: 100, "changes-per-minute": 60_000 },
  };

  test("are read in their order, and shown as they are written", () => {
    const tiers = parsedValue(parseTiers(written));
    expect(tiers).toEqual([
      { name: "free" },
      { name: "partner", rate: 3000, burst: 600, matchesPerDay: 0, shards: ["*", "beta"] },
      { name: "follower", streams: 100, changesPerMinute: 60_000 },
    ]);
    expect(showTiers(tiers)).toEqual(written);
  });

  test.each<[Table, ...string[]]>([
    [{}, "tier"],
    [{ Free: {} }, '"Free"', "32"],
    [{ free: "rate=5" }, "free", "[tiers.free]"],
    [{ free: { rat: 5 } }, "free", '"rat"', "rate?"],
    [{ free: { constructor: 5 } }, "free", '"constructor"', "rate", "burst", "matches-per-day"],
    [{ free: { "matches-per-day": -1 } }, "free", "matches-per-day", "0 to"],
    [{ free: { streams: 0 } }, "free", "streams", "1 to"],
    [{ free: { "changes-per-minute": "many" } }, "free", "changes-per-minute", "1 to"],
    [{ free: { shards: "na+eu" } }, "free", "shards", '["na", "eu"]'],
    [{ free: { shards: [] } }, "free", "shards", '["na", "eu"]'],
    [{ free: { shards: ["na+eu"] } }, "free", "shards", '["na", "eu"]'],
  ])("%j is rejected, naming the tier and the key", (table, ...words) => {
    expect(errorOf(parseTiers(table))).toMatch(inOrder(words));
  });
});
