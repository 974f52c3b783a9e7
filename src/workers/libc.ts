/**
 * Functions of the C library that Bun does not have: memory that several processes share without a file, and a clock
 * that is the same for all of them (Bun's clocks start at zero in each process).
 */

import { dlopen, FFIType, ptr } from "bun:ffi";
import { ftruncateSync } from "node:fs";

/** Why workers cannot run here, as a message for the operator. */
export class WorkersError extends Error {
  override name = "WorkersError";
}

/** The name of glibc, which musl also accepts. */
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
      "several workers on one port require Linux; use --workers 1, and run more instances behind a proxy",
    );
  }
  try {
    return dlopen(LIBRARY, FUNCTIONS).symbols;
  } catch (cause) {
    throw new WorkersError(
      `several workers need the C library (libc), but ${LIBRARY} cannot be loaded; use --workers 1`,
      { cause },
    );
  }
}

let opened: ReturnType<typeof openLibrary> | undefined;

/** Opened on first use: most commands do not need it. */
function library() {
  opened ??= openLibrary();
  return opened;
}

/** New memory, all zeros: a file descriptor that children can inherit. Only used pages take memory. */
export function newMemory(name: string, bytes: number): number {
  const descriptor = library().memfd_create(ptr(Buffer.from(`${name}\0`)), CLOSE_ON_EXEC);
  if (descriptor < 0) {
    throw new WorkersError("cannot create shared memory (memfd_create failed); use --workers 1");
  }
  ftruncateSync(descriptor, bytes);
  return descriptor;
}

/** Maps a part of such memory. All processes see the same bytes. */
export function mapMemory(descriptor: number, offset: number, size: number): Uint8Array {
  return Bun.mmap(`/proc/self/fd/${descriptor}`, { shared: true, offset, size });
}

/**
 * Monotonic milliseconds, the same in every process of the machine. Bun reads the same system clock but starts
 * at zero in each process, so the offset between the two is measured once. It may be wrong by what passes between the two
 * readings, which a bucket hardly notices.
 */
export function machineClock(): () => number {
  // Seconds and nanoseconds, 64 bits each. The memory of an ArrayBuffer does not move.
  const time = new BigInt64Array(new ArrayBuffer(16));
  library().clock_gettime(CLOCK_MONOTONIC, ptr(time));
  const beginning = Number(time[0]!) * 1000 + Number(time[1]!) / 1e6 - performance.now();
  return () => beginning + performance.now();
}
