/** Derived tables that are new or changed are built from the records, while the shard is served and written. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { buildDerived } from "../../src/ingest/derived.ts";
import type { Event } from "../../src/observe/events.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import type { Writer } from "../../src/store/store.ts";
import { serve } from "../../src/wiring.ts";
import type { ShardRows } from "../support/engine.ts";
import { postgresRows } from "../support/engine-postgres.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";
import { pruneAt, withWriter } from "../support/prune.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { damageOf, verified } from "../support/verify.ts";
import { startWorld, type World } from "../support/world.ts";

let postgres: Awaited<ReturnType<typeof aPostgres>>;
let sql: SQL;
beforeAll(async () => {
  postgres = await aPostgres();
  sql = new SQL(postgres.url);
});
afterAll(async () => {
  await sql.close();
  postgres.stop();
});

const START = Date.UTC(2026, 0, 1);
/** More than two transactions of a build. */
const MANY = 450;
const MATCHES = Array.from({ length: MANY + 20 }, (_, at) =>
  aMatch({
    id: `match-${at}`,
    mode: at % 3 === 0 ? "ranked" : "casual",
    createdAt: START + at * 1000,
  }),
);
const REPLACED = [20, 21, 400, 401].map((at) =>
  aMatch({ id: `match-${at}`, mode: "ranked", createdAt: START + at * 1000 }),
);
const LATE = aMatch({ id: "late", createdAt: START + 50_500, mode: "casual" });

describe.each(["SQLite", "PostgreSQL"])("in %s", (engine) => {
  const schemas: string[] = [];
  const worlds: World[] = [];
  afterAll(async () => {
    for (const world of worlds) await world.stop();
    for (const schema of schemas) await dropSchema(postgres.url, schema);
  });

  async function start(documents: ReturnType<typeof aMatch>[]) {
    const schema = `derived_${process.pid}_${schemas.length}`;
    const toml =
      engine === "SQLite" ? "" : `[shards.na]\nurl = "${postgres.url}?schema=${schema}"\n`;
    if (engine === "PostgreSQL") schemas.push(schema);
    // It builds nothing: what is built, a server of `builtIn` does.
    const world = await startWorld(documents, {}, undefined, toml, { firstMs: 3_600_000 });
    worlds.push(world);
    const rows: ShardRows =
      engine === "SQLite" ? sqliteRows(join(world.data, "na.db")) : postgresRows(sql, schema);
    return { world, rows };
  }

  const heroesIn = async (world: World, url = world.url) => {
    const { status, body } = await world.get(`${url}/shards/na/heroes`);
    return status === 200 ? { data: body.data, meta: body.meta } : { status, ...body.errors[0] };
  };

  /** Starts one more server, and stops it when it has built everything. Returns what it counted, and /heroes. */
  async function builtIn(world: World) {
    const events: Event[] = [];
    const pace = { pauseMs: 20 };
    const log = (event: Event) => void events.push(event);
    const server = await serve(world.settings, log, undefined, undefined, undefined, pace);
    try {
      await until("it is built", async () => events.some(({ event }) => event === "derived-built"));
      const heroes = await heroesIn(world, server.url);
      return { events: events.filter(({ event }) => event.startsWith("derived")), heroes };
    } finally {
      await server.stop("test");
    }
  }

  test("a derived table that is new or changed is built while everything else is served and written", async () => {
    const { world, rows } = await start(MATCHES.slice(0, 10));
    // It cannot be built from a damaged match.
    const { document } = (await rows.rows("match", { id: "match-3" }))[0]!;
    await rows.change("match", { id: "match-3" }, { document: new Uint8Array(100) });
    await rows.remove("derived table", { name: "hero_stats" });
    const reply = await world.get("/shards/na/heroes");
    expect(reply.status).toBe(503);
    expect(reply.headers.get("Retry-After")).toBe("60");
    expect(reply.body.errors[0].code).toBe("not-ready");
    expect((await world.ingest(MATCHES.slice(5, 12))).report).toMatchObject({
      ...{ stored: 2, duplicate: 5 },
    });
    expect((await world.get("/shards/na/matches/match-11")).status).toBe(200);
    expect((await world.get("/readyz")).status).toBe(200);
    expect(await heroesIn(world)).toMatchObject({ code: "not-ready" });

    await rows.change("match", { id: "match-3" }, { document });
    const { events, heroes } = await builtIn(world);
    expect(events).toEqual([
      { event: "derived-building", shard: "na", tables: ["hero_stats"] },
      { event: "derived-built", shard: "na", matches: 12, milliseconds: expect.any(Number) },
    ]);
    const fresh = await start(MATCHES.slice(0, 12));
    expect(heroes).toEqual(await heroesIn(fresh.world));
    expect(heroes.meta.matches).toBe(12);
  });

  test("a build that is interrupted goes on, and counts nothing twice, whatever is written meanwhile", async () => {
    const records = MATCHES.slice(0, MANY);
    const { world, rows } = await start(records);
    // What was pruned is not in the records.
    await pruneAt(world.settings, "na", START + 10_500);
    await rows.remove("derived table", { name: "hero_stats" });
    await buildOnce(world.settings);
    const change = async ({ ingest, settings }: World) => {
      await ingest(MATCHES.slice(MANY));
      await ingest(REPLACED, { replace: true });
      await ingest([LATE]);
      await pruneAt(settings, "na", START + 30_500);
    };
    await change(world);
    expect(damageOf(await verified(world.settings, "na"))).toEqual([]);
    const { events, heroes } = await builtIn(world);
    // 11 were pruned before, and 200 are counted.
    expect(events.at(-1)).toMatchObject({ event: "derived-built", matches: MANY - 211 + 20 });

    const fresh = await start(records);
    await change(fresh.world);
    expect(heroes).toEqual(await heroesIn(fresh.world));
    expect(heroes.meta.matches).toBe(MANY + 21);
  });
});

/** One transaction of a build that is then stopped. */
const buildOnce = (settings: Settings) =>
  withWriter(settings, "na", async (writer) => {
    const stopping = new AbortController();
    const once: Pick<Writer, "write"> = {
      async write(work) {
        stopping.abort();
        return writer.write(work);
      },
    };
    await buildDerived(once as Writer, { rest: 0, signal: stopping.signal });
  });
