/** Parses the options of a hook, the same way for the command line and the admin API. */

import { isResourceId, isShardId } from "../../domain/identifiers.ts";
import type { Parsed } from "../../settings/parsers.ts";

const MAX_SHARDS = 100;
const MAX_PLAYERS = 100;

export const parseHookShards = (ids: readonly string[]): Parsed<string[]> =>
  parseIds(ids, isShardId, MAX_SHARDS, "shard ids, e.g. na");

export const parseHookPlayers = (ids: readonly string[]): Parsed<string[]> =>
  parseIds(ids, isResourceId, MAX_PLAYERS, "player ids");

function parseIds(
  ids: readonly string[],
  isId: (text: string) => boolean,
  most: number,
  what: string,
): Parsed<string[]> {
  const distinct = [...new Set(ids)];
  return distinct.length <= most && distinct.every(isId)
    ? { value: distinct }
    : { error: `must be at most ${most} ${what}` };
}
