/** `matchbook shards`: list the shards and where each is stored, and print checksums of their records. */

import type { Command } from "commander";
import { formatTimestamp } from "../domain/time.ts";
import { digestOf } from "../export/digest.ts";
import { locationOf } from "../open-stores.ts";
import { type ShardLocation, showLocation } from "../settings/shard-locations.ts";
import type { Shards } from "../store/shards.ts";
import { StoreError, type Writer } from "../store/store.ts";
import { type AddCommand, note, print, settingsOf, withExamples, withSettings } from "./command.ts";
import { startProgress } from "./progress.ts";
import { addMove } from "./shard-move.ts";
import { existingShard, withShards } from "./shard-store.ts";
import { describeError } from "./system-errors.ts";
import { newestWithAge, table } from "./table.ts";

export const shards: AddCommand = (program) => {
  const group = program
    .command("shards")
    .description("list where shards are stored, compare what they serve, and move them");
  withSettings(group);
  withExamples(group, [
    ["matchbook shards list", "list where each shard is stored"],
    ["matchbook shards digest na", "print a checksum of the records that na serves"],
    [
      "matchbook shards move na --to 'postgres://matchbook@db.example.com/matchbook?schema=na'",
      "copy na into PostgreSQL",
    ],
  ]);
  for (const add of [addList, addDigest, addMove]) add(group);
};

function addList(group: Command): void {
  const command = group
    .command("list")
    .summary("list the shards and their locations")
    .description(
      "list the shards: location, served matches and newest match.\n" +
        "Exit code 1: a shard cannot be read.",
    )
    .option("--json", "print one JSON object by shard id")
    .action(async (flags: { json?: true }) => {
      const settings = settingsOf(command).values;
      const found = await withShards(settings, async (shards) => {
        const listed = new Map<string, ListedShard>();
        for (const id of await shards.list()) {
          listed.set(id, await readSummary(shards, id, locationOf(settings, id)));
        }
        return listed;
      });
      if (flags.json) print(JSON.stringify(Object.fromEntries(found)));
      else if (found.size === 0)
        note(`No shards in ${settings.data} yet: create them with 'matchbook ingest'.`);
      else print(tableOfShards(found, Date.now()));
      for (const [id, { problem }] of found) {
        if (problem === null) continue;
        note(`${id}: ${problem}`);
        process.exitCode = 1;
      }
    });
  withSettings(command);
  withExamples(command, [["matchbook shards list --json", "print JSON"]]);
}

interface ListedShard {
  engine: ShardLocation["engine"];
  /** Without user and password. */
  location: string;
  /** Null if the shard cannot be read. */
  matches: number | null;
  newestMatch: string | null;
  problem: string | null;
}

async function readSummary(
  shards: Shards,
  id: string,
  location: ShardLocation,
): Promise<ListedShard> {
  const listed = { engine: location.engine, location: showLocation(location) };
  try {
    const summary = await (await shards.reader(id))?.summary();
    const newest = summary?.newestMatch;
    return {
      ...listed,
      matches: summary?.matches ?? 0,
      newestMatch: newest === undefined ? null : formatTimestamp(newest),
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { ...listed, matches: null, newestMatch: null, problem: describeError(error) };
  }
}

function tableOfShards(found: ReadonlyMap<string, ListedShard>, now: number): string {
  const rows = [...found].map(([id, { engine, location, matches, newestMatch, problem }]) => [
    id,
    engine,
    matches === null ? "?" : String(matches),
    problem === null ? newestWithAge(newestMatch, now) : "cannot be read",
    location,
  ]);
  return table([["SHARD", "ENGINE", "MATCHES", "NEWEST MATCH", "LOCATION"], ...rows]);
}

function addDigest(group: Command): void {
  const command = group
    .command("digest")
    .summary("print a checksum of the matches, players and teams that a shard serves")
    .description(
      "print a SHA-256 digest of all matches, players and teams that a shard serves, with counts.\n" +
        "Equal records give the same digest on every engine. Reads and ingest continue meanwhile.\n" +
        "It reads and verifies every record, also withheld ones, which are not part of the digest.\n" +
        "It does not check the indexes by which filters and names are found.\n" +
        "Exit code 1: a record is damaged; it is named, and no digest is printed.",
    )
    .argument("<shard>", "shard id")
    .option("--json", "print one JSON object")
    .action(async (shard: string, flags: { json?: true }) => {
      const digest = await withShards(settingsOf(command).values, async (shards) =>
        digestWithProgress(await existingShard(shards, shard)),
      );
      if (flags.json) print(JSON.stringify({ shard, ...digest }));
      else print(table(Object.entries(digest).map(([name, value]) => [name, String(value)])));
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook shards digest na", "compare two stores"],
    ["matchbook shards digest na --json | jq -r .digest", "print only the digest"],
  ]);
}

async function digestWithProgress(writer: Writer) {
  const { served, players, teams } = await writer.counts();
  const progress = startProgress("digest", served + players + teams);
  try {
    return await writer.survey((holdings) =>
      digestOf(holdings, (counted) =>
        progress.update(counted.matches + counted.players + counted.teams, counted.matches),
      ),
    );
  } finally {
    progress.stop();
  }
}
