/** Talks to a shard's database: time-outs, and every failure as a StoreError. */

import { isRefusal } from "../../postgres/errors.ts";
import {
  type OwnErrors,
  type Patience,
  PostgresSession,
  type PostgresTarget,
} from "../../postgres/session.ts";
import { StoreError, StoreRefuses, StoreUnavailable } from "../store.ts";

export {
  type Connection,
  type Patience,
  type PostgresTarget,
  quoted,
} from "../../postgres/session.ts";

/** The connection broke during the commit: the transaction may have happened or not. */
export class CommitInDoubt extends StoreUnavailable {
  override name = "CommitInDoubt";
}

const PATIENCE: Patience = { readMs: 5000, writeMs: 120_000 };

const ERRORS: OwnErrors = {
  isOwn: (error) => error instanceof StoreError,
  away: (message, cause) =>
    isRefusal(cause)
      ? new StoreRefuses(message, { cause })
      : new StoreUnavailable(message, { cause }),
  inDoubt: (message, cause) =>
    new CommitInDoubt(
      `${message}; whether the last records are stored is not known: take them in again, which does no harm`,
      { cause },
    ),
  undone: (message) => new StoreError(message),
};

export class Session extends PostgresSession {
  constructor(
    place: PostgresTarget,
    patience: Patience = PATIENCE,
    settings: Record<string, string> = {},
  ) {
    super(place, patience, ERRORS, settings);
  }
}

/**
 * Who reads wants rows in the order of an index, and only as many as a page has. The planner cannot
 * know how many rows a player has, and for few would rather gather and sort them; so it is told not to.
 */
export const IN_INDEX_ORDER = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_sort: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_material: "off",
  enable_memoize: "off",
  // There is one good plan, for whatever values; to make it takes longer than to run it.
  plan_cache_mode: "force_generic_plan",
  // What cannot be avoided counts as very expensive, which would be taken for worth compiling.
  jit: "off",
};

export function sessionForReading(place: PostgresTarget, patience: Patience = PATIENCE): Session {
  return new Session(place, patience, IN_INDEX_ORDER);
}
