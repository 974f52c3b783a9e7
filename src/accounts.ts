/** In charge of where keys and usage are kept: in the data folder, or in a PostgreSQL that several instances share. */

import { type AccessPlace, filesIn } from "./access/place.ts";
import { PostgresAccess } from "./access/postgres/place.ts";
import type { Settings } from "./settings/table.ts";

/** Nothing is connected to before it is needed. */
export function openAccess(settings: Settings): AccessPlace {
  const database = settings["keys-database"];
  return database ? new PostgresAccess(database) : filesIn(settings.data);
}
