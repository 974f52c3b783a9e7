/** Tests limits that several instances share, if Redis is installed. */

import { hasProgram, needs } from "../support/needs.ts";

await needs("redis-server", hasProgram("redis-server"), () => import("./shared-limits.ts"));
