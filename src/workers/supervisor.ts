/**
 * Serves from several processes on one port. The supervisor chooses the port, creates the shared memory,
 * runs the private listener and the worker pool. It answers no public request itself.
 */

import { freePort } from "../http/listen.ts";
import { MAX_IDLE_MS } from "../http/server.ts";
import type { Observe } from "../observe/events.ts";
import type { Settings } from "../settings/definitions.ts";
import { servePrivately } from "../wiring.ts";
import { WorkersError } from "./libc.ts";
import { StartFailed, WorkerPool } from "./pool.ts";
import { newSharedMemory } from "./shared-limits.ts";
import { WorkerProcess } from "./worker-process.ts";

/**
 * `command` starts a worker. Resolves when all of them serve. Throws what a server alone would, or
 * StartFailed when a worker has already said what is wrong.
 */
export async function supervise(
  settings: Settings,
  log: Observe,
  command: readonly string[],
  offeredKey?: string,
) {
  const { workers, host } = settings;
  const memory = newSharedMemory();
  // Workers share the port on purpose. So it is taken exclusively first: if another program has it, this
  // fails before any worker starts.
  const port = await freePort(settings);
  const seed = crypto.getRandomValues(new Uint32Array(1))[0]!;
  const pool = new WorkerPool(workers, {
    start: (number) =>
      new WorkerProcess(command, memory, { number, workers, host, port, seed, offeredKey }),
    drainMs: settings["drain-ms"],
    // By then every connection has been used and told to close, or was closed because it was idle.
    replaceDrainMs: Math.max(settings["drain-ms"], MAX_IDLE_MS),
    observe: log,
  });
  const admin = await servePrivately(settings, log, pool);
  try {
    const url = await pool.start();
    return {
      url,
      adminUrl: admin?.url,
      /** New workers in place of the old ones, one after another. */
      restart: () => pool.restart(),
      async stop(signal: string) {
        await Promise.all([pool.stop(signal), admin?.stop()]);
      },
    };
  } catch (error) {
    await admin?.stop();
    throw error instanceof StartFailed ? explained(error) : error;
  }
}

function explained(failed: StartFailed): Error {
  const { exitCode, signal } = failed.exit;
  if (signal === null && exitCode !== 0) return failed;
  return new WorkersError(
    `${failed.message}; see whether the machine has enough memory, or start with fewer --workers`,
  );
}
