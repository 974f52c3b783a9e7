/** All kinds of faults. */

import type { FaultKind } from "./kind.ts";
import { CALLS } from "./kinds/calls.ts";
import { CLIENTS } from "./kinds/clients.ts";
import { CLOCKS } from "./kinds/clocks.ts";
import { DATABASES } from "./kinds/databases.ts";
import { DISKS } from "./kinds/disks.ts";
import { FILES } from "./kinds/files.ts";
import { KILLS } from "./kinds/kills.ts";

// biome-ignore format: one group per line
export const KINDS: readonly FaultKind[] = [
  ...KILLS,
  ...CALLS,
  ...DISKS,
  ...FILES,
  ...CLOCKS,
  ...CLIENTS,
  ...DATABASES,
];
