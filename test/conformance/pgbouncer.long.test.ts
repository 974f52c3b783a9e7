/** Runs the conformance suite through pgbouncer, if it is installed. */

import { hasProgram, needs } from "../support/needs.ts";

await needs("pgbouncer", hasProgram("pgbouncer"), () => import("./pgbouncer.ts"));
