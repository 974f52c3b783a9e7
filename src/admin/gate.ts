/** In charge of letting a caller of the private listener in, and of those who guess at the token. */

import type { FailureGuard } from "../access/failed-keys.ts";
import { AdminRefusal } from "./refusal.ts";

/** Addresses that are remembered as having shown the token. */
const MOST_FRIENDS = 1000;

export class Gate {
  readonly #isToken: (authorization: string | null) => boolean;
  readonly #guard: FailureGuard;
  /** One caller with a wrong token must not lock out the others behind the same address. */
  readonly #friends = new Set<string>();

  constructor(isToken: (authorization: string | null) => boolean, guard: FailureGuard) {
    this.#isToken = isToken;
    this.#guard = guard;
  }

  /** Throws AdminRefusal. `nowMs` is monotonic. */
  check(authorization: string | null, address: string, nowMs: number): void {
    const wait = this.#guard.wait(address, nowMs);
    // Whoever has guessed too often learns nothing from another guess.
    if (wait > 0 && !this.#friends.has(address)) throw tooManyFailures(wait);
    if (this.#isToken(authorization)) {
      if (this.#friends.size < MOST_FRIENDS) this.#friends.add(address);
      return;
    }
    if (wait > 0) throw tooManyFailures(wait);
    if (authorization !== null) this.#guard.failed(address, nowMs);
    throw unauthorized();
  }
}

function unauthorized(): AdminRefusal {
  return new AdminRefusal(
    "unauthorized",
    'Send the header "Authorization: Bearer <TOKEN>" with the token of the setting admin-token.',
    { headers: { "WWW-Authenticate": "Bearer" } },
  );
}

function tooManyFailures(wait: number): AdminRefusal {
  return new AdminRefusal(
    "too-many-failures",
    `Too many wrong tokens came from your address. Wait ${wait} s, check the token, and try again.`,
    { headers: { "Retry-After": String(wait) } },
  );
}
