/** The npm package `vainglory`, against the compatibility profile. */

import { expect, test } from "bun:test";
import { shared } from "../support/shared.ts";
import { MATCH, matchesIn, PLAYER, seenBy, startDemo, withPackages } from "./support.ts";

withPackages("vainglory", () => {
  const world = shared(() => startDemo({ compat: "gamelocker" }));

  test("reads pages with bots, a match, players and the status", async () => {
    const page = async (query: string) =>
      matchesIn((await world.get(`/shards/na/matches?${query}`)).body);
    const player = { ...PLAYER, createdAt: (await page("sort=-createdAt"))[0]!.createdAt };
    const { version, startedAt } = (await world.get("/status")).body;

    const facts = { MATCH, PLAYER: PLAYER.id, NAME: PLAYER.name };
    const seen = await seenBy(["node", "vainglory.cjs"], world, facts);
    expect(seen).toEqual({
      page: await page("sort=createdAt"),
      newest: await page("sort=-createdAt"),
      match: (await page("sort=-createdAt"))[0],
      players: [player],
      player,
      status: {
        id: "matchbook",
        version,
        releasedAt: startedAt,
        clientVersion: expect.any(String),
      },
    });
    expect(seen.newest[0].players).toEqual([PLAYER.name, null, "Grace", null]);
  });
});
