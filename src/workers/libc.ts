/**
 * In charge of two things that workers need of the system and that Bun has no name for: memory that
 * several processes share without a file that could be left behind, and a clock that is the same for
 * all of them. (Bun's own clocks begin anew with each process.)
 */

import { dlopen, FFIType, ptr } from "bun:ffi";
import { ftruncateSync } from "node:fs";

/** Why there can be no workers here, in words meant for the operator. */
export class WorkersError extends Error {
  override name = "WorkersError";
}

/** glibc's name; musl knows itself by it too. */
const LIBRARY = "libc.so.6";

const FUNCTIONS = {
  memfd_create: { args: [FFIType.ptr, FFIType.u32], returns: FFIType.i32 },
  clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
} as const;

const CLOSE_ON_EXEC = 1;
const CLOCK_MONOTONIC = 1;

function openLibrary() {
  if (process.platform !== "linux") {
    throw new WorkersError(
      "several workers on one port need Linux; leave --workers at 1, and start more instances behind a proxy",
    );
  }
  try {
    return dlopen(LIBRARY, FUNCTIONS).symbols;
  } catch (cause) {
    throw new WorkersError(
      `several workers need the C library, and ${LIBRARY} cannot be used; leave --workers at 1`,
      { cause },
    );
  }
}

let opened: ReturnType<typeof openLibrary> | undefined;

/** Opened when it is first needed: most commands have no use for it. */
function library() {
  opened ??= openLibrary();
  return opened;
}

/** New memory, all zeros: a file descriptor that children can inherit. Only what is touched takes room. */
export function newMemory(name: string, bytes: number): number {
  const descriptor = library().memfd_create(ptr(Buffer.from(`${name}\0`)), CLOSE_ON_EXEC);
  if (descriptor < 0) {
    throw new WorkersError(
      "the system gives no shared memory (memfd_create failed); leave --workers at 1",
    );
  }
  ftruncateSync(descriptor, bytes);
  return descriptor;
}

/** A part of such memory. Whatever one process writes there, the others see. */
export function mapMemory(descriptor: number, offset: number, size: number): Uint8Array {
  return Bun.mmap(`/proc/self/fd/${descriptor}`, { shared: true, offset, size });
}

/**
 * Milliseconds that never step back, counted from one beginning by every process of the machine. Bun
 * reads the same clock of the system and begins at zero with each process: so what lies between the two
 * is asked for once, and stays.
 */
export function machineClock(): () => number {
  const tries = Array.from({ length: 10 }, lookAtClock);
  const { beginning } = tries.toSorted((one, other) => one.took - other.took)[0]!;
  return () => beginning + performance.now();
}

/** When this process began, and how long it took to find that out: so much may be wrong with it. */
function lookAtClock(): { beginning: number; took: number } {
  // Seconds and nanoseconds, 64 bits each. The memory is of a buffer, and so stays where it is.
  const time = new BigInt64Array(new ArrayBuffer(16));
  const before = performance.now();
  library().clock_gettime(CLOCK_MONOTONIC, ptr(time));
  const after = performance.now();
  const machine = Number(time[0]!) * 1000 + Number(time[1]!) / 1e6;
  return { beginning: machine - (before + after) / 2, took: after - before };
}
