/** Conformance: the change log, as time goes by. What it has is in compared.ts. */

import { expect } from "bun:test";
import { readFollowStart, readLogEnds } from "../../src/store/core/change-log.ts";
import type { Change, LogPosition, Reader } from "../../src/store/store.ts";
import { anEntry, serve } from "./entries.ts";
import type { Guarantee } from "./suite.ts";

export function changeGuarantees(guarantee: Guarantee): void {
  guarantee(
    "changes are kept for seven days, and those of the last transaction for good",
    async (store) => {
      const reader = await store.reader();
      const start = (await reader.read(readLogEnds)).end;
      let now = Date.UTC(2026, 0, 1);
      const writer = store.rival(undefined, () => now);
      const positions: LogPosition[] = [];
      for (const day of [0, 5, 8, 100]) {
        now = Date.UTC(2026, 0, 1 + day);
        await serve(writer, anEntry(`day-${day}-a`), anEntry(`day-${day}-b`));
        positions.push((await reader.read(readLogEnds)).end);
        // The changes of day 0 are older than seven days on day 8, all others on day 100.
        const ids = (await readAll(reader, (await reader.read(readLogEnds)).beginning, 2)).map(
          ({ match }) => match.id,
        );
        const kept = { 0: [0], 5: [0, 5], 8: [5, 8], 100: [100] }[day]!;
        expect(ids).toEqual(kept.flatMap((one) => [`day-${one}-a`, `day-${one}-b`]));
      }
      for (const gone of [start, ...positions.slice(0, 3)]) {
        expect(await reader.changes(gone, 5)).toBeUndefined();
      }
      expect((await reader.changes(positions[3]!, 5))!.changes).toEqual([]);
      const { beginning } = await reader.read(readLogEnds);
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
    const { beginning } = await reader.read(readLogEnds);
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
        (await readAll(reader, await reader.read(() => readFollowStart(at)), 100)).map(
          ({ match }) => match.id,
        );
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
    const start = (await reader.read(readLogEnds)).end;
    const other = { ...start, tag: start.tag ^ 1 };
    expect(await reader.changes(other, 1)).toBeUndefined();
    expect(await reader.changes(start, 1)).toEqual({ changes: [], end: start, isLast: true });
    await serve(store.writer, anEntry("a"), anEntry("b"));
    const { end } = await reader.read(readLogEnds);
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

export async function readAll(reader: Reader, from: LogPosition, limit: number): Promise<Change[]> {
  const found: Change[] = [];
  for (let at = from; ; ) {
    const batch = (await reader.changes(at, limit))!;
    found.push(...batch.changes);
    if (batch.isLast) return found;
    at = batch.end;
  }
}
