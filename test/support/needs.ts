/** Skips tests whose program is not installed; `npm test` counts them. */

import { dlopen } from "bun:ffi";
import { describe } from "bun:test";

/** Loads a file of tests. Without the program, all of them are registered as skipped. */
export async function needs(
  program: string,
  isThere: boolean,
  load: () => Promise<unknown>,
): Promise<void> {
  if (isThere) await load();
  else
    skipWithout(program, async () => {
      await load();
    });
}

/** Registers tests as skipped. The group's name tells `npm test` what is missing; for a test alone, "(needs …)" does. */
export function skipWithout(program: string, tests: () => void | Promise<void>): void {
  describe.skip(`needs ${program}`, tests);
}

/** Some programs are only on root's PATH. */
export const hasProgram = (name: string): boolean =>
  Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` }) !== null;

/** Checks for the library by one of its functions that takes no arguments. */
export function hasLibrary(name: string, symbol: string): boolean {
  try {
    dlopen(name, { [symbol]: { args: [], returns: "i32" } }).close();
    return true;
  } catch {
    return false;
  }
}

/** Whether tests may mount file systems, in a namespace of their own. */
export const canMount = (): boolean =>
  hasProgram("unshare") &&
  Bun.spawnSync(["unshare", "-Urm", "sh", "-c", "mount -t tmpfs tmpfs /tmp"]).exitCode === 0;
