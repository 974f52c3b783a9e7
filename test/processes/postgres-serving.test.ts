/** A shard in PostgreSQL: connections, statements, and recovery from failures. The bytes: properties/state.test.ts. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { type Event, unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { OTHER_CONNECTIONS } from "../../src/postgres/session.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { serve } from "../../src/wiring.ts";
import { demoLines } from "../support/demo.ts";
import { shardsFile } from "../support/places.ts";
import { type Cluster, startCluster } from "../support/postgres.ts";
import { matchbook } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";
import { until as waitFor } from "../support/state.ts";
import { aFolder, ingestInto, ingestWith, JSON_API, makeKey } from "../support/world.ts";

const BASE = "https://api.example.com";
const folder = aFolder();
let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => {
  cluster.remove();
  folder.remove();
});

function settingsFor(
  name: string,
  shards: Record<string, string | undefined>,
  flags: Record<string, string> = {},
): Settings {
  return loadSettings({
    flags: {
      ...flags,
      data: `${folder.path}/${name}`,
      port: "0",
      "public-url": BASE,
      "drain-ms": "0",
      rate: "1000000",
      "matches-per-day": "0",
    },
    env: {},
    cwd: folder.path,
    configFile: shardsFile(join(folder.path, `${name}.toml`), shards),
  }).values;
}

async function serving(settings: Settings) {
  const { key } = await makeKey(settings);
  const server = await serve(settings, unobserved);
  const headers = { Authorization: `Bearer ${key}`, Accept: JSON_API };
  return {
    async get(path: string, more: Record<string, string> = {}) {
      const reply = await fetch(`${server.url}${path}`, { headers: { ...headers, ...more } });
      const bytes = Buffer.from(await reply.arrayBuffer());
      return { status: reply.status, headers: reply.headers, bytes, text: bytes.toString() };
    },
    stop: () => server.stop("test"),
  };
}

const placeOf = (schema: string) =>
  `postgres://matchbook@127.0.0.1:${cluster.port}/postgres?schema=${schema}`;
const until = Date.now() - 60_000;
const records = demoLines(30, until)
  .map((line) => JSON.parse(line))
  .map((document) => onShard(document, "na"));

interface Outline {
  data: { id: string; attributes: { gameMode: string; stats: { endGameReason: string } } };
}

/** One of these that is served in any case. */
function servedAmong(documents: readonly Outline[]): string {
  const { data } = documents.find(({ data: { attributes } }) => {
    return attributes.gameMode === "ranked" && attributes.stats.endGameReason === "victory";
  })!;
  return data.id;
}

/** The same record for another shard. */
function onShard<T>(document: T, shard: string): T {
  return JSON.parse(
    JSON.stringify(document).replaceAll(/"shardId":"[a-z0-9-]+"/g, `"shardId":"${shard}"`),
  );
}

test("a database that does not check its pages is reported", async () => {
  const events: Event[] = [];
  const server = await serve(settingsFor("checked", { na: placeOf("checked") }), (event) =>
    events.push(event),
  );
  await server.stop("test");
  const sql = new SQL(placeOf("checked").split("?")[0]!, { max: 1 });
  const [row] = await sql.unsafe("SHOW data_checksums");
  await sql.close();
  const isReported = events.some(({ event }) => event === "data-checksums-off");
  expect(isReported).toBe(row.data_checksums === "off");
});

/** PostgreSQL cannot search for a text with U+0000: nothing is found, as in SQLite. */
test("texts with U+0000 in ids, names, tags and patches find nothing", async () => {
  const settings = settingsFor("nul", { na: placeOf("nul") });
  await ingestInto(settings, records.slice(0, 20));
  const server = await serving(settings);
  const { data } = JSON.parse((await server.get("/shards/na/players")).text);
  const [id, name] = [data[0].id, encodeURIComponent(data[0].attributes.name)];
  const found = async (path: string) => {
    const { status, text } = await server.get(`/shards/na/${path}`);
    return status === 200 ? JSON.parse(text).data.length : status;
  };
  expect(await found("matches/%00")).toBe(404);
  expect(await found(`players/${id}%00`)).toBe(404);
  for (const filter of ["playerIds", "playerNames", "teamNames", "patchVersion"]) {
    expect([filter, await found(`matches?filter[${filter}]=%00`)]).toEqual([filter, 0]);
  }
  expect(await found(`players?filter[playerIds]=${id},%00`)).toBe(1);
  expect(await found(`players?filter[playerNames]=${name},%00`)).toBeGreaterThan(0);
  await server.stop();
});

test("a server with seven shards and its keys in one database shares its connections among them", async () => {
  const sql = new SQL(cluster.url, { max: 1 });
  await sql.unsafe("CREATE ROLE seven LOGIN SUPERUSER");
  const url = cluster.url.replace("matchbook@", "seven@");
  const ids = Array.from({ length: 7 }, (_, at) => `s${at}`);
  const places = ids.map((id) => [id, `${url}?schema=seven_${id}`]);
  const settings = settingsFor("seven", Object.fromEntries(places), { "keys-database": url });
  for (const id of ids) {
    await ingestInto(
      settings,
      records.slice(0, 20).map((one) => onShard(one, id)),
    );
  }
  const open = async () =>
    (await sql`SELECT 1 FROM pg_stat_activity WHERE usename = 'seven'`).length;
  const server = await serving(settings);
  for (const id of ids) expect((await server.get(`/shards/${id}/matches`)).status).toBe(200);
  for (let round = 0; round < 5; round++) {
    await Promise.all(ids.map((id) => server.get(`/shards/${id}/matches`)));
  }
  expect(await open()).toBeLessThanOrEqual(10 + OTHER_CONNECTIONS);
  await server.stop();
  await waitFor("all are closed", async () => (await open()) === 0);
  await sql.close();
});

test("players are looked up by 50 names with one statement", async () => {
  const sql = new SQL(cluster.url, { max: 1 });
  await sql.unsafe("ALTER DATABASE postgres SET log_statement = 'all'");
  const settings = settingsFor("names", { na: placeOf("names") });
  await ingestInto(settings, records.slice(0, 20));
  const server = await serving(settings);
  const { data } = JSON.parse((await server.get("/shards/na/players")).text);
  const names: string[] = data.map((one: Named) => one.attributes.name);
  const asked = [...Array.from({ length: 50 - names.length }, (_, at) => `nobody${at}`), ...names];
  const log = () => readFileSync(join(cluster.folder, "log"), "utf8");
  const before = log().length;
  const filter = asked.map(encodeURIComponent).join();
  const found = JSON.parse(
    (await server.get(`/shards/na/players?filter[playerNames]=${filter}`)).text,
  );
  const statements = log()
    .slice(before)
    .match(/"names"\."players"/g);
  expect(found.data[0].attributes.name).toBe(names[0]!);
  expect(statements).toHaveLength(1);
  await server.stop();
  await sql.unsafe("ALTER DATABASE postgres RESET log_statement");
  await sql.close();
});

interface Named {
  attributes: { name: string };
}

describe("a database that becomes unavailable", () => {
  test("affects only its own shard, which recovers without a restart", async () => {
    const settings = settingsFor("mixed", { na: undefined, eu: placeOf("away") });
    await ingestInto(settings, records.slice(0, 20));
    await ingestInto(
      settings,
      records.slice(0, 20).map((one) => onShard(one, "eu")),
    );
    const server = await serving(settings);
    const id = servedAmong(records.slice(0, 20));
    const statuses = async () => [
      (await server.get(`/shards/na/matches/${id}`)).status,
      (await server.get(`/shards/eu/matches/${id}`)).status,
    ];
    // At most a second old.
    const readiness = (status: number) =>
      waitFor(`/readyz is ${status}`, async () => (await server.get("/readyz")).status === status);
    const whole = (await server.get(`/shards/eu/matches/${id}`)).text;
    expect(await statuses()).toEqual([200, 200]);
    await readiness(200);

    await cluster.stop("immediate");
    expect(await statuses()).toEqual([200, 503]);
    await readiness(503);
    const unavailable = await server.get(`/shards/eu/matches/${id}`);
    expect(unavailable.headers.get("retry-after")).toBe("5");
    expect(JSON.parse(unavailable.text).errors[0].code).toBe("shard-unavailable");
    expect(unavailable.text).not.toContain("127.0.0.1");
    const status = JSON.parse((await server.get("/status")).text);
    expect(status.shards.map(({ available }: { available: boolean }) => available)).toEqual([
      false,
      true,
    ]);

    await cluster.start();
    expect(await statuses()).toEqual([200, 200]);
    await readiness(200);
    expect((await server.get(`/shards/eu/matches/${id}`)).text).toBe(whole);
    await server.stop();
  });

  test("at the start does not prevent other shards from being served", async () => {
    const settings = settingsFor("late", { na: undefined, eu: placeOf("late") });
    await ingestInto(settings, records.slice(0, 20));
    await cluster.stop();
    const server = await serving(settings);
    const id = servedAmong(records.slice(0, 20));
    expect((await server.get(`/shards/na/matches/${id}`)).status).toBe(200);
    expect((await server.get("/shards/eu/matches")).status).toBe(503);
    await cluster.start();
    expect((await server.get("/shards/eu/matches")).status).toBe(200);
    await server.stop();
  });
});

test("a schema of another shard is neither served nor written, and doctor reports it", async () => {
  const place = placeOf("misplaced");
  await ingestInto(settingsFor("owner", { eu: place }), [aMatch({ shard: "eu", id: "match-eu" })]);
  const settings = settingsFor("misplaced", { na: place, sa: undefined });
  const server = await serving(settings);
  expect((await server.get("/shards/na/matches")).status).toBe(503);
  expect((await server.get("/shards/sa/matches")).status).toBe(200);
  await server.stop();
  const config = ["--config", `${settings.data}.toml`, "--data", settings.data];
  const refused = "schema misplaced holds the records of shard eu";
  const stdin = JSON.stringify(aMatch({ shard: "na", id: "match-na" }));
  for (const command of [["ingest", "-"], ["export", "na"], ["doctor"]]) {
    const { exitCode, stdout, stderr } = await matchbook([...command, ...config], { stdin });
    expect([command, exitCode]).toEqual([command, 1]);
    expect(stdout + stderr).toContain(refused);
  }
});

test("a list by name is that of one state, although the player is renamed all the time", async () => {
  const settings = settingsFor("renamed", { na: placeOf("renamed") });
  const server = await serving(settings);
  const shards = openShards(settings, unobserved);
  const RENAMES = 60;
  /** The player is Ada after an even match, and Bo after an odd one. */
  const rename = (number: number) =>
    ingestWith(shards, settings, [
      aMatch({
        id: `m${number}`,
        createdAt: until - 60_000 + number,
        rosters: duel({ id: "p", name: number % 2 === 0 ? "Ada" : "Bo" }, { id: "other" }),
      }),
    ]);
  const path = "/shards/na/matches?filter[playerNames]=Ada&sort=-createdAt&page[limit]=1";
  try {
    await rename(0);
    // While a connection is opened, the player could be renamed twice, which the server would not notice.
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 6 }, () => server.get(path)));
    }
    let isOver = false;
    let found = 0;
    const read = async () => {
      while (!isOver) {
        const { data } = JSON.parse((await server.get(`${path}&include=`)).text);
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
    await server.stop();
  }
});
