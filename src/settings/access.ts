/** In charge of the setting that says where keys and usage are kept. */

import type { Parsed } from "./parsers.ts";
import { type PostgresLocation, parsePostgres } from "./postgres.ts";
import { concealUser } from "./redis.ts";

/** Beside the shards of the same database, not among their tables. */
const SCHEMA = "matchbook_access";

/** Empty: files in the data folder. */
export function parseAccess(text: string): Parsed<PostgresLocation | undefined> {
  if (text === "") return { value: undefined };
  if (!/^postgres(ql)?:/i.test(text)) {
    return { error: "must be postgres://USER:PASSWORD@HOST:PORT/DATABASE, or empty" };
  }
  const parsed = parsePostgres(text, SCHEMA);
  return "error" in parsed ? { error: `is wrong: ${parsed.error}` } : parsed;
}

export const showAccess = (location: PostgresLocation | undefined): string => location?.given ?? "";

/** Hides user and password, be they before the host or among the parameters. */
export function concealAccess(text: string): string {
  return concealUser(text).replace(/(password=)[^&]*/gi, "$1***");
}
