/** Finds players by name in all regions, with typos and case forgiven: the server compares names by similarity. */

import { type Matchbook, MatchbookError } from "../../../client/src/index.ts";
import { closestNames } from "../../domain/similar-names.ts";

export interface FoundPlayer {
  readonly shard: string;
  readonly id: string;
  readonly name: string;
}

export interface Found {
  /** The text that was searched for. */
  text: string;
  /** The best first. */
  players: readonly FoundPlayer[];
  /** Regions that did not answer, while others did. */
  missing: readonly string[];
}

const MAX_SHOWN = 8;

/** One request per region. Throws if none of them answers. */
export async function findPlayers(
  matchbook: Matchbook,
  regions: readonly string[],
  text: string,
  signal: AbortSignal,
): Promise<Found> {
  const replies = await Promise.allSettled(
    regions.map((shard) => matchbook.shard(shard).playerNames(text, { signal })),
  );
  signal.throwIfAborted();
  const players: FoundPlayer[] = [];
  const missing: string[] = [];
  let failure: unknown;
  replies.forEach((reply, at) => {
    const shard = regions[at]!;
    if (reply.status === "fulfilled")
      players.push(...reply.value.map(({ id, name }) => ({ shard, id, name })));
    else if (!isClosed(reply.reason)) {
      failure = reply.reason;
      missing.push(shard);
    }
  });
  if (regions.length > 0 && missing.length === regions.length) throw failure;
  return { text, players: ranked(text, players), missing };
}

/** Whether the key may not read the region, so that it has nothing to offer. */
const isClosed = (error: unknown): boolean =>
  error instanceof MatchbookError && error.code === "shard-closed";

/** By the same order as the server, over all regions. Players with equal names keep the order of the regions. */
function ranked(text: string, players: readonly FoundPlayer[]): FoundPlayer[] {
  const byName = Map.groupBy(players, ({ name }) => name);
  return closestNames(text, byName.keys(), MAX_SHOWN)
    .flatMap((name) => byName.get(name)!)
    .slice(0, MAX_SHOWN);
}
