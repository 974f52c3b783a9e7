/** The connection to a shard's database: timeouts, and failures as StoreError. */

import { isRefusal } from "../../postgres/errors.ts";
import {
  type Connection,
  OTHER_CONNECTIONS,
  type OwnErrors,
  type Patience,
  PostgresSession,
  type PostgresTarget,
} from "../../postgres/session.ts";
import { StoreError, StoreRefuses, StoreUnavailable } from "../store.ts";

export {
  type Connection,
  OTHER_CONNECTIONS,
  type Patience,
  type PostgresTarget,
  quoted,
} from "../../postgres/session.ts";

/** The connection broke during the commit, so the outcome is unknown. */
export class CommitInDoubt extends StoreUnavailable {
  override name = "CommitInDoubt";
}

export const PATIENCE: Patience = { readMs: 5000, writeMs: 120_000 };

const ERRORS: OwnErrors = {
  unavailable: (message, cause) =>
    isRefusal(cause)
      ? new StoreRefuses(message, { cause })
      : new StoreUnavailable(message, { cause }),
  inDoubt: (message, cause) =>
    new CommitInDoubt(
      `${message}; it is unknown whether the last records were stored; ingest them again, which is safe`,
      { cause },
    ),
  undone: (message) => new StoreError(message),
};

export class Session extends PostgresSession {
  constructor(
    target: PostgresTarget,
    patience: Patience = PATIENCE,
    settings: Record<string, string> = {},
    isShared = false,
  ) {
    super(target, patience, ERRORS, settings, isShared);
  }

  /** Runs `work` on one state of the shard. */
  snapshot<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.transaction("REPEATABLE READ READ ONLY", work);
  }
}

/** Shares its connections with the other shards in this database, and with the keys if they are there too. */
export const sharedSession = (target: PostgresTarget, patience: Patience = PATIENCE): Session =>
  new Session({ ...target, pool: OTHER_CONNECTIONS }, patience, {}, true);

/**
 * Readers need rows in index order, and only as many as a page has. The planner does not know how
 * many rows a player has, and would sort small sets instead.
 */
export const IN_INDEX_ORDER = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_sort: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_material: "off",
  enable_memoize: "off",
  // One plan is good for all values, and planning takes longer than running it.
  plan_cache_mode: "force_generic_plan",
  // Disabled node types have a very high cost, which would trigger JIT compilation.
  jit: "off",
};

export const sessionForReading = (target: PostgresTarget, patience: Patience = PATIENCE): Session =>
  new Session(target, patience, IN_INDEX_ORDER, true);
