/** Which format of a shard can be used: the rule for both engines. */

import { StoreError } from "./store.ts";

/** Lower numbers are formats of development versions. From the first release on, each format needs a way to the next. */
export const FORMAT = 14;

/** Throws StoreError if this version cannot use a format. */
export function checkFormat(location: string, found: number): void {
  if (found > FORMAT) {
    throw new StoreError(
      `${location} was written by a newer Matchbook (format ${found}; this version supports ${FORMAT}); upgrade Matchbook to use it`,
    );
  }
  if (found < FORMAT) {
    throw new StoreError(
      `${location} was written by a development version of Matchbook (format ${found}), which this version cannot read: run 'matchbook export' with the version that wrote it, then 'matchbook ingest' with this one into a new data folder or schema`,
    );
  }
}
