/** Conformance: readers, except for pages of matches. */

import { expect } from "bun:test";
import { viewOf } from "../../src/store/byte-range.ts";
import type { NamedParts, PlayerListing } from "../../src/store/store.ts";
import {
  anEntry,
  aPlayer,
  aTeam,
  bytes,
  namesIn,
  people,
  seenAt,
  selection,
  serve,
  text,
} from "./entries.ts";
import type { Guarantee } from "./suite.ts";

/** Texts that differ only byte by byte, and some that look like SQL. */
const LOOKALIKES = [
  ...["NULL", "null", "{a,b}", "a,b", '"', "\\", '\\"', "'; --", "$1"],
  "Ana",
  "ana",
  "ANA",
  " Ana",
  "Ana ",
  "Aná",
  "Ana\u0301",
  "Ａｎａ",
  "Straße",
  "Strasse",
  "İ",
  "i",
  "ı",
  ...["名", "名\u200b", "😀", "😀\u2028", " "],
  ...["%", "_", "'", "1", "01", "1.0"],
];

const idsIn = (players: PlayerListing[]) => players.map(({ id }) => id);

export function readingGuarantees(guarantee: Guarantee): void {
  guarantee("every read works on an empty shard", async (store) => {
    const reader = await store.reader();
    expect(await reader.match("m")).toBeUndefined();
    expect(await reader.lineups(selection())).toEqual({ lineups: [], hasMore: false });
    expect(await reader.players(["p"])).toEqual([]);
    expect(await reader.playersNamed(["Ana"], 6)).toEqual([]);
    expect(await reader.recentPlayers(6)).toEqual([]);
    expect(await reader.playerIdsNamed(["Ana"])).toEqual([]);
    expect(await reader.teamIdsNamed(["TAG"])).toEqual([]);
    expect(await reader.playersWithNames(["Ana"], 6)).toEqual([]);
    const summary = await reader.summary();
    expect(summary).toEqual({
      matches: 0,
      players: 0,
      newestMatch: undefined,
    });
    expect((await reader.sizes()).bytes).toBeGreaterThanOrEqual(0);
    expect(await reader.vocabulary()).toEqual({ includePaths: new Set(), types: new Set() });
  });

  guarantee(
    "a match includes all players and teams, also those only mentioned, in order",
    async (store) => {
      await serve(
        store.writer,
        anEntry("other", { players: { z: "won", b: "lost" }, teams: { v: true } }),
        anEntry("m", {
          players: { c: "won", a: "lost", b: "named" },
          teams: { u: true, t: false },
        }),
      );
      expect(namesIn((await (await store.reader()).match("m"))!)).toEqual({
        matches: ["m"],
        players: ["player c", "player a", "player b"],
        teams: ["team u", "team t"],
      });
    },
  );

  guarantee("a match may have no players and teams", async (store) => {
    await serve(store.writer, anEntry("m"));
    const bundle = (await (await store.reader()).match("m"))!;
    expect(namesIn(bundle)).toEqual({ matches: ["m"], players: [], teams: [] });
    expect(text(viewOf(bundle.matches[0]!))).toBe("match m");
  });

  guarantee("match ids are case-sensitive", async (store) => {
    await serve(store.writer, anEntry("m"), anEntry("M"));
    const reader = await store.reader();
    expect(namesIn((await reader.match("m"))!).matches).toEqual(["m"]);
    expect(namesIn((await reader.match("M"))!).matches).toEqual(["M"]);
  });

  guarantee(
    "players and teams are returned as last stored, with linked resources",
    async (store) => {
      const { writer } = store;
      await people(writer, {
        players: [aPlayer("p", { companions: bytes("a skin") })],
        teams: [aTeam("t", { companions: bytes("a banner") })],
      });
      const reader = await store.reader();
      const seen = async () => {
        const { players, teams } = (await reader.match("with-p-t"))!;
        const [listed] = await reader.players(["p"]);
        return [players[0]!, teams[0]!, listed!].map(({ resource, companions }) => [
          text(viewOf(resource)),
          companions && text(companions),
        ]);
      };
      expect(await seen()).toEqual([
        ["player p", "a skin"],
        ["team t", "a banner"],
        ["player p", "a skin"],
      ]);
      await writer.write(async (transaction) => {
        await transaction.putPlayers([aPlayer("p", { resource: bytes("p anew") })]);
        await transaction.putTeams([aTeam("t", { resource: bytes("t anew") })]);
      });
      expect(await seen()).toEqual([
        ["p anew", undefined],
        ["t anew", undefined],
        ["p anew", undefined],
      ]);
    },
  );

  guarantee(
    "a player has the time of the latest match, alone and within a match; a team has none",
    async (store) => {
      const times = { p: 1_767_225_600_123, q: 0, r: -1, s: -(2 ** 40), t: 2 ** 32 - 1 };
      const ids = Object.keys(times);
      const players = Object.entries(times).map(([id, createdAt]) =>
        aPlayer(id, { latest: { createdAt, matchId: `with-${ids.join("-")}-team` } }),
      );
      await people(store.writer, { players, teams: [aTeam("team")] });
      const reader = await store.reader();
      // The second read may come from the cache.
      for (let time = 0; time < 2; time++) {
        const bundle = (await reader.match(`with-${ids.join("-")}-team`))!;
        const timesOf = (named: NamedParts[]) => named.map(({ lastMatchAt }) => lastMatchAt);
        expect(timesOf(bundle.players)).toEqual(Object.values(times));
        expect(timesOf(bundle.teams)).toEqual([undefined]);
        expect(timesOf(await reader.players(ids))).toEqual(Object.values(times));
        expect(timesOf(await reader.playersNamed(["name of p"], 1))).toEqual([times.p]);
        expect(timesOf(await reader.recentPlayers(1))).toEqual([times.p]);
      }
    },
  );

  guarantee("players are returned in the order of the ids, without unknown ones", async (store) => {
    await people(store.writer, { players: ["a", "b", "c", "B"].map((id) => aPlayer(id)) });
    const reader = await store.reader();
    const found = await reader.players(["c", "nobody", "B", "a", "C"]);
    expect(found.map(({ id, name }) => [id, name])).toEqual([
      ["c", "name of c"],
      ["B", "name of B"],
      ["a", "name of a"],
    ]);
    expect(await reader.players([])).toEqual([]);
  });

  guarantee("names of players and teams are compared byte by byte", async (store) => {
    await people(store.writer, {
      players: LOOKALIKES.map((name, index) => aPlayer(`p${index}`, { name })),
      teams: LOOKALIKES.map((name, index) => aTeam(`t${index}`, { name })),
    });
    const reader = await store.reader();
    for (const [index, name] of LOOKALIKES.entries()) {
      expect(idsIn(await reader.playersNamed([name], 9))).toEqual([`p${index}`]);
      expect((await reader.playersNamed([name], 9))[0]!.name).toBe(name);
      expect(await reader.playerIdsNamed([name])).toEqual([`p${index}`]);
      expect(await reader.teamIdsNamed([name])).toEqual([`t${index}`]);
    }
    expect(await reader.playerIdsNamed(LOOKALIKES)).toHaveLength(LOOKALIKES.length);
  });

  guarantee(
    "players with a name are ordered by id, byte by byte, up to the limit",
    async (store) => {
      const ids = ["b", "a", "B", "-", "_", "1", "10", "9"];
      await people(store.writer, { players: ids.map((id) => aPlayer(id, { name: "Ana" })) });
      const reader = await store.reader();
      const inOrder = ["-", "1", "10", "9", "B", "_", "a", "b"];
      for (const limit of [1, 3, 8, 100]) {
        expect(idsIn(await reader.playersNamed(["Ana"], limit))).toEqual(inOrder.slice(0, limit));
      }
    },
  );

  guarantee(
    "players with several names are ordered by the names, then by id, up to the limit",
    async (store) => {
      const names = { b: "Ana", a: "Ana", d: "Bo", c: "Bo", e: "Cy" };
      await people(store.writer, {
        players: Object.entries(names).map(([id, name]) => aPlayer(id, { name })),
      });
      const reader = await store.reader();
      const inOrder = ["c", "d", "e", "a", "b"];
      for (const limit of [1, 2, 3, 4, 5, 100]) {
        const found = await reader.playersNamed(["Bo", "nobody", "Cy", "Ana"], limit);
        expect(idsIn(found)).toEqual(inOrder.slice(0, limit));
      }
      expect(await reader.playersNamed([], 6)).toEqual([]);
    },
  );

  guarantee("several names find every player and team with one of them", async (store) => {
    await people(store.writer, {
      players: [
        aPlayer("a", { name: "Ana" }),
        aPlayer("b", { name: "Bo" }),
        aPlayer("c", { name: "Ana" }),
        aPlayer("d", { name: "Dee" }),
      ],
      teams: [aTeam("t", { name: "TT" }), aTeam("u", { name: "UU" }), aTeam("v", { name: "UU" })],
    });
    const reader = await store.reader();
    expect((await reader.playerIdsNamed(["Bo", "nobody", "Ana"])).sort()).toEqual(["a", "b", "c"]);
    expect((await reader.teamIdsNamed(["UU", "nobody"])).sort()).toEqual(["u", "v"]);
    expect(await reader.playerIdsNamed([])).toEqual([]);
    expect(await reader.teamIdsNamed([])).toEqual([]);
  });

  guarantee("an old name finds nobody", async (store) => {
    const { writer } = store;
    await people(writer, {
      players: [aPlayer("p", { name: "Old" })],
      teams: [aTeam("t", { name: "OLD" })],
    });
    await writer.write(async (transaction) => {
      await transaction.putPlayers([aPlayer("p", { name: "New" })]);
      await transaction.putTeams([aTeam("t", { name: "NEW" })]);
    });
    const reader = await store.reader();
    expect(await reader.playersNamed(["Old"], 6)).toEqual([]);
    expect(await reader.playerIdsNamed(["Old"])).toEqual([]);
    expect(await reader.teamIdsNamed(["OLD"])).toEqual([]);
    expect(idsIn(await reader.playersNamed(["New"], 6))).toEqual(["p"]);
    expect(await reader.teamIdsNamed(["NEW"])).toEqual(["t"]);
  });

  guarantee(
    "recent players are ordered latest first, then by id, up to the limit",
    async (store) => {
      const seen = { d: 5, b: 9, a: 9, B: 9, c: -7, e: 5 };
      await people(store.writer, {
        players: Object.entries(seen).map(([id, at]) => aPlayer(id, seenAt(at))),
      });
      const reader = await store.reader();
      const inOrder = ["B", "a", "b", "d", "e", "c"];
      for (const limit of [1, 2, 4, 6, 100]) {
        expect(idsIn(await reader.recentPlayers(limit))).toEqual(inOrder.slice(0, limit));
      }
    },
  );

  guarantee("a player with a newer match moves to the front", async (store) => {
    await people(store.writer, {
      players: [aPlayer("a", seenAt(1)), aPlayer("b", seenAt(2))],
    });
    const reader = await store.reader();
    expect(idsIn(await reader.recentPlayers(6))).toEqual(["b", "a"]);
    await store.writer.write(async (transaction) => {
      await transaction.putPlayers([aPlayer("a", seenAt(3))]);
    });
    expect(idsIn(await reader.recentPlayers(6))).toEqual(["a", "b"]);
  });

  guarantee(
    "the newest match is the newest served one, whatever the order of arrival",
    async (store) => {
      const reader = await store.reader();
      await serve(store.writer, anEntry("a", { createdAt: -20 }));
      expect((await reader.summary()).newestMatch).toBe(-20);
      await serve(store.writer, anEntry("b", { createdAt: 30 }), anEntry("c", { createdAt: 10 }));
      expect((await reader.summary()).newestMatch).toBe(30);
      await serve(store.writer, anEntry("d", { createdAt: 20 }));
      expect((await reader.summary()).newestMatch).toBe(30);
    },
  );
}
