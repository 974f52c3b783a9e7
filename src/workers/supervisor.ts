/**
 * In charge of serving from several processes on one port: the supervisor chooses the port, makes the
 * memory that they share, has the private listener, and watches over them. It answers no request of the
 * public.
 */

import { freePort } from "../http/listen.ts";
import { LONGEST_IDLE_MS } from "../http/server.ts";
import type { Observe } from "../observe/events.ts";
import type { Settings } from "../settings/table.ts";
import { servePrivately } from "../wiring.ts";
import { Crew, StartFailed } from "./crew.ts";
import { WorkerProcess } from "./process.ts";
import { newSharedMemory } from "./shared-limits.ts";
import { WorkersError } from "./system.ts";

export interface Supervised {
  url: string;
  adminUrl: string | undefined;
  /** New workers in place of the old ones, one after another. */
  restart(): void;
  stop(signal: string): Promise<void>;
}

/**
 * `command` starts a worker. Resolves when all of them serve. Throws what a server alone would, or
 * StartFailed when a worker has already said what is wrong.
 */
export async function supervise(
  settings: Settings,
  log: Observe,
  command: readonly string[],
  offeredKey?: string,
): Promise<Supervised> {
  const { workers, host } = settings;
  const memory = newSharedMemory();
  // Workers take the port together with others on purpose. So it is taken alone first: if somebody else
  // has it, nobody begins.
  const port = await freePort(settings);
  const seed = crypto.getRandomValues(new Uint32Array(1))[0]!;
  const crew = new Crew(workers, {
    start: (number) =>
      new WorkerProcess(command, memory, { number, workers, host, port, seed, offeredKey }),
    farewellMs: settings["farewell-ms"],
    // So long that every connection has been used by then, and told to close, or was closed for silence.
    retirementMs: Math.max(settings["farewell-ms"], LONGEST_IDLE_MS),
    observe: log,
  });
  const admin = await servePrivately(settings, log, crew);
  try {
    const url = await crew.start();
    return {
      url,
      adminUrl: admin?.url,
      restart: () => crew.restart(),
      async stop(signal) {
        await Promise.all([crew.stop(signal), admin?.stop()]);
      },
    };
  } catch (error) {
    await admin?.stop();
    throw error instanceof StartFailed ? explained(error) : error;
  }
}

function explained(failed: StartFailed): Error {
  const { exitCode, signal } = failed.ending;
  if (signal === null && exitCode !== 0) return failed;
  return new WorkersError(
    `${failed.message}; see whether the machine has enough memory, or start with fewer --workers`,
  );
}
