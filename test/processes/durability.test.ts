/** What commands leave on the disk, if their system calls can be recorded. */

import { needs } from "../support/needs.ts";
import { canRecord } from "../support/system-calls.ts";

await needs("strace", canRecord(), () => import("./durability.ts"));
