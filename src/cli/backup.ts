/** `matchbook backup`: copies shards, keys, usage and hooks into a folder, while servers run. */

import { existsSync } from "node:fs";
import { version } from "../../package.json";
import { backUp } from "../backup/backup.ts";
import { describeContent, type Manifest, type MissingPart } from "../backup/manifest.ts";
import { accessFiles } from "../open-access.ts";
import type { Settings } from "../settings/definitions.ts";
import { CommandError, defineCommand } from "./command.ts";
import { withProgress } from "./progress.ts";
import { chosenShards, noteIgnored, SHARDS, withShards } from "./shard-store.ts";
import { table } from "./table.ts";

export const backup = defineCommand({
  name: "backup",
  summary: "copy shards, keys, usage and hooks into a folder, while servers run",
  description:
    "copy shards, keys, usage and hooks into a new folder, verify every row of the copies, and write a manifest.\n" +
    "Servers and ingest continue; each file is a state of its own moment. While a SQLite shard is copied, its " +
    "WAL cannot be emptied: beyond 64 MiB it grows by up to 2 MiB per second, and ingest slows down to that.\n" +
    "Shards and keys in PostgreSQL are left to its own tools, which are named.\n" +
    "Exit codes: 1 the backup failed, or lacks a part that cannot be read; 2 wrong usage.",
  arguments: { "<dir>": "folder for the backup; must be empty or not exist", ...SHARDS },
  examples: {
    "matchbook backup /var/backups/matchbook/$(date +%F)": "back up everything",
    "matchbook backup /mnt/usb/na na": "back up one shard, with keys, usage and hooks",
  },
  async run({ settings }, folder: string, wanted: string[]) {
    const ids = await withShards(settings, async (shards) => shards.list());
    const shards = chosenShards(ids, wanted);
    if (ids.length === 0 && !hasKeys(settings)) {
      throw new CommandError(`there is nothing to back up in ${settings.data}: check --data`);
    }
    const manifest = await withProgress("backup", 0, "rows", (onProgress) =>
      backUp(settings, folder, {
        ...{ shards, version, onProgress },
        now: Date.now(),
        observe: noteIgnored,
      }),
    );
    const { files, missing } = manifest;
    if (missing.some(({ isFailure }) => isFailure)) process.exitCode = 1;
    return {
      text: files.length > 0 ? filesTable(manifest) : "",
      notes: missing.map(describeMissing),
    };
  },
});

export const hasKeys = (settings: Settings): boolean =>
  settings["keys-database"] !== undefined ||
  accessFiles(settings).some(({ path }) => existsSync(path));

export const describeMissing = ({ kind, shard, reason }: MissingPart): string =>
  `Not in the backup: ${kind === "shard" ? `shard ${shard}` : kind}: ${reason}`;

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
