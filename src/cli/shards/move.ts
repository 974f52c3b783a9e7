/** In charge of `matchbook shards move`. */

import type { Command } from "commander";
import { type Moved, type MoveOptions, move, type Phase } from "../../move/move.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { parseLocation, type ShardLocation, showLocation } from "../../settings/shard-locations.ts";
import type { Keeper } from "../../store/store.ts";
import { locationOf, openKeeper } from "../../wiring.ts";
import { type Progress, startProgress } from "../progress.ts";
import { Failure, Misuse, note, print, settingsOf, withExamples, withSettings } from "../verb.ts";
import { keeperOf, withShards } from "./open.ts";
import { linesForSettings, shardAt } from "./places.ts";
import { differenceInWords, inOurWords, successInWords } from "./words.ts";

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
  withSettings(command, ["batch"]);
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
  const { values } = settings;
  const to = placeOf(flags.to);
  await withShards(values, async (shards) => {
    const source = await keeperOf(shards, id);
    const ids = await shards.list();
    checkIsFree(to, id, shardAt(to, ids, values));
    const options = { resume: flags.resume === true, batch: values.batch };
    const moved = await moveTo(to, id, source, options);
    if (!moved.isEqual) throw new Failure(differenceInWords(id, to, moved));
    const lines = linesForSettings(id, to, ids, settings);
    print(successInWords(id, locationOf(values, id), to, moved, lines));
  });
}

/** The message does not repeat the place: it may hold a password. */
function placeOf(text: string): ShardLocation {
  const parsed = parseLocation(text);
  if ("error" in parsed) throw new Misuse(`the place after --to is wrong: ${parsed.error}`);
  return parsed.value;
}

function checkIsFree(to: ShardLocation, id: string, inhabitant: string | undefined): void {
  if (inhabitant === undefined) return;
  throw new Misuse(
    inhabitant === id
      ? `${id} is at ${showLocation(to)} already: name another place`
      : `${showLocation(to)} is the place of the shard ${inhabitant}: name another place`,
  );
}

async function moveTo(
  to: ShardLocation,
  id: string,
  source: Keeper,
  options: Omit<MoveOptions, "onProgress">,
): Promise<Moved> {
  const target = openKeeper(to);
  const bars = new Bars();
  try {
    return await move(source, target, {
      ...options,
      onProgress: (...progress) => bars.show(...progress),
    });
  } catch (error) {
    bars.stop();
    if (bars.phase === "copy") {
      note(`What is copied so far stays in ${showLocation(to)}: --resume goes on from there.`);
    }
    throw inOurWords(id, to, error);
  } finally {
    bars.stop();
    await target.close();
  }
}

/** A bar for each phase, one after another. */
class Bars {
  phase: Phase | undefined;
  #bar: Progress | undefined;

  show(phase: Phase, total: number, done: number, records: number): void {
    if (phase !== this.phase) {
      this.stop();
      this.#bar = startProgress(phase, total);
      this.phase = phase;
    }
    this.#bar?.update(done, records);
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }
}
