/** Damage of leaderboards. */

import { expect, test } from "bun:test";
import { changeRecent } from "../../src/features/leaderboards/stored.ts";
import { aMatch, onShard } from "../support/records.ts";
import type { FeatureDamage } from "./features.ts";
import { ADA, change, type Harm, remove } from "./row.ts";

const counted =
  (id: string, played: number): Harm =>
  (state) =>
    state.run(() => changeRecent(new Map([[id, { played, wins: 0 }]])));

export const leaderboards: FeatureDamage = {
  // biome-ignore format: a table
  rows: [
    ["wins of 28 days", change("recent board entry", { id: "player-0" }, ({ wins }) => ({ wins: wins + 7 })), /^player_recent player-0/, "quick", "shown", "same", 0],
    ["the win rate of 28 days", change("recent board entry", { id: "player-0" }, { winRate: 7 }), /^player_recent player-0/, "quick", "shown", "same", 0],
    ["entries of boards", remove("recent board entry", "first"), /^player_recent /, "full", "shown", "same", 0],
  ],
  unlike: [
    ["wins of 28 days that the records do not give", counted(ADA, 1), /^player_recent player-0/],
    ["somebody on a board without matches", counted("nobody", 2), /^player_recent nobody/],
  ],
  tests: (place) => {
    test("a listed match without a document is not left out when the 28 days of boards move", async () => {
      const one = await place.aShard();
      const at = (id: string, month: number, day: number) =>
        onShard(one.name, aMatch({ id, createdAt: Date.UTC(2026, month, day) }));
      await place.world.ingest([at("later", 0, 20)]);
      await one.inflict([{ remove: "match", which: { id: "match-00" } }]);
      await expect(place.world.ingest([at("last", 1, 5)])).rejects.toThrow("match-00 is damaged");
    });
  },
  counts: ["wins of 28 days", "the win rate of 28 days"],
  everywhere: ["wins of 28 days"],
};
