/** Conformance: pages of matches, longer than those of compared.ts. */

import { expect } from "bun:test";
import type { Gap, PageStart } from "../../src/query/query.ts";
import type { MatchEntry, Selection } from "../../src/store/store.ts";
import { addPlainly, anEntry, idsOf, inOrder, selection, serve } from "./entries.ts";
import type { Guarantee } from "./suite.ts";

const after = (createdAt: number, id: string, side: Gap["side"]): PageStart => ({
  from: "after",
  gap: { createdAt, id, side },
});

export function pageGuarantees(guarantee: Guarantee): void {
  guarantee(
    "pages of a shard without replicas have no sequence number, and are never too old",
    async (store) => {
      await serve(store.writer, anEntry("m", { players: { p: "won" }, teams: { t: true } }));
      const reader = await store.reader();
      const since = Number.MAX_SAFE_INTEGER;
      const page = await reader.matches(selection({ since }));
      expect([idsOf(page), page.sequence]).toEqual([["m"], undefined]);
      expect(await reader.idsNamed("players", ["name of p"], since)).toEqual(["p"]);
      expect(await reader.idsNamed("teams", ["tag of t"], since)).toEqual(["t"]);
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
        const chosen = selection({ ...filter.selection, sort, limit: PAGE });

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
          expect(idsOf(deep)).toEqual(expected.slice(offset, offset + PAGE));
        }
      }
    }
  });
}

/** Several pages of the rarest matches; no page ends with a millisecond. */
const PAGE = 307;

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
