/** `matchbook restore`: puts shards, keys, usage and hooks from a backup back. */

import {
  type BackupFile,
  describeContent,
  type Manifest,
  readManifest,
} from "../backup/manifest.ts";
import { type RestoreStep, restore as restoreSteps, stepsFor } from "../backup/restore.ts";
import { showLocation } from "../settings/shard-locations.ts";
import { noteMissing } from "./backup.ts";
import {
  type AddCommand,
  CommandError,
  note,
  print,
  settingsOf,
  withExamples,
  withSettings,
} from "./command.ts";
import { readingThreads } from "./ingest.ts";
import { startProgress } from "./progress.ts";
import { table } from "./table.ts";

interface Flags {
  /** --keys, --no-keys, or neither. */
  keys?: boolean;
  usage?: true;
  hooks?: true;
  json?: true;
}

export const restore: AddCommand = (program) => {
  const command = program
    .command("restore")
    .summary("put shards, keys, usage and hooks from a backup back")
    .description(
      "put shards, keys, usage and hooks from a backup where the settings place them; everything by default.\n" +
        "It overwrites nothing: move existing files elsewhere first. It checks the SHA-256 of every file before it " +
        "writes anything, and formats, counts and digests of what it has written. A running server serves restored " +
        "shards and applies restored keys within seconds. Exports of shards in PostgreSQL are ingested, where the " +
        "settings say; there must be no records yet. In PostgreSQL servers see a shard grow: leave it out " +
        "of their settings until it is complete.\n" +
        "Exit codes: 1 it failed; 2 wrong usage.",
    )
    .argument("<dir>", "folder of the backup")
    .argument("[shards...]", "restore only these shards, and what --keys, --usage and --hooks name")
    .option("--keys", "restore the API keys, and only what else is named")
    .option("--no-keys", "leave out keys, usage and hooks")
    .option("--usage", "restore the usage of keys, and only what else is named")
    .option("--hooks", "restore the webhooks, and only what else is named")
    .option("--json", "print one JSON object with the restored files")
    .action(async (folder: string, wanted: string[], flags: Flags) => {
      const settings = settingsOf(command).values;
      const manifest = readManifest(folder);
      const steps = stepsFor(settings, folder, chosen(manifest, wanted, flags));
      const older = await restoreSteps(steps, {
        settings,
        redactions: manifest.redactions,
        threads: readingThreads(navigator.hardwareConcurrency),
        startProgress,
      });
      if (flags.json)
        print(JSON.stringify({ createdAt: manifest.createdAt, files: steps.map(asJson) }));
      else if (steps.length > 0) print(stepsTable(steps));
      for (const id of older) {
        note(`Shard ${id} has an older format: run 'matchbook migrate ${id}'.`);
      }
      if (steps.some(({ file }) => file.kind === "keys")) {
        note(
          `Keys are as they were at ${manifest.createdAt}: revoke those again that were revoked since then.`,
        );
      }
      if (wanted.length > 0 || flags.keys || flags.usage || flags.hooks) return;
      for (const part of manifest.missing) noteMissing(part);
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook restore /var/backups/matchbook/2026-11-17", "restore everything"],
    ["matchbook restore /var/backups/matchbook/2026-11-17 na", "restore one shard"],
    ["matchbook restore /var/backups/matchbook/2026-11-17 --keys", "restore the API keys"],
    ["matchbook restore /var/backups/matchbook/2026-11-17 --data /tmp/try", "try a backup"],
  ]);
};

/** Throws CommandError if something that is named is not in the backup. */
function chosen(
  { files, missing }: Manifest,
  wanted: readonly string[],
  flags: Flags,
): BackupFile[] {
  const ids = files.flatMap((file) => (file.kind === "shard" ? [file.shard] : []));
  for (const id of wanted.filter((one) => !ids.includes(one))) {
    const reason = missing.find(({ shard }) => shard === id)?.reason;
    throw new CommandError(
      `shard ${JSON.stringify(id)} is not in the backup${reason === undefined ? "" : ` (${reason})`}; shards: ${ids.join(", ") || "none"}`,
    );
  }
  const kinds = (["keys", "usage", "hooks"] as const).filter((kind) => flags[kind]);
  const absent = kinds.find((kind) => !files.some((file) => file.kind === kind));
  if (absent) throw new CommandError(`the backup has no ${absent}: leave out --${absent}`);
  if (wanted.length + kinds.length === 0) {
    return files.filter(({ kind }) => kind === "shard" || flags.keys !== false);
  }
  return files.filter((file) =>
    file.kind === "shard" ? wanted.includes(file.shard) : kinds.includes(file.kind),
  );
}

const asJson = ({ file, to }: RestoreStep) => ({ ...file, location: showLocation(to) });

function stepsTable(steps: readonly RestoreStep[]): string {
  const rows = steps.map(({ file, to }) => [file.name, describeContent(file), showLocation(to)]);
  return table([["FILE", "CONTENT", "RESTORED TO"], ...rows]);
}
