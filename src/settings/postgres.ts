/** In charge of an address in PostgreSQL, of a shard or of the keys: what the driver gets, and what is meant for us. */

import { type Parsed, wholeNumber } from "./parsers.ts";

export interface PostgresLocation {
  engine: "postgres";
  /** As it was written, secrets included. */
  given: string;
  /** For the driver: without our own parameters. */
  url: string;
  /** Host, database and schema: what may be shown. */
  shown: string;
  schema: string;
  prepares: boolean;
  pool: number;
}

const RIGHT = "it must be postgres://USER:PASSWORD@HOST:PORT/DATABASE";

const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

/** Parameters of the address that are ours. The driver gets the others. */
const OURS = ["schema", "prepare", "pool"];

export function parsePostgres(text: string, usualSchema = "matchbook"): Parsed<PostgresLocation> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.hostname === "" || url.pathname.length < 2) return { error: RIGHT };
  const schema = url.searchParams.get("schema") ?? usualSchema;
  if (!SCHEMA.test(schema)) {
    return { error: "its schema must be 1 to 63 of a-z, 0-9 and _, and not begin with a digit" };
  }
  const prepare = url.searchParams.get("prepare") ?? "on";
  if (prepare !== "on" && prepare !== "off") return { error: "its prepare must be on or off" };
  const pool = wholeNumber(1, 1000)(url.searchParams.get("pool") ?? "10");
  if ("error" in pool) return { error: `its pool ${pool.error}` };
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

/** An address that can be parsed, with its password hidden. */
export function concealPassword(text: string): string {
  const url = new URL(text);
  if (url.password !== "") url.password = "***";
  if (url.searchParams.has("password")) url.searchParams.set("password", "***");
  return url.href;
}
