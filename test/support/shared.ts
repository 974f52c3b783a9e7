/** What the tests of a file or a group share: it is there when the first of them begins, and goes after the last. */

import { afterAll, beforeAll } from "bun:test";
import { SQL } from "bun";
import { aPostgres } from "./postgres.ts";
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

/** A database, and a connection to it. */
export const sharedPostgres = () =>
  shared(async () => {
    const { url, stop } = await aPostgres();
    const sql = new SQL(url);
    return { url, sql, stop: () => sql.close().then(stop) };
  });
