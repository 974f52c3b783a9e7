/** Conformance: examples of pages of matches. */

import { expect } from "bun:test";
import type { Gap, PageStart } from "../../src/query/query.ts";
import type { MatchEntry, Page, Selection } from "../../src/store/store.ts";
import { addPlainly, anEntry, idsOf, inOrder, namesIn, selection, serve } from "./entries.ts";
import type { Guarantee, TestStore } from "./suite.ts";

/** Five matches: a1 b2 c3 d4 e5; the letter is the id, the digit the time. */
const FIVE = ["a", "b", "c", "d", "e"].map((id, index) => anEntry(id, { createdAt: index + 1 }));

const ask = async (store: TestStore, wishes: Partial<Selection>): Promise<Page> =>
  (await store.reader()).matches(selection(wishes));

const after = (createdAt: number, id: string, side: Gap["side"]): PageStart => ({
  from: "after",
  gap: { createdAt, id, side },
});
const before = (createdAt: number, id: string, side: Gap["side"]): PageStart => ({
  from: "before",
  gap: { createdAt, id, side },
});

export function pageGuarantees(guarantee: Guarantee): void {
  guarantee(
    "matches are ordered by time, then by id byte by byte, whatever the order of arrival",
    async (store) => {
      const ids = ["b", "a", "B", "_", "-", "1", "10", "9", "a-", "a_", "aa"];
      await serve(
        store.writer,
        ...ids.map((id) => anEntry(id, { createdAt: 7 })),
        anEntry("zz", { createdAt: -3 }),
        anEntry("0", { createdAt: 8 }),
      );
      const sorted = ["zz", "-", "1", "10", "9", "B", "_", "a", "a-", "a_", "aa", "b", "0"];
      expect(idsOf(await ask(store, {}))).toEqual(sorted);
      expect(idsOf(await ask(store, { sort: "-createdAt" }))).toEqual(sorted.toReversed());
    },
  );

  guarantee("both ends of the window are inclusive", async (store) => {
    await serve(store.writer, ...FIVE);
    const within = async (start: number, end: number) =>
      idsOf(await ask(store, { window: { start, end } }));
    expect(await within(2, 4)).toEqual(["b", "c", "d"]);
    expect(await within(3, 3)).toEqual(["c"]);
    expect(await within(-9, 1)).toEqual(["a"]);
    expect(await within(5, 99)).toEqual(["e"]);
    expect(await within(6, 99)).toEqual([]);
  });

  guarantee(
    "a page has at most `limit` matches and reports whether there are more",
    async (store) => {
      await serve(store.writer, ...FIVE);
      const page = async (offset: number, limit: number) => {
        const found = await ask(store, { pageStart: { from: "offset", offset }, limit });
        return [idsOf(found).join(""), found.more.before, found.more.after];
      };
      expect(await page(0, 2)).toEqual(["ab", false, true]);
      expect(await page(2, 2)).toEqual(["cd", true, true]);
      expect(await page(4, 2)).toEqual(["e", true, false]);
      expect(await page(0, 5)).toEqual(["abcde", false, false]);
      expect(await page(0, 4)).toEqual(["abcd", false, true]);
      expect(await page(1, 4)).toEqual(["bcde", true, false]);
    },
  );

  guarantee("an offset past the end returns an empty page without neighbours", async (store) => {
    await serve(store.writer, ...FIVE);
    for (const offset of [5, 6, 5000]) {
      const page = await ask(store, { pageStart: { from: "offset", offset }, limit: 2 });
      expect([idsOf(page), page.more]).toEqual([[], { before: false, after: false }]);
    }
  });

  guarantee("a page starts on either side of a cursor, in both directions", async (store) => {
    await serve(store.writer, ...FIVE);
    const page = async (pageStart: PageStart, sort: Selection["sort"]) => {
      const found = await ask(store, { pageStart, sort, limit: 2 });
      return [idsOf(found).join(""), found.more.before, found.more.after];
    };
    expect(await page(after(2, "b", "after"), "createdAt")).toEqual(["cd", true, true]);
    expect(await page(after(2, "b", "before"), "createdAt")).toEqual(["bc", true, true]);
    expect(await page(before(4, "d", "after"), "createdAt")).toEqual(["cd", true, true]);
    expect(await page(before(4, "d", "before"), "createdAt")).toEqual(["bc", true, true]);

    expect(await page(after(4, "d", "before"), "-createdAt")).toEqual(["cb", true, true]);
    expect(await page(after(4, "d", "after"), "-createdAt")).toEqual(["dc", true, true]);
    expect(await page(before(2, "b", "before"), "-createdAt")).toEqual(["cb", true, true]);
    expect(await page(before(2, "b", "after"), "-createdAt")).toEqual(["dc", true, true]);
  });

  guarantee("the match of a cursor need not exist", async (store) => {
    await serve(store.writer, ...FIVE);
    for (const side of ["before", "after"] as const) {
      for (const id of ["bb", "c", "-"]) {
        const gap = id === "c" ? 2 : id === "bb" ? 2 : 3;
        const forward = await ask(store, { pageStart: after(gap, id, side), limit: 9 });
        expect([idsOf(forward).join(""), forward.more]).toEqual([
          "cde",
          { before: true, after: false },
        ]);
        const back = await ask(store, { pageStart: before(gap, id, side), limit: 9 });
        expect([idsOf(back).join(""), back.more]).toEqual(["ab", { before: false, after: true }]);
      }
    }
  });

  guarantee("an empty page at a cursor still reports matches on its other side", async (store) => {
    await serve(store.writer, ...FIVE);
    const page = async (pageStart: PageStart) => {
      const found = await ask(store, { pageStart });
      return [idsOf(found), found.more];
    };
    expect(await page(after(5, "e", "after"))).toEqual([[], { before: true, after: false }]);
    expect(await page(before(1, "a", "before"))).toEqual([[], { before: false, after: true }]);
  });

  guarantee("a cursor outside the window counts as the window's edge", async (store) => {
    await serve(store.writer, ...FIVE);
    const window = { start: 2, end: 4 };
    const page = async (pageStart: PageStart, sort: Selection["sort"] = "createdAt") => {
      const found = await ask(store, { window, pageStart, sort, limit: 2 });
      return [idsOf(found).join(""), found.more.before, found.more.after];
    };
    expect(await page(after(1, "a", "after"))).toEqual(["bc", false, true]);
    expect(await page(after(-99, "x", "before"))).toEqual(["bc", false, true]);
    expect(await page(after(5, "e", "before"))).toEqual(["", true, false]);
    expect(await page(before(99, "x", "after"))).toEqual(["cd", true, false]);
    expect(await page(before(1, "a", "before"))).toEqual(["", false, true]);
    expect(await page(after(99, "x", "after"), "-createdAt")).toEqual(["dc", false, true]);
  });

  guarantee(
    "a match that only mentions a player or team is not listed for them, but includes them",
    async (store) => {
      await serve(
        store.writer,
        anEntry("plays", { createdAt: 1, players: { p: "lost" }, teams: { t: true } }),
        anEntry("mentions", { createdAt: 2, players: { p: "named" }, teams: { t: false } }),
      );
      expect(idsOf(await ask(store, { players: [["p"]] }))).toEqual(["plays"]);
      expect(idsOf(await ask(store, { teams: [["t"]] }))).toEqual(["plays"]);
      const mention = await ask(store, { pageStart: { from: "offset", offset: 1 } });
      expect(namesIn(mention)).toEqual({
        matches: ["mentions"],
        players: ["player p"],
        teams: ["team t"],
      });
    },
  );

  guarantee("values within a list are combined with OR, lists with AND", async (store) => {
    await serve(
      store.writer,
      anEntry("m1", { createdAt: 1, players: { p: "won", q: "lost" }, teams: { t: true } }),
      anEntry("m2", { createdAt: 2, players: { p: "won", r: "lost" }, mode: "casual" }),
      anEntry("m3", { createdAt: 3, players: { q: "won", r: "lost" }, patch: "3.0" }),
      anEntry("m4", { createdAt: 4, players: { s: "won" }, mode: "casual", patch: "3.0" }),
      anEntry("m5", { createdAt: 5, teams: { t: true, u: true }, mode: "blitz" }),
    );
    const found = async (wishes: Partial<Selection>) => idsOf(await ask(store, wishes));
    expect(await found({ players: [["p", "q"]] })).toEqual(["m1", "m2", "m3"]);
    expect(await found({ players: [["p"], ["q"]] })).toEqual(["m1"]);
    expect(await found({ players: [["p", "q"], ["r"]] })).toEqual(["m2", "m3"]);
    expect(await found({ teams: [["t", "u"]] })).toEqual(["m1", "m5"]);
    expect(await found({ teams: [["t"], ["u"]] })).toEqual(["m5"]);
    expect(await found({ gameModes: ["casual", "blitz"] })).toEqual(["m2", "m4", "m5"]);
    expect(await found({ patchVersions: ["3.0"] })).toEqual(["m3", "m4"]);
    expect(await found({ gameModes: ["casual"], patchVersions: ["3.0"] })).toEqual(["m4"]);
    expect(await found({ players: [["p"]], gameModes: ["casual"] })).toEqual(["m2"]);
    expect(await found({ players: [["p"]], teams: [["t"]] })).toEqual(["m1"]);
    expect(
      await found({ players: [["q", "s"]], patchVersions: ["3.0"], gameModes: ["ranked"] }),
    ).toEqual(["m3"]);
  });

  guarantee("an empty list selects nothing, an absent list everything", async (store) => {
    await serve(store.writer, anEntry("m", { players: { p: "won" }, teams: { t: true } }));
    const nothing: Partial<Selection>[] = [
      { players: [[]] },
      { players: [["p"], []] },
      { players: [[], ["p"]] },
      { teams: [[]] },
      { players: [["p"]], teams: [[]] },
      { gameModes: [] },
      { patchVersions: [] },
      { gameModes: [], players: [["p"]] },
    ];
    for (const wishes of nothing) {
      const page = await ask(store, wishes);
      expect([namesIn(page), page.more]).toEqual([
        { matches: [], players: [], teams: [] },
        { before: false, after: false },
      ]);
    }
    expect(idsOf(await ask(store, {}))).toEqual(["m"]);
  });

  guarantee("unknown values select nothing", async (store) => {
    await serve(store.writer, anEntry("m", { players: { p: "won" }, teams: { t: true } }));
    for (const wishes of [
      { players: [["P", "nobody"]] },
      { teams: [["T"]] },
      { gameModes: ["RANKED", "ranked "] },
      { patchVersions: ["2.50", "2"] },
    ]) {
      expect(idsOf(await ask(store, wishes))).toEqual([]);
    }
    expect(idsOf(await ask(store, { players: [["nobody", "p"]] }))).toEqual(["m"]);
  });

  guarantee("a match of two requested players is returned once", async (store) => {
    await serve(
      store.writer,
      anEntry("m", { players: { p: "won", q: "lost" } }),
      anEntry("n", { players: { q: "won", p: "lost" } }),
    );
    expect(idsOf(await ask(store, { players: [["p", "q"]] }))).toEqual(["m", "n"]);
    const page = await ask(store, {
      players: [["p", "q"]],
      pageStart: { from: "offset", offset: 1 },
      limit: 1,
    });
    expect([idsOf(page), page.more]).toEqual([["n"], { before: true, after: false }]);
  });

  guarantee(
    "a page includes each player and team once, in order of first appearance",
    async (store) => {
      await serve(
        store.writer,
        anEntry("m1", { createdAt: 1, players: { c: "won", a: "lost" }, teams: { u: true } }),
        anEntry("m2", { createdAt: 2, players: { b: "won", c: "named" }, teams: { t: true } }),
        anEntry("m3", { createdAt: 3, players: { a: "won", d: "lost" }, teams: { u: false } }),
      );
      expect(namesIn(await ask(store, {}))).toEqual({
        matches: ["m1", "m2", "m3"],
        players: ["player c", "player a", "player b", "player d"],
        teams: ["team u", "team t"],
      });
      expect(namesIn(await ask(store, { sort: "-createdAt" }))).toEqual({
        matches: ["m3", "m2", "m1"],
        players: ["player a", "player d", "player b", "player c"],
        teams: ["team u", "team t"],
      });
    },
  );

  guarantee(
    "pages of a shard without replicas have no sequence number, and are never too old",
    async (store) => {
      await serve(store.writer, anEntry("m", { players: { p: "won" }, teams: { t: true } }));
      const reader = await store.reader();
      const since = Number.MAX_SAFE_INTEGER;
      const page = await reader.matches(selection({ since }));
      expect([idsOf(page), page.sequence]).toEqual([["m"], undefined]);
      expect(await reader.playerIdsNamed(["name of p"], since)).toEqual(["p"]);
      expect(await reader.teamIdsNamed(["tag of t"], since)).toEqual(["t"]);
    },
  );

  guarantee("paging by offset or by cursor misses nothing and repeats nothing", async (store) => {
    const entries = Array.from({ length: 3000 }, (_, index) => longEntry(index));
    await store.writer.write((transaction) => addPlainly(transaction, entries));
    const reader = await store.reader();
    for (const filter of LONG_FILTERS) {
      const wanted = entries.filter(filter.keeps).sort(inOrder);
      for (const sort of ["createdAt", "-createdAt"] as const) {
        const expected = (sort === "createdAt" ? wanted : wanted.toReversed()).map(({ id }) => id);
        const chosen = selection({ ...filter.selection, sort, limit: 97 });

        const walked: string[] = [];
        let page = await reader.matches(chosen);
        walked.push(...idsOf(page));
        while (page.more.after) {
          const { createdAt, id } = page.edges!.last;
          const side = sort === "createdAt" ? "after" : "before";
          page = await reader.matches({ ...chosen, pageStart: after(createdAt, id, side) });
          walked.push(...idsOf(page));
        }
        expect(walked).toEqual(expected);

        for (const offset of [1, 500, expected.length - 3]) {
          const deep = await reader.matches({ ...chosen, pageStart: { from: "offset", offset } });
          expect(idsOf(deep)).toEqual(expected.slice(offset, offset + 97));
        }
      }
    }
  });
}

/** Ten matches per millisecond; p in nearly all, q in every other, r in every seventh. */
function longEntry(index: number): MatchEntry {
  return anEntry(`m${(index * 7919) % 3000}`, {
    createdAt: Math.floor(index / 10),
    mode: index % 3 === 0 ? "casual" : "ranked",
    patch: index % 2 === 0 ? "1" : "2",
    players: {
      ...(index % 50 === 0 ? {} : { p: "won" }),
      ...(index % 2 === 0 ? { q: "lost" } : {}),
      ...(index % 7 === 0 ? { r: index % 14 === 0 ? "named" : "lost" } : {}),
    },
    teams: index % 5 === 0 ? { t: index % 10 === 0 } : {},
  });
}

const plays = (entry: MatchEntry, ...ids: string[]) =>
  entry.players.some(({ id, result }) => ids.includes(id) && result !== "named");

const LONG_FILTERS: { selection: Partial<Selection>; keeps: (entry: MatchEntry) => boolean }[] = [
  { selection: {}, keeps: () => true },
  { selection: { players: [["p"]] }, keeps: (entry) => plays(entry, "p") },
  { selection: { players: [["p", "q", "r"]] }, keeps: (entry) => plays(entry, "p", "q", "r") },
  {
    selection: { players: [["p"], ["q", "r"]] },
    keeps: (entry) => plays(entry, "p") && plays(entry, "q", "r"),
  },
  {
    selection: { gameModes: ["ranked"], patchVersions: ["1", "2"] },
    keeps: (entry) => entry.gameMode === "ranked",
  },
  {
    selection: { players: [["p"]], gameModes: ["casual"], patchVersions: ["2"] },
    keeps: (entry) =>
      plays(entry, "p") && entry.gameMode === "casual" && entry.patchVersion === "2",
  },
];
