/**
 * When a command reports success, everything it did is on the disk. Each runs recorded; the power is cut when its report
 * leaves the process, everything that is not synced is lost, and other commands look at what is left. Keys, uploads and
 * plain ingest are in test/trial/power-cuts.
 */

import { beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DiskModel, WORST } from "../support/disk-model.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { linesOf } from "../support/places.ts";
import { asProcess, matchbook } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { sharedFolder } from "../support/shared.ts";
import { recorder, sends } from "../support/system-calls.ts";
import { powerCuts } from "../trial/power-cuts/power-cuts.ts";

const MATCHES = 12;
const NOW = Date.now();
const lines = linesOf("na", MATCHES, NOW - 3_600_000);

const folder = sharedFolder();
const original = join(folder, "original");
let player: string;

beforeAll(async () => {
  await done(["ingest", "-", "--data", join(original, "data")], lines.join("\n"));
  await done(["keys", "create", "--name", "one", "--data", join(original, "data")]);
  const { included } = JSON.parse(lines[0]!);
  player = included.find(({ type }: { type: string }) => type === "player").id;
  await done(["backup", join(original, "backup"), "--data", join(original, "data")]);
});

/** Runs a command that must succeed, and returns its output. */
async function done(args: string[], stdin = ""): Promise<string> {
  const { exitCode, stdout, stderr } = await matchbook(args, { stdin });
  expect([args[0], exitCode, stderr]).toEqual([args[0], 0, stderr]);
  return stdout;
}

let disks = 0;

/** The path of a modelled disk: with a shard, a key and a backup, or empty. */
function aDisk(content?: string): string {
  const path = join(folder, `disk-${disks++}`, "disk");
  mkdirSync(path, { recursive: true });
  if (content !== undefined) cpSync(content, path, { recursive: true });
  return path;
}

/**
 * Runs a command on a disk; the data folder on it is `data`. Returns the folder that is left after a power cut when the
 * command sends the acknowledgement.
 */
async function leftAfter(
  disk: string,
  args: string[],
  acknowledgement: string,
  stdin = "",
  exitCode = 0,
): Promise<string> {
  const whole = [...args.map((one) => one.replace("DISK", disk)), "--data", join(disk, "data")];
  const model = new DiskModel(disk);
  const tape = recorder(dirname(disk));
  const finished = await asProcess(whole, { program: tape.program, stdin });
  expect([finished.exitCode, finished.stderr]).toEqual([exitCode, finished.stderr]);
  const calls = tape.calls();
  const { moment } = sends(calls, acknowledgement);
  model.play(calls.filter((call) => call.moment < moment));
  const atRisk = model.atRisk();
  const left = `${disk}-left`;
  model.cut(left, WORST);
  // Nor may the rest of the run do something in an order that a power cut could turn into damage.
  model.play(calls.filter((call) => call.moment >= moment));
  // What is rebuilt to compare with is thrown away.
  const mistakes = model.mistakes.filter((one) => !one.startsWith("data/.verify-"));
  expect({ atRisk, mistakes }).toEqual({ atRisk: [], mistakes: [] });
  return left;
}

const verified = async (data: string) =>
  JSON.parse(await done(["verify", "--json", "--full-speed", "--data", data]));

/** The records of a shard, as their lines. */
const exported = (data: string) => done(["export", "na", "--data", data]);

describe("a power cut when the command reports success loses nothing of", () => {
  test("ingest into a new folder, and its file of rejected records", async () => {
    const rejected = JSON.stringify(aMatch({ id: "not an id" }));
    const input = [...lines, rejected].join("\n");
    const args = ["ingest", "-", "--json", "--rejects", "DISK/out/rejects.ndjson"];
    const disk = aDisk();
    mkdirSync(join(disk, "out"));
    const left = await leftAfter(disk, args, '"stored"', input, 1);
    expect(await exported(join(left, "data"))).toBe(await exported(join(original, "data")));
    expect(readFileSync(join(left, "out/rejects.ndjson"), "utf8")).toContain("not an id");
  });

  test("redact, with the list of redactions", async () => {
    const args = ["redact", "na", player, "--yes", "--json"];
    const left = await leftAfter(aDisk(original), args, '"erased"');
    const data = join(left, "data");
    const withoutList = (await exported(data))
      .split("\n")
      .filter((one) => !one.includes('"redacted"'));
    expect(withoutList.join("\n")).not.toContain(player);
    rmSync(join(data, "na.db"));
    expect(await done(["redact", "--list", "--data", data])).toContain(player);
  });

  test("prune", async () => {
    const disk = aDisk(original);
    const left = await leftAfter(disk, ["prune", "na", "--older-than", "1d"], "cutoff");
    const after = await exported(join(left, "data"));
    expect(after).toBe(await exported(join(disk, "data")));
    expect(after).not.toBe(await exported(join(original, "data")));
  });

  test("compact", async () => {
    const left = await leftAfter(aDisk(original), ["compact", "na"], "after");
    expect(await exported(join(left, "data"))).toBe(await exported(join(original, "data")));
  });

  test("backup", async () => {
    const left = await leftAfter(aDisk(original), ["backup", "DISK/backups/new"], "na.db");
    const restored = join(folder, "restored");
    await done(["restore", join(left, "backups/new"), "--data", restored]);
    expect(await exported(restored)).toBe(await exported(join(original, "data")));
  });

  test("restore, into a new folder", async () => {
    const disk = aDisk();
    cpSync(join(original, "backup"), join(disk, "backup"), { recursive: true });
    const left = await leftAfter(disk, ["restore", "DISK/backup"], "na.db");
    expect(await exported(join(left, "data"))).toBe(await exported(join(original, "data")));
  });

  test("shards move", async () => {
    const left = await leftAfter(
      aDisk(original),
      ["shards", "move", "na", "--to", "sqlite:DISK/new/moved.db"],
      "moved.db",
    );
    const moved = join(folder, "moved");
    mkdirSync(moved);
    cpSync(join(left, "new/moved.db"), join(moved, "na.db"));
    expect(await exported(moved)).toBe(await exported(join(original, "data")));
  });

  test("repair, with the list of what is missing and the old file", async () => {
    const disk = aDisk(original);
    const file = join(disk, "data/na.db");
    sqliteRows(file).change("match", "first", { document: new Uint8Array(20) });
    const damaged = readFileSync(file);
    const left = await leftAfter(disk, ["repair", "na", "--json"], '"state"', "", 3);
    const data = join(left, "data");
    expect(await verified(data)).toMatchObject({ na: { damage: [] } });
    const names = await Array.fromAsync(new Bun.Glob("na.db.damaged-*").scan(data));
    expect(names).toHaveLength(2);
    const [kept, list] = names.sort();
    expect(readFileSync(join(data, kept!))).toEqual(damaged);
    expect(readFileSync(join(data, list!), "utf8")).toContain("why");
  });

  test("verify, whose result doctor reads", async () => {
    const left = await leftAfter(aDisk(original), ["verify", "--json"], '"damage');
    const doctor = await matchbook(["doctor", "--data", join(left, "data")]);
    expect(doctor.stdout).toMatch(/shard na .*, verified 20\S+Z/);
  });
});

// `npm run trial -- power-cuts` makes more.
test("nothing acknowledged is lost or changed by a power cut at any moment, and no damage is left", async () => {
  const [seed, cuts] = [Math.floor(Math.random() * 1e6), 12];
  const { acknowledged, compared, ...rest } = await powerCuts(seed, cuts);
  expect({ seed, ...rest }).toEqual({ seed, cuts, lost: 0, wrong: 0, problems: [] });
  expect(Math.min(acknowledged, compared)).toBeGreaterThan(0);
});
