/** The methods of a transaction, and what it writes at its end. */

import { randomBytes } from "node:crypto";
import { FEATURES } from "../../features/list.ts";
import { bases } from "../core/bases.ts";
import { logCommit } from "../core/change-log.ts";
import { counters } from "../core/counters.ts";
import { findings } from "../core/findings.ts";
import { matches } from "../core/matches.ts";
import { named } from "../core/named.ts";
import { newestServed } from "../core/newest.ts";
import { redactions } from "../core/redactions.ts";
import { readShard, shardRow } from "../core/shard.ts";
import type { TransactionState } from "../core/transaction-state.ts";
import { bound, type Engine, put, run, type Steps } from "../steps.ts";
import type { Transaction } from "../store.ts";
import { SHARD } from "../tables.ts";
import { derived } from "./derived.ts";
import { rows } from "./rows.ts";

export const coreMethods = (engine: Engine, state: TransactionState) => ({
  ...bound(engine, {
    ...matches(state),
    ...named(state),
    ...counters,
    ...bases,
    ...shardRow,
    ...redactions,
    ...findings,
    newestServed,
    ...derived,
    ...rows,
  }),
  run: (<T>(steps: () => Steps<T>) => run(engine, steps())) satisfies Transaction["run"],
});

const TOKEN_BYTES = 12;

/** Called before the commit of a transaction that has written something. Returns its token. */
export function* conclude(state: TransactionState, now: number): Steps<string> {
  if (state.names.size > 0) {
    for (const { onNames } of FEATURES) if (onNames) yield* onNames(state.names);
  }
  const shard = yield* readShard();
  const { added, numbers } = state;
  const commit = {
    sequence: shard.sequence + 1,
    token: randomBytes(TOKEN_BYTES).toString("base64url"),
  };
  const next = {
    ...shard,
    ...(state.given ? {} : commit),
    matches: shard.matches + added.matches,
    players: shard.players + added.players,
    teams: shard.teams + added.teams,
    last_player: numbers.players.last ?? shard.last_player,
    last_team: numbers.teams.last ?? shard.last_team,
  };
  if (!state.given) yield* logCommit(state, next, now);
  yield* put(SHARD, [next]);
  return next.token;
}
