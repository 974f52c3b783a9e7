/** In charge of tests that need a program the machine may lack: then they are skipped, and it is named. */

import { dlopen } from "bun:ffi";
import { test } from "bun:test";

/** Loads a file of tests if the program is there. Where nothing may be missing, a skip counts as failed. */
export async function needs(
  what: string,
  isThere: boolean,
  load: () => Promise<unknown>,
): Promise<void> {
  if (isThere) await load();
  else skipWithout(what);
}

/** Says what is not tested, if that is not a whole file. */
export function skipWithout(
  what: string,
  about?: string,
  remedy = `apt-get install ${what}`,
): void {
  const part = about === undefined ? "" : ` (${about})`;
  test.skip(`without ${what} this cannot be tested: ${remedy}${part}`, () => {});
}

/** Some are where only root's path leads. */
export const hasProgram = (name: string): boolean =>
  Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` }) !== null;

/** By a function of it that takes nothing. */
export function hasLibrary(name: string, symbol: string): boolean {
  try {
    dlopen(name, { [symbol]: { args: [], returns: "i32" } }).close();
    return true;
  } catch {
    return false;
  }
}
