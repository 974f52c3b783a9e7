/** Webhooks that cannot be read do not stop the start. */

import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../src/observe/events.ts";
import { openAccess } from "../../src/open-access.ts";
import { serve } from "../../src/wiring.ts";
import { matchbook } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { startWorld } from "../support/world.ts";

test("with a damaged file of webhooks nothing is delivered, and all else works; hooks are added to a new file", async () => {
  await using world = await startWorld([aMatch()]);
  const access = openAccess(world.settings);
  const { record: key } = await access.keys.create({ name: "hooks" }, Date.now());
  await access.close();
  const file = join(world.data, "hooks.sqlite");
  writeFileSync(file, "this is not a database, ".repeat(1000));
  const events: Event[] = [];
  const settings = { ...world.settings, hooks: "private" } as const;
  const running = await serve(settings, (event) => events.push(event));
  const add = () =>
    matchbook(["hooks", "add", "--key", key.id, "--url", "http://127.0.0.1:1/"], {
      env: { MATCHBOOK_DATA: world.data, MATCHBOOK_HOOKS: "private" },
    });
  try {
    await until("it is reported", () => events.some(({ event }) => event === "hooks-stalled"));
    for (const path of ["/readyz", "/shards/na/matches"])
      expect((await world.get(running.url + path)).status).toBe(200);
    expect((await add()).exitCode).toBe(1);

    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
    expect((await add()).exitCode).toBe(0);
  } finally {
    await running.stop("test");
  }
});
