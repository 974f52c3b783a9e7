/** The tables of the settings file: [shards.ID] and [tiers.NAME], what they accept and how they refuse. */

import { describe, expect, test } from "bun:test";
import type { Parsed, Table } from "../../src/settings/parsers.ts";
import { parseShards, showShards } from "../../src/settings/shard-locations.ts";
import { parseTiers, showTiers } from "../../src/settings/tiers.ts";

const URL = "postgres://me:secret@db/matches?schema=na";

function parsedValue<T>(parsed: Parsed<T>): T {
  if ("error" in parsed) throw new Error(parsed.error);
  return parsed.value;
}
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

  test.each<[Table, string]>([
    [{ NA: {} }, 'has a shard "NA": an id is 1 to 32 of a-z, 0-9 and "-"'],
    [{ na: "sqlite:na.db" }, "[shards.na] with url, replicas, max-lag-seconds"],
    [{ na: { url: "" } }, "shard na: it must be sqlite:PATH"],
    [{ na: { url: 5 } }, "shard na: it must be sqlite:PATH"],
    [{ na: { url: "sqlite:" } }, "shard na: it must be sqlite:PATH"],
    [{ na: { url: "mysql:x" } }, "shard na: it must be sqlite:PATH"],
    [{ na: { url: "postgres://u:secret@h" } }, "shard na: it must be postgres:"],
    [{ na: { url: "postgres://u:secret@h/d?schema=Eu" } }, "shard na: its schema must be"],
    [{ na: { url: "postgres://u:secret@h/d?pool=0" } }, "shard na: its pool must be"],
    [{ na: { url: "postgres://u:secret@h/d?prepare=no" } }, "shard na: its prepare must be"],
    [{ na: { url: URL, lag: 3 } }, '"lag" is unknown there; there are url, replicas, max-lag'],
    [{ na: { url: "sqlite:na.db", replicas: [URL] } }, "only a shard in PostgreSQL"],
    [{ na: { replicas: [URL] } }, "only a shard in PostgreSQL"],
    [{ na: { url: URL, replicas: URL } }, "must be a list"],
    [{ na: { url: URL, replicas: ["r1"] } }, "of a replica, it must be postgres://"],
    [{ na: { url: URL, replicas: ["postgres://r1/m?schema=x"] } }, "the same schema, na"],
    [{ na: { url: URL, replicas: [URL], "max-lag-seconds": -1 } }, "its max-lag-seconds must"],
    [{ na: { url: "sqlite:x.db" }, eu: { url: "sqlite:./x.db" } }, "two shards the same location"],
    [{ na: { url: URL }, eu: { url: `${URL}&pool=3` } }, "two shards the same location"],
  ])("%j is refused, with what is right and without secrets", (table, message) => {
    expect(errorOf(parseShards(table))).toContain(message);
    expect(errorOf(parseShards(table))).not.toContain("secret");
  });
});

describe("tiers", () => {
  const written = {
    free: {},
    partner: { rate: 3000, burst: 600, "matches-per-day": 0, shards: ["*", "beta"] },
  };

  test("are read in their order, and shown as they are written", () => {
    const tiers = parsedValue(parseTiers(written));
    expect(tiers).toEqual([
      { name: "free" },
      { name: "partner", rate: 3000, burst: 600, matchesPerDay: 0, shards: ["*", "beta"] },
    ]);
    expect(showTiers(tiers)).toEqual(written);
  });

  test.each<[Table, string]>([
    [{}, "at least one tier"],
    [{ Free: {} }, 'has a tier "Free"'],
    [{ free: "rate=5" }, "[tiers.free]"],
    [{ free: { rat: 5 } }, '"rat" is unknown there; did you mean rate?'],
    [{ free: { constructor: 5 } }, "there are rate, burst, matches-per-day, shards"],
    [{ free: { rate: 0 } }, "is wrong for the tier free: its rate must be a whole number from 1"],
    [{ free: { "matches-per-day": -1 } }, "its matches-per-day must be a whole number from 0"],
    [{ free: { shards: "na+eu" } }, "its shards must be a list of shards"],
    [{ free: { shards: [] } }, "its shards must be a list of shards"],
    [{ free: { shards: ["na+eu"] } }, "its shards must be a list of shards"],
  ])("%j is refused, with what is right", (table, message) => {
    expect(errorOf(parseTiers(table))).toContain(message);
  });
});
