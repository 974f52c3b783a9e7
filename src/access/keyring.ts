/** In charge of the API keys at rest: making, listing, changing, rotating and revoking them. */

import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { Grant } from "../domain/allowance.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { randomBase62 } from "./base62.ts";
import { createFile, fileExists, openFile } from "./file.ts";
import { hashKey, makeKey } from "./key.ts";
import { KEYS_FILE } from "./keys-file.ts";
import {
  type LiveSecret,
  liveSecret,
  readShards,
  type SecretRow,
  writtenShards,
} from "./secrets.ts";

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
  create(wanted: NewTerms, now: number): Awaitable<NewKey>;
  /** Oldest first, revoked and expired ones included. */
  list(): Awaitable<KeyRecord[]>;
  find(id: string): Awaitable<KeyRecord | undefined>;
  /** Undefined: there is no such key. */
  change(id: string, changes: Partial<KeyTerms>): Awaitable<KeyRecord | undefined>;
  /** A new key in place of the old one, which stays good for `overlapMs`; id and terms stay. */
  rotate(id: string, overlapMs: number, now: number): Awaitable<Rotated>;
  /** A key revoked before stays as it was. */
  revoke(id: string, now: number): Awaitable<Revoked>;
  close(): Awaitable<void>;
}

export type NewTerms = Partial<KeyTerms> & Pick<KeyTerms, "name">;
export type Rotated = NewKey | "ended" | "unknown";
export type Revoked = "revoked" | "already-revoked" | "unknown";

export const newKeyId = (): string => `k_${randomBase62(10)}`;

export type KeyState = "live" | "expired" | "revoked";

export function stateOf({ revokedAt, expiresAt }: KeyRecord, now: number): KeyState {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "live";
}

/** When the secret that was rotated away ends: with its key, should that be earlier. */
export function endOfPrevious({ secrets, expiresAt }: KeyRecord): number {
  return Math.min(secrets[1]!.expiresAt!, expiresAt ?? Number.POSITIVE_INFINITY);
}

/** Whether keys were ever made in this data folder. */
export const keyringExists = (dataDir: string): boolean => fileExists(KEYS_FILE, dataDir);

/** Opens the keys of a data folder, creating folder and file where they are missing. */
export function openKeyring(dataDir: string): SqliteKeyring {
  createFile(KEYS_FILE, dataDir);
  return new SqliteKeyring(openFile(KEYS_FILE, dataDir));
}

/** A key as it is kept, its secrets aside. */
export type KeyRow = Omit<KeyRecord, "shards" | "secrets"> & { shards: string | null };

/** The terms and the columns that keep them. */
export const TERM_COLUMNS: Record<keyof KeyTerms, string> = {
  name: "name",
  note: "note",
  tier: "tier",
  rate: "rate",
  burst: "burst",
  matchesPerDay: "matches_per_day",
  shards: "shards",
  expiresAt: "expires_at",
};
export const TERM_NAMES = Object.keys(TERM_COLUMNS) as (keyof KeyTerms)[];

const COLUMNS = [
  "id",
  "created_at AS createdAt",
  "revoked_at AS revokedAt",
  ...TERM_NAMES.map((term) => `${TERM_COLUMNS[term]} AS ${term}`),
].join(", ");

export class SqliteKeyring implements Keyring {
  constructor(private readonly database: Database) {}

  create(wanted: NewTerms, now: number): NewKey {
    const id = newKeyId();
    return this.#inTransaction(() => {
      this.#run("INSERT INTO keys (id, name, created_at) VALUES (?, ?, ?)", id, wanted.name, now);
      this.change(id, wanted);
      return this.#withNewSecret(id, now);
    });
  }

  list(): KeyRecord[] {
    return this.database
      .query<KeyRow, []>(`SELECT ${COLUMNS} FROM keys ORDER BY created_at, id`)
      .all()
      .map((row) => this.#record(row));
  }

  find(id: string): KeyRecord | undefined {
    const row = this.database
      .query<KeyRow, [string]>(`SELECT ${COLUMNS} FROM keys WHERE id = ?`)
      .get(id);
    return row ? this.#record(row) : undefined;
  }

  change(id: string, changes: Partial<KeyTerms>): KeyRecord | undefined {
    const given = TERM_NAMES.filter((term) => changes[term] !== undefined);
    if (given.length > 0) {
      const assignments = given.map((term) => `${TERM_COLUMNS[term]} = ?`).join(", ");
      const values = given.map((term) => stored(changes[term]!));
      this.#run(`UPDATE keys SET ${assignments} WHERE id = ?`, ...values, id);
    }
    return this.find(id);
  }

  rotate(id: string, overlapMs: number, now: number): Rotated {
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

  revoke(id: string, now: number): Revoked {
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

  #record({ shards, ...row }: KeyRow): KeyRecord {
    const secrets = this.database
      .query<KeyRecord["secrets"][number], [string]>(
        `SELECT created_at AS createdAt, expires_at AS expiresAt FROM key_secrets WHERE key_id = ?
         ORDER BY created_at DESC, coalesce(expires_at, ${Number.MAX_SAFE_INTEGER}) DESC`,
      )
      .all(row.id);
    return { ...row, shards: readShards(shards), secrets };
  }

  #inTransaction<T>(work: () => T): T {
    return this.database.transaction(work).immediate();
  }

  #run(sql: string, ...values: SQLQueryBindings[]) {
    return this.database.query(sql).run(...values);
  }
}

function stored(value: KeyTerms[keyof KeyTerms]): SQLQueryBindings {
  return Array.isArray(value) ? writtenShards(value) : (value as SQLQueryBindings);
}

export function readLiveSecrets(database: Database): LiveSecret[] {
  return database
    .query<SecretRow, []>(
      `SELECT hash, id, name, tier, rate, burst, matches_per_day AS matchesPerDay, shards,
         min(coalesce(keys.expires_at, key_secrets.expires_at),
             coalesce(key_secrets.expires_at, keys.expires_at)) AS until
       FROM key_secrets JOIN keys ON keys.id = key_secrets.key_id WHERE revoked_at IS NULL`,
    )
    .all()
    .map(liveSecret);
}
