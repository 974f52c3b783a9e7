/** Entry point of the executable that `npm run build` creates. Does what bin/matchbook does for the sources. */

import { dlopen, FFIType, ptr } from "bun:ffi";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** See bin/matchbook for the reasons. */
const RUNTIME_OPTIONS = { BUN_JSC_useConcurrentGC: "0", MIMALLOC_PURGE_DELAY: "1000" };

// The runtime reads the variables before any of our code runs, so the process replaces itself once. It keeps its
// id, so signals still reach it. On systems that cannot do that, it only runs slower.
const isComplete = Object.keys(RUNTIME_OPTIONS).every((name) => process.env[name] !== undefined);
if (!isComplete && process.platform === "linux") {
  try {
    replaceProcess();
  } catch {
    // No /proc, or a C library of another name.
  }
}

// Load everything else only now.
await import("./main.ts");

/**
 * Starts the executable again with the variables. By the C library, because `process.execve` closes all inherited
 * descriptors but the first three, and a shell passes those of `matchbook ingest <(…)` as /dev/fd/63.
 */
function replaceProcess(): void {
  const { fcntl, setenv, execv } = dlopen("libc.so.6", {
    fcntl: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    setenv: { args: [FFIType.ptr, FFIType.ptr, FFIType.i32], returns: FFIType.i32 },
    execv: { args: [FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
  }).symbols;
  const text = (value: string) => Buffer.from(`${value}\0`);
  for (const [name, value] of Object.entries(RUNTIME_OPTIONS)) setenv(text(name), text(value), 0);
  const SET_FLAGS = 2;
  for (const descriptor of inheritedDescriptors()) fcntl(descriptor, SET_FLAGS, 0);

  // The arguments as the system has them: texts that end with a zero byte.
  const block = readFileSync("/proc/self/cmdline");
  const starts = [...block.keys()].filter((at) => at === 0 || block[at - 1] === 0);
  const base = ptr(block);
  const args = new BigUint64Array([...starts.map((at) => BigInt(base + at)), 0n]);
  execv(text(process.execPath), args);
}

/** The runtime marks all descriptors to be closed. Only those of its event loop have no file, pipe or socket. */
function inheritedDescriptors(): number[] {
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((descriptor) => descriptor > 2 && !targetOf(descriptor).startsWith("anon_inode:"));
}

function targetOf(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // The directory that was being read.
    return "anon_inode:";
  }
}
