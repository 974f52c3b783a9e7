/** Serves shards from a read-only and from a full file system, which takes a mount namespace. */

import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AUTHORIZATION, ndjson, TOKEN } from "../support/admin.ts";
import { skipWithout } from "../support/needs.ts";
import { shardsFile } from "../support/places.ts";
import { MATCHBOOK, matchbook, startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { testLong } from "../support/scale.ts";
import { until } from "../support/state.ts";
import { aFolder, JSON_API } from "../support/world.ts";

// Several processes may share a slow machine.
const tests = () => {
  test("shards on a read-only file system are served; uploads get an error", async () => {
    const { get, upload, end } = await serveFrom(
      (disk) => `mount --bind ${disk} ${disk} && mount -o remount,bind,ro ${disk}`,
    );
    expect(await get("/shards/na/matches/match-a")).toBe(200);
    expect(await get("/readyz")).toBe(200);
    expect(await upload(aMatch())).toBe(503);
    expect(await end()).toBe(0);
  });

  testLong("a shard on a read-only file system can be verified", async () => {
    const { path, remove } = aFolder();
    const stdin = ndjson([aMatch({ id: "match-a" })]);
    await matchbook(["ingest", "-", "--data", path], { stdin });
    const mounts = `mount --bind ${path} ${path} && mount -o remount,bind,ro ${path}`;
    const script = `${mounts} && exec ${MATCHBOOK} verify --data ${path}`;
    const { exitCode, stdout } = Bun.spawnSync(["unshare", "-Urm", "sh", "-c", script]);
    expect([exitCode, stdout.toString()]).toEqual([0, expect.stringContaining("na: no damage")]);
    remove();
  });

  test("a server that starts on a full disk serves its shards, and what arrives once there is space", async () => {
    const { get, upload, end, disk } = await serveFrom(
      (disk) =>
        `mv ${disk}/na.db ${disk}.db && mount -t tmpfs -o size=1m tmpfs ${disk} && mv ${disk}.db ${disk}/na.db && ` +
        `(cat /dev/zero > ${disk}/filler 2> ${disk}.log; true)`,
    );
    expect(await get("/shards/na/matches/match-a")).toBe(200);
    expect(await get("/readyz")).toBe(200);
    expect(await upload(aMatch({ id: "match-b" }))).toBe(507);
    rmSync(join(disk, "filler"));
    expect(await upload(aMatch({ id: "match-b" }))).toBe(200);
    await until(
      "the match is served",
      async () => (await get("/shards/na/matches/match-b")) === 200,
    );
    expect(await get("/shards/na/matches/match-a")).toBe(200);
    expect(await end()).toBe(0);
  });
};

/** Serves one match of the shard na, in a folder that `mounts` has changed for the server. */
async function serveFrom(mounts: (disk: string) => string) {
  const { path, remove } = aFolder();
  const disk = join(path, "disk");
  const data = join(path, "data");
  mkdirSync(disk);
  const stdin = ndjson([aMatch({ id: "match-a" })]);
  await matchbook(["ingest", "-", "--data", disk], { stdin });
  const config = shardsFile(join(path, "matchbook.toml"), { na: `sqlite:${join(disk, "na.db")}` });
  const made = await matchbook([
    "keys",
    "create",
    "--name",
    "me",
    "--rate",
    "100000",
    "--data",
    data,
  ]);
  const [key] = /mb_\w+/.exec(made.stdout)!;
  const program = join(path, "matchbook");
  const script = `${mounts(disk)} && exec ${MATCHBOOK} "$@"`;
  writeFileSync(program, `#!/bin/sh\nexec unshare -Urm sh -c '${script}' sh "$@"\n`);
  chmodSync(program, 0o755);
  const server = await startServerProcess(
    ["--data", data, "--config", config, "--admin-port", "0"],
    { program, env: { MATCHBOOK_ADMIN_TOKEN: TOKEN } },
  );
  const adminUrl = await server.saying(/^admin listener on (http:\S+)\n/m);
  const headers = { Authorization: `Bearer ${key}`, Accept: JSON_API };
  return {
    /** The folder as the server sees it. */
    disk: join(`/proc/${server.child.pid}/root`, disk),
    get: async (route: string) => (await fetch(`${server.url}${route}`, { headers })).status,
    async upload(record: ReturnType<typeof aMatch>) {
      const request = { method: "POST", headers: AUTHORIZATION, body: ndjson([record]) };
      return (await fetch(`${adminUrl}/ingest`, request)).status;
    },
    async end() {
      const exitCode = await server.end();
      remove();
      return exitCode;
    },
  };
}

const canMount = Bun.which("unshare") !== null && isAllowed();

function isAllowed(): boolean {
  const mount = "mount -t tmpfs tmpfs /tmp";
  return Bun.spawnSync(["unshare", "-Urm", "sh", "-c", mount]).exitCode === 0;
}

if (canMount) tests();
else skipWithout("user namespaces (unshare)", tests);
