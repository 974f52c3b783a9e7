/** Tests what the digest of a damaged SQLite shard covers: matches, players and teams, but not indexes. */

import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../../src/demo/random.ts";
import { digestOf } from "../../src/export/digest.ts";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { DamagedData, StoreError } from "../../src/store/store.ts";
import {
  inflict,
  type Kind,
  type NewValues,
  type RowDamage,
  type Which,
} from "../support/engine.ts";
import { coveredByDigest, settle, sqliteRows } from "../support/engine-sqlite.ts";
import { matchbook } from "../support/process.ts";
import { aMatch, duel, withAsset } from "../support/records.ts";
import { costly, testLong } from "../support/scale.ts";
import { startWorld } from "../support/world.ts";
import { RECORDS } from "./damage.ts";

// With words, and a record that depends on whether its players are ranked.
const world = await startWorld([
  ...RECORDS,
  aMatch({ id: "with-asset", ...withAsset }),
  aMatch({ id: "unranked", mode: "private", rosters: duel({ id: "new-1" }, { id: "new-2" }) }),
]);
afterAll(() => world.stop());
const original = join(world.data, "na.db");
settle(original);
const whole = await digest(world.data);

let made = 0;
/** The folder of a copy of the shard, changed. */
function copy(change: (path: string) => void): string {
  const data = join(world.data, `copy-${made++}`);
  mkdirSync(data);
  const path = join(data, "na.db");
  copyFileSync(original, path);
  change(path);
  return data;
}

/** As `matchbook shards digest` computes it. */
async function digest(data: string): Promise<string> {
  const shards = openShards({ ...world.settings, data }, unobserved, undefined, "read");
  try {
    return (await (await shards.existingWriter("na"))!.survey((all) => digestOf(all))).digest;
  } finally {
    await shards.close();
  }
}

describe("the digest", () => {
  const ONE = {
    match: { id: "match-03" },
    snapshot: { match: "match-03" },
    player: { id: "player-3" },
    team: { id: "team-0" },
    withheld: { id: "match-05" },
  } satisfies Partial<Record<Kind, Which>>;
  const zeros = (length: number) => new Uint8Array(length);
  const ROWS: [kind: keyof typeof ONE, what: string, to: NewValues, names: RegExp][] = [
    ["match", "id", { id: "match-zz" }, /^match match-03 is damaged/],
    ["match", "document", { document: zeros(100) }, /^match match-03 is damaged/],
    ["snapshot", "bytes", { snapshot: zeros(100) }, /^match match-03 is damaged/],
    ["player", "id", { id: "player-zz" }, /^player player-zz is damaged/],
    ["player", "name", { name: "Zed" }, /^player player-3 is damaged/],
    ["player", "last match", { lastMatchAt: 0 }, /^player player-3 is damaged/],
    ["player", "streak", { streak: 7 }, /^player player-3 is damaged/],
    ["player", "wins", ({ wins }) => ({ wins: wins + 1 }), /^player player-3 is damaged/],
    ["player", "gold", { gold: "1" }, /^player player-3 is damaged/],
    ["player", "resource", { resource: zeros(50) }, /^player player-3 is damaged/],
    ["player", "linked resources", { linked: zeros(50) }, /^player player-3 is damaged/],
    ["team", "id", { id: "team-zz" }, /^team team-zz is damaged/],
    ["team", "name", { name: "ZED" }, /^team team-0 is damaged/],
    ["team", "resource", { resource: zeros(50) }, /^team team-0 is damaged/],
    ["withheld", "players", { snapshot: zeros(100) }, /^match match-05 is damaged/],
  ];

  test.each(ROWS)("is refused after a change of a %s: its %s", async (kind, _what, to, names) => {
    const data = copy((path) => sqliteRows(path).change(kind, ONE[kind], to));
    await expect(digest(data)).rejects.toThrow(DamagedData);
    await expect(digest(data)).rejects.toThrow(names);
  });

  test.each(["listed match", "player", "team"] as const)(
    "is another one without a %s",
    async (kind) => {
      const which = kind === "listed match" ? ONE.match : ONE[kind];
      const data = copy((path) => sqliteRows(path).remove(kind, which));
      expect(await digest(data)).not.toBe(whole);
    },
  );

  const NOT_COVERED: [what: string, damage: RowDamage][] = [
    [
      "results of entries",
      { change: "player entry", to: ({ result }) => ({ result: 1 - result }) },
    ],
    ["entries of teams", { change: "team entry", to: { takesPart: 0 } }],
    ["the name index", { change: "name entry", to: ({ name }) => ({ name: `Zed${name}` }) }],
    ["words", { change: "word", which: "first", to: { word: "path:zed" } }],
    ["evidence", { change: "evidence", to: { records: 99 } }],
    ["dependents", { remove: "dependent" }],
    ["changes for caches", { remove: "commit" }],
  ];
  test.each(NOT_COVERED)("does not cover: %s", async (_what, damage) => {
    const data = copy(() => {});
    await inflict(sqliteRows(join(data, "na.db")), damage);
    expect(await digest(data)).toBe(whole);
  });

  testLong(
    "of a copy with any byte overwritten is refused, or another, or its records are the same",
    async () => {
      const random = new Random(1);
      const seen = { refused: 0, other: 0, same: 0 };
      const records = coveredByDigest(original);
      for (let count = 0; count < costly(1000); count++) {
        const data = copy((path) => {
          const bytes = readFileSync(path);
          bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
          writeFileSync(path, bytes);
        });
        const found = await digest(data).catch((error) => {
          if (error instanceof StoreError) return undefined;
          throw error;
        });
        if (found === undefined) seen.refused += 1;
        else if (found !== whole) seen.other += 1;
        else {
          seen.same += 1;
          expect(coveredByDigest(join(data, "na.db"))).toEqual(records);
        }
      }
      expect(seen.refused).toBePositive();
      expect(seen.same).toBePositive();
    },
    600_000,
  );
});

test("matchbook shards digest of a damaged shard names the record, prints no digest and exits with 1", async () => {
  const data = copy((path) =>
    sqliteRows(path).change("player", { id: "player-3" }, { name: "Zed" }),
  );
  expect(await matchbook(["shards", "digest", "na", "--data", data])).toMatchObject({
    exitCode: 1,
    stdout: "",
    stderr:
      "matchbook: player player-3 is damaged in the store: run 'matchbook repair', or restore the shard from a backup\n",
  });
}, 30_000);
