/**
 * Serves from several processes on one port. The supervisor chooses the port, creates the shared memory, and runs
 * the admin listener, the check of the shards and the worker pool. It serves no public requests itself.
 */

import { randomSecret } from "../access/visitors.ts";
import { freePort } from "../http/listen.ts";
import { MAX_IDLE_MS } from "../http/server.ts";
import type { Observe } from "../observe/events.ts";
import type { Settings } from "../settings/definitions.ts";
import { serveBesideWorkers } from "../wiring.ts";
import { StartFailed, WorkerPool } from "./pool.ts";
import { newSharedMemory, WorkersError } from "./shared-limits.ts";
import { WorkerProcess } from "./worker-process.ts";

/**
 * `command` starts a worker. Resolves when all workers are ready. Throws what a single server would, or
 * StartFailed if a worker has already logged the reason.
 */
export async function supervise(
  settings: Settings,
  log: Observe,
  command: readonly string[],
  offeredKey?: string,
) {
  const { workers, host } = settings;
  const memory = newSharedMemory();
  // Workers share the port on purpose. So it is opened exclusively first: if another program uses it, this fails
  // before any worker starts.
  const port = await freePort(settings);
  const visitorSecret = randomSecret();
  const shared = { host, port, offeredKey, visitorSecret };
  const pool = new WorkerPool(workers, {
    start: (number) => new WorkerProcess(command, memory, { number, ...shared }),
    drainMs: settings["drain-ms"],
    // By then every connection was either told to close, or closed because it was idle. Mostly that takes less time.
    replaceDrainMs: Math.max(settings["drain-ms"], MAX_IDLE_MS),
    observe: log,
  });
  const beside = await serveBesideWorkers(settings, log, pool);
  try {
    const url = await pool.start();
    return {
      url,
      adminUrl: beside.adminUrl,
      /** Replaces the workers one after another. */
      restart: () => pool.restart(),
      async stop(signal: string) {
        await Promise.all([pool.stop(signal), beside.stop()]);
      },
    };
  } catch (error) {
    await beside.stop();
    throw error instanceof StartFailed ? explained(error) : error;
  }
}

function explained(failed: StartFailed): Error {
  const { exitCode, signal } = failed.exit;
  if (signal === null && exitCode !== 0) return failed;
  return new WorkersError(
    `${failed.message}; check that the machine has enough memory, or use fewer --workers`,
  );
}
