/** Which formats of a shard can be used: the rule for both engines. */

import { MigrationNeeded, StoreError } from "./store.ts";

/** Lower numbers are formats of development versions. */
export const FIRST_FORMAT = 12;

/** Throws StoreError if this version cannot use a format, or must migrate it first. */
export function checkFormat(
  location: string,
  found: number,
  current: number,
  mayMigrate: boolean,
): void {
  if (found > current) {
    throw new StoreError(
      `${location} was written by a newer Matchbook (format ${found}; this version supports ${current}); upgrade Matchbook to use it`,
    );
  }
  if (found < FIRST_FORMAT) {
    throw new StoreError(
      `${location} was written by a development version of Matchbook (format ${found}), which this version cannot read: run 'matchbook export' with the version that wrote it, then 'matchbook ingest' with this one into a new data folder or schema`,
    );
  }
  if (found < current && !mayMigrate) throw new MigrationNeeded(location, found, current);
}
