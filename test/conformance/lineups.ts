/** Conformance: who was in the matches of a page. */

import { expect } from "bun:test";
import { viewOf } from "../../src/store/byte-range.ts";
import type { Reader, Selection } from "../../src/store/store.ts";
import { anEntry, aPlayer, selection, serve, text } from "./entries.ts";
import type { Guarantee } from "./suite.ts";

async function seen(reader: Reader, wishes: Partial<Selection>) {
  const { lineups, hasMore } = await reader.lineups(selection(wishes));
  const matches = lineups.map(({ createdAt, players, match }) => ({
    match: text(viewOf(match)),
    createdAt,
    players: players.map(({ id, name, result }) => [id, name, result]),
  }));
  return { matches, hasMore };
}

export function lineupGuarantees(guarantee: Guarantee): void {
  guarantee(
    "a lineup has all players of a match in order, with current names and results",
    async (store) => {
      await serve(
        store.writer,
        anEntry("m", {
          createdAt: 7,
          players: { c: "won", a: "lost", b: "named" },
          teams: { t: true, u: false },
        }),
        anEntry("n", { createdAt: 8, players: { a: "won", c: "won" } }),
        anEntry("bots", { createdAt: 9 }),
      );
      const reader = await store.reader();
      const expected = (a: string) => ({
        matches: [
          {
            match: "match m",
            createdAt: 7,
            players: [
              ["c", "name of c", "won"],
              ["a", a, "lost"],
              ["b", "name of b", "named"],
            ],
          },
          {
            match: "match n",
            createdAt: 8,
            players: [
              ["a", a, "won"],
              ["c", "name of c", "won"],
            ],
          },
          { match: "match bots", createdAt: 9, players: [] },
        ],
        hasMore: false,
      });
      expect(await seen(reader, {})).toEqual(expected("name of a"));
      // Again, from what may be cached.
      expect(await seen(reader, {})).toEqual(expected("name of a"));
      await store.writer.write(async (transaction) => {
        await transaction.putPlayers([aPlayer("a", { name: "Ana" })]);
      });
      expect(await seen(reader, {})).toEqual(expected("Ana"));
    },
  );

  guarantee("lineups are those of the selected matches, in their order", async (store) => {
    await serve(
      store.writer,
      anEntry("m1", { createdAt: 1, players: { a: "won", b: "lost" }, mode: "casual" }),
      anEntry("m2", { createdAt: 2, players: { a: "lost", b: "won" }, mode: "private" }),
      anEntry("m3", { createdAt: 3, players: { a: "named", b: "won" } }),
      anEntry("m4", { createdAt: 4, players: { b: "lost", c: "won" } }),
      anEntry("m5", { createdAt: 5, players: { a: "won" }, teams: { t: true } }),
      anEntry("m6", { createdAt: 6, players: { a: "lost" } }),
    );
    const reader = await store.reader();
    const found = async (wishes: Partial<Selection>) => {
      const { matches, hasMore } = await seen(reader, { sort: "-createdAt", ...wishes });
      return [
        ...matches.map(({ match }) => match.replace("match ", "")),
        ...(hasMore ? ["…"] : []),
      ];
    };
    const ofA = { players: [["a"]], gameModes: ["ranked", "casual"] };
    expect(await found(ofA)).toEqual(["m6", "m5", "m1"]);
    expect(await found({ ...ofA, limit: 2 })).toEqual(["m6", "m5", "…"]);
    expect(await found({ ...ofA, limit: 3 })).toEqual(["m6", "m5", "m1"]);
    expect(await found({ ...ofA, window: { start: 1, end: 5 } })).toEqual(["m5", "m1"]);
    expect(await found({ ...ofA, window: { start: 2, end: 4 } })).toEqual([]);
    expect(await found({ players: [["a"]], gameModes: ["private"] })).toEqual(["m2"]);
    expect(await found({ teams: [["t"]] })).toEqual(["m5"]);
    expect(await found({ players: [["nobody"]] })).toEqual([]);
    await store.writer.write(async (transaction) => transaction.setPrunedBefore(5));
    expect(await found(ofA)).toEqual(["m6", "m5"]);
  });
}
