/** Parses the URLs of PostgreSQL and Redis, and hides their user names and passwords. */

import { type Parsed, wholeNumber } from "./parsers.ts";

export interface PostgresLocation {
  engine: "postgres";
  /** As given, including secrets. */
  given: string;
  /** For the driver: without our own parameters. */
  url: string;
  /** Host, database and schema: safe to show. */
  shown: string;
  schema: string;
  prepares: boolean;
  pool: number;
}

const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

/** URL parameters for Matchbook. The driver gets the others. */
const OURS = ["schema", "prepare", "pool"];

export const isPostgresUrl = (text: string): boolean => /^postgres(ql)?:/i.test(text);

export function parsePostgres(text: string, defaultSchema = "matchbook"): Parsed<PostgresLocation> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.hostname === "" || url.pathname.length < 2) {
    return { error: "must be postgres://USER:PASSWORD@HOST:PORT/DATABASE" };
  }
  const schema = url.searchParams.get("schema") ?? defaultSchema;
  if (!SCHEMA.test(schema)) {
    return {
      error:
        "schema must be 1 to 63 characters from a-z, 0-9 and _, and must not start with a digit",
    };
  }
  const prepare = url.searchParams.get("prepare") ?? "on";
  if (prepare !== "on" && prepare !== "off") return { error: "prepare must be on or off" };
  const pool = wholeNumber(1, 1000)(url.searchParams.get("pool") ?? "10");
  if ("error" in pool) return { error: `pool ${pool.error}` };
  for (const name of OURS) url.searchParams.delete(name);
  return {
    value: {
      engine: "postgres",
      given: text,
      url: url.href,
      shown: `postgres://${url.host}${url.pathname}, schema ${schema}`,
      schema,
      prepares: prepare === "on",
      pool: pool.value,
    },
  };
}

/** The database of API keys and usage. Empty: files in the data folder. */
export function parseKeysDatabase(text: string): Parsed<PostgresLocation | undefined> {
  if (text === "") return { value: undefined };
  if (!isPostgresUrl(text)) {
    return { error: "must be postgres://USER:PASSWORD@HOST:PORT/DATABASE, or empty" };
  }
  // Its own schema: shards may be in the same database.
  return parsePostgres(text, "matchbook_access");
}

/** Empty, or the URL of a Redis server. */
export function parseRedis(text: string): Parsed<string> {
  if (text === "") return { value: "" };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isValid =
    url !== undefined &&
    /^rediss?:\/\//i.test(text) &&
    url.hostname !== "" &&
    /^(\/\d{0,3})?$/.test(url.pathname) &&
    url.search === "" &&
    url.hash === "";
  if (isValid) return { value: text };
  return {
    error:
      "must be redis://USER:PASSWORD@HOST:PORT/NUMBER, or rediss:// for TLS; only the host is required",
  };
}

/** Hides the user and the password of a URL, well-formed or not. */
export function concealUser(text: string): string {
  return text
    .replace(/^((?:[a-z0-9+]+:)?\/\/)?.*@/is, "$1***@")
    .replace(/(password=)[^&]*/gi, "$1***");
}
