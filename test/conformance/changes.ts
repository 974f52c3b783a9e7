/** Conformance: the change log, compared with a model. */

import { expect } from "bun:test";
import fc from "fast-check";
import type { Change, LogPosition, MatchEntry, Reader } from "../../src/store/store.ts";
import { costly } from "../support/scale.ts";
import { addPlainly, anEntry, serve, withheld } from "./entries.ts";
import { entryWith } from "./model.ts";
import type { Guarantee, TestStore } from "./suite.ts";

/** What a transaction does: the new state of each id, in this order. */
type Move = { id: string } & (
  | { to: "served"; entry: MatchEntry }
  | { to: "withheld" | "gone" | "served and gone" }
);
interface Write {
  moves: Move[];
  fails: boolean;
}

const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(id, entryWith(fc.constant("")))
      .map(([one, entry]) => ({ id: one, to: "served" as const, entry: { ...entry, id: one } })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      id,
      to: fc.constantFrom("withheld" as const, "gone" as const, "served and gone" as const),
    }),
  },
);
const writes: fc.Arbitrary<Write[]> = fc.array(
  fc.record({
    moves: fc.uniqueArray(move, { selector: (one) => one.id, maxLength: 4 }),
    fails: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  }),
  { minLength: 1, maxLength: 8 },
);

type Model = ReadonlyMap<string, MatchEntry | "withheld">;
type Expected = Pick<Change, "kind" | "match" | "players" | "teams">;

export function changeGuarantees(guarantee: Guarantee): void {
  guarantee(
    "the change log has each change of a served match, in order, and can be read on from every change",
    async (store) => {
      const reader = await store.reader();
      let model: Model = new Map();
      const follows = fc.asyncProperty(
        writes,
        fc.integer({ min: 1, max: 5 }),
        async (given, limit) => {
          let at = (await reader.changeLog()).end;
          for (const write of given) {
            const before = model;
            model = await carryOut(store, model, write);
            const expected = changesBetween(before, model, write);
            const found = await readAll(reader, at, limit);
            expect(found.map(described)).toEqual(expected);
            for (const [index, change] of found.entries()) {
              const rest = await readAll(reader, change.position, limit);
              expect(rest).toEqual(found.slice(index + 1));
              expect(change.position.number).toBe(at.number + index + 1);
            }
            at = (await reader.changeLog()).end;
            expect(at).toEqual(found.at(-1)?.position ?? at);
          }
        },
      );
      await fc.assert(follows, { numRuns: costly(40) });
      const { beginning } = await reader.changeLog();
      expect(beginning.number).toBe(0);
      expect((await readAll(reader, beginning, 3)).length).toBeGreaterThan(0);
    },
  );

  guarantee("a change whose match is gone is left out: its removal follows", async (store) => {
    const reader = await store.reader();
    const { end } = await reader.changeLog();
    const [gone, stays] = [anEntry("gone", { players: { p: "won" } }), anEntry("stays")];
    await serve(store.writer, gone, stays);
    await store.writer.write(async (transaction) => {
      await transaction.removeServed([gone]);
      await transaction.removePlayers(["p"]);
    });
    const batch = (await reader.changes(end, 10))!;
    expect(batch.changes.map(({ kind, match }) => [kind, match.id])).toEqual([
      ["added", "stays"],
      ["removed", "gone"],
    ]);
    expect(batch.changes[1]!.players).toEqual(["p"]);
    // What is left out counts.
    expect(batch.end).toEqual({ number: end.number + 3, tag: batch.end.tag });
    expect((await reader.changes(end, 1))!.changes).toEqual([]);
  });

  guarantee("matches before the prune cutoff are not in the change log any more", async (store) => {
    const reader = await store.reader();
    const { end } = await reader.changeLog();
    await serve(store.writer, anEntry("old", { createdAt: 5 }), anEntry("new", { createdAt: 10 }));
    await store.writer.write(async (transaction) => transaction.setPrunedBefore(10));
    const batch = (await reader.changes(end, 10))!;
    expect(batch.changes.map(({ match }) => match.id)).toEqual(["new"]);
  });

  guarantee(
    "changes are kept for seven days, and those of the last transaction for good",
    async (store) => {
      const reader = await store.reader();
      const start = (await reader.changeLog()).end;
      let now = Date.UTC(2026, 0, 1);
      const writer = store.rival(undefined, () => now);
      const positions: LogPosition[] = [];
      for (const day of [0, 5, 8, 100]) {
        now = Date.UTC(2026, 0, 1 + day);
        await serve(writer, anEntry(`day-${day}-a`), anEntry(`day-${day}-b`));
        positions.push((await reader.changeLog()).end);
        // The changes of day 0 are older than seven days on day 8, all others on day 100.
        const ids = (await readAll(reader, (await reader.changeLog()).beginning, 2)).map(
          ({ match }) => match.id,
        );
        const kept = { 0: [0], 5: [0, 5], 8: [5, 8], 100: [100] }[day]!;
        expect(ids).toEqual(kept.flatMap((one) => [`day-${one}-a`, `day-${one}-b`]));
      }
      for (const gone of [start, ...positions.slice(0, 3)]) {
        expect(await reader.changes(gone, 5)).toBeUndefined();
      }
      expect((await reader.changes(positions[3]!, 5))!.changes).toEqual([]);
      const { beginning } = await reader.changeLog();
      await serve(writer, anEntry("later"));
      expect(await readAll(reader, beginning, 5)).toHaveLength(3);
    },
  );

  guarantee("a clock that steps forth and back leaves no gap in the change log", async (store) => {
    const reader = await store.reader();
    let now = 0;
    const writer = store.rival(undefined, () => now);
    const days = [0, 400, 0, 400, 401, 1, 2];
    for (const [at, day] of days.entries()) {
      now = Date.UTC(2026, 0, 1 + day);
      await serve(writer, anEntry(`match-${at}`));
    }
    const { beginning } = await reader.changeLog();
    const ids = (await readAll(reader, beginning, 2)).map(({ match }) => match.id);
    expect(ids).toEqual([1, 2, 3, 4, 5, 6].map((at) => `match-${at}`));
  });

  guarantee(
    "following begins at the end, but before the last change of each match dated ahead of the clock",
    async (store) => {
      const reader = await store.reader();
      const now = Date.UTC(2026, 0, 1);
      const writer = store.rival(undefined, () => now);
      const followed = async (at: number) =>
        (await readAll(reader, await reader.followStart(at), 100)).map(({ match }) => match.id);
      expect(await followed(now)).toEqual([]);
      // More transactions than are read at once.
      const others = Array.from({ length: 40 }, (_, at) => `other-${at}`);
      await serve(writer, anEntry("past"), anEntry("ahead", { createdAt: now + 600_000 }));
      for (const id of others) await serve(writer, anEntry(id, { createdAt: now }));
      expect(await followed(now)).toEqual(["ahead", ...others]);
      await serve(writer, anEntry("next", { createdAt: now + 1 }));
      expect(await followed(now)).toEqual(["ahead", ...others, "next"]);
      await writer.write(async (transaction) =>
        transaction.removeServed([anEntry("ahead", { createdAt: now + 600_000 })]),
      );
      expect(await followed(now)).toEqual(["next", "ahead"]);
      expect(await followed(now + 1)).toEqual([]);
    },
  );

  guarantee("a position that was never in the log is not found", async (store) => {
    const reader = await store.reader();
    const start = (await reader.changeLog()).end;
    const other = { ...start, tag: start.tag ^ 1 };
    expect(await reader.changes(other, 1)).toBeUndefined();
    expect(await reader.changes(start, 1)).toEqual({ changes: [], end: start, isLast: true });
    await serve(store.writer, anEntry("a"), anEntry("b"));
    const { end } = await reader.changeLog();
    const [first] = (await reader.changes(start, 1))!.changes;
    for (const wrong of [
      { ...end, number: end.number + 1 },
      { ...end, tag: end.tag ^ 1 },
      { ...first!.position, tag: start.tag ^ 1 },
      { number: 2 ** 40, tag: end.tag },
    ]) {
      expect(await reader.changes(wrong, 5)).toBeUndefined();
    }
    expect(await reader.changes(end, 5)).toEqual({ changes: [], end, isLast: true });
    expect((await reader.changes(start, 5))!.changes).toHaveLength(2);
  });
}

const described = ({ kind, match, players, teams }: Change): Expected => ({
  kind,
  match,
  players,
  teams,
});

async function readAll(reader: Reader, from: LogPosition, limit: number): Promise<Change[]> {
  const found: Change[] = [];
  for (let at = from; ; ) {
    const batch = (await reader.changes(at, limit))!;
    found.push(...batch.changes);
    if (batch.isLast) return found;
    at = batch.end;
  }
}

async function carryOut({ writer }: TestStore, model: Model, write: Write): Promise<Model> {
  const after = new Map(model);
  const written = writer.write(async (transaction) => {
    const left: MatchEntry[] = [];
    for (const one of write.moves) {
      const before = after.get(one.id);
      if (before === "withheld") await transaction.removeWithheld([one.id]);
      else if (before) {
        await transaction.removeServed([before]);
        left.push(before);
      }
      after.delete(one.id);
      if (one.to === "served") {
        await addPlainly(transaction, [one.entry]);
        after.set(one.id, one.entry);
      } else if (one.to === "withheld") {
        await transaction.addWithheld([withheld(one.id, "ending")]);
        after.set(one.id, "withheld");
      } else if (one.to === "served and gone") {
        await addPlainly(transaction, [anEntry(one.id)]);
        await transaction.removeServed([anEntry(one.id)]);
      }
    }
    const staying = [...after.values()].filter((one) => one !== "withheld");
    for (const kind of ["players", "teams"] as const) {
      const named = new Set(staying.flatMap((entry) => entry[kind].map((one) => one.id)));
      const gone = left.flatMap((entry) => entry[kind].map((one) => one.id));
      const orphans = [...new Set(gone)].filter((one) => !named.has(one));
      if (kind === "players") await transaction.removePlayers(orphans);
      else await transaction.removeTeams(orphans);
    }
    if (write.fails) throw new Error("out of luck");
  });
  await written.catch(() => {});
  return write.fails ? model : after;
}

/** In the order of the moves. Nothing if the write failed. */
function changesBetween(before: Model, after: Model, { moves, fails }: Write): Expected[] {
  if (fails) return [];
  return moves.flatMap(({ id: one }) => {
    const [was, is] = [before.get(one), after.get(one)];
    const wasServed = was !== undefined && was !== "withheld";
    const isServed = is !== undefined && is !== "withheld";
    if (isServed) return reference(wasServed ? "replaced" : "added", is);
    return wasServed ? reference("removed", was) : [];
  });
}

function reference(kind: Change["kind"], entry: MatchEntry): Expected {
  const { id: matchId, createdAt, gameMode, patchVersion, players, teams } = entry;
  return {
    kind,
    match: { id: matchId, createdAt, gameMode, patchVersion },
    players: players.filter(({ result }) => result !== "named").map((one) => one.id),
    teams: teams.filter(({ plays }) => plays).map((one) => one.id),
  };
}
