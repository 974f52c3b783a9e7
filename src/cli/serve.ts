/** In charge of `matchbook serve`: the public server, until a signal ends it. */

import type { Command } from "commander";
import type { Awaitable } from "../domain/awaitable.ts";
import { isPortalBuilt } from "../http/portal-assets.ts";
import { logTo } from "../observe/log.ts";
import { standardError } from "../observe/stderr.ts";
import type { Settings } from "../settings/table.ts";
import { openAccess, serve as startServing, storesIn } from "../wiring.ts";
import { StartFailed } from "../workers/pool.ts";
import { supervise } from "../workers/supervisor.ts";
import { work } from "../workers/worker.ts";
import { isWorker } from "../workers/worker-process.ts";
import { nextSignal, stayOnHangup } from "./signals.ts";
import {
  note,
  print,
  sameFlags,
  settingsOf,
  type Verb,
  withExamples,
  withSettings,
} from "./verb.ts";

/** The settings that a server takes as flags. */
export const SERVER_SETTINGS = [
  "host",
  "port",
  "workers",
  "public-url",
  "trusted-proxies",
  "rate",
  "burst",
  "matches-per-day",
  "closed-shards",
  "keys-database",
  "redis",
  "auth-failures-per-minute",
  "max-offset",
  "cache-mib",
  "compat",
  "portal",
  "drain-ms",
  "log-level",
  "log-player-names",
  "admin-port",
  "admin-host",
  "admin-token-file",
  "max-upload-bytes",
] as const;

export const serve: Verb = (program) => {
  const command = program
    .command("serve")
    .description("serve matches and players over HTTP until SIGTERM or SIGINT")
    .action(async () => {
      const settings = settingsOf(command).values;
      if (isWorker()) await work(settings);
      else await serveUntilSignal(command, settings, () => warnOfEmptiness(settings));
    });
  withSettings(command, SERVER_SETTINGS);
  withExamples(command, [
    ["matchbook serve --port 8080", "serve the shards of the folder data"],
    ["matchbook serve --port 0 --data /srv/matchbook", "take a free port, another folder"],
    ["matchbook serve --workers 4", "from four processes; kill -HUP renews them one by one"],
    [
      "matchbook serve --admin-port 9090 --admin-token-file token",
      "with a private listener for metrics, keys and uploads",
    ],
  ]);
};

/** Most often the folder is the wrong one, or the first steps are still to be done. */
async function warnOfEmptiness(settings: Settings): Promise<void> {
  const { data, shards, "keys-database": database } = settings;
  if (shards.length === 0 && storesIn(data).length === 0) {
    note(`No shards in ${data} yet: 'matchbook ingest' makes them.`);
  }
  if (!database && !(await openAccess(settings).keys.exists()))
    note(`No API keys in ${data} yet: 'matchbook keys create' makes one.`);
}

/**
 * Serves and says where; `onReady` may say more. Resolves when the server has stopped. `command` is that
 * of a verb with the flags of `serve`. The portal offers `offeredKey` to every visitor.
 */
export async function serveUntilSignal(
  command: Command,
  settings: Settings,
  onReady: (url: string) => Awaitable<void>,
  offeredKey?: string,
): Promise<void> {
  const server = await start(command, settings, offeredKey);
  if (server === undefined) return;
  const signal = nextSignal(settings.workers);
  print(`listening on ${server.url}`);
  if (server.adminUrl !== undefined) print(`private listener on ${server.adminUrl}`);
  await onReady(server.url);
  if (settings.portal === "on" && !isPortalBuilt()) {
    note("The portal is not built: run 'npm run portal', and start again.");
  }
  await server.stop(await signal);
  await standardError.end();
}

/** Undefined when a worker could not begin: it has said why, and process.exitCode is set. */
async function start(command: Command, settings: Settings, offeredKey: string | undefined) {
  const showNames = settings["log-player-names"] === "on";
  const log = logTo({ level: settings["log-level"], showNames });
  if (settings.workers === 1) {
    stayOnHangup(log);
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

/** How this very program is started as a worker, from its sources or as one executable. */
function workerCommand(command: Command): string[] {
  const isExecutable = Bun.main.startsWith("/$bunfs/");
  const program = isExecutable ? [process.execPath] : [process.execPath, Bun.main];
  return [...program, "serve", ...sameFlags(command)];
}
