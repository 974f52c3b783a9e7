/** In charge of the conformance suite through a pooler, where the machine has one. */

import { hasProgram, needs } from "../support/needs.ts";

await needs("pgbouncer", hasProgram("pgbouncer"), () => import("./pgbouncer.ts"));
