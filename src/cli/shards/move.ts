/** In charge of `matchbook shards move`. */

import type { Command } from "commander";
import { type Moved, move, NotEmpty, type Phase, recordsIn, type Side } from "../../moving/move.ts";
import { NoCopy } from "../../moving/part.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { parsePlace, type ShardLocation, shownPlace } from "../../settings/shards.ts";
import { locationOf, openKeeper } from "../../wiring.ts";
import { type Progress, startProgress } from "../progress.ts";
import { Failure, Misuse, note, print, settingsOf, withExamples, withSettings } from "../verb.ts";
import { keeperOf, withShards } from "./open.ts";
import { linesForSettings, shardAt } from "./places.ts";

interface Flags {
  to: string;
  resume?: true;
}

export function addMove(group: Command): void {
  const command = group
    .command("move")
    .description(
      "copy a shard to another place, on any engine, and prove that both serve the same.\n" +
        "Ingest into the shard waits meanwhile; reading goes on. The old place is only read.\n" +
        "The settings stay as they are: at the end you are told what to change in them.\n" +
        "Exit 1: it failed, or the copy is not to be used; 2: misuse.",
    )
    .argument("<shard>", "the shard's id")
    .requiredOption(
      "--to <PLACE>",
      "sqlite:PATH or postgres://USER@HOST/DATABASE?schema=NAME, empty or not there yet. " +
        "A password is better given as PGPASSWORD: everybody on the machine can read flags.",
    )
    .option("--resume", "go on with a copy that broke off, or bring it up to date")
    .action((shard: string, flags: Flags) => moveShard(shard, flags, settingsOf(command)));
  withSettings(command, ["shards", "batch"]);
  withExamples(command, [
    [
      "matchbook shards move na --to 'postgres://matchbook@db.example.com/matchbook?schema=na'",
      "from a file into PostgreSQL",
    ],
    ["matchbook shards move na --to sqlite:/srv/matchbook/na.db", "into a file"],
    [
      "matchbook shards move na --to sqlite:/srv/matchbook/na.db --resume",
      "go on where it broke off, or copy what came in since",
    ],
  ]);
}

async function moveShard(id: string, flags: Flags, settings: LoadedSettings): Promise<void> {
  const to = placeOf(flags.to);
  const from = locationOf(settings.values, id);
  await withShards(settings.values, async (shards) => {
    const source = await keeperOf(shards, id);
    const ids = await shards.list();
    const inhabitant = shardAt(to, ids, settings.values);
    if (inhabitant !== undefined) {
      throw new Misuse(
        inhabitant === id
          ? `${id} is at ${shownPlace(to)} already: name another place`
          : `${shownPlace(to)} is the place of the shard ${inhabitant}: name another place`,
      );
    }
    const target = openKeeper(to);
    const bars = new Bars();
    try {
      const moved = await move(source, target, {
        resume: flags.resume === true,
        batch: settings.values.batch,
        onProgress: (phase, total, done) => bars.show(phase, total, done),
      });
      bars.stop();
      if (!moved.isEqual) throw new Failure(differenceInWords(id, to, moved));
      print(successInWords(id, from, to, moved));
      print(linesForSettings(id, to, ids, settings).join("\n"));
      print(`\n3. Start them again. ${shownPlace(from)} is as it was: remove it when all is well.`);
    } catch (error) {
      bars.stop();
      if (bars.phase === "copy") {
        note(`What is copied so far stays in ${shownPlace(to)}: --resume goes on from there.`);
      }
      throw inOurWords(id, to, error);
    } finally {
      await target.close();
    }
  });
}

/** The messages do not repeat the place: it may hold a password. */
function placeOf(text: string): ShardLocation {
  const parsed = parsePlace(text);
  if ("error" in parsed) throw new Misuse(`the place after --to is wrong: ${parsed.error}`);
  return parsed.value;
}

function inOurWords(id: string, to: ShardLocation, error: unknown): unknown {
  const place = shownPlace(to);
  if (error instanceof NotEmpty) {
    return new Failure(
      `${place} is not empty: it holds ${error.records} records. Name an empty place; or, if it is a copy of ${id} that broke off, say --resume`,
    );
  }
  if (error instanceof NoCopy) {
    return new Failure(
      `${place} is no copy of ${id}: it holds the match ${error.matchId}, which is ${error.inSource} in ${id}. Name an empty place`,
    );
  }
  return error;
}

function differenceInWords(id: string, to: ShardLocation, { source, target }: Moved): string {
  return [
    `the copy of ${id} in ${shownPlace(to)} is not the same as the original: do not use it.`,
    `  original  ${sideInWords(source)}`,
    `  copy      ${sideInWords(target)}`,
    `Remove the copy and move ${id} again; if they differ again, please report it`,
  ].join("\n");
}

const sideInWords = ({ digest, counts }: Side) =>
  `${digest.digest} (${recordsIn(counts)} records, ${digest.matches} served, ${digest.players} players, ${digest.teams} teams)`;

function successInWords(
  id: string,
  from: ShardLocation,
  to: ShardLocation,
  { copied, source: { digest, counts } }: Moved,
): string {
  const records = recordsIn(counts);
  return [
    `Copied ${copied} records. All ${records} of ${id} (${counts.served} served, ${records - counts.served} withheld) are now in`,
    `${shownPlace(to)}.`,
    `Both places have the digest ${digest.digest}.`,
    "",
    "To use the new place:",
    "",
    `1. Stop whatever ingests into ${id}, and the servers. If anything came into ${shownPlace(from)}`,
    "   since it was copied, run this command again with --resume.",
    "2. Change the settings:",
    "",
  ].join("\n");
}

/** A bar for each phase, one after another. */
class Bars {
  phase: Phase | undefined;
  #bar: Progress | undefined;

  show(phase: Phase, total: number, done: number): void {
    if (phase !== this.phase) {
      this.#bar?.stop();
      this.#bar = startProgress(phase, total);
      this.phase = phase;
    }
    this.#bar?.update(done, done);
  }

  stop(): void {
    this.#bar?.stop();
  }
}
