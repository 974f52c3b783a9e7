/** In charge of the planner's settings behind a pooler, where the machine has one. */

import { hasProgram, needs } from "../support/needs.ts";

await needs("pgbouncer", hasProgram("pgbouncer"), () => import("./pgbouncer-planner.ts"));
