/** A shard in PostgreSQL: connections, statements, and recovery from failures. The bytes: properties/state.test.ts. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { type Event, unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { OTHER_CONNECTIONS } from "../../src/postgres/session.ts";
import { linesOf } from "../support/places.ts";
import { startCluster } from "../support/postgres.ts";
import { aMatch, duel } from "../support/records.ts";
import { shared } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { ingestInto, ingestWith, makeKey, startWorld } from "../support/world.ts";

const cluster = shared(() => startCluster());

const NOW = Date.now() - 60_000;
const ONE = "matches/match-1";

/** Demo records of a shard, and one match that is served in any case. */
const recordsOf = (shard: string) => [
  ...linesOf(shard, 20, NOW).map((line) => JSON.parse(line)),
  aMatch({ id: "match-1", shard }),
];
const inSchema = (shard: string, schema: string, url = cluster.url) =>
  `[shards.${shard}]\nurl = "${url}?schema=${schema}"\n`;
const startIn = (schema: string, log?: (event: Event) => void) => {
  const toml = inSchema("na", schema);
  return startWorld(recordsOf("na"), {}, undefined, toml, undefined, undefined, log);
};

/** PostgreSQL cannot search for a text with U+0000: nothing is found, as in SQLite. */
test("texts with U+0000 in ids, names, tags and patches find nothing", async () => {
  await using world = await startIn("nul");
  const { data } = (await world.get("/shards/na/players")).body;
  const [id, name] = [data[0].id, encodeURIComponent(data[0].attributes.name)];
  const found = async (path: string) => {
    const { status, body } = await world.get(`/shards/na/${path}`);
    return status === 200 ? body.data.length : status;
  };
  expect(await found("matches/%00")).toBe(404);
  expect(await found(`players/${id}%00`)).toBe(404);
  for (const filter of ["playerIds", "playerNames", "teamNames", "patchVersion"]) {
    expect([filter, await found(`matches?filter[${filter}]=%00`)]).toEqual([filter, 0]);
  }
  expect(await found(`players?filter[playerIds]=${id},%00`)).toBe(1);
  expect(await found(`players?filter[playerNames]=${name},%00`)).toBeGreaterThan(0);
});

test("a server with seven shards and its keys in one database shares its connections among them", async () => {
  const sql = new SQL(cluster.url, { max: 1 });
  await sql.unsafe("CREATE ROLE seven LOGIN SUPERUSER");
  const url = cluster.url.replace("matchbook@", "seven@");
  const ids = Array.from({ length: 7 }, (_, at) => `s${at}`);
  const toml = ids.map((id) => inSchema(id, `seven_${id}`, url)).join("");
  const world = await startWorld([], { "keys-database": url }, undefined, toml);
  const { key } = await makeKey(world.settings);
  const statusOf = async (path: string) =>
    (await world.get(path, { Authorization: `Bearer ${key}` })).status;
  await until("the key is known", async () => (await statusOf("/usage")) === 200);
  for (const id of ids) {
    await ingestInto(world.settings, recordsOf(id));
    expect(await statusOf(`/shards/${id}/matches`)).toBe(200);
  }
  const open = async () =>
    (await sql`SELECT 1 FROM pg_stat_activity WHERE usename = 'seven'`).length;
  for (let round = 0; round < 5; round++) {
    await Promise.all(ids.map((id) => statusOf(`/shards/${id}/matches`)));
  }
  expect(await open()).toBeLessThanOrEqual(10 + OTHER_CONNECTIONS);
  await world.stop();
  await until("all are closed", async () => (await open()) === 0);
  await sql.close();
});

test("players are looked up by 50 names with one statement", async () => {
  const sql = new SQL(cluster.url, { max: 1 });
  await sql.unsafe("ALTER DATABASE postgres SET log_statement = 'all'");
  const world = await startIn("names");
  const { data } = (await world.get("/shards/na/players")).body;
  const names: string[] = data.map((one: { attributes: { name: string } }) => one.attributes.name);
  const asked = [...Array.from({ length: 50 - names.length }, (_, at) => `nobody${at}`), ...names];
  const log = () => readFileSync(join(cluster.folder, "log"), "utf8");
  const before = log().length;
  const filter = asked.map(encodeURIComponent).join();
  const found = await world.get(`/shards/na/players?filter[playerNames]=${filter}`);
  const statements = log()
    .slice(before)
    .match(/"names"\."players"/g);
  expect(found.body.data[0].attributes.name).toBe(names[0]!);
  expect(statements).toHaveLength(1);
  await world.stop();
  await sql.unsafe("ALTER DATABASE postgres RESET log_statement");
  await sql.close();
});

// While it runs: proxy.ts.
test("a database that is unavailable at the start does not prevent other shards from being served", async () => {
  await (await startWorld(recordsOf("eu"), {}, undefined, inSchema("eu", "late"))).stop();
  await cluster.stop();
  const toml = `[shards.na]\n${inSchema("eu", "late")}`;
  await using world = await startWorld(recordsOf("na"), {}, undefined, toml);
  const statuses = async () => [
    (await world.get(`/shards/na/${ONE}`)).status,
    (await world.get(`/shards/eu/${ONE}`)).status,
  ];
  expect(await statuses()).toEqual([200, 503]);
  await cluster.start();
  expect(await statuses()).toEqual([200, 200]);
});

test("a list by name is that of one state, although the player is renamed all the time", async () => {
  await using world = await startWorld([], {}, undefined, inSchema("na", "renamed"));
  const shards = openShards(world.settings, unobserved);
  const RENAMES = 60;
  /** The player is Ada after an even match, and Bo after an odd one. */
  const rename = (number: number) =>
    ingestWith(shards, world.settings, [
      aMatch({
        id: `m${number}`,
        createdAt: NOW - 60_000 + number,
        rosters: duel({ id: "p", name: number % 2 === 0 ? "Ada" : "Bo" }, { id: "other" }),
      }),
    ]);
  const path = "/shards/na/matches?filter[playerNames]=Ada&sort=-createdAt&page[limit]=1";
  try {
    await rename(0);
    // While a connection is opened, the player could be renamed twice, which the server would not notice.
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 6 }, () => world.get(path)));
    }
    let isOver = false;
    let found = 0;
    const read = async () => {
      while (!isOver) {
        const { data } = (await world.get(`${path}&include=`)).body;
        if (data.length === 0) continue;
        found += 1;
        expect(Number(data[0].id.slice(1)) % 2).toBe(0);
      }
    };
    const renaming = async () => {
      for (let number = 1; number <= RENAMES; number++) await rename(number);
      isOver = true;
    };
    await Promise.all([renaming(), read(), read(), read()]);
    expect(found).toBeGreaterThan(0);
  } finally {
    await shards.close();
  }
});
