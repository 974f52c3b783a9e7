/**
 * Files of a shard that are deleted, truncated or replaced. What is destroyed cannot be served; it must
 * be named, nothing wrong may be served meanwhile, and a restore or a repair brings everything back.
 */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { matchbook } from "../../../support/process.ts";
import { until } from "../../../support/state.ts";
import { childrenOf } from "../../../support/workers.ts";
import { JSON_API } from "../../../support/world.ts";
import { storedIds } from "../check.ts";
import { begin, type FaultKind, PATIENCE_SECONDS } from "../kind.ts";
import type { Scene } from "../scene.ts";
import { missesNothing } from "./disks.ts";

/** Changes the file at a path. */
type Harm = (path: string, scene: Scene) => Promise<void> | void;

const PART: Record<string, string> = { file: "", wal: "-wal", shm: "-shm" };

/** `parts`: which of the three files. `isSilent`: what is left is a whole shard, in which nothing shows the loss. */
function fileKind(
  name: string,
  what: string,
  harm: Harm,
  parts: readonly string[],
  isSilent: (part: string) => boolean,
): FaultKind {
  return {
    name,
    what,
    // There may be no WAL.
    ...(parts.includes("wal") ? { mayMiss: true } : {}),
    async run(scene) {
      const { random, ledger } = scene;
      const some = () => ledger.open.slice(0, random.between(1, Math.ceil(ledger.open.length / 2)));
      await begin(scene);
      await scene.send(some());
      const backup = join(scene.folder.path, "backup");
      await scene.command(["backup", backup]);
      scene.copyOfFile();
      await scene.send(some());
      const part = random.pick(parts);
      const isRunning = random.share(0.5);
      scene.note(`${part}, server ${isRunning ? "running" : "killed"}`);
      // A killed server leaves its WAL.
      if (!isRunning) await scene.stopServer("SIGKILL");
      const path = `${scene.file}${PART[part]}`;
      if (existsSync(path) && statSync(path).size > 0) scene.hit();
      scene.ledger.mayLack = true;
      const before = new Set(scene.ledger.acknowledged);
      if (scene.hasHit) await harm(path, scene);
      if (!isRunning) await scene.startServer();
      if (random.share(0.5)) await scene.send(scene.ledger.open.slice(0, 30));
      await missesNothing(scene);
      await isNamed(scene, before, isSilent(part));
      await recover(scene, backup);
    },
  };
}

/**
 * Records that were acknowledged and are gone must not be missing without a word. If the fault leaves a whole shard, this
 * holds for records that were acknowledged after it.
 */
async function isNamed(scene: Scene, before: Set<string>, isSilent: boolean): Promise<void> {
  const { stdout, stderr, exitCode } = await scene.command(["verify", "na", "--full-speed"]);
  if (exitCode !== 0) scene.named.push(`${stdout}${stderr}`);
  const there = new Set((await storedIds(scene)) ?? []);
  const missing = scene.ledger.acknowledged.filter((id) => !there.has(id));
  const unexplained = isSilent ? missing.filter((id) => !before.has(id)) : missing;
  if (unexplained.length > 0 && exitCode === 0) {
    scene.problems.push(`${unexplained.length} records are gone, and verify finds no damage`);
  }
  scene.note(`${missing.length} missing, verify ${exitCode}`);
}

/** As docs/runbook.md says: restore the backup or repair, then send everything since again. */
async function recover(scene: Scene, backup: string): Promise<void> {
  const isRepair = scene.named.length > 0 && scene.random.share(0.5) && existsSync(scene.file);
  if (isRepair) {
    const { exitCode, stderr, stdout } = await scene.command(["repair", "na"]);
    scene.note(`repair ${exitCode}`);
    if (exitCode === 0 || exitCode === 3) return sendAll(scene);
    if (!/^matchbook: .+/m.test(stderr)) scene.problems.push(`repair: ${stdout}${stderr}`);
  }
  const aside = join(scene.folder.path, "damaged");
  mkdirSync(aside, { recursive: true });
  for (const name of readdirSync(scene.data).filter((one) => one.startsWith("na.db"))) {
    renameSync(join(scene.data, name), join(aside, name));
  }
  const { exitCode, stderr } = await scene.command(["restore", backup, "na"]);
  if (exitCode !== 0) scene.problems.push(`restore: ${stderr}`);
  scene.note("restored");
  await sendAll(scene);
}

/** Sends all records again: those that are there count as duplicates. */
async function sendAll(scene: Scene): Promise<void> {
  for (let left = 30; ; left--) {
    const { exitCode, stderr } = await scene.ingest(scene.lines);
    if (exitCode === 0) return;
    if (left === 0) {
      scene.problems.push(`the records are not accepted after the recovery: ${stderr}`);
      return;
    }
    await Bun.sleep(300);
  }
}

/** While the file is missing, a server that has used it reports the shard as unavailable, and stores nothing. */
const remove: Harm = async (path, scene) => {
  rmSync(path);
  if (path !== scene.file || !scene.isServing) return;
  await isRefused(scene);
  const some = scene.ledger.open.slice(0, 5);
  if (some.length > 0 && (await scene.upload(some)))
    scene.problems.push("an upload was acknowledged while the file was missing");
  if (existsSync(path)) scene.problems.push("the server has created the deleted file again");
};

/** A -shm is mapped into memory: who reads beyond its end gets SIGBUS, and is replaced by its supervisor. */
const truncate: Harm = async (path, scene) => {
  const isMapped = path.endsWith(PART.shm!) && scene.isServing;
  if (isMapped) scene.target.isDown = true;
  truncateSync(path, scene.random.between(0, statSync(path).size - 1));
  if (!isMapped) return;
  await inARow(scene, "the server responds", async (status) => {
    if (!scene.isServing) {
      scene.note("ended by SIGBUS");
      await restart(scene);
    }
    return (await status()) !== undefined;
  });
  scene.target.epoch += 1;
  scene.target.isDown = false;
};

/** Kills all processes, as `systemctl kill` does. */
async function restart(scene: Scene): Promise<void> {
  for (const pid of childrenOf(scene.server!.pid)) process.kill(pid, "SIGKILL");
  await scene.stopServer("SIGKILL");
  await scene.startServer();
}

/** Another file takes the place of the shard's own, as docs/runbook.md says: renamed, and without the old WAL. */
const replace: Harm = async (path, scene) => {
  const { random, folder } = scene;
  const other = join(folder.path, "other");
  let source = scene.olderCopy;
  if (random.share(0.5)) {
    scene.note("another shard's file");
    const eu = scene.lines
      .slice(0, 30)
      .map((line) => line.replaceAll('"shardId":"na"', '"shardId":"eu"'));
    await matchbook(["ingest", "-", "--data", other], { stdin: `${eu.join("\n")}\n` });
    source = join(other, "eu.db");
  } else scene.note("an older copy");
  copyFileSync(source, `${path}.new`);
  for (const part of ["-wal", "-shm"]) rmSync(`${path}${part}`, { force: true });
  renameSync(`${path}.new`, path);
};

/** Waits until no worker serves the shard any more. */
const isRefused = (scene: Scene): Promise<void> =>
  inARow(scene, "the shard is unavailable", async (status) => (await status()) === 503);

/** More than enough to reach all workers. */
const IN_A_ROW = 30;

/** Waits until something holds for a number of requests. Each has a connection of its own. */
async function inARow(
  { target }: Scene,
  what: string,
  holds: (status: () => Promise<number | undefined>) => Promise<boolean>,
): Promise<void> {
  const headers = { Authorization: `Bearer ${target.key}`, Accept: JSON_API, Connection: "close" };
  const status = async () =>
    (await fetch(`${target.url}/shards/na/players`, { headers }).catch(() => undefined))?.status;
  let times = 0;
  await until(
    what,
    async () => {
      times = (await holds(status)) ? times + 1 : 0;
      return times >= IN_A_ROW;
    },
    PATIENCE_SECONDS,
  );
}

export const FILES = [
  fileKind(
    "file-deleted",
    "the file of a shard or its -wal is deleted",
    remove,
    ["file", "wal"],
    // Nothing shows that there was a file: a server that starts without it, and `matchbook ingest`, create a new shard.
    () => true,
  ),
  fileKind(
    "file-truncated",
    "the file of a shard, its -wal or its -shm is truncated at a random place",
    truncate,
    ["file", "file", "wal", "shm"],
    // SQLite takes the rest of a WAL for a transaction that was never completed.
    (part) => part !== "file",
  ),
  fileKind(
    "file-replaced",
    "an older copy of the file, or the file of another shard, in its place",
    replace,
    ["file"],
    () => true,
  ),
];
