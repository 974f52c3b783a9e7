/** Copies of the stored formats in test/fixtures/formats, each to be opened by one test. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { SQL } from "bun";
import { FORMAT as POSTGRES_FORMAT } from "../../src/store/postgres/schema.ts";
import { FORMAT as SQLITE_FORMAT } from "../../src/store/sqlite/schema.ts";
import { ROOT } from "./process.ts";

const FOLDER = join(import.meta.dir, "../fixtures/formats");

export { POSTGRES_FORMAT, SQLITE_FORMAT };

export const SQLITE_SHARD_FORMATS = [1, 2, 3, 5, 6, 7, 8] as const;
export const POSTGRES_SHARD_FORMATS = [1, 2, 4, 5, 6, 7] as const;
export const SQLITE_KEY_FORMATS = [1, 2] as const;

const read = (name: string): Buffer => gunzipSync(readFileSync(join(FOLDER, `${name}.gz`)));

/** What every fixture of a shard contains, and the keys of each fixture of keys. */
export const EXPECTED: {
  digest: { digest: string; matches: number; players: number; teams: number };
  counts: object;
  /** The secrets: of sqlite1, live and revoked; of the others, replaced, live, revoked and live. */
  keys: { sqlite1: string[]; sqlite2: string[]; postgres1: string[] };
  responses: Record<string, unknown>;
} = JSON.parse(readFileSync(join(FOLDER, "expected.json"), "utf8"));

/** Puts the shard na of a format into a data folder, and returns its path. */
export function putSqliteShard(data: string, format: number): string {
  const path = join(data, "na.db");
  writeFileSync(path, read(`sqlite-shard-${format}.db`));
  return path;
}

/** Puts keys of a format into a data folder, or usage of format 1. */
export function putSqliteKeys(data: string, format: number): string {
  const path = join(data, "access.sqlite");
  writeFileSync(path, read(`sqlite-keys-${format}.sqlite`));
  return path;
}

export function putSqliteUsage(data: string): string {
  const path = join(data, "usage.sqlite");
  writeFileSync(path, read("sqlite-usage-1.sqlite"));
  return path;
}

/** Loads a dump, whose schema is called fixture, as `schema`. */
export async function loadPostgres(url: string, name: string, schema: string): Promise<void> {
  const dump = read(`${name}.sql`)
    .toString()
    .replaceAll(/\bfixture(keys)?\b/g, schema);
  const sql = new SQL({ url, max: 1 });
  try {
    await sql.unsafe(dump);
  } finally {
    await sql.close();
  }
}

/**
 * Starts the migration of a shard (sqlite:PATH or postgres://…) in a process that is killed before the first commit,
 * or after some rows were rewritten.
 */
export async function killedMigration(
  location: string,
  when: "before the commit" | "after some rows" = "before the commit",
): Promise<void> {
  const helper = join(ROOT, "test/support/half-migrated.ts");
  const more = when === "after some rows" ? ["rows"] : [];
  const child = Bun.spawn([process.execPath, helper, location, ...more], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  if (Buffer.from(value ?? "").toString() !== "all but committed\n") throw new Error("it ended");
  child.kill("SIGKILL");
  await child.exited;
}

export async function dropSchema(url: string, schema: string): Promise<void> {
  const sql = new SQL({ url, max: 1 });
  try {
    await sql.unsafe(`DROP SCHEMA ${schema} CASCADE`);
  } finally {
    await sql.close();
  }
}
