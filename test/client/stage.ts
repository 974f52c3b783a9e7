/**
 * The servers for the client's scenarios: a Matchbook with records, one with tight limits and a
 * test clock, one behind a proxy, and stand-ins for other servers.
 */

import { createServer } from "node:net";
import { join } from "node:path";
import { simulateBug } from "../support/bug.ts";
import { writeDamagedShard } from "../support/damaged-shard.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import { startWorld } from "../support/world.ts";
import { type Facts, NAMES, PUBLIC_URL } from "./scenarios/scenario.ts";
import { startStandIns } from "./stand-ins.ts";

export type Stage = Awaited<ReturnType<typeof startStage>>;

const TOTAL = 12;

/** Ada plays one match an hour, each against another player with an unusual name. */
const matches = Array.from({ length: TOTAL }, (_, index) =>
  aMatch({
    id: `match-${String(index).padStart(2, "0")}`,
    createdAt: minutesAgo((TOTAL - index) * 60),
    mode: index % 2 === 0 ? "ranked" : "casual",
    patch: index < 6 ? "2.4" : "2.5",
    rosters: duel(
      { id: "player-ada", name: "Ada" },
      { id: `player-${index % NAMES.length}`, name: NAMES[index % NAMES.length]! },
    ),
  }),
);

/** One match with everything that can be linked: a team, a bot, and a resource of another type. */
const full = aMatch({
  id: "match-full",
  shard: "eu",
  createdAt: minutesAgo(30),
  winner: 1,
  rosters: [
    {
      members: [{ id: "player-eu", name: "Grace" }, { bot: true }],
      team: { id: "team-1", name: "ABC" },
    },
    { members: [{ id: "player-other", name: "Edsger" }] },
  ],
  relationships: { assets: { data: [{ type: "asset", id: "asset-1" }] } },
  included: [{ type: "asset", id: "asset-1", attributes: { URL: "https://example.com/1" } }],
});

export async function startStage() {
  const hurt = aMatch({ id: "match-hurt", shard: "hurt" });
  const world = await startWorld([...matches, full, hurt, aMatch({ shard: "beta" })]);
  const healthy = ["na", "eu", "beta"].map((id) => ({ id, location: undefined }));
  const clock = new TestClock();
  const strict = await serveWithKeys(
    world,
    [{ rate: 60, burst: 2 }, { matchesPerDay: 2 }, {}],
    { shards: healthy, "closed-shards": ["beta"] },
    clock,
  );
  const guarded = await serveWithKeys(world, [], {
    shards: healthy,
    "open-requests-per-minute": 20,
  });
  const proxied = await serveWithKeys(world, [{}], { shards: healthy, "public-url": PUBLIC_URL });
  const fixBug = simulateBug();
  sqliteRows(join(world.data, "hurt.db")).hide("player");
  // Only now: a server does not start with a store that it cannot read.
  writeDamagedShard(join(world.data, "away.db"));
  const standIns = startStandIns({
    advance: (milliseconds) => clock.advance(milliseconds),
    addMatch: async () => void (await world.ingest([aMatch({ shard: "eu" })])),
  });
  const broken = await startBroken();
  const gone = await startBroken();
  gone.stop();
  const [slowKey, overQuotaKey, freshKey] = strict.keys as [string, string, string];
  return {
    facts: {
      url: world.url,
      key: world.key,
      strictUrl: strict.url,
      slowKey,
      overQuotaKey,
      freshKey,
      proxiedUrl: proxied.url,
      proxiedKey: proxied.keys[0]!,
      standInUrl: standIns.url,
      guardedUrl: guarded.url,
      brokenUrl: broken.url,
      goneUrl: gone.url,
    } satisfies Facts,
    async stop() {
      broken.stop();
      fixBug();
      await standIns.stop();
      await guarded.stop();
      await proxied.stop();
      await strict.stop();
      await world.stop();
    },
  };
}

/** A server that truncates every response. */
async function startBroken(): Promise<{ url: string; stop(): void }> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.end(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}
