/** `matchbook restore`: puts shards, keys, usage and hooks from a backup back. */

import {
  type BackupFile,
  describeContent,
  isShardFile,
  type Manifest,
  readManifest,
} from "../backup/manifest.ts";
import {
  type RestoreOutcome,
  type RestoreStep,
  restore as restoreSteps,
  stepsFor,
} from "../backup/restore.ts";
import { ACCESS_KINDS } from "../open-access.ts";
import { describeMissing } from "./backup.ts";
import { CommandError, defineCommand, note, print, sameFlags } from "./command.ts";
import { startProgress } from "./progress.ts";
import { table } from "./table.ts";

/** By kind. --keys, --no-keys, or neither. */
type Flags = Partial<Record<string, boolean>>;

const OTHER_KINDS = ACCESS_KINDS.filter((kind) => kind !== "keys" && kind !== "usage");

export const restore = defineCommand<Flags>({
  name: "restore",
  summary: "put shards, keys, usage and hooks from a backup back",
  description:
    "put shards, keys, usage and hooks from a backup where the settings place them; everything by default.\n" +
    "It overwrites nothing: what is there already is named and left alone, and the rest is restored. It checks the " +
    "SHA-256 of every file before it writes anything, and of what it has written. A running server serves restored " +
    "shards and applies restored keys within seconds.\n" +
    "Exit codes: 0 everything is restored; 1 something is not; 2 wrong usage.",
  arguments: {
    "<dir>": "folder of the backup",
    "[shards...]": "restore only these shards, and what --keys, --usage and --hooks name",
  },
  options: {
    "--keys": "restore the API keys, and only what else is named",
    "--no-keys": "leave out keys, usage and hooks",
    "--usage": "restore the usage of keys, and only what else is named",
    ...Object.fromEntries(
      OTHER_KINDS.map((kind) => [`--${kind}`, `restore the ${kind}, and only what else is named`]),
    ),
  },
  json: "print one JSON object with the restored files",
  examples: {
    "matchbook restore /var/backups/matchbook/2026-11-17": "restore everything",
    "matchbook restore /var/backups/matchbook/2026-11-17 na": "restore one shard",
    "matchbook restore /var/backups/matchbook/2026-11-17 --keys": "restore the API keys",
    "matchbook restore /var/backups/matchbook/2026-11-17 --data /tmp/try": "try a backup",
  },
  async run({ settings, flags, command }, folder: string, wanted: string[]) {
    const manifest = readManifest(folder);
    const steps = stepsFor(settings, folder, chosen(manifest, wanted, flags));
    const outcomes: RestoreOutcome[] = [];
    const options = { settings, redactions: manifest.redactions, startProgress };
    try {
      for await (const outcome of restoreSteps(steps, options)) outcomes.push(outcome);
    } finally {
      // Also if one fails: those before it are restored.
      const isNothing = outcomes.length === 0 && steps.length > 0;
      if (!isNothing) report(outcomes, manifest, flags);
    }
    if (wanted.length === 0 && !ACCESS_KINDS.some((kind) => flags[kind])) {
      for (const part of manifest.missing) note(describeMissing(part));
    }
    const left = outcomes.filter(({ found }) => found.length > 0);
    if (left.length === 0) return;
    const isAll = left.length === outcomes.length;
    const again = isAll
      ? "run the command again"
      : `run 'matchbook restore ${[folder, ...left.map(nameOf), ...sameFlags(command)].join(" ")}'`;
    throw leftAlone(left, isAll ? "nothing" : "only the rest", again);
  },
});

/** Throws CommandError if something that is named is not in the backup. */
function chosen(
  { files, missing }: Manifest,
  wanted: readonly string[],
  flags: Flags,
): BackupFile[] {
  const ids = files.flatMap((file) => (isShardFile(file) ? [file.shard] : []));
  for (const id of wanted.filter((one) => !ids.includes(one))) {
    const reason = missing.find(({ shard }) => shard === id)?.reason;
    throw new CommandError(
      `shard ${JSON.stringify(id)} is not in the backup${reason === undefined ? "" : ` (${reason})`}; shards: ${ids.join(", ") || "none"}`,
    );
  }
  const kinds = ACCESS_KINDS.filter((kind) => flags[kind]);
  const absent = kinds.find((kind) => !files.some((file) => file.kind === kind));
  if (absent) throw new CommandError(`the backup has no ${absent}: leave out --${absent}`);
  if (wanted.length + kinds.length === 0) {
    return files.filter(({ kind }) => kind === "shard" || flags.keys !== false);
  }
  return files.filter((file) =>
    isShardFile(file) ? wanted.includes(file.shard) : kinds.includes(file.kind),
  );
}

function report(
  outcomes: readonly RestoreOutcome[],
  { createdAt }: Manifest,
  flags: { json?: true },
): void {
  const restored = outcomes.filter(({ found }) => found.length === 0);
  const steps = restored.map(({ step }) => step);
  if (flags.json) {
    const existing = outcomes.flatMap(({ found }) => found);
    print(JSON.stringify({ createdAt, files: steps.map(asJson), existing }));
  } else if (steps.length > 0) print(stepsTable(steps));
  if (steps.some(({ file }) => file.kind === "keys")) {
    note(`Keys are as they were at ${createdAt}: revoke those again that were revoked since then.`);
  }
}

const nameOf = ({ step: { file } }: RestoreOutcome): string =>
  isShardFile(file) ? file.shard : `--${file.kind}`;

function leftAlone(left: readonly RestoreOutcome[], restored: string, again: string): CommandError {
  const found = left.flatMap((one) => one.found).join(", ");
  const hasUsage = left.some(({ step }) => step.file.kind === "usage");
  const stop = hasUsage ? "stop the server, which would create usage.sqlite again, " : "";
  return new CommandError(
    `restore overwrites nothing, and there already is ${found}; ${restored} was restored. To restore this from the backup, ${stop}move it elsewhere, and ${again}`,
  );
}

const asJson = ({ file, to }: RestoreStep) => ({ ...file, location: to });

function stepsTable(steps: readonly RestoreStep[]): string {
  const rows = steps.map(({ file, to }) => [file.name, describeContent(file), to]);
  return table([["FILE", "CONTENT", "RESTORED TO"], ...rows]);
}
