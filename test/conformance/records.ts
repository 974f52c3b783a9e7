/** Conformance: records are stored, found and removed completely. */

import { expect } from "bun:test";
import fc from "fast-check";
import { WITHHELD_REASONS } from "../../src/domain/visibility.ts";
import { viewOf } from "../../src/store/byte-range.ts";
import type { Fate, StoredMatch } from "../../src/store/store.ts";
import { scaled } from "../support/scale.ts";
import {
  addPlainly,
  anEntry,
  aRecord,
  idsOf,
  namesIn,
  selection,
  serve,
  text,
  withheld,
} from "./entries.ts";
import type { Guarantee } from "./suite.ts";

/** The record only, with bytes of one type. */
export function plain(match: StoredMatch): StoredMatch {
  const { id, createdAt, gameMode, patchVersion } = match;
  const copy = (from: Uint8Array) => new Uint8Array(from);
  return {
    id,
    createdAt,
    gameMode,
    patchVersion,
    encoded: copy(match.encoded),
    contentHash: copy(match.contentHash),
    carried: copy(match.carried),
  };
}

const anyBytes = fc.uint8Array({ maxLength: 300 });
const anyText = fc.string({ unit: "binary", maxLength: 40 }).filter((one) => !one.includes("\0"));
const YEAR_0 = -62_167_219_200_000;
const END_OF_9999 = 253_402_300_799_999;
const anyRecord: fc.Arbitrary<Omit<StoredMatch, "id">> = fc.record({
  createdAt: fc.oneof(
    fc.integer({ min: YEAR_0, max: END_OF_9999 }),
    fc.constantFrom(YEAR_0, -1, 0, END_OF_9999),
  ),
  gameMode: anyText,
  patchVersion: anyText,
  encoded: anyBytes,
  contentHash: anyBytes,
  carried: anyBytes,
});

export function recordGuarantees(guarantee: Guarantee): void {
  guarantee("any bytes, texts and times are returned unchanged", async ({ writer, reader }) => {
    const open = await reader();
    let made = 0;
    const keptWhole = fc.asyncProperty(anyRecord, fc.boolean(), async (record, isServed) => {
      const kept = { ...record, id: `m${made++}` };
      await writer.write(async (transaction) => {
        if (isServed) await transaction.addServed([{ ...kept, players: [], teams: [] }]);
        else await transaction.addWithheld([{ ...kept, reason: "ending" }]);
      });
      expect(plain((await writer.inspect(kept.id))!.match)).toEqual(kept);
      const bundle = await open.match(kept.id);
      if (!isServed) return expect(bundle).toBeUndefined();
      expect(plain({ ...kept, encoded: viewOf(bundle!.matches[0]!) })).toEqual(kept);
    });
    await fc.assert(keptWhole, { numRuns: scaled(60) });
  });

  guarantee("a record of a megabyte is stored completely", async ({ writer, reader }) => {
    const large = new Uint8Array(1 << 20).map((_, index) => (index * 7919) >> 5);
    await serve(writer, { ...anEntry("m"), encoded: large });
    const [encoded] = (await (await reader()).match("m"))!.matches;
    expect(Buffer.compare(viewOf(encoded!), large)).toBe(0);
  });

  guarantee("served and withheld records are known by their content", async ({ writer }) => {
    const kept = anEntry("m");
    const apart = withheld("w", "ending");
    await writer.write(async (transaction) => {
      await transaction.addServed([kept]);
      await transaction.addWithheld([apart]);
    });
    const known = await writer.write(async (one) => one.known(["w", "nobody", "m"]));
    expect([...known.keys()].sort()).toEqual(["m", "w"]);
    expect(Buffer.compare(known.get("m")!.contentHash, kept.contentHash)).toBe(0);
    expect(Buffer.compare(known.get("w")!.contentHash, apart.contentHash)).toBe(0);
  });

  guarantee(
    "the players and teams of a served record can be read separately",
    async ({ writer }) => {
      const entry = { ...anEntry("m"), carried: new Uint8Array([1, 2, 3]) };
      await writer.write(async (transaction) => {
        await transaction.addServed([entry]);
        await transaction.addWithheld([withheld("w", "ending")]);
        expect(new Uint8Array((await transaction.carried("m"))!)).toEqual(entry.carried);
        expect(await transaction.carried("w")).toBeUndefined();
        expect(await transaction.carried("nobody")).toBeUndefined();
      });
    },
  );

  guarantee("a withheld record can be inspected, but not read", async (store) => {
    const { writer } = store;
    await writer.write(async (transaction) => {
      // What a caller knows of its players changes nothing.
      const players = { p: "won" } as const;
      await transaction.addWithheld(
        WITHHELD_REASONS.map((reason) => ({ ...anEntry(reason, { players }), reason })),
      );
    });
    for (const reason of WITHHELD_REASONS) {
      const found = await writer.inspect(reason);
      expect(found!.fate).toEqual({ state: "withheld", reason });
      expect(plain(found!.match)).toEqual(aRecord(reason));
    }
    const reader = await store.reader();
    expect(await reader.match("ending")).toBeUndefined();
    expect(idsOf(await reader.matches(selection()))).toEqual([]);
    expect(await reader.summary()).toMatchObject({
      matches: 0,
      players: 0,
      newestMatch: undefined,
    });
    expect(await reader.recentPlayers(9)).toEqual([]);
  });

  guarantee("a served record can be inspected, an unknown one cannot", async ({ writer }) => {
    await serve(writer, anEntry("m", { players: { p: "won" } }));
    const found = await writer.inspect("m");
    expect(found!.fate).toEqual({ state: "served" });
    expect(plain(found!.match)).toEqual(aRecord("m"));
    expect(await writer.inspect("M")).toBeUndefined();
  });

  guarantee(
    "known and load distinguish served from withheld and omit unknown ids",
    async (store) => {
      await serve(store.writer, anEntry("served"));
      await store.writer.write(async (transaction) => {
        await transaction.addWithheld([withheld("hidden", "no-ranked-player")]);
        const ids = ["nobody", "hidden", "served", "SERVED"];
        const fates: Record<string, Fate> = {
          served: { state: "served" },
          hidden: { state: "withheld", reason: "no-ranked-player" },
        };
        const known = await transaction.known(ids);
        expect(Object.fromEntries([...known].map(([id, { fate }]) => [id, fate]))).toEqual(fates);
        for (const id of ["served", "hidden"]) {
          expect(text(known.get(id)!.contentHash)).toBe(`hash of ${id}`);
        }
        const loaded = await transaction.load(ids);
        expect(Object.fromEntries(loaded.map(({ fate, match }) => [match.id, fate]))).toEqual(
          fates,
        );
        for (const { match } of loaded) expect(plain(match)).toEqual(aRecord(match.id));
      });
    },
  );

  guarantee("empty lists return nothing and change nothing", async ({ writer }) => {
    await serve(writer, anEntry("m", { players: { p: "won" } }));
    const { bytes: _, ...before } = await writer.counts();
    await writer.write(async (transaction) => {
      expect((await transaction.known([])).size).toBe(0);
      expect(await transaction.load([])).toEqual([]);
      await transaction.addServed([]);
      await transaction.removeServed([]);
      await transaction.addWithheld([]);
      await transaction.removeWithheld([]);
      expect((await transaction.rankedEvidence([])).size).toBe(0);
      await transaction.changeRankedEvidence(new Map());
      expect(await transaction.dependents([])).toEqual([]);
      await transaction.addDependents([]);
      await transaction.removeDependents([]);
      expect((await transaction.standings([])).size).toBe(0);
      await transaction.putPlayers([]);
      await transaction.removePlayers([]);
      await transaction.putTeams([]);
      await transaction.removeTeams([]);
      await transaction.changeVocabulary(new Map());
    });
    const { bytes: __, ...after } = await writer.counts();
    expect(after).toEqual(before);
  });

  guarantee("a removed match is gone from every list, player and team", async (store) => {
    const { writer } = store;
    const going = anEntry("going", {
      createdAt: 2000,
      players: { p: "won", q: "lost", r: "named" },
      teams: { t: true, u: false },
    });
    const staying = anEntry("staying", { players: { p: "lost" }, teams: { t: true } });
    await serve(writer, going, staying);
    const reader = await store.reader();
    expect(idsOf((await reader.match("going"))!)).toEqual(["going"]);
    await writer.write(async (transaction) => {
      await transaction.removeServed([going]);
      expect(await transaction.playerHistory("p", 9)).toEqual([
        { createdAt: 1000, matchId: "staying", result: "lost" },
      ]);
      expect(await transaction.playerHistory("q", 9)).toEqual([]);
      expect(await transaction.playerHistory("r", 9)).toEqual([]);
      expect(await transaction.latestOfTeam("t")).toBe("staying");
      expect(await transaction.latestOfTeam("u")).toBeUndefined();
      await transaction.removePlayers(["q", "r"]);
      await transaction.removeTeams(["u"]);
    });
    expect(await writer.inspect("going")).toBeUndefined();
    expect(await reader.match("going")).toBeUndefined();
    expect(namesIn(await reader.matches(selection()))).toEqual({
      matches: ["staying"],
      players: ["player p"],
      teams: ["team t"],
    });
    expect(idsOf(await reader.matches(selection({ players: [["p", "q"]] })))).toEqual(["staying"]);
    expect(await reader.summary()).toMatchObject({ matches: 1, players: 1, newestMatch: 1000 });
  });

  guarantee("a record can move between served and withheld", async (store) => {
    const { writer } = store;
    const entry = anEntry("m", { players: { p: "won" } });
    await writer.write(async (transaction) => {
      await transaction.addWithheld([withheld("m", "no-ranked-player")]);
    });
    await writer.write(async (transaction) => {
      await transaction.removeWithheld(["m"]);
      await addPlainly(transaction, [entry]);
    });
    expect((await writer.inspect("m"))!.fate).toEqual({ state: "served" });
    const reader = await store.reader();
    expect(idsOf((await reader.match("m"))!)).toEqual(["m"]);
    await writer.write(async (transaction) => {
      await transaction.removeServed([entry]);
      await transaction.removePlayers(["p"]);
      await transaction.addWithheld([withheld("m", "no-ranked-player")]);
    });
    expect((await writer.inspect("m"))!.fate.state).toBe("withheld");
    expect(await reader.match("m")).toBeUndefined();
  });

  guarantee("a record can be replaced by another with the same id in one write", async (store) => {
    const { writer } = store;
    const old = anEntry("m", { players: { p: "won", q: "lost" } });
    await serve(writer, old);
    const reader = await store.reader();
    expect(namesIn(await reader.matches(selection())).players).toEqual(["player p", "player q"]);
    await writer.write(async (transaction) => {
      await transaction.removeServed([old]);
      await addPlainly(transaction, [
        anEntry("m", { createdAt: 5, players: { q: "won", n: "lost" } }),
      ]);
      await transaction.removePlayers(["p"]);
    });
    const page = await reader.matches(selection());
    expect(page.edges).toEqual({
      first: { id: "m", createdAt: 5 },
      last: { id: "m", createdAt: 5 },
    });
    expect(namesIn(page).players).toEqual(["player q", "player n"]);
  });
}
