/** In charge of how many steps SQLite takes for a page, where the machine has what that takes. */

import { hasLibrary, needs } from "../support/needs.ts";

await needs(
  "libsqlite3-0",
  hasLibrary("libsqlite3.so.0", "sqlite3_libversion_number"),
  () => import("./sqlite-explain.ts"),
);
