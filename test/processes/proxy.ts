/** Two instances behind HAProxy with the settings of the folder deploy. Each reaches its database on its own way. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { loadSettings } from "../../src/settings/load.ts";
import { serve } from "../../src/wiring.ts";
import { shardsFile } from "../support/places.ts";
import { aPostgres, freePort } from "../support/postgres.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { startProxy } from "../support/tcp-proxy.ts";
import { aFolder, getAs, ingestInto, makeKey } from "../support/world.ts";
import { publicProxySettings } from "../trial/failover/settings.ts";

const PROGRAM = Bun.which("haproxy", { PATH: `${process.env.PATH}:/usr/sbin` })!;
/** In the database and in a file of the data folder. */
const [REMOTE, LOCAL] = ["/shards/na/matches/match-1", "/shards/eu/matches/match-1"];
const IN_A_ROW = 20;
/** After two, HAProxy leaves an instance out. */
const FAILED_CHECKS = 2;

const folder = aFolder();
let database: Awaited<ReturnType<typeof aPostgres>>;
let one: Awaited<ReturnType<typeof startInstance>>;
let two: typeof one;
let proxy: Subprocess;
let url: string;
let key: string;

beforeAll(async () => {
  database = await aPostgres();
  ({ key } = await makeKey({ data: folder.path }));
  one = await startInstance("one");
  two = await startInstance("two");
  for (const shard of ["na", "eu"]) {
    await ingestInto(one.settings, [aMatch({ id: "match-1", shard })]);
  }
  const port = await freePort();
  const file = join(folder.path, "haproxy.cfg");
  writeFileSync(file, publicProxySettings(port, [one.port, two.port]));
  proxy = Bun.spawn([PROGRAM, "-db", "-f", file], { stdout: "ignore", stderr: "ignore" });
  url = `http://127.0.0.1:${port}`;
  const listens = () => get(LOCAL).then(Boolean, () => false);
  await until("the proxy listens", listens);
  await until(
    "both serve",
    async () => (await isServed(REMOTE)) && one.counts.served > 0 && two.counts.served > 0,
  );
});
afterAll(async () => {
  proxy.kill("SIGKILL");
  await proxy.exited;
  for (const instance of [one, two]) await instance.stop();
  database.stop();
  folder.remove();
});

/** An instance and the forwarder through which it reaches the database. */
async function startInstance(name: string) {
  const way = await startProxy(Number(new URL(database.url).port || "5432"));
  const na = new URL(database.url);
  na.port = String(way.port);
  na.searchParams.set("schema", "proxied");
  const { values: settings } = loadSettings({
    flags: { data: folder.path, port: "0", "drain-ms": "0", rate: "1000000" },
    env: {},
    cwd: folder.path,
    configFile: shardsFile(join(folder.path, `${name}.toml`), { na: na.href, eu: undefined }),
  });
  const counts = { served: 0, failedChecks: 0 };
  const server = await serve(settings, (event) => {
    if (event.event !== "request") return;
    if (event.path === REMOTE && event.status === 200) counts.served += 1;
    if (event.path === "/readyz" && event.status === 503) counts.failedChecks += 1;
  });
  return {
    settings,
    port: Number(new URL(server.url).port),
    counts,
    way,
    async stop() {
      await server.stop("test");
      way.stop();
    },
  };
}

const get = (path: string) => getAs({ url, key }, path);

/** Whether it is served many times in a row, however the proxy distributes requests. */
async function isServed(path: string): Promise<boolean> {
  for (let left = IN_A_ROW; left > 0; left--) {
    if ((await get(path)).status !== 200) return false;
  }
  return true;
}

test("an instance that has lost its database is left out, and used again when it is back", async () => {
  one.way.stop();
  await until("the other serves all", async () => {
    const before = two.counts.served;
    return (await isServed(REMOTE)) && two.counts.served - before === IN_A_ROW;
  });
  await one.way.start();
  const before = one.counts.served;
  await until("both serve", async () => (await isServed(REMOTE)) && one.counts.served > before);
});

test("while all have lost it, they respond themselves and serve their other shards", async () => {
  one.way.stop();
  two.way.stop();
  const before = [one, two].map(({ counts }) => counts.failedChecks);
  await until("the proxy has noticed it", () =>
    [one, two].every(({ counts }, at) => counts.failedChecks > before[at]! + FAILED_CHECKS),
  );
  const answer = await until("an instance responds", async () => {
    const { headers, ...rest } = await get(REMOTE);
    return headers.has("x-request-id") && { ...rest, retryAfter: headers.get("retry-after") };
  });
  const body = { errors: [{ code: "shard-unavailable" }] };
  expect(answer).toMatchObject({ status: 503, retryAfter: "5", body });
  expect(JSON.stringify(answer)).not.toContain("127.0.0.1");
  await until("the other shard is served", () => isServed(LOCAL));
  const { shards } = (await get("/status")).body;
  expect(shards).toMatchObject([{ available: true }, { available: false }]);
});
