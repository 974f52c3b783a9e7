/** Migrates shard files that an older Matchbook wrote. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { indexKeys } from "../../src/domain/similar-names.ts";
import { packServed } from "../../src/store/row-encoding.ts";
import { openForReading, openForWriting } from "../../src/store/sqlite/open.ts";
import { SqliteReader } from "../../src/store/sqlite/reader.ts";
import { APPLICATION_ID, MIGRATIONS } from "../../src/store/sqlite/schema.ts";
import { SqliteWriter } from "../../src/store/sqlite/writer.ts";
import { aFolder } from "../support/world.ts";
import { anEntry, aPlayer, serve } from "./entries.ts";

const folder = aFolder();
afterAll(() => folder.remove());
let files = 0;

/** A match that is whole: the CRC-32 of the rest, and the rest. */
const REST = "the rest of an encoded match";
const ENCODED = Buffer.concat([Buffer.from(Uint32Array.of(crc32(REST)).buffer), Buffer.from(REST)]);

/** A file of format 1, with two matches, three players and a team in it. */
function anOldFile(): string {
  const path = join(folder.path, `${files++}.db`);
  const database = new Database(path);
  database.run("PRAGMA journal_mode = WAL");
  database.run(MIGRATIONS[0]!);
  for (const [id, createdAt] of [
    ["m1", 5],
    ["m2", 7],
  ] as const) {
    database.run(
      `INSERT INTO matches (id, created_at, game_mode, patch_version, content_hash, served)
       VALUES (?, ?, 'ranked', '1', x'00', ?)`,
      [id, createdAt, packServed([], [], ENCODED)],
    );
  }
  for (const [id, name] of [
    ["p", "Ana"],
    ["q", "Ana"],
    ["r", "名前"],
  ] as const) {
    database.run("INSERT INTO players (id, name) VALUES (?, ?)", [id, name]);
  }
  database.run("INSERT INTO teams (id) VALUES ('t')");
  database.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  database.run("PRAGMA user_version = 1");
  database.close();
  return path;
}

const EXPECTED = { players: 3, newestMatch: 7 };

describe("a file of format 1", () => {
  test("gets totals when a reader opens it", () => {
    const reader = new SqliteReader(openForReading(anOldFile(), "na", () => {})!, 0);
    expect(reader.summary()).toEqual({ matches: 2, ...EXPECTED });
    reader.close();
  });

  test("gets a name index when a reader opens it", () => {
    const reader = new SqliteReader(openForReading(anOldFile(), "na", () => {})!, 0);
    for (const name of ["Ana", "名前"]) {
      for (const spot of indexKeys(name)) {
        expect(reader.namesAround([spot], 0, 1)).toEqual([name]);
      }
    }
    expect(reader.namesAround([""], 0, 100).sort()).toEqual(["Ana", "名前"]);
    reader.close();
  });

  test("gets a name index when a writer opens it, which later writes update", async () => {
    const path = anOldFile();
    const writer = new SqliteWriter(openForWriting(path, "na", undefined, undefined, () => {}));
    await writer.write(async (transaction) => {
      await transaction.putPlayers([aPlayer("p", { name: "Bo" }), aPlayer("r", { name: "Bo" })]);
    });
    writer.close();
    const reader = new SqliteReader(openForReading(path)!, 0);
    expect(reader.namesAround([""], 0, 100).sort()).toEqual(["Ana", "Bo"]);
    reader.close();
  });

  test("gets totals once when a writer opens it, which later writes update", async () => {
    const path = anOldFile();
    new SqliteWriter(openForWriting(path, "na", undefined, undefined, () => {})).close();
    const writer = new SqliteWriter(openForWriting(path, "na"));
    expect(writer.counts()).toMatchObject({ served: 2, teams: 1, ...EXPECTED });
    await serve(writer, anEntry("m3", { createdAt: 9, players: { q: "won", s: "lost" } }));
    expect(writer.counts()).toMatchObject({ served: 3, teams: 1, players: 4, newestMatch: 9 });
    writer.close();
  });
});
