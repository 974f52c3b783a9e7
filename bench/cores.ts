/** CPU affinity: servers on one core, the load generator on another. */

import { availableParallelism } from "node:os";

const canPin = availableParallelism() >= 2 && Bun.which("taskset") !== null;

export const PINNING = canPin
  ? "server on core 0, load generator on core 1"
  : "not pinned (needs two cores and taskset)";

const pinnedTo = (core: number, command: string[]): string[] =>
  canPin ? ["taskset", "-c", String(core), ...command] : command;

/** Moves a process with all its threads to the load generator's core. */
export function moveToLoadCore(pid: number): void {
  if (canPin) Bun.spawnSync(["taskset", "--all-tasks", "--cpu-list", "--pid", "1", String(pid)]);
}

export const onServerCore = (command: string[]): string[] => pinnedTo(0, command);
export const onLoadCore = (command: string[]): string[] => pinnedTo(1, command);
