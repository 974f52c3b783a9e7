/** In charge of what a move says in the end: how to go on from a success, and why it failed. */

import { type Moved, NoCopy, NotEmpty, recordsIn, SamePlace, type Side } from "../../move/move.ts";
import { type ShardLocation, showLocation } from "../../settings/shard-locations.ts";
import { Failure } from "../verb.ts";

export function successInWords(
  id: string,
  from: ShardLocation,
  to: ShardLocation,
  { copied, source: { digest, counts } }: Moved,
  settings: readonly string[],
): string {
  const records = recordsIn(counts);
  const withheld = records - counts.served;
  return [
    `Copied ${copied} records. All ${records} of ${id} (${counts.served} served, ${withheld} withheld) are now in`,
    `${showLocation(to)}.`,
    `Both places have the digest ${digest.digest}.`,
    "",
    "To use the new place:",
    "",
    `1. Stop whatever ingests into ${id}, and the servers. If anything came into the old place since`,
    "   then, run this command again with --resume.",
    "2. Change the settings:",
    "",
    ...settings,
    "",
    "3. Start them again. The old place is as it was: remove it when all is well",
    `   (${showLocation(from)}).`,
  ].join("\n");
}

export function differenceInWords(
  id: string,
  to: ShardLocation,
  { source, target }: Moved,
): string {
  return [
    `the copy of ${id} in ${showLocation(to)} is not the same as the original: do not use it.`,
    `  original  ${sideInWords(source)}`,
    `  copy      ${sideInWords(target)}`,
    `Remove the copy and move ${id} again. If they differ again, please report it`,
  ].join("\n");
}

function sideInWords({ digest: { digest, matches, players, teams }, counts }: Side): string {
  return `${digest} (${recordsIn(counts)} records, ${matches} served, ${players} players, ${teams} teams)`;
}

/** Errors of a move as an operator reads them; all others as they are. */
export function inOurWords(id: string, to: ShardLocation, error: unknown): unknown {
  const place = showLocation(to);
  if (error instanceof NotEmpty) {
    return new Failure(
      `${place} is not empty: it holds ${error.records} records. Name an empty place; or, if it is a copy of ${id} that broke off, say --resume`,
    );
  }
  if (error instanceof SamePlace) {
    return new Failure(
      `${place} is where ${id} is already, under another name, or a replica or backup of that. Name an empty place`,
    );
  }
  if (error instanceof NoCopy) {
    return new Failure(
      `${place} is no copy of ${id}: it holds the match ${error.matchId}, which is ${error.inSource} in ${id}. Name an empty place`,
    );
  }
  return error;
}
