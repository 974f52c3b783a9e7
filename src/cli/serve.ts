/** `matchbook serve`: runs the public server until a signal stops it. */

import { isatty } from "node:tty";
import type { Command } from "commander";
import type { Awaitable } from "../domain/awaitable.ts";
import { FEATURE_EVENTS } from "../features/list.ts";
import { isPortalBuilt } from "../http/portal-assets.ts";
import type { Observe } from "../observe/events.ts";
import { logTo } from "../observe/log.ts";
import { standardError } from "../observe/stderr.ts";
import { onUncaughtError } from "../observe/uncaught-errors.ts";
import { openAccess } from "../open-access.ts";
import { shardIds } from "../open-stores.ts";
import { FLAG_NAMES, type Settings } from "../settings/definitions.ts";
import { serve as startServing } from "../wiring.ts";
import { watchDescriptors } from "../workers/descriptors.ts";
import { StartFailed } from "../workers/pool.ts";
import { supervise } from "../workers/supervisor.ts";
import { work } from "../workers/worker.ts";
import { workerOptions } from "../workers/worker-process.ts";
import { defineCommand, note, print, sameFlags } from "./command.ts";
import { noShardsYet } from "./shard-store.ts";

export const serve = defineCommand({
  name: "serve",
  description: "serve matches and players over HTTP until SIGTERM or SIGINT",
  settings: FLAG_NAMES,
  examples: {
    "matchbook serve --port 8080": "serve the shards in the folder data",
    "matchbook serve --port 0 --data /srv/matchbook": "use a free port and another folder",
    "matchbook serve --workers 4": "use four processes; kill -HUP restarts them one by one",
    "matchbook serve --admin-port 9090 --admin-token-file token":
      "add an admin listener for metrics, keys and uploads",
  },
  async run({ settings, command }) {
    const worker = workerOptions();
    if (worker) await work(settings, worker);
    else await serveUntilSignal(command, settings, () => warnIfEmpty(settings));
  },
});

/** Warns about a data folder without shards or keys: often it is the wrong folder. */
async function warnIfEmpty(settings: Settings): Promise<void> {
  const { data, "keys-database": database } = settings;
  if (shardIds(settings).length === 0) {
    note(noShardsYet(settings, "create them with 'matchbook ingest'"));
  }
  if (!database && !(await openAccess(settings).keys.exists()))
    note(`No API keys in ${data} yet: create one with 'matchbook keys create'.`);
}

/**
 * Serves and prints the URL; `onReady` may print more. Resolves when the server has stopped. `command` must have
 * the flags of `serve`. The portal offers `offeredKey` to every visitor.
 */
export async function serveUntilSignal(
  command: Command,
  settings: Settings,
  onReady: (url: string) => Awaitable<void>,
  offeredKey?: string,
): Promise<void> {
  const log = logTo({ level: settings["log-level"], events: FEATURE_EVENTS });
  const uncaught = Promise.withResolvers<string>();
  onUncaughtError(log, () => uncaught.resolve("uncaught error"));
  const server = await start(command, settings, log, offeredKey);
  if (server === undefined) return;
  const signal = Promise.race([nextSignal(settings.workers), uncaught.promise]);
  print(`listening on ${server.url}`);
  if (server.adminUrl !== undefined) print(`admin listener on ${server.adminUrl}`);
  await onReady(server.url);
  if (settings.portal === "on" && !isPortalBuilt()) {
    note("The portal is not built: run 'npm run portal' and restart.");
  }
  // Workers watch their own.
  const stopWatching = settings.workers === 1 ? watchDescriptors(server.url, log) : () => {};
  const received = await signal;
  stopWatching();
  await server.stop(received);
  await standardError.end();
}

/** Undefined when a worker could not start: it has printed why, and process.exitCode is set. */
async function start(
  command: Command,
  settings: Settings,
  log: Observe,
  offeredKey: string | undefined,
) {
  if (settings.workers === 1) {
    ignoreHangup(log);
    return startServing(settings, log, undefined, undefined, offeredKey);
  }
  try {
    const supervised = await supervise(settings, log, workerCommand(command), offeredKey);
    process.on("SIGHUP", () => supervised.restart());
    return supervised;
  } catch (error) {
    if (!(error instanceof StartFailed)) throw error;
    process.exitCode = error.exit.exitCode ?? 1;
    return undefined;
  }
}

/** The command that starts a worker, from the sources or from the executable. */
function workerCommand(command: Command): string[] {
  const isExecutable = Bun.main.startsWith("/$bunfs/");
  const program = isExecutable ? [process.execPath] : [process.execPath, Bun.main];
  return [...program, "serve", ...sameFlags(command)];
}

const STANDARD_INPUT = 0;

/** A terminal that is closed sends SIGHUP to the processes started in it. */
const isInTerminal = (): boolean => isatty(STANDARD_INPUT);

/**
 * Outside a terminal, SIGHUP is a request to reload the settings. Without workers nobody would serve during a
 * restart, so nothing is reloaded, and the log says so.
 */
function ignoreHangup(log: Observe): void {
  if (!isInTerminal()) process.on("SIGHUP", () => log({ event: "reload-ignored" }));
}

/** The next signal that stops a server. */
function nextSignal(workers: number): Promise<string> {
  const endsWithTerminal = workers === 1 && isInTerminal();
  const signals = ["SIGTERM", "SIGINT", ...(endsWithTerminal ? ["SIGHUP"] : [])];
  return new Promise((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve(signal));
  });
}
