/** `matchbook shards move`: copies a shard to another location and compares both. */

import { realpathSync } from "node:fs";
import type { Command } from "commander";
import {
  type Moved,
  type MoveOptions,
  move,
  type Phase,
  recordsIn,
  type Side,
} from "../export/move.ts";
import { locationOf, openWriter } from "../open-stores.ts";
import type { LoadedSettings } from "../settings/load.ts";
import {
  isSameLocation,
  parseLocation,
  type ShardLocation,
  showLocation,
  urlWithoutPassword,
} from "../settings/shard-locations.ts";
import type { Shards } from "../store/shards.ts";
import type { Writer } from "../store/store.ts";
import {
  CommandError,
  note,
  print,
  settingsOf,
  UsageError,
  withExamples,
  withSettings,
} from "./command.ts";
import { type Progress, startProgress } from "./progress.ts";
import { existingShard, withShards } from "./shard-store.ts";

interface Flags {
  to: string;
  resume?: true;
}

export function addMove(group: Command): void {
  const command = group
    .command("move")
    .summary("copy a shard to another location")
    .description(
      "copy a shard to another location, on any engine, and verify that both serve the same.\n" +
        "Ingest into the shard waits meanwhile; reads continue. The old location is not changed.\n" +
        "The settings are not changed: the output says what to change in them.\n" +
        "Exit codes: 1 it failed, or the copy must not be used; 2 wrong usage.",
    )
    .argument("<shard>", "shard id")
    .requiredOption(
      "--to <LOCATION>",
      "sqlite:PATH or postgres://USER@HOST/DATABASE?schema=NAME; must be empty or not exist. " +
        "Set the password as PGPASSWORD: every user of the machine can read flags.",
    )
    .option("--resume", "replace an earlier copy, complete or not")
    .action((shard: string, flags: Flags) => moveShard(shard, flags, settingsOf(command)));
  withSettings(command);
  withExamples(command, [
    [
      "matchbook shards move na --to 'postgres://matchbook@db.example.com/matchbook?schema=na'",
      "from a file into PostgreSQL",
    ],
    ["matchbook shards move na --to sqlite:/srv/matchbook/na.db", "into a file"],
    [
      "matchbook shards move na --to sqlite:/srv/matchbook/na.db --resume",
      "copy again after an interruption, or newer records",
    ],
  ]);
}

async function moveShard(id: string, flags: Flags, settings: LoadedSettings): Promise<void> {
  const { values } = settings;
  const parsed = parseLocation(flags.to);
  // The message does not repeat the location: it may contain a password.
  if ("error" in parsed) throw new UsageError(`invalid --to: ${parsed.error}`);
  const to = parsed.value;
  const moveIn = async (shards: Shards) => {
    const source = await existingShard(shards, id);
    const ids = await shards.list();
    const used = ids.find((one) =>
      isSameLocation(withoutLinks(locationOf(values, one)), withoutLinks(to)),
    );
    if (used !== undefined) {
      throw new UsageError(`${showLocation(to)} is the location of shard ${used}: choose another`);
    }
    const moved = await copyTo(to, source, {
      shard: id,
      location: showLocation(to),
      resume: flags.resume === true,
    });
    if (!moved.isEqual) throw new CommandError(difference(id, to, moved));
    print(nextSteps(id, locationOf(values, id), to, moved, newTables(id, to, ids, settings)));
  };
  await withShards(values, moveIn, "write");
}

/** Resolves symbolic links, if the file exists. */
function withoutLinks(location: ShardLocation): ShardLocation {
  if (location.engine !== "sqlite") return location;
  try {
    return { ...location, path: realpathSync(location.path) };
  } catch {
    return location;
  }
}

async function copyTo(
  to: ShardLocation,
  source: Writer,
  options: Omit<MoveOptions, "onProgress">,
): Promise<Moved> {
  const target = openWriter(options.shard, to);
  let phase: Phase | undefined;
  let bar: Progress | undefined;
  try {
    return await move(source, target, {
      ...options,
      onProgress(current, total, done, records) {
        if (current !== phase) {
          bar?.stop();
          bar = startProgress(current, total);
          phase = current;
        }
        bar?.update(done, records);
      },
    });
  } catch (error) {
    if (phase === "copy") {
      note(`Part of the records are in ${options.location}: use --resume to copy again.`);
    }
    throw error;
  } finally {
    bar?.stop();
    await target.close();
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

function nextSteps(
  id: string,
  from: ShardLocation,
  to: ShardLocation,
  { source: { digest, counts } }: Moved,
  tables: readonly string[],
): string {
  const records = recordsIn(counts);
  const withheld = records - counts.served;
  return [
    `All ${records} records of ${id} (${counts.served} served, ${withheld} withheld) are now in`,
    `${showLocation(to)}.`,
    `Both locations have the digest ${digest.digest}.`,
    "",
    "To use the new location:",
    "",
    `1. Stop ingest into ${id}, and the servers. If the old location has received records since`,
    "   then, run this command again with --resume.",
    "2. Change the settings file:",
    "",
    ...tables.map((line) => `   ${line}`),
    "",
    "3. Start them again. The old location is unchanged: delete it once everything works",
    `   (${showLocation(from)}).`,
  ].join("\n");
}

/** The tables for the settings file. */
function newTables(
  id: string,
  to: ShardLocation,
  ids: readonly string[],
  { values, origins }: LoadedSettings,
): string[] {
  // Without tables every store in the data folder is a shard; with tables, only those listed.
  const others = origins.shards === "default" ? ids.filter((one) => one !== id) : [];
  const lines = [
    ...others.map((one) => `[shards.${one}]`),
    `[shards.${id}]`,
    `url = ${JSON.stringify(urlWithoutPassword(to))}`,
  ];
  if (lines.some((line) => line.includes("***"))) lines.push("(*** stands for the password)");
  if (values.shards.some((shard) => shard.id === id && shard.replicas !== undefined)) {
    lines.push("(omit its replicas: they belong to the old location)");
  }
  return lines;
}
