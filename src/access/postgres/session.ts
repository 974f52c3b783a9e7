/** In charge of talking to the database of keys and usage: its patience, and every failure as an AccessError. */

import { type OwnErrors, type PostgresPlace, PostgresSession } from "../../postgres/session.ts";
import { AccessAway, AccessError } from "../error.ts";

/** There is nothing here that takes long. */
const PATIENCE = { readMs: 3000, writeMs: 3000 };

const ERRORS: OwnErrors = {
  isOwn: (error) => error instanceof AccessError,
  away: (message, cause) => new AccessAway(message, { cause }),
  // What was counted is then written down again, and may be counted twice: that is rare.
  inDoubt: (message, cause) =>
    new AccessAway(
      `${message}; whether the last change was made is not known: look before you repeat it`,
      { cause },
    ),
  undone: (message) => new AccessError(message),
};

export class AccessSession extends PostgresSession {
  constructor(place: PostgresPlace) {
    super(place, PATIENCE, ERRORS);
  }
}
