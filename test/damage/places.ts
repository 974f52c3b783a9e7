/** Shards to damage, in both stores, each served by a server in this process. */

import { join } from "node:path";
import { SQL } from "bun";
import { digestOf } from "../../src/export/digest.ts";
import type { Transaction } from "../../src/store/store.ts";
import { type Damage, inflict, type ShardRows } from "../support/engine.ts";
import { postgresRows, rowsOf } from "../support/engine-postgres.ts";
import { settle, sqliteRows } from "../support/engine-sqlite.ts";
import { TestClock } from "../support/keys.ts";
import { aPostgres } from "../support/postgres.ts";
import { matchbook } from "../support/process.ts";
import { withWriter } from "../support/prune.ts";
import type { MatchDocument } from "../support/records.ts";
import { verified } from "../support/verify.ts";
import { startWorld } from "../support/world.ts";
import { askEverything, countOf, questionsFor, RECORDS, recordsOf } from "./asking.ts";

export type Engine = "SQLite" | "PostgreSQL";

export type Place = Awaited<ReturnType<typeof startPlace>>;

// The server's own check would find some of the damage before it is asked.
const NEVER = { firstMs: 2 ** 30 };

export async function startPlace(engine: Engine) {
  // All records are in the last 28 days.
  const clock = new TestClock("2026-01-20T00:00:00Z");
  // Every copy has matches of its own, which would count for the quota.
  const flags = { "matches-per-day": "0" };
  const postgres = engine === "PostgreSQL" ? await aPostgres() : undefined;
  const schema = `damage_${process.pid}`;
  const toml = postgres ? `[shards.na]\nurl = "${postgres.url}?schema=${schema}"\n` : "";
  const world = await startWorld(RECORDS, flags, clock, toml, NEVER);
  const sql = postgres && new SQL({ url: postgres.url, max: 1 });
  // Takes far less time than a new schema.
  const restore = sql && (await rowsOf(sql, schema));
  let made = 0;

  const shardOf = (shard: string, rows: ShardRows) => ({
    name: shard,
    rows,
    /** The digest without damage. */
    whole: "",
    async inflict(damage: readonly Damage[] | ((state: Transaction) => unknown)): Promise<void> {
      if (typeof damage !== "function") return inflict(rows, ...damage);
      await withWriter(world.settings, shard, (writer) =>
        writer.write(async (state) => void (await damage(state))),
      );
    },
    ask: () => askEverything(world, clock, asked, shard),
    verify: (quick = false) => verified(world.settings, shard, quick),
    /** Throws for a record that is damaged. */
    digest: async () =>
      withWriter(world.settings, shard, (writer) =>
        writer.survey(async (all) => (await digestOf(all)).digest),
      ),
    async repair(...args: string[]) {
      const config = ["--data", world.data, "--config", join(world.data, "matchbook.toml")];
      const line = ["repair", shard, "--json", ...args, ...config];
      const { exitCode, stdout, stderr } = await matchbook(line);
      return { exitCode, stderr, report: stdout === "" ? undefined : JSON.parse(stdout) };
    },
    async ingestAgain() {
      const { rejections, conflicts } = await world.ingest(recordsOf(shard));
      if (rejections.length + conflicts.length > 0) throw new Error(`not accepted: ${conflicts}`);
    },
  });

  const asked = await questionsFor(world, clock);
  const whole = async (one: ReturnType<typeof shardOf>) =>
    Object.assign(one, { whole: await one.digest() });
  /** With these records of it; by default all. */
  const aShard = async (chosen = (records: MatchDocument[]) => records) => {
    if (sql && restore) {
      await restore();
      return whole(shardOf("na", postgresRows(sql, schema)));
    }
    const shard = `copy-${made++}`;
    await world.ingest(chosen(recordsOf(shard)));
    const path = join(world.data, `${shard}.db`);
    settle(path);
    return whole(shardOf(shard, sqliteRows(path)));
  };
  return {
    world,
    /** How many requests are asked. */
    questions: countOf(asked),
    /** The requests about what is counted from records: a record that an index hides is missing in the counts. */
    counts: new Set(asked.counted.map(({ path }) => path)),
    aShard,
    async stop() {
      await world.stop();
      if (!sql || !postgres) return;
      const found =
        await sql`SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE ${`${schema}%`}`;
      for (const { name } of found) await sql.unsafe(`DROP SCHEMA "${name}" CASCADE`);
      await sql.close();
      postgres.stop();
    },
  };
}
