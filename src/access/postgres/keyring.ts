/** In charge of the API keys in PostgreSQL: making, listing, changing, rotating and revoking them. */

import type { Connection } from "../../postgres/session.ts";
import { hashKey, makeKey } from "../key.ts";
import {
  type KeyRecord,
  type KeyRow,
  type Keyring,
  type KeyTerms,
  type NewKey,
  type NewTerms,
  newKeyId,
  type Revoked,
  type Rotated,
  stateOf,
  TERM_COLUMNS,
  TERM_NAMES,
} from "../keyring.ts";
import { readShards, writtenShards } from "../secrets.ts";
import type { AccessSession } from "./session.ts";

/** Numbers are asked for as double precision, which the driver gives as numbers. */
const NUMBERS: readonly (keyof KeyTerms)[] = ["rate", "burst", "matchesPerDay", "expiresAt"];

const COLUMNS = [
  "id",
  'created_at::float8 AS "createdAt"',
  'revoked_at::float8 AS "revokedAt"',
  ...TERM_NAMES.map(
    (term) => `${TERM_COLUMNS[term]}${NUMBERS.includes(term) ? "::float8" : ""} AS "${term}"`,
  ),
].join(", ");

type SecretTimes = KeyRecord["secrets"][number];

export class PostgresKeyring implements Keyring {
  readonly #session: AccessSession;

  constructor(session: AccessSession) {
    this.#session = session;
  }

  create(wanted: NewTerms, now: number): Promise<NewKey> {
    const id = newKeyId();
    return this.#change(async (connection) => {
      await connection.run("INSERT INTO {keys} (id, name, created_at) VALUES ($1, $2, $3)", [
        id,
        wanted.name,
        now,
      ]);
      await assign(connection, id, wanted);
      return withNewSecret(connection, id, now);
    });
  }

  list(): Promise<KeyRecord[]> {
    return records(this.#session);
  }

  find(id: string): Promise<KeyRecord | undefined> {
    return record(this.#session, id);
  }

  change(id: string, changes: Partial<KeyTerms>): Promise<KeyRecord | undefined> {
    return this.#change(async (connection) => {
      await assign(connection, id, changes);
      return record(connection, id);
    });
  }

  rotate(id: string, overlapMs: number, now: number): Promise<Rotated> {
    return this.#change(async (connection) => {
      const found = await record(connection, id);
      if (!found) return "unknown";
      if (stateOf(found, now) !== "live") return "ended";
      await connection.run(
        `UPDATE {key_secrets} SET expires_at = least(coalesce(expires_at, $1::bigint), $1::bigint)
         WHERE key_id = $2`,
        [now + overlapMs, id],
      );
      return withNewSecret(connection, id, now);
    });
  }

  revoke(id: string, now: number): Promise<Revoked> {
    return this.#change(async (connection) => {
      const revoked = await connection.run(
        "UPDATE {keys} SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL",
        [now, id],
      );
      if (revoked > 0) return "revoked";
      return (await record(connection, id)) ? "already-revoked" : "unknown";
    });
  }

  /** The connections are its opener's. */
  close(): void {}

  /** Servers notice by the version, which also makes those that change keys take turns. */
  #change<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#session.transaction("READ COMMITTED", async (connection) => {
      await connection.run("UPDATE {changes} SET version = version + 1");
      return work(connection);
    });
  }
}

async function assign(connection: Connection, id: string, changes: Partial<KeyTerms>) {
  const given = TERM_NAMES.filter((term) => changes[term] !== undefined);
  if (given.length === 0) return;
  const assignments = given.map((term, index) => `${TERM_COLUMNS[term]} = $${index + 2}`);
  const values = given.map((term) => stored(changes[term]!));
  await connection.run(`UPDATE {keys} SET ${assignments.join(", ")} WHERE id = $1`, [
    id,
    ...values,
  ]);
}

const stored = (value: KeyTerms[keyof KeyTerms]) =>
  Array.isArray(value) ? writtenShards(value) : value;

async function withNewSecret(connection: Connection, id: string, now: number): Promise<NewKey> {
  const key = makeKey();
  await connection.run("INSERT INTO {key_secrets} (hash, key_id, created_at) VALUES ($1, $2, $3)", [
    hashKey(key),
    id,
    now,
  ]);
  return { key, record: (await record(connection, id))! };
}

async function record(connection: Connection, id: string): Promise<KeyRecord | undefined> {
  const [found] = await records(connection, id);
  return found;
}

/** Of one key, or of all, oldest first. */
async function records(connection: Connection, id?: string): Promise<KeyRecord[]> {
  const values = id === undefined ? [] : [id];
  const keys = await connection.rows<KeyRow>(
    `SELECT ${COLUMNS} FROM {keys} ${id === undefined ? "" : "WHERE id = $1"} ORDER BY created_at, id`,
    values,
  );
  const secrets = await connection.rows<SecretTimes & { keyId: string }>(
    `SELECT key_id AS "keyId", created_at::float8 AS "createdAt", expires_at::float8 AS "expiresAt"
     FROM {key_secrets} ${id === undefined ? "" : "WHERE key_id = $1"}
     ORDER BY created_at DESC, expires_at DESC NULLS FIRST`,
    values,
  );
  const byKey = Map.groupBy(secrets, ({ keyId }) => keyId);
  return keys.map(({ shards, ...row }) => ({
    ...row,
    shards: readShards(shards),
    secrets: (byKey.get(row.id) ?? []).map(({ createdAt, expiresAt }) => ({
      createdAt,
      expiresAt,
    })),
  }));
}
