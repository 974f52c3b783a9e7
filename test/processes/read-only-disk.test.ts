/** Serves shards from a read-only file system, which takes a mount namespace. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AUTHORIZATION, ndjson, TOKEN } from "../support/admin.ts";
import { skipWithout } from "../support/needs.ts";
import { shardsFile } from "../support/places.ts";
import { MATCHBOOK, matchbook, startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { aFolder, JSON_API } from "../support/world.ts";

// Several processes may share a slow machine.
setDefaultTimeout(60_000);

const tests = () => {
  test("shards on a read-only file system are served; uploads get an error", async () => {
    const { path, remove } = aFolder();
    const readOnly = join(path, "read-only");
    const data = join(path, "data");
    mkdirSync(readOnly);
    const stdin = ndjson([aMatch({ id: "match-a" })]);
    await matchbook(["ingest", "-", "--data", readOnly], { stdin });
    const config = shardsFile(join(path, "matchbook.toml"), {
      na: `sqlite:${join(readOnly, "na.db")}`,
    });
    const made = await matchbook(["keys", "create", "--name", "me", "--data", data]);
    const [key] = /mb_\w+/.exec(made.stdout)!;
    const server = await startServerProcess(
      ["--data", data, "--config", config, "--admin-port", "0"],
      { program: mounting(path, readOnly), env: { MATCHBOOK_ADMIN_TOKEN: TOKEN } },
    );
    const response = await fetch(`${server.url}/shards/na/matches/match-a`, {
      headers: { Authorization: `Bearer ${key}`, Accept: JSON_API },
    });
    expect(response.status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    const adminUrl = await server.saying(/^admin listener on (http:\S+)\n/m);
    const upload = await fetch(`${adminUrl}/ingest`, {
      method: "POST",
      headers: AUTHORIZATION,
      body: ndjson([aMatch()]),
    });
    expect(upload.status).toBe(503);
    expect(await server.end()).toBe(0);
    remove();
  });
};

/** A program that runs bin/matchbook in a namespace where this folder is read-only. */
function mounting(folder: string, readOnly: string): string {
  const program = join(folder, "matchbook");
  const mounts = `mount --bind ${readOnly} ${readOnly} && mount -o remount,bind,ro ${readOnly}`;
  writeFileSync(
    program,
    `#!/bin/sh\nexec unshare -Urm sh -c '${mounts} && exec ${MATCHBOOK} "$@"' sh "$@"\n`,
  );
  chmodSync(program, 0o755);
  return program;
}

const canMount = Bun.which("unshare") !== null && isAllowed();

function isAllowed(): boolean {
  const mount = "mount -t tmpfs tmpfs /tmp";
  return Bun.spawnSync(["unshare", "-Urm", "sh", "-c", mount]).exitCode === 0;
}

if (canMount) tests();
else skipWithout("user namespaces (unshare)", tests);
