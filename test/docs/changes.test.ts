/** docs/changes.md: its program keeps a copy of a shard. */

import { Database } from "bun:sqlite";
import { afterAll, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { startProxy } from "../support/tcp-proxy.ts";
import { aFolder, startWorld } from "../support/world.ts";
import { blocks, page } from "./markdown.ts";

const [copyProgram] = blocks(page("docs/changes.md"), "js");

const started: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of started) await stop();
});

test("the program of the page keeps a copy, also of matches dated ahead of the clock, and after 410", async () => {
  const folder = aFolder();
  const program = join(folder.path, "copy.mjs");
  writeFileSync(program, copyProgram!);
  const ids = Array.from({ length: 12 }, (_, at) => `m${at}`);
  const ahead = Date.now() + 300_000;
  const world = await startWorld(
    [...ids.map((id) => aMatch({ id })), aMatch({ id: "ahead", createdAt: ahead })],
    {},
    undefined,
    "",
    undefined,
    { pollMs: 5 },
  );
  const { port } = new URL(world.url);
  const proxy = await startProxy(Number(port));
  const child = Bun.spawn(["node", program], {
    env: { PATH: process.env.PATH!, BASE: `http://127.0.0.1:${proxy.port}`, KEY: world.key },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  // Also if the test fails: the program would try for ever to reach its server.
  started.push(async () => {
    child.kill();
    proxy.stop();
    await world.stop();
    folder.remove();
  });
  const copied = new Set<string>();
  void (async () => {
    let output = "";
    for await (const chunk of child.stdout) {
      output += Buffer.from(chunk).toString();
      const lines = output.split("\n");
      output = lines.pop()!;
      for (const [what, id] of lines.map((line) => line.split(" "))) {
        if (what === "copied") copied.add(id!);
        else copied.delete(id!);
      }
    }
  })();
  const has = (...expected: string[]) =>
    until(
      `the copy has ${expected}`,
      () => new Set(expected).symmetricDifference(copied).size === 0,
    );
  const withhold = (id: string) =>
    world.ingest([aMatch({ id, mode: "practice" })], { replace: true });

  await has(...ids, "ahead");
  await world.ingest([aMatch({ id: "new" })]);
  await has(...ids, "ahead", "new");
  await withhold("m0");
  await has(...ids.slice(1), "ahead", "new");

  proxy.stop();
  await withhold("m1");
  await world.ingest([aMatch({ id: "later" }), aMatch({ id: "ahead", createdAt: ahead })], {
    replace: true,
  });
  const shard = new Database(join(world.data, "na.db"));
  shard.run("DELETE FROM changes WHERE sequence < (SELECT max(sequence) FROM changes)");
  shard.close();
  await proxy.start();
  await has(...ids.slice(2), "ahead", "new", "later");
});
