/** Derived tables that are new or changed are built from the records, while the shard is served and written. */

import { describe, expect, test } from "bun:test";
import { buildDerived } from "../../src/ingest/derived.ts";
import type { Event } from "../../src/observe/events.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import type { Writer } from "../../src/store/store.ts";
import { serve } from "../../src/wiring.ts";
import { ENGINES, engineWorlds } from "../support/engine-worlds.ts";
import { pruneAt, withWriter } from "../support/prune.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { damageOf, verified } from "../support/verify.ts";
import type { World } from "../support/world.ts";

// These servers build nothing: what is built, a server of `builtIn` does.
const worldIn = engineWorlds(undefined, { firstMs: 3_600_000 });

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

describe.each(ENGINES)("in %s", (engine) => {
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
    await using world = await worldIn(engine, MATCHES.slice(0, 10));
    const { rows } = world;
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
    await using fresh = await worldIn(engine, MATCHES.slice(0, 12));
    expect(heroes).toEqual(await heroesIn(fresh));
    expect(heroes.meta.matches).toBe(12);
  });

  test("a build that is interrupted goes on, and counts nothing twice, whatever is written meanwhile", async () => {
    const records = MATCHES.slice(0, MANY);
    await using world = await worldIn(engine, records);
    // What was pruned is not in the records.
    await pruneAt(world.settings, "na", START + 10_500);
    await world.rows.remove("derived table", { name: "hero_stats" });
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

    await using fresh = await worldIn(engine, records);
    await change(fresh);
    expect(heroes).toEqual(await heroesIn(fresh));
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
