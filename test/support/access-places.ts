/** New, empty databases of keys in both engines. */

import { type AccessStore, openAccess } from "../../src/open-access.ts";
import { parseKeysDatabase } from "../../src/settings/database-urls.ts";
import { sharedPostgres } from "./shared.ts";
import { aFolder } from "./world.ts";

/** `open` opens it like another process. */
export interface TestedPlace {
  open(): AccessStore;
  /** Variables that lead a command to it. */
  env: Record<string, string>;
  remove(): Promise<void>;
}

export async function aFilePlace(): Promise<TestedPlace> {
  const folder = aFolder();
  return {
    open: () => openAccess({ data: folder.path }),
    env: { MATCHBOOK_DATA: folder.path },
    remove: async () => folder.remove(),
  };
}

/** Call it at the top of a test file. Returns what makes a place, each with a schema of its own. */
export function postgresPlaces() {
  const postgres = sharedPostgres();
  let count = 0;
  return () => {
    const schema = `access_${process.pid}_${count++}`;
    const separator = postgres.url.includes("?") ? "&" : "?";
    const url = `${postgres.url}${separator}schema=${schema}&pool=3`;
    const parsed = parseKeysDatabase(url);
    if ("error" in parsed) throw new Error(parsed.error);
    const location = parsed.value!;
    return {
      schema,
      sql: postgres.sql,
      open: () => openAccess({ data: "", "keys-database": location }),
      env: { MATCHBOOK_KEYS_DATABASE: url },
      remove: async () =>
        void (await postgres.sql.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)),
    };
  };
}
