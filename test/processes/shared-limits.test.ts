/** In charge of limits that several instances share, where the machine has what that takes. */

import { hasProgram, needs } from "../support/needs.ts";

await needs("redis-server", hasProgram("redis-server"), () => import("./shared-limits.ts"));
