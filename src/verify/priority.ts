/** Verifying comes after serving. */

import { getPriority, setPriority } from "node:os";

/** At the lowest one, it would stand still beside a program that keeps every core busy. */
const LOW_PRIORITY = 10;

/** Of this process; on Linux, of this thread. One that was started with a lower priority keeps it. */
export function lowerPriority(): void {
  if (getPriority() < LOW_PRIORITY) setPriority(LOW_PRIORITY);
}
