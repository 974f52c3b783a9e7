/** In charge of noticing when the keys in PostgreSQL change, and of reading the live secrets. */

import { type KeySource, type LiveSecret, liveSecret, type SecretRow } from "../secrets.ts";
import type { AccessSession } from "./session.ts";

export class PostgresKeys implements KeySource {
  readonly #session: AccessSession;
  readonly #prepare: () => Promise<void>;
  #version: string | undefined;
  /** One look after another: an older answer must not come after a newer one. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(session: AccessSession, prepare: () => Promise<void>) {
    this.#session = session;
    this.#prepare = prepare;
  }

  changed(): Promise<LiveSecret[] | undefined> {
    const look = this.#last.then(() => this.#look());
    this.#last = look.catch(() => {});
    return look;
  }

  /** The connections are its opener's. */
  close(): void {}

  async #look(): Promise<LiveSecret[] | undefined> {
    await this.#prepare();
    // The version comes first: a change between the two readings is then read once more, not missed.
    const [row] = await this.#session.rows<{ version: string }>(
      "SELECT version::text AS version FROM {changes}",
    );
    if (row?.version === this.#version) return undefined;
    const secrets = await this.#session.rows<SecretRow>(
      `SELECT hash, id, name, tier, rate::float8 AS rate, burst::float8 AS burst,
         matches_per_day::float8 AS "matchesPerDay", shards,
         least(keys.expires_at, secrets.expires_at)::float8 AS until
       FROM {key_secrets} AS secrets JOIN {keys} AS keys ON keys.id = secrets.key_id
       WHERE revoked_at IS NULL`,
    );
    this.#version = row?.version;
    return secrets.map(liveSecret);
  }
}
