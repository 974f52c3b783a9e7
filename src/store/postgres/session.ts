/** In charge of talking to a shard's database: its patience, and every failure as a StoreError. */

import {
  type OwnErrors,
  type Patience,
  type PostgresPlace,
  PostgresSession,
} from "../../postgres/session.ts";
import { StoreAway, StoreError } from "../store.ts";
import { CommitInDoubt } from "./failures.ts";

export {
  type Connection,
  type Patience,
  type PostgresPlace,
  quoted,
} from "../../postgres/session.ts";

const PATIENCE: Patience = { readMs: 5000, writeMs: 120_000 };

const ERRORS: OwnErrors = {
  isOwn: (error) => error instanceof StoreError,
  away: (message, cause) => new StoreAway(message, { cause }),
  inDoubt: (message, cause) =>
    new CommitInDoubt(
      `${message}; whether the last records are stored is not known: take them in again, which does no harm`,
      { cause },
    ),
  undone: (message) => new StoreError(message),
};

export class Session extends PostgresSession {
  constructor(place: PostgresPlace, patience: Patience = PATIENCE) {
    super(place, patience, ERRORS);
  }
}
