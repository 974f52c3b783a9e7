/** Memory that several processes share without a file that stays, and a clock that is the same for all of them. */

import { randomUUID } from "node:crypto";
import { ftruncateSync, openSync, readFileSync, unlinkSync } from "node:fs";

/** Why workers cannot run here, as a message for the operator. */
export class WorkersError extends Error {
  override name = "WorkersError";
}

/** New memory, all zeros: a file descriptor that children can inherit. Only used pages take memory. */
export function newMemory(bytes: number): number {
  if (process.platform !== "linux") {
    throw new WorkersError(
      "several workers on one port require Linux; use --workers 1, and run more instances behind a proxy",
    );
  }
  // The system frees it when the last process that has it open exits.
  const path = `/dev/shm/matchbook-${randomUUID()}`;
  const descriptor = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  ftruncateSync(descriptor, bytes);
  return descriptor;
}

/** Maps a part of such memory. All processes see the same bytes. */
export function mapMemory(descriptor: number, offset: number, size: number): Uint8Array {
  return Bun.mmap(`/proc/self/fd/${descriptor}`, { shared: true, offset, size });
}

/**
 * Monotonic milliseconds, the same in every process of the machine up to ten of them, which is what the system reports:
 * Bun's clocks start at zero in each process.
 */
export function machineClock(): () => number {
  const uptime = Number.parseFloat(readFileSync("/proc/uptime", "utf8")) * 1000;
  const beginning = uptime - performance.now();
  return () => beginning + performance.now();
}
