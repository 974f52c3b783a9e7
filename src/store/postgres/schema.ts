/** The migrations of formats in PostgreSQL since the first release. */

import { FIRST_FORMAT } from "../formats.ts";
import type { Connection } from "./session.ts";

/** Runs in a transaction of its own. */
export type Migration = (connection: Connection) => Promise<void>;

/** Entry n migrates from the format FIRST_FORMAT + n to the next one. Only append. */
export const MIGRATIONS: readonly Migration[] = [];

/** The current format. */
export const FORMAT = FIRST_FORMAT + MIGRATIONS.length;
