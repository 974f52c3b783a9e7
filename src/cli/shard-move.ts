/** `matchbook shards move`: copies a shard to another location and compares both. */

import { closing } from "../domain/awaitable.ts";
import { type Moved, move as moveShard, recordsIn, type Side } from "../export/move.ts";
import { openWriter } from "../open-stores.ts";
import { parseLocation, type ShardLocation, showLocation } from "../settings/shard-locations.ts";
import type { Writer } from "../store/store.ts";
import { CommandError, defineCommand, note, UsageError } from "./command.ts";
import { withProgress } from "./progress.ts";
import { SHARD, withShard } from "./shard-store.ts";

export const move = defineCommand<{ to: string }>({
  name: "move",
  description:
    "copy a shard to another location, on any engine, and verify that both serve the same.\n" +
    "Ingest into the shard waits meanwhile; reads continue. The old location is not changed.\n" +
    "The settings are not changed: the output says what to change in them.\n" +
    "Exit codes: 1 it failed, or the copy must not be used; 2 wrong usage.",
  arguments: SHARD,
  required: {
    "--to <LOCATION>":
      "sqlite:PATH or postgres://USER@HOST/DATABASE?schema=NAME; must be empty or not exist. " +
      "Set the password as PGPASSWORD: every user of the machine can read flags.",
  },
  examples: {
    "matchbook shards move na --to 'postgres://matchbook@db.example.com/matchbook?schema=na'":
      "from a file into PostgreSQL",
    "matchbook shards move na --to sqlite:/srv/matchbook/na.db": "into a file",
  },
  run({ settings, flags }, id: string) {
    const parsed = parseLocation(flags.to);
    // The message does not repeat the location: it may contain a password.
    if ("error" in parsed) throw new UsageError(`invalid --to: ${parsed.error}`);
    const to = parsed.value;
    return withShard(
      settings,
      id,
      async (source) => {
        const moved = await copy(source, id, to);
        if (!moved.isEqual) throw new CommandError(difference(id, to, moved));
        return { text: nextSteps(id, to, moved.source) };
      },
      "write",
    );
  },
});

async function copy(source: Writer, shard: string, to: ShardLocation) {
  const location = showLocation(to);
  await using target = closing(openWriter(shard, to));
  let hasBegun = false;
  try {
    return await withProgress("copy", 0, "records", (update) =>
      moveShard(source, target, {
        ...{ shard, location },
        onProgress(...values) {
          hasBegun = true;
          update(...values);
        },
      }),
    );
  } catch (error) {
    if (hasBegun) note(`Records were copied to ${location}: delete them before you move again.`);
    throw error;
  }
}

function difference(id: string, to: ShardLocation, { source, target }: Moved): string {
  return [
    `the copy of ${id} in ${showLocation(to)} differs from the original: do not use it.`,
    `  original  ${sideText(source)}`,
    `  copy      ${sideText(target)}`,
    `Delete the copy and move ${id} again. If it differs again, please report it`,
  ].join("\n");
}

function sideText({ digest: { digest, matches, players, teams }, counts }: Side): string {
  return `${digest} (${recordsIn(counts)} records, ${matches} served, ${players} players, ${teams} teams)`;
}

function nextSteps(id: string, to: ShardLocation, { digest, counts }: Side): string {
  const records = recordsIn(counts);
  return [
    `All ${records} records of ${id} (${counts.served} served, ${records - counts.served} withheld) are now in`,
    `${showLocation(to)}.`,
    `Both locations have the digest ${digest.digest}.`,
    "",
    "To use the new location:",
    "",
    `1. Stop ingest into ${id}, and the servers. If the old location has received records since`,
    "   then, delete the copy and run this command again.",
    `2. Set url in the table [shards.${id}] of the settings file to the location, without replicas of`,
    "   the old one. If there were no tables of shards yet, add one for each shard: only those listed",
    "   are served.",
    "3. Start them again. The old location is unchanged: delete it once everything works.",
  ].join("\n");
}
