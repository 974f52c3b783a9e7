/** `matchbook restore`: puts shards, keys, usage and hooks from a backup back. */

import {
  type BackupFile,
  describeContent,
  isShardFile,
  type Manifest,
  readManifest,
} from "../backup/manifest.ts";
import { type RestoreOutcome, restore as restoreSteps, stepsFor } from "../backup/restore.ts";
import { describeMissing } from "./backup.ts";
import { CommandError, defineCommand, note, print, sameFlags } from "./command.ts";
import { table } from "./table.ts";

export const restore = defineCommand({
  name: "restore",
  summary: "put shards, keys, usage and hooks from a backup back",
  description:
    "put shards, keys, usage and hooks from a backup where the settings place them; everything by default.\n" +
    "It overwrites nothing: what is there already is named and left alone, and the rest is restored. It checks the " +
    "SHA-256 of every file before it writes anything. A running server serves restored " +
    "shards and applies restored keys within seconds.\n" +
    "Exit codes: 0 everything is restored; 1 something is not; 2 wrong usage.",
  arguments: {
    "<dir>": "folder of the backup",
    "[files...]": "restore only these: ids of shards, or names of files, e.g. access.sqlite",
  },
  examples: {
    "matchbook restore /var/backups/matchbook/2026-11-17": "restore everything",
    "matchbook restore /var/backups/matchbook/2026-11-17 na": "restore one shard",
    "matchbook restore /var/backups/matchbook/2026-11-17 access.sqlite": "restore the API keys",
    "matchbook restore /var/backups/matchbook/2026-11-17 --data /tmp/try": "try a backup",
  },
  async run({ settings, command }, folder: string, wanted: string[]) {
    const manifest = readManifest(folder);
    const steps = stepsFor(settings, folder, chosen(manifest, wanted));
    const outcomes: RestoreOutcome[] = [];
    try {
      for await (const outcome of restoreSteps(steps, settings, manifest.redactions)) {
        outcomes.push(outcome);
      }
    } finally {
      // Also if one fails: those before it are restored.
      report(outcomes, manifest.createdAt);
    }
    if (wanted.length === 0) for (const part of manifest.missing) note(describeMissing(part));
    const left = outcomes.filter(({ found }) => found.length > 0);
    if (left.length === 0) return;
    const names = left.map(({ file }) => file.name);
    throw leftAlone(left, [folder, ...names, ...sameFlags(command)]);
  },
});

/** Throws CommandError if something that is named is not in the backup. */
function chosen({ files, missing }: Manifest, wanted: readonly string[]): BackupFile[] {
  if (wanted.length === 0) return files;
  const isNamed = (file: BackupFile, name: string) =>
    file.name === name || (isShardFile(file) && file.shard === name);
  const unknown = wanted.find((name) => !files.some((file) => isNamed(file, name)));
  if (unknown === undefined) {
    return files.filter((file) => wanted.some((name) => isNamed(file, name)));
  }
  const reason = missing.find(({ shard }) => shard === unknown)?.reason;
  throw new CommandError(
    `${JSON.stringify(unknown)} is not in the backup${reason === undefined ? "" : ` (${reason})`}; files: ${files.map(({ name }) => name).join(", ") || "none"}`,
  );
}

function report(outcomes: readonly RestoreOutcome[], createdAt: string): void {
  const files = outcomes.filter(({ found }) => found.length === 0);
  const rows = files.map(({ file, to }) => [file.name, describeContent(file), to]);
  if (rows.length > 0) print(table([["FILE", "CONTENT", "RESTORED TO"], ...rows]));
  if (files.some(({ file }) => file.kind === "keys")) {
    note(`Keys are as they were at ${createdAt}: revoke those again that were revoked since then.`);
  }
}

function leftAlone(left: readonly RestoreOutcome[], again: readonly string[]): CommandError {
  const found = left.flatMap((one) => one.found).join(", ");
  const hasUsage = left.some(({ file }) => file.kind === "usage");
  const stop = hasUsage ? "stop the server, which would create usage.sqlite again, " : "";
  return new CommandError(
    `restore overwrites nothing, and left alone what there already is: ${found}. To restore this from the backup, ${stop}move it elsewhere, and run 'matchbook restore ${again.join(" ")}'`,
  );
}
