/** Tests the scripts that run in Redis, if Redis is installed. */

import { hasProgram, needs } from "../support/needs.ts";

await needs("redis-server", hasProgram("redis-server"), () => import("./shared-scripts.ts"));
