/** In charge of `matchbook serve`: the public server, until a signal ends it. */

import { logTo } from "../observe/log.ts";
import type { Settings } from "../settings/table.ts";
import { serve as startServing } from "../wiring.ts";
import { print, settingsOf, type Verb, withExamples, withSettings } from "./verb.ts";

/** The settings that a server takes as flags. */
export const SERVER_SETTINGS = [
  "host",
  "port",
  "shards",
  "public-url",
  "trusted-proxies",
  "rate",
  "burst",
  "max-offset",
  "compat",
  "farewell-ms",
  "log-level",
] as const;

export const serve: Verb = (program) => {
  const command = program
    .command("serve")
    .description("serve matches and players over HTTP until SIGTERM or SIGINT")
    .action(async () => {
      await serveUntilSignal(settingsOf(command).values, () => {});
    });
  withSettings(command, SERVER_SETTINGS);
  withExamples(command, [
    ["matchbook serve --port 8080", "serve the shards of the folder data"],
    ["matchbook serve --port 0 --data /srv/matchbook", "take a free port, another folder"],
  ]);
};

/** Serves and says where; `onReady` may say more. Resolves when the server has stopped. */
export async function serveUntilSignal(
  settings: Settings,
  onReady: (url: string) => void,
): Promise<void> {
  const server = await startServing(settings, logTo({ level: settings["log-level"] }));
  const signal = nextSignal();
  print(`listening on ${server.url}`);
  onReady(server.url);
  await server.stop(await signal);
}

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    process.once("SIGTERM", () => resolve("SIGTERM"));
    process.once("SIGINT", () => resolve("SIGINT"));
  });
}
