/** In charge of further API keys for tests, and of a server that knows them at once. */

import { openKeyring } from "../../src/access/keyring.ts";
import { unobserved } from "../../src/observe/events.ts";
import type { Settings } from "../../src/settings/table.ts";
import { serve } from "../../src/wiring.ts";
import type { World } from "./world.ts";

export interface KeyIn {
  /** Requests a minute. */
  rate?: number;
  revoked?: boolean;
}

/**
 * A second server over the world's data, started after these keys were made: a running one would
 * notice them only after a while. Stop it before the world.
 */
export async function serveWithKeys(
  world: World,
  wanted: KeyIn[],
  settings: Partial<Settings> = {},
): Promise<{ url: string; keys: string[]; stop(): Promise<void> }> {
  const keyring = openKeyring(world.data);
  const keys = wanted.map(({ rate = null, revoked }, index) => {
    const { key, record } = keyring.create({ name: `key ${index}`, rate }, Date.now());
    if (revoked) keyring.revoke(record.id, Date.now());
    return key;
  });
  keyring.close();
  const server = await serve({ ...world.settings, ...settings }, unobserved);
  return { url: server.url, keys, stop: () => server.stop("test") };
}
