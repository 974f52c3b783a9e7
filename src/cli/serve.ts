/** In charge of `matchbook serve`: the public server, until a signal ends it. */

import { keyringExists } from "../access/keyring.ts";
import { logTo } from "../observe/log.ts";
import type { Settings } from "../settings/table.ts";
import { serve as startServing, storesIn } from "../wiring.ts";
import { note, print, settingsOf, type Verb, withExamples, withSettings } from "./verb.ts";

/** The settings that a server takes as flags. */
export const SERVER_SETTINGS = [
  "host",
  "port",
  "shards",
  "public-url",
  "trusted-proxies",
  "rate",
  "burst",
  "matches-per-day",
  "tiers",
  "closed-shards",
  "redis",
  "failed-keys",
  "max-offset",
  "cache-mib",
  "compat",
  "farewell-ms",
  "log-level",
  "log-names",
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
      await serveUntilSignal(settings, () => warnOfEmptiness(settings));
    });
  withSettings(command, SERVER_SETTINGS);
  withExamples(command, [
    ["matchbook serve --port 8080", "serve the shards of the folder data"],
    ["matchbook serve --port 0 --data /srv/matchbook", "take a free port, another folder"],
    [
      "matchbook serve --admin-port 9090 --admin-token-file token",
      "with a private listener for metrics, keys and uploads",
    ],
  ]);
};

/** Most often the folder is the wrong one, or the first steps are still to be done. */
function warnOfEmptiness({ data, shards }: Settings): void {
  if (shards.length === 0 && storesIn(data).length === 0) {
    note(`No shards in ${data} yet: 'matchbook ingest' makes them.`);
  }
  if (!keyringExists(data)) note(`No API keys in ${data} yet: 'matchbook keys create' makes one.`);
}

/** Serves and says where; `onReady` may say more. Resolves when the server has stopped. */
export async function serveUntilSignal(
  settings: Settings,
  onReady: (url: string) => void,
): Promise<void> {
  const showNames = settings["log-names"] === "on";
  const log = logTo({ level: settings["log-level"], showNames });
  const server = await startServing(settings, log);
  const signal = nextSignal();
  print(`listening on ${server.url}`);
  if (server.adminUrl !== undefined) print(`private listener on ${server.adminUrl}`);
  onReady(server.url);
  await server.stop(await signal);
}

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    process.once("SIGTERM", () => resolve("SIGTERM"));
    process.once("SIGINT", () => resolve("SIGINT"));
  });
}
