/** In charge of the API keys at rest: making, listing, revoking and finding them. */

import type { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { randomBase62 } from "./base62.ts";
import { accessFile, createAccessFile, openAccessFile } from "./file.ts";
import { hashKey, makeKey } from "./key.ts";

/** What is known of a key; neither the key nor its hash is part of it. */
export interface KeyRecord {
  id: string;
  name: string;
  /** Requests a minute; null: the deployment's default. */
  rate: number | null;
  /** Milliseconds since the epoch. */
  createdAt: number;
  revokedAt: number | null;
}

/** A key that may be used now. */
export interface LiveKey {
  id: string;
  name: string;
  rate: number | null;
}

export interface Keyring {
  /** Durable when it returns. The key itself is in the result and nowhere else. */
  create(wanted: { name: string; rate?: number | null }, now: number): NewKey;
  /** Oldest first, revoked ones included. */
  list(): KeyRecord[];
  /** Durable when it returns. A key revoked before stays as it was. */
  revoke(id: string, now: number): "revoked" | "already-revoked" | "unknown";
  close(): void;
}

export interface NewKey {
  key: string;
  record: KeyRecord;
}

const COLUMNS = "id, name, rate, created_at AS createdAt, revoked_at AS revokedAt";

/** Whether keys were ever made in this data folder. */
export const keyringExists = (dataDir: string): boolean => existsSync(accessFile(dataDir));

/** Opens the keys of a data folder, creating folder and file where they are missing. */
export function openKeyring(dataDir: string): Keyring {
  createAccessFile(dataDir);
  const database = openAccessFile(dataDir);
  return {
    create: (wanted, now) => create(database, wanted.name, wanted.rate ?? null, now),
    list: () =>
      database
        .query<KeyRecord, []>(`SELECT ${COLUMNS} FROM api_keys ORDER BY created_at, id`)
        .all(),
    revoke: (id, now) => revoke(database, id, now),
    close: () => database.close(),
  };
}

/** The live keys by their hashes: all that a server needs to know. */
export function readLiveKeys(database: Database): Map<string, LiveKey> {
  const rows = database
    .query<LiveKey & { hash: string }, []>(
      "SELECT hash, id, name, rate FROM api_keys WHERE revoked_at IS NULL",
    )
    .all();
  return new Map(rows.map(({ hash, ...key }) => [hash, key]));
}

function create(database: Database, name: string, rate: number | null, now: number): NewKey {
  const key = makeKey();
  const id = `k_${randomBase62(10)}`;
  database
    .query("INSERT INTO api_keys (id, name, hash, rate, created_at) VALUES (?, ?, ?, ?, ?)")
    .run(id, name, hashKey(key), rate, now);
  return { key, record: { id, name, rate, createdAt: now, revokedAt: null } };
}

function revoke(database: Database, id: string, now: number): ReturnType<Keyring["revoke"]> {
  const { changes } = database
    .query("UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL")
    .run(now, id);
  if (changes > 0) return "revoked";
  const known = database.query("SELECT 1 FROM api_keys WHERE id = ?").get(id);
  return known ? "already-revoked" : "unknown";
}
