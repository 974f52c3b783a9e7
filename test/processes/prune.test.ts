/** `matchbook prune` as a process, on both engines. What is left is tested in test/features, test/properties and the soak. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { formatTimestamp } from "../../src/domain/time.ts";
import { ENGINES, engineHomes } from "../support/engine-worlds.ts";
import {
  digestAt,
  doneAt,
  homeAt,
  ingestAt,
  linesOf,
  lookInto,
  matchbookAt,
} from "../support/places.ts";
import { ROOT } from "../support/process.ts";
import { aMatch } from "../support/records.ts";

const DAY = 86_400_000;
const homeIn = engineHomes();

const daysAgo = (id: string, days: number, ending = "victory") =>
  aMatch({ id, mode: "casual", ending, createdAt: Date.now() - days * DAY });
const linesFor = (records: object[]) => records.map((one) => JSON.stringify(one));
const cutoffOf = (data: string) => lookInto(data, async (writer) => writer.prunedBefore());

describe.each(ENGINES)("in %s, prune", (engine) => {
  test("says how many it removes; a moved shard and a restored one keep the cutoff, which never moves back", async () => {
    const { data, beside } = homeIn(engine);
    const prune = (...args: string[]) => matchbookAt(data, ["prune", "na", ...args]);
    await ingestAt(
      data,
      linesFor([
        daysAgo("old", 500),
        daysAgo("old-void", 450, "notenoughplayers"),
        daysAgo("recent", 300),
      ]),
    );
    const trial = await prune("--older-than", "400d", "--dry-run");
    expect(trial.stdout).toMatch(/\nserved would be removed +1\nwithheld would be removed +1\n$/);
    expect(await cutoffOf(data)).toBeUndefined();

    const { exitCode, stdout, stderr } = await prune("--older-than", "400d");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^cutoff +\d{4}-.*Z\nserved removed +1\nwithheld removed +1\n$/);
    const cutoff = (await cutoffOf(data))!;
    expect(Math.abs(Date.now() - 400 * DAY - cutoff)).toBeLessThan(DAY);
    const why = await matchbookAt(data, ["why", "na", "old"]);
    expect(why.stdout).toEndWith(
      `or it is older than the prune cutoff (${formatTimestamp(cutoff)})\n`,
    );

    const copy = `sqlite:${beside("copy.db")}`;
    await doneAt(data, ["shards", "move", "na", "--to", copy]);
    const there = homeAt(beside("there"), copy);
    const restored = homeAt(beside("restored"), `sqlite:${beside("restored.db")}`);
    await doneAt(there, ["backup", beside("saved")]);
    await doneAt(restored, ["restore", beside("saved"), "na"]);
    for (const one of [there, restored]) {
      expect(await digestAt(one)).toEqual(await digestAt(data));
      expect(await cutoffOf(one)).toBe(cutoff);
    }

    const back = await prune("--older-than", "450d");
    expect(back.stderr).toBe("Shard na was pruned before: its cutoff never moves back.\n");
    expect(back.stdout).toContain(formatTimestamp(cutoff));
    expect(back.stdout).toMatch(/\nserved removed +0\n/);
  });

  test("continues when it was killed; until then, its matches are hidden", async () => {
    const { data, place } = homeIn(engine);
    const now = Date.now();
    await ingestAt(data, [...linesOf("na", 40, now - 10 * DAY), ...linesFor([daysAgo("new", 1)])]);
    const cutoff = now - 5 * DAY;
    const before = await lookInto(data, async (writer) => writer.countOlder(cutoff));
    const helper = join(ROOT, "test/support/half-pruned.ts");
    const child = Bun.spawn([process.execPath, helper, place, String(cutoff)], { stdout: "pipe" });
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

    const { stdout } = await matchbookAt(data, ["prune", "na", "--older-than", "5d"]);
    expect(stdout.match(/\d+$/gm)?.map(Number)).toEqual([left.served, left.withheld]);
    expect(await digestAt(data)).toMatchObject({ matches: 1 });
  });
});
