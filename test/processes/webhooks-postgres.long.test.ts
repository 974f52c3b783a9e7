/** Webhooks of two instances that share a shard and the keys in PostgreSQL, also while it is unavailable. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { shardsFile } from "../support/places.ts";
import { type Cluster, startCluster } from "../support/postgres.ts";
import { matchbook } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { startReceiver } from "../support/webhooks.ts";
import { startWorkers } from "../support/workers.ts";
import { aFolder } from "../support/world.ts";

setDefaultTimeout(120_000);

const folder = aFolder();
const receiver = startReceiver();
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(async () => {
  await receiver.stop();
  cluster.remove();
  folder.remove();
});

test("one instance delivers, each change at least once and in order, and continues after an outage of the database", async () => {
  const at = (schema: string) => `${cluster.url}?schema=${schema}`;
  const config = shardsFile(join(folder.path, "matchbook.toml"), { na: at("na") });
  const envFor = (name: string) => {
    const data = join(folder.path, name);
    mkdirSync(data, { recursive: true });
    return {
      MATCHBOOK_DATA: data,
      MATCHBOOK_CONFIG: config,
      MATCHBOOK_KEYS_DATABASE: at("access"),
      MATCHBOOK_HOOKS: "private",
    };
  };
  const env = envFor("one");
  const run = async (args: string[], stdin = "") => {
    const { exitCode, stdout, stderr } = await matchbook(args, { env, stdin });
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    return stdout;
  };
  const ingest = (...ids: string[]) =>
    run(["ingest", "-"], ids.map((id) => `${JSON.stringify(aMatch({ id }))}\n`).join(""));
  await ingest("old");
  await run(["keys", "create", "--name", "receiver"]);
  const [{ id: key }] = JSON.parse(await run(["keys", "list", "--json"]));
  await run(["hooks", "add", "--key", key, "--url", receiver.url]);
  const servers = [await startWorkers([], { env }), await startWorkers([], { env: envFor("two") })];
  try {
    const ids = ["one", "two", "three"];
    for (const id of ids) {
      await ingest(id);
      await until(`${id} is delivered`, () => receiver.matches().includes(id));
    }
    expect(receiver.matches()).toEqual(ids);
    await cluster.stop("immediate");
    await Promise.race(servers.map((server) => server.events("hooks-stalled")));
    await cluster.start();
    await ingest("four");
    await until("the next change is delivered", () => receiver.matches().includes("four"));
    // Only what was sent right before the outage may be sent again.
    expect([
      [...ids, "four"],
      [...ids, "three", "four"],
    ]).toContainEqual(receiver.matches());
    const [hook] = JSON.parse(await run(["hooks", "list", "--json"]));
    expect(hook).toMatchObject({ state: "active", progress: [{ shard: "na", attempts: 0 }] });
  } finally {
    for (const server of servers) await server.end();
  }
});
