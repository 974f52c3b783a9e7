/** Libraries for any JSON:API, against the strict API. */

import { expect, test } from "bun:test";
import { shared } from "../support/shared.ts";
import { MATCH, matchesIn, PLAYER, seenBy, startDemo, withPackages } from "./support.ts";

withPackages("JSON:API libraries", () => {
  const world = shared(() => startDemo());

  test.each(["coloquent", "devour", "jsona", "kitsu"])(
    "%s reads a page, a match, players by id and a player",
    async (name) => {
      const page = await world.get("/shards/na/matches?page[limit]=3&sort=-createdAt");
      const expected = matchesIn(page.body);
      expect(expected[0]).toMatchObject({ id: MATCH, players: [PLAYER.name, null, "Grace", null] });
      const seen = await seenBy(["node", `${name}.mjs`], world, { MATCH, PLAYER: PLAYER.id });
      expect(seen).toEqual({
        page: expected,
        match: expected[0],
        players: [PLAYER],
        player: PLAYER,
      });
    },
  );
});
