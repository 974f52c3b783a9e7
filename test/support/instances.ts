/** Starts several instances of one Matchbook for tests, each a complete server over the same data folder. */

import type { Event } from "../../src/observe/events.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import { serve } from "../../src/wiring.ts";
import { TOKEN } from "./admin.ts";
import { readScrape } from "./scrape.ts";
import { JSON_API, type World } from "./world.ts";

export type Instance = Awaited<ReturnType<typeof startInstance>>;

export async function startInstance(
  world: Pick<World, "settings">,
  settings: Partial<Settings>,
  maintenancePace?: Parameters<typeof serve>[5],
  redisResponseMs?: number,
) {
  const events: Event[] = [];
  const server = await serve(
    {
      ...world.settings,
      "admin-port": { host: "127.0.0.1", port: 0 },
      "admin-token": TOKEN,
      ...settings,
    },
    (event) => {
      if (event.event !== "request" && event.event !== "admin-request") events.push(event);
    },
    undefined,
    undefined,
    undefined,
    maintenancePace,
    undefined,
    redisResponseMs,
  );
  const stop = () => server.stop("test");
  const fetched = async (path: string, headers: Record<string, string>) => {
    const began = performance.now();
    const reply = await fetch(`${server.url}${path}`, { headers });
    // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape.
    const body = (await reply.json()) as any;
    return { status: reply.status, milliseconds: performance.now() - began, body };
  };
  return {
    url: server.url,
    adminUrl: server.adminUrl!,
    /** Everything it logged except requests. */
    events,
    get: (path: string, key: string) =>
      fetched(path, { Authorization: `Bearer ${key}`, Accept: JSON_API }),
    status: async () => (await fetched("/status", {})).body,
    /** The values of one metric. */
    async metric(name: string) {
      const headers = { Authorization: `Bearer ${TOKEN}` };
      const reply = await fetch(`${server.adminUrl}/metrics`, { headers });
      return readScrape(await reply.text()).get(name)?.samples ?? [];
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
