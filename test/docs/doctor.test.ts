/** docs/operating.md: `matchbook doctor` and `matchbook withheld` print what the page shows. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeDamagedShard } from "../support/damaged-shard.ts";
import { matchbook, ROOT } from "../support/process.ts";
import { aFolder } from "../support/world.ts";

const page = readFileSync(join(ROOT, "docs/operating.md"), "utf8");

/** The output below a command of the page. */
const shownFor = (command: string): string =>
  new RegExp(`^\\$ ${command}\\n(.*?)^\`\`\`$`, "ms").exec(page)![1]!;

const folder = aFolder();
const run = (args: string[], stdin?: string) =>
  matchbook(args, { cwd: folder.path, ...(stdin === undefined ? {} : { stdin }) });

beforeAll(async () => {
  const demo = ["demo", "--matches", "60", "--seed", "3", "--until", "2026-03-01T18:00:00Z"];
  await run(["ingest", "-"], (await run(demo)).stdout);
  await run(["keys", "create", "--name", "me"]);
  writeFileSync(join(folder.path, "matchbook.toml"), 'log-level = "silent"\n');
}, 60_000);
afterAll(() => folder.remove());

test("'matchbook withheld' prints what the page shows", async () => {
  const command = "matchbook withheld na --limit 2";
  const { exitCode, stdout, stderr } = await run(command.split(" ").slice(1));
  expect(exitCode).toBe(0);
  expect(stdout + stderr).toBe(shownFor(command));
});

test("'matchbook doctor' prints what the page shows", async () => {
  const path = (name: string) => join(folder.path, "data", name);
  copyFileSync(path("eu.db"), path("EU.db"));
  writeDamagedShard(path("na.db"));
  const { exitCode, stdout } = await run(["doctor"]);
  expect(exitCode).toBe(1);
  const printed = stdout.split("\n").map(comparable);
  const shown = shownFor("matchbook doctor").split("\n").map(comparable);
  expect(shown.length).toBeGreaterThan(10);
  expect(shown.filter((line) => line !== "…" && !printed.includes(line))).toEqual([]);
});

/** Without what depends on the machine or on other lines: the level of some, sizes, and the width of columns. */
const comparable = (line: string): string =>
  line
    .replace(/^\w+ +(versions|disk|clock|descriptors) .*/, "$1")
    .replace(/^(\d+ problems?), .*/, "$1")
    .replaceAll(/[\d.]+ MiB/g, "SIZE")
    .replaceAll(/ +/g, " ");
