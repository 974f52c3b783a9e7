/** What the tests of a file or a group share: it is there when the first of them begins, and goes after the last. */

import { afterAll, beforeAll } from "bun:test";
import { aFolder } from "./world.ts";

/** Starts a server or the like. Its members are there as soon as the tests run, but not before. */
export function shared<T extends { stop?(): unknown; remove?(): unknown }>(
  start: () => Promise<T>,
): T {
  const one = {} as T;
  beforeAll(async () => {
    Object.assign(one, await start());
  });
  afterAll(() => (one.remove ? one.remove() : one.stop?.()));
  return one;
}

/** The path of a temporary folder. */
export function sharedFolder(): string {
  const { path, remove } = aFolder();
  afterAll(remove);
  return path;
}
