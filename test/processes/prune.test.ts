/** `matchbook prune` as a process, on both engines, and what other commands say about pruned matches. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { formatTimestamp } from "../../src/domain/time.ts";
import { digestAt, homeAt, linesOf, lookInto, matchbookAt } from "../support/places.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";
import { ROOT } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { aFolder } from "../support/world.ts";

const DAY = 86_400_000;

let postgres: Awaited<ReturnType<typeof aPostgres>>;
beforeAll(async () => {
  postgres = await aPostgres();
});
afterAll(() => postgres.stop());

let homes = 0;

describe.each(["SQLite", "PostgreSQL"])("in %s, prune", (engine) => {
  let folder: ReturnType<typeof aFolder>;
  let schema: string;
  let location: string;
  let data: string;
  beforeEach(() => {
    folder = aFolder();
    schema = `pruning_${process.pid}_${++homes}`;
    location =
      engine === "SQLite"
        ? `sqlite:${join(folder.path, "na.db")}`
        : `${postgres.url}?schema=${schema}`;
    data = homeAt(join(folder.path, "home"), location);
  });
  afterEach(async () => {
    folder.remove();
    if (engine === "PostgreSQL") await dropSchema(postgres.url, schema);
  });

  const daysAgo = (id: string, days: number, ending = "victory") =>
    aMatch({ id, shard: "na", mode: "casual", ending, createdAt: Date.now() - days * DAY });
  const ingest = (records: object[]) =>
    matchbookAt(
      data,
      ["ingest", "-", "--json"],
      records.map((record) => `${JSON.stringify(record)}\n`).join(""),
    );
  const prune = (...args: string[]) => matchbookAt(data, ["prune", "na", ...args]);

  test("removes what is older, says how many, and keeps it out", async () => {
    const records = [
      daysAgo("old", 500),
      daysAgo("old-void", 450, "notenoughplayers"),
      daysAgo("recent", 300),
    ];
    await ingest(records);
    const trial = JSON.parse((await prune("--older-than", "400d", "--dry-run", "--json")).stdout);
    expect(trial).toEqual({
      shard: "na",
      cutoff: expect.any(String),
      served: 1,
      withheld: 1,
      dryRun: true,
    });
    expect(await lookInto(data, async (writer) => writer.prunedBefore())).toBeUndefined();

    const { exitCode, stdout, stderr } = await prune("--older-than", "400d");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(
      /^shard +na\ncutoff +\d{4}-.*Z\nserved +1\nwithheld +1\ndryRun +false\n$/,
    );
    const cutoff = await lookInto(data, async (writer) => writer.prunedBefore());
    expect(Math.abs(Date.now() - 400 * DAY - cutoff!)).toBeLessThan(DAY);

    const again = await ingest(records);
    expect(again.exitCode).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ stored: 0, duplicate: 1, pruned: 2 });
    const older = `older than the prune cutoff (${formatTimestamp(cutoff!)})`;
    const why = await matchbookAt(data, ["why", "na", "old"]);
    expect(why.stdout).toBe(
      `unknown: no record with this id is stored in na: it was never received, it was rejected, or it is ${older}\n`,
    );

    const copy = join(folder.path, "copy.db");
    const moved = await matchbookAt(data, ["shards", "move", "na", "--to", `sqlite:${copy}`]);
    expect(moved.exitCode).toBe(0);
    const there = homeAt(join(folder.path, "there"), `sqlite:${copy}`);
    expect(await digestAt(there)).toEqual(await digestAt(data));
    expect(await lookInto(there, async (writer) => writer.prunedBefore())).toBe(cutoff);

    expect((await matchbookAt(data, ["verify", "na", "--full-speed"])).exitCode).toBe(0);
    const saved = join(folder.path, "saved");
    const backup = await matchbookAt(there, ["backup", saved, "--no-keys"]);
    expect([backup.exitCode, backup.stderr]).toEqual([0, ""]);
    const restored = homeAt(join(folder.path, "restored"), `sqlite:${folder.path}/restored.db`);
    expect((await matchbookAt(restored, ["restore", saved])).exitCode).toBe(0);
    expect(await digestAt(restored)).toEqual(await digestAt(data));
    expect(await lookInto(restored, async (writer) => writer.prunedBefore())).toBe(cutoff);

    const back = await prune("--older-than", "450d", "--json");
    expect(back.stderr).toBe("Shard na was pruned before: its cutoff never moves back.\n");
    expect(JSON.parse(back.stdout)).toMatchObject({ cutoff: formatTimestamp(cutoff!), served: 0 });
  });

  test("continues when it was killed; until then, its matches are hidden", async () => {
    const now = Date.now();
    await ingest(linesOf("na", 40, now - 10 * DAY).map((line) => JSON.parse(line)));
    await ingest([daysAgo("recent", 1)]);
    const cutoff = now - 5 * DAY;
    const before = await lookInto(data, async (writer) => writer.countOlder(cutoff));
    const helper = join(ROOT, "test/support/half-pruned.ts");
    const child = Bun.spawn([process.execPath, helper, location, String(cutoff)], {
      stdout: "pipe",
    });
    const { value } = await child.stdout.getReader().read();
    expect(Buffer.from(value ?? "").toString()).toBe("some are removed\n");
    child.kill("SIGKILL");
    await child.exited;

    const [left, some] = await lookInto(data, async (writer) => [
      await writer.countOlder(cutoff),
      await writer.write(async (transaction) => transaction.older(cutoff, 1)),
    ]);
    expect(left.served + left.withheld).toBe(before.served + before.withheld - 7);
    const why = await matchbookAt(data, ["why", "na", some[0]!.match.id, "--json"]);
    expect(JSON.parse(why.stdout)).toMatchObject({
      state: "pruned",
      detail: `older than the prune cutoff (${formatTimestamp(cutoff)})`,
    });

    const { stdout } = await prune("--older-than", "5d", "--json");
    expect(JSON.parse(stdout)).toMatchObject(left);
    expect(await digestAt(data)).toMatchObject({ matches: 1 });
  });
});

test.each([
  [[], "required option '--older-than <DAYS>' not specified; see 'matchbook prune --help'"],
  [
    ["--older-than", "400"],
    `invalid --older-than "400": must be a number of days from 1d to 36500d, e.g. 400d`,
  ],
  [
    ["--older-than", "0d"],
    `invalid --older-than "0d": must be a number of days from 1d to 36500d, e.g. 400d`,
  ],
])("wrong usage %p exits with 2", async (args, message) => {
  const folder = aFolder();
  const data = homeAt(folder.path, `sqlite:${join(folder.path, "na.db")}`);
  const { exitCode, stderr } = await matchbookAt(data, ["prune", "na", ...args]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: `matchbook: ${message}\n` });
  folder.remove();
});
