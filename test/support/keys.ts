/** More API keys for tests, and a server that knows them at once. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../src/access/clock.ts";
import type { KeyOptions } from "../../src/access/key-store.ts";
import { KEY_TABLES } from "../../src/access/tables.ts";
import { unobserved } from "../../src/observe/events.ts";
import { openAccess } from "../../src/open-access.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import { serve } from "../../src/wiring.ts";
import { aFolder, type World } from "./world.ts";

export interface KeyIn extends Partial<KeyOptions> {
  revoked?: boolean;
}

/**
 * A second server on the world's data, started after these keys were created: a running one notices
 * them only after a while. Stop it before the world.
 */
export async function serveWithKeys(
  world: World,
  wanted: KeyIn[],
  settings: Partial<Settings> = {},
  clock?: Clock,
) {
  const access = openAccess({ data: world.data });
  const keys: string[] = [];
  for (const [index, { revoked, ...terms }] of wanted.entries()) {
    const { key, record } = await access.keys.create(
      { name: `key ${index}`, ...terms },
      Date.now(),
    );
    if (revoked) await access.keys.revoke(record.id, Date.now());
    keys.push(key);
  }
  await access.close();
  const server = await serve({ ...world.settings, ...settings }, unobserved, clock);
  return served(world, server.url, keys, () => server.stop("test"));
}

/** A server with a damaged key file, so that it cannot tell which keys are valid. */
export async function serveWithoutKeys(world: World) {
  const folder = aFolder();
  writeFileSync(join(folder.path, KEY_TABLES.file), "this is not a database, ".repeat(1000));
  const server = await serve({ ...world.settings, data: folder.path }, unobserved);
  return served(world, server.url, [], async () => {
    await server.stop("test");
    folder.remove();
  });
}

/** Its keys are in the order in which they were wanted. It is stopped once, by `stop` or at the end of its scope. */
function served(world: World, url: string, keys: string[], end: () => Promise<void>) {
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= end());
  /** A request with one of the keys, the first by default. The path may be a link. */
  const ask = (
    path: string,
    headers?: Record<string, string | null>,
    method?: string,
    key: number | string = 0,
  ) => {
    const Authorization = `Bearer ${typeof key === "string" ? key : keys[key]}`;
    return world.get(
      path.startsWith("http") ? path : url + path,
      { Authorization, ...headers },
      method,
    );
  };
  return { url, keys, ask, stop, [Symbol.asyncDispose]: stop };
}

/** A clock that advances only on command. */
export class TestClock implements Clock {
  #now: number;

  constructor(start: number | string = Date.now()) {
    this.#now = new Date(start).getTime();
  }

  readonly now = () => this.#now;
  readonly monotonic = () => this.#now;

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}
