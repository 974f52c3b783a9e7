/** In charge of where keys and usage are kept: in the data folder, or in a PostgreSQL that several instances share. */

import { type AccessPlace, filesIn } from "./access/place.ts";
import { PostgresAccess } from "./access/postgres/place.ts";
import type { Settings } from "./settings/table.ts";

/** Nothing is connected to before it is needed. */
export function openAccess({ access, data }: Settings): AccessPlace {
  return access ? new PostgresAccess(access) : filesIn(data);
}
