/** Counts the steps that SQLite takes for a page, if the machine has what that needs. */

import { hasLibrary, needs } from "../support/needs.ts";

await needs(
  "libsqlite3-0",
  hasLibrary("libsqlite3.so.0", "sqlite3_libversion_number"),
  () => import("./sqlite-explain.ts"),
);
