/** Tests exports while others write: no record is missed because it becomes served or withheld meanwhile. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { exportRecords } from "../../src/export/export.ts";
import { inSteps } from "../../src/export/scan.ts";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import type { ShardContents, Writer } from "../../src/store/store.ts";
import { homeAt, ingestAt, linesOf, lookInto, settingsAt } from "../support/places.ts";
import { aPostgres } from "../support/postgres.ts";
import { aMatch, duel, type MatchDocument } from "../support/records.ts";
import { aFolder, ingestInto, ingestWith } from "../support/world.ts";

const folder = aFolder();
const path = (name: string) => join(folder.path, name);
let postgres: Awaited<ReturnType<typeof aPostgres>>;
const schemas: string[] = [];

beforeAll(async () => {
  postgres = await aPostgres();
});

afterAll(async () => {
  const sql = new SQL(postgres.url);
  for (const schema of schemas) await sql.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await sql.close();
  postgres.stop();
  folder.remove();
});

let made = 0;
const LOCATIONS = {
  SQLite: () => `sqlite:${path(`shard-${made++}.db`)}`,
  PostgreSQL: () => {
    const schema = `changes_${process.pid}_${made++}`;
    schemas.push(schema);
    const url = new URL(postgres.url);
    url.searchParams.set("schema", schema);
    return url.href;
  },
};

/** More than a first step reads, so that each pass has several. */
const MANY = 70;
const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const many = (kind: string, mode: string) =>
  Array.from({ length: MANY }, (_, index) =>
    aMatch({
      id: `${kind}-${index}`,
      mode,
      createdAt: START + index * HOUR,
      rosters: duel({ id: `p${index % 7}` }, { id: `q${index % 5}` }),
    }),
  );
const filling = [...many("served", "casual"), ...many("withheld", "practice")];

/** Private matches of one player, at both ends of either order. */
const hidden = ["0-first", "zz-last"].flatMap((id) =>
  [-1, MANY].map((hour) =>
    aMatch({
      id: `${id}_${hour < 0 ? "old" : "new"}`,
      mode: "private",
      createdAt: START + hour * HOUR,
      rosters: duel({ id: "ann" }, { id: "bob" }),
    }),
  ),
);
const ranked = (mode: string) =>
  aMatch({
    id: "evidence",
    mode,
    createdAt: START - 2 * HOUR,
    rosters: duel({ id: "ann" }, { id: "eve" }),
  });

const CHANGES = {
  "withheld ones become served": [ranked("casual"), ranked("ranked")],
  "served ones become withheld": [ranked("ranked"), ranked("casual")],
} as const;

/** Calls `act` before this step. */
function interrupted(
  contents: ShardContents,
  step: number,
  act: () => Promise<unknown>,
): ShardContents & { steps: number } {
  return {
    ...contents,
    steps: 0,
    async records(after, limit) {
      if (this.steps++ === step) await act();
      return contents.records(after, limit);
    },
  };
}

async function idsOf(contents: ShardContents): Promise<string[]> {
  const ids: string[] = [];
  for await (const { bytes } of exportRecords(contents, { shard: "na", withheld: true })) {
    const lines = Buffer.from(bytes).toString().trimEnd().split("\n");
    ids.push(...lines.map((line) => JSON.parse(line).data.id));
  }
  return ids;
}

describe.each(["SQLite", "PostgreSQL"] as const)("an export from %s", (engine) => {
  test.each(Object.entries(CHANGES))(
    "has every record although %s before any of its steps",
    async (_, [before, after]) => {
      const home = homeAt(path(`home-${made++}`), LOCATIONS[engine]());
      const settings = settingsAt(home);
      // Another writer, which stays open: opening it for each step would take most of the time.
      const shards = openShards(settings, unobserved);
      const put = (documents: MatchDocument[]) =>
        ingestWith(shards, settings, documents, { replace: true });
      await put([...filling, ...hidden, before]);
      const lasting = [...filling, ...hidden].map(({ data }) => data.id as string).sort();
      await lookInto(home, async (writer: Writer) => {
        let steps = 1;
        for (let step = 0; step < steps; step++) {
          const contents = interrupted(inSteps(writer), step, () => put([after]));
          const ids = await idsOf(contents);
          steps = contents.steps;
          const distinct = new Set(ids);
          distinct.delete("evidence");
          expect([step, [...distinct].sort()]).toEqual([step, lasting]);
          // Only what changed may come twice.
          const repeated = ids.filter((id, at) => ids.indexOf(id) !== at);
          const private_ = hidden.map(({ data }) => data.id as string);
          expect(repeated.filter((id) => ![...private_, "evidence"].includes(id))).toEqual([]);
          await put([before]);
        }
        expect(steps).toBeGreaterThan(5);
      });
      await shards.close();
    },
  );
});

test("an export that waits for its reader does not keep SQLite from emptying the WAL", async () => {
  const file = path("wal.db");
  const home = homeAt(path("wal"), `sqlite:${file}`);
  await ingestAt(home, linesOf("na", 300, START));
  await lookInto(home, async (writer) => {
    const chunks = exportRecords(inSteps(writer), { shard: "na", withheld: true });
    expect((await chunks.next()).done).toBe(false);
    await ingestInto(settingsAt(home), hidden);
    const other = new Database(file);
    const { busy } = other.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()!;
    other.close();
    expect(busy).toBe(0);
    expect((await chunks.next()).done).toBe(false);
    await chunks.return(undefined);
  });
});
