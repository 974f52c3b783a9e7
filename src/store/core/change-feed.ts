/** What callers read who follow the changes of served matches. */

import type { Steps } from "../steps.ts";
import type { ChangeBatch, LogPosition, NamedTable } from "../store.ts";
import { type LoggedChange, type MatchReference, readLogged } from "./change-log.ts";
import { servedDocuments } from "./matches.ts";
import { numbered } from "./named.ts";
import { readShard } from "./shard.ts";

/** As in Reader. */
export function* readChanges(after: LogPosition, limit: number): Steps<ChangeBatch | undefined> {
  const logged = yield* readLogged(after, limit);
  if (!logged) return undefined;
  const needed = new Set(logged.flatMap(({ id, removed }) => (removed ? [] : id)));
  return batchOf(logged, after, limit, yield* references([...needed]));
}

/** The matches with these ids that are served. */
function* references(ids: readonly string[]): Steps<Map<string, MatchReference>> {
  const cutoff = (yield* readShard()).pruned_before ?? Number.NEGATIVE_INFINITY;
  const found = (yield* servedDocuments(ids)).filter(({ createdAt }) => createdAt >= cutoff);
  const participants = (table: NamedTable) => found.flatMap((match) => match.participants(table));
  const player = yield* numbered("players", participants("players"));
  const team = yield* numbered("teams", participants("teams"));
  return new Map(
    found.map((match) => [
      match.id,
      {
        match: { ...match.key, gameMode: match.gameMode, patchVersion: match.patchVersion },
        players: match.participants("players").map((num) => player(num).id),
        teams: match.participants("teams").map((num) => team(num).id),
      },
    ]),
  );
}

/** The batch of these changes, given the matches that are served now. */
function batchOf(
  changes: readonly LoggedChange[],
  after: LogPosition,
  limit: number,
  served: ReadonlyMap<string, MatchReference>,
): ChangeBatch {
  return {
    changes: changes.flatMap(({ id, removed, ...change }) => {
      const reference = removed ?? served.get(id);
      return reference ? { ...change, ...reference } : [];
    }),
    end: changes.at(-1)?.position ?? after,
    isLast: changes.length < limit,
  };
}
