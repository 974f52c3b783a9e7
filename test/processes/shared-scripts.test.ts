/** In charge of the scripts that run in Redis, where the machine has what that takes. */

import { hasProgram, needs } from "../support/needs.ts";

await needs("redis-server", hasProgram("redis-server"), () => import("./shared-scripts.ts"));
