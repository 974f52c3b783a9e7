/** `matchbook backup`: copies shards, keys, usage and hooks into a folder, while servers run. */

import { existsSync } from "node:fs";
import { version } from "../../package.json";
import { backUp } from "../backup/backup.ts";
import { describeContent, type Manifest, type MissingPart } from "../backup/manifest.ts";
import { accessFiles } from "../open-access.ts";
import type { Settings } from "../settings/definitions.ts";
import {
  type AddCommand,
  CommandError,
  note,
  print,
  settingsOf,
  withExamples,
  withSettings,
} from "./command.ts";
import { startProgress } from "./progress.ts";
import { noteIgnored, unknownShard, withShards } from "./shard-store.ts";
import { describeError } from "./system-errors.ts";
import { table } from "./table.ts";

interface Flags {
  keys: boolean;
  json?: true;
}

export const backup: AddCommand = (program) => {
  const command = program
    .command("backup")
    .summary("copy shards, keys, usage and hooks into a folder, while servers run")
    .description(
      "copy shards, keys, usage and hooks into a new folder, verify every row of the copies, and write a manifest.\n" +
        "Servers and ingest continue; each file is a state of its own moment. While a SQLite shard is copied, its " +
        "WAL cannot be emptied: beyond 64 MiB it grows by up to 2 MiB per second, and ingest slows down to that.\n" +
        "Shards and keys in PostgreSQL are left to its own tools, which are named.\n" +
        "Exit codes: 1 the backup failed, or lacks a part that cannot be read; 2 wrong usage.",
    )
    .argument("<dir>", "folder for the backup; must be empty or not exist")
    .argument("[shards...]", "shard ids; all shards by default")
    .option("--no-keys", "leave out keys, usage and hooks")
    .option("--json", "print the manifest")
    .action(async (folder: string, wanted: string[], flags: Flags) => {
      const settings = settingsOf(command).values;
      const manifest = await backUp(settings, folder, {
        shards: await shardsToCopy(settings, wanted, flags),
        keys: flags.keys,
        version,
        now: Date.now(),
        observe: noteIgnored,
        startProgress,
        describe: describeError,
      });
      if (flags.json) print(JSON.stringify(manifest));
      else if (manifest.files.length > 0) print(filesTable(manifest));
      for (const part of manifest.missing) noteMissing(part);
      if (manifest.missing.some(({ isFailure }) => isFailure)) process.exitCode = 1;
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook backup /var/backups/matchbook/$(date +%F)", "back up everything"],
    ["matchbook backup /mnt/usb/na na --no-keys", "back up one shard"],
    ["matchbook backup /mnt/usb/all --json | jq -r .createdAt", "print the time of the backup"],
  ]);
};

/** Throws CommandError for a shard that does not exist, and if there is nothing at all: --data may have a typo. */
async function shardsToCopy(
  settings: Settings,
  wanted: readonly string[],
  { keys }: Flags,
): Promise<readonly string[]> {
  const ids = await withShards(settings, async (shards) => shards.list());
  const unknown = wanted.find((id) => !ids.includes(id));
  if (unknown !== undefined) throw unknownShard(unknown, ids);
  const hasKeys =
    keys &&
    (settings["keys-database"] !== undefined ||
      accessFiles(settings).some(({ path }) => existsSync(path)));
  if (ids.length === 0 && !hasKeys) {
    throw new CommandError(`there is nothing to back up in ${settings.data}: check --data`);
  }
  return wanted.length > 0 ? [...new Set(wanted)] : ids;
}

export function noteMissing({ kind, shard, reason }: MissingPart): void {
  note(`Not in the backup: ${kind === "shard" ? `shard ${shard}` : kind}: ${reason}`);
}

function filesTable({ files }: Manifest): string {
  const rows = files.map((file) => [
    file.name,
    String(file.format),
    `${(file.bytes / 2 ** 20).toFixed(1)} MiB`,
    describeContent(file),
    `${file.sha256.slice(0, 16)}…`,
  ]);
  return table([["FILE", "FORMAT", "SIZE", "CONTENT", "SHA-256"], ...rows]);
}
