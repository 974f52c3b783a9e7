/** In charge of the API keys at rest: making, listing, changing, rotating and revoking them. */

import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { Grant } from "../domain/allowance.ts";
import { randomBase62 } from "./base62.ts";
import { createFile, fileExists, openFile } from "./file.ts";
import { hashKey, makeKey } from "./key.ts";
import { KEYS_FILE } from "./keys-file.ts";

/** What an operator decides about a key. Null leaves it to the tier, or to the deployment. */
export interface KeyTerms extends Required<Grant> {
  /** Whom or what the key is for. */
  name: string;
  /** For the operator: a contact, a contract, a reason. */
  note: string | null;
  tier: string | null;
  /** Milliseconds since the epoch; null: never. */
  expiresAt: number | null;
}

/** What is known of a key; neither the key nor its hash is part of it. */
export interface KeyRecord extends KeyTerms {
  id: string;
  createdAt: number;
  revokedAt: number | null;
  /** Newest first. While a key is rotated there are two: the one before ends at its `expiresAt`. */
  secrets: { createdAt: number; expiresAt: number | null }[];
}

export interface NewKey {
  key: string;
  record: KeyRecord;
}

/** Whatever returns has made its change durable. */
export interface Keyring {
  /** The key itself is in the result and nowhere else. */
  create(wanted: Partial<KeyTerms> & Pick<KeyTerms, "name">, now: number): NewKey;
  /** Oldest first, revoked and expired ones included. */
  list(): KeyRecord[];
  find(id: string): KeyRecord | undefined;
  /** Undefined: there is no such key. */
  change(id: string, changes: Partial<KeyTerms>): KeyRecord | undefined;
  /** A new key in place of the old one, which stays good for `overlapMs`; id and terms stay. */
  rotate(id: string, overlapMs: number, now: number): NewKey | "ended" | "unknown";
  /** A key revoked before stays as it was. */
  revoke(id: string, now: number): "revoked" | "already-revoked" | "unknown";
  close(): void;
}

export type KeyState = "live" | "expired" | "revoked";

export function stateOf({ revokedAt, expiresAt }: KeyRecord, now: number): KeyState {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "live";
}

/** Whether keys were ever made in this data folder. */
export const keyringExists = (dataDir: string): boolean => fileExists(KEYS_FILE, dataDir);

/** Opens the keys of a data folder, creating folder and file where they are missing. */
export function openKeyring(dataDir: string): Keyring {
  createFile(KEYS_FILE, dataDir);
  return new SqliteKeyring(openFile(KEYS_FILE, dataDir));
}

type Columns = Omit<KeyRecord, "shards" | "secrets"> & { shards: string | null };

/** The terms and the columns that keep them. */
const TERMS: Record<keyof KeyTerms, string> = {
  name: "name",
  note: "note",
  tier: "tier",
  rate: "rate",
  burst: "burst",
  matchesPerDay: "matches_per_day",
  shards: "shards",
  expiresAt: "expires_at",
};
const TERM_NAMES = Object.keys(TERMS) as (keyof KeyTerms)[];

const COLUMNS = [
  "id",
  "created_at AS createdAt",
  "revoked_at AS revokedAt",
  ...TERM_NAMES.map((term) => `${TERMS[term]} AS ${term}`),
].join(", ");

const BETWEEN_SHARDS = ",";

class SqliteKeyring implements Keyring {
  constructor(private readonly database: Database) {}

  create(wanted: Partial<KeyTerms> & Pick<KeyTerms, "name">, now: number): NewKey {
    const id = `k_${randomBase62(10)}`;
    return this.#inTransaction(() => {
      this.#run("INSERT INTO keys (id, name, created_at) VALUES (?, ?, ?)", id, wanted.name, now);
      this.change(id, wanted);
      return this.#withNewSecret(id, now);
    });
  }

  list(): KeyRecord[] {
    return this.database
      .query<Columns, []>(`SELECT ${COLUMNS} FROM keys ORDER BY created_at, id`)
      .all()
      .map((row) => this.#record(row));
  }

  find(id: string): KeyRecord | undefined {
    const row = this.database
      .query<Columns, [string]>(`SELECT ${COLUMNS} FROM keys WHERE id = ?`)
      .get(id);
    return row ? this.#record(row) : undefined;
  }

  change(id: string, changes: Partial<KeyTerms>): KeyRecord | undefined {
    const given = TERM_NAMES.filter((term) => changes[term] !== undefined);
    if (given.length > 0) {
      const assignments = given.map((term) => `${TERMS[term]} = ?`).join(", ");
      const values = given.map((term) => stored(changes[term]!));
      this.#run(`UPDATE keys SET ${assignments} WHERE id = ?`, ...values, id);
    }
    return this.find(id);
  }

  rotate(id: string, overlapMs: number, now: number): NewKey | "ended" | "unknown" {
    return this.#inTransaction(() => {
      const record = this.find(id);
      if (!record) return "unknown";
      if (stateOf(record, now) !== "live") return "ended";
      const end = now + overlapMs;
      this.#run(
        "UPDATE key_secrets SET expires_at = min(coalesce(expires_at, ?), ?) WHERE key_id = ?",
        end,
        end,
        id,
      );
      return this.#withNewSecret(id, now);
    });
  }

  revoke(id: string, now: number): ReturnType<Keyring["revoke"]> {
    const { changes } = this.#run(
      "UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
      now,
      id,
    );
    if (changes > 0) return "revoked";
    return this.find(id) ? "already-revoked" : "unknown";
  }

  close(): void {
    this.database.close();
  }

  #withNewSecret(id: string, now: number): NewKey {
    const key = makeKey();
    this.#run(
      "INSERT INTO key_secrets (hash, key_id, created_at) VALUES (?, ?, ?)",
      hashKey(key),
      id,
      now,
    );
    return { key, record: this.find(id)! };
  }

  #record({ shards, ...row }: Columns): KeyRecord {
    const secrets = this.database
      .query<KeyRecord["secrets"][number], [string]>(
        `SELECT created_at AS createdAt, expires_at AS expiresAt FROM key_secrets WHERE key_id = ?
         ORDER BY created_at DESC, coalesce(expires_at, ${Number.MAX_SAFE_INTEGER}) DESC`,
      )
      .all(row.id);
    return { ...row, shards: shards?.split(BETWEEN_SHARDS) ?? null, secrets };
  }

  #inTransaction<T>(work: () => T): T {
    return this.database.transaction(work).immediate();
  }

  #run(sql: string, ...values: SQLQueryBindings[]) {
    return this.database.query(sql).run(...values);
  }
}

function stored(value: NonNullable<KeyTerms[keyof KeyTerms]> | null): SQLQueryBindings {
  return Array.isArray(value) ? value.join(BETWEEN_SHARDS) : (value as SQLQueryBindings);
}

/** A secret that may be used now, with the terms of its key. */
export interface LiveSecret {
  hash: string;
  id: string;
  name: string;
  tier: string | null;
  own: Grant;
  /** When it ends, whether by its own end or its key's; Infinity: never. */
  until: number;
}

/** All that a server needs to know. */
export function readLiveSecrets(database: Database): LiveSecret[] {
  return database
    .query<
      { hash: string; id: string; name: string; tier: string | null; until: number | null } & Omit<
        Required<Grant>,
        "shards"
      > & { shards: string | null },
      []
    >(
      `SELECT hash, id, name, tier, rate, burst, matches_per_day AS matchesPerDay, shards,
         min(coalesce(keys.expires_at, key_secrets.expires_at),
             coalesce(key_secrets.expires_at, keys.expires_at)) AS until
       FROM key_secrets JOIN keys ON keys.id = key_secrets.key_id WHERE revoked_at IS NULL`,
    )
    .all()
    .map(({ hash, id, name, tier, until, shards, ...own }) => ({
      hash,
      id,
      name,
      tier,
      own: { ...own, shards: shards?.split(BETWEEN_SHARDS) ?? null },
      until: until ?? Number.POSITIVE_INFINITY,
    }));
}
