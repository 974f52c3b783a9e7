/** Asks Redis for its version, for `matchbook doctor`. Writes nothing. */

import type { RedisClient } from "bun";

const PATIENCE_MS = 2000;

/** Undefined if the user may not read it. Throws if Redis is unavailable. */
export async function redisVersion(url: string): Promise<string | undefined> {
  const client = new Bun.RedisClient(url, {
    connectionTimeout: PATIENCE_MS,
    autoReconnect: false,
    enableOfflineQueue: false,
  });
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`no response within ${PATIENCE_MS / 1000} s`)),
    PATIENCE_MS,
  );
  try {
    return await Promise.race([readVersion(client), late]);
  } finally {
    clearTimeout(timer);
    client.close();
  }
}

async function readVersion(client: RedisClient): Promise<string | undefined> {
  await client.connect();
  try {
    return /^redis_version:(\S+)/m.exec(String(await client.send("INFO", ["server"])))?.[1];
  } catch (error) {
    // The user may lack the permission for INFO, which Matchbook does not need.
    if (/NOPERM/.test((error as Error).message)) return undefined;
    throw error;
  }
}
