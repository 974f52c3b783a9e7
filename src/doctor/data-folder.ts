/** Checks the data folder: access rights, owners, free space, and files that are not used. */

import { accessSync, constants, readdirSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isShardId } from "../domain/identifiers.ts";
import { locationOf, MAX_WAL_BYTES } from "../open-stores.ts";
import type { Settings } from "../settings/definitions.ts";
import { isSameLocation } from "../settings/shard-locations.ts";
import { describeError } from "../text/system-errors.ts";
import { type Finding, MIB, ok, problem, showBytes, someOf, warning } from "./findings.ts";

const FOLDER = "data folder";

/** Whether anything is stored in the data folder: all shards and the keys may be in databases. */
export const usesFolder = ({ shards, "keys-database": keys }: Settings): boolean =>
  keys === undefined ||
  shards.length === 0 ||
  shards.some(({ location }) => location === undefined);

export function folderFindings(settings: Settings): Finding[] {
  const { data } = settings;
  if (!usesFolder(settings)) return [ok(FOLDER, `${data} is not used: everything is in databases`)];
  try {
    const names = readdirSync(data);
    return [
      writableFinding(data),
      ...rightsFindings(data, names),
      ...strayFindings(settings, names),
    ];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") return [problem(FOLDER, describeError(error as Error))];
    const advice = "check --data; 'matchbook ingest' and 'matchbook keys create' create it";
    return [problem(FOLDER, `${data} does not exist`, advice)];
  }
}

function writableFinding(data: string): Finding {
  try {
    accessSync(data, constants.W_OK);
    return ok(FOLDER, data);
  } catch {
    const message = `${data} cannot be written by this user (id ${process.getuid?.()})`;
    const advice = "run this as the user of the service, or change its owner or mode";
    return problem(FOLDER, message, advice);
  }
}

const READABLE_BY_OTHERS = 0o004;
const ENTERABLE_BY_OTHERS = 0o001;

function rightsFindings(data: string, names: readonly string[]): Finding[] {
  const folder = statSync(data);
  const files = names.flatMap((name) => {
    const stats = statSync(join(data, name), { throwIfNoEntry: false });
    return stats === undefined ? [] : { name, stats };
  });
  const found: Finding[] = [];
  const exposed = files.filter(
    ({ name, stats }) =>
      /^(access|usage|hooks|redactions)\.sqlite|\.db(-wal)?$/.test(name) &&
      (folder.mode & ENTERABLE_BY_OTHERS) !== 0 &&
      (stats.mode & READABLE_BY_OTHERS) !== 0,
  );
  if (exposed.length > 0) {
    const list = someOf(exposed.map(({ name }) => name).sort());
    const message = `every user of this machine can read ${list}: player names, withheld records, notes of keys, secrets of webhooks`;
    found.push(warning("files", message, `chmod 700 ${data}`));
  }
  const foreign = files.filter(({ stats }) => stats.uid !== folder.uid).map(({ name }) => name);
  if (foreign.length > 0) {
    const message = `another user than the one of ${data} owns ${someOf(foreign)}`;
    const advice = `chown --reference=${data} the files, and run commands as the user of the service`;
    found.push(warning("files", message, advice));
  }
  return found;
}

const STORE = /^(.+)\.db$/;
const COMPANION = /^(.+\.(?:db|sqlite))(-wal|-shm)$/;

/** Files that look like shards, or like parts of one, but are not used. */
function strayFindings(settings: Settings, names: readonly string[]): Finding[] {
  const { data, shards } = settings;
  const found: Finding[] = [];
  const stray = (wanted: (name: string) => boolean, message: string, advice: string) => {
    const those = names.filter(wanted);
    if (those.length > 0) found.push(warning("files", `${someOf(those)}: ${message}`, advice));
  };
  const locations = shards.map(({ id }) => locationOf(settings, id));
  const isLocated = (name: string) =>
    locations.some((one) => isSameLocation(one, { engine: "sqlite", path: join(data, name) }));
  const isNamed = (name: string) => isShardId(STORE.exec(name)?.[1] ?? "");
  stray(
    (name) => STORE.test(name) && !isNamed(name) && !isLocated(name),
    'ignored: the name of a shard is 1 to 32 characters from a-z, 0-9 and "-"',
    `rename it, or move it out of ${data}`,
  );
  stray(
    (name) => shards.length > 0 && isNamed(name) && !isLocated(name),
    "not served: the settings list shards, but none in this file",
    "add it to the settings, or move it elsewhere",
  );
  stray(
    (name) => !names.includes(COMPANION.exec(name)?.[1] ?? name),
    "the file that it belongs to is missing",
    "restore that file from a backup, or move this one elsewhere",
  );
  return found;
}

/** Upper estimate for one record of a transaction in the WAL: see docs/operate.md. */
const WAL_BYTES_PER_RECORD = 320 * 1024;

/** How large the WAL of a shard gets, unless a long read keeps it from being emptied. */
export const walEstimate = (batch: number): number => MAX_WAL_BYTES + WAL_BYTES_PER_RECORD * batch;

/** With less, the next transactions fail. */
const TOO_LITTLE_BYTES = 64 * MIB;

export interface StoredFile {
  path: string;
  bytes: number;
}

/** The free space of each disk, compared with a copy of its largest shard and the WAL of a transaction. */
export function diskFindings(files: readonly StoredFile[], walBytes: number): Finding[] {
  const disks = Map.groupBy(files, ({ path }) => statSync(dirname(path)).dev);
  return [...disks.values()].map((stored) => {
    const folder = dirname(stored[0]!.path);
    const { bavail, bsize } = statfsSync(folder);
    const largest = Math.max(...stored.map(({ bytes }) => bytes));
    return diskFinding(folder, bavail * bsize, largest + walBytes);
  });
}

export function diskFinding(folder: string, free: number, needed: number): Finding {
  const message = `${showBytes(free)} free in ${folder}`;
  const advice = `free some space: a copy of the largest shard and a full WAL need ${showBytes(needed)}`;
  if (free < TOO_LITTLE_BYTES) return problem("disk", message, advice);
  return free < needed ? warning("disk", message, advice) : ok("disk", message);
}
