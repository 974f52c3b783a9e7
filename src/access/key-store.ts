/** Stores API keys: create, list, change, rotate, revoke, and the secrets for lookup. */

import type { LimitOverrides } from "../domain/limits.ts";
import { hashKey, makeKey, makeKeyId } from "./key.ts";
import type { Connection, Database } from "./key-database.ts";

/** The options of a key. Null: use the tier's or the default value. */
export interface KeyOptions extends Required<LimitOverrides> {
  /** The owner or purpose of the key. */
  name: string;
  /** A note for operators: a contact, a contract, a reason. */
  note: string | null;
  tier: string | null;
  /** Milliseconds since the epoch; null: never. */
  expiresAt: number | null;
}

/** A stored key, without the secret and its hash. */
export interface KeyRecord extends KeyOptions {
  id: string;
  createdAt: number;
  revokedAt: number | null;
  /** Newest first. During a rotation there are two; the older one ends at its `expiresAt`. */
  secrets: { createdAt: number; expiresAt: number | null }[];
}

export interface NewKey {
  key: string;
  record: KeyRecord;
}

export type NewKeyOptions = Partial<KeyOptions> & Pick<KeyOptions, "name">;
export type Rotated = NewKey | "ended" | "unknown";
export type Revoked = "revoked" | "already-revoked" | "unknown";

/** An active secret, with the options of its key. */
export interface LiveSecret {
  hash: string;
  id: string;
  name: string;
  tier: string | null;
  own: LimitOverrides;
  /** When the secret or its key expires; Infinity: never. */
  until: number;
}

export type KeyState = "live" | "expired" | "revoked";

export function stateOf({ revokedAt, expiresAt }: KeyRecord, now: number): KeyState {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "live";
}

/** When the previous secret expires, at the latest with its key. */
export function endOfPrevious({ secrets, expiresAt }: KeyRecord): number {
  return Math.min(secrets[1]!.expiresAt!, expiresAt ?? Number.POSITIVE_INFINITY);
}

const OPTION_COLUMNS: Record<keyof KeyOptions, string> = {
  name: "name",
  note: "note",
  tier: "tier",
  rate: "rate",
  burst: "burst",
  matchesPerDay: "matches_per_day",
  shards: "shards",
  expiresAt: "expires_at",
};
const OPTIONS = Object.keys(OPTION_COLUMNS) as (keyof KeyOptions)[];

const number = (column: string, name: string) => `CAST(${column} AS double precision) AS "${name}"`;

const LIMITS = [
  number("rate", "rate"),
  number("burst", "burst"),
  number("matches_per_day", "matchesPerDay"),
  "shards",
].join(", ");
const SECRET_END = number("secrets.expires_at", "secretExpiresAt");
const KEY_END = number("keys.expires_at", "expiresAt");
const SECRETS_OF_KEYS = "{keys} AS keys JOIN {key_secrets} AS secrets ON secrets.key_id = keys.id";

/** A secret joined with its key. */
type Row = Omit<KeyRecord, "secrets" | "shards"> & {
  shards: string | null;
  secretCreatedAt: number;
  secretExpiresAt: number | null;
};

const BETWEEN_SHARDS = ",";

/** Changes are durable when their promise resolves. */
export class KeyStore {
  constructor(private readonly database: Database) {}

  /** Whether the tables exist. Creates nothing. */
  exists(): Promise<boolean> {
    return this.database.exists();
  }

  /** The result is the only place that contains the key itself. */
  create(wanted: NewKeyOptions, now: number): Promise<NewKey> {
    const id = makeKeyId();
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

  /** Oldest first, including revoked and expired keys. */
  list(): Promise<KeyRecord[]> {
    return records(this.database, "", []);
  }

  find(id: string): Promise<KeyRecord | undefined> {
    return find(this.database, id);
  }

  /** Undefined: unknown key. */
  change(id: string, changes: Partial<KeyOptions>): Promise<KeyRecord | undefined> {
    return this.#change(async (connection) => {
      await assign(connection, id, changes);
      return find(connection, id);
    });
  }

  /** Adds a new secret and ends the old one after `overlapMs`. The id and options stay. */
  rotate(id: string, overlapMs: number, now: number): Promise<Rotated> {
    return this.#change(async (connection) => {
      const record = await find(connection, id);
      if (!record) return "unknown";
      if (stateOf(record, now) !== "live") return "ended";
      await connection.run(
        `UPDATE {key_secrets} SET expires_at = $1
         WHERE key_id = $2 AND (expires_at IS NULL OR expires_at > $1)`,
        [now + overlapMs, id],
      );
      return withNewSecret(connection, id, now);
    });
  }

  /** Keeps the time of an earlier revocation. */
  revoke(id: string, now: number): Promise<Revoked> {
    return this.#change(async (connection) => {
      const revoked = await connection.run(
        "UPDATE {keys} SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL",
        [now, id],
      );
      if (revoked > 0) return "revoked";
      return (await find(connection, id)) ? "already-revoked" : "unknown";
    });
  }

  /** Changes with every change by any process; undefined without keys. Cheap enough to poll. */
  version(): Promise<string | undefined> {
    return this.database.keysVersion();
  }

  async liveSecrets(): Promise<LiveSecret[]> {
    const rows = await this.database.rows<Row & { hash: string }>(
      `SELECT hash, id, name, tier, ${LIMITS}, ${KEY_END}, ${SECRET_END}
       FROM ${SECRETS_OF_KEYS} WHERE revoked_at IS NULL`,
    );
    return rows.map(({ hash, id, name, tier, rate, burst, matchesPerDay, ...row }) => ({
      hash,
      id,
      name,
      tier,
      own: { rate, burst, matchesPerDay, shards: shardsIn(row.shards) },
      until: Math.min(
        row.expiresAt ?? Number.POSITIVE_INFINITY,
        row.secretExpiresAt ?? Number.POSITIVE_INFINITY,
      ),
    }));
  }

  #change<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.database.transaction(async (connection) => {
      await this.database.markKeysChanged(connection);
      return work(connection);
    });
  }
}

async function assign(
  connection: Connection,
  id: string,
  changes: Partial<KeyOptions>,
): Promise<void> {
  const given = OPTIONS.filter((option) => changes[option] !== undefined);
  if (given.length === 0) return;
  const assignments = given.map((option, index) => `${OPTION_COLUMNS[option]} = $${index + 2}`);
  const values = given.map((option) => {
    const value = changes[option];
    return Array.isArray(value) ? value.join(BETWEEN_SHARDS) : value;
  });
  await connection.run(`UPDATE {keys} SET ${assignments.join(", ")} WHERE id = $1`, [
    id,
    ...values,
  ]);
}

async function withNewSecret(connection: Connection, id: string, now: number): Promise<NewKey> {
  const key = makeKey();
  await connection.run("INSERT INTO {key_secrets} (hash, key_id, created_at) VALUES ($1, $2, $3)", [
    hashKey(key),
    id,
    now,
  ]);
  return { key, record: (await find(connection, id))! };
}

async function find(connection: Connection, id: string): Promise<KeyRecord | undefined> {
  const [record] = await records(connection, "WHERE id = $1", [id]);
  return record;
}

/** One statement, so that keys and secrets are consistent. Every key has a secret. */
async function records(
  connection: Connection,
  condition: string,
  values: readonly unknown[],
): Promise<KeyRecord[]> {
  const rows = await connection.rows<Row>(
    `SELECT id, name, note, tier, ${LIMITS}, ${KEY_END},
       ${number("keys.created_at", "createdAt")}, ${number("revoked_at", "revokedAt")},
       ${number("secrets.created_at", "secretCreatedAt")}, ${SECRET_END}
     FROM ${SECRETS_OF_KEYS} ${condition}
     ORDER BY keys.created_at, id, secrets.created_at DESC, secrets.expires_at DESC NULLS FIRST`,
    values,
  );
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((secrets) => {
    const { secretCreatedAt: _, secretExpiresAt: __, shards, ...record } = secrets[0]!;
    return {
      ...record,
      shards: shardsIn(shards),
      secrets: secrets.map(({ secretCreatedAt, secretExpiresAt }) => ({
        createdAt: secretCreatedAt,
        expiresAt: secretExpiresAt,
      })),
    };
  });
}

const shardsIn = (text: string | null): string[] | null => text?.split(BETWEEN_SHARDS) ?? null;
